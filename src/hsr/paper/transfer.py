"""One kind of run for all transfer experiments, as data: an agent, in a world, with options, on
goals one after another.

A `Cell` says everything about such a run but its seed; `transfer_run` runs it. Experiments are
lists of cells.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from hsr._base.errors import InputError
from hsr.paper.maps import Features, MapReading
from hsr.paper.setting import Setting
from hsr.paper.worlds import Options, World, world_of


class Agent(Setting):
    """How the agent learns; gpi: whether it acts by a pool of pre-trained policies, and how it
    knows the reward.
    """

    learning_rate: float = 0.01
    epsilon: float = 0.1
    explore_with: Literal["choices", "primitives"] = "choices"
    map_learning_rate: float = 0.01
    initial_map: Literal["identity", "zero"] = "identity"
    update: Literal["chosen_and_primitives", "chosen", "primitives", "intra_option"] = (
        "chosen_and_primitives"
    )
    map_update: Literal["chosen", "passed"] = "chosen"
    gpi: Literal["none", "found", "regressed", "known"] = "none"


class Cell(Setting):
    """Everything about a run but its seed; goals are counted from 1, as on the map, or given as
    cells (row, column).
    """

    world: World = World()
    options: Options = Options()
    features: Features = Features()
    agent: Agent = Agent()
    goals: tuple[int, ...] = (1, 2)
    goal_cells: tuple[tuple[int, int], ...] = ()
    episodes: int = 50
    horizon: int = 5000
    keep_maps: bool = False


class Criterion(Setting):
    """When a goal counts as learned: see `hsr.paper.stats.episodes_to_criterion`."""

    factor: float = 1.5
    rate: float = 0.1
    start: Literal["first", "optimal"] = "first"
    restart: bool = True


class TransferSetting(Setting):
    """What the settings of all transfer experiments have in common; `seeds` counts them from
    `first_seed`.

    goal_cells: other goals than those marked on the map, as (row, column). maps: readings of maps
    and bases. step_size: the rate of `agent`, or for each kind of features the one of `rates` that
    suits it on goals that are not scored.
    """

    world: World = World()
    options: Options = Options()
    agent: Agent = Agent()
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

    def cell(self, features: Features, goals: tuple[int, ...] = (1, 2), **changes: Any) -> Cell:
        """Return the cell of one kind of features, with other fields changed as told."""
        common = {
            name: getattr(self, name)
            for name in ("world", "options", "agent", "episodes", "horizon")
        }
        if self.goal_cells and len(self.goal_cells) < max(goals):
            raise InputError(
                f"goal_cells has {len(self.goal_cells)} cells; goal {max(goals)} is asked for"
            )
        places = {
            "goals": goals,
            "goal_cells": tuple(self.goal_cells[goal - 1] for goal in goals if self.goal_cells),
        }
        return Cell(
            **{
                **common,
                **places,
                "features": features.read(self.maps, changes.get("options", self.options)),
                **changes,
            }
        )


# Which choices of a reading decide which fields of such a setting, in groups that experiments put
# together.
TRANSFER_CHOICES = {
    "slip": "world.slip",
    "signs": "options.signs",
    "update": "agent.update",
    "explore_with": "agent.explore_with",
    "learning_rate": "agent.learning_rate",
    "average_from": "criterion.start",
}
ONLINE_MAP_CHOICES = {
    "episodes": "episodes",
    "map_rate": "agent.map_learning_rate",
    "map_update": "agent.map_update",
    "initial_map": "agent.initial_map",
    "average_over": "criterion.restart",
}
Runs = Iterator[tuple[str, dict[str, Any], tuple[int, ...]]]
Cells = Mapping[
    str, Sequence[Cell]
]  # by the name under which they are drawn; runs of several cells count as one sample


def goals_of(cell: Cell) -> list[int]:
    """Return the goals of a cell as states."""
    layout, _ = world_of(cell.world)
    return [layout.state_at(*place) for place in cell.goal_cells] or [
        layout.goals[goal - 1] for goal in cell.goals
    ]


def optimal_of(cell: Cell) -> tuple[int, ...]:
    """Return the fewest steps to each goal of a cell."""
    layout, _ = world_of(cell.world)
    assert layout.start is not None
    distance = layout.distances_from(layout.start)
    return tuple(int(distance[goal]) for goal in goals_of(cell))


def runs_of(work: str, cells: Iterable[tuple[Cell, Sequence[int]]]) -> Runs:
    """Yield (work, cell, seeds) of every different cell."""
    for cell, seeds in dict(cells).items():
        yield work, cell.model_dump(mode="json"), tuple(seeds)
