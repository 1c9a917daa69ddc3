"""The MDP and the states behind a Gymnasium environment."""

from collections.abc import Mapping
from typing import Any

import gymnasium

from hsr._base.errors import InputError
from hsr.adapters.gymnasium_table import from_gymnasium
from hsr.mdp.finite import FiniteMDP


def own_mdp(env: Any) -> FiniteMDP | None:
    """Return the `mdp` of the environment or of one of its wrappers, None if there is none.

    Parameters
    ----------
    env : gymnasium.Env or VectorEnv
        The environment. Of several MDPs, that of the outermost wrapper is returned.
    """
    while True:
        mdp = getattr(env, "mdp", None)
        if isinstance(mdp, FiniteMDP):
            return mdp
        if env is env.unwrapped:
            return None
        env = env.env


def known_mdp(env: Any, mdp_fingerprint: str | None) -> FiniteMDP | None:
    """Return the MDP of an environment, or None if the environment does not offer one.

    There may be two: the `mdp` of the environment or of a wrapper, without a goal, and that of the
    table ``env.unwrapped.P``, in which nothing leaves the goal.

    Parameters
    ----------
    env : gymnasium.Env or VectorEnv
        The environment.
    mdp_fingerprint : str or None
        A fingerprint. Of two MDPs, the one that has it is returned, otherwise the first.
    """
    known = own_mdp(env)
    if mdp_fingerprint is None or (known is not None and mdp_fingerprint == known.fingerprint):
        return known
    if not isinstance(getattr(env.unwrapped, "P", None), Mapping):
        return known
    table = from_gymnasium(env)
    return table if known is None or mdp_fingerprint == table.fingerprint else known


def count_states(env: Any, what: str, *, in_info: bool) -> int:
    """Return the number of states of an environment that numbers them from 0.

    Parameters
    ----------
    env : gymnasium.Env
        The environment.
    what : str
        Who needs the states, for the message of the `InputError`.
    in_info : bool
        Whether it is enough that ``info["state"]`` holds the state. The states are then those of
        the `state_space` of a wrapper, such as `hsr.FeatureObservation`. Otherwise the observations
        themselves must be states.
    """
    if not isinstance(env, gymnasium.Env):
        raise InputError(f"{what} needs a gymnasium.Env; this is {type(env).__name__}")
    space = env.observation_space
    if (
        in_info
        and not isinstance(space, gymnasium.spaces.Discrete)
        and env.has_wrapper_attr("state_space")
    ):
        space = env.get_wrapper_attr("state_space")
    return count_numbers(space, f"{what} needs observations that are states")


def count_actions(env: Any, what: str) -> int:
    """Return the number of actions of an environment that numbers them from 0.

    Parameters
    ----------
    env : gymnasium.Env
        The environment.
    what : str
        Who needs the actions, for the message of the `InputError`.
    """
    return count_numbers(env.action_space, f"{what} needs actions with numbers")


def count_numbers(space: Any, needed: str) -> int:
    """Return n of a space Discrete(n) that starts at 0; `InputError` says what is `needed`."""
    if not isinstance(space, gymnasium.spaces.Discrete) or space.start != 0:
        raise InputError(f"{needed}, Discrete(n) from 0; this environment has {space}")
    return int(space.n)
