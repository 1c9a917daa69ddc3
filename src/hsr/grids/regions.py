"""Rooms, bottlenecks and connected components of a layout, from its successors alone.

Components and rooms are numbered by their smallest state.
"""

import numpy as np

from hsr._base.arrays import BoolArray, Int32Array, IntArray, read_only
from hsr._base.errors import LayoutError
from hsr.kernels.graph import label_components

_PARTS_NAMED = 4


def successor_table(state_grid: Int32Array) -> Int32Array:
    """Return the states that up, right, down and left lead to, of shape (S, 4).

    A blocked move leads to the state itself.

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
    """Return which states are narrow, of shape (S,), from a successor table of shape (S, 4).

    A state is narrow if it is blocked on both sides along one axis and open on both sides along the
    other.

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
    """Return the connected component of each member, of shape (S,), and the number of components.

    States that are not members have component -1.

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
    """Return the states of each label, in increasing order.

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
    """Raise `LayoutError` unless every goal can be reached from the start, or from G1."""
    origin, name = (goals[0], "G1") if start is None else (start, "the start")
    for number, goal in enumerate(goals, start=1):
        if part_of[goal] != part_of[origin]:
            raise LayoutError(
                f"{_place(cells[goal])}: goal G{number} cannot be reached from {name} "
                f"at {_place(cells[origin])}; expected all of them in one connected part"
            )


def parts_in_words(part_of: IntArray, cells: IntArray) -> str:
    """Return a sentence with the number of components, and the size and place of the four largest.

    Examples
    --------
    >>> parts_in_words(np.array([0, 0, 1, 1]), np.array([[0, 0], [0, 1], [2, 3], [2, 4]]))[:46]
    'the open cells form 2 parts that are not conne'
    """
    sizes = np.bincount(part_of)
    largest = np.argsort(-sizes, kind="stable")[:_PARTS_NAMED]
    firsts = [cells[np.argmax(part_of == part)] for part in largest]
    named = [
        f"{sizes[part]} states at {_place(first)}"
        for part, first in zip(largest, firsts, strict=True)
    ]
    rest = [f"{sizes.size - _PARTS_NAMED} more"] if sizes.size > _PARTS_NAMED else []
    pieces = "; ".join(named + rest)
    return f"the open cells form {sizes.size} parts that are not connected: {pieces}"


def _place(cell: IntArray) -> str:
    return f"line {cell[0] + 1}, column {cell[1] + 1}"
