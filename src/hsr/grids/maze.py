"""Maps of any size made by rule: random mazes, and regular grids of rooms.

A maze of r x c rooms is carved by recursive backtracking (a randomised depth-first search): rooms
lie at odd rows and columns, and a passage is opened to each room but the first when it is entered
for the first time. The open cells form a tree with 2rc - 1 states, so there is exactly one way
between any two of them, and it is long.

A grid of rooms is the four-rooms map continued: rectangular rooms, one door between neighbours.
Where the door sits depends on the room, because doors in the same place everywhere would make the
map symmetric, and a symmetric map has repeated eigenvalues whose eigenvectors (and so eigenoptions)
are not determined.
"""

import numpy as np

from hsr._base.arrays import IntArray
from hsr._base.errors import InputError
from hsr._base.seeds import Seed, generator_from
from hsr._base.validation import check_count
from hsr.grids.layout import GridLayout
from hsr.grids.layout_text import check_cell_count
from hsr.kernels.maze import carve_maze


def random_maze(size: int | tuple[int, int], seed: Seed) -> GridLayout:
    """Return a random maze; the same seed gives the same maze.

    Parameters
    ----------
    size : int or (int, int)
        Rows and columns of cells, border included, at least 3; n means n x n. Only odd rows and
        columns hold rooms, so 21 and 22 both give 10 x 10 of them (and an even size a border two
        cells thick below and on the right).
    seed : int or numpy Generator

    Returns
    -------
    GridLayout
        Without start and goals; it has 2rc - 1 states for r x c rooms.

    Raises
    ------
    InputError
        If a size is below 3, the maze would be too large, or there is no seed.

    Examples
    --------
    >>> print(random_maze((5, 9), seed=4).to_text())
    #########
    #.......#
    #.#####.#
    #.#.....#
    #########
    >>> random_maze(101, seed=0).n_states
    4999
    """
    n_rows, n_cols = _pair(size, "size", least=3)
    check_cell_count(n_rows, n_cols)
    generator = generator_from(seed)
    n_rooms = ((n_rows - 1) // 2) * ((n_cols - 1) // 2)
    walls = np.ones((n_rows, n_cols), dtype=np.bool_)
    start = int(generator.integers(n_rooms))
    carve_maze(walls, start, generator.integers(12, size=n_rooms, dtype=np.uint8))
    return GridLayout(walls, name=f"maze_{n_rows}x{n_cols}")


def room_grid(rooms: int | tuple[int, int], room_size: int | tuple[int, int]) -> GridLayout:
    """Return a grid of equal rectangular rooms, one door between neighbours; there is no chance in
    it.

    Parameters
    ----------
    rooms : int or (int, int)
        Rows and columns of rooms; n means n x n.
    room_size : int or (int, int)
        Rows and columns of cells in a room.

    Returns
    -------
    GridLayout
        Without start and goals; for R x C rooms of h x w cells it has RChw + R(C - 1) + (R - 1)C
        states.

    Raises
    ------
    InputError
        If a size is below 1, or the map would be too large.

    Notes
    -----
    Two square rooms with a single door each, as at the ends of one row of rooms, share an
    eigenvalue wherever their doors are: of the two equal modes of a square, one combination
    vanishes at the door. Give such rooms unequal sides.

    Examples
    --------
    >>> print(room_grid((2, 3), (2, 3)).to_text())
    #############
    #.......#...#
    #...#.......#
    ###.#.###.###
    #...#...#...#
    #...........#
    #############
    """
    n_down, n_across = _pair(rooms, "rooms", least=1)
    height, width = _pair(room_size, "room_size", least=1)
    n_rows, n_cols = n_down * (height + 1) + 1, n_across * (width + 1) + 1
    check_cell_count(n_rows, n_cols)
    walls = np.zeros((n_rows, n_cols), dtype=np.bool_)
    walls[:: height + 1] = True
    walls[:, :: width + 1] = True
    i, j = np.indices((n_down, n_across - 1)).reshape(2, -1)
    walls[i * (height + 1) + 1 + _door(i, j, 0, height), (j + 1) * (width + 1)] = False
    i, j = np.indices((n_down - 1, n_across)).reshape(2, -1)
    walls[(i + 1) * (height + 1), j * (width + 1) + 1 + _door(j, i, 2, width)] = False
    return GridLayout(walls, name=f"rooms_{n_down}x{n_across}_of_{height}x{width}")


def _door(along: IntArray, across: IntArray, first: int, length: int) -> IntArray:
    """Return where on its wall of `length` cells a door sits; squares and product keep rows and
    columns out of step.
    """
    offsets: IntArray = (
        first + along * along + 6 * across + 5 * across * across + 7 * along * across
    ) % length
    return offsets


def _pair(value: int | tuple[int, int], name: str, *, least: int) -> tuple[int, int]:
    """Return a number as a pair of equal numbers, and a pair as it is."""
    if not isinstance(value, (tuple, list)):
        number = check_count(value, name, least=least)
        return number, number
    if len(value) != 2:
        raise InputError(f"{name} is {value!r}; it must be an integer or a pair of them")
    return check_count(value[0], f"{name}[0]", least=least), check_count(
        value[1], f"{name}[1]", least=least
    )
