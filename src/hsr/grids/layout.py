"""`GridLayout`: a map of walls and open cells, its states, and its geometry.

The open cells are the states, numbered row by row from 0; rows and columns are counted from 0 at
the top left. Four actions, in the order of `ACTION_NAMES`, lead one cell up, right, down or left;
against a wall or the edge the agent stays where it is. A layout has no rewards and no discount:
`grid_mdp` makes an MDP of it.

The text format is that of `hsr.grids.layout_text`; rooms and bottlenecks are defined in
`hsr.grids.regions`. What follows from the walls (successors, rooms, parts, …) is worked out when
first asked for and then kept, so a map of a million cells costs no more than what is used of it.
All arrays are read-only.
"""

import os
import warnings
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from hsr._base.arrays import BoolArray, Int32Array, IntArray, read_only
from hsr._base.errors import HSRWarning, InputError, LayoutError
from hsr._base.validation import check_count, check_index
from hsr.grids import distances, regions
from hsr.grids.layout_text import (
    Cell,
    check_cell_count,
    parse_layout,
    read_layout_file,
    write_layout,
)

ACTION_NAMES = ("up", "right", "down", "left")
_MOST_GOALS = 9


@dataclass(frozen=True, eq=False, repr=False)
class GridLayout:
    r"""A map of walls and open cells; usually made by `from_text`, `from_file`, `load_layout` or
    `random_maze`.

    Parameters
    ----------
    walls : bool array of shape (rows, cols), true at walls; copied
    start : int, optional
        The state where episodes begin.
    goals : tuple of int
        The states G1, G2, …, at most nine, in one connected part with the start.
    name : str

    Raises
    ------
    InputError
        If `walls` is not such an array, or a state is out of range or used twice.
    LayoutError
        If there is no open cell, or a goal cannot be reached.

    Examples
    --------
    >>> layout = GridLayout.from_text("S.#\n#.1")
    >>> layout
    GridLayout('map', 2 x 3, 4 states, start=0, goals=(3,))
    >>> layout.cells.tolist()
    [[0, 0], [0, 1], [1, 1], [1, 2]]
    >>> layout.neighbours[0].tolist()  # up, right, down, left of state 0
    [0, 1, 0, 0]
    """

    walls: BoolArray
    start: int | None = None
    goals: tuple[int, ...] = ()
    name: str = "map"

    def __post_init__(self) -> None:
        try:
            walls = np.array(self.walls)
        except ValueError:
            raise InputError(
                "walls cannot be read as an array; it must be a (rows, cols) bool array"
            ) from None
        if walls.ndim != 2 or walls.dtype != np.bool_:
            raise InputError(
                f"walls has shape {walls.shape} and type {walls.dtype}; it must be a (rows, cols) bool array"
            )
        check_cell_count(*walls.shape)
        if walls.all():
            raise LayoutError(
                f"every cell of the {walls.shape[0]} x {walls.shape[1]} map is a wall; expected an open cell"
            )
        object.__setattr__(self, "walls", read_only(walls))
        if self.start is not None:
            object.__setattr__(self, "start", check_index(self.start, self.n_states, "start"))
        goals = tuple(
            check_index(goal, self.n_states, f"goals[{i}]") for i, goal in enumerate(self.goals)
        )
        object.__setattr__(self, "goals", goals)
        if len(goals) > _MOST_GOALS or len({self.start, *goals}) <= len(goals):
            raise InputError(
                f"start is {self.start}, goals are {goals}; expected up to {_MOST_GOALS} goals, all different"
            )
        if goals:
            regions.check_one_part(self._part_labels[0], self.cells, self.start, goals)

    @classmethod
    def from_text(cls, text: str, name: str = "map") -> "GridLayout":
        r"""Read a map from its text: `#` wall, `.` or space open, `S` start, `1`–`9` goals.

        Raises
        ------
        LayoutError
            With the line and column of what is wrong. A map in several parts is accepted with an
            `HSRWarning`.

        Examples
        --------
        >>> GridLayout.from_text("#####\n#...#\n#####").n_states
        3
        """
        return cls._read(text, name, name)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> "GridLayout":
        """Read a map from a UTF-8 text file of at most 64 MiB; the layout is named after the file.

        Raises
        ------
        LayoutError
            With the path, and the line and column of what is wrong; also if there is no such file.

        Examples
        --------
        >>> GridLayout.from_file("no/such/map.txt")
        Traceback (most recent call last):
        hsr._base.errors.LayoutError: no/such/map.txt: there is no such file; expected a text file
        """
        try:
            text = read_layout_file(path)
        except LayoutError as error:
            raise LayoutError(f"{path}: {error}") from None
        return cls._read(text, Path(path).stem, str(path))

    @classmethod
    def _read(cls, text: str, name: str, source: str) -> "GridLayout":
        try:
            cells = parse_layout(text)
            states = np.cumsum(~cells.walls, dtype=np.int32).reshape(cells.walls.shape) - 1
            start = None if cells.start is None else int(states[cells.start])
            layout = cls(cells.walls, start, tuple(int(states[goal]) for goal in cells.goals), name)
        except LayoutError as error:
            raise LayoutError(f"{source}: {error}") from None
        part_of, n_parts = layout._part_labels
        if n_parts > 1:
            warnings.warn(
                f"{source}: {regions.parts_in_words(part_of, layout.cells)}",
                HSRWarning,
                stacklevel=3,
            )
        return layout

    def to_text(self) -> str:
        r"""Return the text that `from_text` reads back as the same map; open cells are written as
        `.`.

        Examples
        --------
        >>> print(GridLayout.from_text("S #\n# 1").to_text())
        S.#
        #.1
        """
        start = None if self.start is None else self.cell_of(self.start)
        return write_layout(self.walls, start, tuple(self.cell_of(goal) for goal in self.goals))

    @property
    def n_rows(self) -> int:
        """Number of rows of cells, walls included."""
        return int(self.walls.shape[0])

    @property
    def n_cols(self) -> int:
        """Number of columns of cells, walls included."""
        return int(self.walls.shape[1])

    @cached_property
    def n_states(self) -> int:
        """Number of open cells S."""
        return int(self.walls.size - np.count_nonzero(self.walls))

    @cached_property
    def cells(self) -> IntArray:
        """(row, column) of each state, of shape (S, 2)."""
        return read_only(np.argwhere(~self.walls))

    @cached_property
    def state_grid(self) -> Int32Array:
        """State of each cell, of shape (rows, cols), -1 at walls."""
        grid = np.full(self.walls.shape, -1, dtype=np.int32)
        grid[~self.walls] = np.arange(self.n_states, dtype=np.int32)
        return read_only(grid)

    @cached_property
    def neighbours(self) -> Int32Array:
        """State that each action leads to, of shape (S, 4), in the order of `ACTION_NAMES`."""
        return read_only(regions.successor_table(self.state_grid))

    def state_at(self, row: int, col: int) -> int:
        r"""Return the state of the cell in this row and column, or raise `InputError` at a wall or
        outside.

        Examples
        --------
        >>> GridLayout.from_text("..#\n#..").state_at(1, 2)
        3
        """
        i, j = check_count(row, "row", least=-(2**63)), check_count(col, "col", least=-(2**63))
        inside = 0 <= i < self.n_rows and 0 <= j < self.n_cols
        if not inside or self.walls[i, j]:
            what = "is a wall" if inside else "is outside"
            size = f"{self.n_rows} x {self.n_cols}"
            raise InputError(
                f"cell ({i}, {j}) {what}; expected an open cell of the {size} map {self.name!r}"
            )
        return int(self.state_grid[i, j])

    def cell_of(self, state: int) -> Cell:
        r"""Return the row and column of a state.

        Examples
        --------
        >>> GridLayout.from_text("..#\n#..").cell_of(3)
        (1, 2)
        """
        row, col = self.cells[check_index(state, self.n_states, "state")].tolist()
        return row, col

    @cached_property
    def bottlenecks(self) -> IntArray:
        """Narrow states: walled in on one axis and open on the other."""
        return read_only(np.flatnonzero(regions.narrow_cells(self.neighbours)))

    @cached_property
    def _room_labels(self) -> tuple[IntArray, int]:
        return regions.components(self.neighbours, ~regions.narrow_cells(self.neighbours))

    @property
    def room_of(self) -> IntArray:
        """Room of each state, of shape (S,), -1 in bottlenecks."""
        return self._room_labels[0]

    @cached_property
    def rooms(self) -> tuple[IntArray, ...]:
        """States of each room."""
        return regions.states_by_label(*self._room_labels)

    @cached_property
    def _part_labels(self) -> tuple[IntArray, int]:
        return regions.components(self.neighbours, np.ones(self.n_states, dtype=np.bool_))

    @cached_property
    def parts(self) -> tuple[IntArray, ...]:
        """States of each connected part."""
        return regions.states_by_label(*self._part_labels)

    def distances_from(self, state: int) -> Int32Array:
        r"""Return the fewest steps from `state` to every state, of shape (S,), -1 where there is no
        way.

        Examples
        --------
        >>> GridLayout.from_text("...\n.#.").distances_from(3).tolist()
        [1, 2, 3, 0, 4]
        """
        return distances.distances_from(self.neighbours, check_index(state, self.n_states, "state"))

    def diameter(self) -> int:
        r"""Return the largest distance between two states of one part, exactly.

        A few searches of O(S) on most maps, O(S^2) time at worst (a long ring); see
        `hsr.grids.distances`.

        Examples
        --------
        >>> GridLayout.from_text("...\n.#.").diameter()
        4
        """
        return distances.diameter(self.neighbours, self.parts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GridLayout):
            return NotImplemented
        return np.array_equal(self.walls, other.walls) and (self.start, self.goals) == (
            other.start,
            other.goals,
        )

    def __hash__(self) -> int:
        return hash((self.walls.shape, self.walls.tobytes(), self.start, self.goals))

    def __reduce__(self) -> tuple[Any, ...]:
        # Unpickled arrays come back writeable; building anew freezes them, and leaves out what can
        # be worked out again.
        return GridLayout, (self.walls, self.start, self.goals, self.name)

    def __repr__(self) -> str:
        return (
            f"GridLayout({self.name!r}, {self.n_rows} x {self.n_cols}, {self.n_states} states, "
            f"start={self.start}, goals={self.goals})"
        )
