"""Divide an arena into bins, and find which bins are neighbours."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import QhullError, Voronoi, cKDTree

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.validation import check_array, check_count, check_number, is_list
from hsr.grids.layout import ACTION_NAMES, GridLayout

SHAPES = ("square", "hexagonal")
_DEFAULT_NUMBER = 20
_MOST = 1e9  # bins along a side
_ALWAYS = 10_000  # bins that are never too many for the frames
_SQUARE = {"+x": (1, 0), "+y": (0, 1), "-x": (-1, 0), "-y": (0, -1)}
_HEXAGON = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))  # 0, 60, ..., 300 degrees
_FARTHEST = 2.0**31  # hexagons from the origin; what is further away lies outside
_FAR = 2.0  # usual distances between centres at which a position may belong to none of them


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
    pitch : float array of shape (2,)
        Distance between neighbouring bins along x and along y.
    edges : tuple of two float arrays, or None
        Edges along x and y of square bins and of layouts.
    """

    kind: str
    centres: FloatArray
    labels: tuple[Hashable, ...]
    moves: IntArray
    actions: tuple[str, ...]
    locate: Callable[[FloatArray], IntArray]
    pitch: FloatArray
    edges: tuple[FloatArray, FloatArray] | None = None

    @property
    def spacing(self) -> float:
        """The longer of the two distances between neighbouring bins."""
        return float(np.max(self.pitch))


def make_bins(asked: Mapping[str, Any], shape: str, box: FloatArray | None, xy: FloatArray) -> Bins:
    """Return the bins that a caller asked for.

    Parameters
    ----------
    asked : mapping
        "n_bins", "bin_size", "edges", "centres" and "layout" of `from_positions`. At most one of
        them is not None.
    shape : {"square", "hexagonal"}
        The shape of bins given by their number or size.
    box : float array of shape (2, 2), or None
        Low and high along x, then along y.
    xy : float array of shape (n, 2)
        Positions that show how large the arena is, where no box is given.
    """
    given = [name for name, value in asked.items() if value is not None]
    if len(given) > 1:
        raise InputError(f"{' and '.join(given)} cannot both be given; each of them makes the bins")
    how = given[0] if given else "n_bins"
    value: Any = asked[how] if given else _DEFAULT_NUMBER
    if shape == "hexagonal" and how not in ("n_bins", "bin_size"):
        raise InputError(
            f'bin_shape="hexagonal" needs n_bins or bin_size; bins of {how} have their own shapes'
        )
    if how == "layout":
        if not isinstance(value, GridLayout):
            raise InputError(
                f"layout is {short_repr(value)}; it must be a GridLayout, such as "
                "hsr.load_layout gives"
            )
        return layout_bins(value, _layout_box(value, xy) if box is None else box)
    if how == "centres":
        return centre_bins(check_array(value, (None, 2), "centres"))
    if how == "edges":
        edges = _read_edges(value)
        _check_frames([axis.size - 1 for axis in edges], xy, "edges hold")
        return square_bins(edges)
    box = _box_around(xy) if box is None else box
    if how == "n_bins" and shape == "square" and is_list(value):
        numbers = tuple(value)
        if len(numbers) != 2 or any(map(is_list, numbers)):
            raise InputError(
                f"n_bins is {short_repr(value)}; it must be a number, or one along x and y"
            )
        n_x, n_y = (check_count(number, "n_bins") for number in numbers)
        _check_frames([n_x, n_y], xy, f"n_bins is {short_repr(value)}, which makes")
        return square_bins(_even(box, (n_x, n_y)))
    size = _size(value, how, float((box[:, 1] - box[:, 0]).max()))
    n_x, n_y = (max(1, int(np.ceil(side / size - 1e-9))) for side in box[:, 1] - box[:, 0])
    _check_frames([n_x, n_y], xy, f"{how} is {short_repr(value)}, which makes")
    if shape == "hexagonal":
        return hexagonal_bins(size, box)
    reach = np.stack([box[:, 0], box[:, 0] + size * np.array([n_x, n_y])], axis=1)
    reach[:, 1] = np.maximum(reach[:, 1], box[:, 1])  # rounding must leave no position outside
    return square_bins(_even(reach, (n_x, n_y)))


def read_extent(extent: Any) -> FloatArray | None:
    """Return ((x low, x high), (y low, y high)), or None."""
    if extent is None:
        return None
    box = check_array(extent, (4,), "extent").reshape(2, 2)
    if not (box[:, 0] < box[:, 1]).all():
        raise InputError(
            f"extent is {short_repr(extent)}; it must be (x low, x high, y low, y high) in this "
            "order"
        )
    return box


def _box_around(xy: FloatArray) -> FloatArray:
    """Return the range of positions. A track along one axis gets a little width."""
    box = np.stack([xy.min(axis=0), xy.max(axis=0)], axis=1)
    sides = box[:, 1] - box[:, 0]
    if not sides.any():
        raise InputError(
            f"all positions are {box[:, 0].tolist()}; the animal must move, or extent must say "
            "how large the arena is"
        )
    margin = np.where(sides == 0.0, 1e-6 * sides.max(), 0.0)
    return box + np.outer(margin, [-1.0, 1.0])


def _layout_box(layout: GridLayout, xy: FloatArray) -> FloatArray:
    """Return where a layout lies whose cells have size 1, unless positions are much smaller."""
    size = np.array([layout.n_cols, layout.n_rows], dtype=np.float64)
    span = xy.max(axis=0) - xy.min(axis=0)
    if (span < size / 4.0).all() and size.min() > 2:
        raise InputError(
            f"positions span {span[0]:.4g} x {span[1]:.4g}, and the layout has {layout.n_cols} "
            f"x {layout.n_rows} cells of size 1; say where the layout lies with "
            "extent=(x low, x high, y low, y high)"
        )
    return np.stack([np.zeros(2), size], axis=1)


def _read_edges(edges: Any) -> tuple[FloatArray, FloatArray]:
    if len(edges) != 2:
        raise InputError(f"edges holds {len(edges)} arrays; it must hold those along x and along y")
    x, y = (check_array(axis, (None,), f"edges[{k}]") for k, axis in enumerate(edges))
    for k, axis in enumerate((x, y)):
        if axis.size < 2 or (np.diff(axis) <= 0).any():
            raise InputError(f"edges[{k}] must be at least two edges that increase")
    return x, y


def _size(value: Any, how: str, longest: float) -> float:
    """Return the side of a bin, given as a size or by the number along the longer side."""
    if how == "n_bins":
        return longest / check_count(value, "n_bins", least=2)
    size = check_number(value, "bin_size")
    if not 0.0 < size < longest or not longest / size < _MOST:
        raise InputError(
            f"bin_size is {short_repr(value)}, and the arena is {longest:.6g} long; the size "
            "must be "
            "positive and smaller than the arena"
        )
    return size


def _even(box: FloatArray, numbers: tuple[int, int]) -> tuple[FloatArray, FloatArray]:
    """Return evenly spaced edges along x and along y."""
    _check_number(*numbers)
    x, y = (
        np.linspace(side[0], side[1], number + 1) for side, number in zip(box, numbers, strict=True)
    )
    return x, y


def _check_frames(numbers: Sequence[int], xy: FloatArray, made: str) -> None:
    """Raise `InputError` if there are far more bins than frames, as with a wrong unit."""
    n_x, n_y = numbers
    if n_x * n_y > max(_ALWAYS, xy.shape[0]):
        low, high = xy.min(axis=0), xy.max(axis=0)
        raise InputError(
            f"{made} {n_x:,} x {n_y:,} bins for {xy.shape[0]:,} frames; positions reach from "
            f"({low[0]:.4g}, {low[1]:.4g}) to ({high[0]:.4g}, {high[1]:.4g}). Are these pixels, "
            "and bins in metres? Bins must be in the unit of xy, and fewer than frames"
        )


def _check_number(n_x: int, n_y: int) -> None:
    if n_x * n_y == 1:
        raise InputError("there is only 1 bin; there must be at least 2")


def square_bins(edges: tuple[FloatArray, FloatArray]) -> Bins:
    """Return the rectangles between edges along x and along y, with four neighbours each.

    Parameters
    ----------
    edges : tuple of two float arrays
        Increasing edges. At least one axis has three.
    """
    n_x, n_y = (axis.size - 1 for axis in edges)
    _check_number(n_x, n_y)
    i, j = (index.ravel() for index in np.indices((n_x, n_y)))
    number = np.full((n_x + 2, n_y + 2), -1)
    number[1:-1, 1:-1] = np.arange(n_x * n_y).reshape(n_x, n_y)
    moves = np.stack([number[i + 1 + di, j + 1 + dj] for di, dj in _SQUARE.values()], axis=1)
    labels = tuple(zip(i.tolist(), j.tolist(), strict=True))
    return _rectangles("square", edges, i, j, number, labels, moves, tuple(_SQUARE))


def layout_bins(layout: GridLayout, box: FloatArray) -> Bins:
    """Return the open cells of a layout. Its rows follow y, and its columns follow x.

    Parameters
    ----------
    layout : GridLayout
        The layout.
    box : float array of shape (2, 2)
        Where it lies: low and high along x, then along y.
    """
    edges = _even(box, (layout.n_cols, layout.n_rows))
    moves = np.array(layout.neighbours, dtype=np.int64)
    moves[moves == np.arange(layout.n_states)[:, None]] = -1
    number = np.full((layout.n_cols + 2, layout.n_rows + 2), -1)
    number[1:-1, 1:-1] = layout.state_grid.T
    labels = tuple(map(tuple, layout.cells.tolist()))
    j, i = layout.cells.T
    return _rectangles("layout", edges, i, j, number, labels, moves, ACTION_NAMES)


def _rectangles(
    kind: str,
    edges: tuple[FloatArray, FloatArray],
    i: IntArray,
    j: IntArray,
    number: IntArray,
    labels: tuple[Hashable, ...],
    moves: IntArray,
    actions: tuple[str, ...],
) -> Bins:
    """Return bins (i, j) between edges. `number` has their numbers, with a border of -1."""

    def locate(xy: FloatArray) -> IntArray:
        return number[_interval(edges[0], xy[:, 0]) + 1, _interval(edges[1], xy[:, 1]) + 1]

    x, y = ((axis[:-1] + axis[1:]) / 2.0 for axis in edges)
    sides = np.array([np.median(np.diff(axis)) for axis in edges])
    # An axis with one bin has no neighbours, so the other one counts for both.
    pitch = np.where([axis.size == 2 for axis in edges], sides[::-1], sides)
    centres = np.stack([x[i], y[j]], axis=1)
    return Bins(kind, centres, labels, moves, actions, locate, pitch, edges)


def _interval(edges: FloatArray, values: FloatArray) -> IntArray:
    """Return the interval of each value, -1 outside.

    As in `numpy.histogram`, the last interval has both of its edges, and the others their lower.
    """
    number = np.searchsorted(edges, values, side="right") - 1
    number = np.where(values == edges[-1], edges.size - 2, number)
    return np.where((values >= edges[0]) & (values <= edges[-1]), number, -1)


def hexagonal_bins(size: float, box: FloatArray) -> Bins:
    """Return hexagons with a corner upwards that cover a box. Their centres are `size` apart.

    Hexagon (q, r) lies in row r. Its centre is (size (q + r / 2), height r) from the lower left
    corner of the box, with height = size sqrt(3) / 2.

    Parameters
    ----------
    size : float
        Distance between neighbouring centres.
    box : float array of shape (2, 2)
        Low and high along x, then along y.
    """
    pitch = np.array([size, size * np.sqrt(3.0) / 2.0])
    origin = box[:, 0]
    columns, rows = (int(number) + 2 for number in np.ceil((box[:, 1] - origin) / pitch))
    _check_number(columns, rows)
    r, c = (index.ravel() for index in np.indices((rows, columns)))
    q = c - (r + 1) // 2  # odd rows begin half a hexagon further left
    shift = (rows + 1) // 2 + 1
    number = np.full((rows + 2, columns + shift + 2), -1)
    number[r + 1, q + shift] = np.arange(r.size)
    moves = np.stack([number[r + 1 + dr, q + dq + shift] for dq, dr in _HEXAGON], axis=1)

    def locate(xy: FloatArray) -> IntArray:
        at_q, at_r = _nearest((xy - origin) / pitch)
        row = np.clip(at_r + 1, 0, rows + 1)
        return number[row, np.clip(at_q + shift, 0, number.shape[1] - 1)]

    return Bins(
        "hexagonal",
        origin + pitch * np.stack([q + r / 2.0, r], axis=1),
        tuple(zip(q.tolist(), r.tolist(), strict=True)),
        moves,
        tuple(f"{angle} degrees" for angle in range(0, 360, 60)),
        locate,
        pitch,
    )


def _nearest(scaled: FloatArray) -> tuple[IntArray, IntArray]:
    """Return q and r of the nearest centre, by rounding three coordinates that sum to zero.

    The one that was rounded most is computed from the other two.
    """
    r = scaled[:, 1]
    q = scaled[:, 0] - r / 2.0
    three = np.stack([q, r, -q - r])
    rounded = np.rint(three)
    worst = np.abs(rounded - three).argmax(axis=0)
    at_q = np.where(worst == 0, -rounded[1] - rounded[2], rounded[0])
    at_r = np.where(worst == 1, -rounded[0] - rounded[2], rounded[1])
    at_q, at_r = (np.clip(at, -_FARTHEST, _FARTHEST).astype(np.int64) for at in (at_q, at_r))
    return at_q, at_r


def centre_bins(centres: FloatArray) -> Bins:
    """Return the regions that are nearest to each of some centres.

    Two bins are neighbours if their regions share a side. A position is in no bin if it is further
    from the nearest centre than that is from its neighbours, and than twice the usual distance
    between centres.

    Parameters
    ----------
    centres : array of shape (B, 2)
        The centres.
    """
    if centres.shape[0] < 2:
        raise InputError(f"centres holds {centres.shape[0]} places; there must be at least two")
    tree = cKDTree(centres)
    nearest = tree.query(centres, k=2)[0][:, 1]
    if not nearest.all():
        raise InputError(f"centres[{int(np.argmin(nearest))}] is there twice; centres must differ")
    spacing = float(np.median(nearest))
    pairs = _sharing_a_side(centres, _FAR * float(nearest.max()))
    moves = _by_angle(centres, pairs)
    reach = np.full(centres.shape[0], _FAR * spacing)
    apart = np.hypot(*(centres[pairs[:, 0]] - centres[pairs[:, 1]]).T)
    np.maximum.at(reach, pairs, apart[:, None])

    def locate(xy: FloatArray) -> IntArray:
        distance, place = tree.query(xy)
        return np.where(distance <= reach[place], place, -1)

    return Bins(
        "centres",
        centres,
        tuple(range(centres.shape[0])),
        moves,
        tuple(f"neighbour {k}" for k in range(moves.shape[1])),
        locate,
        np.array([spacing, spacing]),
    )


def _sharing_a_side(centres: FloatArray, farthest: float) -> IntArray:
    """Return the pairs of centres whose regions share a side, of shape (pairs, 2)."""
    try:
        regions = Voronoi(centres)
    except QhullError:  # all centres lie on one line
        along = centres - centres[0]
        order = np.argsort(along @ along[np.argmax(np.abs(along).sum(axis=1))])
        return np.stack([order[:-1], order[1:]], axis=1)
    pairs = regions.ridge_points
    ends = np.array(regions.ridge_vertices)
    sides = regions.vertices[ends[:, 0]] - regions.vertices[ends[:, 1]]
    # Regions on a square lattice touch at corners, where Qhull finds a side of no length.
    touches = (ends < 0).any(axis=1) | (np.hypot(*sides.T) > 1e-9 * farthest)
    close = np.hypot(*(centres[pairs[:, 0]] - centres[pairs[:, 1]]).T) <= farthest
    return pairs[touches & close]


def _by_angle(centres: FloatArray, pairs: IntArray) -> IntArray:
    """Return the neighbours of each centre by angle, anticlockwise from the right, then -1."""
    begin, end = np.concatenate([pairs, pairs[:, ::-1]]).T
    to = centres[end] - centres[begin]
    order = np.lexsort((np.arctan2(to[:, 1], to[:, 0]) % (2.0 * np.pi), begin))
    begin, end = begin[order], end[order]
    rank = np.arange(begin.size) - np.searchsorted(begin, begin)
    moves = np.full((centres.shape[0], int(rank.max()) + 1), -1)
    moves[begin, rank] = end
    return moves


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
        opposite = _side(first, last, begin) * _side(first, last, end) <= 0.0
        across = _side(begin, end, first) * _side(begin, end, last) <= 0.0
        crossed |= opposite & across & _near(begin, end, first, last)
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
