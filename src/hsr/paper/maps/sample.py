"""Worlds of the experiments about maps: a maze, and a sign for each of its eigenvectors.

Start and goal do not matter for a map. Claims are judged over mazes with rooms and doors, because
what holds in one maze may be a property of that maze. A world with another sign of an eigenvector
has an option that ends elsewhere, and therefore another hierarchical map.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from hsr import InputError
from hsr._base.declaration import Spec, nested
from hsr.agents import OptionSpec
from hsr.experiments.setting import control_count, control_flag, first_number, world_count
from hsr.grids import MazeSpec
from hsr.options import OptionSet, sign_pattern
from hsr.paper.maps.setting import COUNTED_TWICE, MapSettings
from hsr.paper.worlds import maze_sample, options_of, roomy_maze, world_of


@dataclass(frozen=True)
class MapSetting(Spec):
    """The fields that the settings of all experiments about maps have in common.

    Parameters
    ----------
    world : MazeSpec
        The maze.
    options : OptionSpec
        The options of hierarchical maps. Random signs are those that the world's number draws.
    maps : MapSettings
        How maps and bases are made.
    mazes : {"one", "families"}
        Whether every world is in the maze of `world`, and worlds differ in the signs of
        eigenvectors alone, or each is in a maze of its own.
    worlds, first_world : int
        Number of worlds, which are consecutive, and the first of them.
    control_worlds : int
        The number of worlds of a control, if it is smaller.
    as_control : bool
        Whether this is a control.
    """

    world: MazeSpec = nested(MazeSpec())
    options: OptionSpec = nested(OptionSpec(signs="random"))
    maps: MapSettings = nested(MapSettings())
    mazes: str = maze_sample("families")
    worlds: int = world_count(100)
    first_world: int = first_number()
    control_worlds: int = control_count(60)
    as_control: bool = control_flag()


CONTROLS: dict[str, dict[str, Any]] = {
    **COUNTED_TWICE,
    "options win ties": {"maps.ties": "options", "as_control": True},
    "the four rooms alone": {"mazes": "one", "as_control": True},
}


def world_in(world: MazeSpec, mazes: str, number: int) -> MazeSpec:
    """Return the maze of a world; another maze than the paper's is not replaced."""
    usual = world.layout == MazeSpec().layout
    return roomy_maze(world, number) if mazes == "families" and usual else world


def check_rooms(setting: MapSetting, conditions: Mapping[str, Any]) -> None:
    """Refuse a maze with too few rooms or doors to compare, and what `check_maze` refuses."""
    layout, _ = world_of(setting.world)
    if len(layout.rooms) < 2 or not len(layout.bottlenecks):
        raise InputError(
            f"the layout {layout.name!r} has {len(layout.rooms)} rooms and "
            f"{len(layout.bottlenecks)} bottlenecks; rooms and doors are compared, so at least two "
            "rooms with a door are needed"
        )
    check_maze(setting, conditions)


def check_maze(setting: MapSetting, conditions: Mapping[str, Any]) -> None:
    """Refuse options that are not there before learning, and those that the maze cannot have."""
    options = options_in(setting.world, setting.options, setting.first_world)
    if not isinstance(options_of(setting.world, options), OptionSet):
        raise InputError(
            f"options.kind is {options.kind!r}; a hierarchical map needs options that are there "
            "before learning"
        )


@lru_cache(maxsize=1024)
def options_in(world: MazeSpec, options: OptionSpec, number: int) -> OptionSpec:
    """Return the options with the signs, or the random targets, of one world.

    Drawn signs are written as a pattern, so that worlds with the same signs share their maps.

    Examples
    --------
    >>> options_in(MazeSpec(), OptionSpec(signs="random"), 3).signs
    '-++++---'
    """
    if options.kind == "random":
        return replace(options, seed=number)
    n = options.n_options - (options.first == "counted")
    if options.kind != "eigen" or options.signs != "random" or not n:
        return options
    _, mdp = world_of(world)
    return replace(options, signs=sign_pattern(mdp, n, "random", seed=number))
