"""Predictive maps as pictures: the matrix with its states grouped by room, and its rows as points
in the plane.
"""

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
    """Draw a map of shape (S, S) on a log scale from `least` up, states sorted by room, states of
    no room last.
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
    """Draw one point per state, of shape (S, 2), coloured by room; states of no room are black
    stars.
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
