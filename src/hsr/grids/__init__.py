"""Grid worlds: layouts, their text format, named and random mazes, and their MDPs."""

from hsr._base.errors import LayoutError
from hsr.grids.grid_mdp import grid_mdp
from hsr.grids.layout import GridLayout
from hsr.grids.layout_text import LayoutCells, parse_layout
from hsr.grids.maze import random_maze, room_grid
from hsr.grids.named import layout_names, load_layout
from hsr.grids.population import MAZE_FAMILIES, sample_maze
from hsr.grids.world_spec import WorldSpec

__all__ = [
    "MAZE_FAMILIES",
    "GridLayout",
    "LayoutCells",
    "LayoutError",
    "WorldSpec",
    "grid_mdp",
    "layout_names",
    "load_layout",
    "parse_layout",
    "random_maze",
    "room_grid",
    "sample_maze",
]
