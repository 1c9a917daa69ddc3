"""What is run for Figure S6: bonuses with options given, found on the way, or none, in mazes of
growing size.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from hsr.paper import exploring
from hsr.paper.exploring import Cell, ExploringSetting, Kind, Options

NAME = "exploration_online"
WORK = "hsr.paper.experiments.exploration_online.run:run"
AGENTS = {
    "SR-norm": Kind("norm", "sr", "none"),
    "SR-SPIE": Kind("spie", "sr", "none"),
    "HSR-norm": Kind("norm", "hsr", "given"),
    "HSR-SPIE": Kind("spie", "hsr", "given"),
    "HSR-SPIE online": Kind("spie", "hsr", "online"),
    "options alone": Kind("none", "hsr", "given"),
    "online options alone": Kind("none", "hsr", "online"),
}


class ExplorationOnline(ExploringSetting):
    """Settings of the experiment; mazes have the sizes of `sizes`, and `maze.size` is not used."""

    steps: int = 10_000


PRESETS = {
    "smoke": ExplorationOnline(
        sizes=(11, 15), options=Options(warm_up=300, refresh=300), steps=1500, points=50, seeds=4
    ),
    "paper": ExplorationOnline(),
}
CONTROLS = {**exploring.CONTROLS}
CHOICES = {
    **exploring.CHOICES,
    "warm_up": "options.warm_up",
    "refresh": "options.refresh",
    "new_values": "options.values",
}


class Key(NamedTuple):
    """Which cell: the agent by name, and the size of the maze."""

    agent: str
    size: int


def cells(setting: ExplorationOnline) -> dict[Key, Cell]:
    """Return every cell that the figure needs."""
    return {
        Key(name, size): setting.cell(kind, size)
        for name, kind in AGENTS.items()
        for size in setting.sizes
    }


def runs(setting: ExplorationOnline) -> Iterator[tuple[str, dict[str, Any], tuple[int, ...]]]:
    """Return what is to be run."""
    return exploring.runs_of(WORK, setting, cells(setting).values())
