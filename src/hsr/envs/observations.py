"""What the grid environments show of a state: its number, its coordinates or a picture."""

from typing import Any

import gymnasium
import numpy as np

from hsr._base.arrays import IntArray
from hsr._base.validation import check_choice, check_count
from hsr.envs.scene import GridScene
from hsr.grids.pictures import GridPainter

GRID_OBSERVATIONS = {
    "state": "the number of the state",
    "xy": "the coordinates of the state, scaled to [-1, 1]",
    "pixels": "an RGB picture of the layout with goal and agent",
}


class GridObserver:
    """Turns states of a scene into observations, many at a time.

    Parameters
    ----------
    scene : GridScene
        The layout and its goal.
    kind : str
        A key of `GRID_OBSERVATIONS`.
    cell_size : int
        Height and width of a cell in pixels.

    Attributes
    ----------
    kind : str
        The kind of observation.
    space : gymnasium.spaces.Space
        The space of one observation.
    """

    def __init__(self, scene: GridScene, kind: str, cell_size: int) -> None:
        self.kind = check_choice(kind, tuple(GRID_OBSERVATIONS), "observation")
        size = check_count(cell_size, "cell_size")
        layout, spaces = scene.layout, gymnasium.spaces
        self._cells = layout.cells
        if self.kind == "pixels":
            self._painter = GridPainter(layout.walls, layout.cell_of(scene.goal), size)
            self.space = spaces.Box(0, 255, self._painter.shape, dtype=np.uint8)
        elif self.kind == "xy":
            self._xy = layout.xy().astype(np.float32)
            self.space = spaces.Box(-1.0, 1.0, (2,), dtype=np.float32)
        else:
            self.space = spaces.Discrete(layout.n_states)

    def observe(self, states: IntArray) -> Any:
        """Return new arrays of observations, the first axis of which is that of `states`.

        Parameters
        ----------
        states : int array of shape (n,)
            The states.
        """
        if self.kind == "pixels":
            return self._painter.paint(self._cells[states])
        return self._xy[states] if self.kind == "xy" else states.copy()
