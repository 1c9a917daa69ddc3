"""Scenes of a MiniGrid world: a state as something that can be compared, and put back into the
environment.

Most steps move or turn the agent and nothing else. So a scene holds the number of an arrangement
(which object is in which cell, which is carried, how each one is), arrangements are kept once each,
and the grid is touched only when it changes.
"""

from collections.abc import Hashable
from typing import Any, NamedTuple

from hsr._base.errors import InputError

NOTHING = -1  # the number of no object
_INERT = frozenset(("wall", "floor", "goal", "lava"))
_WHERE = frozenset(("init_pos", "cur_pos"))

Manner = tuple[tuple[str, Hashable], ...]


class Scene(NamedTuple):
    """One state of a MiniGrid world."""

    position: tuple[int, int]
    heading: int
    arrangement: int
    ended: bool  # whether the episode is over


class Arrangement(NamedTuple):
    """Where all objects are, by their numbers, and how they are."""

    carried: int
    cells: tuple[int, ...]  # row by row
    manners: tuple[
        tuple[int, Manner], ...
    ]  # the attributes of each object present, such as being open


class Stage:
    """One environment that is put into one scene after another."""

    def __init__(self, world: Any) -> None:
        self.world = world
        self.things: list[Any] = []  # all objects met so far, by number
        self.arrangements: list[Arrangement] = []
        self._number_of = {id(None): NOTHING}  # ids stay good, because `things` keeps the objects
        self._changing: set[int] = set()
        self._arrangement_of: dict[Arrangement, int] = {}
        self._present = NOTHING  # the arrangement that the world is in

    def look(self, *, ended: bool) -> Scene:
        """Return the scene that the world is in."""
        world = self.world
        for thing in (world.carrying, *world.grid.grid):
            if id(thing) not in self._number_of:
                self._meet(thing)
        carried, cells = (
            self._number_of[id(world.carrying)],
            tuple([self._number_of[id(thing)] for thing in world.grid.grid]),
        )
        manners = tuple(
            (n, _manner(self.things[n])) for n in sorted(self._changing & {carried, *cells})
        )
        arrangement = Arrangement(carried, cells, manners)
        self._present = self._arrangement_of.setdefault(arrangement, len(self.arrangements))
        if self._present == len(self.arrangements):
            self.arrangements.append(arrangement)
        x, y = world.agent_pos
        return Scene((int(x), int(y)), int(world.agent_dir), self._present, ended)

    def arrange(self, scene: Scene) -> None:
        """Put the world into a scene, at step 0."""
        world = self.world
        world.agent_pos, world.agent_dir, world.step_count = scene.position, scene.heading, 0
        if scene.arrangement == self._present:
            return
        carried, cells, manners = self.arrangements[scene.arrangement]
        by_number = [*self.things, None]  # NOTHING, the last, is None
        world.carrying = by_number[carried]
        world.grid.grid[:] = [by_number[n] for n in cells]
        for n, manner in manners:
            where = (-1, -1) if n == carried else divmod(cells.index(n), world.grid.width)[::-1]
            vars(self.things[n]).update(manner, cur_pos=where)
        self._present = scene.arrangement

    def _meet(self, thing: Any) -> None:
        self._number_of[id(thing)] = len(self.things)
        self.things.append(thing)
        if thing.type in _INERT and type(thing).__module__.startswith("minigrid."):
            return
        self._changing.add(len(self.things) - 1)
        try:
            hash(_manner(thing))
        except TypeError:
            raise InputError(
                f"the {thing.color} {thing.type} of {type(self.world).__name__} has attributes that are not hashable, so that "
                "scenes cannot be compared; use tuples and numbers in objects"
            ) from None


def _manner(thing: Any) -> Manner:
    return tuple((name, value) for name, value in vars(thing).items() if name not in _WHERE)
