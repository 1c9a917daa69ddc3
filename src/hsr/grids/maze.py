"""Layouts of any size made by a rule: random mazes, and regular grids of rooms."""

import numpy as np

from hsr._base.arrays import IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.seeds import Seed, generator_from
from hsr._base.validation import check_count
from hsr.grids.layout import GridLayout
from hsr.grids.layout_text import check_cell_count
from hsr.kernels.maze import carve_maze


def random_maze(size: int | tuple[int, int], seed: Seed) -> GridLayout:
    """Return a random maze. The same seed gives the same maze.

    The maze is carved by recursive backtracking, a randomised depth-first search. Rooms of one cell
    lie at odd rows and columns, and a passage is opened to each room when it is first entered. The
    open cells form a tree, so that there is exactly one path between any two of them, and it is
    long.

    Parameters
    ----------
    size : int or (int, int)
        Rows and columns of cells, including the border, at least 3. An integer n means n x n. Only
        odd rows and columns hold rooms, so that 21 and 22 both give 10 x 10 rooms. An even size has
        a border two cells thick at the bottom and on the right.
    seed : int or numpy Generator
        Where random numbers come from.

    Returns
    -------
    GridLayout
        Without start and goals. It has 2rc - 1 states for r x c rooms.

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
    """Return a grid of equal rectangular rooms, with one door between neighbours.

    This extends the four-rooms maze to any size. The position of a door depends on its room. If all
    doors were in the same place, the layout would be symmetric. A symmetric layout has repeated
    eigenvalues, whose eigenvectors, and therefore eigenoptions, are not unique.

    Parameters
    ----------
    rooms : int or (int, int)
        Rows and columns of rooms. An integer n means n x n.
    room_size : int or (int, int)
        Rows and columns of cells in a room.

    Returns
    -------
    GridLayout
        Without start and goals. For R x C rooms of h x w cells it has RChw + R(C - 1) + (R - 1)C
        states.

    Raises
    ------
    InputError
        If a size is below 1, or the layout would be too large.

    Notes
    -----
    Two square rooms with a single door each, such as those at the ends of one row of rooms, share
    an eigenvalue wherever their doors are. The reason is that a combination of the two equal modes
    of a square vanishes at the door. Give such rooms unequal sides.

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
    """Return the position of a door on its wall of `length` cells.

    Squares and products make rows and columns of doors differ.
    """
    offsets: IntArray = (
        first + along * along + 6 * across + 5 * across * across + 7 * along * across
    ) % length
    return offsets


def _pair(value: int | tuple[int, int], name: str, *, least: int) -> tuple[int, int]:
    """Return an integer as a pair of equal integers, and a pair as it is."""
    if not isinstance(value, (tuple, list)):
        number = check_count(value, name, least=least)
        return number, number
    if len(value) != 2:
        raise InputError(f"{name} is {short_repr(value)}; it must be an integer or a pair of them")
    return check_count(value[0], f"{name}[0]", least=least), check_count(
        value[1], f"{name}[1]", least=least
    )
