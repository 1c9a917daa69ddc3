"""`SB3VecEnv`: a `GridWorldVector` as a vector environment of Stable-Baselines3."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv

from hsr._base.errors import InputError


class SB3VecEnv(VecEnv):  # type: ignore[misc]
    """Many copies of a maze as Stable-Baselines3 expects them, moved in one compiled call.

    Parameters
    ----------
    envs : GridWorldVector
        The copies, made with ``autoreset_mode="SameStep"``, as Stable-Baselines3 starts episodes.

    Examples
    --------
    >>> from stable_baselines3 import PPO  # doctest: +SKIP
    >>> from hsr.envs import GridWorldVector
    >>> envs = GridWorldVector(64, max_episode_steps=500, autoreset_mode="SameStep")
    >>> agent = PPO("MlpPolicy", SB3VecEnv(envs)).learn(100_000)  # doctest: +SKIP
    """

    def __init__(self, envs: gymnasium.vector.VectorEnv) -> None:
        if envs.metadata.get("autoreset_mode") is not AutoresetMode.SAME_STEP:
            raise InputError(
                "envs must start the next episode within the step in which one ends; "
                "make them with autoreset_mode='SameStep'"
            )
        self.envs = envs
        self._actions = np.zeros(envs.num_envs, dtype=np.int64)
        self._seed: int | None = None
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)

    def reset(self) -> Any:
        """Start an episode in every copy, with the seed that `seed` was given."""
        observations, _ = self.envs.reset(seed=self._seed)
        self._seed = None
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        """Remember the actions for `step_wait`."""
        self._actions = np.asarray(actions)

    def step_wait(self) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
        """Run the choice of every copy, and return observations, rewards, ends and infos."""
        seen, rewards, terminated, truncated, infos = self.envs.step(self._actions)
        done = terminated | truncated
        # Only what Stable-Baselines3 reads: thousands of infos would take longer than the step.
        told: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(done).tolist():
            told[i]["terminal_observation"] = infos["final_obs"][i]
            told[i]["TimeLimit.truncated"] = bool(truncated[i] and not terminated[i])
        return seen, rewards.astype(np.float32), done, told

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seed the next `reset`: copy i has the seed plus i."""
        self._seed = seed
        return [None if seed is None else seed + i for i in range(self.num_envs)]

    def close(self) -> None:
        """Close the copies."""
        self.envs.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the batch, once for each copy."""
        return [getattr(self.envs, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refuse: the copies share their attributes."""
        raise InputError(f"{attr_name} cannot be set; the copies are one batch")

    def env_method(
        self, method_name: str, *arguments: Any, indices: Any = None, **settings: Any
    ) -> list[Any]:
        """Call a method of the batch that returns one row per copy."""
        rows = getattr(self.envs, method_name)(*arguments, **settings)
        return [rows[i] for i in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """Return False for each copy: none has a wrapper of its own."""
        return [False for _ in self._get_indices(indices)]
