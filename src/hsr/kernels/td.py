"""Temporal-difference learning of predictive maps under a fixed policy, one sampled step after
another.

Probabilities come as running sums, so that one uniform number picks an outcome. `rng` is a NumPy
generator made by the caller; the draws are the same compiled or not.
"""

import numpy as np

from hsr._base.compiled import compiled
from hsr._base.row_arithmetic import mix_row
from hsr.kernels.acting import move, pick
from hsr.kernels.rows import learn_step, settle_row


@compiled
def _step_size(alpha, decay, visits, s):
    visits[s] += 1
    return alpha / (1.0 + decay * (visits[s] - 1))


@compiled
def learn_sr(rng, indptr, arrival, cumulative, gamma, alpha, decay, terminal, restart, steps, M):
    """Update M (S, S) in place by M(s) += alpha (1_s + gamma M(s') - M(s)) along the chain of the
    policy.

    A new uniformly drawn state begins every `restart` steps and after `terminal`, whose own row is
    1_terminal.
    """
    n = M.shape[0]
    visits = np.zeros(n, np.int64)
    s = rng.integers(0, n)
    for t in range(steps):
        step = _step_size(alpha, decay, visits, s)
        if s == terminal:
            settle_row(M, s, step)
            s = rng.integers(0, n)
            continue
        arrived = move(rng, indptr, arrival, cumulative, s)
        learn_step(M, s, arrived, gamma, step)
        s = arrived
        if (t + 1) % restart == 0:
            s = rng.integers(0, n)


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
    M,
):
    """Update M (S, S) in place by Eq. 8, once per choice, in the state where the choice was made.

    indptr, arrival, cumulative: transitions of (s, a) pairs in row s * A + a; mu (S, C) and policy
    (O, S, A), both flat, as running sums; beta (O, S). M(s) += alpha (sum_k gamma^k 1_{s_k} +
    gamma^T M(s_T) - M(s)).
    """
    n = M.shape[0]
    n_choices = mu.size // n
    visits = np.zeros(n, np.int64)
    trail = np.zeros(n)
    since_restart = 0
    t = 0
    s = rng.integers(0, n)
    while t < steps:
        step = _step_size(alpha, decay, visits, s)
        if s == terminal:
            settle_row(M, s, step)
            s = rng.integers(0, n)
            t += 1
            continue
        c = pick(rng, mu, s * n_choices, (s + 1) * n_choices) - s * n_choices
        trail[:] = 0.0
        weight = 1.0
        u = s
        running = True
        while running:
            a = c
            if c >= n_primitives:
                first = ((c - n_primitives) * n + u) * n_actions
                a = pick(rng, policy, first, first + n_actions) - first
            trail[u] += weight
            weight *= gamma
            u = move(rng, indptr, arrival, cumulative, u * n_actions + a)
            t += 1
            since_restart += 1
            if c < n_primitives or u == terminal:
                running = False
            else:
                stop = beta[c - n_primitives, u]
                running = stop < 1.0 and (stop == 0.0 or rng.random() >= stop)
            if running and weight < 1e-17:
                # Nothing of what is left of this run would count: learn from it, and begin anew
                # elsewhere.
                weight = 0.0
                since_restart = restart
                running = False
            if t >= steps and running:
                return
        mix_row(M, s, u, weight, step)
        for j in range(n):
            M[s, j] += step * trail[j]
        s = u
        if since_restart >= restart:
            since_restart = 0
            s = rng.integers(0, n)
