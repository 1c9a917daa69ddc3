"""The MDP behind a Gymnasium environment, as far as the environment tells; and its states, whatever
is observed of them.
"""

from collections.abc import Mapping
from typing import Any

import gymnasium

from hsr._base.errors import InputError
from hsr.adapters.gymnasium_table import from_gymnasium
from hsr.mdp.finite import FiniteMDP


def known_mdp(env: Any, made_for: str | None) -> FiniteMDP | None:
    """Return the MDP of an environment, or None if it says nothing about it.

    There may be two: ``env.unwrapped.mdp``, the world without a goal, and the one of the table
    ``env.unwrapped.P``, in which nothing leaves the goal. The one with the mark `made_for` is
    returned, else the first.
    """
    world = getattr(env.unwrapped, "mdp", None)
    known = world if isinstance(world, FiniteMDP) else None
    if made_for is None or (
        known is not None and made_for in (known.fingerprint, known.structure_fingerprint)
    ):
        return known
    if not isinstance(getattr(env.unwrapped, "P", None), Mapping):
        return known
    table = from_gymnasium(env)
    return (
        table
        if known is None or made_for in (table.fingerprint, table.structure_fingerprint)
        else known
    )


def count_states(env: Any, what: str, *, told: bool) -> int:
    """Return the number of states of an environment that numbers them from 0, or raise
    `InputError` in the name of `what`.

    The states are the observations, or, where it is enough that ``info["state"]`` tells them, what
    a wrapper below calls its `state_space` (`hsr.FeatureObservation` does).
    """
    if not isinstance(env, gymnasium.Env):
        raise InputError(f"{what} needs a gymnasium.Env; this is {type(env).__name__}")
    space = env.observation_space
    if (
        told
        and not isinstance(space, gymnasium.spaces.Discrete)
        and env.has_wrapper_attr("state_space")
    ):
        space = env.get_wrapper_attr("state_space")
    return count_numbers(space, f"{what} needs observations that are states")


def count_actions(env: Any, what: str) -> int:
    """Return the number of actions of an environment that numbers them from 0, or raise
    `InputError` in the name of `what`.
    """
    return count_numbers(env.action_space, f"{what} needs actions with numbers")


def count_numbers(space: Any, needed: str) -> int:
    """Return n of a space Discrete(n) that begins at 0, or raise `InputError` that says what is
    `needed`.
    """
    if not isinstance(space, gymnasium.spaces.Discrete) or space.start != 0:
        raise InputError(f"{needed}, Discrete(n) from 0; this environment has {space}")
    return int(space.n)
