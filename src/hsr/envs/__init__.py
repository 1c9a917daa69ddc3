"""Gymnasium environments: grid worlds, and wrappers for options and features.

- `GridWorld` is a maze with a goal, `GridWorldVector` thousands of copies that move at once.
- `OptionEnv` adds options to the actions of any environment with numbered states, and
  `OptionEnvVector` to those of a `GridWorldVector`.
- `MiniGridStates` numbers the states of a MiniGrid environment.
- `FeatureObservation` and `FeatureObservationVector` replace the observed state by its features.
"""

from hsr._base.extras import needs

needs("envs", "hsr.envs")

from hsr.envs.feature_observation import FeatureObservation, FeatureObservationVector
from hsr.envs.grid_vector import GridWorldVector
from hsr.envs.grid_world import GridWorld
from hsr.envs.minigrid_states import MiniGridStates
from hsr.envs.option_env import OptionEnv
from hsr.envs.option_vector import OptionEnvVector

__all__ = [
    "FeatureObservation",
    "FeatureObservationVector",
    "GridWorld",
    "GridWorldVector",
    "MiniGridStates",
    "OptionEnv",
    "OptionEnvVector",
]
