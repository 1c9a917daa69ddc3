"""Draw grids as pictures of pixels, for one state or for many.

Walls are dark and open cells are white. The goal is a green rounded square and the agent a blue
disc, both with smooth edges. Cells of less than 4 pixels are too small for shapes: goal and agent
fill them. Cells of 12 pixels or more have fine lines between them.
"""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.memory import check_fits

WALL, OPEN, LINE = (61, 61, 61), (255, 255, 255), (226, 226, 226)
GOAL, AGENT = (0, 158, 115), (0, 114, 178)
_SHAPED = 4  # pixels; smaller cells are filled
_LINED = 12  # pixels; smaller cells have no lines between them

Pixels = NDArray[np.uint8]


class GridPainter:
    """Draws one grid with its goals, and the agent in any of its cells.

    Parameters
    ----------
    walls : bool array of shape (rows, cols)
        True at walls.
    goals : int array of shape (n, 2)
        Rows and columns of the goals. There may be none.
    size : int
        Height and width of a cell in pixels.
    """

    def __init__(self, walls: BoolArray, goals: IntArray, size: int) -> None:
        self.walls, self.goals, self.size = walls, tuple(goals.T), size

    @property
    def shape(self) -> tuple[int, int, int]:
        """Height, width and number of colours of a picture."""
        rows, cols = self.walls.shape
        return rows * self.size, cols * self.size, 3

    def paint(self, cells: IntArray) -> Pixels:
        """Return one picture per cell of the agent, of shape (n, height, width, 3).

        Parameters
        ----------
        cells : int array of shape (n, 2)
            Row and column of the agent in each picture.
        """
        n, size = len(cells), self.size
        check_fits(
            n * int(np.prod(self.shape, dtype=object)),
            f"{n:,} pictures of {self.shape[0]} x {self.shape[1]} pixels",
            "draw fewer states at a time, or smaller cells",
        )
        pictures = np.empty((n, *self.shape), dtype=np.uint8)
        pictures[:] = self._background
        goals = np.zeros(self.walls.shape, dtype=np.int64)
        goals[self.goals] = 1
        at_goal = goals[tuple(cells.T)]
        rows, cols = self.walls.shape
        grid = pictures.reshape(n, rows, size, cols, size, 3)
        grid[np.arange(n), cells[:, 0], :, cells[:, 1]] = self._patches[at_goal]
        return pictures

    @cached_property
    def _open(self) -> Pixels:
        """An open cell."""
        cell = np.full((self.size, self.size, 3), OPEN, dtype=np.uint8)
        if self.size >= _LINED:
            cell[-1], cell[:, -1] = LINE, LINE
        return cell

    @cached_property
    def _goal(self) -> Pixels:
        """The cell of the goal, without the agent."""
        return _blend(self._open, self._square, GOAL)

    @cached_property
    def _patches(self) -> Pixels:
        """The agent in an open cell, and on the goal."""
        return np.stack([_blend(cell, self._disc, AGENT) for cell in (self._open, self._goal)])

    @cached_property
    def _background(self) -> Pixels:
        """The picture without the agent."""
        n = self.size
        wall = np.full((n, n, 3), WALL, dtype=np.uint8)
        grid = np.where(self.walls[:, :, None, None, None], wall, self._open)
        grid[self.goals] = self._goal
        return grid.swapaxes(1, 2).reshape(self.shape)

    @property
    def _disc(self) -> FloatArray:
        """The fraction of each pixel of a cell that the agent covers, of shape (size, size)."""
        distance = np.hypot(*np.meshgrid(self._from_middle, self._from_middle))
        return self._coverage(0.38 * self.size - distance)

    @property
    def _square(self) -> FloatArray:
        """The fraction of each pixel of a cell that the goal, a rounded square, covers."""
        half, corner = 0.40 * self.size, 0.12 * self.size
        x, y = (
            np.maximum(np.abs(side) - (half - corner), 0.0)
            for side in np.meshgrid(self._from_middle, self._from_middle)
        )
        return self._coverage(corner - np.hypot(x, y))

    @property
    def _from_middle(self) -> FloatArray:
        n_inside = self.size - 1 if self.size >= _LINED else self.size
        return np.arange(float(self.size)) - 0.5 * (n_inside - 1)

    def _coverage(self, depth: FloatArray) -> FloatArray:
        """Return the fraction of a pixel that is covered if its middle is `depth` inside."""
        return np.clip(depth + 0.5, 0.0, 1.0) if self.size >= _SHAPED else np.ones_like(depth)


def _blend(cell: Pixels, coverage: FloatArray, colour: tuple[int, int, int]) -> Pixels:
    """Return a cell with a shape of one colour on it."""
    return np.rint(cell + coverage[:, :, None] * (np.array(colour) - cell)).astype(np.uint8)
