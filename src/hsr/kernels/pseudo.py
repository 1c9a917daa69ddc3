"""Q-learning of the way up a landscape: the policy of an eigenoption, from sampled steps (Eq. 3).

    q(s, a) += alpha (v(s') - v(s) + g max(0, max_b q(s', b)) - q(s, a))

The zero is there because an option may stop, and then nothing more comes. The learner runs as the
option will: it acts at least once, and stops on arrival where no action is worth more than
`tolerance`, or after `longest` steps. Then it begins anew in a state drawn uniformly, since where
an option stops it has nothing to do. Before anything is known every state stops, so that the first
runs are single steps from everywhere.
"""

from hsr._base.compiled import lean
from hsr.kernels.acting import choose, move


@lean
def look(q, s, here):
    """Write the values of the actions of s into here (A,), and return the best."""
    best = q[s, 0]
    for a in range(q.shape[1]):
        here[a] = q[s, a]
        best = max(best, here[a])
    return best


@lean
def learn_to_climb(
    rng, world, listing, v, gamma, alpha, epsilon, tolerance, longest, steps, q, tried, here
):
    """Update q (S, A) in place for the landscape v (S,), and mark in tried (S,) the states in
    which an action was taken.

    Actions are epsilon-greedy, with ties drawn. listing (1, A) holds 0..A-1, and here (A,) is room
    to work in.
    """
    indptr, arrival, cumulative, n_actions = world
    s = -1
    n = 0
    for _ in range(steps):
        if s < 0:
            s = int(rng.random() * v.size)
            n = 0
            look(q, s, here)
        a = choose(rng, here, listing, 0, n_actions, epsilon, 0.0)
        arrived = move(rng, indptr, arrival, cumulative, s * n_actions + a)
        best = look(q, arrived, here)
        q[s, a] += alpha * (v[arrived] - v[s] + gamma * max(0.0, best) - q[s, a])
        tried[s] = True
        if arrived == s:
            best = look(q, s, here)
        s = arrived
        n += 1
        if best <= tolerance or n == longest:
            s = -1
