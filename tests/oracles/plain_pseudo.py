"""Q-learning of an eigenoption, written down from its rule in plain Python, along the same random
stream as the kernel.
"""

import numpy as np

from tests.oracles.dense_options import next_state


def draw_action(q, rng, epsilon):
    """Return an epsilon-greedy action; one number against epsilon, another among several."""
    if rng.random() < epsilon:
        return int(rng.random() * q.size)
    best = np.flatnonzero(q == q.max())
    return int(best[0] if best.size == 1 else best[int(rng.random() * best.size)])


def climb_plainly(mdp, v, rng, *, steps, learning_rate, epsilon, discount, longest=1000):
    """Return q (S, A) and the states in which an action was taken, in a list, one after another."""
    transition = mdp.toarray()
    q = np.zeros((mdp.n_states, mdp.n_actions))
    visited = []
    running, length = False, 0
    for _ in range(steps):
        if not running:
            s, length = int(rng.random() * mdp.n_states), 0
        a = draw_action(q[s], rng, epsilon)
        t = int(next_state(rng, transition[s, a]))
        target = v[t] - v[s] + discount * max(0.0, q[t].max())
        q[s, a] += learning_rate * (target - q[s, a])
        visited.append(s)
        s, length = t, length + 1
        running = q[s].max() > 1e-10 and length < longest
    return q, visited
