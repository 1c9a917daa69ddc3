"""All entries of maps averaged over goals, on an NVIDIA GPU."""

from collections.abc import Callable, Iterable
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.cancelling import check_not_cancelled
from hsr._base.devices import gpu_memory
from hsr.kernels.expected import GoalWorld

_THREADS = 128
_BLOCKS_PER_PROCESSOR = 16  # measured on an H200: 8 to 24 are within a third of the best
_MOST_BYTES = 2**31  # for the plans of the goals that are computed at once, and for their values
_DRAWN = 3  # of GoalWorld.ties
_ARRAYS = {
    "successor": np.int32,
    "indptr": np.int32,
    "indices": np.int32,
    "move": np.int32,
    "stop": np.uint8,
    "available": np.uint8,
    "draw": np.float64,
}
_NUMBERS = ("n_states", "n_actions", "n_options", "ties", "twice")


def dense_on_gpu(
    world: GoalWorld,
    goals: IntArray,
    weight: FloatArray,
    *,
    continues: bool,
    shown: Callable[[range], Iterable[int]],
) -> FloatArray:
    """Return all entries of the mean map, of shape (S, S), as `GoalMaps.dense` does on the CPU.

    Sums over goals are added up in no fixed order, so that results differ in rounding.

    Parameters
    ----------
    world : GoalWorld
        What the maps of all goals have in common.
    goals : int array of shape (G,)
        The goals.
    weight : float array of shape (G,)
        How much the map of each goal counts.
    continues : bool
        Whether policies go on from their goal.
    shown : callable
        Takes the steps to be done and returns them, with a progress bar around them or without.

    Raises
    ------
    TooLargeError
        If the map does not fit into the memory of the GPU.
    """
    n = world.successor.shape[0]
    with gpu_memory(f"the expected map of {n:,} states") as cupy:
        total = cupy.zeros((n, n))
        maps = _MapsOnGPU(cupy, world, goals.size)
        for first in shown(range(0, goals.size, maps.at_once)):
            check_not_cancelled()
            some = slice(first, first + maps.at_once)
            maps.add(goals[some], weight[some], continues, total)
            cupy.cuda.Device().synchronize()
        return total.get()


class _MapsOnGPU:
    """The world and room for the plans of several goals, in the memory of the GPU.

    The structures that kernels/expected.cu takes are made of pointers to arrays.
    """

    def __init__(self, cupy: Any, world: GoalWorld, n_goals: int) -> None:
        self._cupy = cupy
        self._plan_goals, self._add_goals = _functions(cupy.cuda.Device().id)
        n, n_actions = world.successor.shape
        n_options = world.move.shape[0]
        self._ties, self._gamma = world.ties, float(world.power[1])
        self._arrays = {
            name: cupy.asarray(getattr(world, name), dtype) for name, dtype in _ARRAYS.items()
        }
        numbers = (n, n_actions, n_options, world.ties, world.twice)
        self._world = np.array(
            (*(one.data.ptr for one in self._arrays.values()), *numbers, self._gamma),
            np.dtype(
                [(name, np.uintp) for name in _ARRAYS]
                + [(name, np.int32) for name in _NUMBERS]
                + [("gamma", np.float64)],
                align=True,
            ),
        )[()]
        runs = n * n_options
        lengths = {
            "distance": n, "order": n, "place": n, "layer": n + 1, "n_terms": n,
            "terms": n * n_actions + runs, "run_place": runs, "run_state": runs, "run_term": runs,
            "run_layer": n + 1, "depth": 1,
        }  # fmt: skip
        self.at_once = int(np.clip(_MOST_BYTES // (4 * sum(lengths.values())), 1, n_goals))
        self._plans_of = {
            name: cupy.empty((self.at_once, length), np.int32) for name, length in lengths.items()
        }
        self._plans = np.array(
            tuple(one.data.ptr for one in self._plans_of.values()),
            np.dtype([(name, np.uintp) for name in lengths]),
        )[()]

    def add(self, goals: IntArray, weight: FloatArray, continues: bool, total: Any) -> None:
        """Add the maps of at most `at_once` goals to `total`."""
        cupy = self._cupy
        goals, weight = cupy.asarray(goals, np.int32), cupy.asarray(weight)
        most = cupy.zeros(1, np.int32)
        self._plan_goals((goals.size,), (_THREADS,), (self._world, self._plans, goals, most))
        widest = int(most[0])
        processors = cupy.cuda.Device().attributes["MultiProcessorCount"]
        n_blocks = int(
            np.clip(_MOST_BYTES // (518 * widest), 1, _BLOCKS_PER_PROCESSOR * processors)
        )
        follows = cupy.zeros((goals.size, total.shape[0]) if continues else (0, 0))
        self._add_goals(
            (n_blocks,),
            (_THREADS,),
            (
                self._world, self._plans, goals, weight, np.int32(goals.size), np.int32(widest),
                cupy.empty((n_blocks, 2, widest, 32)), cupy.empty((n_blocks, widest), np.int32),
                cupy.empty((n_blocks, 2, widest), np.uint8), np.int32(continues), follows, total,
            ),
        )  # fmt: skip
        if continues:
            total += self._returns(goals, weight).T @ follows

    def _returns(self, goals: Any, weight: Any) -> Any:
        """Return how much of what follows its goal each state sees, of shape (G, S).

        That is gamma^(d(s) + 1) / (1 - gamma b), with b the discounted probability of a return.
        """
        cupy, gamma = self._cupy, self._gamma
        distance = self._plans_of["distance"][: goals.size]
        successors = self._arrays["successor"][goals]
        n_actions = successors.shape[1]
        share = cupy.full(successors.shape, 1.0 / n_actions)
        if self._ties == _DRAWN:
            drawn = cupy.floor(self._arrays["draw"][goals] * n_actions)
            share = 1.0 * (cupy.arange(n_actions) == drawn[:, None])
        back = (share * gamma ** cupy.take_along_axis(distance, successors, 1)).sum(axis=1)
        return (weight / (1.0 - gamma * back))[:, None] * gamma ** (distance + 1.0)


@cache
def _functions(device: int) -> tuple[Any, Any]:
    """Return the compiled kernels. CuPy keeps their machine code for later processes."""
    import cupy

    source = files("hsr.kernels").joinpath("expected.cu").read_text(encoding="utf-8")
    module = cupy.RawModule(code=source)
    return module.get_function("plan_goals"), module.get_function("add_goals")
