"""Exploration experiments: an agent with a bonus, alone in a maze, for a number of steps."""

from hsr.paper.exploring.explored import Explored, combined
from hsr.paper.exploring.panels import draw_against_steps, draw_by_size
from hsr.paper.exploring.run import EXPLORING, run
from hsr.paper.exploring.setting import (
    FRONTIER,
    FRONTIER_EVERY,
    OPTIONS,
    SPIE_READINGS,
    Explorer,
    ExploringCondition,
    ExploringSetting,
    MazeSetting,
    maze_sizes,
    option_setting,
    point_count,
    step_count,
)

__all__ = [
    "EXPLORING",
    "FRONTIER",
    "FRONTIER_EVERY",
    "OPTIONS",
    "SPIE_READINGS",
    "Explored",
    "Explorer",
    "ExploringCondition",
    "ExploringSetting",
    "MazeSetting",
    "combined",
    "draw_against_steps",
    "draw_by_size",
    "maze_sizes",
    "option_setting",
    "point_count",
    "run",
    "step_count",
]
