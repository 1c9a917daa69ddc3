"""Forward filter over the unknown destinations of an animal."""

import numpy as np

from hsr._base.compiled import compiled

SMALLEST = 1e-300  # smaller probabilities lose precision


@compiled
def filtered_log_likelihood(weight, factor, state, chosen, begins, hazard, place_of):
    """Return the log-probability of each move, given the moves before it, of shape (T,).

    A forward filter over destinations g. With q the probabilities of the destinations given the
    past, the move k has probability sum_g q(g) p(k | s, g). Bayes' rule then updates q. After the
    move, a new destination is drawn with probability `hazard`, and always on arrival. Draws are
    uniform over the destinations other than the present place.

    Parameters
    ----------
    weight : float array of shape (S, K, G)
        Weight of each possible move towards each destination, 0 where there is no such move.
    factor : float array of shape (T, K)
        Weight of each move at each time, independent of the destination.
    state, chosen : int arrays of shape (T,)
        The state before each move, and the move that was made.
    begins : bool array of shape (T,)
        Whether a path begins with this move.
    hazard : float
        Probability of a new destination after each move.
    place_of : int array of shape (S,)
        The number of each state among the destinations, -1 if it is none.
    """
    n_moves, n_places = weight.shape[1], weight.shape[2]
    q = np.empty(n_places)
    p = np.empty(n_places)
    result = np.empty(state.size)
    for t in range(state.size):
        s, k = state[t], chosen[t]
        here = place_of[s]
        n_other = n_places - 1 if here >= 0 and n_places > 1 else n_places
        if begins[t]:
            q[:] = 1.0 / n_other
            if n_other < n_places:
                q[here] = 0.0
        elif n_other < n_places:  # it arrived, so a new destination is drawn
            arrived = q[here] / n_other
            q += arrived
            q[here] = 0.0
        if not begins[t] and hazard > 0.0:
            drawn = hazard / n_other
            for g in range(n_places):
                q[g] = (1.0 - hazard) * q[g] + drawn
            if n_other < n_places:
                q[here] = 0.0
        total = 0.0
        for g in range(n_places):
            norm = 0.0
            for j in range(n_moves):
                norm += factor[t, j] * weight[s, j, g]
            p[g] = q[g] * factor[t, k] * weight[s, k, g] / norm
            total += p[g]
        total = max(total, SMALLEST)
        result[t] = np.log(total)
        for g in range(n_places):
            q[g] = p[g] / total
    return result
