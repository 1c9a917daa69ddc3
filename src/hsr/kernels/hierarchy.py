"""Products with the hierarchical SR of options that are jumps: M = (I - G)^-1 B.

Here B = sum_o mu_o N_o and G = sum_o mu_o F_o. `mu` has shape (S, C), and the tables `move`, `end`,
`duration`, `gain` and `order` come from `jumps.jump_tables`. `terminal` (S,) says where an episode
ends. There mu is zero, so that G is zero, and B is the unit row: a terminal state is counted once.
`twice` adds the stopping state of options to B.
"""

import numpy as np

from hsr._base.compiled import compiled


@compiled
def emission_apply(
    mu, move, end, duration, gain, order, gamma, n_primitives, terminal, twice, x, y
):
    """Add B x to `y` (S, k) for the columns of `x` (S, k).

    1. A primitive action visits its own state.
    2. An option is swept once over all states, successors first: run(s) = x(s) + gamma run(next).
    3. Add run(s), and the end of the option if stopping states count twice.
    4. A terminal state is visited once, and nothing follows.
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
        if not mu[:, c].any():
            continue
        # 2. Sweep the option.
        for s in order[c - n_primitives]:
            j = move[c, s]
            for r in range(k):
                run[s, r] = x[s, r] + gamma * run[j, r] if duration[c, s] > 1 else x[s, r]
        # 3. Add what was swept.
        for s in range(n_states):
            j = end[c, s]
            for r in range(k):
                y[s, r] += mu[s, c] * run[s, r]
                if twice:
                    y[s, r] += mu[s, c] * gain[c, s] * x[j, r]
    # 4. Terminal states.
    for s in range(n_states):
        if terminal[s]:
            for r in range(k):
                y[s, r] = x[s, r]


@compiled
def emission_apply_transpose(
    mu, move, end, duration, gain, order, gamma, n_primitives, terminal, twice, y, x
):
    """Add B' y to `x` (S, k) for the columns of `y` (S, k).

    The steps are those of `emission_apply`, transposed:

    1. Terminal states and primitive actions visit their own states.
    2. Start the sweep of an option from run = mu y, and add to its end if stopping states count
       twice.
    3. Sweep over all states, predecessors first, and pass run on to the next state.
    """
    n_states, n_choices = mu.shape
    k = y.shape[1]
    run = np.empty((n_states, k))
    # 1. Terminal states and primitive actions.
    for s in range(n_states):
        if terminal[s]:
            for r in range(k):
                x[s, r] += y[s, r]
            continue
        for c in range(n_primitives):
            for r in range(k):
                x[s, r] += mu[s, c] * y[s, r]
    for c in range(n_primitives, n_choices):
        if not mu[:, c].any():
            continue
        # 2. Start the sweep.
        for s in range(n_states):
            p = mu[s, c]
            j = end[c, s]
            for r in range(k):
                run[s, r] = p * y[s, r]
                if twice:
                    x[j, r] += gain[c, s] * p * y[s, r]
        # 3. Sweep.
        for i in range(n_states - 1, -1, -1):
            s = order[c - n_primitives, i]
            j = move[c, s]
            for r in range(k):
                x[s, r] += run[s, r]
                if duration[c, s] > 1:
                    run[j, r] += gamma * run[s, r]


@compiled
def all_entries(mu, move, duration, gain, gamma, rank, n_primitives, terminal, twice, out):
    """Fill the zeroed `out` (S, S) with M, row by row in the order `rank`, successors first.

    1. A terminal state is visited once.
    2. Elsewhere add the discounted visits along each choice of the state.
    3. Add the row of the state in which the choice ends, discounted.
    """
    n_states, n_choices = mu.shape
    for s in rank:
        row = out[s]
        # 1. A terminal state.
        if terminal[s]:
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
