"""Labels of MiniGrid states: position and heading, then the differences from the first state."""

from collections import Counter
from collections.abc import Hashable
from typing import Any

from hsr.adapters.minigrid.scenes import Arrangement, Manner, Scene, Stage

HEADINGS = ("right", "down", "left", "up")


def label_scenes(scenes: list[Scene], stage: Stage) -> list[tuple[Hashable, ...]]:
    """Return the label of each scene: (x, y, heading, differences from the first scene ...).

    The word "end" comes last if the episode is over.

    Parameters
    ----------
    scenes : list of Scene
        The scenes to label.
    stage : Stage
        The stage on which they were seen.
    """
    names = _name_things(stage.things)
    usual = {
        n: manner
        for arrangement in reversed(stage.arrangements)
        for n, manner in arrangement.manners
    }
    first = stage.arrangements[0]
    width = stage.world.grid.width
    facts = [_differences(first, now, names, usual, width) for now in stage.arrangements]
    return [
        (
            *scene.position,
            HEADINGS[scene.heading],
            *facts[scene.arrangement],
            *(["end"] * scene.ended),
        )
        for scene in scenes
    ]


def _name_things(things: list[Any]) -> list[str]:
    """Return a name for each object. If several look alike, all but the first get a number."""
    met: Counter[str] = Counter()
    names = []
    for thing in things:
        kind = f"{thing.color} {thing.type}"
        met[kind] += 1
        names.append(kind if met[kind] == 1 else f"{kind} {met[kind]}")
    return names


def _differences(
    first: Arrangement, now: Arrangement, names: list[str], usual: dict[int, Manner], width: int
) -> list[str]:
    """Return one sentence per difference from the first arrangement, by the objects' numbers."""
    before, after = _places(first, width), _places(now, width)
    manners = dict(now.manners)
    facts = []
    for n, name in enumerate(names):
        if after.get(n) != before.get(n):
            facts += [
                f"carrying {name}" if place is None else f"{name} at {place}"
                for place in after.get(n, ())
            ]
            facts += [] if n in after else [f"{name} gone"]
        if n in manners and manners[n] != usual[n]:
            facts.append(f"{name} {_worded(usual[n], manners[n])}")
    return facts


def _places(arrangement: Arrangement, width: int) -> dict[int, list[tuple[int, int] | None]]:
    """Return the cells (x, y) of each object. None stands for being carried by the agent."""
    places: dict[int, list[tuple[int, int] | None]] = {arrangement.carried: [None]}
    for i, n in enumerate(arrangement.cells):
        places.setdefault(n, []).append((i % width, i // width))
    return places


def _worded(usual: Manner, manner: Manner) -> str:
    """Return the change of an object in words, such as "open" or "is_lit=True"."""
    now = dict(manner)
    changed = [(name, value) for name, value in manner if dict(usual).get(name) != value]
    if {"is_open", "is_locked"} >= {name for name, _ in changed}:
        return "open" if now["is_open"] else "locked" if now["is_locked"] else "closed"
    return ", ".join(f"{name}={value}" for name, value in changed)
