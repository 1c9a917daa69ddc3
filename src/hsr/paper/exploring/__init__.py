"""Exploration experiments: an agent with a bonus, alone in a maze, for a number of steps."""

from hsr.paper.exploring.explored import Explored, share_interval
from hsr.paper.exploring.panels import draw_against_steps, draw_by_size
from hsr.paper.exploring.run import EXPLORING
from hsr.paper.exploring.setting import (
    EXPLORING_CONTROLS,
    FRONTIER,
    FRONTIER_EVERY,
    OPTIONS,
    Explorer,
    ExploringCondition,
    ExploringSetting,
    MazeSetting,
    goal_distance_field,
    maze_sizes,
    option_setting,
    point_count,
    step_count,
)

__all__ = [
    "EXPLORING",
    "EXPLORING_CONTROLS",
    "FRONTIER",
    "FRONTIER_EVERY",
    "OPTIONS",
    "Explored",
    "Explorer",
    "ExploringCondition",
    "ExploringSetting",
    "MazeSetting",
    "draw_against_steps",
    "draw_by_size",
    "goal_distance_field",
    "maze_sizes",
    "option_setting",
    "point_count",
    "share_interval",
    "step_count",
]
