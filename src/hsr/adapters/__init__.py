"""MDPs from other sources: Gymnasium tables, networkx graphs, MiniGrid and transition logs.

- `from_gymnasium` reads the transition table of an environment, `gymnasium_reward` its rewards.
- `from_minigrid` explores a MiniGrid environment, which has no table.
- `from_networkx` walks on a graph. `walk_policy` is the random walk on it.
- `from_transitions` estimates an MDP from a log of steps: of an agent, an animal or a simulation.
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
