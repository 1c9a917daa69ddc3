"""`FeatureObservation`: features of states as observations, for any agent library."""

from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from hsr._base.arrays import BoolArray
from hsr._base.errors import InputError
from hsr.envs.env_mdp import count_numbers, count_states, known_mdp
from hsr.representation.features import state_features

Features = NDArray[np.float32]


class FeatureObservation(gymnasium.Wrapper, RecordConstructorArgs):  # type: ignore[misc]
    """An environment whose observation is the feature vector of the state.

    Any agent library can then learn from a predictive map. The state itself stays in
    ``info["state"]``. Observations are float32, in a Box of shape (K,). Its bounds are the smallest
    and the largest value of each feature.

    Parameters
    ----------
    env : gymnasium.Env
        An environment with states, Discrete(S), as observations. `OptionEnv` may be inside or
        outside.
    basis : fitted basis, PredictiveMap, or array of shape (S, K)
        The features of each state.

    Raises
    ------
    InputError
        If the observations are not states, or the basis is not fitted, has another number of
        states, or was fitted to a map of another MDP.

    Examples
    --------
    >>> import gymnasium, hsr.envs
    >>> env = gymnasium.make("hsr/FourRooms-v0")
    >>> basis = hsr.SVDBasis(n_components=16).fit(hsr.successor_representation(env.unwrapped.mdp))
    >>> env = FeatureObservation(env, basis)
    >>> features, info = env.reset(seed=0)
    >>> features.shape, features.dtype, info["state"]
    ((16,), dtype('float32'), 0)
    """

    def __init__(self, env: gymnasium.Env, basis: Any) -> None:
        n_states = count_states(env, "FeatureObservation", in_info=False)
        self._features = _read_features(env, basis, n_states)
        # Not the basis itself: it may hold a lazy map, which cannot be copied.
        RecordConstructorArgs.__init__(self, basis=self._features)
        gymnasium.Wrapper.__init__(self, env)
        self.state_space = gymnasium.spaces.Discrete(n_states)
        self.observation_space = _box_of(self._features)

    @property
    def action_masks(self) -> Callable[[], BoolArray]:
        """The method `action_masks` of the environment inside, for sb3-contrib.

        There is no such attribute if the environment has none.
        """
        masks: Callable[[], BoolArray] = self.env.get_wrapper_attr("action_masks")
        return masks

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Features, dict[str, Any]]:
        """Start an episode and return the features of its first state."""
        state, info = self.env.reset(seed=seed, options=options)
        return self._features[state].copy(), {**info, "state": int(state)}

    def step(self, action: Any) -> tuple[Features, Any, bool, bool, dict[str, Any]]:
        """Take a step and return the features of the state that it leads to."""
        state, reward, terminated, truncated, info = self.env.step(action)
        return (
            self._features[state].copy(),
            reward,
            terminated,
            truncated,
            {**info, "state": int(state)},
        )


class FeatureObservationVector(gymnasium.vector.VectorObservationWrapper):  # type: ignore[misc]
    """Many copies of an environment whose observations are the features of their states.

    The results are those of Gymnasium's `SyncVectorEnv` with as many `FeatureObservation`. The
    states stay in ``infos["state"]``.

    Parameters
    ----------
    envs : gymnasium.vector.VectorEnv
        A batch with states as observations, such as a `GridWorldVector`. It must start a new
        episode in the step after the end of one, or not by itself.
    basis : fitted basis, PredictiveMap, or array of shape (S, K)
        The features of each state.

    Raises
    ------
    InputError
        As for `FeatureObservation`. Also if the batch starts a new episode in the step in which one
        ends, which hides the last state of an episode.

    Examples
    --------
    >>> import gymnasium, hsr.envs
    >>> envs = gymnasium.make_vec("hsr/FourRooms-v0", num_envs=1024)
    >>> basis = hsr.SVDBasis(n_components=16).fit(hsr.successor_representation(envs.unwrapped.mdp))
    >>> envs = FeatureObservationVector(envs, basis)
    >>> features, infos = envs.reset(seed=0)
    >>> features.shape, features.dtype
    ((1024, 16), dtype('float32'))
    """

    def __init__(self, envs: gymnasium.vector.VectorEnv, basis: Any) -> None:
        if not isinstance(envs, gymnasium.vector.VectorEnv):
            raise InputError(
                "FeatureObservationVector needs a gymnasium.vector.VectorEnv; "
                f"this is {type(envs).__name__}"
            )
        if envs.metadata.get("autoreset_mode") == gymnasium.vector.AutoresetMode.SAME_STEP:
            raise InputError(
                "autoreset_mode is SAME_STEP, which hides the last state of an episode; "
                "make envs with NEXT_STEP"
            )
        n_states = count_numbers(
            envs.single_observation_space,
            "FeatureObservationVector needs observations that are states",
        )
        self._features = _read_features(envs, basis, n_states)
        super().__init__(envs)
        self.single_observation_space = _box_of(self._features)
        self.observation_space = batch_space(self.single_observation_space, envs.num_envs)

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Features, dict[str, Any]]:
        """Start an episode in every copy, or where ``options["reset_mask"]`` is true.

        The infos hold the states of these copies alone.
        """
        begun = np.array((options or {}).get("reset_mask", np.ones(self.num_envs, dtype=np.bool_)))
        states, infos = self.env.reset(seed=seed, options=options)
        return self._features[states], _with_states(states, infos, begun)

    def step(self, actions: Any) -> tuple[Features, Any, Any, Any, dict[str, Any]]:
        """Take a step in every copy."""
        states, rewards, terminated, truncated, infos = self.env.step(actions)
        infos = _with_states(states, infos, np.ones(self.num_envs, dtype=np.bool_))
        return self._features[states], rewards, terminated, truncated, infos


def _with_states(states: Any, infos: dict[str, Any], where: BoolArray) -> dict[str, Any]:
    """Return the infos with the states of the copies in `where`."""
    return {**infos, "state": np.where(where, states, 0), "_state": where}


def _read_features(env: Any, basis: Any, n_states: int) -> Features:
    """Return the features of all states as float32, of shape (S, K)."""
    Phi = state_features(basis, n_states, partial(known_mdp, env), name="basis")
    if np.abs(Phi).max() > np.finfo(np.float32).max:
        raise InputError(f"basis has an entry {np.abs(Phi).max():.6g}; all must fit into float32")
    return Phi.astype(np.float32)


def _box_of(features: Features) -> gymnasium.spaces.Box:
    """Return the space of the features, between the smallest and the largest value of each."""
    low, high = features.min(axis=0), features.max(axis=0)
    # Gymnasium's checks take an empty range for a mistake, so a constant feature gets the
    # narrowest range.
    high = np.where(low == high, np.nextafter(high, np.float32(np.inf)), high)
    return gymnasium.spaces.Box(low, high, dtype=np.float32)
