"""Linear Q-learning over actions and options, with maps learned online.

The rules are Eqs. 2 and 8 and Algorithms S2 and S3. What few agents need is in modules of its own:
intra-option updates (`intra_option`) and generalised policy improvement (`pool`).
"""

import numpy as np

from hsr._base.compiled import inlined, internal, lean
from hsr.kernels.acting import choose, count_step, move, option_action, place_of, stops, write
from hsr.kernels.intra_option import has_maps, learn_every_choice, learn_options, read_again
from hsr.kernels.pool import learn_reward, tried
from hsr.kernels.records import (
    CHOICE,
    DIVERGED,
    DURATION,
    EPISODE,
    EXPLORES,
    FINISHED,
    N_COVERED,
    N_TRACED,
    ONE_EPISODE,
    PAUSE_AT,
    PAUSED,
    RETURN_AT,
    STATE,
    TIME,
    TOTAL_TIME,
    WALKER,
)
from hsr.kernels.td import learn_row, learn_step
from hsr.kernels.values import larger, learn_value, read_values, value


@inlined
def visit(first_visit, s, time):
    """Note the first visit of a state, and return whether this was one."""
    if first_visit[s] >= 0:
        return 0
    first_visit[s] = time
    return 1


@inlined
def outcome(pays, ends, goal, indptr, arrival, row, arrived):
    """Return what a step pays, and whether it ends the episode."""
    if pays is None:
        return (1.0, True) if arrived == goal else (0.0, False)
    return pays[place_of(indptr, arrival, row, arrived)], ends[arrived]


@inlined
def log_reward(pays, returns, episode, gamma, time, reward):
    """Add the reward of step number `time` to the return of the episode, if returns are logged."""
    if pays is not None:
        returns[episode] += gamma ** (time - 1) * reward


@internal
def walk(rng, tables, M, w, gamma, alpha):
    """Take one step of a random walk from w, learn its row, and return where it led."""
    a = int(rng.random() * tables.n_actions)
    arrived = np.int64(tables.successor[a, w])
    if arrived < 0:
        row = w * tables.n_actions + a
        arrived = np.int64(move(rng, tables.indptr, tables.arrival, tables.cumulative, row))
    learn_step(M, w, arrived, gamma, alpha)
    return arrived


@internal
def learn_choice(M, path, n, s_T, gamma, alpha, learns_passed_rows):
    """Learn the HSR's row of path[0], where a choice was made that ended in s_T after n steps.

    With `learns_passed_rows` the rows of all states on its path learn, the last one first.
    """
    gain = 1.0
    for k in range(n - 1, -1, -1):
        gain *= gamma
        if k == 0 or learns_passed_rows:
            learn_row(M, path, k, n, s_T, gain, gamma, alpha)


@internal
def learn_end(M, goal, after, gain, alpha):
    """Learn the row of the goal; called so rarely that a copy of it would not be worth its code."""
    learn_step(M, goal, after, gain, alpha)


@lean
def learn(rng, tables, rule, state):
    """Run episodes until all are done, values blow up, or a pause is due.

    1. Begin an episode: draw its start, and read the values of all choices there.
    2. Pause, if `PAUSE_AT` total steps have been made.
    3. Choose epsilon-greedily.
    4. Run an option to its last step at once, if none of its steps is random or learned from.
    5. Pause, if `RETURN_AT` total steps have been made; the choice resumes here. Act and move; log
       the step.
    6. See whether the goal was entered (it pays 1), the horizon was reached, the option stopped, or
       exploration interrupts it.
    7. Learn the maps: the SR's row of this step; when the choice ends, the HSR's row of the state
       in which it was made; at the goal, its own row.
    8. Read the values where the step led, zero at the goal. If the task continues, read those of
       the start instead.
    9. Update values, all from those of 8: the primitive action of the step, and the choice that
       has ended.
    10. Go back to 5 until the choice has ended. Then read the values that 9 has moved, and go back
        to 2 until the episode is over.
    11. Log the episode.

    A choice that is cut off by the horizon counts as ended there, and its value bootstraps: only
    the goal is worth nothing more, unless the task continues.

    Parameters
    ----------
    rng : Generator
        Draws a number only where something is random, in the order of events.
    tables : Tables
        The MDP and what can be chosen. If `intra` of the state or `pays` is not None, `is_certain`
        must be false, so that step 4 skips no step.
    rule : LinearQRule
        How the agent acts and learns, and its task.
    state : LinearQState
        What is learned and logged. Its clock says where the run stands, and when it pauses. It is
        read on entry and written on return.

    Returns
    -------
    int
        FINISHED, DIVERGED, or PAUSED; call again to resume.
    """
    indptr, arrival, cumulative, n_actions = tables[:4]
    available, n_available, successor, action, policy, beta, is_certain = tables[4:11]
    pays, ends = tables.pays, tables.ends
    kind, gamma, alpha = rule.kind, rule.gamma, rule.alpha
    map_gamma, map_alpha = rule.map_gamma, rule.map_alpha
    starts, goal, horizon, continues = rule.starts, rule.goal, rule.horizon, rule.continues
    W, X, sr, hsr = state.W, state.X, state.sr, state.hsr
    intra, pool_values, reward_weights = state.intra, state.pool_values, state.reward_weights
    q, path, sums, clock = state.q, state.path, state.sums, state.clock
    first_visit, trace = state.first_visit, state.trace
    episode, time, s = clock[EPISODE], clock[TIME], clock[STATE]
    total_time, n_covered, n_traced = clock[TOTAL_TIME], clock[N_COVERED], clock[N_TRACED]
    explores, pause_at, return_at = clock[EXPLORES] > 0, clock[PAUSE_AT], clock[RETURN_AT]
    c, n, total, gain = clock[CHOICE], clock[DURATION], sums[0], sums[1]
    learns_sr, learns_hsr = sr.shape[0] > 0, hsr.shape[0] > 0
    reads_each_step = rule.learns_primitives or rule.learns_consistent
    skips_to_the_end = is_certain and not (
        reads_each_step or learns_sr or rule.explores_each_step or trace.shape[0] > 0
    )
    goal_gain = map_gamma if continues else 0.0
    if clock[WALKER] < 0:
        clock[WALKER] = starts[0]
    status = FINISHED
    while episode < state.steps.size and status == FINISHED:
        # 1. Begin an episode, or resume one.
        if s < 0:
            s = starts[int(rng.random() * starts.size)] if starts.size > 1 else starts[0]
            time = 0
            n_covered += visit(first_visit, s, total_time)
        read_values(kind, W, X, available, n_available[s], s, q)
        over = False
        terminated = False
        while not over:
            if c < 0:
                # 2. Pause.
                if total_time >= pause_at:
                    status = PAUSED
                    break
                # 3. Choose.
                n_tried, margin = tried(rule, tables, pool_values, n_actions, s, q)
                # As int64, like the clock: for each width of integers, code is compiled once more.
                c = np.int64(
                    choose(
                        rng,
                        q,
                        available,
                        s,
                        n_tried,
                        rule.epsilon,
                        margin,
                        rule.takes_first,
                        explores,
                    )
                )
                explores = False
                state.choice_use[c] += 1
                state.decisions[episode] += 1
                n = 0
                total = 0.0
                gain = 1.0
            ended = False
            a = c
            # 4. Run an option to its last step, from which step 5 continues.
            if skips_to_the_end and c >= n_actions:
                last = min(horizon - 1, time + return_at - total_time)
                arrived = np.int64(successor[c, s])
                while arrived != goal and time < last and beta[c - n_actions, arrived] == 0.0:
                    path[n] = s
                    n += 1
                    s = arrived
                    time += 1
                    total_time += 1
                    gain *= gamma
                    n_covered += visit(first_visit, s, total_time)
                    arrived = np.int64(successor[c, s])
            while not ended:
                # 5. Pause, or act and move.
                if total_time >= return_at:
                    status = PAUSED
                    break
                if c >= n_actions:
                    a = option_action(rng, action, policy, n_actions, c - n_actions, s)
                arrived = np.int64(successor[c, s])
                if arrived < 0:
                    arrived = np.int64(move(rng, indptr, arrival, cumulative, s * n_actions + a))
                time += 1
                total_time += 1
                n_covered += visit(first_visit, arrived, total_time)
                if n_traced < trace.shape[0]:
                    write(trace, n_traced, episode, c, n == 0, s, a, arrived)
                    n_traced += 1
                path[n] = s
                n += 1
                # 6. What has ended?
                reward, terminated = outcome(
                    pays, ends, goal, indptr, arrival, s * n_actions + a, arrived
                )
                log_reward(pays, state.returns, episode, gamma, time, reward)
                total += gain * reward
                gain *= gamma
                over = terminated or time >= horizon
                ended = over or c < n_actions or stops(rng, beta[c - n_actions, arrived])
                if rule.explores_each_step and not ended:
                    explores = rng.random() < rule.epsilon
                    ended = explores

                # 7. Learn the maps.
                after = starts[0] if continues else arrived
                count_step(tables.seen, indptr, arrival, s * n_actions + a, arrived)
                if learns_sr and rule.walks:
                    clock[WALKER] = walk(rng, tables, sr, clock[WALKER], map_gamma, map_alpha)
                elif learns_sr:
                    learn_step(sr, s, arrived, map_gamma, map_alpha)
                    if terminated:
                        learn_end(sr, arrived, after, goal_gain, map_alpha)
                if learns_hsr:
                    if has_maps(intra):
                        learn_every_choice(
                            intra,
                            hsr,
                            rule,
                            W,
                            X,
                            tables,
                            pool_values,
                            n_actions,
                            s,
                            a,
                            arrived,
                            terminated,
                            q,
                        )
                    elif ended:
                        learn_choice(
                            hsr, path, n, arrived, map_gamma, map_alpha, rule.learns_passed_rows
                        )
                    if terminated:
                        learn_end(hsr, arrived, after, goal_gain, map_alpha)

                # 8. Read the values where the step led.
                best = 0.0
                if (continues or not terminated) and (ended or reads_each_step):
                    x = after if terminated else arrived
                    best = read_values(kind, W, X, available, n_available[x], x, q)

                # 9. Update values.
                error = learn_options(
                    intra,
                    rule,
                    W,
                    X,
                    tables,
                    n_actions,
                    c,
                    s,
                    a,
                    arrived,
                    reward,
                    best,
                    ended,
                    terminated,
                )
                if rule.learns_primitives:
                    delta = reward + gamma * best - value(kind, W, X, a, s)
                    size = learn_value(kind, W, X, a, s, alpha, delta, rule.largest)
                    error = larger(error, size)
                if rule.learns_chosen and ended and (c >= n_actions or not rule.learns_primitives):
                    s_0 = np.int64(path[0])
                    delta = total + gain * best - value(kind, W, X, c, s_0)
                    size = learn_value(kind, W, X, c, s_0, alpha, delta, rule.largest)
                    error = larger(error, size)
                error = learn_reward(
                    error, reward_weights, kind, X, arrived, reward, alpha, rule.largest
                )
                s = arrived
                if not error < rule.largest:
                    status = DIVERGED
                    over = True
                    ended = True
            if status == PAUSED:
                break
            # 10. Read what 9 has moved.
            if not over:
                if rule.learns_consistent:
                    read_again(intra, kind, W, X, tables, s, q)
                else:
                    q[a] = value(kind, W, X, a, s)
                    if c != a and q[c] > -np.inf:
                        q[c] = value(kind, W, X, c, s)
            c = np.int64(-1)
        # 11. Log the episode.
        if status == FINISHED:
            state.steps[episode] = time
            state.terminated[episode] = terminated and (goal < 0 or s == goal)
            state.covered[episode] = n_covered
            episode += 1
            s = -1
            if clock[ONE_EPISODE]:
                status = PAUSED
    clock[EPISODE], clock[TIME], clock[STATE] = episode, time, s
    clock[TOTAL_TIME], clock[N_COVERED], clock[N_TRACED] = total_time, n_covered, n_traced
    clock[EXPLORES], clock[CHOICE], clock[DURATION] = explores, c, n
    sums[0], sums[1] = total, gain
    return status
