"""Searches in directed graphs: orders, distances and betweenness.

A graph is given as the index arrays of a sparse matrix, or as a table of successors (S, n) whose
entry (s, a) is where action a leads from s.
"""

import numpy as np

from hsr._base.arrays import Int32Array, IntArray
from hsr._base.compiled import compiled, internal


@compiled
def postorder(indptr, indices):
    """Return (order, acyclic): every successor before its predecessors, if there is no cycle.

    A depth-first search with its own stack. `cursor` remembers the next edge to try at each state.
    A state is new (0), on the stack (1) or done (2).
    """
    n = indptr.size - 1
    order = np.empty(n, np.int32)
    stack = np.empty(n, np.int32)
    cursor = np.empty(n, indptr.dtype)
    progress = np.zeros(n, np.uint8)
    filled = 0
    for root in range(n):
        if progress[root] != 0:
            continue
        depth = 0
        stack[0] = root
        cursor[root] = indptr[root]
        progress[root] = 1
        while depth >= 0:
            s = stack[depth]
            if cursor[s] == indptr[s + 1]:
                progress[s] = 2
                order[filled] = s
                filled += 1
                depth -= 1
                continue
            j = indices[cursor[s]]
            cursor[s] += 1
            if progress[j] == 1:
                return order, False
            if progress[j] == 0:
                depth += 1
                stack[depth] = j
                cursor[j] = indptr[j]
                progress[j] = 1
    return order, True


@compiled
def solve_acyclic(order, indptr, indices, data, block):
    """Overwrite each column b of `block` (n, k) by (I - C)^-1 b, if the graph of C has no cycle.

    `order` has successors first, as `postorder` returns it. The columns are solved together,
    because the entries of one state are adjacent in memory.
    """
    for s in order:
        for e in range(indptr[s], indptr[s + 1]):
            j = indices[e]
            for r in range(block.shape[1]):
                block[s, r] += data[e] * block[j, r]


@compiled
def solve_acyclic_transpose(order, indptr, indices, data, block):
    """Overwrite each column b of `block` (n, k) by (I - C')^-1 b, as `solve_acyclic` does."""
    for i in range(order.size - 1, -1, -1):
        s = order[i]
        for e in range(indptr[s], indptr[s + 1]):
            j = indices[e]
            for r in range(block.shape[1]):
                block[j, r] += data[e] * block[s, r]


def predecessors(successor: Int32Array) -> tuple[IntArray, Int32Array]:
    """Return (indptr, indices) of the reversed edges: the predecessors of each state.

    A state from which several actions lead to the same successor is listed as often.
    """
    n_states, n_actions = successor.shape
    arrivals = successor.ravel()
    indptr = np.zeros(n_states + 1, np.int64)
    np.cumsum(np.bincount(arrivals, minlength=n_states), out=indptr[1:])
    indices = np.argsort(arrivals, kind="stable") // n_actions
    return indptr, indices.astype(np.int32)


@internal
def spread(indptr, indices, tail, distance, queue):
    """Spread from the first `tail` states of `queue`, breadth first; return how many were reached.

    Their entries of `distance` are known, and those of all states that are not reached yet are -1.
    """
    head = 0
    while head < tail:
        s = queue[head]
        head += 1
        for e in range(indptr[s], indptr[s + 1]):
            j = indices[e]
            if distance[j] < 0:
                distance[j] = distance[s] + 1
                queue[tail] = j
                tail += 1
    return tail


@compiled
def breadth_first_into(indptr, indices, root, distance, queue):
    """Write the steps from `root` into `distance` (S,), and return how many states were reached.

    The states are written into `queue` (S,), nearest first. `distance` must hold -1 on entry, and
    still does at states that cannot be reached. A caller who resets the entries of the states in
    the queue pays for the component of `root` alone, not for the whole graph.
    """
    queue[0] = root
    distance[root] = 0
    return spread(indptr, indices, 1, distance, queue)


def breadth_first(indptr: IntArray, indices: Int32Array, root: int) -> Int32Array:
    """Return the smallest number of edges from `root` to each state, -1 where there is no path."""
    n = indptr.size - 1
    distance = np.full(n, -1, np.int32)
    breadth_first_into(indptr, indices, root, distance, np.empty(n, np.int32))
    return distance


@compiled
def jump_distances(end, duration, available, goal):
    """Return the smallest number of primitive steps to `goal` by options alone, or -1.

    D(s) = min_o duration(o, s) + D(end(o, s)), swept in both directions until nothing changes.
    """
    n_options, n_states = end.shape
    distance = np.full(n_states, -1, np.int64)
    distance[goal] = 0
    changed = True
    backwards = False
    while changed:
        changed = False
        for i in range(n_states):
            s = n_states - 1 - i if backwards else i
            if s == goal:
                continue
            for o in range(n_options):
                ahead = distance[end[o, s]]
                if ahead < 0 or not available[o, s]:
                    continue
                through = duration[o, s] + ahead
                if distance[s] < 0 or through < distance[s]:
                    distance[s] = through
                    changed = True
        backwards = not backwards
    return distance


@compiled
def betweenness(indptr, indices):
    """Return the betweenness of every node, of shape (S,), in time O(S x edges) [brandes2001].

    The betweenness of v is the sum over ordered pairs (s, t), both other than v, of the fraction of
    shortest paths from s to t that pass v. One breadth-first search per source s counts the paths
    n(v) from s. The dependency of s on v then follows from the farthest states back to s:

        d(v) = sum over w one step farther than v of n(v) / n(w) (1 + d(w))

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
