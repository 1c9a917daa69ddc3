"""Distances between states by breadth-first search, and the diameter of a layout."""

import numpy as np

from hsr._base.arrays import Int32Array, IntArray
from hsr.kernels.graph import breadth_first, breadth_first_into

_MIDDLES_TRIED = 9


def distances_from(neighbours: Int32Array, state: int) -> Int32Array:
    """Return the number of steps from `state` to every state, of shape (S,).

    It is -1 where there is no path.

    Examples
    --------
    >>> distances_from(np.array([[1, 0], [2, 0], [2, 1], [3, 3]], dtype=np.int32), 0).tolist()
    [0, 1, 2, -1]
    """
    return breadth_first(*_edges(neighbours), int(state))


def diameter(neighbours: Int32Array, parts: tuple[IntArray, ...]) -> int:
    """Return the largest distance between two states of one component; moves must be reversible.

    A search from every state would take O(S^2) time in all. The fringe bound [crescenzi2013] is
    just as exact and often far cheaper. Search from a state u in the middle. Two states at most i
    steps from u are at most 2i steps apart. So go through the states from the farthest to the
    nearest, search from each, and stop when the largest distance found is at least 2i. Open grids
    and trees need a handful of searches. On a ring the bound is never reached, and most states are
    tried.

    Parameters
    ----------
    neighbours : int array of shape (S, A)
        The state that each action leads to.
    parts : tuple of int arrays
        The states of each connected component.

    Examples
    --------
    >>> diameter(np.array([[1, 0], [2, 0], [2, 1]], dtype=np.int32), (np.array([0, 1, 2]),))
    2
    """
    search = _Search(neighbours)
    largest = 0
    for part in sorted(parts, key=len, reverse=True):
        if len(part) - 1 <= largest:
            break
        largest = max(largest, _part_diameter(search, int(part[0])))
    return largest


def _edges(neighbours: Int32Array) -> tuple[IntArray, Int32Array]:
    """Return a successor table as the index arrays of a compressed sparse row matrix."""
    return np.arange(0, neighbours.size + 1, neighbours.shape[1]), neighbours.ravel()


def _part_diameter(search: "_Search", state: int) -> int:
    one_end = search.order_from(state)[-1]
    part = search.order_from(one_end).copy()
    from_one_end = search.distances[part]
    other_end, largest = part[-1], int(from_one_end[-1])
    search.order_from(other_end)
    halfway = np.sort(
        part[(from_one_end == largest // 2) & (search.distances[part] == largest - largest // 2)]
    )
    tried = halfway[np.linspace(0, halfway.size - 1, min(halfway.size, _MIDDLES_TRIED)).astype(int)]
    middle = min(tried.tolist(), key=search.eccentricity)
    fringe = search.order_from(middle).copy()
    levels = search.distances[fringe]
    for candidate, level in zip(fringe[::-1].tolist(), levels[::-1].tolist(), strict=True):
        if largest >= 2 * level:
            break
        largest = max(largest, search.eccentricity(candidate))
    return largest


class _Search:
    """One pair of work arrays for many searches. Each search undoes the one before."""

    def __init__(self, neighbours: Int32Array) -> None:
        self._edges = _edges(neighbours)
        self.distances = np.full(len(neighbours), -1, dtype=np.int32)
        self._queue = np.empty(len(neighbours), dtype=np.int32)
        self._reached = 0

    def order_from(self, state: int) -> Int32Array:
        """Return the reachable states, nearest first. They are valid until the next search."""
        self.distances[self._queue[: self._reached]] = -1
        self._reached = breadth_first_into(*self._edges, int(state), self.distances, self._queue)
        return self._queue[: self._reached]

    def eccentricity(self, state: int) -> int:
        """Return the distance to the farthest state."""
        return int(self.distances[self.order_from(state)[-1]])
