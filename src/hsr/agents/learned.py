"""Options and plans learned by Q-learning from sampled steps.

`eigenoptions` and `plan_over_options` compute the exact ones.
"""

import warnings
from collections.abc import Sequence
from typing import Any
from zlib import crc32

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, FloatArray
from hsr._base.errors import HSRWarning
from hsr._base.threads import blocks, check_workers, run_all
from hsr._base.validation import (
    check_count,
    check_discount,
    check_learning_rate,
    check_probability,
    check_seed,
)
from hsr.agents.linear_q import LinearQ
from hsr.agents.training.api import train
from hsr.agents.training.plan import check_tasks
from hsr.kernels.ascent import learn_to_climb
from hsr.mdp.finite import FiniteMDP, check_mdp, outcomes
from hsr.mdp.reward_task import RewardTask
from hsr.mdp.solvers import near_best_of_any_sign, split_ties
from hsr.mdp.task import GoalTask, Task
from hsr.options.eigen import STOP_TOLERANCE, landscapes
from hsr.options.option_set import OptionSet, check_options

_LONGEST_RUN = 1000


def learn_options(
    mdp: FiniteMDP,
    n_options: int = 8,
    *,
    signs: str | Sequence[int] = "positive",
    first: str = "skipped",
    vectors: Any = None,
    steps: int = 5_000_000,
    learning_rate: float = 0.1,
    epsilon: float = 0.1,
    discount: float | None = None,
    seed: int = 0,
    workers: int | None = None,
) -> OptionSet:
    """Return eigenoptions whose policies are learned by Q-learning.

    Each option climbs an eigenvector v. Its pseudo-reward is v(s') - v(s), and it may stop
    (Eq. 3)::

        q(s, a) += learning_rate (v(s') - v(s) + discount max(0, max_b q(s', b)) - q(s, a))

    The learned option takes the first of its best actions. It stops where every q <= 1e-10 and can
    be chosen everywhere else. Each option learns alone, in runs. A run begins in a state drawn
    uniformly and acts epsilon-greedily, at least once. It ends on arrival in a state where every q
    <= 1e-10, or after 1000 steps. A state in which the option never acted keeps q = 0, and stops.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP.
    n_options : int
        Number of options.
    signs : {"positive", "both", "svd", "eigh", "eig", "random"}, or a pattern
        Which directions of each eigenvector become options, as in `eigenoptions`.
    first : {"skipped", "counted"}
        Whether the constant eigenvector counts as the first option, as in `eigenoptions`.
    vectors : array of shape (S, n_vectors), optional
        Vectors to climb instead of the eigenvectors of the graph Laplacian, as in `eigenoptions`.
    steps : int
        Primitive steps from which each option learns.
    learning_rate : float in (0, 1]
        Step size of the update.
    epsilon : float in [0, 1]
        Probability of acting at random.
    discount : float, optional
        Discount of the pseudo-rewards, by default that of the MDP.
    seed : int
        Option k draws from ``np.random.default_rng([seed, k])``, whatever the other options are.
        Random signs are those of this seed, too.
    workers : int, optional
        Number of threads, by default one per core. Results do not depend on it.

    Returns
    -------
    OptionSet
        The learned options, in the order of `eigenoptions`.

    Warns
    -----
    HSRWarning
        If an option never acted in some state, and as in `eigenoptions`.

    Notes
    -----
    How many steps does it take? In a deterministic MDP the learned values never exceed the exact
    ones: max(0, q) <= max(0, q*). While an option learns it therefore stops too often, never too
    rarely, and the difference shrinks with every visit. In the four rooms with epsilon 0.1, all
    ends were right and all policies optimal after 4 million steps at learning rate 0.1, after 500
    thousand at 1 (both: ten seeds of sixteen vectors), and after 50 million at 0.01 (one seed).

    If transitions are random, a constant learning rate leaves the values fluctuating around the
    exact ones, and ends may come and go where there is little to gain. With a slip of 0.1 and 10
    million steps, 18 of 24 options had all ends right at learning rate 0.1, and 22 at 0.03.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    >>> options = hsr.learn_options(mdp, n_options=2, learning_rate=1.0, steps=500_000)
    >>> bool((options.termination == hsr.eigenoptions(mdp, n_options=2).termination).all())
    True
    """
    check_mdp(mdp)
    n_options = check_count(n_options, "n_options")
    gamma = mdp.discount if discount is None else check_discount(discount)
    steps = check_count(steps, "steps")
    alpha, epsilon = check_learning_rate(learning_rate), check_probability(epsilon, "epsilon")
    seed, workers = check_seed(seed), check_workers(workers)
    to_climb, names = landscapes(mdp, n_options, signs, vectors, first=first, seed=seed)

    def learn(o: int) -> tuple[FloatArray, BoolArray]:
        rng = np.random.default_rng([seed, o])
        return climbing_values(
            mdp,
            to_climb[:, o],
            rng,
            steps=steps,
            learning_rate=alpha,
            epsilon=epsilon,
            discount=gamma,
        )

    learned = run_all(learn, range(n_options), workers=workers)
    q = np.stack([values for values, _ in learned])
    _warn_of_untried(np.stack([tried for _, tried in learned]), names)
    stop = (q <= STOP_TOLERANCE).all(axis=2)
    return OptionSet(q.argmax(axis=2), stop, ~stop, names, mdp_fingerprint=mdp.fingerprint)


def climbing_values(
    mdp: FiniteMDP,
    v: FloatArray,
    rng: np.random.Generator,
    *,
    steps: int,
    learning_rate: float,
    epsilon: float,
    discount: float,
) -> tuple[FloatArray, BoolArray]:
    """Learn to climb one vector by Q-learning.

    The reward of a move from s to s' is v(s') - v(s). A run begins in a random state and ends where
    no action is worth anything, or after 1000 steps. The next one then begins.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP.
    v : array (S,)
        The vector to climb.
    rng : numpy Generator
        Draws states, actions and moves.
    steps : int
        Number of steps over all runs.
    learning_rate, epsilon, discount : float
        Step size, probability of a random action, and discount of the pseudo-reward.

    Returns
    -------
    q : array (S, A)
        The learned values.
    tried : bool array (S,)
        Whether any action was taken in a state.
    """
    q = np.zeros((mdp.n_states, mdp.n_actions))
    tried = np.zeros(mdp.n_states, dtype=bool)
    available, here = np.arange(mdp.n_actions, dtype=np.int32)[None], np.zeros(mdp.n_actions)
    indptr, arrival, cumulative = outcomes(mdp)
    tables = indptr.astype(np.int64), np.array(arrival), cumulative, mdp.n_actions
    clock = np.array([-1, 0])
    for block in blocks(steps):
        learn_to_climb(
            rng,
            *tables,
            available,
            np.ascontiguousarray(v),
            discount,
            learning_rate,
            epsilon,
            STOP_TOLERANCE,
            _LONGEST_RUN,
            block.stop - block.start,
            q,
            tried,
            here,
            clock,
        )
    return q, tried


def learn_plans(
    mdp: FiniteMDP,
    options: OptionSet | None,
    tasks: Sequence[Task],
    *,
    episodes: int = 200,
    horizon: int = 1000,
    learning_rate: float = 0.1,
    epsilon: float = 0.1,
    seed: int = 0,
    workers: int | None = None,
) -> list[FloatArray]:
    """Return one policy over choices per task, learned by Q-learning.

    Values are learned as by `train` with one-hot features::

        Q(s, c) += learning_rate (total reward + discount^T max_d Q(s_T, d) - Q(s, c))

    The plan is greedy for them: uniform over the available choices within a factor of 1e-9 of the
    best. Where nothing has been learned, and where a task ends, all available choices tie. Plans
    are what `expected_hsr` takes as `policies`. Those without options are what `expected_sr` takes.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP.
    options : OptionSet or None
        Options that can be chosen in addition to the primitive actions. None means primitive
        actions only.
    tasks : sequence of GoalTask or RewardTask
        The tasks. For a goal with ``start=None``, as in `goal_tasks`, each episode begins in a
        state drawn from those that can reach the goal. A plan knows only the states that its
        episodes visit.
    episodes : int
        Number of episodes of each task.
    horizon : int
        The most primitive steps of an episode.
    learning_rate : float in (0, 1]
        Step size of the update.
    epsilon : float in [0, 1]
        Probability of choosing at random.
    seed : int
        A goal learns with the seed ``np.random.SeedSequence([seed, goal]).generate_state(1,
        np.uint64)[0]``, whatever the other tasks are. For rewards, a checksum of what they pay
        takes the place of the goal.
    workers : int, optional
        Number of threads, by default one per core. Results do not depend on it.

    Returns
    -------
    list of arrays (S, C)
        The probability of each choice in each state, one array per task.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.9)
    >>> tasks = hsr.goal_tasks(mdp)
    >>> options = hsr.point_options(mdp, targets=[0, 4])
    >>> plans = hsr.learn_plans(mdp, options, tasks)
    >>> hsr.expected_hsr(mdp, options, tasks, policies=plans)
    PredictiveMap(expected hierarchical SR of 5 states, discount 0.9, 5 tasks)
    """
    check_mdp(mdp)
    if options is not None:
        check_options(mdp, options)
    check_tasks(mdp, tasks)
    seed, agent = check_seed(seed), LinearQ(learning_rate=learning_rate, epsilon=epsilon)
    settings: dict[str, Any] = {"episodes": episodes, "horizon": horizon, "keep_values": True}
    available = np.ones((mdp.n_states, mdp.n_actions), dtype=bool)
    if options is not None:
        available = np.concatenate([available, options.initiation.T], axis=1)

    def learn(task: Task) -> FloatArray:
        number = task.goal if isinstance(task, GoalTask) else _checksum(task)
        own_seed = int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])
        run = train(mdp, [task], agent, options, seeds=[own_seed], workers=1, **settings)
        assert run.values is not None
        q = run.values[0, 0].T
        best = near_best_of_any_sign(np.where(available, q, -np.inf), np.abs(q))
        return split_ties(best, "uniform", seed)

    return run_all(learn, tasks, workers=check_workers(workers))


def _checksum(task: RewardTask) -> int:
    """Return a number that tells reward functions apart, the same in every process."""
    parts = task.reward if task.per == "transition" else (task.reward,)
    total = crc32(np.ascontiguousarray(task.terminal).tobytes())
    for part in parts:
        array = part.toarray() if sparse.issparse(part) else part
        total = crc32(np.ascontiguousarray(array).tobytes(), total)
    return total


def _warn_of_untried(tried: BoolArray, names: Sequence[str]) -> None:
    """Warn if an option has states (option, S) in which it never acted, so that it stops there."""
    untried = (~tried).sum(axis=1)
    if untried.any():
        o = int(untried.argmax())
        warnings.warn(
            f"{np.count_nonzero(untried)} of {len(tried)} options never acted in some states, "
            f"{names[o]} in the most: {untried[o]}, the first of them {tried[o].argmin()}; "
            "an option stops there and cannot be chosen. More steps help",
            HSRWarning,
            stacklevel=3,
        )
