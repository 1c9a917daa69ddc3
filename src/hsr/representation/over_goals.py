"""Maps averaged over goals in worlds without randomness: by substitution, on all cores.

Every sum is added up in an order that does not depend on the number of threads.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from hsr._base.arrays import FloatArray, IntArray
from hsr.kernels import expected
from hsr.mdp.finite import FiniteMDP
from hsr.options.option_set import OptionSet
from hsr.representation.threads import in_order, parts, threads, with_progress

TIES = {"uniform": 0, "options": 1, "primitives": 2, "random": 3, "first": 3}
_GOALS_AT_ONCE = 16
_ROWS_AT_ONCE = 256
_GOALS_PER_SUM = 64
_ROOM = 64  # entries per row for which room is made at first


@dataclass(frozen=True)
class GoalMaps:
    """The maps of many goals, and how much each of them counts.

    Attributes
    ----------
    world : GoalWorld
        What the kernels share, see `kernels.expected`.
    goals : int array of shape (G,)
        The goals.
    weight : float array of shape (G,)
        How much the map of each goal counts.
    continues : bool
        Whether policies go on from their goal.
    progress : bool
        Whether to show a progress bar.
    """

    world: expected.GoalWorld
    goals: IntArray
    weight: FloatArray
    continues: bool
    progress: bool = False

    @property
    def n_states(self) -> int:
        """The number of states."""
        return int(self.world.successor.shape[0])

    @property
    def _parts(self) -> list[slice]:
        return parts(self.goals.size, _GOALS_PER_SUM)

    def apply(self, block: FloatArray) -> FloatArray:
        """Return the product of the mean map with a block of shape (S, k)."""
        return self.moments(block, squares=False)[0]

    def moments(self, block: FloatArray, *, squares: bool) -> tuple[FloatArray, FloatArray]:
        """Return the weighted sums of M_g x and of its square, if that is asked for."""
        x = np.ascontiguousarray(block)

        def part(some: slice) -> tuple[FloatArray, FloatArray]:
            total = np.zeros(x.shape)
            second = np.zeros(x.shape if squares else (0, 0))
            expected.apply_goals(
                self.world, self.goals[some], self.weight[some], self.continues, x, total, second
            )
            return total, second

        total, second = np.zeros(x.shape), np.zeros(x.shape if squares else (0, 0))
        for more, more_squares in in_order(part, self._parts, progress=self.progress):
            total += more
            second += more_squares
        return total, second

    def apply_transpose(self, block: FloatArray) -> FloatArray:
        """Return the product of the transposed mean map with a block of shape (S, k).

        Where columns of the block are multiples of unit vectors, rows are wanted. They cost the
        states on the way to each goal only.
        """
        x = np.ascontiguousarray(block)
        # A row follows the paths from one state. The general product visits every state of every
        # goal.
        if not self.continues and ((x != 0.0).sum(axis=0) == 1).all():
            return self._rows(x)

        def part(some: slice) -> FloatArray:
            total = np.zeros(x.shape)
            expected.apply_goals_transpose(
                self.world, self.goals[some], self.weight[some], self.continues, x, total
            )
            return total

        total = np.zeros(x.shape)
        for more in in_order(part, self._parts, progress=self.progress):
            total += more
        return total

    def dense(self) -> FloatArray:
        """Return all entries of the mean map, of shape (S, S).

        Goals are taken a few at a time: their maps are computed as lists of entries, one goal per
        thread, and then added up, some rows per thread.
        """
        n = self.n_states
        total = np.zeros((n, n))
        lists = _Lists.with_room(min(_GOALS_AT_ONCE, self.goals.size), n, _ROOM * n)
        rows = [(first, min(n, first + _ROWS_AT_ONCE)) for first in range(0, n, _ROWS_AT_ONCE)]
        blocks = range(0, self.goals.size, _GOALS_AT_ONCE)
        with threads() as run:
            for first in with_progress(blocks, self.progress):
                goals = self.goals[first : first + _GOALS_AT_ONCE]
                weight = self.weight[first : first + _GOALS_AT_ONCE]
                lists = self._fill(lists, goals, run)
                arrays = (lists.distance, lists.start, lists.length, lists.index, lists.value)
                more = (self.world.power, self.continues, total)
                run(
                    lambda part, w=weight, a=arrays, m=more: expected.add_rows(*part, w, *a, *m),
                    rows,
                )
        return total

    def _fill(self, lists: "_Lists", goals: IntArray, run: Callable[..., list[Any]]) -> "_Lists":
        """Write the maps of some goals into lists, with more room if they need it."""
        while True:
            faults = run(
                lambda k, lists=lists: expected.rows_of_goal(
                    self.world, int(goals[k]), *lists.of(k), continues=self.continues
                ),
                range(goals.size),
            )
            assert min(faults) >= 0, "every goal can be reached"
            if min(faults) > 0:
                return lists
            # How many entries a map has is known only when it is computed.
            room = 2 * lists.index.shape[1]
            lists = _Lists.with_room(lists.index.shape[0], self.n_states, room)

    def _rows(self, block: FloatArray) -> FloatArray:
        state = np.argmax(block != 0.0, axis=0)

        def row(k: int) -> FloatArray:
            total = np.zeros((self.n_states, 1))
            expected.row_over_goals(self.world, state[k], self.goals, self.weight, total)
            return total[:, 0] * block[state[k], k]

        return np.stack(list(in_order(row, range(state.size), progress=self.progress)), axis=1)


@dataclass(frozen=True)
class _Lists:
    """Room for the maps of several goals as lists of entries."""

    distance: np.ndarray
    queue: np.ndarray
    start: np.ndarray
    length: np.ndarray
    index: np.ndarray
    value: FloatArray

    @staticmethod
    def with_room(n_goals: int, n_states: int, room: int) -> "_Lists":
        return _Lists(
            np.empty((n_goals, n_states), np.int32),
            np.empty((n_goals, n_states), np.int32),
            np.empty((n_goals, n_states + 1), np.int64),
            np.empty((n_goals, n_states + 1), np.int32),
            np.empty((n_goals, room), np.int32),
            np.empty((n_goals, room)),
        )

    def of(self, k: int) -> tuple[np.ndarray, ...]:
        """Return the room of one goal."""
        arrays = (self.distance, self.queue, self.start, self.length, self.index, self.value)
        return tuple(array[k] for array in arrays)


def goal_maps(
    mdp: FiniteMDP,
    goals: IntArray,
    options: OptionSet | None,
    *,
    ties: str,
    twice: bool,
    continues: bool,
    draws: FloatArray,
    progress: bool,
) -> GoalMaps | None:
    """Return the maps of many goals, or None where they do not follow by substitution.

    They do if the world and the options have no randomness and every state can be reached from
    every other.

    Parameters
    ----------
    mdp : FiniteMDP
        The world.
    goals : int array
        The goal of each task. A goal may occur several times.
    options : OptionSet or None
        The options, beside the primitive actions.
    ties : str
        A key of `TIES`.
    twice, continues : bool
        Whether options count the state in which they stop twice, and whether policies go on from
        their goal.
    draws : float array of shape (S,)
        Uniform numbers for ties that are drawn. Zero takes the first.
    progress : bool
        Whether to show a progress bar.
    """
    if mdp.successors is None or mdp.discount == 0.0 or (continues and options is not None):
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
    distinct, times = np.unique(goals, return_counts=True)
    power = mdp.discount ** np.arange(n + 1.0)
    world = expected.GoalWorld(
        mdp.successors, indptr, indices, move, stop, available, power, draws, TIES[ties], twice
    )
    return GoalMaps(world, distinct, times / goals.size, continues, progress)


def _is_connected(indptr: IntArray, indices: IntArray) -> bool:
    """Return whether every state can be reached from every other."""
    n = indptr.size - 1
    graph = sparse.csr_array((np.ones(indices.size), indices, indptr), shape=(n, n), copy=True)
    graph.sum_duplicates()  # with duplicates, SciPy's search may never end
    return bool(connected_components(graph, connection="strong", return_labels=False) == 1)
