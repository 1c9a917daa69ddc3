"""Loops over grids: carve a random maze, and move many copies of a grid environment.

The random numbers of environments are those of `hsr.envs.random_stream`.
"""

import numpy as np
from numpy.typing import NDArray

from hsr._base.arrays import BoolArray
from hsr._base.compiled import compiled


@compiled
def carve_maze(walls: BoolArray, start: int, draws: NDArray[np.uint8]) -> None:
    """Carve a maze into `walls` (rows, cols), all true on entry.

    The maze joins the cells with odd row and column by a depth-first walk:

    1. List the neighbours of the cell on top of the stack that were not entered yet.
    2. If there are none, step back.
    3. Otherwise draw one of them, break the wall, and enter it.

    Every cell is entered once, so `draws` (number of cells,) holds one number in 0..11 for each. As
    12 is a multiple of 1, 2, 3 and 4, the remainder draws uniformly among that many neighbours.
    """
    n_rows, n_cols = (walls.shape[0] - 1) // 2, (walls.shape[1] - 1) // 2
    stack = np.empty(n_rows * n_cols, dtype=np.int64)
    row_steps = np.array([-1, 0, 1, 0])
    col_steps = np.array([0, 1, 0, -1])
    ways = np.empty(4, dtype=np.int64)
    stack[0] = start
    depth, entered = 1, 1
    walls[2 * (start // n_cols) + 1, 2 * (start % n_cols) + 1] = False
    while depth > 0:
        row, col = stack[depth - 1] // n_cols, stack[depth - 1] % n_cols
        # 1. List the neighbours.
        n_ways = 0
        for way in range(4):
            i, j = row + row_steps[way], col + col_steps[way]
            if 0 <= i < n_rows and 0 <= j < n_cols and walls[2 * i + 1, 2 * j + 1]:
                ways[n_ways] = way
                n_ways += 1
        # 2. Step back.
        if n_ways == 0:
            depth -= 1
            continue
        # 3. Break a wall and enter.
        way = ways[draws[entered] % n_ways]
        i, j = row + row_steps[way], col + col_steps[way]
        walls[row + i + 1, col + j + 1] = False
        walls[2 * i + 1, 2 * j + 1] = False
        stack[depth] = i * n_cols + j
        depth += 1
        entered += 1


@compiled
def numbers_ahead(stream):
    """Return the streams (n,) of all copies after one more number, and that number in [0, 1)."""
    ahead = stream + np.uint64(0x9E3779B97F4A7C15)
    z = (ahead ^ (ahead >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return ahead, (z >> np.uint64(11)).astype(np.float64) * 2.0**-53


@compiled
def restart(which, starts, stream, state, elapsed):
    """Begin an episode in the copies where `which` (n,) is true.

    One number is drawn for each of them if there are several starts.
    """
    ahead, u = numbers_ahead(stream)
    for i in range(state.size):
        if which[i]:
            first = 0
            if starts.size > 1:
                first = int(u[i] * starts.size)
                stream[i] = ahead[i]
            state[i] = starts[first]
            elapsed[i] = 0


@compiled
def step_all(
    actions,
    ended,
    neighbours,
    paid,
    terminal,
    slip,
    limit,
    stream,
    state,
    elapsed,
    reward,
    terminated,
    truncated,
):
    """Move every copy that has not ended; write its reward and whether its episode is over.

    All arrays but `neighbours` (S, 4), `paid` (S, 1 or 4, 4) and `terminal` (S,) have shape (n,).
    `paid` is what a move pays by state, action and direction; with one action in the table, the
    direction alone matters. One number is drawn per move if moves slip.
    `limit` is the number of steps after which an episode is truncated, -1 for none.
    """
    ahead, u = numbers_ahead(stream)
    for i in range(state.size):
        reward[i] = 0.0
        terminated[i] = False
        truncated[i] = False
        if ended[i]:
            continue
        s, a = state[i], actions[i]
        chosen = min(a, paid.shape[1] - 1)
        if slip > 0.0:
            stream[i] = ahead[i]
            if u[i] < slip:
                a = (a + 1 + int(u[i] / slip * 3)) % 4
        state[i] = neighbours[s, a]
        elapsed[i] += 1
        reward[i] = paid[s, chosen, a]
        terminated[i] = terminal[state[i]]
        truncated[i] = elapsed[i] == limit
