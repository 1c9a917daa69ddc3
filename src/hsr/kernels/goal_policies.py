"""Optimal choices for goal tasks of a stochastic MDP, for several goals at a time.

    q(s, a) = sum_t P(t | s, a) w(t),      w(goal) = 1,      w(t) = gamma v(t)

Policy iteration starts with the actions that most probably lead nearer to the goal. The chains of
all goals have entries in the same places. So each step of elimination is done for all goals at
once, and the loops over goals become vector instructions.

An option is worth as much as the best action only where its policy is optimal wherever it may lead
before it stops. What it loses against the best actions is

    loss(s) = v(s) - sum_t P(t | s) w(t) + gamma sum_t P(t | s) (1 - beta(t)) loss(t).

All terms are positive, so that sweeps from zero give lower bounds, which rule out nearly all states
of nearly all options. The exact loss is computed only if some state is left.
"""

from collections import namedtuple

import numpy as np

from hsr._base.compiled import compiled
from hsr.kernels.factors import eliminate_row, solve
from hsr.kernels.graph import breadth_first_into

GoalChains = namedtuple(
    "GoalChains", "places indptr indices probability back_indptr back_indices discount"
)
"""What the chains of all goals have in common.

places                     of the entries of all factors, see `kernels.factors`
indptr, indices            (S * A + 1,) and entries: row s * A + a holds where action a leads from s
probability                of each entry
back_indptr, back_indices  the states from which one move may lead to a state
discount                   gamma
"""

OptionChains = namedtuple("OptionChains", "indptr indices probability stop available")
"""The chains of all options: row o * S + s holds where option o leads from s.

stop       (O, S) the probability of stopping on arrival
available  (O, S) where it may begin
"""

_IMPROVEMENT = 1e-12
_TIE = 1e-9
_ROUNDING = 1e-13
_SMALLEST = 1e-300  # policy iteration ignores improvements below this
_SMALLEST_COMPARED = 1e-280
_MOST_POLICIES = 1000


@compiled
def best_actions(chains, goals, best, worth):
    """Write which actions are optimal for each of some goals, into `best` (G, S, A).

    `worth` (S, G) becomes gamma times the optimal values, and 1 at the goals.

    1. Start with the actions that lead nearer to the goal.
    2. Evaluate the policies of all goals, and improve them where that is possible.
    3. Actions within a factor of 1e-9 of the best one tie.

    Returns False if values are too small for floating-point numbers, or policies do not settle.
    """
    n_goals, n, n_actions = best.shape
    # 1. The first policies.
    policy = np.zeros((n, n_goals), np.int64)
    near = np.empty((n_goals, n), np.int32)
    for g in range(n_goals):
        _approach(chains, goals[g], near[g], policy[:, g])
    # 2. Policy iteration.
    q = np.empty((n, n_actions, n_goals))
    for _ in range(_MOST_POLICIES):
        _evaluate(chains, goals, policy, worth)
        if not _improve(chains, goals, worth, policy, q):
            break
    else:
        return False
    # 3. Ties.
    for s in range(n):
        for g in range(n_goals):
            largest = 0.0
            for a in range(n_actions):
                largest = max(largest, q[s, a, g])
            if largest < _SMALLEST_COMPARED and near[g, s] > 0:
                return False
            for a in range(n_actions):
                best[g, s, a] = q[s, a, g] >= largest * (1.0 - _TIE)
    return True


@compiled
def _approach(chains, goal, distance, policy):
    """Write the distances to a goal, and the action that most probably leads nearer, (S,)."""
    n = policy.size
    n_actions = (chains.indptr.size - 1) // n
    queue = np.empty(n, np.int32)
    distance[:] = -1
    breadth_first_into(chains.back_indptr, chains.back_indices, goal, distance, queue)
    for s in range(n):
        most = 0.0
        for a in range(n_actions):
            gain = 0.0
            for e in range(chains.indptr[s * n_actions + a], chains.indptr[s * n_actions + a + 1]):
                if distance[chains.indices[e]] == distance[s] - 1:
                    gain += chains.probability[e]
            if gain > most:
                most = gain
                policy[s] = a


@compiled
def _evaluate(chains, goals, policy, worth):
    """Write gamma times the value of each state under each policy, and 1 at the goals, (S, G).

    1. The factors of I - gamma P, and the probability of entering the goal, reduced with them.
    2. Back substitution.
    """
    n, n_goals = policy.shape
    n_actions = (chains.indptr.size - 1) // n
    places = chains.places
    above = np.empty((places.upper.size, n_goals))
    inverse = np.empty(n_goals)
    row = np.zeros((n, n_goals))
    pivot = np.empty(n_goals)
    # 1. Elimination.
    for s in range(n):
        row[s] = 1.0
        worth[s] = 0.0
        for g in range(n_goals):
            goal = goals[g]
            if s != goal:
                place = s * n_actions + policy[s, g]
                for e in range(chains.indptr[place], chains.indptr[place + 1]):
                    t = chains.indices[e]
                    if t == goal:
                        worth[s, g] = chains.probability[e]
                    else:
                        row[t, g] -= chains.discount * chains.probability[e]
        for e in range(places.lower_ptr[s], places.lower_ptr[s + 1]):
            k = places.lower[e]
            pivot[:] = row[k]
            row[k] = 0.0
            for f in range(places.upper_ptr[k], places.upper_ptr[k + 1]):
                _subtract_product(row[places.upper[f]], pivot, above[f])
            _subtract_product(worth[s], pivot, worth[k])
        for g in range(n_goals):
            inverse[g] = 1.0 / row[s, g]
            row[s, g] = 0.0
            worth[s, g] *= inverse[g]
        for e in range(places.upper_ptr[s], places.upper_ptr[s + 1]):
            t = places.upper[e]
            for g in range(n_goals):
                above[e, g] = row[t, g] * inverse[g]
            row[t] = 0.0
    # 2. Back substitution.
    for s in range(n - 1, -1, -1):
        for e in range(places.upper_ptr[s], places.upper_ptr[s + 1]):
            _subtract_product(worth[s], above[e], worth[places.upper[e]])
    for s in range(n):
        for g in range(n_goals):
            worth[s, g] *= chains.discount
    for g in range(n_goals):
        worth[goals[g], g] = 1.0


@compiled
def _subtract_product(row, factor, other):
    for g in range(row.size):
        row[g] -= factor[g] * other[g]


@compiled
def _improve(chains, goals, worth, policy, q):
    """Write the values of all actions, improve the policies, and return whether any changed."""
    n, n_actions, n_goals = q.shape
    improved = False
    top = np.empty(n_goals)
    for s in range(n):
        top[:] = 0.0
        for a in range(n_actions):
            value = q[s, a]
            value[:] = 0.0
            for e in range(chains.indptr[s * n_actions + a], chains.indptr[s * n_actions + a + 1]):
                probability, ahead = chains.probability[e], worth[chains.indices[e]]
                for g in range(n_goals):
                    value[g] += probability * ahead[g]
            for g in range(n_goals):
                top[g] = max(top[g], value[g])
        for g in range(n_goals):
            now = worth[s, g] / chains.discount
            if top[g] > now * (1.0 + _IMPROVEMENT) + _SMALLEST and s != goals[g]:
                improved = True
                for a in range(n_actions):
                    if q[s, a, g] == top[g]:
                        policy[s, g] = a
    for g in range(n_goals):
        q[goals[g], :, g] = 0.0
    return improved


@compiled
def split_ties(best, draw, drawn, policy):
    """Write a distribution over the best actions of each state (S, A): uniform, or one drawn."""
    for s in range(best.shape[0]):
        n = best[s].sum()
        rank = int(np.floor(draw[s] * n))
        for a in range(best.shape[1]):
            policy[s, a] = 0.0
            if best[s, a]:
                if not drawn:
                    policy[s, a] = 1.0 / n
                elif rank == 0:
                    policy[s, a] = 1.0
                rank -= 1


@compiled
def factorise(chains, policy, ended, below, inverse, above):
    """Write the factors of I - gamma P of a policy (S, A). Nothing follows the state `ended`."""
    n, n_actions = policy.shape
    row = np.zeros(n)
    for s in range(n):
        row[s] = 1.0
        if s != ended:
            for a in range(n_actions):
                share = chains.discount * policy[s, a]
                if share != 0.0:
                    place = s * n_actions + a
                    for e in range(chains.indptr[place], chains.indptr[place + 1]):
                        row[chains.indices[e]] -= share * chains.probability[e]
        eliminate_row(chains.places, s, row, below, inverse, above)


@compiled
def best_options(chains, options, goal, worth, best):
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
            own[s] = max(0.0, worth[s] / chains.discount - ahead)
            loss[s, 0] = own[s]
        # 2. Lower bounds.
        left = _candidates(chains, options, o, goal, worth, loss, _TIE + _ROUNDING, best[o])
        before = n + 1
        while 0 < left < before:
            before = left
            _sweep(chains, options, o, goal, own, loss)
            left = _candidates(chains, options, o, goal, worth, loss, _TIE + _ROUNDING, best[o])
        # 3. The loss.
        if left:
            _solve_loss(chains, options, o, goal, own, loss)
            left = _candidates(chains, options, o, goal, worth, loss, _TIE, best[o])
        some = some or left > 0
    return some


@compiled
def _candidates(chains, options, o, goal, worth, loss, tie, best):
    """Write the states other than the goal in which the loss is small enough; return how many."""
    count = 0
    for s in range(worth.size):
        small = loss[s, 0] <= tie * worth[s] / chains.discount
        best[s] = small and options.available[o, s] and s != goal
        count += best[s]
    return count


@compiled
def _sweep(chains, options, o, goal, own, loss):
    """Add up what the next steps lose, last state first and then first state first."""
    n = own.size
    for k in range(2 * n):
        s = n - 1 - k if k < n else k - n
        more = 0.0
        for e in range(options.indptr[o * n + s], options.indptr[o * n + s + 1]):
            t = options.indices[e]
            if t != goal:
                more += options.probability[e] * (1.0 - options.stop[o, t]) * loss[t, 0]
        loss[s, 0] = own[s] + chains.discount * more


@compiled
def _solve_loss(chains, options, o, goal, own, loss):
    """Write the exact loss, (S, 1)."""
    n = own.size
    places = chains.places
    below, above = np.empty(places.lower.size), np.empty(places.upper.size)
    inverse, row = np.empty(n), np.zeros(n)
    for s in range(n):
        row[s] = 1.0
        for e in range(options.indptr[o * n + s], options.indptr[o * n + s + 1]):
            t = options.indices[e]
            if t != goal:
                row[t] -= chains.discount * options.probability[e] * (1.0 - options.stop[o, t])
        eliminate_row(places, s, row, below, inverse, above)
        loss[s, 0] = own[s]
    solve(places, below, inverse, above, loss)
