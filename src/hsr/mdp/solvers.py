"""Exact solutions of tasks: optimal values and greedy policies.

    q(s, a) = r(s, a) + g sum_t P(t | s, a) v(t),      v(s) = max_a q(s, a)

In a deterministic MDP a goal task is a breadth-first search, and ties between actions are decided
by comparing integers. Otherwise policy iteration is used. Each policy is evaluated by one sparse
solve, and the first policy that no action improves is optimal.

Values fall by a factor with every step. States so far from the goal that their values cannot be
compared in double precision are refused.
"""

from typing import Any

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, FloatArray
from hsr._base.errors import InputError
from hsr._base.seeds import Seed, generator_from
from hsr._base.validation import check_choice
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.mdp.resolvent import Resolvent
from hsr.mdp.task import GoalTask, StepRewards, Task, check_task, goal_distances, step_rewards

GREEDY_TIES = {
    "uniform": "all best actions are equally probable",
    "first": "the best action with the smallest index",
    "random": "one best action per state, drawn by the seed",
}
TIE_TOLERANCE = 1e-9
IMPROVEMENT = 1e-12  # policy iteration ignores smaller ones, relative to the value
SMALLEST = 1e-300  # policy iteration ignores improvements below this
_SMALLEST_COMPARED = 1e-280  # values below this feel the improvements that were ignored


def optimal_value(mdp: FiniteMDP, task: Task) -> FloatArray:
    """Return the optimal values of a task, of shape (S,).

    For a goal it is v(s) = E[g^(T - 1)] under the best policy, where T is the number of moves until
    the goal is entered. It is 0 where the goal cannot be reached, and 0 at the goal itself, where
    the episode is over. For rewards it is the largest expected discounted sum of them. A terminal
    state is worth its own reward, if rewards are paid per state, and otherwise 0.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP.
    task : GoalTask or RewardTask
        The goal or the rewards. Its start does not matter.

    Returns
    -------
    float array of shape (S,)
        In a deterministic MDP exactly g^(d - 1) at distance d from the goal.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.5)
    >>> hsr.optimal_value(mdp, hsr.GoalTask(start=0, goal=4))
    array([0.125, 0.25 , 0.5  , 1.   , 0.   ])
    """
    check_mdp(mdp)
    check_task(mdp, task)
    if isinstance(task, GoalTask) and mdp.is_deterministic:
        distance = goal_distances(mdp, task.goal)
        return np.where(distance > 0, mdp.discount ** np.maximum(distance - 1.0, 0.0), 0.0)
    steps = step_rewards(mdp, task)
    return np.where(steps.terminal, steps.at_end, action_values(mdp, steps).max(axis=1))


def greedy_policy(
    mdp: FiniteMDP, task: Task, *, ties: str = "uniform", seed: Seed = 0
) -> FloatArray:
    r"""Return an optimal policy of a task, of shape (S, A).

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP.
    task : GoalTask or RewardTask
        The goal or the rewards. Its start does not matter.
    ties : {"uniform", "first", "random"}
        What to do with actions of equal value: make them equally probable, take the one with the
        smallest index, or draw one per state. For a goal in a deterministic MDP values are compared
        exactly. Otherwise values within a factor of 1e-9 are equal, or, if some rewards are
        negative, within 1e-9 of the value that their absolute values would have. Where the episode
        is over, and where the goal cannot be reached, all actions tie.
    seed : int or Generator
        Used by ``ties="random"``.

    Returns
    -------
    float array of shape (S, A)
        Probability of each action in each state.

    Raises
    ------
    InputError
        If the task does not fit the MDP, or if transitions are random and a state is so far from
        the goal that its value is below 1e-280.

    Examples
    --------
    From the upper left of four cells, right and down are equally short ways to the lower right:

    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("..\n.."), discount=0.9)
    >>> hsr.greedy_policy(mdp, hsr.GoalTask(start=0, goal=3))[0]  # up, right, down, left
    array([0. , 0.5, 0.5, 0. ])
    >>> hsr.greedy_policy(mdp, hsr.GoalTask(start=0, goal=3), ties="first")[0]
    array([0., 1., 0., 0.])
    """
    check_choice(ties, GREEDY_TIES, "ties")
    check_mdp(mdp)
    check_task(mdp, task)
    return split_ties(optimal_actions(mdp, task), ties, seed)


def optimal_actions(mdp: FiniteMDP, task: Task) -> BoolArray:
    """Return which actions are optimal, of shape (S, A)."""
    if isinstance(task, GoalTask) and mdp.is_deterministic and mdp.discount > 0.0:
        return shortest_actions(mdp, task)
    steps = step_rewards(mdp, task)
    q = action_values(mdp, steps)
    if not isinstance(task, GoalTask):
        return _best_for_rewards(mdp, q, steps)
    check_comparable(q, goal_distances(mdp, task.goal) > 0, mdp.discount)
    return near_best(q)


def check_comparable(q: FloatArray, reaches: BoolArray, discount: float) -> None:
    """Raise `InputError` if values are too small to be compared.

    Parameters
    ----------
    q : array of shape (S, C)
        The values of all choices.
    reaches : bool array of shape (S,)
        From which states the goal can be reached. Values are positive there.
    discount : float
        The discount of the MDP. With 0 only the last step counts, and other values are 0.
    """
    lost = np.flatnonzero(reaches & (q.max(axis=1) < _SMALLEST_COMPARED))
    if lost.size and discount > 0.0:
        raise InputError(
            f"discount is {discount}; state {lost[0]} is so far from the goal that its value is "
            f"below {_SMALLEST_COMPARED:g}, too small to compare choices: use a larger discount"
        )


def shortest_actions(mdp: FiniteMDP, task: GoalTask) -> BoolArray:
    """Return which actions lie on a shortest path to the goal of a deterministic MDP, (S, A)."""
    distance = goal_distances(mdp, task.goal)
    best = distance[mdp.successors] == (distance - 1)[:, None]
    best[distance <= 0] = True
    return best


def near_best(q: FloatArray) -> BoolArray:
    """Return where non-negative values (S, C) are within a factor of 1e-9 of the row's best."""
    return q >= q.max(axis=1, keepdims=True) * (1.0 - TIE_TOLERANCE)


def _best_for_rewards(mdp: FiniteMDP, q: FloatArray, steps: StepRewards) -> BoolArray:
    """Return which actions are best, given their values (S, A).

    If nothing pays less than 0, values are compared with the best of their state, as for goals.
    """
    if (steps.expected >= 0.0).all():
        return near_best(q)
    size, matrices = np.abs(steps.expected), _inside(mdp, steps)
    policy = np.eye(mdp.n_actions)[q.argmax(axis=1)]
    u = _resolvent(matrices, policy, mdp.discount).solve((policy * size).sum(axis=1)[:, None])
    ahead = np.stack([(matrix @ u)[:, 0] for matrix in matrices], axis=1)
    return near_best_of_any_sign(q, size + mdp.discount * ahead)


def near_best_of_any_sign(q: FloatArray, size: FloatArray) -> BoolArray:
    """Return where values (S, C) are within 1e-9 of the row's best, relative to their size.

    Rewards of both signs can cancel, so that rounding is not relative to the values themselves. It
    is relative to what they are sums of. A large penalty that is avoided does not count.

    Parameters
    ----------
    q : array of shape (S, C)
        The values of all choices, minus infinity where a choice is not available.
    size : array of shape (S, C)
        What the values would be if absolute rewards were paid and the best choices made.

    Examples
    --------
    >>> near_best_of_any_sign(np.array([[0.3, 0.1 + 0.2, 0.2, -1e12]]), np.array([[1, 1, 1, 1e12]]))
    array([[ True,  True, False, False]])
    """
    of_best = np.take_along_axis(size, q.argmax(axis=1, keepdims=True), axis=1)
    margin = TIE_TOLERANCE * np.maximum(size, of_best) + SMALLEST
    return q >= q.max(axis=1, keepdims=True) - margin


def split_ties(best: BoolArray, ties: str, seed: Seed) -> FloatArray:
    """Return the distribution over the tied choices of each row of `best`, of shape (S, C)."""
    if ties == "uniform":
        return best / best.sum(axis=1, keepdims=True)
    rank = np.zeros(best.shape[0])
    if ties == "random":
        rank = np.floor(generator_from(seed).random(best.shape[0]) * best.sum(axis=1))
    chosen = (np.cumsum(best, axis=1) > rank[:, None]).argmax(axis=1)
    policy = np.zeros(best.shape)
    policy[np.arange(best.shape[0]), chosen] = 1.0
    return policy


def rises(v: FloatArray, slack: FloatArray, last: tuple[FloatArray, FloatArray] | None) -> bool:
    """Return whether values are above the last ones on the whole, each relative to its slack."""
    return last is None or bool(((v - last[0]) / np.maximum(slack, last[1])).sum() > 0.0)


def action_values(mdp: FiniteMDP, steps: StepRewards) -> FloatArray:
    """Return the optimal q(s, a) of a task, of shape (S, A). Zero where the episode is over."""
    return best_action_values(_inside(mdp, steps), steps.expected, mdp.discount)


def _inside(mdp: FiniteMDP, steps: StepRewards) -> list[sparse.csr_array]:
    """Return the transitions between states in which the episode is not over, one per action."""
    inside = sparse.diags_array((~steps.terminal).astype(float))
    return [
        sparse.csr_array(inside @ mdp.transition_of(action) @ inside)
        for action in range(mdp.n_actions)
    ]


def _resolvent(matrices: list[sparse.csr_array], policy: FloatArray, gamma: float) -> Resolvent:
    """Return what solves for the values of a policy of shape (S, A)."""
    P = sum(
        (matrix.multiply(policy[:, [a]]) for a, matrix in enumerate(matrices)),
        start=0 * matrices[0],
    )
    return Resolvent.of(sparse.csr_array(gamma * P))


def best_action_values(
    matrices: list[sparse.csr_array], reward: FloatArray, gamma: float, *, may_stop: bool = False
) -> FloatArray:
    """Return the optimal q(s, a), of shape (S, A), by policy iteration.

    Parameters
    ----------
    matrices : list of sparse arrays of shape (S, S)
        One matrix per action. Rows sum to at most 1.
    reward : array of shape (S, A)
        Expected reward of each action.
    gamma : float in [0, 1)
        Discount per step.
    may_stop : bool
        Whether the agent may stop at any time and receive nothing more, so that v = max(0, max_a
        q).
    """
    n_states, n_actions = reward.shape
    policy = np.full((n_states, n_actions), 1.0 / n_actions)
    stopped = np.zeros(n_states, dtype=bool)
    # Values of rewards of both signs can cancel to a rounded zero, where no relative margin helps.
    slack: Any = IMPROVEMENT * np.abs(reward).max() if may_stop else SMALLEST
    has_penalties, last = not may_stop and bool((reward < 0.0).any()), None
    while True:
        policy[stopped] = 0.0
        resolvent = _resolvent(matrices, policy, gamma)
        v = resolvent.solve((policy * reward).sum(axis=1)[:, None])[:, 0]
        if has_penalties:
            size = resolvent.solve((policy * np.abs(reward)).sum(axis=1)[:, None])[:, 0]
            slack = IMPROVEMENT * size + SMALLEST
        q = reward + gamma * np.stack([matrix @ v for matrix in matrices], axis=1)
        best = q.max(axis=1)
        better = (
            best > np.maximum(v, 0.0 if may_stop else -np.inf) + IMPROVEMENT * np.abs(v) + slack
        )
        leaves = may_stop & ~stopped & (v < -slack) & ~better
        # An exact improvement raises values. If none rises, rounding is all that is left.
        if not (better.any() or leaves.any()) or (has_penalties and not rises(v, slack, last)):
            return q
        last = v, slack
        stopped = (stopped & ~better) | leaves
        policy[better] = 0.0
        policy[better, q[better].argmax(axis=1)] = 1.0
