"""Draw layouts with values, policies and words, and predictive maps with states grouped by room."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.colors import LogNorm
from matplotlib.image import AxesImage
from matplotlib.patheffects import withStroke
from matplotlib.quiver import Quiver
from matplotlib.text import Text

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr.grids import GridLayout

WALL = "#3d3d3d"
ROOM_COLORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442")
DOOR_COLOR = "#000000"
STOP_COLOR = "#d55e00"
# Up, right, down, left as (x, y), with y downwards.
_ARROWS = np.array([(0, -1), (1, 0), (0, 1), (-1, 0)])


def draw_layout(ax: Axes, layout: GridLayout) -> AxesImage:
    """Draw the walls of a layout, with open cells in white.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    layout : GridLayout
        The layout.

    Returns
    -------
    matplotlib AxesImage

    Examples
    --------
    >>> import hsr
    >>> from hsr.plots import new_figure
    >>> draw_layout(new_figure(3.0, 3.0).subplots(), hsr.load_layout("loop")).get_array().shape
    (15, 18)
    """
    return draw_values(ax, layout, np.zeros(layout.n_states), cmap="Greys", limits=(0.0, 1.0))


def draw_values(
    ax: Axes,
    layout: GridLayout,
    values: FloatArray,
    *,
    cmap: Any = "viridis",
    limits: tuple[float, float] | None = None,
) -> AxesImage:
    """Draw one value per state as the colour of its cell. Walls are dark.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    layout : GridLayout
        The layout.
    values : array of shape (S,)
        A number for each state, such as a row of a predictive map.
    cmap : str or Colormap
        A colormap of Matplotlib.
    limits : (low, high), optional
        Values of the first and the last colour. The smallest and the largest value by default.

    Returns
    -------
    matplotlib AxesImage

    Examples
    --------
    >>> import hsr
    >>> from hsr.plots import new_figure
    >>> layout = hsr.load_layout("four_rooms")
    >>> values = hsr.optimal_value(hsr.grid_mdp(layout), hsr.GoalTask(None, layout.goals[0]))
    >>> image = draw_values(new_figure(3.0, 3.0).subplots(), layout, values)
    """
    picture = np.full(layout.walls.shape, np.nan)
    picture[layout.cells[:, 0], layout.cells[:, 1]] = values
    low, high = limits if limits is not None else (float(np.min(values)), float(np.max(values)))
    ax.set_facecolor(WALL)
    ax.set_xticks([])
    ax.set_yticks([])
    return ax.imshow(picture, cmap=cmap, vmin=low, vmax=high, interpolation="nearest")


def draw_policy(ax: Axes, layout: GridLayout, actions: Any, stops: BoolArray) -> Quiver:
    """Draw a policy or an option: an arrow for the action in each state, a disc where it stops.

    If nothing has been drawn on the axes, the layout is drawn first. Otherwise the arrows are black
    and drawn over what is there, such as values or a task.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    layout : GridLayout
        The layout.
    actions : int array of shape (S,)
        0 is up, 1 right, 2 down, 3 left.
    stops : bool array of shape (S,)
        Where the option stops, or the episode ends.

    Returns
    -------
    matplotlib Quiver
        The arrows.

    Examples
    --------
    >>> import hsr
    >>> from hsr.plots import new_figure
    >>> layout = hsr.load_layout("four_rooms")
    >>> option = hsr.eigenoptions(hsr.grid_mdp(layout), n_options=1)[0]
    >>> ax = new_figure(3.0, 3.0).subplots()
    >>> arrows = draw_policy(ax, layout, option.policy, option.termination == 1.0)
    """
    ink, disc = "#000000", "#000000"
    if not ax.images:
        draw_layout(ax, layout)
        ink, disc = "#0072b2", STOP_COLOR
    going, ends = layout.cells[~stops], layout.cells[stops]
    arrows = _ARROWS[np.asarray(actions)[~stops]]
    ax.scatter(ends[:, 1], ends[:, 0], s=14, color=disc, zorder=3)
    return ax.quiver(
        going[:, 1], going[:, 0], arrows[:, 0], arrows[:, 1],
        angles="xy", scale_units="xy", scale=1.25, pivot="mid",
        width=0.01, headwidth=3.5, headlength=3, headaxislength=3, color=ink,
    )  # fmt: skip


def draw_marks(
    ax: Axes, layout: GridLayout, states: Sequence[int], words: Sequence[str], *, color: str
) -> list[Text]:
    """Write a word into the cell of each given state, with a white edge that walls do not hide.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to write.
    layout : GridLayout
        The layout.
    states : sequence of int
        The states.
    words : sequence of str
        A word for each state.
    color : str
        Colour of the words.

    Returns
    -------
    list of matplotlib Text

    Examples
    --------
    >>> import hsr
    >>> from hsr.plots import new_figure
    >>> layout = hsr.load_layout("four_rooms")
    >>> ax = new_figure(3.0, 3.0).subplots()
    >>> len(draw_marks(ax, layout, [layout.start], ["S"], color="black"))
    1
    """
    cells = [layout.cell_of(int(state)) for state in states]
    return [
        ax.text(
            column,
            row,
            word,
            ha="center",
            va="center",
            fontsize=7,
            fontweight="bold",
            color=color,
            path_effects=[withStroke(linewidth=2.0, foreground="white")],
        )
        for (row, column), word in zip(cells, words, strict=True)
    ]


def draw_matrix(ax: Axes, M: FloatArray, room_of: IntArray, *, least: float = 1e-3) -> AxesImage:
    """Draw a predictive map on a log scale, with states sorted by room.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    M : array of shape (S, S)
        The entries of the map.
    room_of : int array of shape (S,)
        Room of each state, -1 for states of no room. They come last.
    least : float
        Entries below are drawn in the first colour.

    Returns
    -------
    matplotlib AxesImage

    Examples
    --------
    >>> import numpy as np
    >>> from hsr.plots import new_figure
    >>> ax = new_figure(3.0, 3.0).subplots()
    >>> image = draw_matrix(ax, np.eye(4), np.array([0, 0, 1, -1]))
    """
    label = np.where(room_of < 0, room_of.max() + 1, room_of)
    order = np.argsort(label, kind="stable")
    picture = np.maximum(M[np.ix_(order, order)], least)
    image = ax.imshow(
        picture, cmap="viridis", norm=LogNorm(least, picture.max()), interpolation="nearest"
    )
    for cut in np.flatnonzero(np.diff(label[order])) + 0.5:
        ax.axhline(cut, color="#bbbbbb", linestyle="--", linewidth=0.6)
        ax.axvline(cut, color="#bbbbbb", linestyle="--", linewidth=0.6)
    ax.set_xticks([])
    ax.set_yticks([])
    return image


def draw_embedding(ax: Axes, points: FloatArray, room_of: IntArray) -> list[PathCollection]:
    """Draw one point per state, coloured by room. States of no room are black stars.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    points : array of shape (S, 2)
        Position of each state, such as an embedding of the rows of a map.
    room_of : int array of shape (S,)
        Room of each state, -1 for states of no room.

    Returns
    -------
    list of matplotlib PathCollection
        One per room.

    Examples
    --------
    >>> import numpy as np
    >>> from hsr.plots import new_figure
    >>> ax = new_figure(3.0, 3.0).subplots()
    >>> len(draw_embedding(ax, np.eye(3, 2), np.array([0, 0, -1])))
    2
    """
    drawn = []
    for room in np.unique(room_of):
        chosen = room_of == room
        look: dict[str, Any] = {"s": 9, "color": ROOM_COLORS[room % len(ROOM_COLORS)]}
        if room < 0:
            look = {"s": 36, "color": DOOR_COLOR, "marker": "*", "zorder": 3}
        drawn.append(ax.scatter(points[chosen, 0], points[chosen, 1], **look))
    ax.set_xticks([])
    ax.set_yticks([])
    return drawn
