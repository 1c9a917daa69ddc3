"""Maps averaged over goals in worlds with randomness: by one factorisation per goal.

The chains of all goals have entries in the same places, so that the order of elimination and the
places of all entries of the factors are found once. States are numbered in this order inside.
Every sum is added up in an order that does not depend on the number of threads.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr.kernels import factors, goal_policies, option_plans
from hsr.mdp.finite import FiniteMDP
from hsr.options.model import OptionModel
from hsr.representation.chains_of_goals import (
    chain_world,
    option_chains,
    order_of_elimination,
)
from hsr.representation.predictive_map import PredictiveMap
from hsr.representation.threads import cores, in_order, parts, threads, with_progress

_GOALS_AT_ONCE = 32  # whose policies are found together
_COLUMNS_AT_ONCE = 64
_BYTES = 2**28  # for the factors of some goals

OneByOne = Callable[[int, BoolArray | None], PredictiveMap]


@dataclass(frozen=True)
class FactorisedMaps:
    """The maps of many goals, and how much each of them counts.

    Attributes
    ----------
    mdp : FiniteMDP
        The world.
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
    model : OptionModel or None
        The options, if there are any, and the primitive actions.
    one_by_one : function
        Returns the map of a goal whose plan chooses options somewhere, from the goal and its best
        choices (S, C), or None where these are not known.
    """

    mdp: FiniteMDP
    goals: IntArray
    weight: FloatArray
    draws: FloatArray
    drawn: bool
    continues: bool
    progress: bool
    model: OptionModel | None
    one_by_one: OneByOne

    @cached_property
    def order(self) -> IntArray:
        """The states in the order of elimination, of shape (S,)."""
        return order_of_elimination(self.mdp)

    @cached_property
    def world(self) -> goal_policies.ChainWorld:
        """What the kernels share, see `kernels.goal_policies`."""
        return chain_world(self.mdp, self.order)

    @cached_property
    def options(self) -> option_plans.OptionChains | None:
        """The options, see `kernels.option_plans`."""
        return None if self.model is None else option_chains(self.model, self.order)

    def apply(self, block: FloatArray) -> FloatArray:
        """Return the product of the mean map with a block of shape (S, k)."""
        return self.moments(block, squares=False)[0]

    def moments(self, block: FloatArray, *, squares: bool) -> tuple[FloatArray, FloatArray]:
        """Return the weighted sums of M_g x and of its square, if that is asked for."""
        x = block[self.order]

        def part(some: slice) -> tuple[FloatArray, FloatArray]:
            total, second = np.zeros(x.shape), np.zeros(x.shape if squares else (0, 0))
            others, *arrays = self._factors(some)
            for g, weight in enumerate(self.weight[some]):
                if g not in others:  # plans that choose options have maps of their own
                    y = x.copy()
                    factors.solve(self.world.places, *(array[g] for array in arrays), y)
                else:
                    y = (others[g] @ block)[self.order]
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
            others, *arrays = self._factors(some)
            for g, weight in enumerate(self.weight[some]):
                if g not in others:
                    y = x.copy()
                    factors.solve_transpose(self.world.places, *(array[g] for array in arrays), y)
                else:
                    y = (others[g].T @ block)[self.order]
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
        rest: list[tuple[float, PredictiveMap]] = []
        with threads() as run:
            for first in with_progress(range(0, len(self._parts), at_once), self.progress):
                some = self._parts[first : first + at_once]
                found = run(self._factors, some)
                for part, (others, *arrays) in zip(some, found, strict=True):
                    weight = self.weight[part].copy()
                    weight[list(others)] = 0.0
                    run(
                        lambda block, weight=weight, arrays=arrays: factors.add_inverses(
                            self.world.places, *arrays, weight, block.start, block.stop, total
                        ),
                        columns,
                    )
                    rest += [(self.weight[part][g], other) for g, other in others.items()]
        total = self._restored(self._restored(total).T).T  # rows, then columns
        for weight, other in with_progress(rest, self.progress and len(rest) > 0):
            total += weight * other.toarray()
        return total

    @property
    def _parts(self) -> list[slice]:
        room = _BYTES // (16 * (self.world.places.upper.size + 1))
        return parts(self.goals.size, max(1, min(_GOALS_AT_ONCE, room)))

    def _restored(self, rows: FloatArray) -> FloatArray:
        """Return rows in the order of the states."""
        result = np.empty(rows.shape)
        result[self.order] = rows
        return result

    def _factors(
        self, some: slice
    ) -> tuple[dict[int, PredictiveMap], FloatArray, FloatArray, FloatArray]:
        """Return the maps of goals whose plans choose options, and L, 1 / D and U of the others.

        There is one row per goal. Those of goals that have a map are not used.
        """
        places, n = self.world.places, self.order.size
        place = np.argsort(self.order)
        goals = place[self.goals[some]]
        below, inverse, above = (
            np.ones((goals.size, size)) for size in (places.lower.size, n, places.upper.size)
        )
        best = np.empty((goals.size, n, self.mdp.n_actions), np.bool_)
        worth = np.empty((n, goals.size))
        if not goal_policies.best_actions(self.world, goals, best, worth):
            others = {
                g: self.one_by_one(int(goal), None) for g, goal in enumerate(self.goals[some])
            }
            return others, below, inverse, above
        others = {}
        policy, draws = np.empty(best.shape[1:]), self.draws[self.order]
        for g, goal in enumerate(goals):
            chosen = self._best_options(goal, worth[:, g])
            if chosen is not None:
                choices = np.concatenate([best[g], chosen.T], axis=1)[place]
                others[g] = self.one_by_one(int(self.order[goal]), choices)
                continue
            goal_policies.split_ties(best[g], draws, self.drawn, policy)
            ended = -1 if self.continues else goal
            goal_policies.factorise(self.world, policy, ended, below[g], inverse[g], above[g])
        return others, below, inverse, above

    def _best_options(self, goal: int, worth: FloatArray) -> BoolArray | None:
        """Return where options are among the best choices (O, S), or None if they are nowhere."""
        if self.options is None:
            return None
        best = np.empty(self.options.stop.shape, np.bool_)
        own = np.ascontiguousarray(worth)
        if not option_plans.best_options(self.world, self.options, goal, own, best):
            return None
        best[:, goal] = self.options.available[:, goal]  # where all choices tie
        return best


def factorised_maps(
    mdp: FiniteMDP,
    goals: IntArray,
    model: OptionModel | None,
    one_by_one: OneByOne,
    *,
    ties: str,
    continues: bool,
    draws: FloatArray,
    progress: bool,
) -> FactorisedMaps | None:
    """Return the maps of many goals, or None where each goal needs a way of its own.

    It does at discounts at which steps are compared and not values, if options have certain ends,
    so that most plans choose them, and if plans with options continue at the goal.

    Parameters
    ----------
    mdp : FiniteMDP
        The world.
    goals : int array
        The goal of each task. A goal may occur several times.
    model : OptionModel or None
        The options and the primitive actions. None means no options.
    one_by_one : function
        Returns the map of one goal in another way, from its best choices (S, C) if they are known.
    ties : str
        How policies split equally good choices.
    continues : bool
        Whether policies go on from their goal.
    draws : float array of shape (S,)
        Uniform numbers for ties that are drawn. Zero takes the first.
    progress : bool
        Whether to show a progress bar.
    """
    if mdp.discount == 0.0:
        return None
    if model is not None and len(model.options) == 0:
        model = None
    if model is not None and (continues or model.tables is not None):
        return None
    distinct, times = np.unique(goals, return_counts=True)
    return FactorisedMaps(
        mdp, distinct, times / goals.size, draws, ties in ("first", "random"),
        continues, progress, model, one_by_one,
    )  # fmt: skip
