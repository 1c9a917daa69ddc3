"""The walk from bin to bin that a recording holds, with bins filled in where a move skips them."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from hsr._base.arrays import BoolArray, IntArray
from hsr.adapters.positions.bins import Bins
from hsr.adapters.positions.moves import Passages, action_of, seen_passages


@dataclass(frozen=True)
class Walk:
    """A walk from bin to bin, in pieces.

    Attributes
    ----------
    bins : int array of shape (n,)
        The bin at each step.
    begins : bool array of shape (n,)
        Whether a new piece begins here.
    frame : int array of shape (n,)
        The frame of each step, -1 for bins that were filled in.
    moves : int array of shape (B, A)
        The open passages.
    filled, not_filled : int
        As in `PositionsReport`.
    """

    bins: IntArray
    begins: BoolArray
    frame: IntArray
    moves: IntArray
    filled: int
    not_filled: int


def walk_of(
    at: IntArray, begins: BoolArray, frames: IntArray, bins: Bins, *, trust: bool, fill: bool
) -> Walk:
    """Return the walk of the bins that were seen.

    Parameters
    ----------
    at : int array of shape (n,)
        The bin of each kept frame.
    begins : bool array of shape (n,)
        Whether a new piece begins at the frame.
    frames : int array of shape (n,)
        The kept frames.
    bins : Bins
        All bins, with moves that cross walls removed.
    trust : bool
        Whether all neighbours are connected, because the walls are known. Otherwise only those are
        between which the animal was seen to move.
    fill : bool
        Whether moves over bins are filled in. They split the path otherwise.
    """
    before = np.roll(at, 1)
    changed = np.flatnonzero(~begins & (at != before))
    known = bins.moves if trust else seen_passages(bins.moves, before[changed], at[changed])
    over = changed[action_of(known, before[changed], at[changed]) < 0]
    passages = Passages(known, bins.centres / bins.pitch)
    ways = [passages.way(int(before[i]), int(at[i])) if fill else () for i in over]
    unknown = np.array([not way for way in ways], dtype=bool)
    begins = begins.copy()
    begins[over[unknown]] = True
    extra = np.zeros(at.size, dtype=np.int64)
    extra[over] = [max(0, len(way) - 1) for way in ways]
    place = np.arange(at.size) + np.cumsum(extra)
    size = at.size + int(extra.sum())
    walked, frame = np.empty(size, dtype=np.int64), np.full(size, -1, dtype=np.int64)
    starts = np.zeros(size, dtype=bool)
    walked[place], frame[place], starts[place] = at, frames, begins
    for i, way in zip(over, ways, strict=True):
        walked[place[i] - extra[i] : place[i]] = way[:-1]
    return Walk(walked, starts, frame, known, int(len(ways) - unknown.sum()), int(unknown.sum()))


def kept_bins(walk: Walk, *, everything: bool, connected: bool) -> BoolArray:
    """Return which bins are states, of shape (B,).

    Parameters
    ----------
    walk : Walk
        The walk.
    everything : bool
        Whether all bins are, visited or not.
    connected : bool
        Whether only the largest connected part of the visited bins is. Parts are compared by the
        number of their steps.
    """
    n_bins = walk.moves.shape[0]
    visits = np.bincount(walk.bins, minlength=n_bins)
    visited = visits > 0
    if everything:
        return np.ones(n_bins, dtype=bool)
    if not connected:
        return visited
    begin, action = np.nonzero((walk.moves >= 0) & visited[:, None])
    end = walk.moves[begin, action]
    passages = (np.ones(visited[end].sum()), (begin[visited[end]], end[visited[end]]))
    graph = sparse.csr_array(passages, shape=(n_bins, n_bins))
    part = connected_components(graph, directed=False)[1]
    return visited & (part == np.bincount(part, weights=visits).argmax())
