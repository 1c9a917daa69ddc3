"""Layouts as PointMaze environments of gymnasium-robotics, with their exact discretisation."""

import os
from contextlib import suppress
from typing import Any

import gymnasium
import numpy as np

from hsr._base.arrays import BoolArray, FloatArray
from hsr._base.errors import InputError
from hsr._base.extras import needs
from hsr._base.shown import shown
from hsr._base.validation import (
    check_array,
    check_count,
    check_index,
    check_indices,
    check_not_negative,
    check_seed,
    shape_of,
)
from hsr.envs.point_maze_log import PointMazeLog, states_of
from hsr.grids.enclosing import enclosed
from hsr.grids.grid_mdp import grid_mdp
from hsr.grids.layout import ACTION_NAMES, GridLayout
from hsr.grids.named import read_layout

N_ACTIONS = len(ACTION_NAMES)
_DIRECTIONS = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]])  # y grows upwards
# The controller: a spring towards the middle of the next cell, and a damper.
_SPRING, _DAMPER = 4.0, 0.8
_ARRIVED = 0.1  # distance from the middle, in cells
_STALLED, _WARM_UP = 0.05, 10  # speed that counts as blocked, after so many steps
_NO_LIMIT = 10**9


class PointMaze:
    """A layout as a PointMaze of gymnasium-robotics, and the exact answers for its grid.

    A point mass is pushed by forces through the walls of the layout. Cells have size 1, the middle
    of the layout is the origin, x grows with the column and y grows upwards. Positions are put into
    the cells of the layout, so that options, maps and values of the exact MDP of the grid are the
    reference for what is learned in the continuous world.

    Four macro actions, `macro_step`, steer the point mass towards the middle of the neighbouring
    cell: up, right, down and left, as in the grid. Without noise they fail in none of thousands of
    steps. `collect` counts the failures, and its log gives the estimated MDP of the macro steps.

    Parameters
    ----------
    layout : GridLayout, str or path
        A layout, one of `layout_names()`, or the path of a text file. A layout that is open at its
        border is surrounded by walls. Its start and its first goal are those of the environment.
        Without them the environment draws cells.
    discount : float in [0, 1)
        Discount of `mdp`.
    **settings
        Settings of ``gymnasium.make("PointMaze_UMaze-v3", ...)``, such as ``reward_type``,
        ``continuing_task``, ``render_mode`` or ``max_episode_steps``. There is no limit of steps by
        default.

    Attributes
    ----------
    layout : GridLayout
        The layout.
    env : gymnasium.Env
        The environment of gymnasium-robotics. Observations are dictionaries, actions are forces in
        [-1, 1] along x and y.
    mdp : FiniteMDP
        The exact MDP of the grid, ``grid_mdp(layout, discount)``.

    Raises
    ------
    InputError
        If the layout or the discount is wrong, or the extra ``mujoco`` is not installed.

    Examples
    --------
    >>> import hsr
    >>> maze = hsr.PointMaze("four_rooms")  # doctest: +SKIP
    >>> log = maze.collect(2000, seed=0)  # doctest: +SKIP
    >>> log.failures  # doctest: +SKIP
    0.0
    >>> options = hsr.eigenoptions(log.mdp(), n_options=8)  # doctest: +SKIP
    """

    def __init__(
        self, layout: GridLayout | str | os.PathLike[str], *, discount: float = 0.9, **settings: Any
    ) -> None:
        needs("mujoco", "hsr.PointMaze")
        self.layout = read_layout(layout)
        self.mdp = grid_mdp(self.layout, discount)
        walls, self._margin = enclosed(self.layout.walls)
        usual = {"max_episode_steps": _NO_LIMIT, "disable_env_checker": True}
        self.env = _make(self._map(walls), usual | settings)
        self._observation: FloatArray | None = None

    def _map(self, walls: BoolArray) -> list[list[Any]]:
        """Return the map of gymnasium-robotics: 1 wall, 0 open, "r" start, "g" goal."""
        cells: list[list[Any]] = walls.astype(int).tolist()
        for state, sign in ((self.layout.start, "r"), *((g, "g") for g in self.layout.goals[:1])):
            if state is not None:
                row, col = self.layout.cell_of(state)
                cells[row + self._margin][col + self._margin] = sign
        return cells

    def state_at(self, xy: Any) -> Any:
        """Return the state of a position, or of many. It is -1 in walls and outside.

        Parameters
        ----------
        xy : array of shape (2,) or (n, 2)
            Positions, in the coordinates of the environment.

        Returns
        -------
        int, or int array of shape (n,)
            The states.
        """
        single = shape_of(xy) == (2,)
        places = check_array([xy] if single else xy, (None, 2), "xy")
        states = states_of(self.layout, places)
        return int(states[0]) if single else states

    def xy_of(self, states: Any) -> FloatArray:
        """Return the middle of the cell of a state, of shape (2,), or of many, of shape (n, 2).

        Parameters
        ----------
        states : int or list of int
            The states.
        """
        if hasattr(states, "__index__") and np.ndim(states) == 0:
            return self.xy_of([check_index(states, self.layout.n_states, "states")])[0]
        numbers = check_indices(states, self.layout.n_states, "states")
        return self.layout.xy(numbers) * (0.5 * max(self.layout.walls.shape))

    def reset(self, state: int | None = None, *, seed: int | None = None) -> FloatArray:
        """Put the point mass at rest near the middle of a cell.

        Parameters
        ----------
        state : int, optional
            The state. The start of the layout by default, or a random one if it has none.
        seed : int, optional
            Starts the random numbers of the environment again. The position is drawn within a
            quarter of a cell from the middle, along x and along y.

        Returns
        -------
        float array of shape (4,)
            Position (x, y) and velocity.
        """
        number = None if seed is None else check_seed(seed)
        if state is None:
            state = self.layout.start
        if state is None:
            state = int(np.random.default_rng(number).integers(self.layout.n_states))
        s = check_index(state, self.layout.n_states, "state")
        options = {"reset_cell": self.layout.cells[s] + self._margin}
        seen, _ = self.env.reset(seed=number, options=options)
        self._observation = np.array(seen["observation"])
        return self._observation.copy()

    def macro_step(
        self, action: int, *, max_steps: int = 100, noise: float = 0.0, rng: Any = None
    ) -> tuple[FloatArray, int]:
        """Steer the point mass towards the middle of the neighbouring cell.

        The force is a spring towards the target and a damper. The controller does not know the
        walls. It stops near the target, if the point mass no longer moves, or after `max_steps`.

        Parameters
        ----------
        action : int
            0 up, 1 right, 2 down, 3 left.
        max_steps : int
            The number of steps of the simulation after which the controller gives up.
        noise : float
            Standard deviation of Gaussian noise that is added to the force, which is then clipped
            to [-1, 1] again.
        rng : numpy.random.Generator, optional
            Where the noise comes from. Needed if there is noise.

        Returns
        -------
        observation : float array of shape (4,)
            Position and velocity at the end.
        duration : int
            The number of steps of the simulation.
        """
        direction = _DIRECTIONS[check_index(action, N_ACTIONS, "action")]
        most = check_count(max_steps, "max_steps")
        spread = check_not_negative(noise, "noise")
        if spread > 0.0 and not isinstance(rng, np.random.Generator):
            raise InputError(f"rng is {shown(rng)}; noise needs a numpy.random.Generator")
        at = self._present()
        state = self.state_at(at[:2])
        target = self.xy_of(state) + direction
        for step in range(1, most + 1):
            force = np.clip(_SPRING * (target - at[:2]) - _DAMPER * at[2:], -1.0, 1.0)
            if spread > 0.0:
                force = np.clip(force + spread * rng.standard_normal(2), -1.0, 1.0)
            at = self._push(force)
            near = np.abs(target - at[:2]).max() < _ARRIVED
            if near or (step >= _WARM_UP and np.abs(at[2:]).max() < _STALLED):
                break
        return at.copy(), step

    def collect(
        self,
        n_steps: int,
        *,
        seed: int = 0,
        episode_steps: int = 20,
        max_steps: int = 100,
        noise: float = 0.0,
    ) -> PointMazeLog:
        """Take macro steps with random actions. Each episode starts in a random state.

        Parameters
        ----------
        n_steps : int
            The number of macro steps.
        seed : int
            Seed of starts, actions and noise.
        episode_steps : int
            Macro steps per episode.
        max_steps, noise
            As in `macro_step`.

        Returns
        -------
        PointMazeLog
            The steps, ``log.failures``, and ``log.mdp()``, the estimated MDP.
        """

        def act(rng: np.random.Generator, first: bool) -> tuple[int, FloatArray, int]:
            action = int(rng.integers(N_ACTIONS))
            return action, *self.macro_step(action, max_steps=max_steps, noise=noise, rng=rng)

        return self._log(n_steps, seed, episode_steps, act)

    def wander(
        self, n_steps: int, *, seed: int = 0, episode_steps: int = 10_000, hold: int = 20
    ) -> PointMazeLog:
        """Push the point mass with random forces. Each episode starts in a random state.

        Parameters
        ----------
        n_steps : int
            The number of steps of the simulation.
        seed : int
            Seed of starts and forces.
        episode_steps : int
            Steps per episode.
        hold : int
            For how many steps a force is held before the next one is drawn, uniformly from the
            square [-1, 1] x [-1, 1]. Forces that change at every step cancel out.

        Returns
        -------
        PointMazeLog
            The steps, and ``log.mdp()``, the `TrackedMDP` of the path through the cells.
        """
        steps, force, left = check_count(hold, "hold"), np.zeros(2), 0

        def act(rng: np.random.Generator, first: bool) -> tuple[FloatArray, FloatArray, int]:
            nonlocal force, left
            if first or left == 0:
                force, left = rng.uniform(-1.0, 1.0, 2), steps
            left -= 1
            return force, self._push(force).copy(), 1

        return self._log(n_steps, seed, episode_steps, act)

    def _log(self, n_steps: int, seed: int, episode_steps: int, act: Any) -> PointMazeLog:
        """Return the log of a behaviour; ``act(rng, first)`` takes one step of it."""
        n, length = check_count(n_steps, "n_steps"), check_count(episode_steps, "episode_steps")
        rng = np.random.default_rng(check_seed(seed))
        rows: list[tuple[FloatArray, Any, FloatArray, int]] = []
        for i in range(n):
            if i % length == 0:
                start = int(rng.integers(self.layout.n_states))
                self.reset(start, seed=int(rng.integers(2**31)))
            before = self._present().copy()
            rows.append((before, *act(rng, i % length == 0)))
        before, actions, after, durations = (np.array(column) for column in zip(*rows, strict=True))
        return PointMazeLog(
            self.layout, before, actions, after, durations, np.arange(n, dtype=np.int64) // length
        )

    def _present(self) -> FloatArray:
        if self._observation is None:
            raise InputError("the maze has not been reset; call reset first")
        return self._observation

    def _push(self, force: FloatArray) -> FloatArray:
        """Take one step of the simulation."""
        seen, *_ = self.env.step(force)
        self._observation = seen["observation"]
        return self._observation

    def close(self) -> None:
        """Close the environment."""
        self.env.close()

    def __repr__(self) -> str:
        return f"PointMaze({self.layout!r})"


def _make(maze_map: list[list[Any]], settings: dict[str, Any]) -> gymnasium.Env:
    """Return the environment of gymnasium-robotics. The file that it leaves behind is deleted."""
    import gymnasium_robotics

    gymnasium.register_envs(gymnasium_robotics)
    env = gymnasium.make("PointMaze_UMaze-v3", maze_map=maze_map, **settings)
    with suppress(OSError, AttributeError):
        os.unlink(env.unwrapped.tmp_xml_file_path)
    return env
