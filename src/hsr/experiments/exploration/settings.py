"""What is run for Figure 6: every bonus, of either map, with and without options; with a goal, without one, and by maze size.

Without options both maps are the same, and without a bonus no map matters: the twelve agents of the full grid are eight.
"""

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from hsr.experiments.exploring import Agent, Bonus, Cell, Maze, Options
from hsr.experiments.setting import Setting

NAME = "exploration"
WORK = "hsr.experiments.exploration.run:run"


class Kind(NamedTuple):
    """One agent of the grid: its bonus, the map of which it is taken, and whether it has options."""

    bonus: Literal["none", "norm", "spie"]
    on: Literal["sr", "hsr"]
    options: bool


AGENTS = {
    "no bonus": Kind("none", "sr", False),
    "SR-norm": Kind("norm", "sr", False),
    "SR-SPIE": Kind("spie", "sr", False),
    "HSR-SPIE": Kind("spie", "hsr", True),
    "HSR-norm": Kind("norm", "hsr", True),
    "options alone": Kind("none", "hsr", True),
    "SR-norm + options": Kind("norm", "sr", True),
    "SR-SPIE + options": Kind("spie", "sr", True),
}
BY_SIZE = ("no bonus", "SR-SPIE", "HSR-SPIE", "options alone", "SR-SPIE + options")


class Exploration(Setting):
    """Settings of the experiment; `seeds` counts them from 0.

    Curves are of mazes of the size that `maze` has, and `sizes` are those of panel c. `bonus_weight` holds without a goal,
    `goal_bonus_weight` with one. `spie` says whether SPIE takes squares; `bonus_per` and `norm_of` are readings of the bonus.
    From the zero map the norm bonus would be infinite, so norm agents begin with the identity whatever `agent.initial_map` is.
    """

    maze: Maze = Maze()
    sizes: tuple[int, ...] = (21, 31, 41, 51, 61)
    options: Options = Options()
    agent: Agent = Agent()
    spie: Literal["spie", "spie_l1"] = "spie"
    bonus_per: Literal["step", "choice"] = "step"
    norm_of: Literal["arrived", "left"] = "arrived"
    bonus_weight: float = 1.0
    goal_bonus_weight: float = 0.01
    goal_distance: float = 0.5
    steps: int = 100_000
    points: int = 200
    seeds: int = 10


PRESETS = {
    "smoke": Exploration(maze=Maze(size=11), sizes=(11, 15), steps=3000, points=60, seeds=4),
    "paper": Exploration(),
}


class Key(NamedTuple):
    """Which cell: the agent by name, the size of the maze, and whether there is a goal."""

    agent: str
    size: int
    goal: bool


def cells(setting: Exploration) -> dict[Key, Cell]:
    """Return every cell that the figure needs, each once."""
    size = setting.maze.size
    keys = [Key(name, size, goal) for goal in (False, True) for name in AGENTS]
    keys += [Key(name, n, False) for name in BY_SIZE for n in setting.sizes]
    return {key: _cell(setting, key) for key in keys}


def runs(setting: Exploration) -> Iterator[tuple[str, dict[str, Any], tuple[int, ...]]]:
    """Yield what is to be run."""
    for cell in cells(setting).values():
        yield WORK, cell.model_dump(mode="json"), tuple(range(setting.seeds))


def _cell(setting: Exploration, key: Key) -> Cell:
    kind = AGENTS[key.agent]
    bonus = Bonus(
        kind=setting.spie if kind.bonus == "spie" else kind.bonus,
        on=kind.on,
        per=setting.bonus_per,
        norm_of=setting.norm_of,
        weight=setting.goal_bonus_weight if key.goal else setting.bonus_weight,
    )
    norm = {"initial_map": "identity"} if kind.bonus == "norm" else {}
    return Cell(
        maze=setting.maze.model_copy(update={"size": key.size}),
        options=setting.options if kind.options else setting.options.model_copy(update={"kind": "none"}),
        bonus=bonus,
        agent=setting.agent.model_copy(update=norm),
        goal="random" if key.goal else "none",
        goal_distance=setting.goal_distance,
        steps=setting.steps,
        points=setting.points,
    )
