"""`OptionEnv`: options as additional actions of a Gymnasium environment."""

from copy import deepcopy
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs, seeding

from hsr._base.arrays import BoolArray
from hsr._base.errors import InputError
from hsr._base.validation import check_choice, check_count, check_discount, check_index
from hsr.envs.env_mdp import count_actions, count_states, known_mdp, own_mdp
from hsr.envs.random_stream import draw, option_stream_of
from hsr.mdp.finite import FiniteMDP
from hsr.options.option_set import OptionSet, check_options

MAX_OPTION_STEPS = 1_000_000


class OptionEnv(gymnasium.Wrapper, RecordConstructorArgs):  # type: ignore[misc]
    """An environment with A + O actions: its own first, then the options.

    A step with an option follows its policy until the option stops or the episode ends. A time
    limit inside this wrapper counts primitive steps, one outside counts choices. An option that
    never stops by itself needs one inside, or `step` raises an error after `max_option_steps`.

    `reset` and `step` add to `info`:

    - ``"action_mask"``: an int8 array of shape (A + O,), 1 where an action can be chosen now. It
      combines the environment's own mask, if it has one, with the states in which options may
      start. ``env.action_space.sample(mask)`` uses it.
    - ``"duration"`` (from `step`): the number of primitive steps that the choice took.
    - ``"discounted_reward"`` (from `step`, if there is a discount g): the sum of g^k r_k over these
      steps, k = 0, 1, ... A learner of values over choices discounts what follows by g^duration.

    `action_masks` returns the mask as booleans, as MaskablePPO of sb3-contrib asks for it.

    Parameters
    ----------
    env : gymnasium.Env
        An environment with states, Discrete(S), as observations and actions Discrete(A).
        `FeatureObservation` may be in between.
    options : OptionSet
        The options.
    discount : float in [0, 0.99999], optional
        The discount g of ``"discounted_reward"``. That of the environment's `mdp` by default, if it
        has one.
    reward : {"sum", "discounted"}
        What `step` returns. The plain sum keeps the returns of the environment. The discounted
        reward is what Q-learning over choices needs.
    unavailable : {"error", "wait"}
        What happens if an option is chosen where it may not start. "error" raises `InputError`.
        "wait" is for libraries without action masks: the agent stays, and reward and duration are
        0. No primitive step is taken, so a time limit that should end such an episode must be
        outside.
    max_option_steps : int
        The primitive steps after which an option that has not stopped is an error.

    Raises
    ------
    InputError
        If the spaces are of another kind, the options have another size or were made for another
        MDP, or rewards are to be discounted and there is no discount. `step` raises it if an option
        does not stop.

    Examples
    --------
    >>> import gymnasium, hsr.envs
    >>> env = gymnasium.make("hsr/FourRooms-v0")
    >>> env = OptionEnv(env, hsr.eigenoptions(env.unwrapped.mdp, n_options=8))
    >>> env.action_space
    Discrete(12)
    >>> state, info = env.reset(seed=0)
    >>> state, reward, terminated, truncated, info = env.step(4)
    >>> state, info["duration"], info["action_mask"].tolist()
    (94, 12, [1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1])
    """

    def __init__(
        self,
        env: gymnasium.Env,
        options: OptionSet,
        *,
        discount: float | None = None,
        reward: str = "sum",
        unavailable: str = "error",
        max_option_steps: int = MAX_OPTION_STEPS,
    ) -> None:
        n_states, self.n_primitives = (
            count_states(env, "OptionEnv", in_info=True),
            count_actions(env, "OptionEnv"),
        )
        _check_fit(env, options, n_states, self.n_primitives)
        self.discount = _read_discount(env, discount)
        self._discounted = check_choice(reward, ("sum", "discounted"), "reward") == "discounted"
        if self._discounted and self.discount is None:
            raise InputError(
                "reward is 'discounted', and the environment has no mdp to take a discount from; "
                "give a discount"
            )
        self._waits = check_choice(unavailable, ("error", "wait"), "unavailable") == "wait"
        self.max_option_steps = check_count(max_option_steps, "max_option_steps")
        RecordConstructorArgs.__init__(
            self,
            options=options,
            discount=discount,
            reward=reward,
            unavailable=unavailable,
            max_option_steps=max_option_steps,
        )
        gymnasium.Wrapper.__init__(self, env)
        self.options = options
        self.action_space = gymnasium.spaces.Discrete(self.n_primitives + len(options))
        self._sees_states = isinstance(env.observation_space, gymnasium.spaces.Discrete)
        # A stream of its own: what an option draws must not change what the environment does.
        self._stream = option_stream_of(seeding.np_random()[1])
        self._state = -1
        self._mask = np.zeros(0, dtype=np.int8)
        self._last: tuple[Any, dict[str, Any]] = (None, {})

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode.

        Parameters
        ----------
        seed : int, optional
            Starts the random numbers of the environment and of stochastic options again.
        options : dict, optional
            Passed on to the environment.

        Returns
        -------
        observation, info
            Those of the environment. `info` also holds the mask.
        """
        observation, info = self.env.reset(seed=seed, options=options)
        if seed is not None:
            self._stream = option_stream_of(seed)
        self._state = self._state_in(observation, info)
        return observation, self._masked(observation, info)

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take a primitive step, or follow an option until it stops.

        Parameters
        ----------
        action : int
            A primitive action below A, or A + o for option o.

        Returns
        -------
        observation, reward, terminated, truncated, info
            As after the last primitive step. `info` also holds the mask, the duration and the
            discounted reward.
        """
        choice = check_index(action, int(self.action_space.n), "action")
        if self._state < 0:
            raise InputError("step was called before reset; call reset first")
        option = choice - self.n_primitives
        if option >= 0 and not self.options.initiation[option, self._state]:
            return self._wait(option)
        total = discounted = 0.0
        duration, going = 0, True
        while going:
            observation, reward, terminated, truncated, info = self.env.step(self._act(choice))
            self._state = self._state_in(observation, info)
            discounted += (self.discount or 0.0) ** duration * float(reward)
            total += float(reward)
            duration += 1
            going = option >= 0 and not (terminated or truncated or self._stops(option))
            if going and duration == self.max_option_steps:
                raise never_stopped(self.options, option, duration)
        info = self._masked(observation, info) | self._told(duration, discounted)
        return observation, discounted if self._discounted else total, terminated, truncated, info

    def action_masks(self) -> BoolArray:
        """Return which actions can be chosen now, of shape (A + O,).

        This is the mask of the last `info`, under the name and in the type that sb3-contrib expects
        from an environment. Its vector environments call it by name. Through other wrappers it is
        ``env.get_wrapper_attr("action_masks")()``.

        Examples
        --------
        >>> import hsr
        >>> env = hsr.GridWorld("four_rooms")
        >>> env = OptionEnv(env, hsr.point_options(env.mdp, [env.task.goal]))
        >>> state, info = env.reset(seed=0)
        >>> env.action_masks()
        array([ True,  True,  True,  True,  True])
        """
        if self._state < 0:
            raise InputError("action_masks was called before reset; call reset first")
        return self._mask.astype(np.bool_)

    def _state_in(self, observation: Any, info: dict[str, Any]) -> int:
        """Return the state after a step, from the observation or from the info."""
        return int(observation if self._sees_states else info["state"])

    def _masked(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """Return the info with the mask of the present state. Remember both if `step` may wait."""
        mask = np.ones(int(self.action_space.n), dtype=np.int8)
        own = info.get("action_mask")
        if own is not None and np.shape(own) == (self.n_primitives,):
            mask[: self.n_primitives] = own
        mask[self.n_primitives :] = self.options.initiation[:, self._state]
        self._mask = mask
        info = {**info, "action_mask": mask.copy()}
        if self._waits:
            self._last = deepcopy((observation, info))
        return info

    def _wait(self, option: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return the last observation once more, with reward and duration 0."""
        if not self._waits:
            name = self.options.names[option]
            raise InputError(
                f"action {self.n_primitives + option}, {name!r}, cannot be chosen in state "
                f"{self._state}; take one where info['action_mask'] is 1, "
                "or make OptionEnv with unavailable='wait'"
            )
        observation, info = deepcopy(self._last)
        return observation, 0.0, False, False, info | self._told(0, 0.0)

    def _told(self, duration: int, discounted: float) -> dict[str, Any]:
        """Return what the info of a choice holds besides the mask."""
        if self.discount is None:
            return {"duration": duration}
        return {"duration": duration, "discounted_reward": discounted}

    def _act(self, choice: int) -> int:
        """Return the primitive action of a choice in the present state."""
        if choice < self.n_primitives:
            return choice
        policy = self.options.policy[choice - self.n_primitives, self._state]
        if policy.ndim == 0:
            return int(policy)
        if policy.max() == 1.0:
            return int(policy.argmax())
        self._stream, u = draw(self._stream)
        # The first action at which the cumulative probability exceeds u times the total.
        cumulative = policy.cumsum()
        return int(np.searchsorted(cumulative, u * cumulative[-1], side="right"))

    def _stops(self, option: int) -> bool:
        """Return whether an option stops in the present state."""
        beta = self.options.termination[option, self._state]
        if beta in (0.0, 1.0):
            return bool(beta)
        self._stream, u = draw(self._stream)
        return bool(u < beta)


def never_stopped(options: OptionSet, option: int, n_steps: int) -> InputError:
    """Return the error for an option that is still running after many steps."""
    return InputError(
        f"option {option}, {options.names[option]!r}, has not stopped after {n_steps:,} primitive "
        "steps; give its episodes a time limit, let it stop somewhere on its way, "
        "or raise max_option_steps"
    )


def _check_fit(env: gymnasium.Env, options: OptionSet, n_states: int, n_actions: int) -> None:
    """Raise `InputError` unless the options fit the environment and were made for its MDP."""
    if not isinstance(options, OptionSet):
        raise InputError(f"options is {type(options).__name__}; it must be an OptionSet")
    mdp = known_mdp(env, options.mdp_fingerprint)
    if mdp is None or (mdp.n_states, mdp.n_actions) != (n_states, n_actions):
        # Only the sizes are known: check them with an MDP in which nothing moves, and without
        # provenance.
        mdp = FiniteMDP.from_successors(np.zeros((n_states, n_actions), dtype=int), 0.0)
        options = OptionSet(options.policy, options.termination, options.initiation)
    check_options(mdp, options)


def _read_discount(env: gymnasium.Env, discount: float | None) -> float | None:
    """Return the given discount, or that of the environment's MDP if it has one."""
    if discount is not None:
        return check_discount(discount)
    mdp = own_mdp(env)
    return None if mdp is None else mdp.discount
