"""Generalised policy improvement: act by the values of a pool, and estimate the reward."""

import numpy as np

from hsr._base.compiled import inlined
from hsr.kernels.values import larger, learn_value, value


@inlined
def read_pool_values(pool_values, s, q):
    """Write the pool's values of choices in s into q (C,), and return their largest magnitude.

    Options get the value minus infinity if the policies of the pool do not choose among them, and
    where they are not available.
    """
    for c in range(pool_values.shape[1], q.size):
        q[c] = -np.inf
    largest = 0.0
    for c in range(pool_values.shape[1]):
        q[c] = pool_values[s, c]
        if q[c] > -np.inf:
            largest = max(largest, abs(q[c]))
    return largest


@inlined
def tried(rule, tables, pool_values, n_actions, s, q):
    """Return the number of choices that exploration draws from, and which values count as tied.

    With a pool of policies, its values replace those in q (C,).
    """
    # A minimum of two numbers, instead of this condition, costs an HSR agent a third of its speed.
    n = n_actions if rule.tries_primitives else tables.n_available[s]
    margin = rule.tolerance
    if pool_values is not None and pool_values.shape[0] > 0:
        margin *= read_pool_values(pool_values, s, q)
        if pool_values.shape[1] == n_actions:
            n = n_actions
    return n, margin


@inlined
def learn_reward(error, reward_weights, kind, X, arrived, reward, alpha, largest):
    """Move the estimated reward of a state towards what was paid.

    Returns the larger of its error and the one that is given.
    """
    if reward_weights is None:
        return error
    if reward_weights.shape[0] == 0:
        return error
    only = np.int64(0)  # the row of the weights
    delta = reward - value(kind, reward_weights, X, only, arrived)
    size = learn_value(kind, reward_weights, X, only, arrived, alpha, delta, largest)
    return larger(error, size)
