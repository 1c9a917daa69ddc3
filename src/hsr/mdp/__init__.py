"""The world: finite MDPs, grid maps and mazes, goal tasks, exact solvers. No options here."""

from hsr.mdp.chain import MarkovChain, uniform_policy
from hsr.mdp.estimated import EstimatedMDP
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.grid import grid_mdp
from hsr.mdp.gymnasium_table import from_gymnasium, gymnasium_reward
from hsr.mdp.layout import GridLayout
from hsr.mdp.maze import random_maze, room_grid
from hsr.mdp.minigrid_states import from_minigrid
from hsr.mdp.named import layout_names, load_layout
from hsr.mdp.networkx_graph import from_networkx, walk_policy
from hsr.mdp.solvers import greedy_policy, optimal_value
from hsr.mdp.task import GoalTask, every_goal
from hsr.mdp.transition_log import from_transitions

__all__ = [
    "EstimatedMDP",
    "FiniteMDP",
    "GoalTask",
    "GridLayout",
    "MarkovChain",
    "every_goal",
    "from_gymnasium",
    "from_minigrid",
    "from_networkx",
    "from_transitions",
    "greedy_policy",
    "grid_mdp",
    "gymnasium_reward",
    "layout_names",
    "load_layout",
    "optimal_value",
    "random_maze",
    "room_grid",
    "uniform_policy",
    "walk_policy",
]
