"""`LayoutMiniGrid`: layouts as MiniGrid environments."""

from typing import Any

import numpy as np

from hsr._base.errors import InputError
from hsr._base.extras import needs
from hsr._base.validation import check_index
from hsr.grids.layout import GridLayout

needs("minigrid", "GridLayout.to_minigrid")

from minigrid.core.grid import Grid
from minigrid.core.mission import MissionSpace
from minigrid.core.world_object import Goal, Wall
from minigrid.minigrid_env import MiniGridEnv

_RIGHT = 0


class LayoutMiniGrid(MiniGridEnv):  # type: ignore[misc]
    """A MiniGrid environment with the walls of a layout; `GridLayout.to_minigrid` makes one.

    Parameters
    ----------
    layout : GridLayout
        The layout.
    goal, start : int or None
        As in `GridLayout.to_minigrid`.
    **settings
        Settings of MiniGrid.

    Attributes
    ----------
    layout : GridLayout
        The layout.
    """

    def __init__(
        self, layout: GridLayout, goal: int | None, start: int | None, **settings: Any
    ) -> None:
        self.layout = layout
        walls = layout.walls
        # An agent could otherwise leave a layout that is open at its border.
        self._margin = 0 if walls[[0, -1]].all() and walls[:, [0, -1]].all() else 1
        self._walls = np.pad(walls, self._margin, constant_values=True)
        first = layout.goals[0] if layout.goals else None
        self._goal = first if goal is None else check_index(goal, layout.n_states, "goal")
        self._start = layout.start
        if start is not None:
            self._start = check_index(start, layout.n_states, "start")
        if self._goal is not None and self._goal == self._start:
            raise InputError(f"start and goal are both {self._goal}; they must differ")
        height, width = self._walls.shape
        super().__init__(MissionSpace(_mission), width=width, height=height, **settings)

    def state_at(self, x: int, y: int) -> int:
        """Return the state of the layout in a cell of MiniGrid, or raise `InputError`.

        Parameters
        ----------
        x, y : int
            Column and row of MiniGrid's grid, such as the first two entries of a label.
        """
        return self.layout.state_at(y - self._margin, x - self._margin)

    def _gen_grid(self, width: int, height: int) -> None:
        """Build the grid, as MiniGrid asks at each reset."""
        self.grid = Grid(width, height)
        for y, x in zip(*self._walls.nonzero(), strict=True):
            self.grid.set(int(x), int(y), Wall())
        if self._goal is not None:
            self.put_obj(Goal(), *self._xy(self._goal))
        if self._start is None:
            self.place_agent()
        else:
            self.agent_pos, self.agent_dir = self._xy(self._start), _RIGHT
        self.mission = _mission()

    def _xy(self, state: int) -> tuple[int, int]:
        row, col = self.layout.cell_of(state)
        return col + self._margin, row + self._margin


def _mission() -> str:
    return "get to the goal"
