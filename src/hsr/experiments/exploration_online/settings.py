"""What is run for Figure S6: SPIE with options given, found on the way, or none, in mazes of growing size."""

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from hsr.experiments.exploring import Agent, Bonus, Cell, Maze, Options
from hsr.experiments.setting import Setting

NAME = "exploration_online"
WORK = "hsr.experiments.exploration_online.run:run"


class Kind(NamedTuple):
    """One agent: its bonus, the map of which it is taken, and where its options come from."""

    bonus: Literal["none", "spie"]
    on: Literal["sr", "hsr"]
    options: Literal["none", "eigen", "online"]


AGENTS = {
    "SR-SPIE": Kind("spie", "sr", "none"),
    "HSR-SPIE": Kind("spie", "hsr", "eigen"),
    "HSR-SPIE online": Kind("spie", "hsr", "online"),
    "options alone": Kind("none", "hsr", "eigen"),
    "online options alone": Kind("none", "hsr", "online"),
}


class ExplorationOnline(Setting):
    """Settings of the experiment; `seeds` counts them from 0.

    `spie` says whether SPIE takes squares; `bonus_per` is a reading of the bonus. `maze.size` and
    `options.kind` are set for each cell, from `sizes` and by agent.
    """

    maze: Maze = Maze()
    sizes: tuple[int, ...] = (21, 31, 41, 51, 61)
    options: Options = Options()
    agent: Agent = Agent()
    spie: Literal["spie", "spie_l1"] = "spie"
    bonus_per: Literal["step", "choice"] = "step"
    bonus_weight: float = 1.0
    steps: int = 10_000
    points: int = 200
    seeds: int = 10


PRESETS = {
    "smoke": ExplorationOnline(sizes=(11, 15), options=Options(warm_up=300, refresh=300), steps=1500, points=50, seeds=4),
    "paper": ExplorationOnline(),
}


class Key(NamedTuple):
    """Which cell: the agent by name, and the size of the maze."""

    agent: str
    size: int


def cells(setting: ExplorationOnline) -> dict[Key, Cell]:
    """Return every cell that the figure needs."""
    return {key: _cell(setting, key) for key in (Key(name, size) for name in AGENTS for size in setting.sizes)}


def runs(setting: ExplorationOnline) -> Iterator[tuple[str, dict[str, Any], tuple[int, ...]]]:
    """Yield what is to be run."""
    for cell in cells(setting).values():
        yield WORK, cell.model_dump(mode="json"), tuple(range(setting.seeds))


def _cell(setting: ExplorationOnline, key: Key) -> Cell:
    kind = AGENTS[key.agent]
    return Cell(
        maze=setting.maze.model_copy(update={"size": key.size}),
        options=setting.options.model_copy(update={"kind": kind.options}),
        bonus=Bonus(
            kind=setting.spie if kind.bonus == "spie" else "none",
            on=kind.on,
            weight=setting.bonus_weight,
            per=setting.bonus_per,
        ),
        agent=setting.agent,
        steps=setting.steps,
        points=setting.points,
    )
