"""Logs of a point mass in a maze, and the MDPs that are estimated from them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, IntArray, read_only
from hsr._base.errors import InputError
from hsr._base.shown import shown
from hsr._base.validation import LARGEST_INTEGER, check_array, check_indices, shape_of
from hsr.adapters.positions import from_positions
from hsr.adapters.transitions import from_transitions
from hsr.grids.layout import ACTION_NAMES, GridLayout
from hsr.mdp.estimated import EstimatedMDP


@dataclass(frozen=True, eq=False)
class PointMazeLog:
    """Steps of a point mass in the maze of a layout; `PointMaze` collects them.

    A step is a macro step of `PointMaze.collect`, with one of the four actions of the grid, or a
    single step of the simulation of `PointMaze.wander`, with a force.

    Parameters
    ----------
    layout : GridLayout
        The layout.
    observations, next_observations : float array of shape (n, 4)
        Position (x, y) and velocity before and after each step.
    actions : int array of shape (n,), or float array of shape (n, 2)
        The action of each macro step, or the force of each single step.
    durations : int array of shape (n,)
        The number of steps of the simulation that each step took.
    episodes : int array of shape (n,)
        The episode of each step.

    Attributes
    ----------
    states, next_states : int array of shape (n,)
        The state of the layout before and after each step.

    Raises
    ------
    InputError
        If an array has another shape or another kind of entries.

    Examples
    --------
    >>> import numpy as np, hsr
    >>> layout = hsr.GridLayout.from_text("..")
    >>> here, there = np.array([[-0.5, 0.0, 0.0, 0.0]]), np.array([[0.4, 0.0, 0.0, 0.0]])
    >>> right, one = np.array([1]), np.array([1])
    >>> log = hsr.PointMazeLog(layout, here, right, there, durations=40 * one, episodes=0 * one)
    >>> log.states, log.next_states, log.failures
    (array([0]), array([1]), 0.0)
    """

    layout: GridLayout
    observations: FloatArray
    actions: Any
    next_observations: FloatArray
    durations: IntArray
    episodes: IntArray

    def __post_init__(self) -> None:
        if not isinstance(self.layout, GridLayout):
            raise InputError(f"layout is {shown(self.layout)}; it must be a GridLayout")
        before = check_array(self.observations, (None, 4), "observations")
        n = len(before)
        after = check_array(self.next_observations, (n, 4), "next_observations")
        counts = {
            name: check_indices(getattr(self, name), LARGEST_INTEGER, name)
            for name in ("durations", "episodes")
        }
        actions = (
            check_array(self.actions, (n, 2), "actions")
            if len(shape_of(self.actions) or ()) == 2
            else check_indices(self.actions, len(ACTION_NAMES), "actions")
        )
        checked = {"observations": before, "next_observations": after, "actions": actions, **counts}
        for name, array in checked.items():
            if len(array) != n:
                raise InputError(f"{name} has {len(array)} entries; the log has {n} steps")
            object.__setattr__(self, name, read_only(np.array(array)))

    @cached_property
    def states(self) -> IntArray:
        """The state before each step, -1 where the position is in no open cell."""
        return read_only(states_of(self.layout, self.observations[:, :2]))

    @cached_property
    def next_states(self) -> IntArray:
        """The state after each step, -1 where the position is in no open cell."""
        return read_only(states_of(self.layout, self.next_observations[:, :2]))

    @property
    def failures(self) -> float:
        """The fraction of macro steps that did not lead where the same move leads in the grid.

        It is nan for single steps, which have no counterpart in the grid.
        """
        if self.actions.ndim != 1:
            return float("nan")
        meant = self.layout.neighbours[self.states, self.actions]
        return float(np.mean(self.next_states != meant))

    def mdp(self, discount: float = 0.9, *, missing: str = "stay") -> EstimatedMDP:
        """Return the MDP that is estimated from the log.

        The states are those of the layout, in its order. A cell does not determine position and
        velocity, so that the process on cells is only approximately Markov. The estimate holds for
        the behaviour that made the log.

        Parameters
        ----------
        discount : float in [0, 1)
            Discount per macro step, or per move between cells.
        missing : {"error", "stay", "others", "drop"}
            What an action does where it was never tried, as in `from_transitions`. Not used for
            single steps.

        Returns
        -------
        EstimatedMDP
            Of macro steps: the frequencies of their outcomes, by `from_transitions`. Of single
            steps: the `TrackedMDP` of the path, by `from_positions`, whose actions are moves
            between neighbouring cells. There y grows downwards, with the rows of the layout.
        """
        if self.actions.ndim == 1:
            steps = zip(
                self.states.tolist(), self.actions.tolist(), self.next_states.tolist(), strict=True
            )
            named = ((s, ACTION_NAMES[a], t) for s, a, t in steps)
            states = range(self.layout.n_states)
            return from_transitions(
                named, discount, missing=missing, states=states, actions=ACTION_NAMES
            )
        last = np.append(np.diff(self.episodes) != 0, True)
        # Each episode has one position more than it has steps.
        xy = np.insert(
            self.observations[:, :2],
            np.flatnonzero(last) + 1,
            self.next_observations[last, :2],
            axis=0,
        )
        trials = np.insert(self.episodes, np.flatnonzero(last) + 1, self.episodes[last])
        half = 0.5 * np.array([self.layout.n_cols, self.layout.n_rows])
        extent = (-half[0], half[0], -half[1], half[1])
        return from_positions(
            xy * [1.0, -1.0], layout=self.layout, trials=trials, extent=extent, discount=discount
        )


def states_of(layout: GridLayout, xy: FloatArray) -> IntArray:
    """Return the state of each position, -1 in walls and outside, of shape (n,).

    Parameters
    ----------
    layout : GridLayout
        The layout. Its middle is the origin, its cells have size 1, and y grows upwards.
    xy : float array of shape (n, 2)
        The positions.
    """
    rows, cols = layout.walls.shape
    with np.errstate(invalid="ignore"):
        row, col = np.floor(0.5 * rows - xy[:, 1]), np.floor(xy[:, 0] + 0.5 * cols)
        inside = (row >= 0) & (row < rows) & (col >= 0) & (col < cols)
    states = np.full(len(xy), -1, dtype=np.int64)
    states[inside] = layout.state_grid[row[inside].astype(int), col[inside].astype(int)]
    return states
