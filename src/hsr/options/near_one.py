"""Climbing a vector at discounts so near to 1 that all ways to its summit are worth the same.

An option that climbs v to a summit of height c gains c - v(s) minus what discounting costs it. With
w(s) the cost divided by 1 - g, the best option has the smallest

    w(s) = E[(c - v(s')) + g w(s')],      w = (c - v) / (1 - g) where it stops.

All terms are positive, so that nothing cancels at any discount.
"""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr.mdp.expected_steps import least, least_costs
from hsr.mdp.goal_process import GoalProcess


def climbing_actions(
    matrices: list[sparse.csr_array], v: FloatArray, stop: BoolArray, gamma: float
) -> tuple[IntArray, BoolArray]:
    """Return the actions that climb best, and the states in which they matter, both (S,).

    Parameters
    ----------
    matrices : list of sparse arrays of shape (S, S)
        The moves of each action.
    v : array of shape (S,)
        The vector to climb.
    stop : bool array of shape (S,)
        Where the option stops.
    gamma : float in (0, 1)
        Discount per step.
    """
    runs = sparse.diags_array((~stop).astype(np.float64))
    reward = np.stack([~stop * (P @ stop.astype(np.float64)) for P in matrices], axis=1)
    process = GoalProcess(
        [sparse.csr_array(runs @ P @ runs) for P in matrices],
        reward,
        np.full(reward.shape, gamma),
        np.ones(reward.shape, dtype=bool),
        gamma,
    )
    alive = process.distance >= 0
    below = _summits(matrices, v) - v
    ends = np.where(stop | ~alive, below / (1.0 - gamma), below)
    cost = np.stack([P @ ends for P in matrices], axis=1)
    nodes = np.flatnonzero(alive)
    actions = np.zeros(v.size, dtype=np.int64)
    if nodes.size:
        w = least_costs(process.within(nodes), cost[nodes], process.approach[nodes])
        actions[nodes] = least(w).argmax(axis=1)
    return actions, alive


def _summits(matrices: list[sparse.csr_array], v: FloatArray) -> FloatArray:
    """Return the largest entry of v in the part of the world to which each state belongs, (S,)."""
    support = sum(matrices[1:], start=matrices[0])
    n_parts, label = connected_components(support, directed=False)
    summit = np.full(n_parts, -np.inf)
    np.maximum.at(summit, label, v)
    return summit[label]
