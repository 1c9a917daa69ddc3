"""Grids: layouts, their text format, named and random mazes, and their MDPs."""

from hsr._base.errors import LayoutError
from hsr.grids.grid_mdp import grid_mdp
from hsr.grids.layout import GridLayout
from hsr.grids.layout_text import LayoutCells, parse_layout
from hsr.grids.maze import MAZE_FAMILIES, random_maze, room_grid, sample_maze
from hsr.grids.maze_spec import MazeSpec
from hsr.grids.named import layout_names, load_layout
from hsr.grids.point import point_log, point_map, point_mdp

__all__ = [
    "MAZE_FAMILIES",
    "GridLayout",
    "LayoutCells",
    "LayoutError",
    "MazeSpec",
    "grid_mdp",
    "layout_names",
    "load_layout",
    "parse_layout",
    "point_log",
    "point_map",
    "point_mdp",
    "random_maze",
    "room_grid",
    "sample_maze",
]
