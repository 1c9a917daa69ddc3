"""Layouts: walls and open cells, their states and their geometry."""

import os
import warnings
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, Int32Array, IntArray, read_only
from hsr._base.errors import HSRWarning, InputError, LayoutError, short_repr
from hsr._base.extras import needs
from hsr._base.validation import check_count, check_index, check_indices, is_list
from hsr.grids import geometry
from hsr.grids.layout_text import (
    Cell,
    check_cell_count,
    parse_layout,
    read_layout_file,
    write_layout,
)
from hsr.grids.pictures import GridPainter, Pixels

ACTION_NAMES = ("up", "right", "down", "left")
_MOST_GOALS = 9


@dataclass(frozen=True, eq=False, repr=False)
class GridLayout:
    r"""A layout of walls and open cells, with an optional start and goals.

    The open cells are the states, numbered row by row from 0. Rows and columns are counted from 0
    at the top left. Four actions lead one cell up, right, down or left, in this order. A move into
    a wall or off the grid leaves the state unchanged. A layout has no rewards and no discount:
    `grid_mdp` makes an MDP of it.

    A layout is usually made by `from_text`, `from_file`, `load_layout` or `random_maze`. Its
    successors, rooms and other geometry are computed when first used and then kept, so that a large
    layout costs no more than what is used of it. All arrays are read-only.

    Parameters
    ----------
    walls : bool array of shape (rows, cols)
        True at walls. The array is copied.
    start : int, optional
        The state in which episodes start.
    goals : tuple of int
        The states G1, G2 and so on, at most nine. Start and goals must be connected.
    name : str
        The name of the layout in messages and figures.

    Attributes
    ----------
    n_rows, n_cols, n_states : int
        Numbers of rows, columns and open cells.
    cells : int array of shape (S, 2)
        Row and column of each state.
    state_grid : int array of shape (rows, cols)
        State of each cell, -1 at walls.
    neighbours : int array of shape (S, 4)
        State that each action leads to.
    bottlenecks : int array
        The narrow states, such as doors.
    rooms : tuple of int arrays
        The states of each room.
    room_of : int array of shape (S,)
        The room of each state, -1 in bottlenecks.
    parts : tuple of int arrays
        The states of each connected component.

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
    GridLayout('layout', 2 x 3, 4 states, start=0, goals=(3,))
    >>> layout.cells.tolist()
    [[0, 0], [0, 1], [1, 1], [1, 2]]
    >>> layout.neighbours[0].tolist()  # up, right, down, left of state 0
    [0, 1, 0, 0]
    """

    walls: BoolArray
    start: int | None = None
    goals: tuple[int, ...] = ()
    name: str = "layout"

    def __post_init__(self) -> None:
        try:
            walls = np.array(self.walls)
        except ValueError:
            raise InputError(
                "walls cannot be read as an array; it must be a (rows, cols) bool array"
            ) from None
        if walls.ndim != 2 or walls.dtype != np.bool_:
            raise InputError(
                f"walls has shape {walls.shape} and type {walls.dtype}; "
                "it must be a (rows, cols) bool array"
            )
        check_cell_count(*walls.shape)
        if walls.all():
            raise LayoutError(
                f"every cell of the {walls.shape[0]} x {walls.shape[1]} layout is a wall; "
                "expected an open cell"
            )
        object.__setattr__(self, "walls", read_only(walls))
        if self.start is not None:
            object.__setattr__(self, "start", check_index(self.start, self.n_states, "start"))
        if not is_list(self.goals):
            raise InputError(f"goals is {short_repr(self.goals)}; it must be a list of states")
        goals = tuple(
            check_index(goal, self.n_states, f"goals[{i}]") for i, goal in enumerate(self.goals)
        )
        object.__setattr__(self, "goals", goals)
        if len(goals) > _MOST_GOALS or len({self.start, *goals}) <= len(goals):
            raise InputError(
                f"start is {self.start}, goals are {goals}; "
                f"expected up to {_MOST_GOALS} goals, all different"
            )
        if goals:
            geometry.check_one_part(self._part_labels[0], self.cells, self.start, goals)

    @classmethod
    def from_text(cls, text: str, name: str = "layout") -> "GridLayout":
        r"""Read a layout from text, one character per cell.

        - `#` is a wall.
        - `.` or a space is open.
        - `S` is open and the start. There is at most one.
        - `1` to `9` are open and the goals G1 to G9. They are numbered without a gap.

        Every line has the same number of characters. Trailing spaces and trailing blank lines are
        ignored, so write `.` where such cells should be open. Windows line ends and a byte-order
        mark are accepted.

        Parameters
        ----------
        text : str
            The lines of the layout.
        name : str
            The name of the layout.

        Raises
        ------
        LayoutError
            With the line and column, both counted from 1, of the first error.

        Warns
        -----
        HSRWarning
            If the open cells are not all connected.

        Examples
        --------
        >>> GridLayout.from_text("#####\n#...#\n#####").n_states
        3
        """
        return cls._read(text, name, name)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> "GridLayout":
        """Read a layout from a UTF-8 text file of at most 64 MiB.

        The format is that of `from_text`. The layout is named after the file.

        Parameters
        ----------
        path : str or path
            The text file.

        Raises
        ------
        LayoutError
            With the path, and the line and column of the first error. Also if there is no such
            file.

        Examples
        --------
        >>> GridLayout.from_file("no/such/maze.txt")
        Traceback (most recent call last):
        hsr._base.errors.LayoutError: no/such/maze.txt: there is no such file; expected a text file
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
                f"{source}: {geometry.describe_parts(part_of, layout.cells)}",
                HSRWarning,
                stacklevel=3,
            )
        return layout

    def to_text(self) -> str:
        r"""Return the text that `from_text` reads back as the same layout.

        Open cells are written as `.`.

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
        """Number of rows of cells, including walls."""
        return int(self.walls.shape[0])

    @property
    def n_cols(self) -> int:
        """Number of columns of cells, including walls."""
        return int(self.walls.shape[1])

    @cached_property
    def n_states(self) -> int:
        """Number of open cells S."""
        return int(self.walls.size - np.count_nonzero(self.walls))

    @cached_property
    def cells(self) -> IntArray:
        """Row and column of each state, of shape (S, 2)."""
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
        return read_only(geometry.successor_table(self.state_grid))

    def state_at(self, row: int, col: int) -> int:
        r"""Return the state of a cell, or raise `InputError` if it is a wall or outside the grid.

        Parameters
        ----------
        row, col : int
            The cell, counted from 0 at the top left.

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
                f"cell ({i}, {j}) {what}; expected an open cell of the {size} layout {self.name!r}"
            )
        return int(self.state_grid[i, j])

    def cell_of(self, state: int) -> Cell:
        r"""Return the row and column of a state.

        Parameters
        ----------
        state : int
            The number of the state.

        Examples
        --------
        >>> GridLayout.from_text("..#\n#..").cell_of(3)
        (1, 2)
        """
        row, col = self.cells[check_index(state, self.n_states, "state")].tolist()
        return row, col

    def xy(self, states: Any = None) -> FloatArray:
        r"""Return the coordinates of states, scaled to [-1, 1], of shape (n, 2).

        The origin is the middle of the grid. x grows with the column to the right, y grows upwards
        and falls with the row. Both have the same scale, so that distances keep their proportions:
        the outer edges of the longer side lie at -1 and 1. With r rows, c columns and n = max(r,
        c), the cell (row, col) has

            x = (2 col + 1 - c) / n,        y = (r - 1 - 2 row) / n.

        Parameters
        ----------
        states : list of int, optional
            The states. All of them by default.

        Examples
        --------
        >>> GridLayout.from_text("..#\n#..").xy([0, 3]).round(3).tolist()
        [[-0.667, 0.333], [0.667, -0.333]]
        """
        row, col = self._cells_of(states).T
        r, c = self.walls.shape
        return np.stack([2 * col + 1 - c, r - 1 - 2 * row], axis=1) / max(r, c)

    def pixels(self, states: Any = None, *, cell_size: int = 2, goal: Any = None) -> Pixels:
        r"""Return one RGB picture per state, of shape (n, rows * cell_size, cols * cell_size, 3).

        Walls are dark grey (61, 61, 61), open cells white, the goal green (0, 158, 115) and the
        agent blue (0, 114, 178), as in the pictures of `GridWorld`. In cells of less than 4 pixels
        agent and goal fill the cell. In larger ones they are a disc and a rounded square with
        smooth edges. The agent is drawn over the goal. The same arguments always give the same
        bytes.

        Parameters
        ----------
        states : list of int, optional
            The states in which the agent is drawn. All of them by default, so that row s is the
            observation of state s.
        cell_size : int
            Height and width of a cell in pixels.
        goal : int or list of int, optional
            The state of the goal, or of several. No goal is drawn by default.

        Returns
        -------
        uint8 array of shape (n, rows * cell_size, cols * cell_size, 3)
            The pictures.

        Raises
        ------
        InputError
            If a state or the goal is out of range, or the cell size is not a positive integer.
        TooLargeError
            If the pictures do not fit in memory.

        Examples
        --------
        >>> layout = GridLayout.from_text("..#\n#..")
        >>> pictures = layout.pixels(cell_size=1, goal=3)
        >>> pictures.shape
        (4, 2, 3, 3)
        >>> pictures[0, :, :, 0]  # red: agent 0, open 255, wall 61, goal 0
        array([[  0, 255,  61],
               [ 61, 255,   0]], dtype=uint8)
        """
        size = check_count(cell_size, "cell_size")
        if goal is not None and not is_list(goal):
            goal = [check_index(goal, self.n_states, "goal")]
        goals = check_indices([] if goal is None else goal, self.n_states, "goal")
        return GridPainter(self.walls, self.cells[goals], size).paint(self._cells_of(states))

    def to_minigrid(
        self, *, goal: int | None = None, start: int | None = None, **settings: Any
    ) -> Any:
        r"""Return this layout as a MiniGrid environment, which `from_minigrid` can read.

        Parameters
        ----------
        goal : int, optional
            The state of the goal. The first goal of the layout by default. Without one there is no
            goal.
        start : int, optional
            The state in which episodes start, looking right. The start of the layout by default.
            Without one, position and heading are drawn at each reset.
        **settings
            Settings of ``minigrid.minigrid_env.MiniGridEnv``, such as ``max_steps``,
            ``agent_view_size``, ``highlight`` or ``render_mode``.

        Returns
        -------
        MiniGridEnv
            With the attribute `layout`, and the method ``state_at(x, y)``, the state of the layout
            in a cell of MiniGrid. A layout that is open at its border is surrounded by walls.

        Raises
        ------
        InputError
            If a state is out of range, or the extra ``minigrid`` is not installed.

        Examples
        --------
        >>> import hsr
        >>> env = GridLayout.from_text("#####\n#S.1#\n#####").to_minigrid()
        >>> mdp = hsr.from_minigrid(env, discount=0.9)
        >>> mdp.labels[0], env.state_at(*mdp.labels[0][:2])
        ((1, 1, 'right'), 0)
        """
        needs("minigrid", "GridLayout.to_minigrid")
        from hsr.envs.minigrid_layout import LayoutMiniGrid

        return LayoutMiniGrid(self, goal, start, **settings)

    def _cells_of(self, states: Any) -> IntArray:
        """Return row and column of some states, or of all."""
        if states is None:
            return self.cells
        return self.cells[check_indices(states, self.n_states, "states")]

    @cached_property
    def bottlenecks(self) -> IntArray:
        """Narrow states, such as doors and cells of one-cell corridors.

        They are blocked on both sides along one axis and open on both sides along the other. The
        rule looks at walls alone, not at options or values, so that it can serve as a reference for
        both.
        """
        return read_only(np.flatnonzero(geometry.narrow_cells(self.neighbours)))

    @cached_property
    def _room_labels(self) -> tuple[IntArray, int]:
        return geometry.components(self.neighbours, ~geometry.narrow_cells(self.neighbours))

    @property
    def room_of(self) -> IntArray:
        """Room of each state, of shape (S,), -1 in bottlenecks."""
        return self._room_labels[0]

    @cached_property
    def rooms(self) -> tuple[IntArray, ...]:
        """States of each room: the connected components that remain without the bottlenecks."""
        return geometry.states_by_label(*self._room_labels)

    @cached_property
    def _part_labels(self) -> tuple[IntArray, int]:
        return geometry.components(self.neighbours, np.ones(self.n_states, dtype=np.bool_))

    @cached_property
    def parts(self) -> tuple[IntArray, ...]:
        """States of each connected component of the layout, ordered by their first state."""
        return geometry.states_by_label(*self._part_labels)

    def distances_from(self, state: int) -> Int32Array:
        r"""Return the smallest number of steps from `state` to every state, of shape (S,).

        It is -1 where there is no path.

        Parameters
        ----------
        state : int
            The state from which distances are measured.

        Examples
        --------
        >>> GridLayout.from_text("...\n.#.").distances_from(3).tolist()
        [1, 2, 3, 0, 4]
        """
        return geometry.distances_from(self.neighbours, check_index(state, self.n_states, "state"))

    def diameter(self) -> int:
        r"""Return the largest distance between two connected states, exactly.

        Most layouts take a few searches of O(S) each. The worst case, a long ring, takes O(S^2).

        Examples
        --------
        >>> GridLayout.from_text("...\n.#.").diameter()
        4
        """
        return geometry.diameter(self.neighbours, self.parts)

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
        # Unpickled arrays are writeable; the constructor freezes them. What can be computed again
        # is left out.
        return GridLayout, (self.walls, self.start, self.goals, self.name)

    def __repr__(self) -> str:
        return (
            f"GridLayout({self.name!r}, {self.n_rows} x {self.n_cols}, {self.n_states} states, "
            f"start={self.start}, goals={self.goals})"
        )
