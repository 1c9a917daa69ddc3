"""One kind of run for all transfer experiments, as data; `hsr.paper.transfer.run` runs it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from hsr import InputError
from hsr.agents import REWARDS, LinearQ, OptionSpec
from hsr.grids import WorldSpec
from hsr.paper.maps.setting import FeatureSetting, MapReading
from hsr.paper.setting import STORED_FIELDS, Setting
from hsr.paper.worlds import world_of
from hsr.toolkit import Spec, redeclared, word

# Choices of a reading, in groups that experiments put together.
TRANSFER_CHOICES = (
    "slip",
    "signs",
    "update",
    "explore_with",
    "learning_rate",
    "average_from",
)
ONLINE_MAP_CHOICES = ("episodes", "map_rate", "map_update", "initial_map", "average_over")


@dataclass(frozen=True)
class TransferAgent(Spec):
    """How the agent learns.

    Parameters
    ----------
    gpi : str
        "none" for linear Q-learning. Otherwise the agent is a `hsr.GPI`, and this says how it knows
        the reward.
    learning_rate, epsilon, explore_with, map_learning_rate, initial_map, update, map_update
        As in `hsr.LinearQ`.
    ties, explore_at
        As in `hsr.LinearQ`.
    """

    learning_rate: float = redeclared(LinearQ, "learning_rate")
    epsilon: float = redeclared(LinearQ, "epsilon")
    explore_with: str = redeclared(LinearQ, "explore_with")
    map_learning_rate: float = redeclared(LinearQ, "map_learning_rate")
    initial_map: str = redeclared(LinearQ, "initial_map")
    update: str = redeclared(LinearQ, "update")
    map_update: str = redeclared(LinearQ, "map_update")
    gpi: str = word(
        {"none": "linear Q-learning without policy improvement", **REWARDS},
        "how policy improvement knows the reward",
    )
    ties: str = redeclared(LinearQ, "ties")
    explore_at: str = redeclared(LinearQ, "explore_at")


STORED_FIELDS[TransferAgent] = (
    "learning_rate",
    "epsilon",
    "explore_with",
    "map_learning_rate",
    "initial_map",
    "update",
    "map_update",
    "gpi",
)


class TransferCondition(Setting):
    """Everything that defines a transfer run except its seed.

    Goals are numbered from 1, as in the layout, unless `goal_cells` gives them as (row, column).
    """

    world: WorldSpec = WorldSpec()
    options: OptionSpec = OptionSpec()
    features: FeatureSetting = FeatureSetting()
    agent: TransferAgent = TransferAgent()
    goals: tuple[int, ...] = (1, 2)
    goal_cells: tuple[tuple[int, int], ...] = ()
    episodes: int = 50
    horizon: int = 5000
    keep_maps: bool = False


class Criterion(Setting):
    """When a goal counts as learned; see `hsr.paper.stats.episodes_to_criterion`."""

    factor: float = 1.5
    rate: float = 0.1
    start: Annotated[
        Literal["first", "optimal"], Field(description="where the moving average of steps begins")
    ] = "first"
    restart: bool = True


class TransferSetting(Setting):
    """The fields that the settings of all transfer experiments have in common.

    Parameters
    ----------
    maps : MapReading
        How maps and bases are made.
    goal_cells : tuple of (row, column)
        Goals other than those of the layout.
    criterion : Criterion
        When a goal counts as learned.
    step_size : {"given", "tuned"}
        Whether all features learn at the rate of `agent`, or each kind of features at the one of
        `rates` that suits it best on goals that are not scored.
    tuning_seeds : int
        Number of seeds for tuning.
    seeds, first_seed : int
        Number of seeds, which are consecutive, and the first of them.
    """

    world: WorldSpec = WorldSpec()
    options: OptionSpec = OptionSpec()
    agent: TransferAgent = TransferAgent()
    maps: MapReading = MapReading()
    goal_cells: tuple[tuple[int, int], ...] = ()
    criterion: Criterion = Criterion()
    step_size: Literal["given", "tuned"] = "given"
    rates: tuple[float, ...] = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
    tuning_seeds: int = 5
    episodes: int = 50
    horizon: int = 5000
    seeds: int = 20
    first_seed: int = 0

    def condition(
        self, features: FeatureSetting, goals: tuple[int, ...] = (1, 2), **changes: Any
    ) -> TransferCondition:
        """Return the condition of one kind of features, with some other fields changed."""
        if self.goal_cells and len(self.goal_cells) < max(goals):
            raise InputError(
                f"goal_cells has {len(self.goal_cells)} cells; goal {max(goals)} is asked for"
            )
        fields: dict[str, Any] = {
            "world": self.world,
            "options": self.options,
            "agent": self.agent,
            "episodes": self.episodes,
            "horizon": self.horizon,
            "goals": goals,
            "goal_cells": tuple(self.goal_cells[goal - 1] for goal in goals if self.goal_cells),
            **changes,
        }
        return TransferCondition(features=features.read(self.maps, fields["options"]), **fields)


# By the name under which they are drawn; runs of several conditions count as one sample.
TransferConditions = Mapping[str, Sequence[TransferCondition]]


def one_condition_each(
    agents: Mapping[str, FeatureSetting],
) -> Callable[[TransferSetting], TransferConditions]:
    """Return the function that gives each agent one condition, by the features of the agent."""
    return lambda setting: {
        name: [setting.condition(features)] for name, features in agents.items()
    }


def goals_of(condition: TransferCondition) -> list[int]:
    """Return the goals of a condition as states."""
    layout, _ = world_of(condition.world)
    return [layout.state_at(*cell) for cell in condition.goal_cells] or [
        layout.goals[goal - 1] for goal in condition.goals
    ]


def optimal_of(condition: TransferCondition) -> tuple[int, ...]:
    """Return the smallest number of steps to each goal of a condition."""
    layout, _ = world_of(condition.world)
    assert layout.start is not None
    distance = layout.distances_from(layout.start)
    return tuple(int(distance[goal]) for goal in goals_of(condition))
