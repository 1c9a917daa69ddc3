"""Options and plans learned by Q-learning, where the exact ones of `eigenoptions` and
`plan_over_options` are not wanted.

    option:  q(s, a) += alpha (v(s') - v(s) + g max(0, max_b q(s', b)) - q(s, a))             Eq. 3, and an option may stop
    plan:    Q(s, c) += alpha (total + g^T max_d Q(s_T, d) - Q(s, c))                         over actions and options

**How long does it take?** In a deterministic world an option's values never exceed the exact ones,
max(0, q) <= max(0, q*). So while it learns an option stops too often, never too seldom, and what is
missing shrinks with every visit. In the four rooms, with epsilon 0.1, all ends were right and all
policies optimal after 4 million steps of an option at a learning rate of 0.1 (ten seeds of sixteen
landscapes), after 500 thousand at 1 (likewise), and after 50 million at 0.01 (one seed). Where
chance moves too, a constant rate leaves values jittering about the exact ones, and ends come and go
where little is to be gained: with a slip of 0.1 and 10 million steps, 18 of 24 options had all ends
right at a rate of 0.1, and 22 at 0.03.

**Plans** are tables of values over actions and options, learned as `train` does with one-hot
features. Each has a random stream of its own, so that a task's plan does not depend on which others
are learned or in which order.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray
from hsr._base.errors import HSRWarning
from hsr._base.validation import (
    check_choice,
    check_count,
    check_discount,
    check_learning_rate,
    check_probability,
)
from hsr.agents.jobs import check_workers, run_all
from hsr.agents.kernel_inputs import world_of
from hsr.agents.linear_q import LinearQ
from hsr.agents.training.api import train
from hsr.agents.training.plan import check_tasks
from hsr.kernels.pseudo import learn_to_climb
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.mdp.solvers import near_best, split_ties
from hsr.mdp.task import GoalTask
from hsr.options.eigen import SIGNS, STOP_TOLERANCE, landscapes
from hsr.options.option_set import OptionSet, check_options

_LONGEST_RUN = 1000


def learn_options(
    mdp: FiniteMDP,
    n_options: int = 8,
    *,
    signs: str = "positive",
    vectors: Any = None,
    steps: int = 5_000_000,
    learning_rate: float = 0.1,
    epsilon: float = 0.1,
    discount: float | None = None,
    seed: int = 0,
    workers: int | None = None,
) -> OptionSet:
    """Return eigenoptions whose policies are learned by Q-learning on the pseudo-reward v(s') -
    v(s).

    An option takes the first of its best actions, stops where every q <= 1e-10 and may be chosen
    everywhere else. Each learns alone, as it will run: it begins in a state drawn uniformly, acts
    epsilon-greedily at least once, and stops on arrival where every q <= 1e-10, or after 1000
    steps; then it begins anew. A state in which it never acted keeps q = 0, and stops.

    Parameters
    ----------
    mdp : FiniteMDP
    n_options, signs, vectors, discount : as in `eigenoptions`
    steps : int
        Primitive steps of each option.
    learning_rate : float in (0, 1]
    epsilon : float in [0, 1]
        Chance of acting at random.
    seed : int
        Option k draws from ``np.random.default_rng([seed, k])``, whatever the other options.
    workers : int, optional
        Threads; by default as many as there are cores. Results do not depend on it.

    Warns
    -----
    HSRWarning
        When an option never acted in some state, and as in `eigenoptions`.

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
    check_choice(signs, SIGNS, "signs")
    gamma = mdp.discount if discount is None else check_discount(discount)
    steps = check_count(steps, "steps")
    alpha, epsilon = check_learning_rate(learning_rate), check_probability(epsilon, "epsilon")
    seed, workers = check_count(seed, "seed", least=0), check_workers(workers)
    to_climb, names = landscapes(mdp, n_options, signs, vectors)

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

    learned = run_all(learn, range(n_options), workers=workers, progress=False, title="options")
    q = np.stack([values for values, _ in learned])
    _warn_of_untried(np.stack([tried for _, tried in learned]), names)
    stop = (q <= STOP_TOLERANCE).all(axis=2)
    return OptionSet(q.argmax(axis=2), stop, ~stop, names, made_for=mdp.structure_fingerprint)


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
    """Return the learned q (S, A) of climbing v (S,) with the right to stop, and where an action
    was tried (S,).
    """
    q = np.zeros((mdp.n_states, mdp.n_actions))
    tried = np.zeros(mdp.n_states, dtype=bool)
    listing, here = np.arange(mdp.n_actions, dtype=np.int32)[None], np.zeros(mdp.n_actions)
    learn_to_climb(
        rng, world_of(mdp), listing, np.ascontiguousarray(v), discount, learning_rate, epsilon, STOP_TOLERANCE, _LONGEST_RUN,
        steps, q, tried, here,
    )  # fmt: skip
    return q, tried


def learn_plans(
    mdp: FiniteMDP,
    options: OptionSet | None,
    tasks: Sequence[GoalTask],
    *,
    episodes: int = 200,
    horizon: int = 1000,
    learning_rate: float = 0.1,
    epsilon: float = 0.1,
    seed: int = 0,
    workers: int | None = None,
) -> list[FloatArray]:
    """Return one policy over primitives and options per task, learned by Q-learning, each of shape
    (S, C).

    A plan is greedy for the learned values: uniform over the available choices within a factor of
    1e-9 of the best. Where nothing has been learned, and at the goal, all available choices tie.
    Plans are what `expected_hsr` takes as `policies`; those without options are what `expected_sr`
    takes.

    Parameters
    ----------
    mdp : FiniteMDP
    options : OptionSet or None
        None leaves the primitive actions alone, and plans of shape (S, A).
    tasks : sequence of GoalTask
        With ``start=None``, as `goal_tasks` makes them, episodes begin in states drawn from those
        that can reach the goal. A plan knows only the part of the world that its episodes meet.
    episodes, horizon : int
        Episodes of each task, and most primitive steps of each.
    learning_rate : float in (0, 1]
    epsilon : float in [0, 1]
    seed : int
        A task learns with the seed ``np.random.SeedSequence([seed, goal]).generate_state(1,
        np.uint64)[0]``, whatever the other tasks.
    workers : int, optional
        Threads; by default as many as there are cores. Results do not depend on it.

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
    if options is not None:
        check_options(mdp, options)
    tasks, seed = check_tasks(mdp, tasks), check_count(seed, "seed", least=0)
    agent = LinearQ("onehot", learning_rate=learning_rate, epsilon=epsilon)
    settings: dict[str, Any] = {
        "episodes": check_count(episodes, "episodes"),
        "horizon": check_count(horizon, "horizon"),
        "keep_values": True,
        "workers": 1,
    }
    available = np.ones((mdp.n_states, mdp.n_actions), dtype=bool)
    if options is not None:
        available = np.concatenate([available, options.initiation.T], axis=1)

    def learn(task: GoalTask) -> FloatArray:
        own_seed = int(np.random.SeedSequence([seed, task.goal]).generate_state(1, np.uint64)[0])
        run = train(mdp, [task], agent, options, seeds=[own_seed], **settings)
        assert run.values is not None
        best = near_best(np.where(available, run.values[0, 0].T, -1.0))
        return split_ties(best, "uniform", seed)

    return run_all(learn, tasks, workers=check_workers(workers), progress=False, title="plans")


def _warn_of_untried(tried: BoolArray, names: Sequence[str]) -> None:
    untried = (~tried).sum(axis=1)
    if untried.any():
        o = int(untried.argmax())
        warnings.warn(
            f"{np.count_nonzero(untried)} of {len(tried)} options never acted in some states, {names[o]} in the most: "
            f"{untried[o]}, the first of them {tried[o].argmin()}; an option stops there and cannot be chosen. More steps help",
            HSRWarning,
            stacklevel=3,
        )
