"""Ways to one goal, in the form that all exact solvers share."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, FloatArray, Int32Array, IntArray
from hsr.kernels.graph import breadth_first
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.task import GoalTask


@dataclass(frozen=True)
class GoalProcess:
    """A decision process that ends when its goal is entered, which pays 1.

    Its nodes are the states of an MDP, perhaps with others added, such as "option 3 is running in
    state 7". With d the discount, r the probability of entering the goal and P the moves to other
    nodes, the optimal values are

        q(n, c) = r(n, c) + d(n, c) sum_m P_c(m | n) v(m),      v(n) = max over allowed c of q(n, c)

    Attributes
    ----------
    matrices : list of sparse arrays of shape (n, n)
        The moves P_c of each choice to nodes other than the goal.
    reward : array of shape (n, C)
        The probability of entering the goal.
    discount : array of shape (n, C)
        `gamma` for a move that takes a step, 1 for one that takes no time.
    allowed : bool array of shape (n, C)
        Which choices a node has.
    gamma : float in (0, 1)
        Discount per step.
    """

    matrices: list[sparse.csr_array]
    reward: FloatArray
    discount: FloatArray
    allowed: BoolArray
    gamma: float

    @cached_property
    def stacked(self) -> sparse.csr_array:
        """The moves of all choices, one below the other, of shape (C n, n)."""
        stacked = sparse.csr_array(sparse.vstack(self.matrices, format="csr"))
        stacked.eliminate_zeros()
        return stacked

    @cached_property
    def source(self) -> IntArray:
        """The row of each entry of `stacked`."""
        return np.repeat(np.arange(self.stacked.shape[0]), np.diff(self.stacked.indptr))

    @cached_property
    def distance(self) -> Int32Array:
        """The fewest moves from each node to the goal, -1 where it cannot be reached, (n,)."""
        n = self.reward.shape[0]
        sources = np.append(self.source % n, np.flatnonzero(self.reward.max(axis=1) > 0.0))
        targets = np.append(self.stacked.indices, np.full(sources.size - self.source.size, n))
        ones = np.ones(sources.size, dtype=np.int64)
        back = sparse.csr_array((ones, (targets, sources)), shape=(n + 1, n + 1))
        return breadth_first(back.indptr.astype(np.int64), back.indices.astype(np.int32), n)[:n]

    @cached_property
    def approach(self) -> IntArray:
        """The choice that most probably leads nearer to the goal, of shape (n,).

        Whoever follows it enters the goal at some time, from wherever that is possible.
        """
        n, n_choices = self.reward.shape
        P, near = self.stacked, self.distance
        nearer = near[P.indices] == near[self.source % n] - 1
        weight = np.bincount(self.source, P.data * nearer, minlength=n * n_choices)
        gain = weight.reshape(n_choices, n).T + self.reward
        return np.where(self.allowed, gain, -1.0).argmax(axis=1)

    def within(self, nodes: IntArray) -> "GoalProcess":
        """Return the process on some nodes. Moves to others are left out."""
        return GoalProcess(
            [sparse.csr_array(matrix[nodes][:, nodes]) for matrix in self.matrices],
            self.reward[nodes],
            self.discount[nodes],
            self.allowed[nodes],
            self.gamma,
        )


def goal_process(mdp: FiniteMDP, task: GoalTask) -> GoalProcess:
    """Return the process of a goal task. The goal itself has no moves and no reward."""
    inside = np.ones(mdp.n_states)
    inside[task.goal] = 0.0
    mask = sparse.diags_array(inside)
    reward = np.zeros((mdp.n_states, mdp.n_actions))
    matrices = []
    for action in range(mdp.n_actions):
        P = mdp.transition_of(action)
        reward[:, action] = inside * P[:, [task.goal]].toarray()[:, 0]
        matrices.append(sparse.csr_array((mask @ P @ mask).tocsr()))
    return GoalProcess(
        matrices,
        reward,
        np.full(reward.shape, mdp.discount),
        np.ones(reward.shape, dtype=bool),
        mdp.discount,
    )
