"""What is run for Figure 2a-h: four kinds of features, one agent, two goals in sequence."""

from collections.abc import Iterator
from typing import Any

from hsr.experiments.setting import Setting
from hsr.experiments.transfer import Agent, Cell, Features, Options, World

NAME = "online_transfer"
WORK = "hsr.experiments.online_transfer.run:run"
AGENTS = {
    "one-hot": Features(kind="onehot"),
    "RW-SR rows": Features(kind="rows", of="rw_sr"),
    "SR rows": Features(kind="sr"),
    "HSR rows": Features(kind="hsr"),
}


class OnlineTransfer(Setting):
    """Settings of the experiment; `seeds` counts them from 0."""

    world: World = World()
    options: Options = Options()
    agent: Agent = Agent()
    episodes: int = 50
    horizon: int = 5000
    seeds: int = 20


PRESETS = {
    "smoke": OnlineTransfer(seeds=4, episodes=15, horizon=1000),
    "paper": OnlineTransfer(),
}


def cells(setting: OnlineTransfer) -> dict[str, Cell]:
    """Return the cell of each agent, by the name under which it is drawn."""
    return {
        name: Cell(
            world=setting.world,
            options=setting.options,
            features=features,
            agent=setting.agent,
            episodes=setting.episodes,
            horizon=setting.horizon,
            keep_maps=features.kind in ("sr", "hsr"),
        )
        for name, features in AGENTS.items()
    }


def runs(setting: OnlineTransfer) -> Iterator[tuple[str, dict[str, Any], tuple[int, ...]]]:
    """Yield what is to be run."""
    for cell in cells(setting).values():
        yield WORK, cell.model_dump(mode="json"), tuple(range(setting.seeds))
