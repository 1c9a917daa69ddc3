"""SARSA over actions and options, with a bonus read from the agent's own predictive map.

The rules are Eqs. 2 and 8 and Algorithm S2. For a choice c made in s_0 that ends in s_T, where c'
is chosen next,

    Q(s_0, c) += a (R + g^T Q(s_T, c') - Q(s_0, c)),    R = sum_{k<T} g^k (r_k + w b(s_k, s_{k+1})),

or, with one bonus per choice, R = sum_k g^k r_k + w b(s_0, s_T). The reward r_k is that of the
task, such as 1 on entering a goal. Nothing follows where the task ends. The bonus b(s, s') is read
from the map M after M has learned from the step, or from the choice:

    SPIE      M(s, s')^2 - sum_x M(x, s')^2
    SPIE_L1   M(s, s') - sum_x M(x, s')          entries of a map are not negative
    NORM      1 / sum_x M(s', x)                 or of the row of s
    GIVEN     b(M, s, s')                        a function that a user added

Sums over columns are updated with every row that changes. Sums over rows, m(s) = sum_x M(s, x),
obey the rule of their rows, so that NORM needs no map at all:

    m(s_0) += a (sum_{k<T} g^k + g^T m(s_T) - m(s_0))
"""

import numpy as np

from hsr._base.compiled import inlined, lean
from hsr._base.row_arithmetic import mix_measured_row
from hsr.kernels.acting import choose, count_step, move, option_action, stops, write
from hsr.kernels.linear_q import outcome
from hsr.kernels.records import (
    DIVERGED,
    FINISHED,
    PAUSED,
    SARSA_CHOICE,
    SARSA_DURATION,
    SARSA_EPISODE,
    SARSA_NEXT,
    SARSA_PAUSE_AT,
    SARSA_RETURN_AT,
    SARSA_STATE,
    SARSA_TIME,
)
from hsr.kernels.td import learn_step, settle_row

NONE, NORM, SPIE, SPIE_L1, GIVEN = 0, 1, 2, 3, 4
BONUS = "float64(Array(float64, 2, 'A', True), int64, int64)"
"""The type of a given bonus, as Numba writes it: M is strided and read-only."""


@inlined
def read_values(Q, available, s, n, q):
    """Write the values of the first n choices available in s into q (C,).

    Choices that cannot be made get the value minus infinity.
    """
    if n == q.size:
        for c in range(q.size):
            q[c] = Q[s, c]
    else:
        for c in range(q.size):
            q[c] = -np.inf
        for i in range(n):
            q[available[s, i]] = Q[s, available[s, i]]


@inlined
def add_visit(M, column_sums, squares, s, visited, amount):
    """Add to one entry of M, and to the sum over its column."""
    old = M[s, visited]
    new = old + amount
    M[s, visited] = new
    column_sums[0, visited] += new * new - old * old if squares else new - old


@inlined
def learn_map(M, column_sums, row_sums, squares, path, first, n, gamma, gain, span, alpha):
    """Move the row of path[first] towards the visits along path[first:n] and what path[n] predicts.

    gain is gamma to the length of that stretch of the path, and span the sum of gamma^k along it.
    """
    s = path[first]
    s_T = path[n]
    if row_sums.size > 0:
        row_sums[s] += alpha * (span + gain * row_sums[s_T] - row_sums[s])
    if M.shape[0] > 0:
        mix_measured_row(M, s, s_T, gain, alpha, column_sums, squares)
        weight = alpha
        for k in range(first, n):
            add_visit(M, column_sums, squares, s, path[k], weight)
            weight *= gamma


@inlined
def settle_map(M, column_sums, row_sums, squares, end, alpha):
    """Move the row of the state in which the task ends towards one visit, with nothing after it."""
    if row_sums.size > 0:
        row_sums[end] += alpha * (1.0 - row_sums[end])
    if M.shape[0] > 0:
        mix_measured_row(M, end, end, 0.0, alpha, column_sums, squares)
        add_visit(M, column_sums, squares, end, end, alpha)


def caught(b):
    """Return a bonus that is not-a-number where b raises, because a kernel cannot catch errors."""

    def bonus(M, s, arrived):
        try:
            return b(M, s, arrived)
        except Exception:
            return np.nan

    return bonus


@inlined
def bonus_of(bonus, given, M, column_sums, row_sums, norm_of_left, s, arrived):
    """Return b(s, s').

    A given function sees M without the zeros that pad its rows.
    """
    if given is not None:
        return given(M[:, : M.shape[0]], s, arrived)
    if bonus == SPIE:
        return M[s, arrived] * M[s, arrived] - column_sums[0, arrived]
    if bonus == SPIE_L1:
        return M[s, arrived] - column_sums[0, arrived]
    return 1.0 / row_sums[s if norm_of_left else arrived]


@lean
def explore(rng, tables, rule, state, given):
    """Act and learn until all steps are used, a value is not finite, or a pause is due.

    1. Choose epsilon-greedily where the agent is, unless the choice was made before a pause.
    2. Update the value of the former choice, which has waited for this one. Stop if the value is
       not finite, if all steps are used, or if PAUSE_AT steps have been made.
    3. Begin the choice made in 1.
    4. Pause, if RETURN_AT steps have been made; the choice resumes here. Act and move; log the
       step.
    5. See whether the task has ended, all steps are used, or the option stopped.
    6. Learn the SR and count the transitions in which options are found.
    7. Learn the map of the bonus: the SR after every step, the HSR at the end of the choice.
    8. Add the bonus of each step learned in 7. Go back to 4 until the choice has ended.
    9. Add the bonus of the choice.
    10. If the task has ended, update the value of the choice, after which nothing follows, and
        return to the start. Go back to 1.

    A choice made in 1 that step 2 does not let begin is written into the clock, and begins after
    the pause. If the choices have changed meanwhile, the caller writes -1 in its place, and another
    one is made.

    Parameters
    ----------
    rng : Generator
        Draws a number only where something is random, in the order of events.
    tables, rule, state : tuple
        Fields of `Tables`, `SarsaRule` and `SarsaState` of `records`. Plain tuples are quicker to
        pass than named ones.
    given : function of the type BONUS, or None
        For the bonus GIVEN and only for it. Without it the loop is compiled as if there were no
        such bonus, so that it costs the others nothing.

    Returns
    -------
    int
        FINISHED, DIVERGED, or PAUSED; call again to resume.
    """
    indptr, arrival, cumulative, n_actions = tables[:4]
    available, n_available, successor, action, policy, beta = tables[4:10]
    seen, pays, ends = tables[11:]
    gamma, alpha, map_alpha, epsilon, tolerance = rule[:5]
    bonus, weight, learns_each_step, pays_each_step, norm_of_left = rule[5:10]
    steps, start, goal = rule[10:]
    Q, M, column_sums, row_sums, sr = state[:5]
    q, path, sums, clock = state[5:9]
    first_visit, visits, choice_use, trace = state[9:]
    time, s, episode = clock[SARSA_TIME], clock[SARSA_STATE], clock[SARSA_EPISODE]
    squares = bonus == SPIE
    pays_steps = bonus != NONE and pays_each_step
    pays_choices = bonus != NONE and not pays_each_step
    learns_sr, traces = sr.shape[0] > 0, trace.shape[0] > 0
    names_actions = traces or seen.shape[0] > 0 or pays is not None
    made, c, n = clock[SARSA_NEXT], clock[SARSA_CHOICE], clock[SARSA_DURATION]
    limit, return_at = min(steps, clock[SARSA_PAUSE_AT]), clock[SARSA_RETURN_AT]
    status = FINISHED
    awaits_update = False
    resumes = c >= 0
    s_0, c_0 = np.int64(path[0]) if resumes else s, c
    total, gain, span = sums[0], sums[1], sums[2]
    while status == FINISHED and (resumes or awaits_update or time < limit):
        if not resumes:
            # 1. Choose.
            read_values(Q, available, s, n_available[s], q)
            c = made
            made = np.int64(-1)
            if c < 0:
                n_choices = n_available[s]
                c = np.int64(
                    choose(rng, q, available, s, n_choices, epsilon, tolerance, False, False)
                )
            # 2. Update the value of the former choice.
            if awaits_update:
                value = Q[s_0, c_0] + alpha * (total + gain * q[c] - Q[s_0, c_0])
                Q[s_0, c_0] = value
                awaits_update = False
                if not abs(value) < np.inf:
                    status = DIVERGED
                if status == DIVERGED or time >= limit:
                    made = c
                    break
            # 3. Begin the choice.
            choice_use[c] += 1
            s_0, c_0 = s, c
            n = 0
            total, gain, span = 0.0, 1.0, 0.0
            path[0] = s
        resumes = False
        terminated = False
        ended = False
        a = c
        while not ended:
            # 4. Pause, or act and move.
            if time >= return_at:
                status = PAUSED
                break
            arrived = successor[c, s]
            if c >= n_actions and (arrived < 0 or names_actions):
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
            # 5. What has ended?
            row = s * n_actions + a
            reward, terminated = outcome(pays, ends, goal, indptr, arrival, row, arrived)
            ended = (
                c < n_actions
                or terminated
                or time >= steps
                or stops(rng, beta[c - n_actions, arrived])
            )
            total += gain * reward
            discount = gain
            span += gain
            gain *= gamma
            # 6. Learn the SR and count the transitions in which options are found.
            count_step(seen, indptr, arrival, row, arrived)
            if learns_sr:
                learn_step(sr, s, arrived, gamma, map_alpha)
                if terminated:
                    settle_row(sr, arrived, map_alpha)
            # 7. Learn the map of the bonus.
            if learns_each_step or ended:
                first, ahead, length = (n - 1, gamma, 1.0) if learns_each_step else (0, gain, span)
                learn_map(
                    M,
                    column_sums,
                    row_sums,
                    squares,
                    path,
                    first,
                    n,
                    gamma,
                    ahead,
                    length,
                    map_alpha,
                )
                if terminated:
                    settle_map(M, column_sums, row_sums, squares, arrived, map_alpha)
                # 8. Add the bonus of each step.
                if pays_steps:
                    pay = weight * discount if learns_each_step else weight
                    for k in range(first, n):
                        left, entered = path[k], path[k + 1]
                        total += pay * bonus_of(
                            bonus, given, M, column_sums, row_sums, norm_of_left, left, entered
                        )
                        pay *= gamma
            s = np.int64(arrived)
        if status == PAUSED:
            break
        # 9. Add the bonus of the choice.
        if pays_choices:
            total += weight * bonus_of(bonus, given, M, column_sums, row_sums, norm_of_left, s_0, s)
        # 10. Return to the start.
        awaits_update = not terminated
        if terminated:
            value = Q[s_0, c] + alpha * (total - Q[s_0, c])
            Q[s_0, c] = value
            s = start
            episode += 1
            if not abs(value) < np.inf:
                status = DIVERGED
    clock[SARSA_CHOICE], clock[SARSA_DURATION] = c if status == PAUSED else -1, n
    if status == FINISHED and time < steps:
        status = PAUSED
    clock[SARSA_TIME], clock[SARSA_STATE] = time, s
    clock[SARSA_EPISODE], clock[SARSA_NEXT] = episode, made
    sums[0], sums[1], sums[2] = total, gain, span
    return status
