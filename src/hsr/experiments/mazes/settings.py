"""What is run for Figure S3: three kinds of features in four mazes, one agent, two goals in sequence."""

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field

from hsr.experiments.setting import Setting
from hsr.experiments.transfer import Agent, Cell, Features, Options, World

NAME = "mazes"
WORK = "hsr.experiments.mazes.run:run"
AGENTS = {
    "one-hot": Features(kind="onehot"),
    "SR rows": Features(kind="sr"),
    "HSR rows": Features(kind="hsr"),
}


class Mazes(Setting):
    """Settings of the experiment; `layouts` takes the place of the layout of `world`, `seeds` counts them from 0."""

    world: World = World()
    layouts: Annotated[tuple[str, ...], Field(min_length=1)] = ("four_rooms_barriers", "loop", "corridor", "paired_bottlenecks")
    options: Options = Options()
    agent: Agent = Agent()
    episodes: int = 50
    horizon: int = 5000
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
        maze: {
            name: Cell(
                world=world,
                options=setting.options,
                features=features,
                agent=setting.agent,
                episodes=setting.episodes,
                horizon=setting.horizon,
            )
            for name, features in AGENTS.items()
        }
        for maze, world in worlds(setting).items()
    }


def runs(setting: Mazes) -> Iterator[tuple[str, dict[str, Any], tuple[int, ...]]]:
    """Yield what is to be run."""
    for of_maze in cells(setting).values():
        for cell in of_maze.values():
            yield WORK, cell.model_dump(mode="json"), tuple(range(setting.seeds))
