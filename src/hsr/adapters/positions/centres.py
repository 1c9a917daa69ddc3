"""Given centres as bins: a position belongs to the nearest one."""

import numpy as np
from scipy.spatial import QhullError, Voronoi, cKDTree

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.validation import check_array
from hsr.adapters.positions.bins import Bins

_FAR = 2.0  # usual distances between centres at which a position may belong to none of them


def centre_bins(given: np.ndarray) -> Bins:
    """Return the regions that are nearest to each of some centres.

    Two bins are neighbours if their regions share a side. A position is in no bin if it is further
    from the nearest centre than that is from its neighbours, and than twice the usual distance
    between centres.

    Parameters
    ----------
    given : array of shape (B, 2)
        The centres.
    """
    centres = check_array(given, (None, 2), "bins")
    if centres.shape[0] < 2:
        raise InputError(f"bins holds {centres.shape[0]} centres; there must be at least two")
    tree = cKDTree(centres)
    nearest = tree.query(centres, k=2)[0][:, 1]
    if not nearest.all():
        raise InputError(f"bins[{int(np.argmin(nearest))}] is there twice; centres must differ")
    spacing = float(np.median(nearest))
    pairs = _neighbours(centres, _FAR * float(nearest.max()))
    moves = _moves(centres, pairs)
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


def _neighbours(centres: FloatArray, farthest: float) -> IntArray:
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
    touches = (ends < 0).any(axis=1) | (np.hypot(*sides.T) > 1e-9 * farthest)
    close = np.hypot(*(centres[pairs[:, 0]] - centres[pairs[:, 1]]).T) <= farthest
    return pairs[touches & close]


def _moves(centres: FloatArray, pairs: IntArray) -> IntArray:
    """Return the neighbours of each centre by angle, anticlockwise from the right, then -1."""
    begin, end = np.concatenate([pairs, pairs[:, ::-1]]).T
    to = centres[end] - centres[begin]
    order = np.lexsort((np.arctan2(to[:, 1], to[:, 0]) % (2.0 * np.pi), begin))
    begin, end = begin[order], end[order]
    rank = np.arange(begin.size) - np.searchsorted(begin, begin)
    moves = np.full((centres.shape[0], int(rank.max()) + 1), -1)
    moves[begin, rank] = end
    return moves
