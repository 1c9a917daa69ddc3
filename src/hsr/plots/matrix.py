"""Predictive maps: as a matrix with states grouped by room, and as points in the plane."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.colors import LogNorm
from matplotlib.image import AxesImage

from hsr._base.arrays import FloatArray, IntArray

ROOM_COLORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442")
DOOR_COLOR = "#000000"


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
