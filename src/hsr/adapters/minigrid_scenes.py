"""Scenes of a MiniGrid environment: states that can be compared and restored.

Most steps move or turn the agent and change nothing else. A scene therefore refers to an
arrangement by its number. An arrangement says which object is in which cell, which one is carried,
and what its attributes are. Each arrangement is stored once, and the grid is written only when the
arrangement changes.
"""

from collections import Counter
from collections.abc import Hashable
from typing import Any, NamedTuple

from hsr._base.errors import InputError

HEADINGS = ("right", "down", "left", "up")
NOTHING = -1  # the number of no object
_INERT = frozenset(("wall", "floor", "goal", "lava"))
_WHERE = frozenset(("init_pos", "cur_pos"))

Manner = tuple[tuple[str, Hashable], ...]


class Scene(NamedTuple):
    """One state of a MiniGrid environment.

    Attributes
    ----------
    position : (x, y)
        The cell of the agent.
    heading : int
        Where the agent looks: 0 right, 1 down, 2 left, 3 up.
    arrangement : int
        The number of the arrangement of objects.
    ended : bool
        Whether the episode is over.
    """

    position: tuple[int, int]
    heading: int
    arrangement: int
    ended: bool  # whether the episode is over


class Arrangement(NamedTuple):
    """The places of all objects, by their numbers, and their attributes.

    Attributes
    ----------
    carried : int
        The object that the agent carries, or `NOTHING`.
    cells : tuple of int
        The object in each cell, row by row.
    manners : tuple
        The attributes of each object, such as whether a door is open.
    """

    carried: int
    cells: tuple[int, ...]  # row by row
    manners: tuple[tuple[int, Manner], ...]  # attributes of the objects, such as being open


class Stage:
    """One environment that is put into one scene after another.

    Objects keep their identity, because environments ask whether the object carried is *the* one.

    Parameters
    ----------
    env : MiniGridEnv
        The environment. It is changed.
    """

    def __init__(self, env: Any) -> None:
        self.env = env
        self.things: list[Any] = []  # all objects met so far, by number
        self.arrangements: list[Arrangement] = []
        self._number_of = {id(None): NOTHING}  # ids stay good, because `things` keeps the objects
        self._changing: set[int] = set()
        self._arrangement_of: dict[Arrangement, int] = {}
        self._present = NOTHING  # the arrangement that the environment is in

    def look(self, *, ended: bool) -> Scene:
        """Return the scene that the environment is in."""
        env = self.env
        for thing in (env.carrying, *env.grid.grid):
            if id(thing) not in self._number_of:
                self._meet(thing)
        carried, cells = (
            self._number_of[id(env.carrying)],
            tuple([self._number_of[id(thing)] for thing in env.grid.grid]),
        )
        manners = tuple(
            (n, _manner(self.things[n])) for n in sorted(self._changing & {carried, *cells})
        )
        arrangement = Arrangement(carried, cells, manners)
        self._present = self._arrangement_of.setdefault(arrangement, len(self.arrangements))
        if self._present == len(self.arrangements):
            self.arrangements.append(arrangement)
        x, y = env.agent_pos
        return Scene((int(x), int(y)), int(env.agent_dir), self._present, ended)

    def arrange(self, scene: Scene) -> None:
        """Put the environment into a scene, at step 0."""
        env = self.env
        env.agent_pos, env.agent_dir, env.step_count = scene.position, scene.heading, 0
        if scene.arrangement == self._present:
            return
        carried, cells, manners = self.arrangements[scene.arrangement]
        by_number = [*self.things, None]  # NOTHING, the last, is None
        env.carrying = by_number[carried]
        env.grid.grid[:] = [by_number[n] for n in cells]
        for n, manner in manners:
            where = (-1, -1) if n == carried else divmod(cells.index(n), env.grid.width)[::-1]
            vars(self.things[n]).update(manner, cur_pos=where)
        self._present = scene.arrangement

    def _meet(self, thing: Any) -> None:
        """Number a new object. Its attributes must be hashable, unless it never changes."""
        self._number_of[id(thing)] = len(self.things)
        self.things.append(thing)
        if thing.type in _INERT and type(thing).__module__.startswith("minigrid."):
            return
        self._changing.add(len(self.things) - 1)
        try:
            hash(_manner(thing))
        except TypeError:
            raise InputError(
                f"the {thing.color} {thing.type} of {type(self.env).__name__} has attributes "
                "that are not hashable, so that scenes cannot be compared; "
                "use tuples and numbers in objects"
            ) from None


def _manner(thing: Any) -> Manner:
    """Return the attributes of an object, without those that say where it is."""
    return tuple((name, value) for name, value in vars(thing).items() if name not in _WHERE)


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
    width = stage.env.grid.width
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
    """Return the change of an object as text, such as "open" or "is_lit=True"."""
    now = dict(manner)
    changed = [(name, value) for name, value in manner if dict(usual).get(name) != value]
    if {"is_open", "is_locked"} >= {name for name, _ in changed}:
        return "open" if now["is_open"] else "locked" if now["is_locked"] else "closed"
    return ", ".join(f"{name}={value}" for name, value in changed)
