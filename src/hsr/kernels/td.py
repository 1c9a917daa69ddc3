"""Temporal-difference learning of predictive maps, from sampled steps or recorded paths.

Probabilities are given as cumulative sums, so that one uniform number draws an outcome. `rng` is a
NumPy generator of the caller. The numbers drawn are the same with and without compilation. The
updates of one row are

    SR   (Eq. 2):  M(s) += a (1_s + g M(s') - M(s))
    HSR  (Eq. 8):  M(s) += a (sum_{k<T} g^k 1_{s_k} + g^T M(s_T) - M(s))
    end:           M(s) += a (1_s - M(s)),   one visit, after which nothing follows

The rule of the SR is that of the HSR with T = 1. With features phi (S, D), rows phi(s) take the
place of 1_s, and M (S, D) holds successor features. Otherwise phi has no rows.
"""

import numpy as np

from hsr._base.compiled import compiled, inlined
from hsr._base.row_arithmetic import add_row, mix_row
from hsr.kernels.acting import move, pick


@inlined
def learn_row(M, path, first, n, s_T, gain, gamma, alpha):
    """Move the row of path[first] towards the visits along path[first:n] and what s_T predicts.

    gain is gamma to the length of that stretch of the path.
    """
    s = np.int64(path[first])  # for each width of integers, functions are compiled once more
    mix_row(M, s, s_T, gain, alpha)
    weight = alpha
    for k in range(first, n):
        M[s, path[k]] += weight
        weight *= gamma


@inlined
def learn_step(M, s, arrived, gamma, alpha):
    """Move row s towards one visit and what the state arrived in predicts."""
    mix_row(M, s, arrived, gamma, alpha)
    M[s, s] += alpha


@inlined
def settle_row(M, s, alpha):
    """Move the row of a terminal state towards 1_s."""
    mix_row(M, s, s, 0.0, alpha)
    M[s, s] += alpha


@inlined
def _count(M, row, s, phi, weight):
    """Add weight 1_s to a row of M, or weight phi(s) if there are features."""
    if phi.shape[0]:
        add_row(M, row, phi, s, weight)
    else:
        M[row, s] += weight


@compiled
def _step_size(alpha, decay, visits, s):
    """Count a visit to s and return the step size of its row."""
    visits[s] += 1
    return alpha / (1.0 + decay * (visits[s] - 1))


@compiled
def learn_sr(
    rng,
    indptr,
    arrival,
    cumulative,
    gamma,
    alpha,
    decay,
    terminal,
    restart,
    first,
    last,
    s,
    visits,
    phi,
    M,
):
    """Update M (S, D) in place by M(s) += alpha (1_s + gamma M(s') - M(s)) along a Markov chain.

    1. Find the step size of the row, which falls with its visits.
    2. Where `terminal` (S,) says so, move the row towards 1_s and go to a state drawn uniformly.
    3. Elsewhere move by the chain, and update the row of the state left.
    4. Every `restart` steps, go to a state drawn uniformly.

    Steps `first` to `last` are made from state s, drawn if it is -1. visits (S,) counts the visits
    before. Returns the state after the last step, from which the next call resumes.
    """
    n = M.shape[0]
    if s < 0:
        s = rng.integers(0, n)
    for t in range(first, last):
        # 1. The step size.
        step = _step_size(alpha, decay, visits, s)
        # 2. The end of an episode.
        if terminal[s]:
            mix_row(M, s, s, 0.0, step)
            _count(M, s, s, phi, step)
            s = rng.integers(0, n)
            continue
        # 3. Move and learn.
        arrived = move(rng, indptr, arrival, cumulative, s)
        mix_row(M, s, arrived, gamma, step)
        _count(M, s, s, phi, step)
        s = np.int64(arrived)
        # 4. Restart.
        if (t + 1) % restart == 0:
            s = rng.integers(0, n)
    return s


@compiled
def learn_sr_along(left, entered, gamma, alpha, decay, visits, M):
    """Update M (S, S) in place by M(s) += alpha (1_s + gamma M(s') - M(s)) along recorded steps.

    1. Find the step size of the row, which falls with its visits.
    2. Update the row of the state left.

    Parameters
    ----------
    left, entered : int arrays (n,)
        The states s and s' of each step.
    gamma, alpha, decay : float
        Discount, step size, and how fast it falls.
    visits : int array (S,)
        How often each state was left before.
    M : array (S, D)
        The map, with rows padded by zeros.
    """
    for k in range(left.size):
        s = left[k]
        # 1. The step size.
        step = alpha / (1.0 + decay * visits[s])
        visits[s] += 1
        # 2. Learn.
        learn_step(M, s, entered[k], gamma, step)


@compiled
def learn_hsr(
    rng,
    indptr,
    arrival,
    cumulative,
    mu,
    policy,
    beta,
    n_actions,
    n_primitives,
    gamma,
    alpha,
    decay,
    terminal,
    restart,
    steps,
    pause_at,
    clock,
    visits,
    trail,
    phi,
    M,
):
    """Update M (S, D) in place by Eq. 8, once per choice, in the state where the choice was made.

    M(s) += alpha (sum_{k<T} gamma^k 1_{s_k} + gamma^T M(s_T) - M(s)).

    1. Find the step size of the row, which falls with its visits.
    2. Where `terminal` (S,) says so, move the row towards 1_s and go to a state drawn uniformly.
    3. Elsewhere draw a choice by mu.
    4. Run it: add each state to `trail` with its discount, act, and move.
    5. See whether the choice has ended: a primitive action, a terminal state, or a draw by beta. A
       run so long that its discount vanishes is cut off. A choice cut off by the budget is not
       learned from.
    6. Update the row of the state in which the choice was made.
    7. Every `restart` steps, go to a state drawn uniformly.

    Parameters
    ----------
    rng : Generator
        Source of random numbers.
    indptr, arrival, cumulative : arrays
        Outcomes of state s and action a in row s * A + a (`records.Transitions`).
    mu, policy : array (S * C,) and (O * S * A,)
        Cumulative sums of the policy over choices, and of the options' policies.
    beta : array (O, S)
        Probability that an option stops on arrival.
    n_actions, n_primitives : int
        Actions of the MDP, and how many of them are choices: all or none.
    gamma, alpha, decay : float
        Discount, step size, and how fast it falls.
    terminal : bool array (S,)
        Where episodes end.
    restart, steps : int
        Steps between restarts, and steps in all.
    pause_at : int
        Return after the first choice that ends at or after this many steps.
    clock : int array (3,)
        Steps so far, the state, -1 if it is to be drawn, and steps since the last restart. The next
        call resumes from there.
    visits : int array (S,)
        How often each state was visited before.
    trail : array (1, D)
        Working memory.
    phi : array (S, D) or (0, D)
        Features of the states, or none.
    M : array (S, D)
        The map or the successor features, with rows padded by zeros.
    """
    n = M.shape[0]
    n_choices = mu.size // n
    t, s, since_restart = clock[0], clock[1], clock[2]
    if s < 0:
        s = rng.integers(0, n)
    while t < min(steps, pause_at):
        # 1. The step size.
        step = _step_size(alpha, decay, visits, s)
        # 2. The end of an episode.
        if terminal[s]:
            mix_row(M, s, s, 0.0, step)
            _count(M, s, s, phi, step)
            s = rng.integers(0, n)
            t += 1
            continue
        # 3. Draw a choice.
        c = pick(rng, mu, s * n_choices, (s + 1) * n_choices) - s * n_choices
        trail[:] = 0.0
        weight = 1.0
        u = s
        running = True
        while running:
            # 4. Act and move.
            a = c
            if c >= n_primitives:
                first = ((c - n_primitives) * n + u) * n_actions
                a = pick(rng, policy, first, first + n_actions) - first
            _count(trail, 0, u, phi, weight)
            weight *= gamma
            u = move(rng, indptr, arrival, cumulative, u * n_actions + a)
            t += 1
            since_restart += 1
            # 5. Has the choice ended?
            if c < n_primitives or terminal[u]:
                running = False
            else:
                end = beta[c - n_primitives, u]
                running = end < 1.0 and (end == 0.0 or rng.random() >= end)
            if running and weight < 1e-17:
                # The rest of this run would not count: learn from it, and begin elsewhere.
                weight = 0.0
                since_restart = restart
                running = False
            if t >= steps and running:
                clock[0] = t
                return
        # 6. Update the row.
        mix_row(M, s, u, weight, step)
        add_row(M, s, trail, 0, step)
        s = np.int64(u)
        # 7. Restart.
        if since_restart >= restart:
            since_restart = 0
            s = rng.integers(0, n)
    clock[0], clock[1], clock[2] = t, s, since_restart
