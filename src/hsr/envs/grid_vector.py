"""`GridWorldVector`: thousands of copies of `GridWorld` that move in one compiled call."""

import os
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.validation import check_count, check_seed
from hsr.envs.grid_world import N_ACTIONS, GridWorld
from hsr.envs.random_stream import stream_of
from hsr.envs.scene import RENDER_MODES, GridScene, InScene, Place
from hsr.grids.layout import GridLayout
from hsr.kernels.grids import restart, step_all
from hsr.mdp.task import Task

_NO_LIMIT = -1


class GridWorldVector(InScene, VectorEnv):  # type: ignore[misc]
    """Many copies of `GridWorld`, with one layout, one task and one way to start.

    ``gymnasium.make_vec("hsr/FourRooms-v0", num_envs=1024)`` makes one. With the same seed and
    actions it gives exactly what `gymnasium.vector.SyncVectorEnv` of `GridWorld` gives:
    observations, rewards, ends and infos, with random starts and moves that slip, in each of
    Gymnasium's three ways to start the next episode.

    Copy i of ``reset(seed=s)`` has the seed s + i. A sequence gives each copy its own seed, or None
    to continue its stream of random numbers. ``options={"reset_mask": mask}`` resets only the
    copies where the mask is true.

    Parameters
    ----------
    num_envs : int
        Number of copies.
    layout : GridLayout, str or path
        A layout, one of `layout_names()`, or the path of a text file.
    goal : (row, col) or state, optional
        The first goal of the layout by default.
    start : (row, col), state or "random", optional
        As in `GridWorld`.
    task : GoalTask or RewardTask, optional
        Instead of `goal` and `start`, as in `GridWorld`.
    slip : float in [0, 1]
        Probability that a move goes in one of the other three directions.
    discount : float in [0, 0.99999]
        Discount of `mdp`, as in `GridWorld`.
    render_mode : {"rgb_array", "ansi"}, optional
        `render` then returns one picture per copy.
    observation : {"state", "xy", "pixels"}
        What is observed, as in `GridWorld`. The states are in ``infos["state"]`` if they are not
        what is observed.
    cell_size : int
        Height and width of a cell in pixels, for ``observation="pixels"``.
    max_episode_steps : int, optional
        Steps after which an episode is truncated. -1 or None means no limit.
    autoreset_mode : {"NextStep", "SameStep", "Disabled"} or gymnasium.vector.AutoresetMode
        When a copy whose episode is over starts the next one. "NextStep": in the next step, whose
        action is ignored. "SameStep": within the same step, with the last observation in
        ``info["final_obs"]``. "Disabled": when it is reset by the caller.

    Attributes
    ----------
    layout : GridLayout
        The layout.
    mdp : FiniteMDP
        The MDP without the task.
    task : GoalTask or RewardTask
        The task.

    Examples
    --------
    >>> import gymnasium, hsr.envs
    >>> envs = gymnasium.make_vec("hsr/FourRooms-v0", num_envs=3)
    >>> envs.reset(seed=0)[0]
    array([0, 0, 0])
    >>> states, rewards, terminations, truncations, infos = envs.step([1, 2, 3])
    >>> states, infos["cell"].tolist()
    (array([ 1, 10,  0]), [[1, 2], [2, 1], [1, 1]])
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - Gymnasium asks the class
        "render_modes": list(RENDER_MODES),
        "render_fps": GridWorld.metadata["render_fps"],
    }

    def __init__(
        self,
        num_envs: int,
        layout: GridLayout | str | os.PathLike[str] = "four_rooms",
        goal: Place | None = None,
        start: Place | str | None = None,
        *,
        task: Task | None = None,
        slip: float = 0.0,
        discount: float = 0.9,
        render_mode: str | None = None,
        observation: str = "state",
        cell_size: int = 2,
        max_episode_steps: int | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    ) -> None:
        n = self.num_envs = check_count(num_envs, "num_envs")
        self._scene = GridScene(
            layout,
            goal,
            start,
            task=task,
            slip=slip,
            discount=discount,
            render_mode=render_mode,
            observation=observation,
            cell_size=cell_size,
        )
        self._limit = _NO_LIMIT
        if max_episode_steps not in (None, _NO_LIMIT):
            self._limit = check_count(max_episode_steps, "max_episode_steps")
        self._mode = _read_mode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self._mode}
        self.single_observation_space = self._scene.space
        self.single_action_space = gymnasium.spaces.Discrete(N_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, n)
        self.action_space = batch_space(self.single_action_space, n)
        self._seeds: list[int] | None = None
        self._stream = np.zeros(n, dtype=np.uint64)
        self._state = np.zeros(n, dtype=np.int64)
        self._elapsed = np.zeros(n, dtype=np.int64)
        self._ended = np.zeros(n, dtype=np.bool_)

    @property
    def np_random_seed(self) -> tuple[int, ...]:
        """The seed of each copy."""
        return tuple(self._seeds_now())

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode in every copy, or in those of ``options["reset_mask"]``.

        Parameters
        ----------
        seed : int or sequence of int or None, optional
            One seed s gives copy i the seed s + i. A sequence has one seed per copy, None to
            continue its stream of random numbers.
        options : dict, optional
            ``"reset_mask"`` is a bool array of shape (num_envs,), true in the copies to reset.

        Returns
        -------
        observations : array of shape (num_envs, ...)
            The present state of every copy, as it is observed.
        infos : dict
            ``"cell"``, the rows and columns of the copies that were reset, and ``"_cell"``, which
            they are.
        """
        which = self._read_mask((options or {}).get("reset_mask"))
        self._seed(self._read_seeds(seed), which)
        self._restart(which)
        return self._scene.observe(self._state), self._info(which)

    def step(self, actions: Any) -> tuple[Any, FloatArray, BoolArray, BoolArray, dict[str, Any]]:
        """Move every copy, or start its next episode, depending on `autoreset_mode`.

        Parameters
        ----------
        actions : int array of shape (num_envs,)
            The action of each copy.

        Returns
        -------
        observations, rewards, terminations, truncations, infos
            One entry per copy, as Gymnasium's vector environments return them.
        """
        moves = self._read_actions(actions)
        n, scene, before = self.num_envs, self._scene, self._ended
        reward, terminated, truncated = np.empty(n), np.empty(n, bool), np.empty(n, bool)
        fixed = (self.layout.neighbours, scene.paid, scene.terminal, scene.slip, self._limit)
        copies = (self._stream, self._state, self._elapsed)
        step_all(moves, before, *fixed, *copies, reward, terminated, truncated)
        self._ended = terminated | truncated
        restarted, final = np.zeros(n, dtype=np.bool_), {}
        if self._mode is AutoresetMode.NEXT_STEP:
            restarted = before
        elif self._mode is AutoresetMode.SAME_STEP:
            restarted = self._ended.copy()
            if restarted.any():
                final = self._final(restarted)
        if restarted.any():
            self._restart(restarted)
        infos = {**final, **self._info(np.ones(n, dtype=np.bool_))}
        return self._scene.observe(self._state), reward, terminated, truncated, infos

    def render(self) -> tuple[Any, ...] | None:
        """Return one picture per copy, or None without a render mode."""
        if self.render_mode is None:
            return None
        self._seeds_now()
        return tuple(self._scene.render(state) for state in self._state.tolist())

    def _restart(self, which: BoolArray) -> None:
        """Start an episode in some copies."""
        restart(which, self._scene.starts, self._stream, self._state, self._elapsed)
        self._ended &= ~which

    def _info(self, which: BoolArray) -> dict[str, Any]:
        """Return the infos of some copies, in the form that Gymnasium uses for batches."""
        cells = self.layout.cells.take(self._state, axis=0)
        cells *= which[:, None]
        infos = {"cell": cells, "_cell": which.copy()}
        if self._scene.observation == "state":
            return infos
        return {**infos, "state": self._state * which, "_state": which.copy()}

    def _final(self, which: BoolArray) -> dict[str, Any]:
        """Return the last observations and infos of the copies whose episode is over."""
        observations = np.full(self.num_envs, None, dtype=object)
        ended = np.flatnonzero(which)
        for i, last in zip(ended, self._scene.observe(self._state[ended]), strict=True):
            observations[i] = last if last.ndim else int(last)
        info = {"final_obs": observations, "final_info": self._info(which)}
        return {**info, "_final_obs": which.copy(), "_final_info": which.copy()}

    def _seeds_now(self) -> list[int]:
        """Return the seeds, or raise `InputError` before the first reset."""
        if self._seeds is None:
            raise InputError(
                "the environments have not been reset; call reset first, without a mask"
            )
        return self._seeds

    def _seed(self, seeds: Sequence[int | None], which: BoolArray) -> None:
        """Start the streams of the copies with a seed, and all of them at the first reset."""
        if self._seeds is None:
            _, first = np_random()
            # As in Gymnasium, so that a batch can be repeated from the seeds that it tells.
            self._seeds = [first + i for i in range(self.num_envs)]
            self._stream[:] = [stream_of(seed) for seed in self._seeds]
        for i in np.flatnonzero(which).tolist():
            if (seed := seeds[i]) is not None:
                self._seeds[i], self._stream[i] = seed, stream_of(seed)

    def _read_seeds(self, seed: Any) -> Sequence[int | None]:
        """Return one seed per copy, None where a stream continues."""
        n = self.num_envs
        if seed is None:
            return [None] * n
        if hasattr(seed, "__index__") and np.ndim(seed) == 0:
            first = check_seed(seed)
            return range(first, first + n)
        if not isinstance(seed, Sequence | np.ndarray) or len(seed) != n:
            raise InputError(
                f"seed is {short_repr(seed)}; it must be an integer, or a list of {n}, one for "
                "each copy"
            )
        return [
            None if value is None else check_seed(value, f"seed[{i}]")
            for i, value in enumerate(seed)
        ]

    def _read_mask(self, mask: Any) -> BoolArray:
        """Return which copies to reset."""
        n = self.num_envs
        if mask is None:
            return np.ones(n, dtype=np.bool_)
        self._seeds_now()
        if (
            not isinstance(mask, np.ndarray)
            or mask.shape != (n,)
            or mask.dtype != np.bool_
            or not mask.any()
        ):
            raise InputError(
                f"options['reset_mask'] is {short_repr(mask)}; "
                f"it must be a bool array of shape ({n},), true somewhere"
            )
        return mask

    def _read_actions(self, actions: Any) -> IntArray:
        """Return one action per copy, after checking them."""
        self._seeds_now()
        n, moves = self.num_envs, np.asarray(actions)
        if moves.shape != (n,) or moves.dtype.kind not in "iu":
            raise InputError(
                f"actions has shape {moves.shape} and type {moves.dtype}; it must be {n} integers"
            )
        if moves.min() < 0 or moves.max() >= N_ACTIONS:
            i = int(np.flatnonzero((moves < 0) | (moves >= N_ACTIONS))[0])
            raise InputError(f"actions[{i}] is {moves[i]}; it must lie in 0..{N_ACTIONS - 1}")
        if self._mode is AutoresetMode.DISABLED and self._ended.any():
            i = int(np.flatnonzero(self._ended)[0])
            raise InputError(
                f"the episode of copy {i} is over; "
                "reset it first, with options={'reset_mask': mask}"
            )
        return moves.astype(np.int64, copy=False)


def _read_mode(mode: Any) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        words = ", ".join(repr(known.value) for known in AutoresetMode)
        raise InputError(
            f"autoreset_mode is {short_repr(mode)}; it must be one of {words}"
        ) from None
