"""Maps averaged over the goals of a deterministic MDP, by substitution on all cores.

Every sum is added up in an order that does not depend on the number of threads.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.threads import blocks, in_order, numba_cores, thread_pool, with_progress
from hsr.kernels import expected
from hsr.mdp.finite import FiniteMDP
from hsr.options.option_set import OptionSet

TIES = {"uniform": 0, "options": 1, "primitives": 2, "random": 3, "first": 3}
_GOALS_AT_ONCE = 6  # or one per core: few, so that their lists stay in the cache
_GOALS_PER_SUM = 64
_ROOM = 64  # entries per row for which lists have room at first

Lists = tuple[np.ndarray, ...]


@dataclass(frozen=True)
class GoalMaps:
    """The weighted sum of the maps of many goals.

    Attributes
    ----------
    plans : GoalPlans
        What the kernels share, see `kernels.expected`.
    goals : int array of shape (G,)
        The goals.
    weight : float array of shape (G,)
        The weight of each goal's map.
    progress : bool
        Whether to show a progress bar.
    """

    plans: expected.GoalPlans
    goals: IntArray
    weight: FloatArray
    progress: bool = False

    @property
    def n_states(self) -> int:
        """The number of states."""
        return int(self.plans.successor.shape[0])

    @property
    def _parts(self) -> list[slice]:
        return list(blocks(self.goals.size, _GOALS_PER_SUM))

    def moments(self, block: FloatArray, *, squares: bool) -> FloatArray:
        """Return the weighted sums of M_g x and, with `squares`, of its square: (1 or 2, S, k)."""
        x = np.ascontiguousarray(block)

        def part(some: slice) -> FloatArray:
            sums = np.zeros((1 + squares, *x.shape))
            expected.apply_goals(self.plans, self.goals[some], self.weight[some], x, sums)
            return sums

        return total_of(part, self._parts, progress=self.progress)

    def apply_transpose(self, block: FloatArray) -> FloatArray:
        """Return the product of the transposed mean map with a block of shape (S, k).

        If every column of the block has one non-zero entry, rows are wanted. A row follows the
        paths from one state, while the general product visits every state for every goal.
        """
        x = np.ascontiguousarray(block)
        if ((x != 0.0).sum(axis=0) == 1).all():
            return self._rows(x)

        def part(some: slice) -> FloatArray:
            total = np.zeros(x.shape)
            expected.apply_goals_transpose(
                self.plans, self.goals[some], self.weight[some], x, total
            )
            return total

        return total_of(part, self._parts, progress=self.progress)

    def dense(self) -> FloatArray:
        """Return all entries of the mean map, of shape (S, S).

        A few goals at a time, their maps are computed as lists of entries, one goal per thread, and
        then added up, some rows per thread.
        """
        n, cores = self.n_states, numba_cores()
        total = np.zeros((n, n))
        at_once = max(_GOALS_AT_ONCE, cores)
        lists = lists_for(min(at_once, self.goals.size), n, _ROOM * n)
        several = list(blocks(self.goals.size, at_once))
        with thread_pool(cores) as run:
            for some in with_progress(several, self.progress, "goals"):
                lists = self._fill(lists, self.goals[some], run)
                more = (self.weight[some], *lists[2:], total)
                run(
                    lambda rows, more=more: expected.add_rows(rows.start, rows.stop, *more),
                    list(blocks(n, -(-n // cores))),
                )
        return total

    def _fill(self, lists: Lists, goals: IntArray, run: Callable[..., list[Any]]) -> Lists:
        """Write the maps of some goals into lists, and make these longer if needed."""
        while True:
            faults = run(
                lambda k, lists=lists: expected.rows_of_goal(
                    self.plans, int(goals[k]), *(array[k] for array in lists)
                ),
                range(goals.size),
            )
            assert min(faults) >= 0, "every goal can be reached"
            if min(faults) > 0:
                return lists
            # The number of entries of a map is known only when it is computed.
            n_goals, room = lists[-1].shape
            lists = lists_for(n_goals, self.n_states, 2 * room)

    def _rows(self, block: FloatArray) -> FloatArray:
        state = np.argmax(block != 0.0, axis=0)

        def row(k: int) -> FloatArray:
            total = np.zeros((self.n_states, 1))
            expected.row_over_goals(self.plans, state[k], self.goals, self.weight, total)
            return total[:, 0] * block[state[k], k]

        return np.stack(list(in_order(row, range(state.size), progress=self.progress)), axis=1)


def lists_for(n_goals: int, n_states: int, room: int) -> Lists:
    """Return the arrays that `expected.rows_of_goal` fills for each of several goals."""
    return (
        *(np.empty((n_goals, n_states), np.int32) for _ in ("distance", "queue")),
        np.empty((n_goals, n_states), np.int64),  # where each row starts
        np.empty((n_goals, n_states), np.int32),  # its number of entries
        np.empty((n_goals, room), np.int32),  # their columns
        np.empty((n_goals, room)),
    )


def total_of(
    part: Callable[[slice], FloatArray], jobs: list[slice], *, progress: bool
) -> FloatArray:
    """Return the sum of arrays that all cores compute, added up in the order of the jobs."""
    results = in_order(part, jobs, progress=progress)
    total: FloatArray = next(results)
    for more in results:
        total += more
    return total


def goal_plans(
    mdp: FiniteMDP, options: OptionSet | None, *, ties: str, twice: bool, draws: FloatArray
) -> expected.GoalPlans | None:
    """Return what the maps of all goals share, or None where they do not follow by substitution.

    They do if MDP and options are deterministic and every state can be reached from every other.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP.
    options : OptionSet or None
        The options, in addition to the primitive actions.
    ties : str
        A key of `TIES`.
    twice : bool
        Whether options count the state in which they stop twice.
    draws : float array of shape (S,)
        Uniform numbers for ties that are drawn. Zero takes the first.
    """
    if mdp.successors is None or mdp.discount == 0.0:
        return None
    n = mdp.n_states
    move, stop, available = (np.zeros((0, n), dtype) for dtype in (np.int32, np.bool_, np.bool_))
    if options is not None and len(options):
        if options.actions is None or options.stops is None:
            return None
        move = np.ascontiguousarray(mdp.successors[np.arange(n), options.actions])
        # Copies, which are not read-only: kernels are compiled once, with and without options.
        stop, available = np.array(options.stops), np.array(options.initiation)
    indptr, indices = mdp.predecessors
    if not _is_connected(indptr, indices):
        return None
    power = mdp.discount ** np.arange(n + 1.0)
    return expected.GoalPlans(
        mdp.successors, indptr, indices, move, stop, available, power, draws, TIES[ties], twice
    )


def _is_connected(indptr: IntArray, indices: IntArray) -> bool:
    """Return whether every state can be reached from every other."""
    n = indptr.size - 1
    graph = sparse.csr_array((np.ones(indices.size), indices, indptr), shape=(n, n), copy=True)
    graph.sum_duplicates()  # with duplicates, SciPy's search may never end
    return bool(connected_components(graph, connection="strong", return_labels=False) == 1)
