"""The slow twin of `hsr.explore`: SARSA over actions and options with a bonus from a dense map, one
seed, in plain NumPy.

Everything is written down from the formulas: the map is a square array, and a bonus reads it again
each time. It draws from its generator in the documented order: the choice (one number against
epsilon, another among several), then per step the option's action, where the world moves, whether
the option stops; each only where the outcome is random. It learns no map that nothing depends on,
and is the peer of the benchmark.
"""

from itertools import pairwise
from types import MappingProxyType, SimpleNamespace

import numpy as np

import hsr
from tests.oracles.plain_frontier import frontier_plainly
from tests.oracles.plain_linear_q import Choices, changed_options, epsilon_greedy, outcomes_of, pick


def explore_plainly(
    mdp,
    agent,
    options=None,
    *,
    seed,
    steps,
    start=None,
    starts=None,
    task=None,
    changes=MappingProxyType({}),
):
    """Return what one seed does and knows: trace (steps, 6), first_visit, visits, use, Q (S, C),
    map (S, S), found options by their steps.

    options: None, an `OptionSet`, or `OnlineOptions` of method "eigen" or, where nothing is random,
    "frontier". Without `start` the first state is drawn from `starts`. An episode ends in the goal,
    in the terminal states of a `RewardTask`, and in absorbing states. `changes` are MDPs and
    options by the number of steps, before the first choice after which they replace the former. A
    choice that was made before the world or the options change is made again.
    """
    rng = np.random.default_rng(seed)
    if start is None:
        start = int(starts[int(rng.random() * len(starts))])
    online = options if isinstance(options, hsr.OnlineOptions) else None
    n, n_actions, gamma, alpha = mdp.n_states, mdp.n_actions, mdp.discount, agent.map_learning_rate
    changes = dict(changes)
    outcomes, over = outcomes_of(mdp), ends_of(mdp, task)
    n_slots = online.n_options if online else 0 if options is None else len(options)
    Q = np.zeros((n, n_actions + n_slots))
    eye = np.eye(n)
    M = eye.copy() if agent.initial_map == "identity" else np.zeros((n, n))
    needs_sr = online is not None and online.method == "eigen"
    sr = M if agent.on == "sr" else M.copy() if needs_sr else None
    found, options_at = None if online else options, {}
    choices = Choices(mdp, found, n_slots)
    first_visit, visits = np.full(n, -1), np.zeros(n, dtype=int)
    first_visit[start] = 0
    tried, leads = np.zeros((2, n, n_actions), dtype=int)
    use, trace, episode = np.zeros(Q.shape[1], dtype=int), [], 0

    def choose(s):
        return epsilon_greedy(rng, Q[s], choices.available[s], agent.epsilon, agent.tie_tolerance)

    refresh_at = online.warm_up if online else steps
    s, c, time = start, None, 0
    while time < steps:
        for due in [at for at in changes if at <= time]:
            mdp, after = changes.pop(due)
            found = found if online else after
            outcomes, choices, c = outcomes_of(mdp), Choices(mdp, found, n_slots), None
            over = ends_of(mdp, task)
        if online and time >= refresh_at:
            former = found
            if online.method == "frontier":
                found = frontier_plainly(tried, leads, first_visit >= 0, online.n_options)
            else:
                found = eigenoptions_of(mdp, sr, online)
            if online.values == "reset":
                Q[:, n_actions:][:, changed_options(former, found)] = 0.0
            choices, options_at[time] = Choices(mdp, found, n_slots), found
            while refresh_at <= time:
                refresh_at += online.refresh
            c = None
        if c is None:
            c = choose(s)
        use[c] += 1
        path, rewards, bonuses = [s], [], []
        while True:
            u, o = path[-1], c - n_actions
            a = choices.action(rng, o, u) if o >= 0 else c
            states, sums = outcomes[u][a]
            arrived = states[0] if sums is None else states[pick(rng, sums)]
            trace.append((episode, c, len(path) == 1, u, a, arrived))
            path.append(arrived)
            time += 1
            visits[arrived] += 1
            tried[u, a] += 1
            leads[u, a] = arrived
            if first_visit[arrived] < 0:
                first_visit[arrived] = time
            terminated = arrived in over
            rewards.append(reward_of(task, over, gamma, u, a, arrived))
            if sr is not None:
                sr[u] += alpha * (eye[u] + gamma * sr[arrived] - sr[u])
                if terminated:
                    sr[arrived] += alpha * (eye[arrived] - sr[arrived])
            if agent.on == "sr" and agent.bonus_per == "step":
                bonuses.append(bonus_of(agent, M, u, arrived))
            if o < 0 or terminated or time >= steps or choices.stops(rng, o, arrived):
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
        options_at=options_at,
    )


def ends_of(mdp, task):
    """Return the set of states in which episodes end.

    They are absorbing states that can be entered, the goal, and terminal states. An absorbing state
    that pays is not left, but it need not be the end.
    """
    P = mdp.toarray()
    states = range(mdp.n_states)
    traps = {s for s in states if (P[s, :, s] == 1).all()}
    if isinstance(task, hsr.RewardTask):
        return set(task.terminal.tolist())
    goals = set() if task is None else {task.goal}
    entered = {t for t in traps - goals for s in states if s != t and P[s, :, t].any()}
    return goals | traps if entered else goals


def reward_of(task, over, gamma, s, a, arrived):
    """Return what a step pays by the definition of its task."""
    if task is None:
        return 0.0
    if isinstance(task, hsr.GoalTask):
        return float(arrived == task.goal)
    if task.per == "state":
        return task.reward[s] + gamma * task.reward[arrived] * (arrived in over)
    return task.reward[s, a] if task.per == "action" else task.reward[a][s, arrived]


def eigenoptions_of(mdp, sr, online):
    """Return the eigenoptions of a learned SR, as the paper's heuristic has them."""
    n = online.n_options if online.signs == "positive" else (online.n_options + 1) // 2
    vectors = hsr.options.map_vectors(sr, n)
    return hsr.eigenoptions(mdp, online.n_options, signs=online.signs, vectors=vectors)


def bonus_of(agent, M, s, arrived):
    """Return the bonus of a move, as printed."""
    if agent.bonus == "spie":
        return M[s, arrived] ** 2 - np.sum(M[:, arrived] ** 2)
    if agent.bonus == "spie_l1":
        return M[s, arrived] - np.sum(np.abs(M[:, arrived]))
    if agent.bonus == "norm":
        return 1.0 / np.sum(np.abs(M[arrived if agent.norm_of == "arrived" else s]))
    return 0.0
