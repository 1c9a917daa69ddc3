"""Policies of eigenoptions, which climb a vector and may stop: exact, and by Q-learning (Eq. 3).

With pseudo-reward v(s') - v(s), discount g and the right to stop, the optimal values satisfy

    V(s) = max(0, max_a  v(s') - v(s) + g V(s')),      s' = successor(s, a).

In U = V + v this reads U(s) = max(v(s), max_a (1 - g) v(s') + g U(s')). A path through s' is never
worth more than U(s') itself. So states can be settled from the best to the worst, as in Dijkstra's
algorithm: one pass, without iteration or tolerance. Q-learning moves the values of actions by

    q(s, a) += alpha (v(s') - v(s) + g max(0, max_b q(s', b)) - q(s, a)).
"""

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from hsr._base.compiled import internal, lean
from hsr.kernels.acting import choose, move


@internal
def _push(keys, states, size, key, state):
    """Add a state to a heap whose largest key comes first, and return the new size."""
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


@internal
def _pop(keys, states, size):
    """Remove the state with the largest key from the heap, and return the new size."""
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


def climb(
    successor: Int32Array,
    indptr: IntArray,
    indices: Int32Array,
    v: FloatArray,
    by_height: IntArray,
    gamma: float,
    tolerance: float,
    policy: Int32Array,
    stop: BoolArray,
) -> None:
    """Fill policy (S,) and stop (S,) for the vector v (S,).

    1. Start with U = v and an empty heap of improved values.
    2. Find the best state that is not settled: on top of the heap, or the largest v.
    3. Settle it, which makes its U final.
    4. Offer (1 - g) v(s) + g U(s) to its predecessors, and push those that improve. Go back to 2
       until all states are settled.
    5. In every state find the value of the best action. The option stops where nothing better than
       `tolerance` is left to gain.
    6. Take the first action within 1e-11 of the best, which is more than the rounding error of an
       eigenvector. Above discounts of 0.999 steps are worth less, and so is a tie: 1e-8 (1 - g).
       Prefer an action that leads to a state settled earlier, or to one where the option stops, so
       that no path can loop. Summits of equal height next to a state all count, in whichever order
       rounding has settled them.

    Parameters
    ----------
    successor : int array (S, A)
        Where each action leads.
    indptr, indices : int array (S + 1,) and (n_edges,)
        The predecessors of each state.
    v : array (S,)
        The vector to climb.
    by_height : int array (S,)
        The states by rising v, those of equal v in order: ``np.argsort(v, kind="stable")``.
    gamma, tolerance : float
        Discount, and the gain up to which a state counts as a summit.
    policy, stop : int array (S,) and bool array (S,)
        Written: the action of each state, and whether the option stops there.
    """
    memory = np.empty(v.size), np.empty(v.size, np.int32)
    heap = np.empty(indices.size + 1), np.empty(indices.size + 1, np.int32)
    _climb(successor, indptr, indices, v, by_height, gamma, tolerance, policy, stop, *memory, *heap)


@lean
def _climb(
    successor,
    indptr,
    indices,
    v,
    by_height,
    gamma,
    tolerance,
    policy,
    stop,
    value,
    place,
    keys,
    states,
):
    """Do what `climb` says, in the memory for U, for places in the order, and for the heap."""
    # 1. Start with U = v.
    n_states, n_actions = successor.shape
    for s in range(n_states):
        value[s] = v[s]
        place[s] = n_states
    size = np.int64(0)  # not a literal, for which functions would be compiled once more
    top = n_states - 1
    for settled in range(n_states):
        # 2. Find the best state that is not settled.
        while size > 0 and place[states[0]] < n_states:
            size = _pop(keys, states, size)
        while top >= 0 and place[by_height[top]] < n_states:
            top -= 1
        s = by_height[top]
        if size > 0 and keys[0] > v[s]:
            s = states[0]
            size = _pop(keys, states, size)
        # 3. Settle it.
        place[s] = settled
        # 4. Offer its value to its predecessors.
        offer = (1.0 - gamma) * v[s] + gamma * value[s]
        for e in range(indptr[s], indptr[s + 1]):
            p = indices[e]
            if place[p] == n_states and offer > value[p]:
                value[p] = offer
                size = _push(keys, states, size, offer, p)
    for s in range(n_states):
        # 5. The best action, and whether to stop.
        best = -np.inf
        for a in range(n_actions):
            j = successor[s, a]
            best = max(best, (1.0 - gamma) * v[j] + gamma * value[j])
        stop[s] = best - v[s] <= tolerance
    tie = min(1e-11, 1e-8 * (1.0 - gamma))
    for s in range(n_states):
        # 6. The first of the best that leads to a state settled earlier, or to an end.
        best = -np.inf
        for a in range(n_actions):
            j = successor[s, a]
            best = max(best, (1.0 - gamma) * v[j] + gamma * value[j])
        policy[s] = -1
        rises = False
        for a in range(n_actions):
            j = successor[s, a]
            if rises or (1.0 - gamma) * v[j] + gamma * value[j] < best - tie:
                continue
            rises = not stop[s] and (place[j] < place[s] or stop[j])
            if policy[s] < 0 or rises:
                policy[s] = a


@lean
def read_values(q, s, here):
    """Write the values of the actions in s into here (A,), and return the best."""
    best = q[s, 0]
    for a in range(q.shape[1]):
        here[a] = q[s, a]
        best = max(best, here[a])
    return best


@lean
def learn_to_climb(
    rng,
    indptr,
    arrival,
    cumulative,
    n_actions,
    available,
    v,
    gamma,
    alpha,
    epsilon,
    tolerance,
    longest,
    steps,
    q,
    tried,
    here,
    clock,
):
    """Update q (S, A) in place for the vector v (S,), by a number of steps.

    1. Begin a run of the option in a state drawn uniformly.
    2. Act epsilon-greedily, with ties drawn at random, and move.
    3. Update the value of the action, and note in tried (S,) that the state has been left.
    4. End the run where no action is worth more than `tolerance`, because the option stops there,
       or after `longest` steps.

    Before anything is learned every state stops. The first runs are therefore single steps from
    states everywhere. available (1, A) holds 0..A-1, and here (A,) is working memory. clock (2,)
    holds the state and the length of the run, -1 and 0 at first, so that the next call resumes.
    """
    s, n = clock[0], clock[1]
    for _ in range(steps):
        # 1. Begin a run.
        if s < 0:
            s = np.int64(rng.random() * v.size)
            n = 0
            read_values(q, s, here)
        # 2. Act and move.
        a = choose(rng, here, available, 0, n_actions, epsilon, 0.0, False, False)
        arrived = move(rng, indptr, arrival, cumulative, s * n_actions + a)
        # 3. Update the value of the action.
        best = read_values(q, arrived, here)
        q[s, a] += alpha * (v[arrived] - v[s] + gamma * max(0.0, best) - q[s, a])
        tried[s] = True
        if arrived == s:
            best = read_values(q, s, here)
        s = np.int64(arrived)
        n += 1
        # 4. End the run.
        if best <= tolerance or n == longest:
            s = np.int64(-1)
    clock[0], clock[1] = s, n
