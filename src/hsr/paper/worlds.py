"""Worlds of a transfer experiment and the options in them; each is made once per process."""

from dataclasses import replace
from functools import lru_cache
from itertools import count, islice
from typing import Any

from hsr import InputError, sample_worlds
from hsr._base.declaration import word
from hsr.agents import OnlineOptions, OptionSpec, World, draw_worlds
from hsr.grids import GridLayout, MazeSpec, sample_maze
from hsr.mdp import FiniteMDP
from hsr.options import OptionSet, sign_pattern

_BLOCK = 256
_SIZE = 13  # rows and columns of mazes of families, those of the four rooms
FRESH = 1000  # first world of the presets of maps and exploration: those before had been seen
_SAMPLE_SEED = 10_000  # between the seeds of two samples of mazes
_OTHER_SEED = 1_000_000  # what is added to a seed whose maze does not serve
FAMILIES = ("four_rooms", "rooms", "fields", "loops", "trees")
WITH_ROOMS = FAMILIES[:3]
MAZES = {
    "one": "every world is in the same maze",
    "families": "each world is in a maze of its own, of several families",
}


def maze_sample(default: str) -> Any:
    """Return the field that says in which mazes worlds are."""
    return word(MAZES, "in which mazes worlds are", default=default)


@lru_cache(maxsize=16)
def world_of(world: MazeSpec) -> tuple[GridLayout, FiniteMDP]:
    """Return the layout and the MDP of a world."""
    return world.build()


@lru_cache(maxsize=1024)
def roomy_maze(world: MazeSpec, number: int) -> MazeSpec:
    """Return the maze of a world that compares rooms: four rooms, a grid of rooms, or a field.

    Two of its rooms at least have four states, and there is a door.

    Parameters
    ----------
    world : MazeSpec
        Discount and dynamics.
    number : int
        Number of the world, which draws the maze.
    """
    for seed in count(number, _OTHER_SEED):
        layout = sample_maze(WITH_ROOMS[number % len(WITH_ROOMS)], _SIZE, seed=seed)
        if sum(len(room) >= 4 for room in layout.rooms) >= 2 and len(layout.bottlenecks):
            return _spec(world, layout)
    raise AssertionError("count does not end")


@lru_cache(maxsize=1024)
def goal_maze(
    world: MazeSpec, options: OptionSpec, distances: tuple[int, ...], number: int, sample: int
) -> MazeSpec:
    """Return the maze of a world with goals, by its number in a sample of five families.

    It has a start with goals at these distances, on the end of no option.

    Raises
    ------
    InputError
        If the maze is one's own, which others cannot replace.
    """
    if "\n" in world.layout:
        raise InputError(f"mazes is 'families', which would replace the maze {world.name!r}")
    for seed in count(number + _SAMPLE_SEED * sample, _OTHER_SEED):
        layout = sample_maze(FAMILIES[number % len(FAMILIES)], _SIZE, seed=seed)
        spec = _spec(world, layout)
        if any(True for _ in islice(draw_worlds(layout, **_which(spec, options, distances)), 1)):
            return spec
    raise AssertionError("count does not end")


def _spec(world: MazeSpec, layout: GridLayout) -> MazeSpec:
    text = f"{layout.to_text()}\n"
    return replace(world, layout=text, name=layout.name, start=None, goals=())


@lru_cache(maxsize=256)
def options_of(world: MazeSpec, options: OptionSpec) -> OptionSet | OnlineOptions | None:
    """Return the options of a world."""
    _, mdp = world_of(world)
    return options.build(mdp)


def drawn_world(
    world: MazeSpec, options: OptionSpec, number: int, distances: tuple[int, ...], sample: int
) -> World:
    """Return a world by its number in a sample: a start, goals, and the signs of eigenvectors.

    Parameters
    ----------
    world : MazeSpec
        The maze.
    options : OptionSpec
        The options on whose ends no goal may lie. Random signs are drawn with the world.
    number : int
        Number of the world, from 0.
    distances : tuple of int
        Distances of the goals from the start; those of the layout's marked goals if it is empty.
    sample : int
        Seed of the sample.
    """
    first = number - number % _BLOCK
    block = _block(world, options, distances, sample, first)
    if number - first >= len(block):
        n, name = number_of_worlds(world, options, distances, number), world_of(world)[0].name
        raise InputError(f"{number + 1:,} worlds are asked for; {n:,} qualify in {name!r}")
    return block[number - first]


def number_of_worlds(
    world: MazeSpec, options: OptionSpec, distances: tuple[int, ...], most: int
) -> int:
    """Return how many worlds qualify, `most` if there are more."""
    worlds = draw_worlds(world_of(world)[0], **_which(world, options, distances))
    return sum(1 for _ in islice(worlds, most))


def marked_world(world: MazeSpec, options: OptionSpec, number: int) -> World:
    """Return the marked start and goals of a layout, with the signs that a number draws."""
    layout, mdp = world_of(world)
    if layout.start is None or not layout.goals:
        raise InputError(f"the layout {layout.name!r} has no marked start and goals")
    signs = ""
    if options.kind == "eigen":
        n = options.n_options - (options.first == "counted")
        signs = sign_pattern(mdp, n, options.signs, seed=number)
    return World(layout.start, tuple(layout.goals), signs)


@lru_cache(maxsize=64)
def _block(
    world: MazeSpec, options: OptionSpec, distances: tuple[int, ...], sample: int, first: int
) -> list[World]:
    layout, _ = world_of(world)
    which = _which(world, options, distances)
    worlds = list(islice(draw_worlds(layout, seed=sample, **which), first, first + _BLOCK))
    # Where there is none, asking for one gives the error that says why.
    return worlds if worlds or first else sample_worlds(layout, 1, seed=sample, **which)


def _which(world: MazeSpec, options: OptionSpec, distances: tuple[int, ...]) -> dict[str, Any]:
    """Return which worlds qualify, as arguments of `sample_worlds`."""
    # Learned options end where exact ones do, up to errors; learning them to draw a world is waste.
    exact = replace(options, policies="exact")
    return {"distances": distances or None, "options": exact, "discount": world.discount}
