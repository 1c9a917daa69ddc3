"""Linear Q-learning over actions and options, with maps learned online.

The rules are Eqs. 2 and 8 and Algorithms S2 and S3. The value of choice c in state s is q(c, s) =
W(c) . X(s), and an update with error d is W(c) += a d X(s). `kind` says what W and X are:

    LINEAR   W (C, D) weights, X (S, D) features, which may be a map whose rows are being learned
    DUAL     W (C, S) values,  X (S, S) inner products of fixed features: W(c) += a d X(s) moves the
             values of all states at once
    TABLE    W (C, S) values,  one-hot features, whose inner products are the identity
"""

import numpy as np

from hsr._base.compiled import inlined, internal, lean
from hsr._base.row_arithmetic import add_row, dot, four_dots
from hsr.kernels.acting import (
    best_of,
    choose,
    count_step,
    may_run,
    move,
    option_action,
    stops,
    to_probabilities,
    write,
)
from hsr.kernels.intra_option import learn_all_choices
from hsr.kernels.records import (
    DIVERGED,
    EPISODE,
    EXPLORES,
    FINISHED,
    N_COVERED,
    N_TRACED,
    PAUSED,
    STATE,
    TIME,
    TOTAL_TIME,
)
from hsr.kernels.rows import learn_row, learn_step
from hsr.kernels.watching import ALARM_TIME, watch_choice

TABLE, DUAL, LINEAR = 0, 1, 2
LARGEST = 1e6  # the goal pays 1: a larger error means that values have blown up


@inlined
def value(kind, W, X, c, s):
    """Return q(c, s)."""
    if kind == LINEAR:
        return dot(W, c, X, s)
    return W[c, s]


@inlined
def learn_value(kind, W, X, c, s, alpha, delta):
    """Move W(c) by alpha delta X(s), and return the size of the error delta.

    An error that is too large is not learned, so that the values of a diverged run stay finite.
    """
    size = abs(delta)
    if size < LARGEST:
        if kind == TABLE:
            W[c, s] += alpha * delta
        else:
            add_row(W, c, X, s, alpha * delta)
    return size


@inlined
def larger(error, size):
    """Return the larger of two errors, where not-a-number is larger than any number."""
    return error if error != error or size <= error else size


@inlined
def read_values(kind, W, X, available, n, s, q):
    """Write the values of the first n choices available in s into q (C,), and return the best.

    Choices that cannot be made get the value minus infinity.
    """
    if n < q.size:
        for c in range(q.size):
            q[c] = -np.inf
    if kind == LINEAR:
        for i in range(0, n - n % 4, 4):
            a, b = available[s, i], available[s, i + 1]
            c, d = available[s, i + 2], available[s, i + 3]
            q[a], q[b], q[c], q[d] = four_dots(W, a, b, c, d, X, s)
        for i in range(n - n % 4, n):
            c = available[s, i]
            q[c] = dot(W, c, X, s)
    elif n == q.size:
        for c in range(n):
            q[c] = W[c, s]
    else:
        for i in range(n):
            q[available[s, i]] = W[available[s, i], s]
    return best_of(q)


@inlined
def read_pool_values(pool_values, s, q):
    """Write the pool's values of the actions in s into q (C,), and return their largest magnitude.

    Options get the value minus infinity.
    """
    for c in range(pool_values.shape[1], q.size):
        q[c] = -np.inf
    largest = 0.0
    for a in range(pool_values.shape[1]):
        q[a] = pool_values[s, a]
        largest = max(largest, abs(q[a]))
    return largest


@internal
def learn_consistent(
    kind,
    gamma,
    alpha,
    W,
    X,
    available,
    n_available,
    action,
    beta,
    n_actions,
    s,
    a,
    arrived,
    reward,
    best,
    terminated,
):
    """Update every option that would have taken a in s, and return the largest error.

    1. Skip an option that takes another action in s, or cannot be running there.
    2. Its target is the reward, plus the discounted value of going on with probability 1 - beta or
       of the best choice with probability beta; at the goal every option stops.
    3. Move its value.
    """
    largest = 0.0
    for o in range(beta.shape[0]):
        c = n_actions + o
        # 1. Is the step consistent with the option?
        if action[o, s] != a or not may_run(available, n_available[s], c, s, beta[o, s]):
            continue
        # 2. The target.
        ahead = best
        if not terminated:
            stop = beta[o, arrived]
            ahead = (1.0 - stop) * value(kind, W, X, c, arrived) + stop * best
        target = reward + gamma * ahead
        # 3. The update.
        delta = target - value(kind, W, X, c, s)
        largest = larger(largest, learn_value(kind, W, X, c, s, alpha, delta))
    return largest


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


@lean
def write_values(W, X, out):
    """Write q(c, s) of all choices and states into out (C, S), for the kind LINEAR."""
    for c in range(out.shape[0]):
        for s in range(out.shape[1]):
            out[c, s] = dot(W, c, X, s)


@lean
def learn(
    rng,
    outcomes,
    choices,
    rule,
    task,
    learner,
    log,
    clock,
    pause_at,
    one_episode,
    q,
    path,
    Psi,
    watch,
):
    """Run episodes until all are done, values blow up, or a pause is due.

    1. Begin an episode: draw its start, and read the values of all choices there.
    2. Pause, if `pause_at` total steps have been made, or if a change was detected.
    3. Choose: epsilon-greedily by the agent's values, or by those of the pool.
    4. Run an option to its last step at once, if none of its steps is random or learned from.
    5. Act and move; log the step.
    6. See whether the goal was entered (it pays 1), the horizon was reached, the option stopped, or
       exploration interrupts it.
    7. Learn the maps: the SR's row of this step; when the choice ends, the HSR's row of the state
       in which it was made, or with `Psi` the HSR's row of every step; at the goal, its own row.
       Count the step if options are found in what was seen. With `watch`, test the error of the
       row before it learns.
    8. Read the values where the step led, zero at the goal. If the task continues, read those of
       the start instead.
    9. Update values, all from those of 8: options consistent with the step, its primitive action,
       the option that runs, the choice that has ended, the estimated reward.
    10. Go back to 5 until the choice has ended. Then read the values that 9 has moved, and go back
        to 2 until the episode is over.
    11. Log the episode.

    A choice that is cut off by the horizon counts as ended there, and its value bootstraps: only
    the goal is worth nothing more, unless the task continues.

    Parameters
    ----------
    rng : Generator
        Draws a number only where something is random, in the order of events.
    outcomes, choices, rule, task, learner, log : tuple
        Fields of `Transitions`, `Choices`, `LinearQRule`, `LinearQTask`, `LinearQLearner` and
        `LinearQLog` of `records`. Plain tuples are quicker to pass than named ones.
    clock : int array (7,)
        Where the run stands, read on entry and written on return (places in `records`).
    pause_at : int
        The run pauses before the first choice at or after this many total steps.
    one_episode : bool
        Whether to pause after every episode.
    q, path : array (C,) and int array (horizon + 1,)
        Working memory: values of the choices, and states passed by the running choice.
    Psi : array (C, S, D) or None
        The map of each choice, if the HSR is learned by intra-option updates. None has a type of
        its own, so that the code for them is compiled only for agents that need it. With an array,
        `is_certain` of the choices must be false, so that step 4 skips no step.
    watch : tuple or None
        The arguments of `watching.watch_choice`, if changes of the world are detected. As with
        `Psi`, None costs nothing.

    Returns
    -------
    int
        FINISHED, DIVERGED, or PAUSED; call again to resume.
    """
    indptr, arrival, cumulative, n_actions = outcomes
    available, n_available, successor, action, policy, beta, is_certain = choices
    (
        kind,
        gamma,
        alpha,
        map_alpha,
        epsilon,
        tolerance,
        learns_primitives,
        learns_chosen,
        learns_consistent,
        learns_running,
        learns_passed_rows,
        tries_primitives,
        takes_first,
        explores_each_step,
    ) = rule
    starts, goal, horizon, continues = task
    W, X, sr, hsr, reward_weights, pool_values, seen = learner
    steps, decisions, terminations, covered, choice_use, first_visit, trace = log
    episode, time, s = clock[EPISODE], clock[TIME], clock[STATE]
    total_time, n_covered, n_traced = clock[TOTAL_TIME], clock[N_COVERED], clock[N_TRACED]
    explores = clock[EXPLORES] > 0
    learns_sr, learns_hsr = sr.shape[0] > 0, hsr.shape[0] > 0
    learns_reward, uses_pool = reward_weights.shape[0] > 0, pool_values.shape[0] > 0
    # Naming a part of this expression costs intra-option learning a third of its speed.
    skips_to_the_end = is_certain and not (
        learns_primitives
        or learns_consistent
        or learns_sr
        or learns_reward
        or explores_each_step
        or trace.shape[0] > 0
    )
    after_goal = starts[0] if continues else goal
    goal_gain = gamma if continues else 0.0
    only = np.int64(0)  # the row of the weights of the reward
    status = FINISHED
    while episode < steps.size and status == FINISHED:
        # 1. Begin an episode, or resume one.
        if s < 0:
            s = starts[int(rng.random() * starts.size)] if starts.size > 1 else starts[0]
            time = 0
            if first_visit[s] < 0:
                first_visit[s] = total_time
                n_covered += 1
        read_values(kind, W, X, available, n_available[s], s, q)
        over = False
        terminated = False
        while not over:
            # 2. Pause.
            if watch is not None and watch[1][ALARM_TIME] >= 0:
                pause_at = total_time
            if total_time >= pause_at:
                status = PAUSED
                break
            # 3. Choose.
            if uses_pool:
                margin = read_pool_values(pool_values, s, q) * tolerance
                c = choose(rng, q, available, s, n_actions, epsilon, margin, takes_first, explores)
            else:
                # A minimum of two numbers for n, instead of this condition, costs an HSR agent a
                # third of its speed.
                n_tried = n_actions if tries_primitives else n_available[s]
                c = choose(rng, q, available, s, n_tried, epsilon, tolerance, takes_first, explores)
            explores = False
            choice_use[c] += 1
            decisions[episode] += 1
            n = 0
            total = 0.0
            gain = 1.0
            ended = False
            a = c
            # 4. Run an option to its last step, from which step 5 continues.
            if skips_to_the_end and c >= n_actions:
                arrived = np.int64(successor[c, s])
                while (
                    arrived != goal and time < horizon - 1 and beta[c - n_actions, arrived] == 0.0
                ):
                    path[n] = s
                    n += 1
                    s = arrived
                    time += 1
                    total_time += 1
                    gain *= gamma
                    if first_visit[s] < 0:
                        first_visit[s] = total_time
                        n_covered += 1
                    arrived = np.int64(successor[c, s])
            while not ended:
                # 5. Act and move.
                if c >= n_actions:
                    a = option_action(rng, action, policy, n_actions, c - n_actions, s)
                # As int64, like s: for each width of integers, functions are compiled once more.
                arrived = np.int64(successor[c, s])
                if arrived < 0:
                    arrived = np.int64(move(rng, indptr, arrival, cumulative, s * n_actions + a))
                time += 1
                total_time += 1
                if first_visit[arrived] < 0:
                    first_visit[arrived] = total_time
                    n_covered += 1
                if n_traced < trace.shape[0]:
                    write(trace, n_traced, episode, c, n == 0, s, a, arrived)
                    n_traced += 1
                path[n] = s
                n += 1
                # 6. What has ended?
                terminated = arrived == goal
                reward = 1.0 if terminated else 0.0
                total += gain * reward
                gain *= gamma
                over = terminated or time >= horizon
                ended = over or c < n_actions or stops(rng, beta[c - n_actions, arrived])
                if explores_each_step and not ended:
                    explores = rng.random() < epsilon
                    ended = explores

                # 7. Learn the maps.
                if learns_sr:
                    if watch is not None and not learns_hsr:
                        watch_choice(
                            watch,
                            sr,
                            path,
                            n - 1,
                            n,
                            arrived,
                            gamma,
                            gamma,
                            a,
                            total_time,
                            episode,
                        )
                    learn_step(sr, s, arrived, gamma, map_alpha)
                    if seen.shape[0] > 0:
                        count_step(seen, indptr, arrival, s * n_actions + a, arrived)
                    if terminated:
                        learn_step(sr, arrived, after_goal, goal_gain, map_alpha)
                if Psi is not None:
                    if learns_hsr:
                        # The values of s become probabilities in place; 8 reads others.
                        if uses_pool:
                            margin = read_pool_values(pool_values, s, q) * tolerance
                            n_tried = n_actions
                        else:
                            margin = tolerance
                            n_tried = n_actions if tries_primitives else n_available[s]
                            read_values(kind, W, X, available, n_available[s], s, q)
                        to_probabilities(q, available, s, n_tried, epsilon, margin, takes_first)
                        learn_all_choices(
                            Psi,
                            hsr,
                            q,
                            available,
                            n_available,
                            action,
                            beta,
                            n_actions,
                            s,
                            a,
                            arrived,
                            terminated,
                            gamma,
                            map_alpha,
                        )
                        if terminated:
                            learn_step(hsr, arrived, after_goal, goal_gain, map_alpha)
                elif learns_hsr and ended:
                    if watch is not None:
                        watch_choice(
                            watch,
                            hsr,
                            path,
                            0,
                            n,
                            arrived,
                            gain,
                            gamma,
                            c,
                            total_time,
                            episode,
                        )
                    learn_choice(hsr, path, n, arrived, gamma, map_alpha, learns_passed_rows)
                    if terminated:
                        learn_step(hsr, arrived, after_goal, goal_gain, map_alpha)

                # 8. Read the values where the step led.
                best = 0.0
                if (continues or not terminated) and (
                    ended or learns_primitives or learns_consistent
                ):
                    x = after_goal if terminated else arrived
                    best = read_values(kind, W, X, available, n_available[x], x, q)

                # 9. Update values.
                error = 0.0
                if learns_consistent:
                    error = learn_consistent(
                        kind,
                        gamma,
                        alpha,
                        W,
                        X,
                        available,
                        n_available,
                        action,
                        beta,
                        n_actions,
                        s,
                        a,
                        arrived,
                        reward,
                        best,
                        terminated,
                    )
                if learns_primitives:
                    delta = reward + gamma * best - value(kind, W, X, a, s)
                    error = larger(error, learn_value(kind, W, X, a, s, alpha, delta))
                if learns_running and c >= n_actions:
                    ahead = best if ended else value(kind, W, X, c, arrived)
                    delta = reward + gamma * ahead - value(kind, W, X, c, s)
                    error = larger(error, learn_value(kind, W, X, c, s, alpha, delta))
                if learns_chosen and ended and (c >= n_actions or not learns_primitives):
                    chosen_in = np.int64(path[0])
                    delta = total + gain * best - value(kind, W, X, c, chosen_in)
                    error = larger(error, learn_value(kind, W, X, c, chosen_in, alpha, delta))
                if learns_reward:
                    delta = reward - value(kind, reward_weights, X, only, arrived)
                    error = larger(
                        error, learn_value(kind, reward_weights, X, only, arrived, alpha, delta)
                    )
                s = arrived
                if not error < LARGEST:
                    status = DIVERGED
                    over = True
                    ended = True
            # 10. Read what 9 has moved.
            if learns_consistent:
                read_values(kind, W, X, available, n_available[s], s, q)
            elif not over:
                q[a] = value(kind, W, X, a, s)
                if c != a and q[c] > -np.inf:
                    q[c] = value(kind, W, X, c, s)
        # 11. Log the episode.
        if status == FINISHED:
            steps[episode] = time
            terminations[episode] = terminated
            covered[episode] = n_covered
            episode += 1
            s = -1
            if one_episode:
                status = PAUSED
    clock[EPISODE], clock[TIME], clock[STATE] = episode, time, s
    clock[TOTAL_TIME], clock[N_COVERED], clock[N_TRACED] = total_time, n_covered, n_traced
    clock[EXPLORES] = explores
    return status
