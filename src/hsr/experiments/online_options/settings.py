"""What is run for Figure 2i-l: three kinds of features, one agent that finds its options on the way, two goals in sequence."""

from collections.abc import Iterator
from typing import Any

from hsr.experiments.setting import Setting
from hsr.experiments.transfer import Agent, Cell, Features, Options, World

NAME = "online_options"
WORK = "hsr.experiments.online_options.run:run"
AGENTS = {
    "one-hot": Features(kind="onehot"),
    "SR rows": Features(kind="sr"),
    "HSR rows": Features(kind="hsr"),
}


class OnlineOptionsTransfer(Setting):
    """Settings of the experiment; `seeds` counts them from 0."""

    world: World = World()
    options: Options = Options(kind="online")
    agent: Agent = Agent()
    episodes: int = 50
    horizon: int = 5000
    seeds: int = 20


PRESETS = {
    "smoke": OnlineOptionsTransfer(seeds=4, episodes=15, horizon=1000),
    "paper": OnlineOptionsTransfer(),
}


def cells(setting: OnlineOptionsTransfer) -> dict[str, Cell]:
    """Return the cell of each agent, by the name under which it is drawn."""
    return {
        name: Cell(
            world=setting.world,
            options=setting.options,
            features=features,
            agent=setting.agent,
            episodes=setting.episodes,
            horizon=setting.horizon,
        )
        for name, features in AGENTS.items()
    }


def runs(setting: OnlineOptionsTransfer) -> Iterator[tuple[str, dict[str, Any], tuple[int, ...]]]:
    """Yield what is to be run."""
    for cell in cells(setting).values():
        yield WORK, cell.model_dump(mode="json"), tuple(range(setting.seeds))
