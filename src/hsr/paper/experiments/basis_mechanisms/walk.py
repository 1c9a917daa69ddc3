"""A walk through all rooms of a map and back to where it began, along shortest paths between rooms'
centres and doors.
"""

from collections.abc import Mapping

import numpy as np

from hsr._base.arrays import IntArray
from hsr._base.errors import InputError
from hsr.grids import GridLayout


def circular_walk(layout: GridLayout) -> IntArray:
    """Return the states of the walk, of shape (T,); the last is the first, and each step is a move
    of one cell.

    Rooms come in the first order, by their numbers, in which each has a door to the next and the
    last one to the first.
    """
    doors = _doors(layout)
    n_rooms = len(layout.rooms)
    order = _ring([0], n_rooms, doors) if n_rooms > 2 else None
    if order is None:
        raise InputError(
            f"the map {layout.name!r} has no circle through its {n_rooms} rooms, each once"
        )
    places = []
    for room, following in zip(order, [*order[1:], order[0]], strict=True):
        places += [_centre(layout, room), doors[room, following]]
    places.append(places[0])
    walk = [places[0]]
    for place in places[1:]:
        walk += _shortest_path(layout, walk[-1], place)
    return np.array(walk)


def _doors(layout: GridLayout) -> dict[tuple[int, int], int]:
    """Return the first door between each two rooms that have one, in both directions."""
    found: dict[tuple[int, int], int] = {}
    for door in layout.bottlenecks.tolist():
        sides = sorted({int(layout.room_of[state]) for state in layout.neighbours[door]} - {-1})
        for one in sides:
            for other in sides:
                if one != other:
                    found.setdefault((one, other), door)
    return found


def _ring(order: list[int], n_rooms: int, doors: Mapping[tuple[int, int], int]) -> list[int] | None:
    """Return the first way to go on through all rooms and back, None if there is none."""
    if len(order) == n_rooms:
        return order if (order[-1], order[0]) in doors else None
    for room in range(n_rooms):
        if room not in order and (order[-1], room) in doors:
            whole = _ring([*order, room], n_rooms, doors)
            if whole is not None:
                return whole
    return None


def _centre(layout: GridLayout, room: int) -> int:
    states = layout.rooms[room]
    cells = layout.cells[states]
    return int(states[np.abs(cells - cells.mean(axis=0)).sum(axis=1).argmin()])


def _shortest_path(layout: GridLayout, here: int, there: int) -> list[int]:
    """Return the states after `here` up to `there`; of several moves that come nearer, the first in
    the order of actions.
    """
    left = layout.distances_from(there)
    path = []
    while here != there:
        here = int(layout.neighbours[here][left[layout.neighbours[here]].argmin()])
        path.append(here)
    return path
