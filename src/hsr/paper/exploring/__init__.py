"""Exploration experiments: an agent with a bonus, alone in a maze, for a number of steps."""

from hsr.paper.exploring.explored import Explored, at_size, combined, fall, more
from hsr.paper.exploring.panels import draw_against_steps, draw_by_size
from hsr.paper.exploring.run import EXPLORING, run
from hsr.paper.exploring.setting import (
    AGENTS,
    OPTIONS,
    SPIE_READINGS,
    Explorer,
    ExploringCondition,
    ExploringSetting,
    Key,
    MazeSetting,
    maze_sizes,
    option_setting,
    point_count,
    step_count,
)

__all__ = [
    "AGENTS",
    "EXPLORING",
    "OPTIONS",
    "SPIE_READINGS",
    "Explored",
    "Explorer",
    "ExploringCondition",
    "ExploringSetting",
    "Key",
    "MazeSetting",
    "at_size",
    "combined",
    "draw_against_steps",
    "draw_by_size",
    "fall",
    "maze_sizes",
    "more",
    "option_setting",
    "point_count",
    "run",
    "step_count",
]
