"""Maps averaged over goals in worlds with randomness: by one factorisation per goal.

The chains of all goals have entries in the same places, so that the order of elimination and the
places of all entries of the factors are found once. States are numbered in this order inside.
Every sum is added up in an order that does not depend on the number of threads.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.cancelling import check_not_cancelled
from hsr.kernels import factors, goal_policies
from hsr.mdp.expected_steps import NEAR_ONE
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.solvers import optimal_actions
from hsr.mdp.sparse_lu import SparseLU
from hsr.mdp.task import GoalTask
from hsr.representation.on_all_cores import cores, in_order, parts, shown, threads

_GOALS_AT_ONCE = 32  # whose policies are found together
_COLUMNS_AT_ONCE = 64
_BYTES = 2**28  # for the factors of some goals


@dataclass(frozen=True)
class FactorisedMaps:
    """The maps of many goals, and how much each of them counts.

    Attributes
    ----------
    mdp : FiniteMDP
        The world.
    world : ChainWorld
        What the kernels share, see `kernels.goal_policies`.
    order : int array of shape (S,)
        The states in the order of elimination.
    goals : int array of shape (G,)
        The goals.
    weight : float array of shape (G,)
        How much the map of each goal counts.
    draws : float array of shape (S,)
        Uniform numbers for ties that are drawn.
    drawn : bool
        Whether one of several best actions is drawn. Otherwise all are equally probable.
    continues : bool
        Whether policies go on from their goal.
    progress : bool
        Whether to show a progress bar.
    """

    mdp: FiniteMDP
    world: goal_policies.ChainWorld
    order: IntArray
    goals: IntArray
    weight: FloatArray
    draws: FloatArray
    drawn: bool
    continues: bool
    progress: bool = False

    def apply(self, block: FloatArray) -> FloatArray:
        """Return the product of the mean map with a block of shape (S, k)."""
        return self.moments(block, squares=False)[0]

    def moments(self, block: FloatArray, *, squares: bool) -> tuple[FloatArray, FloatArray]:
        """Return the weighted sums of M_g x and of its square, if that is asked for."""
        x = block[self.order]

        def part(some: slice) -> tuple[FloatArray, FloatArray]:
            total, second = np.zeros(x.shape), np.zeros(x.shape if squares else (0, 0))
            for weight, *arrays in zip(self.weight[some], *self._factors(some), strict=True):
                y = x.copy()
                factors.solve(self.world.places, *arrays, y)
                total += weight * y
                if squares:
                    second += weight * y**2
            return total, second

        total, second = np.zeros(x.shape), np.zeros(x.shape if squares else (0, 0))
        for more, more_squares in in_order(part, self._parts, progress=self.progress):
            total += more
            second += more_squares
        return self._restored(total), self._restored(second) if squares else second

    def apply_transpose(self, block: FloatArray) -> FloatArray:
        """Return the product of the transposed mean map with a block of shape (S, k)."""
        x = block[self.order]

        def part(some: slice) -> FloatArray:
            total = np.zeros(x.shape)
            for weight, *arrays in zip(self.weight[some], *self._factors(some), strict=True):
                y = x.copy()
                factors.solve_transpose(self.world.places, *arrays, y)
                total += weight * y
            return total

        total = np.zeros(x.shape)
        for more in in_order(part, self._parts, progress=self.progress):
            total += more
        return self._restored(total)

    def dense(self) -> FloatArray:
        """Return all entries of the mean map, of shape (S, S).

        Goals are taken some at a time: their chains are factorised, one part of the goals per
        thread, and then their inverses are added up, some columns per thread.
        """
        n = self.order.size
        total = np.zeros((n, n))
        columns = parts(n, _COLUMNS_AT_ONCE)
        at_once = cores()
        with threads() as run:
            for first in shown(range(0, len(self._parts), at_once), self.progress):
                check_not_cancelled()
                some = self._parts[first : first + at_once]
                found = run(self._factors, some)
                for part, arrays in zip(some, found, strict=True):
                    run(
                        lambda block, weight=self.weight[part], arrays=arrays: factors.add_inverses(
                            self.world.places, *arrays, weight, block.start, block.stop, total
                        ),
                        columns,
                    )
        return self._restored(self._restored(total).T).T

    @property
    def _parts(self) -> list[slice]:
        room = _BYTES // (16 * (self.world.places.upper.size + 1))
        return parts(self.goals.size, max(1, min(_GOALS_AT_ONCE, room)))

    def _restored(self, rows: FloatArray) -> FloatArray:
        """Return rows in the order of the states."""
        result = np.empty(rows.shape)
        result[self.order] = rows
        return result

    def _factors(self, some: slice) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the entries of L, 1 / D and U of some goals, one row per goal."""
        places, n = self.world.places, self.order.size
        goals = np.argsort(self.order)[self.goals[some]]
        best = np.empty((goals.size, n, self.mdp.n_actions), np.bool_)
        if not goal_policies.best_actions(self.world, goals, best):
            best = self._best_actions_slowly(self.goals[some])
        below, inverse, above = (
            np.empty((goals.size, size)) for size in (places.lower.size, n, places.upper.size)
        )
        policy = np.empty(best.shape[1:])
        for g, goal in enumerate(goals):
            goal_policies.split_ties(best[g], self.draws, self.drawn, policy)
            ended = -1 if self.continues else goal
            goal_policies.factorise(self.world, policy, ended, below[g], inverse[g], above[g])
        return below, inverse, above

    def _best_actions_slowly(self, goals: IntArray) -> BoolArray:
        """Return the best actions where values are too small for the kernel, (G, S, A)."""
        tasks = (GoalTask(start=None, goal=int(goal)) for goal in goals)
        return np.stack([optimal_actions(self.mdp, task)[self.order] for task in tasks])


def factorised_maps(
    mdp: FiniteMDP,
    goals: IntArray,
    *,
    ties: str,
    continues: bool,
    draws: FloatArray,
    progress: bool,
) -> FactorisedMaps | None:
    """Return the maps of many goals, or None at discounts at which steps are compared, not values.

    Parameters
    ----------
    mdp : FiniteMDP
        The world.
    goals : int array
        The goal of each task. A goal may occur several times.
    ties : {"uniform", "first", "random"}
        How policies split equally good actions.
    continues : bool
        Whether policies go on from their goal.
    draws : float array of shape (S,)
        Uniform numbers for ties that are drawn. Zero takes the first.
    progress : bool
        Whether to show a progress bar.
    """
    if mdp.discount == 0.0 or 1.0 - mdp.discount < NEAR_ONE:
        return None
    order, world = _chain_world(mdp)
    distinct, times = np.unique(goals, return_counts=True)
    return FactorisedMaps(
        mdp, world, order, distinct, times / goals.size, draws[order], ties != "uniform",
        continues, progress,
    )  # fmt: skip


def _chain_world(mdp: FiniteMDP) -> tuple[IntArray, goal_policies.ChainWorld]:
    """Return the states in the order of elimination, and what the chains of all goals share."""
    n, n_actions = mdp.n_states, mdp.n_actions
    moves = [mdp.transition_of(action) for action in range(n_actions)]
    either_way = sparse.csr_array(sum(move + move.T for move in moves))
    order = SparseLU(sparse.diags_array(either_way.sum(axis=1) + 1.0) - either_way).order
    inner = sparse.csr_array(either_way[order][:, order])
    places = factors.places_of(inner.indptr.astype(np.int64), inner.indices.astype(np.int32))
    stacked = sparse.csr_array(sparse.vstack([move[order][:, order] for move in moves]))
    stacked = stacked[np.arange(n * n_actions).reshape(n_actions, n).T.ravel()]
    back = sparse.csc_array(sparse.csr_array(sum(moves))[order][:, order])
    world = goal_policies.ChainWorld(
        places,
        stacked.indptr.astype(np.int64),
        stacked.indices.astype(np.int32),
        stacked.data,
        back.indptr.astype(np.int64),
        back.indices.astype(np.int32),
        mdp.discount,
    )
    return order, world
