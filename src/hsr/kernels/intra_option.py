"""Intra-option learning, of values and of the hierarchical map, one primitive step at a time.

A step teaches every choice that could have taken its action, whichever choice was made.

Psi(c, s) holds the visits from s on while choice c runs, and what follows. M(s) is its mean over
the choices of a policy mu. For a step from s by action a to t,

    Psi(c, s) += step w (1_s + gamma ((1 - stop) Psi(c, t) + stop M(t)) - Psi(c, s))

for every choice c that could have taken a. `stop` is the probability that c stops in t.
"""

import numpy as np

from hsr._base.compiled import compiled, inlined, internal
from hsr.kernels.acting import may_run, move, to_probabilities
from hsr.kernels.pool import tried
from hsr.kernels.values import larger, learn_value, read_values, value


@inlined
def learn_one_choice(Psi, M, c, share, s, t, stops, gamma, step):
    """Move Psi(c, s) towards its target, and M(s) with it.

    `share` is the probability of c in s, and `stops` the probability that c stops in t.
    """
    for j in range(M.shape[1]):
        ahead = stops * M[t, j] + (1.0 - stops) * Psi[c, t, j]
        change = step * (gamma * ahead - Psi[c, s, j])
        if j == s:
            change += step
        Psi[c, s, j] += change
        M[s, j] += share * change


@inlined
def has_maps(intra):
    """Return whether a map of each choice is learned."""
    if intra is None:
        return False
    return intra.shape[0] > 0


@inlined
def read_again(intra, kind, W, X, tables, s, q):
    """Read the values of all choices in s, any of which may have moved."""
    if intra is not None:
        read_values(kind, W, X, tables.available, tables.n_available[s], s, q)


@inlined
def learn_options(
    intra, rule, W, X, tables, n_actions, c, s, a, arrived, reward, best, ended, terminated
):
    """Update options by one step of choice c, and return the largest error."""
    if intra is None:
        return 0.0
    if rule.learns_consistent:
        return learn_consistent(
            rule, W, X, tables, n_actions, s, a, arrived, reward, best, terminated
        )
    if rule.learns_running and c >= n_actions:
        ahead = best if ended else value(rule.kind, W, X, c, arrived)
        delta = reward + rule.gamma * ahead - value(rule.kind, W, X, c, s)
        return learn_value(rule.kind, W, X, c, s, rule.alpha, delta, rule.largest)
    return 0.0


@internal
def learn_consistent(rule, W, X, tables, n_actions, s, a, arrived, reward, best, terminated):
    """Update every option that would have taken a in s, and return the largest error.

    1. Skip an option that takes another action in s, or cannot be running there.
    2. Its target is the reward, plus the discounted value of continuing with probability 1 - beta
       or of the best choice with probability beta; at the goal every option stops.
    3. Move its value.
    """
    beta = tables.beta
    largest = 0.0
    for o in range(beta.shape[0]):
        c = n_actions + o
        # 1. Is the step consistent with the option?
        if tables.action[o, s] != a or not may_run(
            tables.available, tables.n_available[s], c, s, beta[o, s]
        ):
            continue
        # 2. The target.
        ahead = best
        if not terminated:
            stop = beta[o, arrived]
            ahead = (1.0 - stop) * value(rule.kind, W, X, c, arrived) + stop * best
        target = reward + rule.gamma * ahead
        # 3. The update.
        delta = target - value(rule.kind, W, X, c, s)
        size = learn_value(rule.kind, W, X, c, s, rule.alpha, delta, rule.largest)
        largest = larger(largest, size)
    return largest


@inlined
def learn_every_choice(Psi, M, rule, W, X, tables, pool_values, n_actions, s, a, t, terminated, q):
    """Learn Psi and M from a step by action a from s to t.

    The values q (C,) become the probabilities with which the agent chooses in s.
    """
    if Psi is None:
        return
    available = tables.available
    read_values(rule.kind, W, X, available, tables.n_available[s], s, q)
    n, margin = tried(rule, tables, pool_values, n_actions, s, q)
    to_probabilities(q, available, s, n, rule.epsilon, margin, rule.takes_first)
    learn_all_choices(
        Psi, M, q, tables, n_actions, s, a, t, terminated, rule.map_gamma, rule.map_alpha
    )


@internal
def learn_all_choices(Psi, M, mu, tables, n_actions, s, a, t, terminated, gamma, alpha):
    """Learn from a step by action a from s to t, for an agent whose policy mu (C,) in s changes.

    1. Move M(s) towards the mean of Psi(c, s) over mu. It is there already, if mu has not changed
       since the last step from s.
    2. Learn Psi(a, s) of the primitive action.
    3. Learn Psi(c, s) of every option that would have taken a, if it can be running in s. At the
       goal every option stops.
    """
    beta = tables.beta
    # 1. Follow the policy.
    for j in range(M.shape[1]):
        M[s, j] -= alpha * M[s, j]
    for c in range(mu.size):
        if mu[c] > 0.0:
            for j in range(M.shape[1]):
                M[s, j] += alpha * mu[c] * Psi[c, s, j]
    # 2. The primitive action.
    learn_one_choice(Psi, M, a, mu[a], s, t, 1.0, gamma, alpha)
    # 3. Options.
    for o in range(beta.shape[0]):
        c = n_actions + o
        if tables.action[o, s] == a and may_run(
            tables.available, tables.n_available[s], c, s, beta[o, s]
        ):
            stops = 1.0 if terminated else beta[o, t]
            learn_one_choice(Psi, M, c, mu[c], s, t, stops, gamma, alpha)


@compiled
def random_walk(rng, indptr, arrival, cumulative, n_actions, terminal, restart, first, s, log):
    """Write a walk that takes all actions equally often into log (n, 3): state, action, next state.

    It starts in a state drawn uniformly, and again where `terminal` (S,) says so and every
    `restart` steps. The first row is step number `first` of the walk, from state s, drawn if it is
    -1. Returns the state after the last step, from which the next call resumes.
    """
    n_states = (indptr.size - 1) // n_actions
    if s < 0:
        s = rng.integers(0, n_states)
    for k in range(log.shape[0]):
        while terminal[s]:
            s = rng.integers(0, n_states)
        a = rng.integers(0, n_actions)
        t = move(rng, indptr, arrival, cumulative, s * n_actions + a)
        log[k, 0] = s
        log[k, 1] = a
        log[k, 2] = t
        s = rng.integers(0, n_states) if (first + k + 1) % restart == 0 else np.int64(t)
    return s


@compiled
def learn_from_log(
    log, mu, weight, beta, n_primitives, gamma, alpha, decay, terminal, updates, Psi, M
):
    """Update Psi (C, S, S) and M (S, S) in place by every step of a log.

    1. Take the next step of the log. What happens in terminal states is not learned from.
    2. For each choice that could have taken its action, find the step size, which falls with the
       updates of this choice in this state.
    3. Find the probability that the choice stops on arrival.
    4. Move Psi(c, s) towards its target, and M(s) with it.

    Parameters
    ----------
    log : int array (n, 3)
        State, action and next state of each step.
    mu : array (S, C)
        The policy over choices, whose map is learned.
    weight : array (C, S, A)
        How much a step by action a in state s says about choice c, at most 1.
    beta : array (O, S)
        Probability that an option stops on arrival.
    n_primitives : int
        How many choices are primitive actions.
    gamma, alpha, decay : float
        Discount, step size, and how fast it falls.
    terminal : bool array (S,)
        Where episodes end.
    updates : int array (C, S)
        How often each choice was updated in each state before.
    Psi, M : arrays (C, S, S) and (S, S)
        What is learned.
    """
    for k in range(log.shape[0]):
        # 1. The step.
        s = log[k, 0]
        a = log[k, 1]
        t = log[k, 2]
        if terminal[s]:
            continue
        for c in range(Psi.shape[0]):
            w = weight[c, s, a]
            if w == 0.0:
                continue
            # 2. The step size.
            step = w * alpha / (1.0 + decay * updates[c, s])
            updates[c, s] += 1
            # 3. Does the choice stop?
            stops = 1.0 if c < n_primitives or terminal[t] else beta[c - n_primitives, t]
            # 4. Learn.
            learn_one_choice(Psi, M, c, mu[s, c], s, t, stops, gamma, step)
