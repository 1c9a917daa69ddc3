"""Linear Q-learning over primitive actions alone, where every choice is one step.

Without options the rules of `linear_q` become one: the step s, a, s' with reward r moves

    M(s) += b (1_s + g M(s') - M(s)),    then    q(a, s) += a (r + g max_c q(c, s') - q(a, s)).

The loop of `linear_q` carries what options need through every step. This one takes less
than two thirds of the time for one-hot features, and has the same results to the last bit.
"""

from hsr._base.compiled import inlined, lean
from hsr._base.row_arithmetic import add_row, add_row_then_dot, dot, four_dots
from hsr.kernels.acting import best_of, choose, move, write
from hsr.kernels.linear_q import log_reward, outcome, visit, walk
from hsr.kernels.records import (
    DIVERGED,
    EPISODE,
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
from hsr.kernels.td import learn_step
from hsr.kernels.values import LINEAR, TABLE, value


@inlined
def read_values(kind, W, X, s, q):
    """Write the values of all actions in s into q (A,), and return the best."""
    n = q.size
    if kind == LINEAR:
        for c in range(0, n - n % 4, 4):
            q[c], q[c + 1], q[c + 2], q[c + 3] = four_dots(W, c, c + 1, c + 2, c + 3, X, s)
        for c in range(n - n % 4, n):
            q[c] = dot(W, c, X, s)
        return best_of(q)
    best = W[0, s]
    for c in range(n):
        q[c] = W[c, s]
        best = max(best, q[c])
    return best


@inlined
def update(kind, W, X, a, s, step, arrived):
    """Move W(a) by step X(s), and return q(a, s') of the state arrived in."""
    if kind == LINEAR:
        return add_row_then_dot(W, a, X, s, step, arrived)
    if kind == TABLE:
        W[a, s] += step
    else:
        add_row(W, a, X, s, step)
    return W[a, arrived]


@lean
def learn_steps(rng, tables, rule, state):
    """Run episodes until all are done, values blow up, or a pause is due.

    1. Begin an episode: draw its start, and read the values of all actions there.
    2. Pause, if a number of total steps has been made.
    3. Choose an action epsilon-greedily, and move; log the step.
    4. See whether the goal was entered (it pays 1) or the horizon was reached.
    5. Learn the map's row of this step; at the goal, its own row.
    6. Read the values where the step led, zero at the goal. If the task continues, read those of
       the start instead.
    7. Update the value of the action, and read it where the step led. Go back to 2 until the
       episode is over.
    8. Log the episode.

    Parameters
    ----------
    rng, tables, rule, state
        As in `linear_q.learn`, without options. The state has one map at most, `sr`.

    Returns
    -------
    int
        FINISHED, DIVERGED, or PAUSED; call again to resume.
    """
    indptr, arrival, cumulative, n_actions = tables[:4]
    available, successor = tables.available, tables.successor
    pays, ends = tables.pays, tables.ends
    kind, gamma, alpha = rule.kind, rule.gamma, rule.alpha
    map_gamma, map_alpha = rule.map_gamma, rule.map_alpha
    starts, goal, horizon, continues = rule.starts, rule.goal, rule.horizon, rule.continues
    W, X, M, q, clock = state.W, state.X, state.sr, state.q, state.clock
    first_visit, trace = state.first_visit, state.trace
    episode, time, s = clock[EPISODE], clock[TIME], clock[STATE]
    total_time, n_covered, n_traced = clock[TOTAL_TIME], clock[N_COVERED], clock[N_TRACED]
    pause_at = min(clock[PAUSE_AT], clock[RETURN_AT])
    learns_map = M.shape[0] > 0
    learns = rule.learns_primitives or rule.learns_chosen
    start, goal_gain = starts[0], map_gamma if continues else 0.0
    if clock[WALKER] < 0:
        clock[WALKER] = start
    status = FINISHED
    while episode < state.steps.size and status == FINISHED:
        # 1. Begin an episode, or resume one.
        if s < 0:
            s = starts[int(rng.random() * starts.size)] if starts.size > 1 else starts[0]
            time = 0
            n_covered += visit(first_visit, s, total_time)
        read_values(kind, W, X, s, q)
        began = time
        over = False
        terminated = False
        while not over:
            # 2. Pause.
            if total_time >= pause_at:
                status = PAUSED
                break
            # 3. Choose and move.
            a = choose(
                rng,
                q,
                available,
                s,
                n_actions,
                rule.epsilon,
                rule.tolerance,
                rule.takes_first,
                False,
            )
            state.choice_use[a] += 1
            arrived = successor[a, s]
            if arrived < 0:
                arrived = move(rng, indptr, arrival, cumulative, s * n_actions + a)
            time += 1
            total_time += 1
            n_covered += visit(first_visit, arrived, total_time)
            if n_traced < trace.shape[0]:
                write(trace, n_traced, episode, a, True, s, a, arrived)
                n_traced += 1
            # 4. What has ended?
            row = s * n_actions + a
            reward, terminated = outcome(pays, ends, goal, indptr, arrival, row, arrived)
            log_reward(pays, state.returns, episode, gamma, time, reward)
            over = terminated or time >= horizon
            after = start if continues else arrived
            # 5. Learn the map.
            if learns_map and rule.walks:
                clock[WALKER] = walk(rng, tables, M, clock[WALKER], map_gamma, map_alpha)
            elif learns_map:
                learn_step(M, s, arrived, map_gamma, map_alpha)
                if terminated:
                    learn_step(M, arrived, after, goal_gain, map_alpha)
            # 6. Read the values where the step led.
            target = reward
            if continues or not terminated:
                x = after if terminated else arrived
                target += gamma * read_values(kind, W, X, x, q)
            # 7. Update the value of the action.
            if learns:
                delta = target - value(kind, W, X, a, s)
                if abs(delta) < rule.largest:
                    q[a] = update(kind, W, X, a, s, alpha * delta, arrived)
                else:
                    status = DIVERGED
                    over = True
            s = arrived
        state.decisions[episode] += time - began
        # 8. Log the episode.
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
    return status
