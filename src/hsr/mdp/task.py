"""`GoalTask`: reach one state. Entering the goal pays 1 and ends the episode; nothing else pays."""

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
    """A goal, and where episodes start.

    Parameters
    ----------
    start : int or None
        The first state of every episode. None where it does not matter: planning, and predictive
        maps over tasks.
    goal : int
        Entering this state pays 1 and ends the episode.

    Examples
    --------
    >>> import hsr
    >>> layout = hsr.load_layout("four_rooms")
    >>> task = hsr.GoalTask(start=layout.start, goal=layout.goals[0])
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
    """Return the task if its states exist in this MDP and its goal can be reached from its start."""
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
    """Return the least number of moves from each state to the goal, -1 where no moves lead there;
    shape (S,).
    """
    return breadth_first(*mdp.predecessors, goal)


def goal_tasks(mdp: FiniteMDP) -> list[GoalTask]:
    """Return one task per state, the default of the pre-training goals over which expected maps are
    taken.
    """
    return [GoalTask(start=None, goal=goal) for goal in range(check_mdp(mdp).n_states)]
