"""The best way up a landscape, with free stopping: the exact policy of an eigenoption in a
deterministic world.

With pseudo-reward v(s') - v(s), discount g and the right to stop, the optimal values satisfy

    V(s) = max(0, max_a  v(s') - v(s) + g V(s')),      s' = successor(s, a).

In U = V + v this reads U(s) = max(v(s), max_a (1 - g) v(s') + g U(s')), and what is reached through
s' is never worth more than U(s') itself. So the states can be settled from the best to the worst,
as in Dijkstra's algorithm: one pass, no iteration, no tolerance.
"""

import numpy as np

from hsr._base.compiled import compiled


@compiled
def _push(keys, states, size, key, state):
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        if keys[parent] >= key:
            break
        keys[i] = keys[parent]
        states[i] = states[parent]
        i = parent
    keys[i] = key
    states[i] = state
    return size + 1


@compiled
def _pop(keys, states, size):
    last = size - 1
    key = keys[last]
    state = states[last]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= last:
            break
        if child + 1 < last and keys[child + 1] > keys[child]:
            child += 1
        if keys[child] <= key:
            break
        keys[i] = keys[child]
        states[i] = states[child]
        i = child
    keys[i] = key
    states[i] = state
    return last


@compiled
def climb(successor, indptr, indices, v, gamma, tolerance, policy, stop):
    """Fill policy (S,) and stop (S,) for the landscape v (S,).

    A state stops where no action is worth more than `tolerance`. Of the actions within 1e-13 of the
    best, the first that leads to a state settled earlier is taken, so that no path can loop however
    close the discount is to 1.
    """
    n_states, n_actions = successor.shape
    value = v.copy()
    place = np.full(n_states, n_states, np.int32)
    by_height = np.argsort(v, kind="mergesort")
    keys = np.empty(indices.size + 1)
    states = np.empty(indices.size + 1, np.int32)
    size = 0
    top = n_states - 1
    for settled in range(n_states):
        while size > 0 and place[states[0]] < n_states:
            size = _pop(keys, states, size)
        while top >= 0 and place[by_height[top]] < n_states:
            top -= 1
        s = by_height[top]
        if size > 0 and keys[0] > v[s]:
            s = states[0]
            size = _pop(keys, states, size)
        place[s] = settled
        offer = (1.0 - gamma) * v[s] + gamma * value[s]
        for e in range(indptr[s], indptr[s + 1]):
            p = indices[e]
            if place[p] == n_states and offer > value[p]:
                value[p] = offer
                size = _push(keys, states, size, offer, p)
    for s in range(n_states):
        best = -np.inf
        for a in range(n_actions):
            j = successor[s, a]
            best = max(best, (1.0 - gamma) * v[j] + gamma * value[j])
        stop[s] = best - v[s] <= tolerance
        policy[s] = -1
        for a in range(n_actions):
            j = successor[s, a]
            if (1.0 - gamma) * v[j] + gamma * value[j] < best - 1e-13:
                continue
            rises = place[j] < place[s]
            if policy[s] < 0 or (
                rises and not stop[s] and place[successor[s, policy[s]]] >= place[s]
            ):
                policy[s] = a
