"""Pictures of a layout with its goal and its agent, as text and as pixels."""

import numpy as np

from hsr.grids.layout import GridLayout
from hsr.grids.pictures import GridPainter, Pixels

_LONG_SIDE, _LARGEST = 512, 32


class GridPicture:
    """Draws one layout with one goal, and the agent wherever it is.

    Colours and shapes are those of `GridLayout.pixels`. The size of a cell is chosen so that the
    longer side of the layout has about 512 pixels. It is at least 1 and at most 32 pixels.

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
        self._painter = GridPainter(layout.walls, layout.cell_of(goal), self.size)

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
        return self._painter.paint(self.layout.cells[state : state + 1])[0]
