"""Exploration experiments: an agent with a bonus, alone in a maze, for a number of steps."""

from hsr.paper.exploring.run import EXPLORING
from hsr.paper.exploring.setting import (
    EXPLORING_CHOICES,
    EXPLORING_CONTROLS,
    Explorer,
    ExploringCondition,
    ExploringOptions,
    ExploringSetting,
    MazeSetting,
)

__all__ = [
    "EXPLORING",
    "EXPLORING_CHOICES",
    "EXPLORING_CONTROLS",
    "Explorer",
    "ExploringCondition",
    "ExploringOptions",
    "ExploringSetting",
    "MazeSetting",
]
