"""Distances in moves, and places spread over a world."""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import shortest_path

from hsr._base.arrays import FloatArray, IntArray


def distances(neighbours: IntArray) -> FloatArray:
    """Return the number of moves between all states; the number of states if there is no way."""
    s, k = np.nonzero(neighbours >= 0)
    n = neighbours.shape[0]
    graph = sparse.csr_array((np.ones(s.size), (s, neighbours[s, k])), shape=(n, n))
    distance: FloatArray = shortest_path(graph, unweighted=True)
    return np.where(np.isfinite(distance), distance, float(n))


def spread_places(neighbours: IntArray, most: int) -> IntArray:
    """Return at most so many states, as far from each other as possible, in their order.

    Each place is the state that is farthest from those before it. The first is the state that is
    farthest from state 0. Of equally far states the first counts.
    """
    n = neighbours.shape[0]
    if n <= most:
        return np.arange(n)
    distance = distances(neighbours)
    chosen = [int(distance[0].argmax())]
    nearest = distance[:, chosen[0]].copy()
    while len(chosen) < most:
        chosen.append(int(nearest.argmax()))
        np.minimum(nearest, distance[:, chosen[-1]], out=nearest)
    return np.sort(np.array(chosen))
