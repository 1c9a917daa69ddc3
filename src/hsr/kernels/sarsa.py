"""SARSA over actions and options, with a bonus for what the agent's own predictive map finds new
(Eqs. 2, 8, Algorithm S2).

For a choice c made in s_0 that ends in s_T, where c' is chosen next,

    Q(s_0, c) += a (R + g^T Q(s_T, c') - Q(s_0, c)),     R = sum_{k<T} g^k (r_k + w b(s_k, s_{k+1})),

or, with one bonus a choice, R = sum_k g^k r_k + w b(s_0, s_T). The reward r_k is 1 on entering the
goal, after which nothing follows. The bonus b(s, s') is read from the map M after M has learned
from the step, or from the choice:

    SPIE      M(s, s')^2 - sum_x M(x, s')^2
    SPIE_L1   M(s, s') - sum_x M(x, s')          entries of a map are not negative
    NORM      1 / sum_x M(s', x)                 or of the row of s
    GIVEN     b(M, s, s')                        a function from elsewhere

Sums over columns are brought up to date with every row that changes. Sums over rows, m(s) = sum_x
M(s, x), obey the rule of their rows, so that NORM needs no map at all:

    m(s_0) += a (sum_{k<T} g^k + g^T m(s_T) - m(s_0))

One step, in this order: act, move, and see whether the goal was entered, the steps are used up or
the option stopped; learn the SR; when the choice has ended learn the HSR; take the bonus; make the
next choice; update the value of the former one.
"""

from collections import namedtuple

import numpy as np

from hsr._base.compiled import inlined, lean
from hsr._base.row_arithmetic import mix_measured_row
from hsr.kernels.acting import choose, move, option_action, stops, write
from hsr.kernels.rows import learn_step, settle_row

NONE, NORM, SPIE, SPIE_L1, GIVEN = 0, 1, 2, 3, 4
FINISHED, PAUSED, DIVERGED = 0, 1, 2
BONUS = "float64(Array(float64, 2, 'A', True), int64, int64)"
"""The type of a given bonus, as Numba writes it: M is strided and read-only."""

Rule = namedtuple(
    "Rule",
    (
        "gamma",
        "alpha",
        "map_alpha",
        "epsilon",
        "tolerance",
        "bonus",
        "weight",
        "stepwise",
        "per_step",
        "of_left",
    ),
)
"""How the agent learns. tolerance: values that close tie; bonus: one of the five, times weight; stepwise: M is the SR, which
learns at every step, else the HSR, which learns when a choice ends; per_step: a bonus for every step, else one for a choice;
of_left: NORM of the state left, else of the one arrived in."""

Learner = namedtuple("Learner", ("Q", "M", "sums", "mass", "sr"))
"""What it knows. Q (S, C): values; M (S, D): the map of the bonus; sums (1, D): over M's columns, of squares for SPIE; mass
(S,): sums over M's rows, for NORM; sr (S, D): another map, learned at every step. M, mass and sr are empty where not used."""

Log = namedtuple("Log", ("first_visit", "visits", "use", "trace"))
"""What happened. first_visit (S,): steps when a state was first seen, -1 before; visits (S,): arrivals; use (C,): how often
each choice was made; trace (steps, 6): as in `records.Log`, or empty."""


@inlined
def look(Q, listing, s, n, q):
    """Write the values of the first n choices listed for s into q (C,), minus infinity for the
    others.
    """
    if n == q.size:
        for c in range(q.size):
            q[c] = Q[s, c]
    else:
        for c in range(q.size):
            q[c] = -np.inf
        for i in range(n):
            q[listing[s, i]] = Q[s, listing[s, i]]


@inlined
def add_visit(M, sums, squares, s, visited, amount):
    """Add to one entry of M, and to the sum over its column."""
    old = M[s, visited]
    new = old + amount
    M[s, visited] = new
    sums[0, visited] += new * new - old * old if squares else new - old


@inlined
def learn_map(M, sums, mass, squares, path, first, n, gamma, gain, span, alpha):
    """Move the row of path[first] towards the visits along path[first:n] and what follows from
    path[n].

    gain: gamma to the length of that part of the path; span: the sum of gamma^k along it.
    """
    s = path[first]
    s_T = path[n]
    if mass.size > 0:
        mass[s] += alpha * (span + gain * mass[s_T] - mass[s])
    if M.shape[0] > 0:
        mix_measured_row(M, s, s_T, gain, alpha, sums, squares)
        weight = alpha
        for k in range(first, n):
            add_visit(M, sums, squares, s, path[k], weight)
            weight *= gamma


@inlined
def settle_map(M, sums, mass, squares, goal, alpha):
    """Move the goal's row towards one visit, after which nothing follows."""
    if mass.size > 0:
        mass[goal] += alpha * (1.0 - mass[goal])
    if M.shape[0] > 0:
        mix_measured_row(M, goal, goal, 0.0, alpha, sums, squares)
        add_visit(M, sums, squares, goal, goal, alpha)


def caught(b):
    """Return a bonus that is not a number where b raises: a kernel could not hear of it otherwise."""

    def bonus(M, s, arrived):
        try:
            return b(M, s, arrived)
        except Exception:
            return np.nan

    return bonus


@inlined
def bonus_of(bonus, given, M, sums, mass, of_left, s, arrived):
    """Return b(s, s'); by the function that is given, if one is, which sees M without the zeros
    that fill up its rows.
    """
    if given is not None:
        return given(M[:, : M.shape[0]], s, arrived)
    if bonus == SPIE:
        return M[s, arrived] * M[s, arrived] - sums[0, arrived]
    if bonus == SPIE_L1:
        return M[s, arrived] - sums[0, arrived]
    return 1.0 / mass[s if of_left else arrived]


@lean
def explore(rng, world, choices, rule, task, learner, log, clock, pause_at, q, path, given=None):
    """Act and learn until all steps are used (FINISHED), a value is not finite (DIVERGED), or it is
    time to pause (PAUSED).

    choices: listing, count, certain, action, policy and beta of `records.Choices`; task: steps,
    start, and goal, -1 where there is none; rule, learner and log: those above. They come as plain
    tuples, quicker to hand over. A pause comes before the first choice at or after `pause_at`
    steps; one that has been carried over is forgotten then and made anew. Calling again goes on
    from `clock`: steps so far, state, episode. q (C,) is room to work in, and path for the states
    that one choice passes, its end included. given: a function of the type BONUS, for the bonus
    GIVEN and only for it; without it the loop is compiled as if there were no such thing, so that
    it costs the other bonuses nothing.
    """
    indptr, arrival, cumulative, n_actions = world
    listing, count, certain, action, policy, beta = choices
    gamma, alpha, map_alpha, epsilon, tolerance, bonus, weight, stepwise, per_step, of_left = rule
    steps, start, goal = task
    Q, M, sums, mass, sr = learner
    first_visit, visits, use, trace = log
    time, s, episode = clock[0], clock[1], clock[2]
    squares = bonus == SPIE
    pays_steps, pays_choices = bonus != NONE and per_step, bonus != NONE and not per_step
    learns_sr, traces = sr.shape[0] > 0, trace.shape[0] > 0
    limit = min(steps, pause_at)
    status = FINISHED
    owes = False
    s_0, c_0 = s, 0
    total, gain = 0.0, 1.0
    while status == FINISHED and (owes or time < limit):
        look(Q, listing, s, count[s], q)
        c = choose(rng, q, listing, s, count[s], epsilon, tolerance)
        if owes:
            value = Q[s_0, c_0] + alpha * (total + gain * q[c] - Q[s_0, c_0])
            Q[s_0, c_0] = value
            owes = False
            if not abs(value) < np.inf:
                status = DIVERGED
            if status == DIVERGED or time >= limit:
                break
        use[c] += 1
        s_0, c_0 = s, c
        n = 0
        total, gain, span = 0.0, 1.0, 0.0
        terminated = False
        ended = False
        path[0] = s
        a = c
        while not ended:
            arrived = certain[c, s]
            if c >= n_actions and (arrived < 0 or traces):
                a = option_action(rng, action, policy, n_actions, c - n_actions, s)
            if arrived < 0:
                arrived = move(rng, indptr, arrival, cumulative, s * n_actions + a)
            if traces:
                write(trace, time, episode, c, n == 0, s, a, arrived)
            time += 1
            n += 1
            path[n] = arrived
            if first_visit[arrived] < 0:
                first_visit[arrived] = time
            visits[arrived] += 1
            terminated = arrived == goal
            ended = (
                c < n_actions
                or terminated
                or time >= steps
                or stops(rng, beta[c - n_actions, arrived])
            )
            if terminated:
                total += gain
            discount = gain
            span += gain
            gain *= gamma
            if learns_sr:
                learn_step(sr, s, arrived, gamma, map_alpha)
                if terminated:
                    settle_row(sr, arrived, map_alpha)
            if stepwise or ended:
                first, ahead, length = (n - 1, gamma, 1.0) if stepwise else (0, gain, span)
                learn_map(M, sums, mass, squares, path, first, n, gamma, ahead, length, map_alpha)
                if terminated:
                    settle_map(M, sums, mass, squares, arrived, map_alpha)
                if pays_steps:
                    pay = weight * discount if stepwise else weight
                    for k in range(first, n):
                        total += pay * bonus_of(
                            bonus, given, M, sums, mass, of_left, path[k], path[k + 1]
                        )
                        pay *= gamma
            s = arrived
        if pays_choices:
            total += weight * bonus_of(bonus, given, M, sums, mass, of_left, s_0, s)
        owes = not terminated
        if terminated:
            value = Q[s_0, c] + alpha * (total - Q[s_0, c])
            Q[s_0, c] = value
            s = start
            episode += 1
            if not abs(value) < np.inf:
                status = DIVERGED
    if status == FINISHED and time < steps:
        status = PAUSED
    clock[0], clock[1], clock[2] = time, s, episode
    return status
