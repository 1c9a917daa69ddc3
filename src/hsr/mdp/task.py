"""Goal tasks: reach one state."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hsr._base.errors import InputError
from hsr._base.validation import check_count, check_index
from hsr.kernels.graph import breadth_first
from hsr.mdp.finite import FiniteMDP, check_mdp


@dataclass(frozen=True)
class GoalTask:
    """The task of reaching one state.

    Entering the goal pays a reward of 1 and ends the episode. Nothing else pays.

    Parameters
    ----------
    start : int or None
        The first state of every episode. None if it does not matter, as for planning and for
        predictive maps that average over tasks.
    goal : int
        The state to reach.

    Raises
    ------
    InputError
        If a state is not a number. For the cell of a layout, use ``layout.state_at(row, col)``.

    Examples
    --------
    >>> import hsr
    >>> layout = hsr.load_layout("four_rooms")
    >>> hsr.GoalTask(start=layout.start, goal=layout.state_at(3, 9))
    GoalTask(start=0, goal=28)
    """

    start: int | None
    goal: int

    def __post_init__(self) -> None:
        if self.start is not None:
            object.__setattr__(self, "start", _check_state(self.start, "start"))
        object.__setattr__(self, "goal", _check_state(self.goal, "goal"))


def _check_state(state: Any, name: str) -> int:
    if isinstance(state, Sequence | np.ndarray) and np.shape(state) == (2,):
        row, col = state
        raise InputError(
            f"{name} is the cell ({row}, {col}); it must be the number of a state: "
            f"use layout.state_at({row}, {col})"
        )
    return check_count(state, name, least=0)


def check_task(mdp: FiniteMDP, task: GoalTask) -> GoalTask:
    """Return the task if it fits the MDP.

    Its states must exist in the MDP, and its goal must be reachable from its start.
    """
    check_mdp(mdp)
    if not isinstance(task, GoalTask):
        raise InputError(f"task is {task!r}; it must be a GoalTask")
    goal = check_index(task.goal, mdp.n_states, "task.goal")
    if task.start is not None:
        start = check_index(task.start, mdp.n_states, "task.start")
        if goal_distances(mdp, goal)[start] < 0:
            raise InputError(f"task.goal {goal} cannot be reached from task.start {start}")
    return task


def goal_distances(mdp: FiniteMDP, goal: int) -> np.ndarray:
    """Return the smallest number of moves from each state to the goal, of shape (S,).

    It is -1 where the goal cannot be reached.
    """
    return breadth_first(*mdp.predecessors, goal)


def goal_tasks(mdp: FiniteMDP) -> list[GoalTask]:
    """Return one task per state, each with that state as its goal and no start.

    Expected maps (`expected_sr`, `expected_hsr`) average over such a list, and `GPI` learns a
    policy for each of its tasks.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP whose states become goals.

    Returns
    -------
    list of GoalTask
        In the order of the states.

    Examples
    --------
    >>> import hsr
    >>> tasks = hsr.goal_tasks(hsr.grid_mdp("four_rooms"))
    >>> len(tasks), tasks[3]
    (104, GoalTask(start=None, goal=3))
    """
    return [GoalTask(start=None, goal=goal) for goal in range(check_mdp(mdp).n_states)]
