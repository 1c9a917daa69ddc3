"""The hierarchical map of options that are jumps: M = (I - G)^-1 B.

Here B = sum_o mu_o N_o and G = sum_o mu_o F_o. `mu` has shape (S, C), and the tables `move`, `end`,
`duration`, `gain` and `order` come from `jumps.jump_tables`. `terminal` is the goal at which an
episode ends, -1 for none. There B is the unit row and G is zero, so that the goal is counted once.
`twice` adds the stopping state of options to B.
"""

import numpy as np

from hsr._base.compiled import compiled


@compiled
def steps_of(mu, duration, c):
    """Return the primitive steps of all runs of choice c that mu begins."""
    total = 0
    for s in range(mu.shape[0]):
        if mu[s, c] > 0.0:
            total += duration[c, s]
    return total


@compiled
def emission_apply(
    mu, move, end, duration, gain, order, gamma, n_primitives, terminal, twice, x, y
):
    """Add B x to `y` (S, k) for the columns of `x` (S, k).

    1. A primitive action visits its own state.
    2. An option that mu begins often is swept once over all states, successors first: run(s) = x(s)
       + gamma run(next).
    3. An option that mu begins seldom is walked from each state where it begins.
    4. Add run(s) of an option that was swept.
    5. If stopping states count twice, add the end of the option.
    6. The goal is visited once, and nothing follows.
    """
    n_states, n_choices = mu.shape
    k = x.shape[1]
    run = np.empty((n_states, k))
    # 1. Primitive actions.
    for s in range(n_states):
        for c in range(n_primitives):
            for r in range(k):
                y[s, r] += mu[s, c] * x[s, r]
    for c in range(n_primitives, n_choices):
        seldom = steps_of(mu, duration, c) < n_states
        # 2. Sweep the option.
        if not seldom:
            for s in order[c - n_primitives]:
                j = move[c, s]
                for r in range(k):
                    run[s, r] = x[s, r] + gamma * run[j, r] if duration[c, s] > 1 else x[s, r]
        for s in range(n_states):
            if mu[s, c] == 0.0:
                continue
            # 3. Walk it.
            if seldom:
                weight = mu[s, c]
                u = s
                for _ in range(duration[c, s]):
                    for r in range(k):
                        y[s, r] += weight * x[u, r]
                    weight *= gamma
                    u = move[c, u]
            # 4. Add what was swept.
            else:
                for r in range(k):
                    y[s, r] += mu[s, c] * run[s, r]
            # 5. Count the end twice.
            if twice:
                j = end[c, s]
                for r in range(k):
                    y[s, r] += mu[s, c] * gain[c, s] * x[j, r]
    # 6. The goal.
    if terminal >= 0:
        for r in range(k):
            y[terminal, r] = x[terminal, r]


@compiled
def emission_apply_transpose(
    mu, move, end, duration, gain, order, gamma, n_primitives, terminal, twice, y, x
):
    """Add B' y to `x` (S, k) for the columns of `y` (S, k).

    The steps are those of `emission_apply`, transposed:

    1. The goal and the primitive actions visit their own states.
    2. Start the sweep of an option that mu begins often from run = mu y.
    3. Walk an option that mu begins seldom from each state where it begins.
    4. If stopping states count twice, add to the end of the option.
    5. Sweep over all states, predecessors first, and pass run on to the next state.
    """
    n_states, n_choices = mu.shape
    k = y.shape[1]
    run = np.empty((n_states, k))
    # 1. The goal and the primitive actions.
    for s in range(n_states):
        if s == terminal:
            for r in range(k):
                x[s, r] += y[s, r]
            continue
        for c in range(n_primitives):
            for r in range(k):
                x[s, r] += mu[s, c] * y[s, r]
    for c in range(n_primitives, n_choices):
        seldom = steps_of(mu, duration, c) < n_states
        for s in range(n_states):
            p = 0.0 if s == terminal else mu[s, c]
            # 2. Start the sweep.
            if not seldom:
                for r in range(k):
                    run[s, r] = p * y[s, r]
            if p == 0.0:
                continue
            # 3. Walk the option.
            if seldom:
                weight = p
                u = s
                for _ in range(duration[c, s]):
                    for r in range(k):
                        x[u, r] += weight * y[s, r]
                    weight *= gamma
                    u = move[c, u]
            # 4. Count the end twice.
            if twice:
                j = end[c, s]
                for r in range(k):
                    x[j, r] += gain[c, s] * p * y[s, r]
        if seldom:
            continue
        # 5. Sweep.
        for i in range(n_states - 1, -1, -1):
            s = order[c - n_primitives, i]
            j = move[c, s]
            for r in range(k):
                x[s, r] += run[s, r]
                if duration[c, s] > 1:
                    run[j, r] += gamma * run[s, r]


@compiled
def dense_greedy(choice, move, duration, gamma, n_primitives, terminal, twice, out):
    """Fill the zeroed `out` (S, S) with M where each state has one choice, by one walk per row.

    Returns False if some path never reaches `terminal`. Then `out` is meaningless.
    """
    for s in range(choice.size):
        choices = 0
        row = out[s]
        weight = 1.0
        u = s
        while u != terminal:
            c = choice[u]
            choices += 1
            if choices > choice.size:
                return False
            for _ in range(duration[c, u]):
                row[u] += weight
                weight *= gamma
                u = move[c, u]
            if twice and c >= n_primitives:
                row[u] += weight
        row[u] += weight
    return True


@compiled
def dense_mixed(mu, move, duration, gain, gamma, rank, n_primitives, terminal, twice, out):
    """Fill the zeroed `out` (S, S) with M, row by row in the order `rank`, successors first.

    1. The goal is visited once.
    2. Elsewhere add the discounted visits along each choice of the state.
    3. Add the row of the state in which the choice ends, discounted.
    """
    n_states, n_choices = mu.shape
    for s in rank:
        row = out[s]
        # 1. The goal.
        if s == terminal:
            row[s] = 1.0
            continue
        for c in range(n_choices):
            p = mu[s, c]
            if p == 0.0:
                continue
            # 2. Visits along the choice.
            weight = p
            u = s
            for _ in range(duration[c, s]):
                row[u] += weight
                weight *= gamma
                u = move[c, u]
            if twice and c >= n_primitives:
                row[u] += weight
            # 3. What follows its end.
            discounted = p * gain[c, s]
            after = out[u]
            for j in range(n_states):
                row[j] += discounted * after[j]
