"""A population of mazes to draw from, because a finding in one maze is a finding about that maze.

Each family is a function of a size and a generator. `sample_maze` draws one maze of a family, and
the same family, size and seed always give the same maze.
"""

from collections.abc import Callable

import numpy as np

from hsr._base.arrays import BoolArray
from hsr._base.validation import check_choice, check_count
from hsr.grids.layout import GridLayout
from hsr.grids.maze import random_maze

_EXTRA_DOORS = 0.15  # share of the inner walls of a loop maze, or of a grid of rooms, that open
_OBSTACLES = 0.2  # share of the cells of an open field
_ROOM = 4  # cells along the side of a room in a grid of rooms


def sample_maze(family: str, size: int, *, seed: int) -> GridLayout:
    """Draw a maze of a family.

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
