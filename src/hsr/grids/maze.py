"""Generated layouts: random mazes, grids of rooms, and families of mazes to sample from."""

from collections.abc import Callable

import numpy as np

from hsr._base.arrays import BoolArray, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.seeds import Seed, generator_from
from hsr._base.validation import check_choice, check_count
from hsr.grids.layout import GridLayout
from hsr.grids.layout_text import check_cell_count
from hsr.kernels.grids import carve_maze

_EXTRA_DOORS = 0.15  # share of the inner walls of a loop maze, or of a grid of rooms, that open
_OBSTACLES = 0.2  # share of the cells of an open field
_ROOM = 4  # cells along the side of a room in a grid of rooms


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
        Draws the maze.

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


def sample_maze(family: str, size: int, *, seed: int) -> GridLayout:
    """Draw a maze of a family, to see whether a result holds beyond one maze.

    Parameters
    ----------
    family : {"trees", "loops", "four_rooms", "rooms", "fields"}
        - ``"trees"``: `random_maze`, with one path between any two cells;
        - ``"loops"``: such a maze with some inner walls opened;
        - ``"four_rooms"``: two walls that cross at a random place, with a random door in each arm;
        - ``"rooms"``: a grid of rooms of 4 x 4 cells with random doors;
        - ``"fields"``: an open field with random obstacles.
    size : int
        Rows and columns, with the border; at least 7.
    seed : int
        The same seed gives the same maze.

    Returns
    -------
    GridLayout
        Connected, without start and goals.

    Examples
    --------
    >>> import hsr
    >>> print(hsr.grids.sample_maze("four_rooms", 9, seed=3).to_text())
    #########
    #...#...#
    #.......#
    ##.##.###
    #...#...#
    #...#...#
    #.......#
    #...#...#
    #########
    """
    check_choice(family, MAZE_FAMILIES, "family")
    check_count(size, "size", least=7)
    # The family is part of the seed, so that families are independent at the same number.
    stream = (check_count(seed, "seed", least=0), size, list(MAZE_FAMILIES).index(family))
    walls = MAZE_FAMILIES[family](size, np.random.default_rng(stream))
    return GridLayout(walls, name=f"{family}_{size}_{seed}")


def _trees(size: int, rng: np.random.Generator) -> BoolArray:
    return random_maze(size, seed=rng).walls.copy()


def _loops(size: int, rng: np.random.Generator) -> BoolArray:
    walls = _trees(size, rng)
    row, col = np.nonzero(walls[1:-1, 1:-1])
    # A wall between two rooms of one cell lies on one even and one odd line.
    between = (row + col) % 2 == 1
    row, col = row[between] + 1, col[between] + 1
    opened = rng.random(row.size) < _EXTRA_DOORS
    walls[row[opened], col[opened]] = False
    return walls


def _four_rooms(size: int, rng: np.random.Generator) -> BoolArray:
    walls = _open(size)
    row, col = rng.integers(3, size - 3, size=2)
    walls[row], walls[:, col] = True, True
    walls[row, rng.integers(1, col)] = False
    walls[row, rng.integers(col + 1, size - 1)] = False
    walls[rng.integers(1, row), col] = False
    walls[rng.integers(row + 1, size - 1), col] = False
    return walls


def _rooms(size: int, rng: np.random.Generator) -> BoolArray:
    """Rooms are joined like the rooms of a random maze, and by some further doors."""
    n = max(2, (size - 1) // (_ROOM + 1))
    cuts = np.linspace(0, size - 1, n + 1).astype(int)
    walls = _open(size)
    walls[cuts], walls[:, cuts] = True, True
    plan = random_maze(2 * n + 1, seed=rng).walls
    for i in range(n):
        for j in range(n):
            inside = [
                (int(rng.integers(cuts[k] + 1, cuts[k + 1])), int(cuts[k + 1])) for k in (i, j)
            ]
            extra = rng.random(2) < _EXTRA_DOORS
            if j + 1 < n and (extra[0] or not plan[2 * i + 1, 2 * j + 2]):
                walls[inside[0][0], inside[1][1]] = False
            if i + 1 < n and (extra[1] or not plan[2 * i + 2, 2 * j + 1]):
                walls[inside[0][1], inside[1][0]] = False
    return walls


def _fields(size: int, rng: np.random.Generator) -> BoolArray:
    """Obstacles are placed one after another where they leave the field connected."""
    walls = _open(size)
    n_left = int(_OBSTACLES * (size - 2) ** 2)
    for cell in rng.permutation((size - 2) ** 2):
        if n_left == 0:
            break
        row, col = 1 + cell // (size - 2), 1 + cell % (size - 2)
        if _may_close(walls[row - 1 : row + 2, col - 1 : col + 2]):
            walls[row, col] = True
            n_left -= 1
    return walls


def _may_close(around: BoolArray) -> bool:
    """Return whether closing the centre of 3 x 3 cells cuts nothing off.

    It cuts nothing off if its open neighbours stay joined around it: on the ring of eight cells
    they lie in one run.
    """
    ring = ~around[[0, 0, 0, 1, 2, 2, 2, 1], [0, 1, 2, 2, 2, 1, 0, 0]]
    n_runs = int((ring & ~np.roll(ring, 1)).sum())
    return n_runs == 1 or bool(ring.all())


def _open(size: int) -> BoolArray:
    walls = np.ones((size, size), dtype=np.bool_)
    walls[1:-1, 1:-1] = False
    return walls


MAZE_FAMILIES: dict[str, Callable[[int, np.random.Generator], BoolArray]] = {
    "trees": _trees,
    "loops": _loops,
    "four_rooms": _four_rooms,
    "rooms": _rooms,
    "fields": _fields,
}
"""The families of mazes that `sample_maze` draws from, each with a function that draws walls."""
