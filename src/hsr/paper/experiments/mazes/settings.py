"""What is run for Figure S3: three kinds of features in four mazes, one agent, two goals in
sequence.
"""

from typing import Annotated

from pydantic import Field

from hsr.paper.maps import Features
from hsr.paper.transfer import ONLINE_MAP_CHOICES, TRANSFER_CHOICES, Cell, Runs, TransferSetting
from hsr.paper.tuning import TUNED, runs_at_rates
from hsr.paper.worlds import World

NAME = "mazes"
WORK = "hsr.paper.experiments.mazes.run:run"
AGENTS = {
    "one-hot": Features(kind="onehot"),
    "SR rows": Features(kind="sr"),
    "HSR rows": Features(kind="hsr"),
}


class Mazes(TransferSetting):
    """Settings of the experiment; `layouts` takes the place of the layout of `world`."""

    layouts: Annotated[tuple[str, ...], Field(min_length=1)] = (
        "four_rooms_barriers",
        "loop",
        "corridor",
        "paired_bottlenecks",
    )
    seeds: int = 10


PRESETS = {
    "smoke": Mazes(seeds=4, episodes=15, horizon=1000, rates=(0.01, 0.1), tuning_seeds=2),
    "paper": Mazes(),
}
CONTROLS = {**TUNED}
CHOICES = {
    **TRANSFER_CHOICES,
    **ONLINE_MAP_CHOICES,
    "policies": "options.policies",
}


def worlds(setting: Mazes) -> dict[str, World]:
    """Return the world of each maze, by its name."""
    return {name: setting.world.model_copy(update={"layout": name}) for name in setting.layouts}


def cells(setting: Mazes) -> dict[str, dict[str, list[Cell]]]:
    """Return the cells by maze, then by the name under which the agent is drawn."""
    return {
        maze: {name: [setting.cell(features, world=world)] for name, features in AGENTS.items()}
        for maze, world in worlds(setting).items()
    }


def runs(setting: Mazes) -> Runs:
    """Return what is to be run."""
    every = {
        f"{maze}: {name}": found
        for maze, of_maze in cells(setting).items()
        for name, found in of_maze.items()
    }
    return runs_at_rates(WORK, setting, every)
