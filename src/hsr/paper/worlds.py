"""The world of a transfer experiment and the options in it; each is made once per process."""

from functools import lru_cache

from hsr.agents import OnlineOptions, OptionSpec
from hsr.grids import GridLayout, WorldSpec
from hsr.mdp import FiniteMDP
from hsr.options import OptionSet


@lru_cache(maxsize=16)
def world_of(world: WorldSpec) -> tuple[GridLayout, FiniteMDP]:
    """Return the layout and the MDP of a world."""
    return world.build()


@lru_cache(maxsize=16)
def options_of(world: WorldSpec, options: OptionSpec) -> OptionSet | OnlineOptions | None:
    """Return the options of a world."""
    _, mdp = world_of(world)
    return options.build(mdp)
