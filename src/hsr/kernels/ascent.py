"""The best way up a landscape, with free stopping: the exact policy of an eigenoption in a deterministic world.

With pseudo-reward v(s') - v(s), discount g and the right to stop, the optimal values satisfy

    V(s) = max(0, max_a  v(s') - v(s) + g V(s')),      s' = successor(s, a).

In U = V + v this reads U(s) = max(v(s), max_a (1 - g) v(s') + g U(s')), and what is reached through s' is never worth
more than U(s') itself. So the states can be settled from the best to the worst, as in Dijkstra's algorithm: one pass, no
iteration, no tolerance.
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

    A state stops where no action is worth more than `tolerance`. Actions within a margin of the best tie, and the first
    of them is taken; the margin is below (1 - g) * tolerance, so that U rises at every step and no path can loop.
    """
    n_states, n_actions = successor.shape
    value = v.copy()
    settled = np.zeros(n_states, np.bool_)
    by_height = np.argsort(v)
    keys = np.empty(indices.size + 1)
    states = np.empty(indices.size + 1, np.int32)
    size = 0
    top = n_states - 1
    while True:
        while top >= 0 and settled[by_height[top]]:
            top -= 1
        if size > 0 and (top < 0 or keys[0] >= v[by_height[top]]):
            s = states[0]
            size = _pop(keys, states, size)
            if settled[s]:
                continue
        elif top >= 0:
            s = by_height[top]
        else:
            break
        settled[s] = True
        offer = (1.0 - gamma) * v[s] + gamma * value[s]
        for e in range(indptr[s], indptr[s + 1]):
            p = indices[e]
            if not settled[p] and offer > value[p]:
                value[p] = offer
                size = _push(keys, states, size, offer, p)
    margin = min(1e-13, 0.25 * (1.0 - gamma) * tolerance)
    for s in range(n_states):
        best = -np.inf
        for a in range(n_actions):
            j = successor[s, a]
            q = (1.0 - gamma) * v[j] + gamma * value[j] - v[s]
            if q > best + margin:
                best = q
                policy[s] = a
        stop[s] = best <= tolerance
