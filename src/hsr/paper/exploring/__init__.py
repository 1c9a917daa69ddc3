"""Exploration experiments: an agent with a bonus, alone in a maze, for a number of steps."""

from hsr.paper.exploring.explored import Explored, share_interval
from hsr.paper.exploring.panels import draw_against_steps, draw_by_size
from hsr.paper.exploring.run import EXPLORING
from hsr.paper.exploring.setting import (
    EXPLORING_CONTROLS,
    FRONTIER,
    FRONTIER_EVERY,
    Explorer,
    ExploringCondition,
    ExploringOptions,
    ExploringSetting,
    GoalDistance,
    MazeSetting,
    Points,
    Steps,
)

__all__ = [
    "EXPLORING",
    "EXPLORING_CONTROLS",
    "FRONTIER",
    "FRONTIER_EVERY",
    "Explored",
    "Explorer",
    "ExploringCondition",
    "ExploringOptions",
    "ExploringSetting",
    "GoalDistance",
    "MazeSetting",
    "Points",
    "Steps",
    "draw_against_steps",
    "draw_by_size",
    "share_interval",
]
