"""What is run for Figure 6: every bonus, of either map, with and without options; with a goal,
without one, and by maze size.

Without options both maps are the same, and without a bonus no map matters: the twelve agents of the
full grid are eight.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from hsr.paper import exploring
from hsr.paper.exploring import Cell, ExploringSetting, Kind, Maze

NAME = "exploration"
WORK = "hsr.paper.experiments.exploration.run:run"
AGENTS = {
    "no bonus": Kind("none", "sr", "none"),
    "SR-norm": Kind("norm", "sr", "none"),
    "SR-SPIE": Kind("spie", "sr", "none"),
    "HSR-SPIE": Kind("spie", "hsr", "given"),
    "HSR-norm": Kind("norm", "hsr", "given"),
    "options alone": Kind("none", "hsr", "given"),
    "SR-norm + options": Kind("norm", "sr", "given"),
    "SR-SPIE + options": Kind("spie", "sr", "given"),
}
BY_SIZE = ("no bonus", "SR-SPIE", "HSR-SPIE", "options alone", "SR-SPIE + options")


class Exploration(ExploringSetting):
    """Settings of the experiment; `maze` has the size of the curves' mazes, and `sizes` are those
    of panel c.

    bonus_weight holds without a goal, goal_bonus_weight with one.
    """

    goal_bonus_weight: float = 0.01
    goal_distance: float = 0.5


PRESETS = {
    "smoke": Exploration(maze=Maze(size=11), sizes=(11, 15), steps=3000, points=60, seeds=4),
    "paper": Exploration(),
}
CONTROLS = {**exploring.CONTROLS}
CHOICES = {**exploring.CHOICES}


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
    """Return what is to be run."""
    return exploring.runs_of(WORK, setting, cells(setting).values())


def _cell(setting: Exploration, key: Key) -> Cell:
    goal = {"goal": "random", "bonus_weight": setting.goal_bonus_weight} if key.goal else {}
    return setting.cell(AGENTS[key.agent], key.size, goal_distance=setting.goal_distance, **goal)
