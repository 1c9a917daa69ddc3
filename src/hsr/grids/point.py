"""A point that moves continuously through a layout: its moves, a log of them, and its exact map.

The position of the point is a row and a column, as real numbers. Cell (i, j) is the square
[i, i + 1) x [j, j + 1). An action moves the point in its direction by a length drawn uniformly from
[0, step]. As on the grid, a move that would end in a wall is not made.
"""

import os
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.seeds import Seed, generator_from
from hsr._base.validation import check_count, check_positive
from hsr.grids.layout import GridLayout
from hsr.grids.named import read_layout
from hsr.mdp.chain import MarkovChain, check_policy
from hsr.mdp.finite import FiniteMDP

_DIRECTIONS = np.array([(-1, 0), (0, 1), (1, 0), (0, -1)])  # in the order of ACTION_NAMES
_RESTART = 1000  # steps of one path in a log


def move_points(
    layout: GridLayout, positions: FloatArray, actions: IntArray, lengths: FloatArray
) -> FloatArray:
    """Return the positions of points after one move.

    Parameters
    ----------
    layout : GridLayout
        The layout.
    positions : array of shape (n, 2)
        Row and column of each point.
    actions : int array of shape (n,)
        Directions: 0 up, 1 right, 2 down, 3 left.
    lengths : array of shape (n,)
        How far each point moves, at most one cell.

    Examples
    --------
    Right by half a cell, and into a wall:

    >>> layout = GridLayout.from_text("..#")
    >>> move_points(layout, np.array([[0.5, 0.75], [0.5, 1.75]]), [1, 1], np.array([0.5, 0.5]))
    array([[0.5 , 1.25],
           [0.5 , 1.75]])
    """
    moved = positions + lengths[:, None] * _DIRECTIONS[actions]
    return np.where(_in_the_open(layout, np.floor(moved).astype(int))[:, None], moved, positions)


def point_xy(layout: GridLayout, positions: FloatArray) -> FloatArray:
    r"""Return the coordinates of positions, on the scale of `GridLayout.xy`, of shape (n, 2).

    Parameters
    ----------
    layout : GridLayout
        The layout.
    positions : array of shape (n, 2)
        Row and column of each point.

    Examples
    --------
    >>> layout = GridLayout.from_text("..#\n#..")
    >>> np.array_equal(point_xy(layout, layout.cells + 0.5), layout.xy())
    True
    """
    row, col = positions.T
    r, c = layout.walls.shape
    return np.stack([2 * col - c, r - 2 * row], axis=1) / max(r, c)


class PointLog(NamedTuple):
    """Steps of a point, as `hsr.deep.Observed` takes them: ``Observed(*log[:3])``.

    Parameters
    ----------
    observations, next_observations : arrays of shape (n, 2)
        Coordinates before and after each step, as `point_xy` returns them.
    actions : int array of shape (n,)
        The action of each step.
    cells : int array of shape (n, 2)
        The states of the layout in which the point is before and after each step.
    """

    observations: FloatArray
    actions: IntArray
    next_observations: FloatArray
    cells: IntArray


def point_log(
    layout: GridLayout | str | os.PathLike[str],
    n_steps: int,
    *,
    policy: Any = None,
    step: float = 1.0,
    seed: Seed = 0,
) -> PointLog:
    """Return steps of a point that follows a policy.

    It starts uniformly in the open cells, and again every 1000 steps.

    Parameters
    ----------
    layout : GridLayout, str or path
        The layout.
    n_steps : int
        The number of steps.
    policy : array of shape (S, 4), optional
        Probability of each action in each cell. Uniform by default.
    step : float in (0, 1]
        The longest step, in cells.
    seed : int or numpy.random.Generator
        Draws starts, actions and lengths.

    Examples
    --------
    >>> point_log("four_rooms", 5000).observations.shape
    (5000, 2)
    """
    layout, step = read_layout(layout), check_step(step)
    n, rng = check_count(n_steps, "n_steps"), generator_from(seed)
    chances = np.cumsum(_policy_of_cells(layout, policy), axis=1)
    n_paths = -(-n // _RESTART)
    at = layout.cells[rng.integers(layout.n_states, size=n_paths)] + rng.random((n_paths, 2))
    path, actions = [at], []
    for _ in range(min(n, _RESTART)):
        likely = chances[_state_at(layout, at)]
        drawn = (rng.random((n_paths, 1)) >= likely).sum(axis=1).clip(max=3)
        at = move_points(layout, at, drawn, rng.uniform(0.0, step, n_paths))
        path.append(at)
        actions.append(drawn)
    along = np.stack(path, axis=1)
    before, after = (part.reshape(-1, 2)[:n] for part in (along[:, :-1], along[:, 1:]))
    cells = np.stack([_state_at(layout, before), _state_at(layout, after)], axis=1)
    numbers = np.stack(actions, axis=1).reshape(-1)[:n]
    return PointLog(point_xy(layout, before), numbers, point_xy(layout, after), cells)


def point_mdp(
    layout: GridLayout | str | os.PathLike[str],
    n_parts: int = 4,
    *,
    step: float = 1.0,
    discount: float = 0.9,
) -> FiniteMDP:
    """Return the MDP of a point whose position is known up to a part of a cell.

    Every open cell consists of n_parts x n_parts squares, which are the states, row by row over the
    whole layout: those of a layout with walls ``np.kron(walls, np.ones((n_parts, n_parts)))``. From
    a square, the point moves as from its centre, and its exact end falls into one of the squares.

    Parameters
    ----------
    layout : GridLayout, str or path
        The layout.
    n_parts : int
        Squares along each side of a cell.
    step : float in (0, 1]
        The longest step, in cells.
    discount : float in [0, 0.99999]
        Discount per step.

    Examples
    --------
    In a single cell, a step of up to one cell to the right, from the left half:

    >>> point_mdp(GridLayout.from_text("."), 2).transition_of(1).toarray()[0]
    array([0.5, 0.5, 0. , 0. ])
    """
    layout, k = read_layout(layout), check_count(n_parts, "n_parts")
    fine, length = fine_layout(layout, k), check_step(step) * k
    here = np.arange(fine.n_states)
    # The end of a move is uniform on [0, length], and square m away from the centre is
    # [m - 1/2, m + 1/2].
    edges = np.clip(np.arange(int(length + 0.5) + 2) - 0.5, 0.0, length)
    matrices = []
    for direction in _DIRECTIONS:
        P = sparse.csr_array((here.size, here.size))
        for m, probability in enumerate(np.diff(edges) / length):
            there = fine.cells + m * direction
            to = np.where(_in_the_open(fine, there), _state_at(fine, there), here)
            P = P + sparse.csr_array((np.full(here.size, probability), (here, to)), P.shape)
        matrices.append(P)
    return FiniteMDP(matrices, discount)


class CellVisits(NamedTuple):
    """Visits of a point to cells.

    Parameters
    ----------
    map : array of shape (S, S)
        Discounted visits to each cell from each cell, where the point starts uniformly or in the
        middle.
    error : float
        Relative Frobenius distance from the map of squares twice as wide. It overestimates the
        error of `map`, which falls with the square of their width.
    """

    map: FloatArray
    error: float


def point_map(
    layout: GridLayout | str | os.PathLike[str],
    n_parts: int = 4,
    *,
    policy: Any = None,
    step: float = 1.0,
    discount: float = 0.9,
    from_middle: bool = False,
) -> CellVisits:
    """Return the successor representation of a point, between cells, and its error.

    It is computed with squares of 1 / n_parts and 1 / (2 n_parts) of a cell.

    Parameters
    ----------
    layout : GridLayout, str or path
        The layout.
    n_parts : int
        Squares along each side of a cell, in the coarser of two computations.
    policy : array of shape (S, 4), optional
        Probability of each action in each cell. Uniform by default.
    step : float in (0, 1]
        The longest step, in cells.
    discount : float in [0, 0.99999]
        Discount per step.
    from_middle : bool
        Whether the point starts in the middle of a cell, instead of anywhere in it.

    Examples
    --------
    >>> visits = point_map(GridLayout.from_text("..."), discount=0.8)
    >>> visits.map.sum(axis=1).round(6).tolist(), visits.error < 0.01
    ([5.0, 5.0, 5.0], True)
    """
    layout, coarse = read_layout(layout), check_count(n_parts, "n_parts")
    pi, maps = _policy_of_cells(layout, policy), []
    for k in (coarse, 2 * coarse):
        mdp = point_mdp(layout, k, step=step, discount=discount)
        squares = fine_layout(layout, k).cells
        cell = _state_at(layout, squares // k)
        within = np.eye(layout.n_states)[cell]
        off = np.abs(squares % k - (k - 1) / 2).max(axis=1)  # the middle is one square, or four
        start = within * np.where(from_middle, off < 1.0, 1.0)[:, None]
        visits = MarkovChain.from_policy(mdp, pi[cell]).occupancy(discount) @ within
        maps.append((start / start.sum(axis=0)).T @ visits)
    return CellVisits(maps[1], float(np.linalg.norm(maps[1] - maps[0]) / np.linalg.norm(maps[1])))


def fine_layout(layout: GridLayout, n_parts: int) -> GridLayout:
    """Return a layout whose cells are the squares of `point_mdp`."""
    return GridLayout(np.kron(layout.walls, np.ones((n_parts, n_parts), dtype=bool)))


def _in_the_open(layout: GridLayout, cells: IntArray) -> Any:
    """Return whether cells, (n, 2), are inside the grid and no walls."""
    padded = np.pad(layout.walls, 1, constant_values=True)
    row, col = np.clip(cells, -1, layout.walls.shape).T + 1
    return ~padded[row, col]


def _state_at(layout: GridLayout, positions: Any) -> IntArray:
    """Return the states of positions or cells, (n, 2). Outside the grid any number."""
    inside = np.clip(np.floor(positions).astype(int), 0, np.array(layout.walls.shape) - 1)
    states: IntArray = layout.state_grid[tuple(inside.T)].astype(np.int64)
    return states


def _policy_of_cells(layout: GridLayout, policy: Any) -> FloatArray:
    mdp = FiniteMDP.from_successors(layout.neighbours, 0.0)
    return check_policy(mdp, policy)


def check_step(step: float) -> float:
    """Return the longest step of a point, or raise `InputError`."""
    if check_positive(step, "step") > 1.0:
        raise InputError(f"step is {step:.6g}; it must lie in (0, 1], so that no wall is skipped")
    return float(step)
