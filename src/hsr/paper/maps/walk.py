"""A closed walk through all rooms of a layout."""

from collections.abc import Mapping

import numpy as np

from hsr import InputError
from hsr._base.arrays import IntArray
from hsr.grids import GridLayout


def circular_walk(layout: GridLayout) -> IntArray:
    """Return the states (T,) of a walk through all rooms that ends where it began.

    The walk follows shortest paths between the centres of rooms and the doors between them. Rooms
    come in the first order, by their numbers, in which each has a door to the next and the last
    has a door to the first. Where there is no such order, as in rooms along a corridor, the walk
    goes from each room to the next by their numbers, and through some rooms more than once.

    Raises
    ------
    InputError
        If there are fewer than two rooms, or there is no path between two of them.
    """
    doors = _doors(layout)
    n_rooms = len(layout.rooms)
    if n_rooms < 2 or len(layout.parts) > 1:
        raise InputError(
            f"the layout {layout.name!r} has no closed walk through rooms: it has {n_rooms} rooms "
            f"in {len(layout.parts)} parts; at least two rooms in one part are needed"
        )
    order = _ring([0], n_rooms, doors) if n_rooms > 2 else None
    places = []
    if order is None:
        places = [_centre(layout, room) for room in range(n_rooms)]
    else:
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
    """Return the first order of all rooms that begins like this and closes, or None."""
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
    """Return the states after `here` up to `there`; among equally short paths, the first action."""
    left = layout.distances_from(there)
    path = []
    while here != there:
        here = int(layout.neighbours[here][left[layout.neighbours[here]].argmin()])
        path.append(here)
    return path
