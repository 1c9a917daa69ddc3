"""What is run for Figure S2: one-hot features and rows of three maps that are made before learning, two goals in sequence."""

from collections.abc import Iterator
from typing import Any

from hsr.experiments.setting import Setting
from hsr.experiments.transfer import Agent, Cell, Features, Options, World

NAME = "offline_rows"
WORK = "hsr.experiments.offline_rows.run:run"
AGENTS = {
    "one-hot": Features(kind="onehot"),
    "RW-SR rows": Features(kind="rows", of="rw_sr"),
    "eSR rows": Features(kind="rows", of="esr"),
    "eHSR rows": Features(kind="rows", of="ehsr"),
}


class OfflineRows(Setting):
    """Settings of the experiment; `seeds` counts them from 0."""

    world: World = World()
    options: Options = Options()
    agent: Agent = Agent()
    episodes: int = 200
    horizon: int = 1000
    seeds: int = 20


PRESETS = {
    "smoke": OfflineRows(seeds=4, episodes=15),
    "paper": OfflineRows(),
}


def cells(setting: OfflineRows) -> dict[str, Cell]:
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


def runs(setting: OfflineRows) -> Iterator[tuple[str, dict[str, Any], tuple[int, ...]]]:
    """Yield what is to be run."""
    for cell in cells(setting).values():
        yield WORK, cell.model_dump(mode="json"), tuple(range(setting.seeds))
