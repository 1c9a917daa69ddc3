"""The world: finite MDPs, grid maps and mazes, goal tasks, exact solvers. No options here."""

from hsr.mdp.chain import MarkovChain, uniform_policy
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.grid import grid_mdp
from hsr.mdp.gymnasium_table import from_gymnasium, gymnasium_reward
from hsr.mdp.layout import GridLayout
from hsr.mdp.maze import random_maze, room_grid
from hsr.mdp.named import layout_names, load_layout
from hsr.mdp.solvers import greedy_policy, optimal_value
from hsr.mdp.task import GoalTask, every_goal

__all__ = [
    "FiniteMDP",
    "GoalTask",
    "GridLayout",
    "MarkovChain",
    "every_goal",
    "from_gymnasium",
    "greedy_policy",
    "grid_mdp",
    "gymnasium_reward",
    "layout_names",
    "load_layout",
    "optimal_value",
    "random_maze",
    "room_grid",
    "uniform_policy",
]
