"""Worlds from elsewhere: Gymnasium tables, networkx graphs, MiniGrid environments and transition
logs.
"""

from hsr.adapters.gymnasium_table import from_gymnasium, gymnasium_reward
from hsr.adapters.minigrid.states import from_minigrid
from hsr.adapters.networkx_graph import from_networkx, walk_policy
from hsr.adapters.transitions import from_transitions

__all__ = [
    "from_gymnasium",
    "from_minigrid",
    "from_networkx",
    "from_transitions",
    "gymnasium_reward",
    "walk_policy",
]
