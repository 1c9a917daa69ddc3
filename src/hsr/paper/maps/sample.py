"""Worlds of the experiments about maps: a maze, and a sign for each of its eigenvectors.

Start and goal do not matter for a map. A world with another sign of an eigenvector has an option
that ends elsewhere, and therefore another hierarchical map.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from hsr import InputError
from hsr._base.declaration import Spec, declarations, nested, word
from hsr.agents import OptionSpec
from hsr.experiments import MAZES, READINGS, scored_worlds
from hsr.experiments.setting import first_number, world_count
from hsr.grids import MazeSpec
from hsr.options import OptionSet, sign_pattern
from hsr.paper.maps.setting import MapSettings
from hsr.paper.worlds import maze_sample, options_of, roomy_maze, world_of

_PARTS = {"measures": "what is judged", "pictures": "what is drawn, in the first world"}


@dataclass(frozen=True, kw_only=True)
class MapSetting(Spec):
    """The settings of an experiment about maps.

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
    """

    world: MazeSpec = nested(MazeSpec())
    options: OptionSpec = nested(OptionSpec(signs="random"))
    maps: MapSettings = nested(MapSettings())
    mazes: str = maze_sample("one")
    worlds: int = world_count(40)
    first_world: int = first_number()


@dataclass(frozen=True, kw_only=True)
class MapCondition(Spec):
    """What is computed in a world: what is judged, or what is drawn."""

    part: str = word(_PARTS, "what is computed")
    world: MazeSpec = nested(MazeSpec())
    options: OptionSpec = nested(OptionSpec(signs="random"))
    maps: MapSettings = nested(MapSettings())
    mazes: str = maze_sample("one")


VARIANTS: dict[str, dict[str, dict[str, Any]]] = {
    READINGS: {
        "stopping states counted twice": {"maps.stopping_state": "counted_twice"},
        "options win ties": {"maps.ties": "options"},
        "plans learned by Q-learning": {"maps.ties": "learned"},
        "the goal does not end the map": {"maps.goal": "continues"},
        "32 components": {"maps.n_components": 32},
        "8 goals": {"maps.trained_on": "8"},
        "32 goals": {"maps.trained_on": "32"},
        "one goal per room": {"maps.trained_on": "per_room"},
        "first eigenvector counted": {"options.first": "counted"},
    },
    MAZES: {"mazes of three families": {"mazes": "families"}},
}


def conditions(
    setting: MapSetting, *, kind: type[MapCondition] = MapCondition
) -> dict[str, MapCondition]:
    """Return the condition of each part. Pictures are those of the setting's own maze."""
    shared = {name: getattr(setting, name) for name in declarations(kind) if name != "part"}
    return {
        "measures": kind(part="measures", **shared),
        "pictures": kind(part="pictures", **{**shared, "mazes": "one"}),
    }


def plan(setting: MapSetting, of_parts: Mapping[str, Spec]) -> Iterator[tuple[Spec, Sequence[int]]]:
    """Yield what is judged with all worlds, and what is drawn with the first."""
    worlds = scored_worlds(setting)
    for part, condition in of_parts.items():
        yield condition, worlds if part == "measures" else worlds[:1]


def in_world(condition: MapCondition, number: int) -> tuple[MazeSpec, OptionSpec, MapSettings]:
    """Return maze, options and maps of a world; its number draws what is random in them.

    Another maze than the paper's is not replaced by one of a family.
    """
    world = condition.world
    if condition.mazes == "families" and world.layout == MazeSpec().layout:
        world = roomy_maze(world, number)
    options = options_in(world, condition.options, number)
    return world, options, replace(condition.maps, seed=number)


def check_rooms(setting: MapSetting, of_parts: Mapping[str, Any]) -> None:
    """Refuse a maze with too few rooms or doors to compare, and what `check_maze` refuses."""
    layout, _ = world_of(setting.world)
    if len(layout.rooms) < 2 or not len(layout.bottlenecks):
        raise InputError(
            f"the layout {layout.name!r} has {len(layout.rooms)} rooms and "
            f"{len(layout.bottlenecks)} bottlenecks; rooms and doors are compared, so at least two "
            "rooms with a door are needed"
        )
    check_maze(setting, of_parts)


def check_maze(setting: MapSetting, of_parts: Mapping[str, Any]) -> None:
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
