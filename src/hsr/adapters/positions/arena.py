"""Reads how a caller wants an arena to be cut into bins."""

from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.shown import shown
from hsr._base.validation import check_array, check_count, check_number
from hsr.adapters.positions.bins import Bins
from hsr.adapters.positions.centres import centre_bins
from hsr.adapters.positions.hexagons import hexagonal_bins
from hsr.adapters.positions.rectangles import even_edges, layout_bins, square_bins
from hsr.grids.layout import GridLayout

DEFAULT_NUMBER = 20
_MOST = 1e9  # bins along a side
SHAPES = ("square", "hexagonal")
_FORMS = (
    "it must be a number of bins (an integer), the size of a bin (a float), two numbers of bins, "
    "two arrays of edges, or an array of centres (bins, 2)"
)


def make_bins(bins: Any, shape: str, layout: Any, extent: Any, xy: FloatArray) -> Bins:
    """Return the bins that a caller asked for.

    Parameters
    ----------
    bins, shape, layout, extent : Any
        As `from_positions` takes them.
    xy : float array of shape (n, 2)
        Positions that show how large the arena is, where no extent is given.
    """
    box = _read_extent(extent)
    given = _are_edges(bins) or (isinstance(bins, np.ndarray) and bins.ndim == 2)
    if shape == "hexagonal" and (given or layout is not None):
        raise InputError(
            'bin_shape="hexagonal" is for bins given by their number or size; '
            "edges, centres and layouts have their own shapes"
        )
    if layout is not None:
        if not isinstance(layout, GridLayout):
            raise InputError(
                f"layout is {shown(layout)}; it must be a GridLayout, such as hsr.load_layout gives"
            )
        if bins is not None:
            raise InputError("bins and layout cannot both be given; cells of the layout are bins")
        return layout_bins(layout, _layout_box(layout, xy) if box is None else box)
    if isinstance(bins, np.ndarray) and bins.ndim == 2:
        return centre_bins(bins)
    if _are_edges(bins):
        return square_bins(_read_edges(bins))
    if box is None:
        box = _box_around(xy)
    if shape == "hexagonal":
        return hexagonal_bins(_size(bins, box), box)
    return square_bins(_even(bins, box))


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


def _are_edges(bins: Any) -> bool:
    return isinstance(bins, (list, tuple)) and len(bins) == 2 and all(map(np.ndim, bins))


def _read_edges(bins: Any) -> tuple[FloatArray, FloatArray]:
    x, y = (check_array(edges, (None,), f"bins[{axis}]") for axis, edges in enumerate(bins))
    for axis, edges in enumerate((x, y)):
        if edges.size < 2 or (np.diff(edges) <= 0).any():
            raise InputError(f"bins[{axis}] must be at least two edges that increase")
    if x.size == y.size == 2:
        raise InputError("bins holds the edges of one bin; one bin is no world")
    return x, y


def _size(bins: Any, box: FloatArray) -> float:
    """Return the side of a bin, given as a size or by the number along the longer side."""
    longest = float((box[:, 1] - box[:, 0]).max())
    if bins is None:
        return longest / DEFAULT_NUMBER
    if isinstance(bins, (int, np.integer)) and not isinstance(bins, bool):
        return longest / check_count(int(bins), "bins", least=2)
    if isinstance(bins, (bool, str, bytes)) or np.ndim(bins):
        raise InputError(f"bins is {shown(bins)}; {_FORMS}")
    size = check_number(bins, "bins")
    if size <= 0.0:
        raise InputError(f"bins is {shown(bins)}; the size of a bin must be positive")
    if size >= longest:
        raise InputError(
            f"bins is {shown(bins)}, and the arena is {longest:.6g} long; bins must be smaller "
            "(an integer is a number of bins, a float is the size of one)"
        )
    if not longest / size < _MOST:
        raise InputError(
            f"bins is {shown(bins)}, and the arena is {longest:.6g} long; bins must be larger"
        )
    return size


def _even(bins: Any, box: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return evenly spaced edges along x and along y, which cover the box."""
    if isinstance(bins, (list, tuple)) and len(bins) == 2:
        n_x, n_y = (check_count(number, f"bins[{axis}]") for axis, number in enumerate(bins))
        if n_x == n_y == 1:
            raise InputError("bins is (1, 1); one bin is no world")
        return even_edges(box[0], n_x), even_edges(box[1], n_y)
    size = _size(bins, box)
    x, y = (_edges_of(side, size) for side in box)
    return x, y


def _edges_of(side: FloatArray, size: float) -> FloatArray:
    number = max(1, int(np.ceil((side[1] - side[0]) / size - 1e-9)))
    edges = even_edges(np.array([side[0], side[0] + number * size]), number)
    edges[-1] = max(edges[-1], side[1])  # rounding must leave no position outside
    return edges
