"""Linear Q-learning over actions and options, and the maps learned on the way (Eqs. 2 and 8,
Algorithms S2 and S3).

The value of choice c in state s is q(c, s) = W(c) . X(s), and an update with error d is W(c) += a d
X(s). `kind` says how:

    LINEAR   W (C, D) weights, X (S, D) features; the features may be a map whose rows are being learned
    DUAL     W (C, S) values,  X (S, S) inner products of fixed features: q(c) += a d X(s) moves all states' values at once
    TABLE    W (C, S) values;  one-hot features, whose inner products are the identity

One step of an episode, in this order:

1. act, move, and see whether the goal was entered (it pays 1), the option stopped, or the horizon
   came;
2. learn the maps: the SR's row of this step; when the choice ends, the HSR's row of the state in
   which it was made;
3. look at the values where the step led, zero at the goal;
4. update values, all from the look of 3;
5. when the choice has ended, make the next one.

A choice that the horizon cuts off counts as ended there, and its value bootstraps: only the goal is
worth nothing more.
"""

import numpy as np

from hsr._base.compiled import inlined, lean
from hsr._base.row_arithmetic import add_row, dot, four_dots
from hsr.kernels.acting import best_of, choose, move, option_action, stops, write
from hsr.kernels.rows import learn_row, learn_step, settle_row

TABLE, DUAL, LINEAR = 0, 1, 2
FINISHED, PAUSED, DIVERGED = 0, 1, 2
LARGEST = 1e6  # the goal pays 1, once: an error beyond this is a run that has blown up


@inlined
def value(kind, W, X, c, s):
    """Return q(c, s)."""
    if kind == LINEAR:
        return dot(W, c, X, s)
    return W[c, s]


@inlined
def learn_value(kind, W, X, c, s, alpha, delta):
    """Move W so that q(c, s) grows by alpha delta times the squared length of the features of s;
    return the size of delta.

    An error that is too large is left alone, so that what is kept of a run that has blown up are
    still numbers.
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
    """Return the larger of two errors; one that is not a number is the largest of all."""
    return error if error != error or size <= error else size


@inlined
def look(kind, W, X, listing, n, s, q):
    """Write the values of the first n choices listed for s into q (C,), minus infinity for the
    others; return the best.
    """
    if n < q.size:
        for c in range(q.size):
            q[c] = -np.inf
    if kind == LINEAR:
        for i in range(0, n - n % 4, 4):
            a, b, c, d = listing[s, i], listing[s, i + 1], listing[s, i + 2], listing[s, i + 3]
            q[a], q[b], q[c], q[d] = four_dots(W, a, b, c, d, X, s)
        for i in range(n - n % 4, n):
            c = listing[s, i]
            q[c] = dot(W, c, X, s)
    elif n == q.size:
        for c in range(n):
            q[c] = W[c, s]
    else:
        for i in range(n):
            q[listing[s, i]] = W[listing[s, i], s]
    return best_of(q)


@inlined
def follow(guide, s, q):
    """Write the guide's values of the primitive actions in s into q (C,), and return the largest
    magnitude.
    """
    for c in range(guide.shape[1], q.size):
        q[c] = -np.inf
    largest = 0.0
    for a in range(guide.shape[1]):
        q[a] = guide[s, a]
        largest = max(largest, abs(q[a]))
    return largest


@lean
def may_run(listing, n, c, s, beta):
    """Return whether an option can be running in s: it need not stop on arrival, or is among the
    first n listed for s.
    """
    found = beta < 1.0
    for i in range(n):
        found = found or listing[s, i] == c
    return found


@lean
def learn_consistent(
    kind,
    gamma,
    alpha,
    W,
    X,
    listing,
    count,
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
    """Update every option that would have taken a in s as if it had been running; return the
    largest error.
    """
    largest = 0.0
    for o in range(beta.shape[0]):
        c = n_actions + o
        if action[o, s] != a or not may_run(listing, count[s], c, s, beta[o, s]):
            continue
        target = reward
        if not terminated:
            stop = beta[o, arrived]
            target += gamma * ((1.0 - stop) * value(kind, W, X, c, arrived) + stop * best)
        delta = target - value(kind, W, X, c, s)
        largest = larger(largest, learn_value(kind, W, X, c, s, alpha, delta))
    return largest


@lean
def learn_choice(M, path, n, s_T, gamma, alpha, passed):
    """Learn the hierarchical map's row of the state where a choice was made; with `passed` of every
    state on its path.
    """
    gain = 1.0
    for k in range(n - 1, -1, -1):
        gain *= gamma
        if k == 0 or passed:
            learn_row(M, path, k, n, s_T, gain, gamma, alpha)


@lean
def write_values(W, X, out):
    """Write q(c, s) of all choices and states into out (C, S), for the linear kind."""
    for c in range(out.shape[0]):
        for s in range(out.shape[1]):
            out[c, s] = dot(W, c, X, s)


@lean
def learn(rng, world, choices, rule, task, learner, log, clock, pause_at, one_episode, q, path):
    """Run episodes until all are done (FINISHED), values blow up (DIVERGED), or it is time to pause
    (PAUSED).

    A pause comes before the first choice at or after `pause_at` total steps, or with `one_episode`
    after each episode; calling again goes on from `clock`: episode, steps in it, state (-1 between
    episodes), total steps, states seen, steps traced. q (C,) and path (horizon + 1,) are room to
    work in. The groups of `records` come as plain tuples, quicker to hand over.
    """
    indptr, arrival, cumulative, n_actions = world
    listing, count, certain, action, policy, beta, jumps = choices
    (
        kind,
        gamma,
        alpha,
        map_alpha,
        epsilon,
        tolerance,
        primitives,
        chosen,
        consistent,
        passed,
        tries_primitives,
    ) = rule
    starts, goal, horizon = task
    W, X, sr, hsr, reward_weights, guide = learner
    steps, decisions, terminations, covered, use, first_visit, trace = log
    episode, time, s = clock[0], clock[1], clock[2]
    total_time, n_covered, n_traced = clock[3], clock[4], clock[5]
    learns_sr, learns_hsr, learns_reward = (
        sr.shape[0] > 0,
        hsr.shape[0] > 0,
        reward_weights.shape[0] > 0,
    )
    guided = guide.shape[0] > 0
    # Where nothing is learned before a choice ends, an option that leaves nothing to chance is run
    # to its last step at once.
    quiet = jumps and not (
        primitives or consistent or learns_sr or learns_reward or trace.shape[0] > 0
    )
    status = FINISHED
    while episode < steps.size and status == FINISHED:
        if s < 0:
            s = starts[int(rng.random() * starts.size)] if starts.size > 1 else starts[0]
            time = 0
            if first_visit[s] < 0:
                first_visit[s] = total_time
                n_covered += 1
        look(kind, W, X, listing, count[s], s, q)
        over = False
        terminated = False
        while not over:
            if total_time >= pause_at:
                status = PAUSED
                break
            if guided:
                margin = follow(guide, s, q) * tolerance
                c = choose(rng, q, listing, s, n_actions, epsilon, margin)
            else:
                # The least of two numbers here, in place of a choice by a constant, costs an HSR
                # agent a third of its speed.
                c = choose(
                    rng,
                    q,
                    listing,
                    s,
                    n_actions if tries_primitives else count[s],
                    epsilon,
                    tolerance,
                )
            use[c] += 1
            decisions[episode] += 1
            n = 0
            total = 0.0
            gain = 1.0
            ended = False
            a = c
            if quiet and c >= n_actions:
                arrived = certain[c, s]
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
                    arrived = certain[c, s]
            while not ended:
                if c >= n_actions:
                    a = option_action(rng, action, policy, n_actions, c - n_actions, s)
                arrived = certain[c, s]
                if arrived < 0:
                    arrived = move(rng, indptr, arrival, cumulative, s * n_actions + a)
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
                terminated = arrived == goal
                reward = 1.0 if terminated else 0.0
                total += gain * reward
                gain *= gamma
                over = terminated or time >= horizon
                ended = over or c < n_actions or stops(rng, beta[c - n_actions, arrived])

                if learns_sr:
                    learn_step(sr, s, arrived, gamma, map_alpha)
                    if terminated:
                        settle_row(sr, arrived, map_alpha)
                if learns_hsr and ended:
                    learn_choice(hsr, path, n, arrived, gamma, map_alpha, passed)
                    if terminated:
                        settle_row(hsr, arrived, map_alpha)

                best = 0.0
                if not terminated and (ended or primitives or consistent):
                    best = look(kind, W, X, listing, count[arrived], arrived, q)
                error = 0.0
                if consistent:
                    error = learn_consistent(
                        kind,
                        gamma,
                        alpha,
                        W,
                        X,
                        listing,
                        count,
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
                if primitives:
                    delta = reward + gamma * best - value(kind, W, X, a, s)
                    error = larger(error, learn_value(kind, W, X, a, s, alpha, delta))
                if chosen and ended and (c >= n_actions or not primitives):
                    delta = total + gain * best - value(kind, W, X, c, path[0])
                    error = larger(error, learn_value(kind, W, X, c, path[0], alpha, delta))
                if learns_reward:
                    delta = reward - value(kind, reward_weights, X, 0, arrived)
                    error = larger(
                        error, learn_value(kind, reward_weights, X, 0, arrived, alpha, delta)
                    )
                s = arrived
                if not error < LARGEST:
                    status = DIVERGED
                    over = True
                    ended = True
            if consistent:
                look(kind, W, X, listing, count[s], s, q)
            elif not over:
                q[a] = value(kind, W, X, a, s)
                if c != a and q[c] > -np.inf:
                    q[c] = value(kind, W, X, c, s)
        if status == FINISHED:
            steps[episode] = time
            terminations[episode] = terminated
            covered[episode] = n_covered
            episode += 1
            s = -1
            if one_episode:
                status = PAUSED
    clock[0], clock[1], clock[2] = episode, time, s
    clock[3], clock[4], clock[5] = total_time, n_covered, n_traced
    return status
