"""Gymnasium environments: grid worlds, one or many at a time, and wrappers for options and
features.
"""

from hsr._base.extras import needs

needs("envs", "hsr.envs")

from hsr.envs.feature_observation import FeatureObservation, FeatureObservationVector
from hsr.envs.grid_vector import GridWorldVector
from hsr.envs.grid_world import GridWorld
from hsr.envs.option_env import OptionEnv

__all__ = [
    "FeatureObservation",
    "FeatureObservationVector",
    "GridWorld",
    "GridWorldVector",
    "OptionEnv",
]
