"""Options to the boundary of what is known, in a known world without random steps."""

import numpy as np

from hsr._base.compiled import compiled


@compiled
def frontier_options(successor, indptr, indices, boundary, sizes, untried):
    """Return policy (O, V, A), termination (O, V) and initiation (O, V) of frontier options.

    The goal of option o is the first ``sizes[o]`` states of the boundary. One breadth-first search
    backwards from all of them gives the distances, and the option takes the first action that
    brings it nearer. In its goal it draws among the u untried actions and stops with probability
    1 / (u + 1). Where no path leads to the goal it cannot be chosen, and it stops there.

    Parameters
    ----------
    successor : int array (V, A)
        Where each action leads.
    indptr, indices : int arrays (V + 1,) and (n_edges,)
        The reversed edges: from where one action may lead to a state.
    boundary : int array (B,)
        States with an untried action, least known first.
    sizes : int array (O,)
        Number of states of each goal.
    untried : bool array (V, A)
        Which actions were never tried.
    """
    n_states, n_actions = successor.shape
    n_options = sizes.size
    policy = np.zeros((n_options, n_states, n_actions))
    termination = np.zeros((n_options, n_states))
    initiation = np.ones((n_options, n_states), np.bool_)
    distance = np.empty(n_states, np.int32)
    queue = np.empty(n_states, np.int32)
    for o in range(n_options):
        distance[:] = -1
        tail = sizes[o]
        for k in range(tail):
            queue[k] = boundary[k]
            distance[boundary[k]] = 0
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
        for s in range(n_states):
            if distance[s] == 0:
                n_untried = untried[s].sum()
                for a in range(n_actions):
                    policy[o, s, a] = untried[s, a] / n_untried
                termination[o, s] = 1.0 / (n_untried + 1.0)
            elif distance[s] < 0:
                policy[o, s, 0] = 1.0
                termination[o, s] = 1.0
                initiation[o, s] = False
            else:
                a = 0
                while distance[successor[s, a]] != distance[s] - 1:
                    a += 1
                policy[o, s, a] = 1.0
    return policy, termination, initiation
