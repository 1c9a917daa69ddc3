"""Thin walls between bins: segments that no move may cross."""

from typing import Any

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray
from hsr._base.errors import InputError
from hsr._base.validation import check_array


def read_walls(walls: Any) -> FloatArray:
    """Return walls as segments, of shape (W, 2, 2): two ends with x and y each."""
    if walls is None:
        return np.zeros((0, 2, 2))
    segments = check_array(walls, (None, 2, 2), "walls")
    short = np.flatnonzero((segments[:, 0] == segments[:, 1]).all(axis=1))
    if short.size:
        raise InputError(
            f"walls[{short[0]}] begins and ends at {segments[short[0], 0].tolist()}; "
            "a wall is a segment between two points"
        )
    return segments


def crosses_wall(begin: FloatArray, end: FloatArray, walls: FloatArray) -> BoolArray:
    """Return which moves cross a wall or touch one, for moves along straight lines.

    Two segments meet if the ends of each lie on different sides of the other. Sides are signs of
    cross products.

    Parameters
    ----------
    begin, end : float arrays of shape (n, 2)
        Where the moves begin and end.
    walls : float array of shape (W, 2, 2)
        The walls.

    Examples
    --------
    >>> import numpy as np
    >>> wall = np.array([[[0.5, -1.0], [0.5, 1.0]]])
    >>> crosses_wall(np.zeros((2, 2)), np.array([[1.0, 0.0], [0.0, 1.0]]), wall)
    array([ True, False])
    """
    crossed = np.zeros(begin.shape[0], dtype=bool)
    for first, last in walls:
        beside = _side(first, last, begin) * _side(first, last, end) <= 0.0
        across = _side(begin, end, first) * _side(begin, end, last) <= 0.0
        crossed |= beside & across & _near(begin, end, first, last)
    return crossed


def _side(first: FloatArray, last: FloatArray, point: FloatArray) -> FloatArray:
    """Return the cross product that tells on which side of a line a point lies."""
    along, to = last - first, point - first
    return along[..., 0] * to[..., 1] - along[..., 1] * to[..., 0]


def _near(begin: FloatArray, end: FloatArray, first: FloatArray, last: FloatArray) -> BoolArray:
    """Return whether the boxes around two segments meet, which parallel ones need not do."""
    low, high = np.minimum(begin, end), np.maximum(begin, end)
    meets: BoolArray = (low <= np.maximum(first, last)) & (high >= np.minimum(first, last))
    return np.logical_and(meets[..., 0], meets[..., 1])
