"""Grid worlds with options, as Gymnasium makes them by the id ``hsr/OptionWorld-v0``."""

import os
from typing import Any, ClassVar

import gymnasium
from gymnasium.wrappers import TimeLimit

from hsr._base.arrays import BoolArray
from hsr._base.errors import InputError
from hsr._base.shown import shown
from hsr._base.validation import check_count
from hsr.agents.option_spec import OptionSpec
from hsr.envs.grid_vector import GridWorldVector
from hsr.envs.grid_world import GridWorld
from hsr.envs.option_env import OptionEnv
from hsr.envs.option_vector import OptionEnvVector
from hsr.envs.scene import Place
from hsr.grids.layout import GridLayout
from hsr.mdp.finite import FiniteMDP
from hsr.options.option_set import OptionSet

_HORIZON = 5000


class OptionWorld(gymnasium.Env):  # type: ignore[misc]
    """A grid world with options, which Gymnasium knows as ``hsr/OptionWorld-v0``.

    It is `OptionEnv` around `GridWorld`, made from settings alone. ``gymnasium.make_vec`` makes an
    `OptionEnvVector` with the same settings.

    Parameters
    ----------
    layout, goal, start, slip, discount, render_mode, observation, cell_size
        As in `GridWorld`.
    options : OptionSet or OptionSpec, optional
        The options, or how they are found. By default ``OptionSpec()``, eight eigenoptions.
    reward, unavailable
        As in `OptionEnv`.
    horizon : int or None
        Primitive steps after which an episode is truncated. None means no limit. The argument
        `max_episode_steps` of ``gymnasium.make`` counts choices instead.

    Attributes
    ----------
    options : OptionSet
        The options.
    layout, mdp, task
        As in `GridWorld`.

    Examples
    --------
    >>> import gymnasium, hsr
    >>> env = gymnasium.make("hsr/OptionWorld-v0", options=hsr.OptionSpec("covering", n_options=4))
    >>> env.action_space
    Discrete(8)
    >>> state, info = env.reset(seed=0)
    >>> info["action_mask"].tolist()
    [1, 1, 1, 1, 0, 0, 1, 0]
    """

    metadata: ClassVar[dict[str, Any]] = GridWorld.metadata

    def __init__(
        self,
        layout: GridLayout | str | os.PathLike[str] = "four_rooms",
        goal: Place | None = None,
        start: Place | str | None = None,
        *,
        slip: float = 0.0,
        discount: float = 0.9,
        options: OptionSet | OptionSpec | None = None,
        reward: str = "sum",
        unavailable: str = "error",
        horizon: int | None = _HORIZON,
        render_mode: str | None = None,
        observation: str = "state",
        cell_size: int = 2,
    ) -> None:
        grid = GridWorld(
            layout,
            goal,
            start,
            slip=slip,
            discount=discount,
            render_mode=render_mode,
            observation=observation,
            cell_size=cell_size,
        )
        limited = grid if horizon is None else TimeLimit(grid, check_count(horizon, "horizon"))
        self.options = _read_options(grid.mdp, options)
        self._env = OptionEnv(limited, self.options, reward=reward, unavailable=unavailable)
        self.layout, self.mdp, self.task = grid.layout, grid.mdp, grid.task
        self.observation_space = self._env.observation_space
        self.action_space = self._env.action_space
        self.render_mode = render_mode
        self._begun = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode. Parameters and results are those of `OptionEnv.reset`."""
        super().reset(seed=seed)
        if seed is None and not self._begun:
            known = self.np_random_seed
            seed = known if known >= 0 else int(self.np_random.integers(2**63))
        self._begun = True
        observation, info = self._env.reset(seed=seed, options=options)
        return observation, info

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Run a choice to its end. Parameters and results are those of `OptionEnv.step`."""
        return self._env.step(action)

    def action_masks(self) -> BoolArray:
        """Return which actions can be chosen now, of shape (4 + O,)."""
        return self._env.action_masks()

    def render(self) -> Any:
        """Return the picture that `render_mode` asks for, as `GridWorld.render` does."""
        return self._env.unwrapped.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self._env.close()


def make_option_worlds(
    num_envs: int,
    *,
    options: OptionSet | OptionSpec | None = None,
    reward: str = "sum",
    unavailable: str = "error",
    horizon: int | None = _HORIZON,
    max_episode_steps: int | None = None,
    **settings: Any,
) -> OptionEnvVector:
    """Return many copies, what ``gymnasium.make_vec("hsr/OptionWorld-v0", num_envs)`` makes.

    Parameters
    ----------
    num_envs : int
        Number of copies.
    options, reward, unavailable, horizon
        As in `OptionWorld`.
    max_episode_steps : None
        Not available here: it would count choices.
    **settings
        The settings of `GridWorldVector`, such as ``layout`` or ``autoreset_mode``.

    Examples
    --------
    >>> import gymnasium, hsr
    >>> envs = gymnasium.make_vec("hsr/OptionWorld-v0", num_envs=1024, slip=0.1)
    >>> envs.reset(seed=0)[1]["action_mask"].shape
    (1024, 12)
    """
    if max_episode_steps is not None:
        raise InputError(
            f"max_episode_steps is {shown(max_episode_steps)}, which counts choices; "
            "horizon limits the primitive steps, vectorization_mode='sync' can limit the choices"
        )
    envs = GridWorldVector(num_envs, max_episode_steps=horizon, **settings)
    return OptionEnvVector(
        envs, _read_options(envs.mdp, options), reward=reward, unavailable=unavailable
    )


def _read_options(mdp: FiniteMDP, options: OptionSet | OptionSpec | None) -> OptionSet:
    """Return the options as a set."""
    built = OptionSpec() if options is None else options
    if isinstance(built, OptionSpec):
        found = built.build(mdp)
        if not isinstance(found, OptionSet):
            raise InputError(
                f"options are of kind {built.kind!r}; an environment needs options that exist "
                "before the first step"
            )
        return found
    if not isinstance(built, OptionSet):
        raise InputError(
            f"options is {type(built).__name__}; it must be an OptionSet or an OptionSpec"
        )
    return built
