"""The hierarchical SR learned step by step from any experience, by intra-option updates."""

import warnings
from typing import Any

import numpy as np
from scipy.sparse import issparse

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.errors import HSRWarning, InputError, short_repr
from hsr._base.memory import check_fits
from hsr._base.seeds import Seed, generator_from
from hsr._base.threads import blocks
from hsr._base.validation import (
    as_array,
    check_choice,
    check_count,
    check_learning_rate,
    check_not_negative,
    is_list,
)
from hsr.kernels import intra_option
from hsr.mdp.finite import FiniteMDP, check_mdp, outcomes
from hsr.mdp.labels import is_hashable
from hsr.mdp.task import Task, check_task, terminal_states
from hsr.options.option_set import OptionSet
from hsr.representation.td import INITIAL_MAPS, RESTART, model_of

_NAMED = 5  # how many pairs of an option and a state a warning names
_FORMS = "it must hold steps (state, action, next state), of shape (steps, 3)"


def learn_hsr_intra_option(
    mdp: FiniteMDP,
    options: OptionSet,
    mu: Any,
    log: Any = None,
    *,
    steps: int = 10**6,
    learning_rate: float = 0.05,
    decay: float = 0.0,
    initial_map: str = "identity",
    task: Task | None = None,
    passes: int = 1,
    seed: Seed = 0,
) -> FloatArray:
    """Return the hierarchical SR of a policy over choices, learned from steps of any behaviour.

    Let Psi_c(s) be the discounted visits from s on while choice c runs, and what follows its end.
    After a step from s by action a to s', every choice c that could have taken a learns:

        Psi_c(s) += a w (1_s + g ((1 - beta_c(s')) Psi_c(s') + beta_c(s') M(s')) - Psi_c(s)),
        M(s) = sum_c mu(c | s) Psi_c(s).

    A primitive action always stops: beta = 1. The weight w is 1 for options without randomness.
    For an option that draws its actions it is pi_c(a | s) / b(a | s), with b how often the log
    takes a in s, divided by the largest of these ratios in s.

    The fixed point is `hierarchical_sr(option_model(mdp, options), mu)` for every mu. `learn_hsr`,
    the rule of [yu2026], learns one row per choice, and only rows of states in which choices are
    made while mu is followed. This rule learns from every step of any behaviour, for all choices at
    once.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP. If a log is given, only its sizes, labels and discount are used.
    options : OptionSet
        Options of this MDP.
    mu : array of shape (S, C)
        The policy over choices whose map is wanted: primitive actions first, then options, or
        options alone.
    log : array of shape (steps, 3), optional
        States, actions and next states, as numbers or as labels of the MDP. By default a random
        walk of `steps` steps that takes all actions equally often. It starts in a state drawn
        uniformly, and again every 1000 steps and where the task ends.
    steps : int
        Steps of the walk, if there is no log.
    learning_rate : float in (0, 1]
        Step size a.
    decay : float, not negative
        How fast the step size falls with the n updates of a choice in a state: a / (1 + decay n).
    initial_map : {"identity", "zero"}
        The map before learning.
    task : GoalTask or RewardTask, optional
        Options then also stop on entering its goal or terminal states, and the map ends there.
    passes : int
        How often the steps are gone through.
    seed : int or numpy.random.Generator
        Draws the walk.

    Returns
    -------
    ndarray of shape (S, S)

    Raises
    ------
    InputError
        If the log holds something that is not a step of this MDP.

    Warns
    -----
    HSRWarning
        If the log never tries what an option does in some state, so that nothing is learned there.

    Examples
    --------
    >>> import numpy as np, hsr
    >>> mdp = hsr.grid_mdp("four_rooms", discount=0.9)
    >>> options = hsr.eigenoptions(mdp, n_options=8)
    >>> model = hsr.option_model(mdp, options)
    >>> mu = hsr.uniform_policy(model)
    >>> exact = hsr.hierarchical_sr(model, mu).toarray()
    >>> how = {"steps": 200_000, "learning_rate": 1.0}
    >>> M = hsr.representation.learn_hsr_intra_option(mdp, options, mu, **how)
    >>> bool(np.linalg.norm(M - exact) / np.linalg.norm(exact) < 1e-3)
    True
    >>> paper = hsr.learn_hsr(mdp, options, mu, **how)
    >>> bool(np.linalg.norm(paper - exact) / np.linalg.norm(exact) > 0.3)
    True
    """
    model, mu = model_of(mdp, options, mu, task)
    alpha = check_learning_rate(learning_rate)
    fall = check_not_negative(decay, "decay")
    check_choice(initial_map, INITIAL_MAPS, "initial_map")
    passes = check_count(passes, "passes")
    n, n_choices = mdp.n_states, model.n_choices
    check_fits(
        8 * n_choices * n * n, "the maps of all choices", "use the closed form, which is lazy"
    )
    walk = random_steps(mdp, steps, task=task, seed=seed) if log is None else read_steps(mdp, log)
    weight = step_weights(options, model.n_primitives, mdp.n_actions, walk, model.terminal)
    Psi, M = np.zeros((n_choices, n, n)), np.zeros((n, n))
    if initial_map == "identity":
        Psi[:], M[:] = np.eye(n), np.eye(n)
    M[model.terminal] = np.eye(n)[model.terminal]
    beta, updates = np.array(options.termination), np.zeros((n_choices, n), dtype=np.int64)
    for _ in range(passes):
        for block in blocks(len(walk)):
            intra_option.learn_from_log(
                walk[block],
                mu,
                weight,
                beta,
                model.n_primitives,
                mdp.discount,
                alpha,
                fall,
                model.terminal,
                updates,
                Psi,
                M,
            )
    return M


def random_steps(
    mdp: FiniteMDP, steps: int, *, task: Task | None = None, seed: Seed = 0
) -> IntArray:
    """Return steps of a random walk that takes all actions equally often.

    It starts in a state drawn uniformly, and again every 1000 steps and where the task ends.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP.
    steps : int
        How many steps.
    task : GoalTask or RewardTask, optional
        The walk starts again at its goal or terminal states.
    seed : int or numpy.random.Generator
        Draws starts and steps.

    Returns
    -------
    int array of shape (steps, 3)
        State, action and next state of each step.

    Examples
    --------
    >>> import hsr
    >>> random_steps(hsr.grid_mdp("four_rooms"), 3).shape
    (3, 3)
    """
    steps = check_count(steps, "steps", least=0)
    check_mdp(mdp)
    if task is not None:
        check_task(mdp, task)
    terminal = terminal_states(mdp, task)
    walk = np.zeros((steps, 3), dtype=np.int64)
    if terminal.all():
        return walk[:0]
    rng, s = generator_from(seed), np.int64(-1)
    for block in blocks(steps):
        s = intra_option.random_walk(
            rng,
            *outcomes(mdp),
            mdp.n_actions,
            terminal,
            RESTART,
            block.start,
            s,
            walk[block],
        )
    return walk


def read_steps(mdp: FiniteMDP, log: Any) -> IntArray:
    """Return steps as numbers of states and actions."""
    if not is_list(log) or issparse(log):
        raise InputError(f"log is {short_repr(log)}; {_FORMS}")
    rows = log if isinstance(log, np.ndarray) else list(log)
    array = as_array(rows, "log", "a list of steps (state, action, next state)")
    if array.dtype.kind not in "iu":
        array = _numbered(mdp, rows)
    if array.ndim != 2 or array.shape[1] != 3 or not array.shape[0]:
        raise InputError(f"log has shape {array.shape}; {_FORMS}")
    sizes = np.array([mdp.n_states, mdp.n_actions, mdp.n_states])
    wrong = np.argwhere((array < 0) | (array >= sizes))
    if wrong.size:
        step, column = wrong[0]
        what = ("state", "action", "next state")[column]
        raise InputError(
            f"log[{step}] has the {what} {array[step, column]}; it must lie in "
            f"0..{sizes[column] - 1}"
        )
    return np.array(array, dtype=np.int64)


def _numbered(mdp: FiniteMDP, rows: Any) -> IntArray:
    """Return steps that are given by labels as numbers."""
    actions = getattr(mdp, "action_labels", None)
    number = {} if actions is None else {label: a for a, label in enumerate(actions)}
    steps = []
    for k, step in enumerate(rows):
        if not is_list(step) or len(step) != 3:
            raise InputError(
                f"log[{k}] is {short_repr(step)}; it must be (state, action, next state)"
            )
        s, a, t = step
        if not is_hashable(a) or (actions is not None and a not in number):
            raise InputError(
                f"log[{k}] has the action {short_repr(a)}, which this MDP does not have"
            )
        steps.append((mdp.state_of(s), number.get(a, a), mdp.state_of(t)))
    return as_array(steps, "log", "a list of steps (state, action, next state)")


def step_weights(
    options: OptionSet, n_primitives: int, n_actions: int, log: IntArray, terminal: BoolArray
) -> FloatArray:
    """Return how much a step by each action says about each choice, of shape (C, S, A).

    Parameters
    ----------
    options : OptionSet
        The options.
    n_primitives, n_actions : int
        How many choices are primitive actions, and how many actions there are.
    log : int array of shape (steps, 3)
        States, actions and next states. It says how often each action was taken in each state.
    terminal : bool array of shape (S,)
        Where episodes end. No option is expected to know anything of these states.
    """
    n = options.n_states
    taken = np.bincount(log[:, 0] * n_actions + log[:, 1], minlength=n * n_actions)
    share = taken.reshape(n, n_actions) / np.maximum(
        1, np.bincount(log[:, 0], minlength=n)[:, None]
    )
    policy = options.policy
    if policy.ndim == 2:
        policy = np.eye(n_actions)[policy]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(share > 0.0, policy / share, 0.0)
    largest = ratio.max(axis=2, keepdims=True)
    weight = np.divide(ratio, largest, out=np.zeros_like(ratio), where=largest > 0.0)
    _warn_of_untried(policy, share, terminal)
    own = np.broadcast_to(np.eye(n_actions)[:, None, :], (n_actions, n, n_actions))
    return np.concatenate([own[:n_primitives], weight])


def _warn_of_untried(policy: FloatArray, share: FloatArray, terminal: BoolArray) -> None:
    """Warn of states in which an option acts as the log never does."""
    visited = share.sum(axis=1) > 0.0
    untried = ((policy > 0.0) & (share == 0.0)).any(axis=2) & visited
    untried[:, terminal] = False
    pairs = np.argwhere(untried)
    if len(pairs):
        named = ", ".join(f"option {o} in state {s}" for o, s in pairs[:_NAMED])
        more = ", ..." if len(pairs) > _NAMED else ""
        warnings.warn(
            f"the log never tries what {len(pairs)} pairs of an option and a state would do, "
            f"so nothing is learned of them: {named}{more}",
            HSRWarning,
            stacklevel=4,
        )
