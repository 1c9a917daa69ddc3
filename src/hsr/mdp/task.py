"""`GoalTask`: reach one state; and the one form of all tasks, `step_rewards`.

Entering a goal pays 1 and ends the episode. How this compares with rewards per state is described
in `hsr.mdp.reward_task`: for a goal written as a reward per state, V(s) = g v(s) outside the goal.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, IntArray, read_only
from hsr._base.errors import InputError, short_repr
from hsr._base.validation import check_count, check_flag, check_index, shape_of
from hsr.kernels.graph import breadth_first
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.mdp.reward_task import RewardTask, expected_rewards


@dataclass(frozen=True)
class GoalTask:
    """The task of reaching one state.

    Entering the goal pays a reward of 1 and ends the episode. Nothing else pays. A continuing task
    takes the agent back to its start instead, and rewards follow for ever.

    Parameters
    ----------
    start : int or None
        The first state of every episode. None if it does not matter, as for planning and for
        predictive maps that average over tasks.
    goal : int
        The state to reach.
    continuing : bool
        Whether the agent continues from its start when it has entered the goal. The step into the
        goal is then worth ``1 + discount * v(start)``, and the goal's row of a map that is learned
        online leads to the start's row. Episodes are still counted from start to goal. Only `train`
        knows such tasks; exact solutions and planning refuse them.

    Raises
    ------
    InputError
        If a state is not a number (for the cell of a layout, use ``layout.state_at(row, col)``), or
        if a continuing task has no start.

    Examples
    --------
    >>> import hsr
    >>> layout = hsr.load_layout("four_rooms")
    >>> hsr.GoalTask(start=layout.start, goal=layout.state_at(3, 9))
    GoalTask(start=0, goal=28)
    """

    start: int | None
    goal: int
    continuing: bool = False

    def __post_init__(self) -> None:
        check_flag(self.continuing, "continuing")
        if self.continuing and self.start is None:
            raise InputError("continuing is True and start is None; the goal must lead to a start")
        if self.start is not None:
            object.__setattr__(self, "start", _check_state(self.start, "start"))
        object.__setattr__(self, "goal", _check_state(self.goal, "goal"))

    def __repr__(self) -> str:
        continuing = ", continuing=True" if self.continuing else ""
        return f"GoalTask(start={self.start}, goal={self.goal}{continuing})"

    @property
    def terminal(self) -> IntArray:
        """The goal, in which episodes end, of shape (1,)."""
        return np.array([self.goal])

    @property
    def ends(self) -> str:
        """Where the task ends, for `repr`."""
        return f"goal {self.goal}"

    def pays(
        self, mdp: FiniteMDP, states: IntArray, actions: IntArray, arrivals: IntArray
    ) -> FloatArray:
        """Return what steps pay, of shape (n,), as `RewardTask.pays` does."""
        return (arrivals == self.goal).astype(float)

    def at_end(self, mdp: FiniteMDP) -> FloatArray:
        """Return the value of beginning in the goal, which is 0, of shape (S,)."""
        return np.zeros(mdp.n_states)


def _check_state(state: Any, name: str) -> int:
    if isinstance(state, Sequence | np.ndarray) and shape_of(state) == (2,):
        row, col = map(short_repr, np.asarray(state).tolist())
        raise InputError(
            f"{name} is the cell ({row}, {col}); it must be the number of a state: "
            f"use layout.state_at({row}, {col})"
        )
    return check_count(state, name, least=0)


Task: TypeAlias = GoalTask | RewardTask


def check_task(mdp: FiniteMDP, task: Task, *, may_continue: bool = False) -> Task:
    """Return the task if it fits the MDP.

    A goal and its start must exist in the MDP, and the goal must be reachable from the start. A
    continuing task is refused unless the caller knows what it is. Rewards must be those of this
    MDP. The caller has checked the MDP.
    """
    if isinstance(task, RewardTask):
        task.check_fits(mdp)
        return task
    if not isinstance(task, GoalTask):
        raise InputError(f"task is {short_repr(task)}; it must be a GoalTask or a RewardTask")
    if task.continuing and not may_continue:
        raise InputError(f"task is {short_repr(task)}; a continuing goal is known to `train` alone")
    goal = check_index(task.goal, mdp.n_states, "task.goal")
    if task.start is not None:
        start = check_index(task.start, mdp.n_states, "task.start")
        if goal_distances(mdp, goal)[start] < 0:
            raise InputError(f"task.goal {goal} cannot be reached from task.start {start}")
    return task


def terminal_states(mdp: FiniteMDP, task: Task | None) -> BoolArray:
    """Return where episodes of a checked task end, of shape (S,) and read-only. None never ends."""
    terminal = np.zeros(mdp.n_states, dtype=bool)
    if task is not None:
        terminal[task.terminal] = True
    return read_only(terminal)


def ends_of(task: Task | None) -> str:
    """Return what `repr` says about where a task ends, such as "goal 12". Empty without a task."""
    return "" if task is None else task.ends


class StepRewards(NamedTuple):
    """The one form of all tasks in an MDP: what steps pay, and where episodes end.

    The value of a policy solves, outside the terminal states,

        v(s) = sum_a pi(a | s) (expected(s, a) + g sum_{t not terminal} P(t | s, a) v(t)).

    Attributes
    ----------
    expected : array of shape (S, A)
        Expected reward of each action, 0 in terminal states. What a terminal state is worth is
        paid, discounted, by the step that enters it.
    terminal : bool array of shape (S,)
        Where episodes end.
    at_end : array of shape (S,)
        The value of beginning in a terminal state, 0 elsewhere.
    """

    expected: FloatArray
    terminal: BoolArray
    at_end: FloatArray


def step_rewards(mdp: FiniteMDP, task: Task) -> StepRewards:
    """Return what steps pay and where episodes end. The task was checked.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP.
    task : GoalTask or RewardTask
        The task. Entering a goal pays 1.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("..."), discount=0.5)
    >>> step_rewards(mdp, GoalTask(start=0, goal=2)).expected[:, 1]  # the action right
    array([0., 1., 0.])
    >>> step_rewards(mdp, RewardTask(mdp, [0, 0, 1], terminal=[2])).expected[:, 1]
    array([0. , 0.5, 0. ])
    """
    terminal = terminal_states(mdp, task)
    expected = np.where(terminal[:, None], 0.0, expected_rewards(mdp, task))
    return StepRewards(expected, terminal, task.at_end(mdp))


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
