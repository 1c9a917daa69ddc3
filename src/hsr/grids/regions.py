"""Rooms, bottlenecks and parts: how a map falls into pieces.

A cell is *narrow* when it is blocked (by a wall or the edge) on both sides along one axis and open
on both sides along the other: a door, or a place inside a one-cell corridor. The bottlenecks are
the narrow cells; the rooms are what is left when they are taken out, connected piece by connected
piece. The rule looks at walls alone, not at options or values, so it can serve as a yardstick for
both.

A *part* is a connected piece of the whole map. Pieces are numbered by their smallest state.
"""

import numpy as np

from hsr._base.arrays import BoolArray, Int32Array, IntArray, read_only
from hsr._base.errors import LayoutError
from hsr.kernels.components import label_components

_PARTS_NAMED = 4


def successor_table(state_grid: Int32Array) -> Int32Array:
    """Return the states that up, right, down and left lead to, of shape (S, 4); a bump stays put.

    Examples
    --------
    >>> successor_table(np.array([[0, 1]], dtype=np.int32)).tolist()
    [[0, 1, 0, 0], [1, 1, 1, 0]]
    """
    padded = np.pad(state_grid, 1, constant_values=-1)
    is_open = state_grid >= 0
    states = state_grid[is_open]
    sides = (padded[:-2, 1:-1], padded[1:-1, 2:], padded[2:, 1:-1], padded[1:-1, :-2])
    table = np.empty((states.size, len(sides)), dtype=np.int32)
    for action, side in enumerate(sides):
        successors = side[is_open]
        table[:, action] = np.where(successors < 0, states, successors)
    return table


def narrow_cells(neighbours: Int32Array) -> BoolArray:
    """Return which states are narrow, of shape (S,), from the successor table of shape (S, 4).

    Examples
    --------
    >>> corridor = np.array([[0, 1, 0, 0], [1, 2, 1, 0], [2, 2, 2, 1]], dtype=np.int32)
    >>> narrow_cells(corridor).tolist()
    [False, True, False]
    """
    blocked = neighbours == np.arange(len(neighbours), dtype=np.int32)[:, None]
    up, right, down, left = blocked.T
    narrow: BoolArray = (up & down & ~left & ~right) | (left & right & ~up & ~down)
    return narrow


def components(neighbours: Int32Array, member: BoolArray) -> tuple[IntArray, int]:
    """Return each state's connected component among the members, of shape (S,), -1 elsewhere, and
    their number.

    Examples
    --------
    >>> corridor = np.array([[0, 1, 0, 0], [1, 2, 1, 0], [2, 2, 2, 1]], dtype=np.int32)
    >>> labels, n = components(corridor, np.array([True, False, True]))
    >>> labels.tolist(), n
    ([0, -1, 1], 2)
    """
    labels, count = label_components(neighbours, member)
    return read_only(labels), int(count)


def states_by_label(labels: IntArray, n_labels: int) -> tuple[IntArray, ...]:
    """Return for each label the array of its states, in increasing order.

    Examples
    --------
    >>> [states.tolist() for states in states_by_label(np.array([1, 0, -1, 1]), 2)]
    [[1], [0, 3]]
    """
    order = read_only(np.argsort(labels, kind="stable"))
    bounds = np.searchsorted(labels[order], np.arange(n_labels + 1))
    return tuple(
        order[first:last]
        for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
    )


def check_one_part(
    part_of: IntArray, cells: IntArray, start: int | None, goals: tuple[int, ...]
) -> None:
    """Raise `LayoutError` unless every goal can be reached from the start, or from G1 where there is
    no start.
    """
    origin, name = (goals[0], "G1") if start is None else (start, "the start")
    for number, goal in enumerate(goals, start=1):
        if part_of[goal] != part_of[origin]:
            raise LayoutError(
                f"{_place(cells[goal])}: goal G{number} cannot be reached from {name} at {_place(cells[origin])}; "
                "expected all of them in one connected part"
            )


def parts_in_words(part_of: IntArray, cells: IntArray) -> str:
    """Return a sentence with the number of parts, and the size and first cell of the four largest.

    Examples
    --------
    >>> parts_in_words(np.array([0, 0, 1, 1]), np.array([[0, 0], [0, 1], [2, 3], [2, 4]]))
    'the map is in 2 parts with no way between them: 2 states at line 1, column 1; 2 states at line 3, column 4'
    """
    sizes = np.bincount(part_of)
    largest = np.argsort(-sizes, kind="stable")[:_PARTS_NAMED]
    firsts = [cells[np.argmax(part_of == part)] for part in largest]
    named = [
        f"{sizes[part]} states at {_place(first)}"
        for part, first in zip(largest, firsts, strict=True)
    ]
    rest = [f"{sizes.size - _PARTS_NAMED} more"] if sizes.size > _PARTS_NAMED else []
    return f"the map is in {sizes.size} parts with no way between them: {'; '.join(named + rest)}"


def _place(cell: IntArray) -> str:
    return f"line {cell[0] + 1}, column {cell[1] + 1}"
