"""Betweenness of the nodes of a directed graph, source by source [brandes2001].

The betweenness of v is the sum over ordered pairs (s, t), both other than v, of the fraction of
shortest paths from s to t that pass v. One breadth-first search per source s counts the paths n(v)
from s. The dependency of s on v then follows from the farthest states back to s:

    d(v) = sum over w one step farther than v of n(v) / n(w) (1 + d(w))
"""

import numpy as np

from hsr._base.compiled import compiled


@compiled
def betweenness(indptr, indices):
    """Return the betweenness of every node, of shape (S,), in time O(S x edges).

    Parameters
    ----------
    indptr, indices : int arrays (S + 1,) and (n_edges,)
        Where each node's edges begin, and where they lead. No edge is listed twice.
    """
    n = indptr.size - 1
    total = np.zeros(n)
    distance = np.full(n, -1, np.int32)
    queue = np.empty(n, np.int32)
    paths = np.zeros(n)
    dependency = np.zeros(n)
    for source in range(n):
        queue[0] = source
        distance[source] = 0
        paths[source] = 1.0
        head = 0
        tail = 1
        while head < tail:
            v = queue[head]
            head += 1
            for e in range(indptr[v], indptr[v + 1]):
                w = indices[e]
                if distance[w] < 0:
                    distance[w] = distance[v] + 1
                    queue[tail] = w
                    tail += 1
                if distance[w] == distance[v] + 1:
                    paths[w] += paths[v]
        for i in range(tail - 1, -1, -1):
            v = queue[i]
            for e in range(indptr[v], indptr[v + 1]):
                w = indices[e]
                if distance[w] == distance[v] + 1:
                    dependency[v] += paths[v] / paths[w] * (1.0 + dependency[w])
            if v != source:
                total[v] += dependency[v]
        for i in range(tail):
            v = queue[i]
            distance[v] = -1
            paths[v] = 0.0
            dependency[v] = 0.0
    return total
