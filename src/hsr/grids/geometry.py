"""Geometry of a layout: successors, rooms, bottlenecks, components, distances and diameter.

Components and rooms are numbered by their smallest state.
"""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from hsr._base.arrays import BoolArray, Int32Array, IntArray, read_only
from hsr._base.errors import LayoutError
from hsr.kernels.graph import breadth_first

_PARTS_NAMED = 4
_MIDDLES_TRIED = 9


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
    n = member.size
    edges = member[:, None] & member[neighbours]
    ends = np.nonzero(edges)[0], neighbours[edges]
    graph = sparse.csr_array((np.ones(ends[0].size), ends), shape=(n, n))
    labels = np.full(n, -1)
    numbers, labels[member] = np.unique(
        connected_components(graph, directed=False)[1][member], return_inverse=True
    )
    return read_only(labels), numbers.size


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


def distances_from(neighbours: Int32Array, state: int) -> Int32Array:
    """Return the number of steps from `state` to every state, of shape (S,).

    It is -1 where there is no path.

    Examples
    --------
    >>> distances_from(np.array([[1, 0], [2, 0], [2, 1], [3, 3]], dtype=np.int32), 0).tolist()
    [0, 1, 2, -1]
    """
    edges = np.arange(0, neighbours.size + 1, neighbours.shape[1]), neighbours.ravel()
    return breadth_first(*edges, int(state))


def diameter(neighbours: Int32Array, parts: tuple[IntArray, ...]) -> int:
    """Return the largest distance between two states of one component; moves must be reversible.

    A search from every state would take O(S^2) time. The fringe bound [crescenzi2013] is just as
    exact and often far cheaper. Search from a state u in the middle. Two states at most i steps
    from u are at most 2i steps apart. So go through the states from the farthest to the nearest,
    search from each, and stop when the largest distance found is at least 2i. Open grids and trees
    need a handful of searches. On a ring the bound is never reached, and most states are tried.

    Parameters
    ----------
    neighbours : int array of shape (S, A)
        The state that each action leads to.
    parts : tuple of int arrays
        The states of each connected component.

    Examples
    --------
    >>> diameter(np.array([[1, 0], [2, 0], [2, 1]], dtype=np.int32), (np.array([0, 1, 2]),))
    2
    """
    largest = 0
    for part in sorted(parts, key=len, reverse=True):
        if len(part) - 1 <= largest:
            break
        largest = max(largest, _part_diameter(neighbours, part))
    return largest


def _part_diameter(neighbours: Int32Array, part: IntArray) -> int:
    def search(state: int) -> Int32Array:
        return distances_from(neighbours, state)[part]

    from_one_end = search(part[search(part[0]).argmax()])
    largest = int(from_one_end.max())
    from_other_end = search(part[from_one_end.argmax()])
    halfway = part[(from_one_end == largest // 2) & (from_other_end == largest - largest // 2)]
    tried = halfway[np.linspace(0, halfway.size - 1, min(halfway.size, _MIDDLES_TRIED)).astype(int)]
    level = min((search(state) for state in tried), key=np.max)
    for k in np.argsort(-level, kind="stable"):
        if largest >= 2 * level[k]:
            break
        largest = max(largest, int(search(part[k]).max()))
    return largest


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


def describe_parts(part_of: IntArray, cells: IntArray) -> str:
    """Return a sentence with the number of components, and the size and place of the four largest.

    Examples
    --------
    >>> describe_parts(np.array([0, 0, 1, 1]), np.array([[0, 0], [0, 1], [2, 3], [2, 4]]))[:46]
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
