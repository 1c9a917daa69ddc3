"""Learning curves of named agents over worlds, and what is measured of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hsr.agents import World
from hsr.grids import GridLayout
from hsr.paper.contrast import Measure
from hsr.paper.stats import criterion_met, episodes_to_criterion, mean_interval
from hsr.paper.store import ResultTable
from hsr.paper.transfer.setting import (
    TransferCondition,
    TransferConditions,
    TransferSetting,
    optimal_of,
)
from hsr.paper.transfer.tuning import log_steps, steps_of
from hsr.paper.worlds import world_of
from hsr.toolkit import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Learning:
    """How agents learned goals in a sample of worlds of one layout.

    Dictionaries are by agent, and arrays have the axes world and seed first.

    Parameters
    ----------
    layout : GridLayout
        The maze.
    example : World
        The first world, for pictures.
    optimal : tuple of int
        The fewest steps to each goal, the same in all worlds.
    factor : float
        The criterion as a multiple of the fewest steps.
    rates : dict of str to float
        Step sizes.
    steps : dict of arrays (world, seed, task, episode)
        Steps to the goal.
    episodes : dict of arrays (world, seed, task)
        Episodes until the criterion was met, or all of them.
    met : dict of arrays (world, seed, task)
        Whether it was met.
    log_steps : dict of arrays (world, seed, task)
        Mean over all episodes of the logarithm of steps over the fewest possible.
    """

    layout: GridLayout
    example: World
    optimal: tuple[int, ...]
    factor: float
    rates: dict[str, float]
    steps: dict[str, IntArray]
    episodes: dict[str, IntArray]
    met: dict[str, BoolArray]
    log_steps: dict[str, FloatArray]

    def only(self, names: Sequence[str]) -> "Learning":
        """Return some of the agents."""
        by_agent = ("rates", "steps", "episodes", "met", "log_steps")
        shown: dict[str, Any] = {
            one: {name: getattr(self, one)[name] for name in names} for one in by_agent
        }
        return replace(self, **shown)

    def of_worlds(self, name: str) -> tuple[FloatArray, tuple[float, float]]:
        """Return the log steps of each world over all goals and seeds, and the mean's interval."""
        logs = self.log_steps[name].mean(axis=(1, 2))
        _, low, high = mean_interval(logs)
        return logs, (float(low), float(high))

    def to_goal(self, name: str, task: int) -> Measure:
        """Return the episodes to the criterion of one goal, with log steps beside them."""
        goal = f"G{task + 1}" if len(self.optimal) > 1 else "the goal"
        return Measure(
            f"episodes to {goal}",
            self.episodes[name][..., task].astype(float),
            ~self.met[name][..., task],
            Measure(f"log steps to {goal}", self.log_steps[name][..., task]),
        )

    def efficiency(self, name: str, baseline: str) -> Measure:
        """Return the transfer efficiency relative to a baseline in the same world.

        Smaller is better. A run counts as cut off if one of its goals never met the criterion.
        Beside it stand the log steps to G2 minus those to G1. The baseline would only shift them by
        the same amount for every agent.
        """
        n, raw = self.episodes[name], self.episodes[baseline].mean(axis=1, keepdims=True)
        ratio = (n[..., 1] / raw[..., 1]) / (n[..., 0] / raw[..., 0])
        log_ratio = self.log_steps[name][..., 1] - self.log_steps[name][..., 0]
        return Measure(
            "transfer efficiency (smaller is better)",
            ratio,
            np.asarray(~self.met[name].all(axis=-1)),
            Measure("log steps to G2 minus those to G1", log_ratio),
        )


def learning(
    table: ResultTable, setting: TransferSetting, conditions: TransferConditions
) -> Learning:
    """Return the curves of each agent at its rate."""
    any_condition = next(iter(conditions.values()))
    layout, _ = world_of(any_condition.world)
    optimal = optimal_of(any_condition)
    best = np.array(optimal, dtype=float)
    found = {name: steps_of(table, setting, one) for name, one in conditions.items()}
    steps = {name: x for name, (_, x) in found.items()}
    # Episodes that were not needed count as optimal for the criterion, which was met before them.
    filled = {name: np.where(x > 0, x, best[:, None]) for name, x in steps.items()}
    criterion = {**setting.criterion.model_dump(), "horizon": setting.horizon}
    return Learning(
        layout=layout,
        example=any_condition.world_number(setting.first_world),
        optimal=optimal,
        factor=setting.criterion.factor,
        rates={name: rate for name, (rate, _) in found.items()},
        steps=steps,
        episodes={
            name: episodes_to_criterion(x, optimal, **criterion) for name, x in filled.items()
        },
        met={name: criterion_met(x, optimal, **criterion) for name, x in filled.items()},
        log_steps={name: log_steps(x, best) for name, x in steps.items()},
    )


def measures_of(
    table: ResultTable, setting: TransferSetting, condition: TransferCondition
) -> list[Measure]:
    """Return the episodes to each goal of one agent, with log steps beside them."""
    learned = learning(table, setting, {"agent": condition})
    return [learned.to_goal("agent", task) for task in range(len(learned.optimal))]
