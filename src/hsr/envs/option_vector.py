"""Options as additional actions of many copies of a grid world, run in one compiled call."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import VectorWrapper
from gymnasium.vector.utils import batch_space

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.validation import check_choice, check_count, check_discount
from hsr.envs.grid_vector import GridWorldVector, Outcome
from hsr.envs.grid_world import N_ACTIONS
from hsr.envs.option_env import MAX_OPTION_STEPS, never_stopped
from hsr.envs.random_stream import option_stream_of
from hsr.kernels.option_steps import run_choices
from hsr.options.option_set import OptionSet, check_options


class OptionEnvVector(VectorWrapper):  # type: ignore[misc]
    """Many copies of `OptionEnv` in a grid world: moves first, then the options.

    A step runs the choice of every copy to its end, in one compiled call. With the same seeds and
    actions the results are those of Gymnasium's `SyncVectorEnv` with as many `OptionEnv`, also with
    stochastic options, with moves that slip, and in each of Gymnasium's three ways to start the
    next episode.

    The infos are those of `OptionEnv`: ``"action_mask"``, ``"duration"`` and
    ``"discounted_reward"``, together with those of `GridWorldVector`. A time limit of the copies
    counts primitive steps.

    Parameters
    ----------
    envs : GridWorldVector
        The copies. An option that never stops by itself needs a time limit, or `step` raises an
        error after `max_option_steps`.
    options : OptionSet
        The options.
    discount, reward, unavailable, max_option_steps
        As in `OptionEnv`.

    Raises
    ------
    InputError
        If `envs` is of another kind, or as for `OptionEnv`. Other environments can be run with
        `gymnasium.vector.SyncVectorEnv`.

    Examples
    --------
    >>> import gymnasium, hsr
    >>> envs = gymnasium.make_vec("hsr/FourRooms-v0", num_envs=3)
    >>> envs = OptionEnvVector(envs, hsr.eigenoptions(envs.mdp, n_options=8))
    >>> states, infos = envs.reset(seed=0)
    >>> states, rewards, terminations, truncations, infos = envs.step([1, 4, 7])
    >>> states, infos["duration"]
    (array([ 1, 94, 52]), array([ 1, 12, 11]))
    """

    def __init__(
        self,
        envs: GridWorldVector,
        options: OptionSet,
        *,
        discount: float | None = None,
        reward: str = "sum",
        unavailable: str = "error",
        max_option_steps: int = MAX_OPTION_STEPS,
    ) -> None:
        if not isinstance(envs, GridWorldVector):
            raise InputError(
                f"OptionEnvVector needs a GridWorldVector; this is {type(envs).__name__}. "
                "gymnasium.vector.SyncVectorEnv runs many OptionEnv of any environment"
            )
        if not isinstance(options, OptionSet):
            raise InputError(f"options is {type(options).__name__}; it must be an OptionSet")
        check_options(envs.mdp, options)
        self.discount = envs.mdp.discount if discount is None else check_discount(discount)
        self._discounted = check_choice(reward, ("sum", "discounted"), "reward") == "discounted"
        self._waits = check_choice(unavailable, ("error", "wait"), "unavailable") == "wait"
        self.max_option_steps = check_count(max_option_steps, "max_option_steps")
        VectorWrapper.__init__(self, envs)
        self._grid = envs
        self.options, self.n_primitives = options, N_ACTIONS
        self.single_action_space = gymnasium.spaces.Discrete(N_ACTIONS + len(options))
        self.action_space = batch_space(self.single_action_space, envs.num_envs)
        self._action, self._cumulative = _policy_tables(options)
        self._stream = np.zeros(envs.num_envs, dtype=np.uint64)
        self._seeded = False

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode in every copy, or in those of ``options["reset_mask"]``.

        Parameters and results are those of `GridWorldVector.reset`. The infos also hold the masks.
        """
        observations, infos = self._grid.reset(seed=seed, options=options)
        which = infos["_cell"]
        seeds = self._grid._read_seeds(seed)
        for i, number in enumerate(self._grid.np_random_seed):
            if not self._seeded or (which[i] and seeds[i] is not None):
                self._stream[i] = option_stream_of(number)
        self._seeded = True
        return observations, {**infos, **self._mask_info(which)}

    def step(self, actions: Any) -> tuple[Any, FloatArray, BoolArray, BoolArray, dict[str, Any]]:
        """Run one choice of every copy to its end, or start the next episode of a copy.

        Parameters
        ----------
        actions : int array of shape (num_envs,)
            A primitive action below 4, or 4 + o for option o.

        Returns
        -------
        observations, rewards, terminations, truncations, infos
            One entry per copy, as after its last primitive step.
        """
        grid = self._grid
        choices = grid._read_actions(actions, int(self.single_action_space.n))
        skipped = grid._ended
        # Checked here for all copies, because compiled code cannot say which one was wrong.
        if not self._waits:
            self._check_available(choices, skipped)
        duration = np.empty(grid.num_envs, dtype=np.int64)
        discounted = np.zeros(grid.num_envs)
        scene = grid._scene

        def move(outcome: Outcome) -> None:
            world = (grid.layout.neighbours, scene.goal, scene.slip, grid._limit)
            tables = (
                self._action,
                self._cumulative,
                self.options.termination,
                self.options.initiation,
            )
            streams = (grid._stream, self._stream, grid._state, grid._elapsed)
            endless = run_choices(
                choices,
                skipped,
                *tables,
                *world,
                self.max_option_steps,
                *streams,
                duration,
                *outcome,
            )
            if endless >= 0:
                raise never_stopped(self.options, endless, self.max_option_steps)
            for i in np.flatnonzero(outcome[1]).tolist():
                discounted[i] = self.discount ** (int(duration[i]) - 1)
            if self._discounted:
                outcome[0][:] = discounted

        def describe(which: BoolArray, moved: BoolArray) -> dict[str, Any]:
            told = {"duration": duration, "discounted_reward": discounted} if moved.any() else {}
            return {
                **grid._info(which),
                **self._mask_info(which),
                **{name: values * moved for name, values in told.items()},
                **{f"_{name}": moved.copy() for name in told},
            }

        return grid._advance(move, describe)

    def action_masks(self) -> BoolArray:
        """Return which actions each copy can choose now, of shape (num_envs, 4 + O)."""
        self._grid._seeds_now()
        return self._masks().astype(np.bool_)

    def _masks(self) -> np.ndarray:
        """Return the masks of the present states as int8, of shape (num_envs, 4 + O)."""
        masks = np.ones((self.num_envs, int(self.single_action_space.n)), dtype=np.int8)
        masks[:, N_ACTIONS:] = self.options.initiation[:, self._grid._state].T
        return masks

    def _mask_info(self, which: BoolArray) -> dict[str, Any]:
        """Return the masks of some copies, in the form that Gymnasium uses for batches."""
        return {"action_mask": self._masks() * which[:, None], "_action_mask": which.copy()}

    def _check_available(self, choices: IntArray, skipped: BoolArray) -> None:
        """Raise `InputError` if a copy chooses an option that may not start in its state."""
        states, option = self._grid._state, choices - N_ACTIONS
        chosen = np.flatnonzero((option >= 0) & ~skipped)
        refused = chosen[~self.options.initiation[option[chosen], states[chosen]]]
        if refused.size:
            i = int(refused[0])
            raise InputError(
                f"actions[{i}] is {choices[i]}, {self.options.names[option[i]]!r}, which cannot be "
                f"chosen in state {states[i]}; take one where infos['action_mask'] is 1, "
                "or make OptionEnvVector with unavailable='wait'"
            )


def _policy_tables(options: OptionSet) -> tuple[IntArray, FloatArray]:
    """Return the action of each option in each state, -1 where it is drawn, and what from.

    The second table holds cumulative probabilities, and is empty if nothing is drawn.
    """
    policy = options.policy
    if policy.ndim == 2:
        return policy.astype(np.int64), np.zeros((0, 0, 0))
    certain = policy.max(axis=2) == 1.0
    return np.where(certain, policy.argmax(axis=2), -1), policy.cumsum(axis=2)
