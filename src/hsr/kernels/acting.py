"""What an agent does in a sampled world: move, choose, follow an option, stop.

Chances come as running sums, so that one uniform number picks an outcome. A number is drawn only
where something is left to chance, and in the order of events: the choice, then per step the
option's action, where the world moves, whether the option stops.
"""

from hsr._base.compiled import inlined, lean


@lean
def pick(rng, cumulative, first, last):
    """Return an index in first..last-1, drawn from the running sums of unnormalised chances there."""
    u = rng.random() * cumulative[last - 1]
    i = first
    while cumulative[i] <= u and i < last - 1:
        i += 1
    return i


@inlined
def move(rng, indptr, arrival, cumulative, row):
    """Return the state that follows from one row of a transition table."""
    first = indptr[row]
    last = indptr[row + 1]
    if last - first == 1:
        return arrival[first]
    return arrival[pick(rng, cumulative, first, last)]


@inlined
def best_of(q):
    """Return the largest entry, from two halves at once."""
    even = q[q.size - 1]
    odd = even
    for i in range(0, q.size - 1, 2):
        even = max(even, q[i])
        odd = max(odd, q[i + 1])
    return max(even, odd)


@inlined
def choose(rng, q, listing, s, n, epsilon, tolerance):
    """Return any of the first n choices listed for s with chance epsilon, else one whose value is
    best within `tolerance`.

    q (C,) holds the values, minus infinity for what cannot be chosen. One number is drawn against
    epsilon; another picks among several.
    """
    if rng.random() < epsilon:
        chosen = listing[s, int(rng.random() * n)]
    else:
        least = best_of(q) - tolerance
        ties = 0
        chosen = 0
        for c in range(q.size):
            if q[c] >= least:
                ties += 1
                chosen = c
        if ties > 1:
            rank = int(rng.random() * ties)
            chosen = -1
            while rank >= 0:
                chosen += 1
                if q[chosen] >= least:
                    rank -= 1
    return chosen


@inlined
def option_action(rng, action, policy, n_actions, o, s):
    """Return what option o does in state s: its certain action, or where that is -1 one drawn by
    its policy.
    """
    a = action[o, s]
    if a < 0:
        first = (o * action.shape[1] + s) * n_actions
        a = pick(rng, policy, first, first + n_actions) - first
    return a


@inlined
def stops(rng, beta):
    """Return whether an option stops where it does so with chance beta."""
    return beta == 1.0 or (beta > 0.0 and rng.random() < beta)


@inlined
def write(trace, i, episode, choice, began, state, action, arrival):
    """Write row i of a trace."""
    trace[i, 0] = episode
    trace[i, 1] = choice
    trace[i, 2] = began
    trace[i, 3] = state
    trace[i, 4] = action
    trace[i, 5] = arrival
