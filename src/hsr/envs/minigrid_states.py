"""`MiniGridStates`: MiniGrid environments with numbered states, for options, features and maps."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs, seeding

from hsr._base.errors import InputError
from hsr._base.validation import check_choice, check_index
from hsr.adapters.minigrid_scenes import HEADINGS
from hsr.adapters.minigrid_states import enumerate_minigrid
from hsr.mdp.task import GoalTask

MINIGRID_REWARDS = {
    "goal": "1 for reaching the goal, however long it took",
    "own": "MiniGrid's own reward, which falls with the steps of the episode",
}


class MiniGridStates(gymnasium.Wrapper, RecordConstructorArgs):  # type: ignore[misc]
    """A MiniGrid environment whose observations are the states of its MDP.

    States have the numbers of `from_minigrid`. `OptionEnv`, `FeatureObservation` and agents with
    tables can therefore be used in MiniGrid, with options and maps of ``env.mdp``.

    The numbers belong to one layout, that of ``env.reset(seed=seed)``. Every episode begins there,
    in state 0. The seed that `reset` is given does not change the layout.

    Parameters
    ----------
    env : gymnasium.Env
        A MiniGrid environment that `from_minigrid` can read. Wrappers inside may change its
        observations, but not what actions do.
    discount : float in [0, 0.99999]
        Discount of `mdp`. Rewards are not discounted.
    reward : {"goal", "own"}
        What a success pays. "goal": 1, so that the reward depends only on the step, as in an MDP.
        "own": MiniGrid's own reward, 1 - 0.9 t / T for a success at step t of at most T. Other
        rewards are returned as they are.
    max_states : int
        The number of states at which the search for them gives up.
    seed : int
        The seed of the layout.

    Attributes
    ----------
    mdp : FiniteMDP
        The MDP, ``from_minigrid(env, discount, max_states=max_states, seed=seed)``.
    goals : tuple of int
        The states that end an episode and that every step enters with a positive reward. The first
        is the nearest to the start. There are often several, because the agent can enter a cell in
        several headings.
    layout_seed : int
        The seed of the layout.

    Raises
    ------
    InputError
        As `from_minigrid`, or if `reward` is another word.

    Examples
    --------
    >>> import gymnasium, minigrid, hsr
    >>> env = MiniGridStates(gymnasium.make("MiniGrid-Empty-5x5-v0"))
    >>> env.observation_space, env.goals, env.task
    (Discrete(34), (30, 33), GoalTask(start=0, goal=30))
    >>> env = hsr.OptionEnv(env, hsr.point_options(env.mdp, [env.task.goal]))
    >>> state, info = env.reset(seed=0)
    >>> state, reward, terminated, truncated, info = env.step(7)
    >>> state, reward, terminated, info["duration"]
    (30, 1.0, True, 5)
    """

    def __init__(
        self,
        env: gymnasium.Env,
        *,
        discount: float = 0.9,
        reward: str = "goal",
        max_states: int = 100_000,
        seed: int = 0,
    ) -> None:
        self._pays_one = check_choice(reward, tuple(MINIGRID_REWARDS), "reward") == "goal"
        self.mdp, self.goals = enumerate_minigrid(env, discount, max_states=max_states, seed=seed)
        self._successors = np.array(self.mdp.successors)
        self._labels: list[Any] = list(self.mdp.labels or ())
        RecordConstructorArgs.__init__(
            self, discount=discount, reward=reward, max_states=max_states, seed=seed
        )
        gymnasium.Wrapper.__init__(self, env)
        self.layout_seed = seed
        self.observation_space = gymnasium.spaces.Discrete(self.mdp.n_states)
        self._state = -1

    @property
    def task(self) -> GoalTask:
        """The task of getting from the start to the nearest goal.

        Raises
        ------
        InputError
            If there is no state that every step enters with a reward, as where only the right
            action at the right place is paid.
        """
        if not self.goals:
            raise InputError(
                f"{type(self.unwrapped).__name__} has no state that every step enters with a "
                "reward, so that no GoalTask describes it"
            )
        return GoalTask(0, self.goals[0])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Start an episode in state 0.

        Parameters
        ----------
        seed : int, optional
            Starts ``env.unwrapped.np_random`` again. No layout and no step depends on it.
        options : dict, optional
            Passed on to the environment.

        Returns
        -------
        state : int
            Always 0.
        info : dict
            That of the environment.
        """
        _, info = self.env.reset(seed=self.layout_seed, options=options)
        if seed is not None:
            self.unwrapped.np_random, _ = seeding.np_random(seed)
        return self._enter(0), info

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Take a step and return the state that it leads to.

        Parameters
        ----------
        action : int
            One of ``env.unwrapped.actions``.

        Returns
        -------
        state, reward, terminated, truncated, info
            MiniGrid itself truncates an episode after its `max_steps`.
        """
        action = check_index(action, self.mdp.n_actions, "action")
        if self._state < 0:
            raise InputError("step was called before reset; call reset first")
        _, reward, terminated, truncated, info = self.env.step(action)
        state = self._enter(int(self._successors[self._state, action]))
        paid = 1.0 if self._pays_one and reward > 0 else float(reward)
        return state, paid, terminated, truncated, info

    def _enter(self, state: int) -> int:
        """Remember the present state, after checking that the agent is where it says."""
        unwrapped, label = self.unwrapped, self._labels[state]
        here = (*map(int, unwrapped.agent_pos), HEADINGS[unwrapped.agent_dir])
        if here != label[:3]:
            raise InputError(
                f"the agent is at {here}, but state {state} is {label}; "
                "something else has changed the environment"
            )
        self._state = state
        return state
