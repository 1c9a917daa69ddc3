"""Grids: layouts, their text format, named and random mazes, and their MDPs."""

from hsr._base.errors import LayoutError
from hsr.grids.grid_mdp import grid_mdp
from hsr.grids.layout import GridLayout
from hsr.grids.layout_text import LayoutCells, parse_layout
from hsr.grids.maze import MAZE_FAMILIES, random_maze, room_grid, sample_maze
from hsr.grids.maze_spec import MazeSpec
from hsr.grids.named import layout_names, load_layout

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
    "random_maze",
    "room_grid",
    "sample_maze",
]
