"""What an agent does: choose, follow an option, move, stop.

Probabilities are given as cumulative sums, so that one uniform number draws an outcome. A number is
drawn only where something is random, and in the order of events: the choice, then for each step the
option's action, the next state, and whether the option stops.
"""

from hsr._base.compiled import inlined, internal


@internal
def pick(rng, cumulative, first, last):
    """Return an index in first..last-1, drawn by the cumulative sums there.

    The probabilities need not sum to 1.
    """
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
    """Return the largest entry; two running maxima are quicker than one."""
    even = q[q.size - 1]
    odd = even
    for i in range(0, q.size - 1, 2):
        even = max(even, q[i])
        odd = max(odd, q[i + 1])
    return max(even, odd)


@inlined
def choose(rng, q, available, s, n, epsilon, tolerance, takes_first, explores):
    """Return a choice drawn epsilon-greedily.

    1. With probability epsilon, draw one of the first n choices available in s.
    2. Otherwise count the choices whose value is within `tolerance` of the best.
    3. If there are several, draw one of them; with `takes_first`, take the first of them.

    q (C,) holds the values, minus infinity for what cannot be chosen. With `explores` it is already
    decided that the choice is random.
    """
    if explores or rng.random() < epsilon:
        # 1. Explore.
        chosen = available[s, int(rng.random() * n)]
    else:
        # 2. Count the best.
        least = best_of(q) - tolerance
        ties = 0
        chosen = 0
        for c in range(q.size):
            if q[c] >= least:
                ties += 1
                chosen = c
        # 3. Break ties.
        if ties > 1:
            rank = 0 if takes_first else int(rng.random() * ties)
            chosen = -1
            while rank >= 0:
                chosen += 1
                if q[chosen] >= least:
                    rank -= 1
    return chosen


@internal
def to_probabilities(q, available, s, n, epsilon, tolerance, takes_first):
    """Replace the values q (C,) of the choices in s by the probabilities with which `choose` draws.

    1. Count the choices whose value is within `tolerance` of the best.
    2. They share the probability of not exploring; with `takes_first`, the first of them has it.
    3. Add the probability of exploring to the first n choices available in s.
    """
    # 1. Count the best.
    least = best_of(q) - tolerance
    ties = 0
    for c in range(q.size):
        if q[c] >= least:
            ties += 1
    # 2. Share.
    n_taken = min(ties, 1) if takes_first else ties
    for c in range(q.size):
        if q[c] >= least and n_taken > 0:
            q[c] = (1.0 - epsilon) / (1 if takes_first else ties)
            n_taken -= 1
        else:
            q[c] = 0.0
    # 3. Explore.
    for i in range(n):
        q[available[s, i]] += epsilon / n


@internal
def may_run(available, n, c, s, beta):
    """Return whether option c can be running in s, where it stops on arrival with probability beta.

    It can if it need not stop on arrival, or if it is among the first n choices available in s.
    """
    found = beta < 1.0
    for i in range(n):
        found = found or available[s, i] == c
    return found


@inlined
def option_action(rng, action, policy, n_actions, o, s):
    """Return the action of option o in state s, drawn by its policy where `action` holds -1."""
    a = action[o, s]
    if a < 0:
        first = (o * action.shape[1] + s) * n_actions
        a = pick(rng, policy, first, first + n_actions) - first
    return a


@inlined
def stops(rng, beta):
    """Return whether an option stops where it does so with probability beta."""
    return beta == 1.0 or (beta > 0.0 and rng.random() < beta)


@inlined
def place_of(indptr, arrival, row, arrived):
    """Return the place in `arrival` of one outcome of row s * A + a of the transitions."""
    i = indptr[row]
    while arrival[i] != arrived:
        i += 1
    return i


@inlined
def count_step(seen, indptr, arrival, row, arrived):
    """Count in seen (nnz,) that row s * A + a has led to `arrived`, if there is something to count.

    None costs nothing: the code is then compiled without it.
    """
    if seen is not None and seen.shape[0] > 0:
        seen[place_of(indptr, arrival, row, arrived)] += 1


@inlined
def write(trace, i, episode, choice, began, state, action, arrival):
    """Write row i of a trace (n, 6)."""
    trace[i, 0] = episode
    trace[i, 1] = choice
    trace[i, 2] = began
    trace[i, 3] = state
    trace[i, 4] = action
    trace[i, 5] = arrival
