"""Exact solutions: optimal values and greedy policies of goal tasks, and optimal values of any
reward.

    q(s, a) = r(s, a) + g sum_t P(t | s, a) v(t),      v(s) = max_a q(s, a)   (or 0, where stopping is allowed).

In a deterministic world a goal task is breadth-first search: from distance d the value is g^(d -
1), exactly, and whether two actions tie is a comparison of integers. Otherwise policy
iteration: each policy is evaluated by one sparse solve, and the first policy that no action
improves is optimal.
"""

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, FloatArray
from hsr._base.seeds import Seed, generator_from
from hsr._base.validation import check_choice
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.resolvent import Resolvent
from hsr.mdp.task import GoalTask, check_task, goal_distances

GREEDY_TIES = {
    "uniform": "all best actions are equally probable",
    "first": "the best action with the smallest index",
    "random": "one best action per state, drawn by the seed",
}
TIE_TOLERANCE = 1e-9
_IMPROVEMENT = 1e-12
SMALLEST = 1e-300  # below this, numbers lose their relative precision and differences mean nothing


def optimal_value(mdp: FiniteMDP, task: GoalTask) -> FloatArray:
    """Return the optimal values of a goal task, of shape (S,).

    ``v(s) = E[g^(T - 1)]`` under the best policy, with T the number of moves until the goal is entered; 0 where the goal
    cannot be reached, and 0 at the goal itself, where the episode is over.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.5)
    >>> hsr.optimal_value(mdp, hsr.GoalTask(start=0, goal=4))
    array([0.125, 0.25 , 0.5  , 1.   , 0.   ])
    """
    check_task(mdp, task)
    if mdp.is_deterministic:
        distance = goal_distances(mdp, task.goal)
        return np.where(distance > 0, mdp.discount ** np.maximum(distance - 1.0, 0.0), 0.0)
    return goal_action_values(mdp, task).max(axis=1)


def greedy_policy(
    mdp: FiniteMDP, task: GoalTask, *, ties: str = "uniform", seed: Seed = 0
) -> FloatArray:
    """Return an optimal policy of a goal task, of shape (S, A).

    Parameters
    ----------
    ties : {"uniform", "first", "random"}
        How actions of equal value share a state: all alike, the one with the least index, or one
        drawn by `seed`. In a deterministic world equal is exact; otherwise values within a factor
        of 1e-9 are equal. At the goal, and where the goal cannot be reached, all actions tie.
    seed : int or Generator, used by ``ties="random"``
    """
    check_choice(ties, GREEDY_TIES, "ties")
    check_task(mdp, task)
    return split_ties(optimal_actions(mdp, task), ties, seed)


def optimal_actions(mdp: FiniteMDP, task: GoalTask) -> BoolArray:
    """Return which actions are optimal, of shape (S, A)."""
    if mdp.is_deterministic and mdp.discount > 0.0:
        return shortest_actions(mdp, task)
    return near_best(goal_action_values(mdp, task))


def shortest_actions(mdp: FiniteMDP, task: GoalTask) -> BoolArray:
    """Return which actions of a deterministic world lie on a shortest path to the goal, of shape
    (S, A).
    """
    distance = goal_distances(mdp, task.goal)
    best = distance[mdp.successors] == (distance - 1)[:, None]
    best[distance <= 0] = True
    return best


def near_best(q: FloatArray) -> BoolArray:
    """Return where non-negative values of shape (S, C) reach the best of their row, within a factor
    of 1e-9.
    """
    return q >= q.max(axis=1, keepdims=True) * (1.0 - TIE_TOLERANCE)


def split_ties(best: BoolArray, ties: str, seed: Seed) -> FloatArray:
    """Return the distribution over the tied choices of each row of `best` (S, C)."""
    if ties == "uniform":
        return best / best.sum(axis=1, keepdims=True)
    rank = np.zeros(best.shape[0])
    if ties == "random":
        rank = np.floor(generator_from(seed).random(best.shape[0]) * best.sum(axis=1))
    chosen = (np.cumsum(best, axis=1) > rank[:, None]).argmax(axis=1)
    policy = np.zeros(best.shape)
    policy[np.arange(best.shape[0]), chosen] = 1.0
    return policy


def goal_action_values(mdp: FiniteMDP, task: GoalTask) -> FloatArray:
    """Return q(s, a) of a goal task, of shape (S, A), zero at the goal."""
    inside = np.ones(mdp.n_states)
    inside[task.goal] = 0.0
    mask = sparse.diags_array(inside)
    reward = np.zeros((mdp.n_states, mdp.n_actions))
    matrices = []
    for action in range(mdp.n_actions):
        P = mdp.transition_of(action)
        reward[:, action] = inside * P[:, [task.goal]].toarray()[:, 0]
        matrices.append((mask @ P @ mask).tocsr())
    return best_action_values(matrices, reward, mdp.discount)


def best_action_values(
    matrices: list[sparse.csr_array], reward: FloatArray, gamma: float, *, may_stop: bool = False
) -> FloatArray:
    """Return the optimal q(s, a), of shape (S, A), by policy iteration.

    Parameters
    ----------
    matrices : one (S, S) matrix per action, rows summing to at most 1
    reward : array of shape (S, A)
    may_stop : bool
        Whether the agent may leave with nothing more to come, so that v = max(0, max_a q).
    """
    n_states, n_actions = reward.shape
    policy = np.full((n_states, n_actions), 1.0 / n_actions)
    stopped = np.zeros(n_states, dtype=bool)
    # Values of rewards of both signs can cancel to a rounded zero, where no relative margin helps.
    slack = _IMPROVEMENT * np.abs(reward).max() if may_stop or (reward < 0.0).any() else SMALLEST
    while True:
        policy[stopped] = 0.0
        P = sum(
            (matrix.multiply(policy[:, [a]]) for a, matrix in enumerate(matrices)),
            start=0 * matrices[0],
        )
        r = (policy * reward).sum(axis=1)
        v = Resolvent.of(sparse.csr_array(gamma * P)).solve(r[:, None])[:, 0]
        q = reward + gamma * np.stack([matrix @ v for matrix in matrices], axis=1)
        best = q.max(axis=1)
        better = (
            best > np.maximum(v, 0.0 if may_stop else -np.inf) + _IMPROVEMENT * np.abs(v) + slack
        )
        leaves = may_stop & ~stopped & (v < -slack) & ~better
        if not (better.any() or leaves.any()):
            return q
        stopped = (stopped & ~better) | leaves
        policy[better] = 0.0
        policy[better, q[better].argmax(axis=1)] = 1.0
