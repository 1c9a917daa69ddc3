"""Q-learning of the policy of an eigenoption, which climbs a vector v (Eq. 3).

    q(s, a) += alpha (v(s') - v(s) + g max(0, max_b q(s', b)) - q(s, a))

The maximum with zero is there because an option may stop.
"""

import numpy as np

from hsr._base.compiled import lean
from hsr.kernels.acting import choose, move


@lean
def read_values(q, s, here):
    """Write the values of the actions in s into here (A,), and return the best."""
    best = q[s, 0]
    for a in range(q.shape[1]):
        here[a] = q[s, a]
        best = max(best, here[a])
    return best


@lean
def learn_to_climb(
    rng,
    indptr,
    arrival,
    cumulative,
    n_actions,
    available,
    v,
    gamma,
    alpha,
    epsilon,
    tolerance,
    longest,
    steps,
    q,
    tried,
    here,
    clock,
):
    """Update q (S, A) in place for the vector v (S,), by a number of steps.

    1. Begin a run of the option in a state drawn uniformly.
    2. Act epsilon-greedily, with ties drawn at random, and move.
    3. Update the value of the action, and note in tried (S,) that the state has been left.
    4. End the run where no action is worth more than `tolerance`, because the option stops there,
       or after `longest` steps.

    Before anything is learned every state stops. The first runs are therefore single steps from
    states everywhere. available (1, A) holds 0..A-1, and here (A,) is working memory. clock (2,)
    holds the state and the length of the run, -1 and 0 at first, so that the next call resumes.
    """
    s, n = clock[0], clock[1]
    for _ in range(steps):
        # 1. Begin a run.
        if s < 0:
            s = np.int64(rng.random() * v.size)
            n = 0
            read_values(q, s, here)
        # 2. Act and move.
        a = choose(rng, here, available, 0, n_actions, epsilon, 0.0, False, False)
        arrived = move(rng, indptr, arrival, cumulative, s * n_actions + a)
        # 3. Update the value of the action.
        best = read_values(q, arrived, here)
        q[s, a] += alpha * (v[arrived] - v[s] + gamma * max(0.0, best) - q[s, a])
        tried[s] = True
        if arrived == s:
            best = read_values(q, s, here)
        s = np.int64(arrived)
        n += 1
        # 4. End the run.
        if best <= tolerance or n == longest:
            s = np.int64(-1)
    clock[0], clock[1] = s, n
