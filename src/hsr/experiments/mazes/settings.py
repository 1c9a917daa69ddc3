"""What is run for Figure S3: three kinds of features in four mazes, one agent, two goals in sequence."""

from typing import Annotated

from pydantic import Field

from hsr.experiments.transfer import Cell, Features, Runs, TransferSetting, World, runs_of

NAME = "mazes"
WORK = "hsr.experiments.mazes.run:run"
AGENTS = {
    "one-hot": Features(kind="onehot"),
    "SR rows": Features(kind="sr"),
    "HSR rows": Features(kind="hsr"),
}


class Mazes(TransferSetting):
    """Settings of the experiment; `layouts` takes the place of the layout of `world`, `seeds` counts them from 0."""

    layouts: Annotated[tuple[str, ...], Field(min_length=1)] = ("four_rooms_barriers", "loop", "corridor", "paired_bottlenecks")
    seeds: int = 10


PRESETS = {
    "smoke": Mazes(seeds=4, episodes=15, horizon=1000),
    "paper": Mazes(),
}


def worlds(setting: Mazes) -> dict[str, World]:
    """Return the world of each maze, by its name."""
    return {name: setting.world.model_copy(update={"layout": name}) for name in setting.layouts}


def cells(setting: Mazes) -> dict[str, dict[str, Cell]]:
    """Return the cells by maze, then by the name under which the agent is drawn."""
    return {
        maze: {name: setting.cell(features, world=world) for name, features in AGENTS.items()}
        for maze, world in worlds(setting).items()
    }


def runs(setting: Mazes) -> Runs:
    """Return what is to be run."""
    every = (cell for of_maze in cells(setting).values() for cell in of_maze.values())
    return runs_of(WORK, every, setting.seeds)
