"""Linear Q-learning over actions and options, with maps learned online.

The rules are Eqs. 2 and 8 and Algorithms S2 and S3. What few agents need is in modules of its own,
called through `Extras`: intra-option updates (`intra_option`), generalised policy improvement
(`pool`), and rewards other than that of a goal.
"""

import numpy as np

from hsr._base.compiled import inlined, internal, lean
from hsr._base.stop_flag import is_set
from hsr.kernels.acting import choose, count_step, move, option_action, place_of, stops, write
from hsr.kernels.intra_option import has_maps, learn_every_choice, learn_options, read_again
from hsr.kernels.pool import learn_reward, tried
from hsr.kernels.records import (
    DIVERGED,
    EPISODE,
    EXPLORES,
    FINISHED,
    N_COVERED,
    N_TRACED,
    ONE_EPISODE,
    PAUSE_AT,
    PAUSED,
    STATE,
    STOPPED,
    TIME,
    TOTAL_TIME,
)
from hsr.kernels.td import learn_row, learn_step
from hsr.kernels.values import larger, learn_value, read_values, value

LOOK = 1023  # whether the work was cancelled is looked up once in so many steps, plus one


@inlined
def visit(first_visit, s, time):
    """Note the first visit of a state, and return whether this was one."""
    if first_visit[s] >= 0:
        return 0
    first_visit[s] = time
    return 1


@inlined
def outcome(rewards, goal, indptr, arrival, row, arrived):
    """Return what a step pays, and whether it ends the episode."""
    if rewards is None:
        return (1.0, True) if arrived == goal else (0.0, False)
    return rewards.pays[place_of(indptr, arrival, row, arrived)], rewards.ends[arrived]


@inlined
def log_reward(rewards, returns, episode, gamma, time, reward):
    """Add the reward of step number `time` to the return of the episode, if returns are logged."""
    if rewards is not None:
        returns[episode] += gamma ** (time - 1) * reward


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
def learn(stop, rng, world, choices, rule, task, learner, log, clock, memory, extras):
    """Run episodes until all are done, values blow up, or a pause is due.

    1. Begin an episode: draw its start, and read the values of all choices there.
    2. Pause, if a number of total steps has been made.
    3. Choose epsilon-greedily.
    4. Run an option to its last step at once, if none of its steps is random or learned from.
    5. Act and move; log the step.
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
    stop : int array (1,)
        The loop returns soon after this is set, and nothing that it has written is of use.
    rng : Generator
        Draws a number only where something is random, in the order of events.
    world, choices, rule, task, learner, log : records
        `Transitions`, `Choices`, `LinearQRule`, `LinearQTask`, `LinearQLearner` and `LinearQLog` of
        `records`.
    clock : int array (9,)
        Where the run stands, read on entry and written on return, and when it pauses (places in
        `records`).
    memory : tuple of arrays (C,) and (horizon + 1,)
        Working memory: values of the choices, and states passed by the running choice.
    extras : Extras
        What few agents need. With `intra` or `rewards`, `is_certain` of the choices must be false,
        so that step 4 skips no step.

    Returns
    -------
    int
        FINISHED, DIVERGED, STOPPED, or PAUSED; call again to resume.
    """
    indptr, arrival, cumulative, n_actions = world
    available, n_available, successor, action, policy, beta, is_certain = choices
    kind, gamma, alpha = rule.kind, rule.gamma, rule.alpha
    map_gamma, map_alpha = rule.map_gamma, rule.map_alpha
    starts, goal, horizon, continues = task
    W, X, sr, hsr = learner
    q, path = memory
    first_visit, trace = log.first_visit, log.trace
    episode, time, s = clock[EPISODE], clock[TIME], clock[STATE]
    total_time, n_covered, n_traced = clock[TOTAL_TIME], clock[N_COVERED], clock[N_TRACED]
    explores, pause_at = clock[EXPLORES] > 0, clock[PAUSE_AT]
    learns_sr, learns_hsr = sr.shape[0] > 0, hsr.shape[0] > 0
    reads_each_step = rule.learns_primitives or rule.learns_consistent
    skips_to_the_end = is_certain and not (
        reads_each_step or learns_sr or rule.explores_each_step or trace.shape[0] > 0
    )
    goal_gain = map_gamma if continues else 0.0
    status = FINISHED
    while episode < log.steps.size and status == FINISHED:
        # 1. Begin an episode, or resume one.
        if s < 0:
            s = starts[int(rng.random() * starts.size)] if starts.size > 1 else starts[0]
            time = 0
            n_covered += visit(first_visit, s, total_time)
        read_values(kind, W, X, available, n_available[s], s, q)
        over = False
        terminated = False
        while not over:
            # 2. Pause.
            if total_time >= pause_at:
                status = PAUSED
                break
            # 3. Choose.
            n_tried, margin = tried(rule, choices, extras.gpi, n_actions, s, q)
            c = choose(
                rng, q, available, s, n_tried, rule.epsilon, margin, rule.takes_first, explores
            )
            explores = False
            log.choice_use[c] += 1
            log.decisions[episode] += 1
            n = 0
            total = 0.0
            gain = 1.0
            ended = False
            a = c
            # 4. Run an option to its last step, from which step 5 continues.
            if skips_to_the_end and c >= n_actions:
                # No further than to the next look for a cancellation, which is in step 5.
                last = min(horizon - 1, time + LOOK)
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
                if total_time & LOOK == 0 and is_set(stop):
                    return STOPPED
                # 5. Act and move.
                if c >= n_actions:
                    a = option_action(rng, action, policy, n_actions, c - n_actions, s)
                # As int64, like s: for each width of integers, functions are compiled once more.
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
                    extras.rewards, goal, indptr, arrival, s * n_actions + a, arrived
                )
                log_reward(extras.rewards, log.returns, episode, gamma, time, reward)
                total += gain * reward
                gain *= gamma
                over = terminated or time >= horizon
                ended = over or c < n_actions or stops(rng, beta[c - n_actions, arrived])
                if rule.explores_each_step and not ended:
                    explores = rng.random() < rule.epsilon
                    ended = explores

                # 7. Learn the maps.
                after = starts[0] if continues else arrived
                count_step(extras.seen, indptr, arrival, s * n_actions + a, arrived)
                if learns_sr:
                    learn_step(sr, s, arrived, map_gamma, map_alpha)
                    if terminated:
                        learn_end(sr, arrived, after, goal_gain, map_alpha)
                if learns_hsr:
                    if has_maps(extras.intra):
                        learn_every_choice(
                            extras.intra,
                            hsr,
                            rule,
                            W,
                            X,
                            choices,
                            extras.gpi,
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
                    extras.intra,
                    rule,
                    W,
                    X,
                    choices,
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
                    error, extras.gpi, kind, X, arrived, reward, alpha, rule.largest
                )
                s = arrived
                if not error < rule.largest:
                    status = DIVERGED
                    over = True
                    ended = True
            # 10. Read what 9 has moved.
            if not over:
                if rule.learns_consistent:
                    read_again(extras.intra, kind, W, X, choices, s, q)
                else:
                    q[a] = value(kind, W, X, a, s)
                    if c != a and q[c] > -np.inf:
                        q[c] = value(kind, W, X, c, s)
        # 11. Log the episode.
        if status == FINISHED:
            log.steps[episode] = time
            log.terminated[episode] = terminated and (goal < 0 or s == goal)
            log.covered[episode] = n_covered
            episode += 1
            s = -1
            if clock[ONE_EPISODE]:
                status = PAUSED
    clock[EPISODE], clock[TIME], clock[STATE] = episode, time, s
    clock[TOTAL_TIME], clock[N_COVERED], clock[N_TRACED] = total_time, n_covered, n_traced
    clock[EXPLORES] = explores
    return status
