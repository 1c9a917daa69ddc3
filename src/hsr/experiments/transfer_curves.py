"""Learning curves of named agents on two goals, and when each goal was learned: what all transfer figures have in common."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr.experiments.transfer import Cell, World, world_of
from hsr.mdp import GridLayout
from hsr.results import ResultTable
from hsr.stats import episodes_to_criterion, mean_interval

Intervals = dict[str, tuple[float, float]]


@dataclass(frozen=True, eq=False)
class Learning:
    """How agents learned two goals of one map; dictionaries go by agent, arrays have the seed first.

    `intervals` are those of the mean episodes to the criterion, by agent and goal as `episodes_by_goal` names them.
    """

    layout: GridLayout
    optimal: tuple[int, ...]
    steps: dict[str, IntArray]  # (seed, task, episode)
    episodes: dict[str, IntArray]  # (seed, task), to the criterion
    intervals: Intervals


def learning(table: ResultTable, world: World, cells: Mapping[str, Iterable[Cell]]) -> Learning:
    """Return the curves of each agent; where an agent has several cells, their runs count as one sample."""
    layout, _ = world_of(world)
    assert layout.start is not None
    distance = layout.distances_from(layout.start)
    optimal = tuple(int(distance[goal]) for goal in layout.goals[:2])
    steps = {
        name: np.concatenate([table.select(**cell.model_dump(mode="json")).array("steps") for cell in of_agent])
        for name, of_agent in cells.items()
    }
    episodes = {name: episodes_to_criterion(x, optimal) for name, x in steps.items()}
    return Learning(layout, optimal, steps, episodes, mean_intervals(episodes_by_goal(episodes)))


def episodes_by_goal(episodes: Mapping[str, IntArray]) -> dict[str, IntArray]:
    """Return the episodes to the criterion of each agent and goal, of shape (seed,), under the words that are drawn."""
    return {f"{name}\nG{k + 1}": n[:, k] for name, n in episodes.items() for k in range(n.shape[1])}


def mean_intervals(named: Mapping[str, FloatArray | IntArray]) -> Intervals:
    """Return the ends of the 95 % interval of the mean over seeds, by name."""
    return {name: tuple(mean_interval(x)[1:3]) for name, x in named.items()}
