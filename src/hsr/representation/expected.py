"""Expected maps: the average over tasks of the maps of their optimal policies."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.lazy import Products
from hsr._base.seeds import generator_from
from hsr._base.validation import check_choice, check_count, check_seed
from hsr.mdp.chain import check_policy
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.mdp.solvers import GREEDY_TIES, greedy_policy
from hsr.mdp.task import GoalTask, check_task, goal_tasks
from hsr.options.model import option_model
from hsr.options.option_set import OptionSet
from hsr.options.planning import (
    TIES,
    check_every_state_has_a_choice,
    plan_over_options,
    split_choices,
)
from hsr.representation.hierarchical import STOPPING_STATES, check_mu, hierarchical_sr
from hsr.representation.over_goals import GoalMaps, goal_maps
from hsr.representation.over_goals_by_factors import FactorisedMaps, factorised_maps
from hsr.representation.predictive_map import PredictiveMap, map_of
from hsr.representation.sampled import SampledMap
from hsr.representation.sr import successor_representation

GOALS = {
    "ends": "the map of each task ends at its goal",
    "continues": "the policy of each task goes on from its goal",
}


def expected_sr(
    mdp: FiniteMDP,
    tasks: Sequence[GoalTask] | None = None,
    *,
    goals: int | None = None,
    ties: str = "uniform",
    goal: str = "ends",
    seed: int = 0,
    policies: Any = None,
    progress: bool = False,
) -> PredictiveMap:
    """Return the mean over tasks of the successor representations of their optimal policies.

    The mean belongs to no single goal. The result is lazy: a row costs one row of each task's map,
    and only one task's map exists at a time.

    **What follows the goal?** With ``goal="ends"`` nothing: the episode is over. Algorithm 1 of
    [yu2026] uses the whole transition matrix, which is ``goal="continues"``: a policy is planned
    for the task that ends at its goal, and is then followed for ever. At the goal itself no action
    is better than another. They tie, and `ties` splits them: by default all are equally probable.
    Rows then sum to 1 / (1 - discount).

    Parameters
    ----------
    mdp : FiniteMDP
        The world.
    tasks : sequence of GoalTask, optional
        Tasks to average over. Every state is a goal once by default, as in `goal_tasks(mdp)`.
    goals : int, optional
        Average over a random sample of so many goals instead of all states. The map is then a
        `SampledMap`, which knows its standard error.
    ties : {"uniform", "first", "random"}
        How policies split equally good actions, as in `greedy_policy`.
    goal : {"ends", "continues"}
        Whether the map of each task ends at its goal, which is counted once, or the policy goes on
        from there.
    seed : int
        Used by ``ties="random"``, and to draw the sample of `goals`.
    policies : sequence of arrays of shape (S, A), optional
        One policy per task, used instead of the optimal ones, such as learned policies. `ties` and
        `seed` then have no effect.
    progress : bool
        Show a progress bar over goals while rows, products or all entries are computed. Not with
        given `policies`.

    Returns
    -------
    PredictiveMap

    Examples
    --------
    Three cells in a row, each of them a goal once. From the first cell, the middle one is visited
    for two of the goals:

    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("..."), discount=0.5)
    >>> M = hsr.expected_sr(mdp, hsr.goal_tasks(mdp))
    >>> M
    PredictiveMap(expected SR of 3 states, discount 0.5, 3 tasks)
    >>> M.rows(0) * 3  # 1 + 1 + 1, 0 + 1/2 + 1/2, 0 + 0 + 1/4
    array([3.  , 1.  , 0.25])
    """
    check_mdp(mdp)
    check_choice(ties, GREEDY_TIES, "ties")
    check_choice(goal, GOALS, "goal")
    seed = check_seed(seed)
    tasks = _read_tasks(mdp, tasks, goals, seed)
    given = _check_policies(policies, tasks, lambda policy: check_policy(mdp, policy))

    fast: GoalMaps | FactorisedMaps | None = None if given else goal_maps(
        mdp, _goals(tasks), None, ties=ties, twice=False, continues=goal == "continues",
        draws=_draws(mdp, ties, seed), progress=progress,
    )  # fmt: skip

    def one(task: GoalTask, pi: FloatArray | None = None) -> PredictiveMap:
        pi = greedy_policy(mdp, task, ties=ties, seed=seed) if pi is None else pi
        return successor_representation(mdp, pi, task=task if goal == "ends" else None)

    if fast is None and not given:
        fast = factorised_maps(
            mdp, _goals(tasks), None, lambda state, _: one(GoalTask(start=None, goal=state)),
            ties=ties, continues=goal == "continues", draws=_draws(mdp, ties, seed),
            progress=progress,
        )  # fmt: skip

    def maps() -> Iterator[PredictiveMap]:
        return map(one, tasks, given) if given else map(one, tasks)

    return _mean(mdp, tasks, fast, maps, "expected SR", sampled=goals is not None)


def expected_hsr(
    mdp: FiniteMDP,
    options: OptionSet,
    tasks: Sequence[GoalTask] | None = None,
    *,
    goals: int | None = None,
    primitives: bool = True,
    ties: str = "uniform",
    stopping_state: str = "counted_once",
    goal: str = "ends",
    seed: int = 0,
    policies: Any = None,
    progress: bool = False,
) -> PredictiveMap:
    """Return the mean over tasks of the hierarchical SRs of their optimal policies over options.

    The mean belongs to no single goal. The result is lazy: a row costs one row of each task's map,
    and only one task's map exists at a time.

    **What follows the goal?** With ``goal="ends"`` nothing: the episode is over. Algorithm 1 of
    [yu2026] uses the whole transition matrix, which is ``goal="continues"``: a policy is planned
    for the task that ends at its goal, and is then followed for ever. At the goal itself no choice
    is better than another. All that are available tie, and `ties` splits them: by default they are
    equally probable. An option that enters the goal stops there only if it would stop there without
    the task. Rows then sum to 1 / (1 - discount), if stopping states are counted once.

    Parameters
    ----------
    mdp : FiniteMDP
        The world.
    options : OptionSet
        Options of this MDP.
    tasks : sequence of GoalTask, optional
        Tasks to average over. Every state is a goal once by default, as in `goal_tasks(mdp)`.
    goals : int, optional
        Average over a random sample of so many goals instead of all states. The map is then a
        `SampledMap`, which knows its standard error.
    primitives : bool
        Whether the primitive actions are choices, too.
    ties : {"uniform", "options", "primitives", "random"}
        How policies split equally good choices, as in `plan_over_options`.
    stopping_state : {"counted_once", "counted_twice"}
        How often the state in which an option stops is counted, as in `hierarchical_sr`.
    goal : {"ends", "continues"}
        Whether the map of each task ends at its goal, which is counted once, or the policy goes on
        from there.
    seed : int
        Used by ``ties="random"``, and to draw the sample of `goals`.
    policies : sequence of arrays of shape (S, C), optional
        One policy over choices per task, used instead of the optimal ones, such as those of
        `learn_plans`. `ties` and `seed` then have no effect.
    progress : bool
        Show a progress bar over goals while rows, products or all entries are computed. Not with
        given `policies` or without `primitives`, nor with ``goal="continues"`` if the world or the
        options have randomness.

    Returns
    -------
    PredictiveMap

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    >>> hsr.expected_hsr(mdp, hsr.eigenoptions(mdp), hsr.goal_tasks(mdp))
    PredictiveMap(expected hierarchical SR of 104 states, discount 0.9, 104 tasks)
    """
    check_mdp(mdp)
    check_choice(ties, TIES, "ties")
    check_choice(stopping_state, STOPPING_STATES, "stopping_state")
    check_choice(goal, GOALS, "goal")
    seed = check_seed(seed)
    tasks = _read_tasks(mdp, tasks, goals, seed)
    base = option_model(mdp, options, primitives=primitives)
    check_every_state_has_a_choice(base)
    given = _check_policies(policies, tasks, lambda mu: check_mu(base, mu))

    fast: GoalMaps | FactorisedMaps | None = None if given or not primitives else goal_maps(
        mdp, _goals(tasks), options, ties=ties, twice=stopping_state == "counted_twice",
        continues=goal == "continues", draws=_draws(mdp, ties, seed), progress=progress,
    )  # fmt: skip

    def one(task: GoalTask, mu: FloatArray | None = None) -> PredictiveMap:
        model = base.for_task(task)
        mu = plan_over_options(model, task, ties=ties, seed=seed) if mu is None else mu
        followed = model if goal == "ends" else base
        return hierarchical_sr(followed, mu, stopping_state=stopping_state)

    def of_goal(state: int, best: BoolArray | None) -> PredictiveMap:
        mu = None if best is None else split_choices(best, base.n_primitives, ties, seed)
        return one(GoalTask(start=None, goal=state), mu)

    if fast is None and not given and primitives:
        fast = factorised_maps(
            mdp, _goals(tasks), base, of_goal, ties=ties, continues=goal == "continues",
            draws=_draws(mdp, ties, seed), progress=progress,
        )  # fmt: skip

    def maps() -> Iterator[PredictiveMap]:
        return map(one, tasks, given) if given else map(one, tasks)

    return _mean(mdp, tasks, fast, maps, "expected hierarchical SR", sampled=goals is not None)


def _goals(tasks: Sequence[GoalTask]) -> IntArray:
    return np.array([task.goal for task in tasks])


def _draws(mdp: FiniteMDP, ties: str, seed: int) -> FloatArray:
    """Return the uniform numbers by which ties are drawn. Zeros take the first."""
    if ties == "random":
        return generator_from(seed).random(mdp.n_states)
    return np.zeros(mdp.n_states)


def _read_tasks(
    mdp: FiniteMDP, tasks: Sequence[GoalTask] | None, goals: int | None, seed: int
) -> tuple[GoalTask, ...]:
    """Return the tasks to average over: those given, a sample, or every state as a goal once."""
    if goals is None:
        return tuple(goal_tasks(mdp)) if tasks is None else _check_tasks(mdp, tasks)
    if tasks is not None:
        raise InputError("tasks and goals cannot both be given; goals draws its own tasks")
    number = check_count(goals, "goals")
    if number > mdp.n_states:
        raise InputError(f"goals is {number}; there are {mdp.n_states} states to draw them from")
    drawn = generator_from(seed).choice(mdp.n_states, size=number, replace=False)
    return tuple(GoalTask(start=None, goal=int(goal)) for goal in np.sort(drawn))


def _check_tasks(mdp: FiniteMDP, tasks: Sequence[GoalTask]) -> tuple[GoalTask, ...]:
    if not isinstance(tasks, Sequence):
        raise InputError(f"tasks is of type {type(tasks).__name__}; it must be a list of GoalTask")
    if len(tasks) == 0:
        raise InputError("tasks is empty; an expected map needs at least one task")
    return tuple(check_task(mdp, task) for task in tasks)


def _check_policies(
    policies: Any, tasks: Sequence[GoalTask], check: Callable[[Any], FloatArray]
) -> tuple[FloatArray, ...]:
    if policies is None:
        return ()
    if not (isinstance(policies, Sequence) or (isinstance(policies, np.ndarray) and policies.ndim)):
        raise InputError(
            f"policies is of type {type(policies).__name__}; "
            "it must be a list of arrays, one per task"
        )
    if len(policies) != len(tasks):
        raise InputError(f"policies has {len(policies)} entries; there are {len(tasks)} tasks")
    checked = []
    for k, policy in enumerate(policies):
        if policy is None:
            raise InputError(f"policies[{k}] is None; it must be an array")
        try:
            checked.append(check(policy).copy())
        except InputError as error:
            raise InputError(f"policies[{k}]: {error}") from None
    return tuple(checked)


def _mean(
    mdp: FiniteMDP,
    tasks: Sequence[GoalTask],
    fast: GoalMaps | FactorisedMaps | None,
    maps: Callable[[], Iterator[PredictiveMap]],
    kind: str,
    *,
    sampled: bool,
) -> PredictiveMap:
    """Return the mean over tasks, by substitution where that is possible, else map by map."""
    n = mdp.n_states

    def average(part: Callable[[PredictiveMap], FloatArray], shape: tuple[int, ...]) -> FloatArray:
        total = np.zeros(shape)
        for one in maps():
            total += part(one)
        return total / len(tasks)

    def moments(block: FloatArray) -> tuple[FloatArray, FloatArray]:
        if fast is not None:
            return fast.moments(block, squares=True)
        first, second = average(
            lambda one: np.stack([one @ block, (one @ block) ** 2]), (2, *block.shape)
        )
        return first, second

    products: Products = (
        lambda block: average(lambda one: one @ block, block.shape),
        lambda block: average(lambda one: one.T @ block, block.shape),
        lambda: average(lambda one: one.toarray(), (n, n)),
    )
    if fast is not None:
        products = (fast.apply, fast.apply_transpose, fast.dense)
    mean: PredictiveMap
    if sampled:
        mean = SampledMap(mdp, *products, moments=moments, n_goals=len(tasks), kind=kind)
    else:
        scope = f"{len(tasks)} task{'' if len(tasks) == 1 else 's'}"
        mean = map_of(mdp, *products, kind=kind, scope=scope)
    mean.streamed = True
    return mean
