"""Walls around layouts, for simulators in which an agent could otherwise leave the grid."""

import numpy as np

from hsr._base.arrays import BoolArray


def enclosed(walls: BoolArray) -> tuple[BoolArray, int]:
    """Return a grid with walls along its border, and the width of the margin that was added.

    Parameters
    ----------
    walls : bool array of shape (rows, cols)
        True at walls. A grid that has walls along its whole border is returned as it is.

    Returns
    -------
    walls : bool array of shape (rows + 2 margin, cols + 2 margin)
        The grid.
    margin : int
        0 or 1.

    Examples
    --------
    >>> enclosed(np.zeros((1, 2), dtype=bool))[0].astype(int)
    array([[1, 1, 1, 1],
           [1, 0, 0, 1],
           [1, 1, 1, 1]])
    """
    if walls[[0, -1]].all() and walls[:, [0, -1]].all():
        return walls, 0
    return np.pad(walls, 1, constant_values=True), 1
