"""Temporal-difference learning of predictive maps under a fixed policy, one sampled step after another.

Probabilities come as running sums, so that one uniform number picks an outcome. `rng` is a NumPy generator made by the
caller; the draws are the same compiled or not.
"""

import numpy as np

from hsr._base.compiled import compiled


@compiled
def _pick(rng, cumulative):
    u = rng.random() * cumulative[-1]
    i = 0
    while cumulative[i] <= u and i < cumulative.size - 1:
        i += 1
    return i


@compiled
def _move(rng, indptr, arrival, cumulative, s):
    first = indptr[s]
    last = indptr[s + 1]
    if last - first == 1:
        return arrival[first]
    return arrival[first + _pick(rng, cumulative[first:last])]


@compiled
def _step_size(alpha, decay, visits, s):
    visits[s] += 1
    return alpha / (1.0 + decay * (visits[s] - 1))


@compiled
def _settle(row, s, step):
    """Move the row of a terminal state towards 1_s: it is visited once, and nothing follows."""
    for j in range(row.size):
        row[j] -= step * row[j]
    row[s] += step


@compiled
def learn_sr(rng, indptr, arrival, cumulative, gamma, alpha, decay, terminal, restart, steps, M):
    """Update M (S, S) in place by M(s) += alpha (1_s + gamma M(s') - M(s)) along the chain of the policy.

    A new uniformly drawn state begins every `restart` steps and after `terminal`, whose own row is 1_terminal.
    """
    n = M.shape[0]
    visits = np.zeros(n, np.int64)
    s = rng.integers(0, n)
    for t in range(steps):
        step = _step_size(alpha, decay, visits, s)
        row = M[s]
        if s == terminal:
            _settle(row, s, step)
            s = rng.integers(0, n)
            continue
        arrived = _move(rng, indptr, arrival, cumulative, s)
        ahead = M[arrived]
        for j in range(n):
            row[j] += step * (gamma * ahead[j] - row[j])
        row[s] += step
        s = arrived
        if (t + 1) % restart == 0:
            s = rng.integers(0, n)


@compiled
def learn_hsr(
    rng, indptr, arrival, cumulative, mu, policy, beta, n_primitives, gamma, alpha, decay, terminal, restart, steps, M
):
    """Update M (S, S) in place by Eq. 8, once per choice, in the state where the choice was made.

    indptr, arrival, cumulative: transitions of (s, a) pairs in row s * A + a; mu (S, C) and policy (O, S, A) as running sums;
    beta (O, S). M(s) += alpha (sum_k gamma^k 1_{s_k} + gamma^T M(s_T) - M(s)).
    """
    n = mu.shape[0]
    n_actions = policy.shape[2]
    visits = np.zeros(n, np.int64)
    trail = np.zeros(n)
    since_restart = 0
    t = 0
    s = rng.integers(0, n)
    while t < steps:
        step = _step_size(alpha, decay, visits, s)
        row = M[s]
        if s == terminal:
            _settle(row, s, step)
            s = rng.integers(0, n)
            t += 1
            continue
        c = _pick(rng, mu[s])
        trail[:] = 0.0
        weight = 1.0
        u = s
        running = True
        while running:
            a = c
            if c >= n_primitives:
                a = _pick(rng, policy[c - n_primitives, u])
            trail[u] += weight
            weight *= gamma
            u = _move(rng, indptr, arrival, cumulative, u * n_actions + a)
            t += 1
            since_restart += 1
            if c < n_primitives or u == terminal:
                running = False
            else:
                stop = beta[c - n_primitives, u]
                running = stop < 1.0 and (stop == 0.0 or rng.random() >= stop)
            if running and weight < 1e-17:
                # Nothing of what is left of this run would count: learn from it, and begin anew elsewhere.
                weight = 0.0
                since_restart = restart
                running = False
            if t >= steps and running:
                return
        ahead = M[u]
        for j in range(n):
            row[j] += step * (trail[j] + weight * ahead[j] - row[j])
        s = u
        if since_restart >= restart:
            since_restart = 0
            s = rng.integers(0, n)
