"""How much a state stands out in the graph of states, and where it does most.

`betweenness_of` and `diffusion_of` give every state a height. `peaks` finds the states that are
higher than their neighbours, and `medoids` those in the middle of groups of similar rows.
"""

import numpy as np
from scipy import sparse

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.seeds import Seed, generator_from
from hsr._base.threads import one_thread
from hsr.kernels.graph import betweenness
from hsr.mdp.finite import FiniteMDP

_BLOCK = 512  # rows of the diffused walk that are held in memory at once
_STARTS = 4  # k-means keeps the best of so many
_SAME = 1e-9  # heights this close, relative to the largest, are equal


def graph_of(mdp: FiniteMDP) -> sparse.csr_array:
    """Return the graph (S, S) of states, 1 where some action leads to another state."""
    graph = sum(
        (mdp.transition_of(action) for action in range(mdp.n_actions)),
        start=sparse.csr_array((mdp.n_states, mdp.n_states)),
    ).tocsr()
    graph.data[:] = 1.0
    graph.setdiag(0.0)
    graph.eliminate_zeros()
    return graph


def betweenness_of(graph: sparse.csr_array) -> FloatArray:
    """Return the betweenness of each state, of shape (S,)."""
    return np.asarray(betweenness(graph.indptr.astype(np.int64), graph.indices.astype(np.int32)))


def diffusion_of(graph: sparse.csr_array, time: int) -> FloatArray:
    """Return how far from rest each state is after `time` steps of diffusion, of shape (S,).

    The walk is lazy and takes every edge in both directions, W = (I + D^-1 A) / 2. With its
    stationary distribution p in the part of the graph that holds s,

        f(s) = sum_x (W^t(s, x) - p(x))^2 / p(x) = sum_x W^t(s, x)^2 / p(x) - 1.

    This is the squared diffusion distance between s and rest [coifman2006].
    """
    n = graph.shape[0]
    edges = ((graph + graph.T) > 0).astype(np.float64)
    degree = edges @ np.ones(n)
    alone = degree == 0.0
    walk = (
        sparse.diags_array(0.5 / np.where(alone, 1.0, degree)) @ edges
        + sparse.diags_array(np.where(alone, 1.0, 0.5))
    ).tocsr()
    n_parts, part = sparse.csgraph.connected_components(edges, directed=False)
    weight = np.where(alone, 1.0, degree)
    inverse = np.bincount(part, weight, minlength=n_parts)[part] / weight
    height = np.empty(n)
    for first in range(0, n, _BLOCK):
        rows = sparse.eye_array(n, format="csr")[first : first + _BLOCK]
        for _ in range(time):
            rows = rows @ walk
        height[first : first + _BLOCK] = rows.power(2) @ inverse - 1.0
    return np.maximum(height, 0.0)


def peaks(height: FloatArray, graph: sparse.csr_array, n_peaks: int) -> list[int]:
    """Return so many states by falling height, those that no neighbour exceeds first.

    Of two neighbours that are equally high, only the first counts as a peak. If there are too few
    peaks, the highest of the other states follow.
    """
    largest = max(float(height.max()), np.finfo(float).tiny)
    level = np.round(height / largest / _SAME)
    neighbours = (graph + graph.T).tocsr()
    neighbours.data = level[neighbours.indices]
    is_peak = level >= neighbours.max(axis=1).toarray()
    order = np.argsort(-level, kind="stable")
    chosen: dict[int, None] = {}
    hidden = np.zeros(height.size, dtype=bool)
    for s in order[is_peak[order]].tolist():
        if not hidden[s]:
            chosen[s] = None
            hidden[neighbours.indices[neighbours.indptr[s] : neighbours.indptr[s + 1]]] = True
    chosen.update(dict.fromkeys(order.tolist()))
    return list(chosen)[:n_peaks]


def medoids(rows: FloatArray, n_groups: int, seed: Seed) -> list[int]:
    """Return the row nearest to the centre of each group that k-means finds, in their order.

    Parameters
    ----------
    rows : array of shape (N, D)
        What is grouped. There must be at least `n_groups` different rows.
    n_groups : int
        Number of groups.
    seed : int or numpy.random.Generator
        Draws where k-means starts.
    """
    from sklearn.cluster import KMeans  # it takes longer to import than all of hsr

    drawn = int(generator_from(seed).integers(2**31))
    with one_thread():
        groups = KMeans(n_groups, n_init=_STARTS, random_state=drawn).fit(rows)
        distance = groups.transform(rows)
    members: IntArray = groups.labels_
    scale = _SAME * max(float(distance.max()), 1.0)
    found = []
    for k in range(n_groups):
        own = np.flatnonzero(members == k)
        found.append(int(own[np.argmax(distance[own, k] <= distance[own, k].min() + scale)]))
    return sorted(found)
