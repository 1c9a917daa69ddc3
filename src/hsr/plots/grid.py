"""Maps of cells: walls, a value per state, a policy as arrows, marked cells."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.image import AxesImage
from matplotlib.quiver import Quiver
from matplotlib.text import Text

from hsr._base.arrays import BoolArray, FloatArray
from hsr.grids import GridLayout

WALL = "#3d3d3d"
_ARROWS = np.array(
    [(0, -1), (1, 0), (0, 1), (-1, 0)]
)  # up, right, down, left as (x, y) with y downwards


def draw_layout(ax: Axes, layout: GridLayout) -> AxesImage:
    """Draw the walls of a map, open cells in white."""
    return draw_values(ax, layout, np.zeros(layout.n_states), cmap="Greys", limits=(0.0, 1.0))


def draw_values(
    ax: Axes,
    layout: GridLayout,
    values: FloatArray,
    *,
    cmap: str = "viridis",
    limits: tuple[float, float] | None = None,
) -> AxesImage:
    """Draw one value per state, of shape (S,), as a coloured map; walls are dark."""
    picture = np.full(layout.walls.shape, np.nan)
    picture[layout.cells[:, 0], layout.cells[:, 1]] = values
    low, high = limits if limits is not None else (float(np.min(values)), float(np.max(values)))
    ax.set_facecolor(WALL)
    ax.set_xticks([])
    ax.set_yticks([])
    return ax.imshow(picture, cmap=cmap, vmin=low, vmax=high, interpolation="nearest")


def draw_policy(ax: Axes, layout: GridLayout, actions: Any, stops: BoolArray) -> Quiver:
    """Draw an option: an arrow per state for its action, of shape (S,), and a disc where it stops,
    of shape (S,).
    """
    draw_layout(ax, layout)
    going, ends = layout.cells[~stops], layout.cells[stops]
    arrows = _ARROWS[np.asarray(actions)[~stops]]
    ax.scatter(ends[:, 1], ends[:, 0], s=14, color="#d55e00", zorder=3)
    return ax.quiver(
        going[:, 1], going[:, 0], arrows[:, 0], arrows[:, 1],
        angles="xy", scale_units="xy", scale=1.25, pivot="mid",
        width=0.01, headwidth=3.5, headlength=3, headaxislength=3, color="#0072b2",
    )  # fmt: skip


def draw_marks(
    ax: Axes, layout: GridLayout, states: Sequence[int], words: Sequence[str], *, color: str
) -> list[Text]:
    """Write a word into each of the given states' cells."""
    cells = [layout.cell_of(int(state)) for state in states]
    return [
        ax.text(
            column, row, word, ha="center", va="center", fontsize=7, fontweight="bold", color=color
        )
        for (row, column), word in zip(cells, words, strict=True)
    ]
