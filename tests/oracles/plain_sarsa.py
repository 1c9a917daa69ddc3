"""The slow twin of `hsr.explore`: SARSA over actions and options with a bonus from a dense map, one
seed, in plain NumPy.

Everything is written down from the formulas: the map is a square array, a bonus reads it afresh
each time, what is available and what ties is found by `np.flatnonzero`. It draws from its generator
in the order that is promised: the choice (one number against epsilon, another among several), then
per step the option's action, where the world moves, whether the option stops; each only where
something is left to chance. It learns no map that nothing depends on, and is the peer of the
benchmark.
"""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np

import hsr
from tests.oracles.dense_options import action_probabilities


def explore_plainly(mdp, agent, options=None, *, seed, steps, start=None, starts=None, goal=None):
    """Return what one seed does and knows: trace (steps, 6), first_visit, visits, use, Q (S, C),
    map (S, S), found options.

    options: None, an `OptionSet`, or `OnlineOptions`. Without `start` the first state is drawn from
    `starts`.
    """
    rng = np.random.default_rng(seed)
    if start is None:
        start = int(starts[int(rng.random() * len(starts))])
    online = options if isinstance(options, hsr.OnlineOptions) else None
    n, n_actions, gamma, alpha = mdp.n_states, mdp.n_actions, mdp.discount, agent.map_learning_rate
    outcomes = list_outcomes(mdp)
    n_slots = online.n_options if online else 0 if options is None else len(options)
    Q = np.zeros((n, n_actions + n_slots))
    eye = np.eye(n)
    M = eye.copy() if agent.initial_map == "identity" else np.zeros((n, n))
    sr = M if agent.on == "sr" else M.copy() if online else None
    found = None if online else options
    available, policy, beta = read_options(mdp, found, n_slots)
    first_visit, visits = np.full(n, -1), np.zeros(n, dtype=int)
    first_visit[start] = 0
    use, trace, episode = np.zeros(Q.shape[1], dtype=int), [], 0

    def choose(s):
        allowed = np.flatnonzero(available[s])
        if rng.random() < agent.epsilon:
            return int(allowed[int(rng.random() * allowed.size)])
        q = Q[s, allowed]
        best = allowed[np.flatnonzero(q >= q.max() - agent.tie_tolerance)]
        return int(best[0] if best.size == 1 else best[int(rng.random() * best.size)])

    refresh_at = online.warm_up if online else steps
    s, c, time = start, None, 0
    while time < steps:
        if online and time >= refresh_at:
            former = found
            vectors = hsr.map_vectors(
                sr, online.n_options if online.signs == "positive" else (online.n_options + 1) // 2
            )
            found = hsr.eigenoptions(mdp, online.n_options, signs=online.signs, vectors=vectors)
            if online.values == "reset":
                for o in range(n_slots):
                    if former is None or not same_option(former[o], found[o]):
                        Q[:, n_actions + o] = 0.0
            available, policy, beta = read_options(mdp, found, n_slots)
            while refresh_at <= time:
                refresh_at += online.refresh
            c = None
        if c is None:
            c = choose(s)
        use[c] += 1
        path, rewards, bonuses = [s], [], []
        while True:
            u, o = path[-1], c - n_actions
            a = (
                c
                if o < 0
                else policy[o][u]
                if np.isscalar(policy[o][u])
                else pick(rng, policy[o][u])
            )
            states, chances = outcomes[u][a]
            arrived = states[0] if len(states) == 1 else states[pick(rng, chances)]
            trace.append((episode, c, len(path) == 1, u, a, arrived))
            path.append(arrived)
            time += 1
            visits[arrived] += 1
            if first_visit[arrived] < 0:
                first_visit[arrived] = time
            terminated = arrived == goal
            rewards.append(float(terminated))
            if sr is not None:
                sr[u] += alpha * (eye[u] + gamma * sr[arrived] - sr[u])
                if terminated:
                    sr[arrived] += alpha * (eye[arrived] - sr[arrived])
            if agent.on == "sr" and agent.bonus_per == "step":
                bonuses.append(bonus_of(agent, M, u, arrived))
            if o < 0 or terminated or time >= steps or beta[o, arrived] == 1.0:
                break
            if beta[o, arrived] > 0.0 and rng.random() < beta[o, arrived]:
                break
        if agent.on == "hsr":
            visited = np.zeros(n)
            for k, u in enumerate(path[:-1]):
                visited[u] += gamma**k
            M[s] += alpha * (visited + gamma ** len(rewards) * M[arrived] - M[s])
            if terminated:
                M[arrived] += alpha * (eye[arrived] - M[arrived])
            if agent.bonus_per == "step":
                bonuses = [bonus_of(agent, M, *pair) for pair in pairwise(path)]
        R = sum(gamma**k * r for k, r in enumerate(rewards))
        if agent.bonus_per == "step":
            R += agent.bonus_weight * sum(gamma**k * b for k, b in enumerate(bonuses))
        else:
            R += agent.bonus_weight * bonus_of(agent, M, s, arrived)
        if terminated:
            Q[s, c] += agent.learning_rate * (R - Q[s, c])
            s, c, episode = start, None, episode + 1
        else:
            following = choose(arrived)
            Q[s, c] += agent.learning_rate * (
                R + gamma ** len(rewards) * Q[arrived, following] - Q[s, c]
            )
            s, c = arrived, following
    return SimpleNamespace(
        trace=np.array(trace, dtype=int),
        first_visit=first_visit,
        visits=visits,
        use=use,
        Q=Q,
        map=M,
        found=found,
    )


def bonus_of(agent, M, s, arrived):
    """Return the bonus of a move, as printed."""
    if agent.bonus == "spie":
        return M[s, arrived] ** 2 - np.sum(M[:, arrived] ** 2)
    if agent.bonus == "spie_l1":
        return M[s, arrived] - np.sum(np.abs(M[:, arrived]))
    if agent.bonus == "norm":
        return 1.0 / np.sum(np.abs(M[arrived if agent.norm_of == "arrived" else s]))
    return 0.0


def pick(rng, chances):
    """Return an index by one uniform number and the running sums of the chances."""
    sums = np.cumsum(chances)
    return int(np.flatnonzero(sums > rng.random() * sums[-1])[0])


def list_outcomes(mdp):
    """Return for each state and action the states that can follow and their chances."""
    transition = mdp.toarray()
    possible = [[np.flatnonzero(row) for row in rows] for rows in transition]
    return [
        [(states.tolist(), transition[s, a, states]) for a, states in enumerate(rows)]
        for s, rows in enumerate(possible)
    ]


def read_options(mdp, options, n_slots):
    """Return available (S, C), each option's action in each state (or its chances), and termination
    (O, S).
    """
    n, n_actions = mdp.n_states, mdp.n_actions
    available = np.zeros((n, n_actions + n_slots), dtype=bool)
    available[:, :n_actions] = True
    if options is None:
        return available, [], np.ones((n_slots, n))
    available[:, n_actions:] = options.initiation.T
    pi = action_probabilities(mdp, options)
    policy = [[int(row.argmax()) if row.max() == 1.0 else row for row in rows] for rows in pi]
    return available, policy, np.array(options.termination)


def same_option(one, other):
    """Return whether two options can be chosen, act and stop alike wherever they can be running."""
    runs = other.initiation | (other.termination < 1.0)
    return (
        np.array_equal(one.initiation, other.initiation)
        and np.array_equal(one.termination, other.termination)
        and np.array_equal(one.policy[runs], other.policy[runs])
    )
