"""Expected maps: the average of the optimal maps over tasks, a representation that belongs to no single goal.

    expected SR  = mean over tasks of the SR of the task's optimal primitive policy
    expected HSR = mean over tasks of the HSR of the task's optimal policy over options

Each task's map ends at its goal. Both are lazy: a row costs one row of each task's map, and only one task's map exists at a
time.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.validation import check_choice, check_count
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.solvers import greedy_policy
from hsr.mdp.task import GoalTask, check_task
from hsr.options.model import option_model
from hsr.options.option_set import OptionSet
from hsr.options.planning import check_every_state_has_a_choice, plan_over_options
from hsr.representation.hierarchical import STOPPING_STATES, hierarchical_sr
from hsr.representation.predictive_map import PredictiveMap
from hsr.representation.sr import successor_representation


def expected_sr(mdp: FiniteMDP, tasks: Sequence[GoalTask], *, ties: str = "uniform", seed: int = 0) -> PredictiveMap:
    """Return the mean, over tasks, of the successor representation of the greedy policy.

    Parameters
    ----------
    mdp : FiniteMDP
    tasks : sequence of GoalTask
        `every_goal(mdp)` gives each state once.
    ties, seed : as in `greedy_policy`
    """
    check_choice(ties, ("uniform", "first", "random"), "ties")
    tasks, seed = _check_tasks(mdp, tasks), check_count(seed, "seed", least=0)

    def maps() -> Iterator[PredictiveMap]:
        for task in tasks:
            yield successor_representation(mdp, greedy_policy(mdp, task, ties=ties, seed=seed), task=task)

    return _mean(mdp, tasks, maps)


def expected_hsr(
    mdp: FiniteMDP,
    options: OptionSet,
    tasks: Sequence[GoalTask],
    *,
    primitives: bool = True,
    ties: str = "uniform",
    stopping_state: str = "counted_once",
    seed: int = 0,
) -> PredictiveMap:
    """Return the mean, over tasks, of the hierarchical successor representation of the optimal policy over options.

    Parameters
    ----------
    mdp : FiniteMDP
    options : OptionSet
    tasks : sequence of GoalTask
        `every_goal(mdp)` gives each state once.
    primitives : as in `option_model`
    ties, seed : as in `plan_over_options`
    stopping_state : as in `hierarchical_sr`

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    >>> hsr.expected_hsr(mdp, hsr.eigenoptions(mdp), hsr.every_goal(mdp))
    PredictiveMap(shape=(104, 104))
    """
    check_choice(ties, ("uniform", "options", "primitives", "random"), "ties")
    check_choice(stopping_state, STOPPING_STATES, "stopping_state")
    tasks, seed = _check_tasks(mdp, tasks), check_count(seed, "seed", least=0)
    base = option_model(mdp, options, primitives=primitives)
    check_every_state_has_a_choice(base)

    def maps() -> Iterator[PredictiveMap]:
        for task in tasks:
            model = base.for_task(task)
            mu = plan_over_options(model, task, ties=ties, seed=seed)
            yield hierarchical_sr(model, mu, stopping_state=stopping_state)

    return _mean(mdp, tasks, maps)


def _check_tasks(mdp: FiniteMDP, tasks: Sequence[GoalTask]) -> tuple[GoalTask, ...]:
    if not isinstance(tasks, Sequence):
        raise InputError(f"tasks is of type {type(tasks).__name__}; it must be a list of GoalTask")
    if len(tasks) == 0:
        raise InputError("tasks is empty; an expected map needs at least one task")
    return tuple(check_task(mdp, task) for task in tasks)


def _mean(mdp: FiniteMDP, tasks: Sequence[GoalTask], maps: Callable[[], Iterator[PredictiveMap]]) -> PredictiveMap:
    n = mdp.n_states

    def average(part: Callable[[PredictiveMap], FloatArray], shape: tuple[int, ...]) -> FloatArray:
        total = np.zeros(shape)
        for one in maps():
            total += part(one)
        return total / len(tasks)

    return PredictiveMap(
        (n, n),
        lambda block: average(lambda one: one @ block, block.shape),
        lambda block: average(lambda one: one.T @ block, block.shape),
        lambda: average(lambda one: one.toarray(), (n, n)),
    )
