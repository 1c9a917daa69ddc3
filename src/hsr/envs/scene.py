"""`GridScene`: what one grid environment and a batch of them have in common.

It reads the arguments of the environments, and turns states into observations and pictures.
"""

import os
from collections.abc import Sequence
from functools import cached_property
from typing import Any, TypeAlias

import gymnasium
import numpy as np

from hsr._base.arrays import FloatArray, IntArray, read_only
from hsr._base.errors import InputError, short_repr
from hsr._base.validation import (
    check_choice,
    check_count,
    check_discount,
    check_index,
    check_probability,
    shape_of,
)
from hsr.grids.grid_mdp import grid_mdp
from hsr.grids.layout import GridLayout
from hsr.grids.named import read_layout
from hsr.grids.pictures import GridPainter
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.reward_task import RewardTask
from hsr.mdp.task import GoalTask, Task, check_task

Place: TypeAlias = int | tuple[int, int]
OBSERVATIONS = ("state", "xy", "pixels")
RENDER_MODES = ("rgb_array", "ansi")
_LONG_SIDE, _LARGEST = 512, 32  # pixels of a picture and of one of its cells


class GridScene:
    """A layout with a task, how episodes start and moves slip, and what is seen of it.

    Parameters
    ----------
    layout, goal, start, task, slip, discount, render_mode, observation, cell_size
        As in `GridWorld`.

    Attributes
    ----------
    layout : GridLayout
        The layout.
    task : GoalTask or RewardTask
        The task.
    terminal : bool array of shape (S,)
        Where episodes end.
    starts : int array
        The states in which episodes may start.
    slip, discount : float
        Probability that a move goes in another direction, and discount of the MDP.
    observation : str
        One of `OBSERVATIONS`.
    space : gymnasium.spaces.Space
        The space of one observation.

    Examples
    --------
    >>> GridScene("four_rooms", goal=(3, 9)).task
    GoalTask(start=0, goal=28)
    """

    def __init__(
        self,
        layout: GridLayout | str | os.PathLike[str],
        goal: Place | None = None,
        start: Place | str | None = None,
        *,
        task: Task | None = None,
        slip: float = 0.0,
        discount: float = 0.9,
        render_mode: str | None = None,
        observation: str = "state",
        cell_size: int = 2,
    ) -> None:
        self.layout = layout = read_layout(layout)
        self.slip, self.discount = check_probability(slip, "slip"), check_discount(discount)
        self.task, self.starts = self._read_task(task, goal, start)
        self.terminal = read_only(np.isin(np.arange(layout.n_states), self.task.terminal))
        if render_mode is not None:
            check_choice(render_mode, RENDER_MODES, "render_mode")
        self.render_mode = render_mode
        self.observation = check_choice(observation, OBSERVATIONS, "observation")
        self._painter = self._painter_of(check_count(cell_size, "cell_size"))
        self.space = self._space()

    @cached_property
    def mdp(self) -> FiniteMDP:
        """The MDP without the goal: what `grid_mdp` makes of the layout."""
        return grid_mdp(self.layout, self.discount, slip=self.slip)

    @cached_property
    def paid(self) -> FloatArray:
        """What a move pays, of shape (S, 1 or A, 4): state, action, direction of the move.

        The second axis has length 1 if the action does not matter, only where the move leads.
        """
        neighbours, per = self.layout.neighbours, getattr(self.task, "per", "goal")
        shape = (len(neighbours), 1 if per in ("goal", "state") else 4, 4)
        states, actions, directions = (axis.ravel() for axis in np.indices(shape))
        arrivals = neighbours[states, directions]
        paid: FloatArray = self.task.pays(self.mdp, states, actions, arrivals)
        return paid.reshape(shape)

    def _read_task(self, task: Any, goal: Any, start: Any) -> tuple[Task, IntArray]:
        """Return the task and the states in which episodes may start."""
        if task is not None:
            if goal is not None or start is not None:
                raise InputError("task is given, and so is goal or start; a task has its own")
            task = check_task(self.mdp, task)
            if isinstance(task, RewardTask):
                return task, task.starts
            goal, start = task.goal, "random" if task.start is None else task.start
        g, starts = _read_goal(self.layout, goal, start)
        return GoalTask(int(starts[0]) if starts.size == 1 else None, g), starts

    def _space(self) -> gymnasium.spaces.Space:
        if self.observation == "pixels":
            return gymnasium.spaces.Box(0, 255, self._painter.shape, dtype=np.uint8)
        if self.observation == "xy":
            return gymnasium.spaces.Box(-1.0, 1.0, (2,), dtype=np.float32)
        return gymnasium.spaces.Discrete(self.layout.n_states)

    def observe(self, states: IntArray) -> Any:
        """Return a new array of observations of states (n,), one along the first axis."""
        if self.observation == "pixels":
            return self._painter.paint(self.layout.cells[states])
        if self.observation == "xy":
            return self.layout.xy(states).astype(np.float32)
        return states.copy()

    def render(self, state: int) -> Any:
        r"""Return a picture with the agent in a state, as `render_mode` asks.

        "rgb_array" gives an array of shape (height, width, 3) with the colours and shapes of
        `GridLayout.pixels`. "ansi" gives lines of text: `#` wall, `.` open, `G` where the
        episode ends, `@` agent.

        >>> layout = GridLayout.from_text("..#\n#..")
        >>> print(GridScene(layout, goal=3, start=0, render_mode="ansi").render(0))
        @.#
        #.G
        """
        if self.render_mode == "rgb_array":
            return self._large_painter.paint(self.layout.cells[state : state + 1])[0]
        grid = np.where(self.layout.walls, "#", ".")
        grid[tuple(self.layout.cells[self.terminal].T)] = "G"
        grid[self.layout.cell_of(state)] = "@"
        return "\n".join("".join(row) for row in grid)

    @cached_property
    def _large_painter(self) -> GridPainter:
        """A painter whose pictures have about 512 pixels along the longer side of the layout."""
        longer = max(self.layout.n_rows, self.layout.n_cols)
        return self._painter_of(min(max(_LONG_SIDE // longer, 1), _LARGEST))

    def _painter_of(self, cell_size: int) -> GridPainter:
        return GridPainter(self.layout.walls, self.layout.cells[self.terminal], cell_size)


class InScene:
    """Properties that one grid environment and a batch of them share."""

    _scene: GridScene

    @property
    def layout(self) -> GridLayout:
        """The layout."""
        return self._scene.layout

    @property
    def mdp(self) -> FiniteMDP:
        """The MDP without the goal."""
        return self._scene.mdp

    @property
    def task(self) -> Task:
        """The task. Its start is None if it is drawn at random."""
        return self._scene.task

    @property
    def render_mode(self) -> str | None:
        """What `render` returns."""
        return self._scene.render_mode


def _read_goal(layout: GridLayout, goal: Any, start: Any) -> tuple[int, IntArray]:
    """Return the state of a goal and the states in which episodes may start."""
    if goal is None and not layout.goals:
        raise InputError(
            f"goal is None, and the layout {layout.name!r} has no goal '1'; "
            "give a cell (row, col) or a state"
        )
    g = layout.goals[0] if goal is None else _read_place(layout, goal, "goal")
    reaching = layout.distances_from(g) > 0
    if (isinstance(start, str) and start == "random") or (start is None and layout.start is None):
        if not reaching.any():
            raise InputError(
                f"goal {layout.cell_of(g)} cannot be reached from any other cell "
                f"of the layout {layout.name!r}"
            )
        return g, read_only(np.flatnonzero(reaching))
    s = _read_place(layout, start, "start") if start is not None else layout.start
    assert s is not None
    if s == g:
        raise InputError(
            f"start and goal are both {layout.cell_of(g)}; they must differ "
            "(start='random' draws another cell)"
        )
    if not reaching[s]:
        raise InputError(
            f"goal {layout.cell_of(g)} cannot be reached from start {layout.cell_of(s)}"
        )
    return g, read_only(np.array([s]))


def _read_place(layout: GridLayout, place: Any, name: str) -> int:
    """Return the state of a cell (row, col), or a state as it is."""
    if (
        isinstance(place, Sequence | np.ndarray)
        and not isinstance(place, str)
        and shape_of(place) == (2,)
    ):
        try:
            return layout.state_at(*place)
        except InputError as error:
            raise InputError(f"{name}: {error}") from None
    if not hasattr(place, "__index__"):
        raise InputError(
            f"{name} is {short_repr(place)}; it must be a cell (row, col) "
            f"or a state in 0..{layout.n_states - 1}"
        )
    return check_index(place, layout.n_states, name)
