"""Learning curves of named agents on two goals, and when each goal was learned."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from hsr.grids import GridLayout
from hsr.paper.stats import episodes_to_criterion, mean_interval
from hsr.paper.store import ResultTable
from hsr.paper.transfer.setting import (
    TransferCondition,
    TransferConditions,
    TransferSetting,
    goals_of,
    optimal_of,
)
from hsr.paper.transfer.tuning import at_rates, own_rates
from hsr.paper.worlds import world_of
from hsr.toolkit import FloatArray, IntArray

Intervals = dict[str, tuple[float, float]]


@dataclass(frozen=True, eq=False)
class Learning:
    """How agents learned the goals of one layout.

    Dictionaries are by agent, and arrays have the seed first. `rates` are the step sizes.
    `intervals` are those of the mean episodes to the criterion, by agent and goal as
    `episodes_by_goal` names them.
    """

    layout: GridLayout
    goals: tuple[int, ...]
    optimal: tuple[int, ...]
    factor: float
    rates: dict[str, float]
    steps: dict[str, IntArray]  # (seed, task, episode)
    episodes: dict[str, IntArray]  # (seed, task), to the criterion
    intervals: Intervals


def learning(
    table: ResultTable, setting: TransferSetting, conditions: TransferConditions
) -> Learning:
    """Return the curves of each agent at its rate.

    The runs of an agent with several conditions count as one sample.
    """
    any_condition = next(iter(conditions.values()))[0]
    layout, _ = world_of(any_condition.world)
    optimal, rates = optimal_of(any_condition), own_rates(table, setting, conditions)
    steps = {
        name: arrays_of(table, sample, "steps")
        for name, sample in at_rates(conditions, rates).items()
    }
    criterion = setting.criterion.model_dump()
    episodes = {name: episodes_to_criterion(x, optimal, **criterion) for name, x in steps.items()}
    return Learning(
        layout=layout,
        goals=tuple(goals_of(any_condition)),
        optimal=optimal,
        factor=setting.criterion.factor,
        rates=rates,
        steps=steps,
        episodes=episodes,
        intervals=mean_intervals(episodes_by_goal(episodes)),
    )


def arrays_of(table: ResultTable, conditions: Iterable[TransferCondition], name: str) -> np.ndarray:
    """Return one array of the scored runs of some conditions, with the seed first."""
    return np.concatenate([table.of(condition.data()).array(name) for condition in conditions])


def episodes_by_goal(episodes: Mapping[str, IntArray]) -> dict[str, IntArray]:
    """Return the episodes (seed,) to the criterion of each agent and goal, by their labels."""
    return {f"{name}\nG{k + 1}": n[:, k] for name, n in episodes.items() for k in range(n.shape[1])}


def mean_intervals(named: Mapping[str, FloatArray | IntArray]) -> Intervals:
    """Return the ends of the 95 % interval of the mean over seeds, by name."""
    return {name: tuple(mean_interval(x)[1:3]) for name, x in named.items()}
