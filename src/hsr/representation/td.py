"""Maps learned by temporal differences: under a fixed policy, or along recorded paths."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.memory import check_fits
from hsr._base.row_arithmetic import aligned_rows
from hsr._base.seeds import Seed, generator_from
from hsr._base.threads import BLOCK, blocks
from hsr._base.validation import (
    check_choice,
    check_count,
    check_indices,
    check_learning_rate,
    check_not_negative,
    is_list,
    shape_of,
)
from hsr.kernels import td
from hsr.mdp.chain import check_policy, policy_chain
from hsr.mdp.finite import FiniteMDP, check_mdp, outcomes
from hsr.mdp.task import Task, check_task, terminal_states
from hsr.mdp.transitions import cumulative_sums
from hsr.options.model import OptionModel, option_model
from hsr.options.option_set import OptionSet
from hsr.representation.hierarchical import check_mu
from hsr.representation.sf import features_of

INITIAL_MAPS = {
    "identity": "each state predicts itself",
    "zero": "nothing is predicted",
}
RESTART = 1000
_PATHS = "it must be a list of paths, and a path is a list of states"


def learn_sr(
    mdp: FiniteMDP,
    policy: Any = None,
    *,
    steps: int = 10**6,
    learning_rate: float = 0.05,
    decay: float = 0.0,
    initial_map: str = "identity",
    features: Any = None,
    task: Task | None = None,
    seed: Seed = 0,
) -> FloatArray:
    """Return the successor representation learned by temporal differences.

    After every primitive step from s to s' (Eq. 2 of [yu2026]),

        M(s) += a (1_s + g M(s') - M(s)).

    The fixed point is `successor_representation(mdp, policy)`. With a constant step size a the map
    keeps fluctuating around it. `decay` lets the step size of a row fall with its number of visits
    n, a / (1 + decay n), and the map converges.

    The walk starts in a uniformly drawn state. It starts again every 1000 steps, so that every part
    of the MDP is visited eventually.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP.
    policy : array of shape (S, A), optional
        Rows are distributions over actions. The uniform random walk by default.
    steps : int
        Number of primitive steps.
    learning_rate : float in (0, 1]
        Step size a.
    decay : float, not negative
        How fast the step size of a row falls with its visits. 0 keeps it constant.
    initial_map : {"identity", "zero"}
        The map before learning. With features, the identity stands for psi = phi.
    features : array of shape (S, d), fitted basis, map, or function, optional
        Features phi, as in `successor_features`. Successor features psi are then learned instead of
        the map, by the same rule with phi(s) in place of 1_s.
    task : GoalTask or RewardTask, optional
        Episodes then end on entering its goal or a terminal state.
    seed : int or numpy.random.Generator
        Draws starts and steps. The same seed gives the same map.

    Returns
    -------
    ndarray of shape (S, S), or with features (S, d)

    Examples
    --------
    >>> import numpy as np, hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.9)
    >>> M = hsr.learn_sr(mdp, steps=200_000, learning_rate=0.5, decay=0.01)
    >>> bool(np.abs(M - hsr.successor_representation(mdp).toarray()).max() < 0.1)
    True
    """
    check_mdp(mdp)
    pi = check_policy(mdp, policy)
    rates = learning_rate, decay, initial_map
    settings, steps, phi, M, n_columns = _begin(mdp, steps, *rates, features, task)
    P = policy_chain(mdp, pi)
    chain = (P.indptr, P.indices, cumulative_sums(P.indptr, P.data))
    rng, visits, s = generator_from(seed), np.zeros(mdp.n_states, dtype=np.int64), np.int64(-1)
    for block in blocks(steps):
        now = block.start, block.stop, s
        s = td.learn_sr(rng, *chain, mdp.discount, *settings, *now, visits, phi, M)
    return M[:, :n_columns].copy()


def learn_hsr(
    mdp: FiniteMDP,
    options: OptionSet,
    mu: Any,
    *,
    steps: int = 10**6,
    learning_rate: float = 0.05,
    decay: float = 0.0,
    initial_map: str = "identity",
    features: Any = None,
    task: Task | None = None,
    seed: Seed = 0,
) -> FloatArray:
    """Return the hierarchical successor representation learned by temporal differences.

    After every choice, which visits s_0, ..., s_(T-1) and ends in s_T (Eq. 8 of [yu2026]),

        M(s_0) += a (sum_{k<T} g^k 1_{s_k} + g^T M(s_T) - M(s_0)).

    The fixed point is `hierarchical_sr(option_model(mdp, options), mu)`. The step size and its
    decay, and the starts of the walk, are as in `learn_sr`.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP.
    options : OptionSet
        Options of this MDP.
    mu : array of shape (S, A + O) or (S, O)
        Policy over choices. Rows are distributions over the available choices: primitive actions
        first, then options, or options alone.
    steps : int
        Number of primitive steps. A choice that is cut off by the last step is not learned from.
    learning_rate : float in (0, 1]
        Step size a.
    decay : float, not negative
        How fast the step size of a row falls with its updates. 0 keeps it constant.
    initial_map : {"identity", "zero"}
        The map before learning. With features, the identity stands for psi = phi.
    features : array of shape (S, d), fitted basis, map, or function, optional
        Features phi, as in `successor_features`. Successor features psi are then learned instead of
        the map, by the same rule with phi(s) in place of 1_s.
    task : GoalTask or RewardTask, optional
        Episodes then end on entering its goal or a terminal state.
    seed : int or numpy.random.Generator
        Draws starts, choices and steps. The same seed gives the same map.

    Returns
    -------
    ndarray of shape (S, S), or with features (S, d)

    Examples
    --------
    >>> import numpy as np, hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.9)
    >>> options = hsr.point_options(mdp, targets=[0, 4])
    >>> model = hsr.option_model(mdp, options)
    >>> mu = hsr.uniform_policy(model)
    >>> M = hsr.learn_hsr(mdp, options, mu, steps=500_000, learning_rate=0.5, decay=0.01)
    >>> bool(np.abs(M - hsr.hierarchical_sr(model, mu).toarray()).max() < 0.1)
    True
    """
    model, mu = model_of(mdp, options, mu, task)
    rates = learning_rate, decay, initial_map
    settings, steps, phi, M, n_columns = _begin(mdp, steps, *rates, features, task)
    policy = options.policy if options.policy.ndim == 3 else np.eye(mdp.n_actions)[options.policy]
    rng, clock = generator_from(seed), np.array([0, -1, 0])
    visits, trail = np.zeros(mdp.n_states, dtype=np.int64), aligned_rows(1, M.shape[1])
    sums = np.cumsum(mu, axis=1).ravel(), np.cumsum(policy, axis=2).ravel()
    for block in blocks(steps):
        td.learn_hsr(
            rng,
            *outcomes(mdp),
            *sums,
            options.termination,
            mdp.n_actions,
            model.n_primitives,
            mdp.discount,
            *settings,
            steps,
            block.stop,
            clock,
            visits,
            trail,
            phi,
            M,
        )
    return M[:, :n_columns].copy()


def learn_sr_along(
    mdp: FiniteMDP,
    paths: Sequence[Any] | None = None,
    *,
    learning_rate: float = 0.05,
    decay: float = 0.0,
    initial_map: str = "identity",
    passes: int = 1,
) -> FloatArray:
    """Return the successor representation learned by temporal differences along recorded paths.

    After every recorded step from s to s' (Eq. 2 of [yu2026]),

        M(s) += a (1_s + g M(s') - M(s)).

    This is what an animal would learn along its path. Nothing is drawn at random: the steps are
    those of the paths, in their order. No step leads from one path to the next. With many passes
    and a falling step size, the map approaches ``successor_representation(mdp, mdp.behaviour())``,
    if every state of the paths is left at least once.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP. Only its number of states and its discount are used.
    paths : list of lists of states, optional
        The paths, in the order in which they were taken. By default those of the recording, if
        `from_positions` made the MDP.
    learning_rate : float in (0, 1]
        Step size a.
    decay : float, not negative
        How fast the step size of a row falls with its visits n: a / (1 + decay n). 0 keeps it
        constant, and recent steps count most.
    initial_map : {"identity", "zero"}
        The map before learning.
    passes : int
        How often the paths are followed. 1 is what the animal experienced.

    Returns
    -------
    ndarray of shape (S, S)

    Raises
    ------
    InputError
        If there are no paths, or a path holds something that is not a state.

    See Also
    --------
    learn_sr : along a simulated walk under a policy.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.from_path("abab", discount=0.5)
    >>> hsr.learn_sr_along(mdp, [[0, 1, 0, 1]], learning_rate=0.5)
    array([[1.0625  , 0.390625],
           [0.25    , 1.0625  ]])
    """
    check_mdp(mdp)
    alpha, fall = _check_rates(mdp, learning_rate, decay, initial_map, mdp.n_states)
    passes = check_count(passes, "passes")
    left, entered = _steps(mdp, paths)
    M = initial_map_of(mdp.n_states, initial_map)
    visits = np.zeros(mdp.n_states, dtype=np.int64)
    # Short paths are repeated, so that a call of the kernel is worth it.
    for several in blocks(passes, max(1, min(passes, BLOCK // left.size))):
        n = several.stop - several.start
        steps = np.tile(left, n), np.tile(entered, n)
        for block in blocks(n * left.size):
            some = (states[block] for states in steps)
            td.learn_sr_along(*some, mdp.discount, alpha, fall, visits, M)
    return M[:, : mdp.n_states].copy()


def _steps(mdp: FiniteMDP, paths: Any) -> tuple[IntArray, IntArray]:
    """Return the states that the steps of all paths leave and enter."""
    if paths is None:
        paths = getattr(mdp, "paths", None)
        if paths is None:
            raise InputError(f"paths is None, and this MDP keeps no paths; {_PATHS}")
    paths = list(paths) if is_list(paths) else paths
    if not isinstance(paths, list) or not all(map(is_list, paths)):
        raise InputError(f"paths is {short_repr(paths)}; {_PATHS}")
    read = [check_indices(path, mdp.n_states, f"paths[{k}]") for k, path in enumerate(paths)]
    if not any(path.size > 1 for path in read):
        raise InputError("paths has no step; some path must hold at least two states")
    left = np.concatenate([path[:-1] for path in read])
    entered = np.concatenate([path[1:] for path in read])
    return left.astype(np.int64), entered.astype(np.int64)


def model_of(
    mdp: FiniteMDP, options: OptionSet, mu: Any, task: Task | None
) -> tuple[OptionModel, FloatArray]:
    """Return the model of the choices that a policy is over, and the policy, checked.

    Parameters
    ----------
    mdp, options, task
        As in `learn_hsr`.
    mu : array of shape (S, C)
        With one column per option, the choices are the options alone.
    """
    primitives = (
        (shape_of(mu) or ())[-1:] != (len(options),) if isinstance(options, OptionSet) else True
    )
    model = option_model(mdp, options, primitives=primitives, task=task)
    return model, check_mu(model, mu)


def _begin(
    mdp: FiniteMDP,
    steps: int,
    learning_rate: float,
    decay: float,
    initial_map: str,
    features: Any,
    task: Task | None,
) -> tuple[tuple[float, float, BoolArray, int], int, FloatArray, FloatArray, int]:
    """Return what a kernel is given, checked.

    These are its settings, the number of steps, the features, which have no rows if there are none,
    the map before learning, and the number of its columns without those that pad its rows.
    """
    n = mdp.n_states
    phi = np.empty((0, n)) if features is None else features_of(mdp, features)
    alpha, fall = _check_rates(mdp, learning_rate, decay, initial_map, phi.shape[1])
    steps = check_count(steps, "steps", least=0)
    if task is not None:
        check_task(mdp, task)
    rows, M = (aligned_rows(k, phi.shape[1]) for k in (len(phi), n))
    rows[:, : phi.shape[1]] = phi
    if initial_map == "identity" and features is None:
        np.fill_diagonal(M, 1.0)
    elif initial_map == "identity":
        M[:] = rows
    return (alpha, fall, terminal_states(mdp, task), RESTART), steps, rows, M, phi.shape[1]


def _check_rates(
    mdp: FiniteMDP, learning_rate: float, decay: float, initial_map: str, n_columns: int
) -> tuple[float, float]:
    check_choice(initial_map, INITIAL_MAPS, "initial_map")
    alpha, fall = check_learning_rate(learning_rate), check_not_negative(decay, "decay")
    check_fits(8 * mdp.n_states * n_columns, "a learned map", "use the closed form, which is lazy")
    return alpha, fall


def initial_map_of(n_states: int, initial_map: str) -> FloatArray:
    """Return the map before learning, with rows padded by zeros as the kernels need them.

    Parameters
    ----------
    n_states : int
        Number of states S.
    initial_map : {"identity", "zero"}
        The entries before learning.
    """
    M = aligned_rows(n_states, n_states)
    if initial_map == "identity":
        np.fill_diagonal(M, 1.0)
    return M
