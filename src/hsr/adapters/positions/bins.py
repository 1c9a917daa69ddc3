"""Bins: how a plane is cut into places, and which places are neighbours."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import Delaunay, QhullError, cKDTree

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.memory import check_fits
from hsr._base.shown import shown
from hsr._base.validation import check_array, check_count, check_number
from hsr.grids.layout import ACTION_NAMES, GridLayout

DEFAULT_NUMBER = 20
SHAPES = ("square", "hexagonal")
_FAR = 2.0  # spacings from the nearest given centre at which a position belongs to no bin
_HEX_STEPS = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))  # 0, 60, ..., 300 degrees


@dataclass(frozen=True)
class Bins:
    """All bins of an arena, visited or not.

    Attributes
    ----------
    kind : {"square", "hexagonal", "centres", "layout"}
        How they were made.
    centres : float array of shape (B, 2)
        Centre of each bin.
    labels : tuple
        (i, j) of square and hexagonal bins, (row, column) of a layout, the number of a centre.
    moves : int array of shape (B, A)
        The neighbour that each action leads to, -1 where there is none.
    actions : tuple of str
        What the actions are called.
    locate : function of (n, 2) positions
        The bin of each position, -1 outside of all bins.
    spacing : float
        Distance between neighbouring centres.
    edges : tuple of two float arrays, or None
        Edges along x and y of square bins and of layouts.
    """

    kind: str
    centres: FloatArray
    labels: tuple[Hashable, ...]
    moves: IntArray
    actions: tuple[str, ...]
    locate: Callable[[FloatArray], IntArray]
    spacing: float
    edges: tuple[FloatArray, FloatArray] | None = None


def make_bins(bins: Any, shape: str, layout: Any, extent: Any, xy: FloatArray) -> Bins:
    """Return the bins that a caller asked for.

    Parameters
    ----------
    bins, shape, layout, extent : Any
        As `from_positions` takes them.
    xy : float array of shape (F, 2)
        The positions, for the extent of the arena where none is given.
    """
    box = _read_extent(extent)
    if layout is not None:
        if not isinstance(layout, GridLayout):
            raise InputError(
                f"layout is {shown(layout)}; it must be a GridLayout, such as hsr.load_layout gives"
            )
        if bins is not None:
            raise InputError("bins and layout cannot both be given; cells of the layout are bins")
        return _layout_bins(layout, box, xy)
    if isinstance(bins, np.ndarray) and bins.ndim == 2:
        return _centre_bins(bins)
    if box is None:
        box = np.stack([np.nanmin(xy, axis=0), np.nanmax(xy, axis=0)], axis=1)
        if shape == "square" and not (box[:, 0] < box[:, 1]).all() and not _are_edges(bins):
            box = _widened(box)
    if shape == "hexagonal":
        return _hexagonal_bins(_size(bins, box), box)
    return _square_bins(_edges(bins, box))


def _read_extent(extent: Any) -> FloatArray | None:
    """Return ((x low, x high), (y low, y high)), or None."""
    if extent is None:
        return None
    box = check_array(extent, (4,), "extent").reshape(2, 2)
    if not (box[:, 0] < box[:, 1]).all():
        raise InputError(
            f"extent is {shown(extent)}; it must be (x low, x high, y low, y high) in this order"
        )
    return box


def _widened(box: FloatArray) -> FloatArray:
    """Return a box that is not flat: a track along one axis is one bin wide."""
    if (box[:, 0] == box[:, 1]).all():
        raise InputError(
            f"all positions are {box[:, 0].tolist()}; the animal must move, or extent must say "
            "how large the arena is"
        )
    flat = box[:, 0] == box[:, 1]
    half = 1e-6 * (box[:, 1] - box[:, 0]).max()
    return np.where(flat[:, None], box + np.array([-half, half]), box)


def _are_edges(bins: Any) -> bool:
    return isinstance(bins, (list, tuple)) and len(bins) == 2 and all(map(np.ndim, bins))


def _size(bins: Any, box: FloatArray) -> float:
    """Return the side of a bin, given as a size or by the number along the longer side."""
    longest = float((box[:, 1] - box[:, 0]).max())
    if bins is None:
        return longest / DEFAULT_NUMBER
    if isinstance(bins, (int, np.integer)) and not isinstance(bins, bool):
        return longest / check_count(int(bins), "bins", least=2)
    if isinstance(bins, (bool, str, bytes)) or np.ndim(bins):
        raise InputError(
            f"bins is {shown(bins)}; it must be a number of bins (an integer), the size of a bin "
            "(a float), two numbers of bins, two arrays of edges, or an array of centres (bins, 2)"
        )
    size = check_number(bins, "bins")
    if size <= 0.0:
        raise InputError(f"bins is {shown(bins)}; the size of a bin must be positive")
    if size >= longest:
        raise InputError(
            f"bins is {shown(bins)}, and the arena is {longest:.6g} long; bins must be smaller "
            "(an integer is a number of bins, a float is the size of one)"
        )
    return size


def _edges(bins: Any, box: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the edges of square bins along x and along y."""
    if _are_edges(bins):
        given = [check_array(edges, (None,), f"bins[{axis}]") for axis, edges in enumerate(bins)]
        for axis, edges in enumerate(given):
            if edges.size < 2 or (np.diff(edges) <= 0).any():
                raise InputError(f"bins[{axis}] must be at least two edges that increase")
        return given[0], given[1]
    if isinstance(bins, (list, tuple)) and len(bins) == 2:
        numbers = [check_count(number, f"bins[{axis}]") for axis, number in enumerate(bins)]
        if numbers == [1, 1]:
            raise InputError("bins is (1, 1); one bin is no world")
        return _even(box[0], numbers[0]), _even(box[1], numbers[1])
    size = _size(bins, box)
    sides = box[:, 1] - box[:, 0]
    numbers = [max(1, int(np.ceil(side / size - 1e-9))) for side in sides]
    check_fits(100 * numbers[0] * numbers[1], f"{numbers[0]} x {numbers[1]} bins", "larger bins")
    x, y = (low + size * np.arange(n + 1) for low, n in zip(box[:, 0], numbers, strict=True))
    return x, y


def _even(side: FloatArray, number: int) -> FloatArray:
    return np.linspace(side[0], side[1], number + 1)


def _square_bins(edges: tuple[FloatArray, FloatArray]) -> Bins:
    n_x, n_y = (axis.size - 1 for axis in edges)
    middles = [(axis[:-1] + axis[1:]) / 2.0 for axis in edges]
    i, j = (index.ravel() for index in np.indices((n_x, n_y)))
    number = np.full((n_x + 2, n_y + 2), -1)
    number[1:-1, 1:-1] = np.arange(n_x * n_y).reshape(n_x, n_y)
    steps = ((1, 0), (0, 1), (-1, 0), (0, -1))
    moves = np.stack([number[i + 1 + di, j + 1 + dj] for di, dj in steps], axis=1)

    def locate(xy: FloatArray) -> IntArray:
        columns = [_interval(axis, xy[:, k]) for k, axis in enumerate(edges)]
        return np.where((columns[0] < 0) | (columns[1] < 0), -1, columns[0] * n_y + columns[1])

    return Bins(
        "square",
        np.stack([middles[0][i], middles[1][j]], axis=1),
        tuple(zip(i.tolist(), j.tolist(), strict=True)),
        moves,
        ("+x", "+y", "-x", "-y"),
        locate,
        float(max(np.median(np.diff(axis)) for axis in edges if axis.size > 2)),
        edges,
    )


def _interval(edges: FloatArray, values: FloatArray) -> IntArray:
    """Return the interval of each value, as `numpy.histogram` does: the last one has both edges."""
    number = np.searchsorted(edges, values, side="right") - 1
    number = np.where(values == edges[-1], edges.size - 2, number)
    return np.where((values >= edges[0]) & (values <= edges[-1]), number, -1)


def _layout_bins(layout: GridLayout, box: FloatArray | None, xy: FloatArray) -> Bins:
    if box is None:
        box = np.array([[0.0, layout.n_cols], [0.0, layout.n_rows]])
        span = np.nanmax(xy, axis=0) - np.nanmin(xy, axis=0)
        if (span < (box[:, 1] - box[:, 0]) / 4).all() and min(layout.n_rows, layout.n_cols) > 2:
            raise InputError(
                f"positions span {span[0]:.4g} x {span[1]:.4g}, and the layout has {layout.n_cols} "
                f"x {layout.n_rows} cells of size 1; say where the layout lies with "
                "extent=(x low, x high, y low, y high)"
            )
    edges = (_even(box[0], layout.n_cols), _even(box[1], layout.n_rows))
    rows, columns = layout.cells[:, 0], layout.cells[:, 1]
    middles = [(axis[:-1] + axis[1:]) / 2.0 for axis in edges]
    moves = np.array(layout.neighbours, dtype=np.int64)
    moves[moves == np.arange(layout.n_states)[:, None]] = -1

    def locate(xy: FloatArray) -> IntArray:
        column, row = _interval(edges[0], xy[:, 0]), _interval(edges[1], xy[:, 1])
        state = layout.state_grid[row, column].astype(np.int64)
        return np.where((row < 0) | (column < 0), -1, state)

    return Bins(
        "layout",
        np.stack([middles[0][columns], middles[1][rows]], axis=1),
        tuple(map(tuple, layout.cells.tolist())),
        moves,
        ACTION_NAMES,
        locate,
        float(max(np.diff(axis)[0] for axis in edges)),
        edges,
    )


def _hexagonal_bins(size: float, box: FloatArray) -> Bins:
    """Return hexagons with a corner upwards. Their centres are `size` apart."""
    height = size * np.sqrt(3.0) / 2.0
    origin = box[:, 0]
    columns = int(np.ceil((box[0, 1] - box[0, 0]) / size)) + 1
    rows = int(np.ceil((box[1, 1] - box[1, 0]) / height)) + 1
    check_fits(100 * rows * columns, f"{columns} x {rows} bins", "larger bins")
    r, c = (index.ravel() for index in np.indices((rows, columns)))
    q = c - r // 2  # the second axis of a hexagonal lattice leans to the right
    number = np.full((rows + 2, columns + rows // 2 + 3), -1)
    shift = rows // 2 + 1
    number[r + 1, q + shift] = np.arange(r.size)
    moves = np.stack([number[r + 1 + dr, q + dq + shift] for dq, dr in _HEX_STEPS], axis=1)
    centres = origin + np.stack([size * (q + r / 2.0), height * r], axis=1)

    def locate(xy: FloatArray) -> IntArray:
        nearest_r, nearest_q = _nearest_hexagon((xy - origin) / np.array([size, height]))
        inside = (nearest_r >= 0) & (nearest_r < rows)
        place = np.where(inside, nearest_q + shift, 0)
        inside &= (place >= 0) & (place < number.shape[1])
        found = number[np.where(inside, nearest_r + 1, 0), np.where(inside, place, 0)]
        return np.where(inside, found, -1)

    return Bins(
        "hexagonal",
        centres,
        tuple(zip(q.tolist(), r.tolist(), strict=True)),
        moves,
        tuple(f"{angle} degrees" for angle in range(0, 360, 60)),
        locate,
        size,
    )


def _nearest_hexagon(scaled: FloatArray) -> tuple[IntArray, IntArray]:
    """Return row and column of the nearest centre, by rounding in three axes that sum to zero.

    The axis that was rounded most is computed from the other two.
    """
    r = scaled[:, 1]
    q = scaled[:, 0] - r / 2.0
    axes = np.stack([q, r, -q - r])
    rounded = np.rint(axes)
    off = np.abs(rounded - axes)
    worst = off.argmax(axis=0)
    rounded_q = np.where(worst == 0, -rounded[1] - rounded[2], rounded[0])
    rounded_r = np.where(worst == 1, -rounded[0] - rounded[2], rounded[1])
    return rounded_r.astype(np.int64), rounded_q.astype(np.int64)


def _centre_bins(given: Any) -> Bins:
    centres = check_array(given, (None, 2), "bins")
    if centres.shape[0] < 2:
        raise InputError(f"bins holds {centres.shape[0]} centres; there must be at least two")
    tree = cKDTree(centres)
    nearest = tree.query(centres, k=2)[0][:, 1]
    if not nearest.all():
        raise InputError(f"bins[{int(np.argmin(nearest))}] is there twice; centres must differ")
    spacing = float(np.median(nearest))
    neighbours = _neighbours(centres, _FAR * max(spacing, float(nearest.max())))
    most = max(map(len, neighbours))
    moves = np.full((centres.shape[0], most), -1)
    for place, near in enumerate(neighbours):
        moves[place, : len(near)] = near

    def locate(xy: FloatArray) -> IntArray:
        distance, place = tree.query(xy)
        return np.where(distance <= _FAR * spacing, place, -1)

    return Bins(
        "centres",
        centres,
        tuple(range(centres.shape[0])),
        moves,
        tuple(f"neighbour {k}" for k in range(most)),
        locate,
        spacing,
    )


def _neighbours(centres: FloatArray, farthest: float) -> list[list[int]]:
    """Return the neighbours of each centre, by angle: those whose nearest regions touch."""
    try:
        indptr, indices = Delaunay(centres).vertex_neighbor_vertices
        pairs = [indices[indptr[place] : indptr[place + 1]] for place in range(len(centres))]
    except QhullError:  # all on one line
        along = centres - centres[0]
        order = np.argsort(along @ along[np.argmax(np.abs(along).sum(axis=1))])
        place_of = np.argsort(order)
        pairs = [
            order[[k for k in (place_of[place] - 1, place_of[place] + 1) if 0 <= k < len(order)]]
            for place in range(len(centres))
        ]
    found = []
    for place, near in enumerate(pairs):
        to = centres[near] - centres[place]
        close = np.hypot(*to.T) <= farthest
        angle = np.arctan2(to[:, 1], to[:, 0]) % (2.0 * np.pi)
        order = np.argsort(angle)
        found.append(near[order[close[order]]].tolist())
    return found
