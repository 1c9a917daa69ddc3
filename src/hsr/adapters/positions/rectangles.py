"""Rectangles as bins: squares of an arena, and the cells of a layout."""

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.memory import check_fits
from hsr.adapters.positions.bins import Bins
from hsr.grids.layout import ACTION_NAMES, GridLayout

_STEPS = {"+x": (1, 0), "+y": (0, 1), "-x": (-1, 0), "-y": (0, -1)}
_BYTES = 250  # of one bin, most of them for its label


def even_edges(side: FloatArray, number: int) -> FloatArray:
    """Return the edges of bins of equal size between two ends."""
    check_fits(8 * number, f"the edges of {number:,} bins", "use larger bins")
    return np.linspace(side[0], side[1], number + 1)


def square_bins(edges: tuple[FloatArray, FloatArray]) -> Bins:
    """Return the rectangles between edges along x and along y, with four neighbours each.

    Parameters
    ----------
    edges : tuple of two float arrays
        Increasing edges. At least one axis has three.
    """
    n_x, n_y = (axis.size - 1 for axis in edges)
    check_fits(_BYTES * n_x * n_y, f"{n_x:,} x {n_y:,} bins", "use larger bins")
    i, j = (index.ravel() for index in np.indices((n_x, n_y)))
    number = np.full((n_x + 2, n_y + 2), -1)
    number[1:-1, 1:-1] = np.arange(n_x * n_y).reshape(n_x, n_y)
    moves = np.stack([number[i + 1 + di, j + 1 + dj] for di, dj in _STEPS.values()], axis=1)

    def locate(xy: FloatArray) -> IntArray:
        return number[interval(edges[0], xy[:, 0]) + 1, interval(edges[1], xy[:, 1]) + 1]

    return Bins(
        "square",
        _centres(edges, i, j),
        tuple(zip(i.tolist(), j.tolist(), strict=True)),
        moves,
        tuple(_STEPS),
        locate,
        _pitch(edges),
        edges,
    )


def layout_bins(layout: GridLayout, box: FloatArray) -> Bins:
    """Return the open cells of a layout. Its rows follow y, and its columns follow x.

    Parameters
    ----------
    layout : GridLayout
        The layout.
    box : float array of shape (2, 2)
        Where it lies: low and high along x, then along y.
    """
    edges = even_edges(box[0], layout.n_cols), even_edges(box[1], layout.n_rows)
    moves = np.array(layout.neighbours, dtype=np.int64)
    moves[moves == np.arange(layout.n_states)[:, None]] = -1
    number = np.full((layout.n_cols + 2, layout.n_rows + 2), -1)
    number[1:-1, 1:-1] = layout.state_grid.T

    def locate(xy: FloatArray) -> IntArray:
        return number[interval(edges[0], xy[:, 0]) + 1, interval(edges[1], xy[:, 1]) + 1]

    return Bins(
        "layout",
        _centres(edges, layout.cells[:, 1], layout.cells[:, 0]),
        tuple(map(tuple, layout.cells.tolist())),
        moves,
        ACTION_NAMES,
        locate,
        _pitch(edges),
        edges,
    )


def interval(edges: FloatArray, values: FloatArray) -> IntArray:
    """Return the interval of each value, -1 outside.

    As in `numpy.histogram`, the last interval has both of its edges, and the others their lower.
    """
    number = np.searchsorted(edges, values, side="right") - 1
    number = np.where(values == edges[-1], edges.size - 2, number)
    return np.where((values >= edges[0]) & (values <= edges[-1]), number, -1)


def _centres(edges: tuple[FloatArray, FloatArray], i: IntArray, j: IntArray) -> FloatArray:
    x, y = ((axis[:-1] + axis[1:]) / 2.0 for axis in edges)
    return np.stack([x[i], y[j]], axis=1)


def _pitch(edges: tuple[FloatArray, FloatArray]) -> FloatArray:
    """Return the usual distance between bins along x and y.

    An axis with one bin has no neighbours, so the other one counts for both.
    """
    sides = np.array([np.median(np.diff(axis)) for axis in edges])
    single = np.array([axis.size == 2 for axis in edges])
    return np.where(single, sides[::-1], sides)
