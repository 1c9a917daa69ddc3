"""MDPs from other sources: Gymnasium, networkx, MiniGrid, transition logs and tracked positions.

- `from_gymnasium` reads or explores an environment with numbered states, and keeps its rewards.
- `from_minigrid` enumerates the states of a MiniGrid environment, `minigrid_pixels` draws them.
- `from_networkx` walks on a graph. `walk_policy` is the random walk on it.
- `from_transitions` estimates an MDP from a log of steps: of an agent, an animal or a simulation.
- `from_path` does so from paths of states, and `from_positions` from tracked positions.
"""

from hsr.adapters.gymnasium_table import from_gymnasium
from hsr.adapters.minigrid_states import from_minigrid, minigrid_pixels
from hsr.adapters.networkx_graph import from_networkx, walk_policy
from hsr.adapters.positions import TrackedMDP, from_positions
from hsr.adapters.transitions import from_path, from_transitions

__all__ = [
    "TrackedMDP",
    "from_gymnasium",
    "from_minigrid",
    "from_networkx",
    "from_path",
    "from_positions",
    "from_transitions",
    "minigrid_pixels",
    "walk_policy",
]
