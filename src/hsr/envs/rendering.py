"""Pictures of a layout with its goal and its agent, as text and as pixels."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hsr.grids.layout import GridLayout

_WALL, _OPEN, _LINE = (61, 61, 61), (255, 255, 255), (226, 226, 226)
_GOAL, _AGENT = (0, 158, 115), (0, 114, 178)
_LONG_SIDE, _LARGEST = 512, 32
_LINED = 12  # smaller cells have no lines between them

Pixels = NDArray[np.uint8]


class GridPicture:
    """Draws one layout with one goal, and the agent wherever it is.

    Walls are dark, open cells white with fine lines between them. The goal is a green square, the
    agent a blue disc with smooth edges. The size of a cell is chosen so that the longer side of the
    layout has about 512 pixels. It is at least 1 and at most 32 pixels.

    Parameters
    ----------
    layout : GridLayout
        The layout.
    goal : int
        The state of the goal.
    """

    def __init__(self, layout: GridLayout, goal: int) -> None:
        self.layout = layout
        self.goal = goal
        self.size = min(max(_LONG_SIDE // max(layout.n_rows, layout.n_cols), 1), _LARGEST)

    def text(self, state: int) -> str:
        r"""Return the layout as lines of text: `#` wall, `.` open, `G` goal, `@` agent.

        >>> print(GridPicture(GridLayout.from_text("..#\n#.."), goal=3).text(0))
        @.#
        #.G
        """
        grid = np.where(self.layout.walls, "#", ".")
        grid[self.layout.cell_of(self.goal)] = "G"
        grid[self.layout.cell_of(state)] = "@"
        return "\n".join("".join(row) for row in grid)

    def pixels(self, state: int) -> Pixels:
        """Return the picture as a new array of shape (height, width, 3).

        Parameters
        ----------
        state : int
            The state of the agent.
        """
        picture = self._background.copy()
        self._blend(picture, state, self._disc, _AGENT)
        return picture

    @cached_property
    def _background(self) -> Pixels:
        n = self.size
        cell = np.full((n, n, 3), _OPEN, dtype=np.uint8)
        if n >= _LINED:
            cell[-1], cell[:, -1] = _LINE, _LINE
        wall = np.full((n, n, 3), _WALL, dtype=np.uint8)
        grid = np.where(self.layout.walls[:, :, None, None, None], wall, cell)
        picture: Pixels = grid.swapaxes(1, 2).reshape(
            self.layout.n_rows * n, self.layout.n_cols * n, 3
        )
        self._blend(picture, self.goal, self._square, _GOAL)
        return picture

    @cached_property
    def _disc(self) -> NDArray[Any]:
        """The fraction of each pixel of a cell that the agent covers, of shape (size, size)."""
        distance = np.hypot(*np.meshgrid(self._from_middle, self._from_middle))
        return _coverage(0.38 * self.size - distance)

    @cached_property
    def _square(self) -> NDArray[Any]:
        """The fraction of each pixel of a cell that the goal, a rounded square, covers."""
        half, corner = 0.40 * self.size, 0.12 * self.size
        x, y = (
            np.maximum(np.abs(side) - (half - corner), 0.0)
            for side in np.meshgrid(self._from_middle, self._from_middle)
        )
        return _coverage(corner - np.hypot(x, y))

    @property
    def _from_middle(self) -> NDArray[Any]:
        n_inside = self.size - 1 if self.size >= _LINED else self.size
        return np.arange(self.size) - 0.5 * (n_inside - 1)

    def _blend(
        self, picture: Pixels, state: int, coverage: NDArray[Any], colour: tuple[int, int, int]
    ) -> None:
        row, col = self.layout.cell_of(state)
        n = self.size
        patch = picture[row * n : (row + 1) * n, col * n : (col + 1) * n]
        patch[:] = np.rint(patch + coverage[:, :, None] * (np.array(colour) - patch))


def _coverage(depth: NDArray[Any]) -> NDArray[Any]:
    """Return the fraction of a pixel that is covered if its middle is `depth` inside an edge.

    A single pixel is never quite empty.
    """
    return np.clip(depth + 0.5, 0.0, 1.0)
