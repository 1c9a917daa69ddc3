"""Where options are among the best choices, in worlds with randomness.

An option is worth as much as the best action only where its policy is optimal wherever it may lead
before it stops. What it loses against the best actions is

    loss(s) = v(s) - sum_t P(t | s) w(t) + gamma sum_t P(t | s) (1 - beta(t)) loss(t).

All terms are positive, so that sweeps from zero give lower bounds, which rule out nearly all states
of nearly all options. Only if some state is left, the loss is computed exactly.
"""

from collections import namedtuple

import numpy as np

from hsr._base.compiled import compiled
from hsr.kernels.factors import eliminate_row, solve

OptionChains = namedtuple("OptionChains", "indptr indices probability stop available")
"""The chains of all options: row o * S + s holds where option o leads from s.

stop       (O, S) the probability of stopping on arrival
available  (O, S) where it may begin
"""

_TIE = 1e-9
_ROUNDING = 1e-13


@compiled
def best_options(world, options, goal, worth, best):
    """Write where options are among the best choices (O, S), and return whether any is.

    `worth` (S,) is gamma times the optimal value, and 1 at the goal, which does not count here.

    1. What the first step loses.
    2. Lower bounds of the whole loss, as long as they rule out further states.
    3. The loss itself, if states are left.
    """
    n_options, n = options.stop.shape
    own, loss = np.empty(n), np.empty((n, 1))
    some = False
    for o in range(n_options):
        # 1. The first step.
        for s in range(n):
            ahead = 0.0
            for e in range(options.indptr[o * n + s], options.indptr[o * n + s + 1]):
                ahead += options.probability[e] * worth[options.indices[e]]
            own[s] = max(0.0, worth[s] / world.discount - ahead)
            loss[s, 0] = own[s]
        # 2. Lower bounds.
        left = _candidates(world, options, o, goal, worth, loss, _TIE + _ROUNDING, best[o])
        before = n + 1
        while 0 < left < before:
            before = left
            _sweep(world, options, o, goal, own, loss)
            left = _candidates(world, options, o, goal, worth, loss, _TIE + _ROUNDING, best[o])
        # 3. The loss.
        if left:
            _solve_loss(world, options, o, goal, own, loss)
            left = _candidates(world, options, o, goal, worth, loss, _TIE, best[o])
        some = some or left > 0
    return some


@compiled
def _candidates(world, options, o, goal, worth, loss, tie, best):
    """Write the states other than the goal in which the loss is small enough; return how many."""
    count = 0
    for s in range(worth.size):
        small = loss[s, 0] <= tie * worth[s] / world.discount
        best[s] = small and options.available[o, s] and s != goal
        count += best[s]
    return count


@compiled
def _sweep(world, options, o, goal, own, loss):
    """Add up what the next steps lose, last state first and then first state first."""
    n = own.size
    for k in range(2 * n):
        s = n - 1 - k if k < n else k - n
        more = 0.0
        for e in range(options.indptr[o * n + s], options.indptr[o * n + s + 1]):
            t = options.indices[e]
            if t != goal:
                more += options.probability[e] * (1.0 - options.stop[o, t]) * loss[t, 0]
        loss[s, 0] = own[s] + world.discount * more


@compiled
def _solve_loss(world, options, o, goal, own, loss):
    """Write the exact loss, (S, 1)."""
    n = own.size
    places = world.places
    below, above = np.empty(places.lower.size), np.empty(places.upper.size)
    inverse, row = np.empty(n), np.zeros(n)
    for s in range(n):
        row[s] = 1.0
        for e in range(options.indptr[o * n + s], options.indptr[o * n + s + 1]):
            t = options.indices[e]
            if t != goal:
                row[t] -= world.discount * options.probability[e] * (1.0 - options.stop[o, t])
        eliminate_row(places, s, row, below, inverse, above)
        loss[s, 0] = own[s]
    solve(places, below, inverse, above, loss)
