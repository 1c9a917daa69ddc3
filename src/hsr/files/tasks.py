"""Goal tasks as settings of a file, and back."""

from collections.abc import Iterable
from typing import Any

from hsr._base.errors import InputError
from hsr.mdp.task import GoalTask


def written_tasks(tasks: Iterable[GoalTask]) -> list[dict[str, Any]]:
    """Return tasks as values that JSON can hold.

    Examples
    --------
    >>> written_tasks([GoalTask(0, 4)])
    [{'start': 0, 'goal': 4, 'continuing': False}]
    """
    return [
        {"start": task.start, "goal": task.goal, "continuing": task.continuing} for task in tasks
    ]


def read_tasks(written: Any) -> tuple[GoalTask, ...]:
    """Return the tasks of a file, checked like any others.

    Raises
    ------
    InputError
        If this is not a list of tasks.

    Examples
    --------
    >>> read_tasks([{"start": 0, "goal": 4, "continuing": False}])
    (GoalTask(start=0, goal=4),)
    """
    if not isinstance(written, list) or not all(
        isinstance(task, dict) and set(task) == {"start", "goal", "continuing"} for task in written
    ):
        raise InputError("it has no list of tasks")
    return tuple(GoalTask(**task) for task in written)
