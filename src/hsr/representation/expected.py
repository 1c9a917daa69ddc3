"""Expected maps: the average of the optimal maps over tasks, a representation that belongs to no
single goal.

    expected SR  = mean over tasks of the SR of the task's optimal primitive policy
    expected HSR = mean over tasks of the HSR of the task's optimal policy over options

Each task's map ends at its goal. Both are lazy: a row costs one row of each task's map, and only
one task's map exists at a time. With `policies`, such as learned ones, the tasks' own policies take
the place of the optimal ones.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.validation import check_choice, check_count
from hsr.mdp.chain import check_policy
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.solvers import GREEDY_TIES, greedy_policy
from hsr.mdp.task import GoalTask, check_task
from hsr.options.model import option_model
from hsr.options.option_set import OptionSet
from hsr.options.planning import TIES, check_every_state_has_a_choice, plan_over_options
from hsr.representation.hierarchical import STOPPING_STATES, check_mu, hierarchical_sr
from hsr.representation.predictive_map import PredictiveMap, map_of
from hsr.representation.sr import successor_representation


def expected_sr(
    mdp: FiniteMDP,
    tasks: Sequence[GoalTask],
    *,
    ties: str = "uniform",
    seed: int = 0,
    policies: Any = None,
) -> PredictiveMap:
    """Return the mean, over tasks, of the successor representation of the greedy policy.

    Parameters
    ----------
    mdp : FiniteMDP
    tasks : sequence of GoalTask
        `goal_tasks(mdp)` gives each state once.
    ties, seed : as in `greedy_policy`
    policies : sequence of arrays of shape (S, A), one per task, optional
        Used instead of the greedy policies; `ties` and `seed` then decide nothing.
    """
    check_choice(ties, GREEDY_TIES, "ties")
    tasks, seed = _check_tasks(mdp, tasks), check_count(seed, "seed", least=0)
    given = _check_policies(policies, tasks, lambda policy: check_policy(mdp, policy))

    def maps() -> Iterator[PredictiveMap]:
        for k, task in enumerate(tasks):
            pi = given[k] if given else greedy_policy(mdp, task, ties=ties, seed=seed)
            yield successor_representation(mdp, pi, task=task)

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
    policies: Any = None,
) -> PredictiveMap:
    """Return the mean, over tasks, of the hierarchical successor representation of the optimal
    policy over options.

    Parameters
    ----------
    mdp : FiniteMDP
    options : OptionSet
    tasks : sequence of GoalTask
        `goal_tasks(mdp)` gives each state once.
    primitives : as in `option_model`
    ties, seed : as in `plan_over_options`
    stopping_state : as in `hierarchical_sr`
    policies : sequence of arrays of shape (S, C), one per task, optional
        Used instead of the optimal policies, for example `learn_plans`; `ties` and `seed` then
        decide nothing.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    >>> hsr.expected_hsr(mdp, hsr.eigenoptions(mdp), hsr.goal_tasks(mdp))
    PredictiveMap(shape=(104, 104))
    """
    check_choice(ties, TIES, "ties")
    check_choice(stopping_state, STOPPING_STATES, "stopping_state")
    tasks, seed = _check_tasks(mdp, tasks), check_count(seed, "seed", least=0)
    base = option_model(mdp, options, primitives=primitives)
    check_every_state_has_a_choice(base)
    given = _check_policies(policies, tasks, lambda mu: check_mu(base, mu))

    def maps() -> Iterator[PredictiveMap]:
        for k, task in enumerate(tasks):
            model = base.for_task(task)
            mu = given[k] if given else plan_over_options(model, task, ties=ties, seed=seed)
            yield hierarchical_sr(model, mu, stopping_state=stopping_state)

    return _mean(mdp, tasks, maps)


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
            f"policies is of type {type(policies).__name__}; it must be a list of arrays, one per task"
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
    mdp: FiniteMDP, tasks: Sequence[GoalTask], maps: Callable[[], Iterator[PredictiveMap]]
) -> PredictiveMap:
    n = mdp.n_states

    def average(part: Callable[[PredictiveMap], FloatArray], shape: tuple[int, ...]) -> FloatArray:
        total = np.zeros(shape)
        for one in maps():
            total += part(one)
        return total / len(tasks)

    return map_of(
        mdp,
        lambda block: average(lambda one: one @ block, block.shape),
        lambda block: average(lambda one: one.T @ block, block.shape),
        lambda: average(lambda one: one.toarray(), (n, n)),
    )
