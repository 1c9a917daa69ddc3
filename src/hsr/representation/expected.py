"""Expected maps: the average over tasks of the maps of their optimal policies."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray
from hsr._base.errors import InputError
from hsr._base.lazy import Products
from hsr._base.seeds import generator_from
from hsr._base.validation import check_choice, check_count, check_seed
from hsr.mdp.chain import check_policy
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.mdp.solvers import GREEDY_TIES, greedy_policy
from hsr.mdp.task import GoalTask, Task, check_task, goal_tasks
from hsr.options.model import OptionModel, option_model
from hsr.options.option_set import OptionSet
from hsr.options.planning import (
    TIES,
    check_every_state_has_a_choice,
    plan_over_options,
    split_choices,
)
from hsr.representation.hierarchical import STOPPING_STATES, check_mu, hierarchical_sr
from hsr.representation.over_goals import GoalMaps, goal_plans
from hsr.representation.over_goals_by_factors import FactorisedMaps, OneByOne
from hsr.representation.predictive_map import PredictiveMap, map_of
from hsr.representation.sampled import SampledMap
from hsr.representation.sr import successor_representation

GOALS = {
    "ends": "the map of each task ends at its goal",
    "continues": "the policy of each task continues from its goal",
}


def expected_sr(
    mdp: FiniteMDP,
    tasks: Sequence[Task] | None = None,
    *,
    goals: int | None = None,
    ties: str = "uniform",
    goal: str = "ends",
    seed: int = 0,
    policies: Any = None,
    progress: bool = False,
) -> PredictiveMap:
    """Return the mean over tasks of the successor representations of their optimal policies.

    The mean belongs to no single task. The result is lazy: a row costs one row of each task's map,
    and only one task's map exists at a time.

    **What follows the goal?** With ``goal="ends"`` nothing: the episode is over. Algorithm 1 of
    [yu2026] uses the whole transition matrix, which is ``goal="continues"``: a policy is planned
    for the task that ends at its goal, and is then followed forever. At the goal itself no action
    is better than another. They tie, and `ties` splits them: by default all are equally probable.
    Rows then sum to 1 / (1 - discount).

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP.
    tasks : sequence of GoalTask or RewardTask, optional
        Tasks to average over. Every state is a goal once by default, as in `goal_tasks(mdp)`. Goals
        are computed together, and rewards one by one.
    goals : int, optional
        Average over a random sample of this many goals instead of all states. The map is then a
        `SampledMap`, which knows its standard error.
    ties : {"uniform", "first", "random"}
        How policies split equally good actions, as in `greedy_policy`.
    goal : {"ends", "continues"}
        Whether the map of each task ends at its goal or terminal states, which are counted once, or
        the policy continues from there.
    seed : int
        Used by ``ties="random"``, and to draw the sample of `goals`.
    policies : sequence of arrays of shape (S, A), optional
        One policy per task, used instead of the optimal ones, such as learned policies. `ties` and
        `seed` then have no effect.
    progress : bool
        Show a progress bar over goals while rows, products or all entries are computed. Not with
        given `policies` or rewards.

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

    def map_of_task(task: Task, pi: FloatArray | None = None) -> PredictiveMap:
        pi = greedy_policy(mdp, task, ties=ties, seed=seed) if pi is None else pi
        return successor_representation(mdp, pi, task=task if goal == "ends" else None)

    fast = None if given else _over_goals(
        mdp, tasks, None, lambda state, _: map_of_task(GoalTask(start=None, goal=state)),
        ties=ties, twice=False, ends=goal == "ends", seed=seed, progress=progress,
    )  # fmt: skip
    maps = partial(map, map_of_task, tasks, *([given] if given else []))
    return _mean(mdp, tasks, fast, maps, "expected SR", sampled=goals is not None)


def expected_hsr(
    mdp: FiniteMDP,
    options: OptionSet,
    tasks: Sequence[Task] | None = None,
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

    The mean belongs to no single task. The result is lazy: a row costs one row of each task's map,
    and only one task's map exists at a time.

    **What follows the goal?** With ``goal="ends"`` nothing: the episode is over. Algorithm 1 of
    [yu2026] uses the whole transition matrix, which is ``goal="continues"``: a policy is planned
    for the task that ends at its goal, and is then followed forever. At the goal itself no choice
    is better than another. All that are available tie, and `ties` splits them: by default they are
    equally probable. An option that enters the goal stops there only if it would stop there without
    the task. Rows then sum to 1 / (1 - discount), if stopping states are counted once.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP.
    options : OptionSet
        Options of this MDP.
    tasks : sequence of GoalTask or RewardTask, optional
        Tasks to average over. Every state is a goal once by default, as in `goal_tasks(mdp)`. Goals
        are computed together, and rewards one by one.
    goals : int, optional
        Average over a random sample of this many goals instead of all states. The map is then a
        `SampledMap`, which knows its standard error.
    primitives : bool
        Whether the primitive actions are choices, too.
    ties : {"uniform", "options", "primitives", "random"}
        How policies split equally good choices, as in `plan_over_options`.
    stopping_state : {"counted_once", "counted_twice"}
        How often the state in which an option stops is counted, as in `hierarchical_sr`.
    goal : {"ends", "continues"}
        Whether the map of each task ends at its goal or terminal states, which are counted once, or
        the policy continues from there.
    seed : int
        Used by ``ties="random"``, and to draw the sample of `goals`.
    policies : sequence of arrays of shape (S, C), optional
        One policy over choices per task, used instead of the optimal ones, such as those of
        `learn_plans`. `ties` and `seed` then have no effect.
    progress : bool
        Show a progress bar over goals while rows, products or all entries are computed. Not with
        given `policies` or rewards, without `primitives` or with ``goal="continues"``.

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

    def map_of_task(task: Task, mu: FloatArray | None = None) -> PredictiveMap:
        model = base.for_task(task)
        mu = plan_over_options(model, task, ties=ties, seed=seed) if mu is None else mu
        followed = model if goal == "ends" else base
        return hierarchical_sr(followed, mu, stopping_state=stopping_state)

    def map_of_goal(state: int, best: BoolArray | None) -> PredictiveMap:
        mu = None if best is None else split_choices(best, base.n_primitives, ties, seed)
        return map_of_task(GoalTask(start=None, goal=state), mu)

    fast = None if given or not primitives else _over_goals(
        mdp, tasks, base, map_of_goal, ties=ties, twice=stopping_state == "counted_twice",
        ends=goal == "ends", seed=seed, progress=progress,
    )  # fmt: skip
    maps = partial(map, map_of_task, tasks, *([given] if given else []))
    return _mean(mdp, tasks, fast, maps, "expected hierarchical SR", sampled=goals is not None)


def _over_goals(
    mdp: FiniteMDP,
    tasks: Sequence[Task],
    model: OptionModel | None,
    one_by_one: OneByOne,
    *,
    ties: str,
    twice: bool,
    ends: bool,
    seed: int,
    progress: bool,
) -> GoalMaps | FactorisedMaps | None:
    """Return the maps of all goals together, or None where each task must be computed alone.

    That is the case for rewards, at discount 0, and for options that end with certainty, so that
    most plans choose them, if substitution is not possible or plans continue from the goal.
    """
    if model is not None and not len(model.options):
        model = None
    of_tasks = [task.goal for task in tasks if isinstance(task, GoalTask)]
    if len(of_tasks) < len(tasks):
        return None
    goals, counts = np.unique(of_tasks, return_counts=True)
    weight = counts / len(tasks)
    draws = np.zeros(mdp.n_states)  # zeros take the first
    if ties == "random":
        draws = generator_from(seed).random(mdp.n_states)
    if ends:
        options = None if model is None else model.options
        plans = goal_plans(mdp, options, ties=ties, twice=twice, draws=draws)
        if plans is not None:
            return GoalMaps(plans, goals, weight, progress)
    if mdp.discount == 0.0 or (model is not None and (not ends or model.tables is not None)):
        return None
    drawn = ties in ("first", "random")
    return FactorisedMaps(mdp, goals, weight, draws, drawn, not ends, progress, model, one_by_one)


def _read_tasks(
    mdp: FiniteMDP, tasks: Sequence[Task] | None, goals: int | None, seed: int
) -> tuple[Task, ...]:
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


def _check_tasks(mdp: FiniteMDP, tasks: Sequence[Task]) -> tuple[Task, ...]:
    if not isinstance(tasks, Sequence):
        raise InputError(f"tasks is of type {type(tasks).__name__}; it must be a list of tasks")
    if len(tasks) == 0:
        raise InputError("tasks is empty; an expected map needs at least one task")
    return tuple(check_task(mdp, task) for task in tasks)


def _check_policies(
    policies: Any, tasks: Sequence[Task], check: Callable[[Any], FloatArray]
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
    tasks: Sequence[Task],
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
        for M in maps():
            total += part(M)
        return total / len(tasks)

    def moments(block: FloatArray, *, squares: bool = True) -> FloatArray:
        if fast is not None:
            return fast.moments(block, squares=squares)

        def first_and_second(M: PredictiveMap) -> FloatArray:
            y = M @ block
            return np.stack([y, y**2]) if squares else y[None]

        return average(first_and_second, (1 + squares, *block.shape))

    products: Products = (
        lambda block: moments(block, squares=False)[0],
        lambda block: average(lambda M: M.T @ block, block.shape),
        lambda: average(lambda M: M.toarray(), (n, n)),
    )
    if fast is not None:
        products = (products[0], fast.apply_transpose, fast.dense)
    mean: PredictiveMap
    if sampled:
        mean = SampledMap(mdp, *products, moments=moments, n_goals=len(tasks), kind=kind)
    else:
        scope = f"{len(tasks)} task{'' if len(tasks) == 1 else 's'}"
        mean = map_of(mdp, *products, kind=kind, scope=scope)
    mean.streamed = True
    return mean
