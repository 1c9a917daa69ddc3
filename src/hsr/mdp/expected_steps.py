"""The fewest expected steps to a goal, for discounts so near to 1 that values hardly differ.

At a discount g = 1 - 1e-10 a step more or less changes the value of a goal by a factor of 1e-10.
So the steps themselves are compared. With T the number of steps until the goal is entered,

    w = (1 - v) / (1 - g) = E[1 + g + ... + g^(T - 2)]

are the discounted steps before the last one. They solve w = P 1 + g P w, where P are the moves to
states other than the goal. All terms are positive, so that nothing cancels at any discount.
"""

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr.mdp.goal_process import GoalProcess
from hsr.mdp.resolvent import Resolvent

NEAR_ONE = 1e-5  # values are compared by steps if 1 - discount is below
_SAME_STEPS = 1e-9
_ROUNDING = 1e-12


def fewest_steps(process: GoalProcess) -> BoolArray:
    """Return which allowed choices take the fewest expected steps, of shape (n, C).

    Numbers of steps are equal if they differ by less than 1e-9 of a step and 1e-12 of themselves.
    Where the goal cannot be reached, all allowed choices tie.
    """
    best = least(expected_steps(process)) | (process.distance < 0)[:, None]
    return best & process.allowed


def least(w: FloatArray) -> BoolArray:
    """Return where costs (n, C) equal the row's least, to 1e-9 and 1e-12 of themselves."""
    lowest = w.min(axis=1, keepdims=True)
    return w <= lowest + _SAME_STEPS + _ROUNDING * lowest


def expected_steps(process: GoalProcess) -> FloatArray:
    """Return w of each choice if the best ones follow, of shape (n, C), by policy iteration.

    It is infinite for choices that are not allowed, and 1 / (1 - g) for all choices from which the
    goal cannot be reached.
    """
    n, n_choices = process.reward.shape
    never = 1.0 / (1.0 - process.gamma)
    alive = np.flatnonzero(process.distance >= 0)
    w = np.full((n, n_choices), never)
    if alive.size:
        lost = (process.distance < 0).astype(np.float64)
        inside = process.within(alive)
        gone = np.stack([(P @ lost)[alive] for P in process.matrices], axis=1)
        stays = np.stack([P @ np.ones(alive.size) for P in inside.matrices], axis=1)
        cost = np.where(inside.discount < 1.0, stays, 0.0) + gone * never
        w[alive] = least_costs(inside, cost, process.approach[alive])
    return np.where(process.allowed, w, np.inf)


def least_costs(process: GoalProcess, cost: FloatArray, policy: IntArray) -> FloatArray:
    """Return the least discounted costs of each choice until the goal, (n, C), by policy iteration.

    Parameters
    ----------
    process : GoalProcess
        A process in which every node can reach the goal.
    cost : array of shape (n, C)
        The expected cost of each choice, not negative.
    policy : int array of shape (n,)
        Choices that reach the goal, such as `GoalProcess.approach`, to start from.
    """
    n, n_choices = cost.shape
    discount = process.discount.T.ravel()
    P = process.stacked
    moves = sparse.csr_array(
        (P.data * discount[process.source], P.indices, P.indptr), shape=P.shape
    )
    node = np.arange(n)
    while True:
        w = Resolvent.of(moves[policy * n + node]).solve(cost[node, policy][:, None])[:, 0]
        q = cost + (moves @ w).reshape(n_choices, n).T
        q = np.where(process.allowed, q, np.inf)
        better = q.min(axis=1) < w - 0.1 * (_SAME_STEPS + _ROUNDING * w)
        if not better.any():
            return q
        policy = np.where(better, q.argmin(axis=1), policy)
