"""Gymnasium environments of mazes, and wrappers for options and features.

- `GridWorld` is a maze with a goal, and `GridWorldVector` many copies that move in one call.
- `PointMaze` is a maze through which a point moves continuously.
- `OptionEnv` adds options to the actions of any environment with numbered states.
- `MiniGridStates` numbers the states of a MiniGrid environment.
- `FeatureObservation` and `FeatureObservationVector` replace the observed state by its features.

Importing this package registers ``hsr/GridWorld-v0``, ``hsr/PointMaze-v0`` and one environment for
each named layout with Gymnasium. ``gymnasium.make("hsr.envs:hsr/GridWorld-v0")`` imports it by
itself.
"""

from hsr._base.extras import needs

needs("envs", "hsr.envs")

from gymnasium.envs.registration import register, registry

from hsr.envs.feature_observation import FeatureObservation, FeatureObservationVector
from hsr.envs.grid_vector import GridWorldVector
from hsr.envs.grid_world import GridWorld
from hsr.envs.minigrid_states import MiniGridStates
from hsr.envs.option_env import OptionEnv
from hsr.envs.point_maze import PointMaze
from hsr.grids.named import layout_names

__all__ = [
    "FeatureObservation",
    "FeatureObservationVector",
    "GridWorld",
    "GridWorldVector",
    "MiniGridStates",
    "OptionEnv",
    "PointMaze",
]

_HORIZON = 5000


def _register(name: str, layout: str) -> None:
    """Register one environment, unless the package was imported before."""
    if f"hsr/{name}-v0" not in registry:
        register(
            f"hsr/{name}-v0",
            entry_point="hsr.envs.grid_world:GridWorld",
            vector_entry_point="hsr.envs.grid_vector:GridWorldVector",
            max_episode_steps=_HORIZON,
            kwargs={"layout": layout},
        )


_register("GridWorld", "four_rooms")
for _layout in layout_names():
    _register(_layout.title().replace("_", ""), _layout)
if "hsr/PointMaze-v0" not in registry:
    register(
        "hsr/PointMaze-v0",
        entry_point="hsr.envs.point_maze:PointMaze",
        max_episode_steps=_HORIZON,
    )
