"""Gymnasium environments with a table `P` (FrozenLake, CliffWalking, Taxi, ...) as finite MDPs."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr.mdp.finite import FiniteMDP


def from_gymnasium(env: Any, discount: float = 0.9) -> FiniteMDP:
    """Return the MDP of a Gymnasium environment that has a transition table.

    ``env.unwrapped.P[state][action]`` must be a list of ``(probability, next_state, reward, terminated)``. A state that is
    entered by a terminating transition is absorbing here: nothing leaves it, whatever the table says, because in the
    environment nothing does. States keep their numbers.

    Examples
    --------
    >>> import gymnasium, hsr
    >>> hsr.from_gymnasium(gymnasium.make("FrozenLake-v1"), discount=0.9)
    FiniteMDP(n_states=16, n_actions=4, discount=0.9, stochastic)
    """
    entries, shape = _read_table(env)
    n_states, n_actions = shape
    state, action, chance, arrival, _, ends = entries
    terminal = np.zeros(n_states, dtype=bool)
    terminal[arrival[ends]] = True
    keep = ~terminal[state]
    absorbed = np.flatnonzero(terminal)
    matrices = []
    for a in range(n_actions):
        now = keep & (action == a)
        rows = np.concatenate([state[now], absorbed])
        columns = np.concatenate([arrival[now], absorbed])
        weights = np.concatenate([chance[now], np.ones(absorbed.size)])
        matrices.append(sparse.csr_array((weights, (rows, columns)), shape=(n_states, n_states)))
    return FiniteMDP(matrices, discount)


def gymnasium_reward(env: Any) -> FloatArray:
    """Return the expected reward of each state and action of the same table, of shape (S, A)."""
    entries, shape = _read_table(env)
    state, action, chance, _, reward, _ = entries
    expected = np.zeros(shape)
    np.add.at(expected, (state, action), chance * reward)
    return expected


def _read_table(env: Any) -> tuple[tuple[np.ndarray, ...], tuple[int, int]]:
    table = getattr(getattr(env, "unwrapped", env), "P", None)
    if not isinstance(table, Mapping) or not table:
        raise InputError(
            f"{type(env).__name__} has no transition table; expected env.unwrapped.P[state][action] = "
            "[(probability, next_state, reward, terminated), ...], as FrozenLake, CliffWalking and Taxi have"
        )
    n_states, n_actions = len(table), len(table[next(iter(table))])
    entries = []
    for s in range(n_states):
        if s not in table or set(table[s]) != set(range(n_actions)):
            raise InputError(f"P[{s}] does not hold the actions 0..{n_actions - 1}; every state needs every action")
        for a in range(n_actions):
            for outcome in table[s][a]:
                if len(outcome) != 4 or not 0 <= outcome[1] < n_states:
                    raise InputError(
                        f"P[{s}][{a}] holds {outcome!r}; expected (probability, next_state in 0..{n_states - 1}, "
                        "reward, terminated)"
                    )
                entries.append((s, a, *outcome))
    state, action, chance, arrival, reward, ends = zip(*entries, strict=True)
    columns = (
        np.array(state), np.array(action), np.array(chance, dtype=float), np.array(arrival),
        np.array(reward, dtype=float), np.array(ends, dtype=bool),
    )  # fmt: skip
    return columns, (n_states, n_actions)
