"""Gymnasium environments with a table `P` (FrozenLake, CliffWalking, Taxi, ...) as finite MDPs."""

from collections.abc import Mapping, Sequence
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
    """Return the expected reward of each state and action of the same table, of shape (S, A); 0 where episodes are over."""
    entries, shape = _read_table(env)
    state, action, chance, arrival, reward, ends = entries
    expected = np.zeros(shape)
    np.add.at(expected, (state, action), chance * reward)
    expected[arrival[ends]] = 0.0
    return expected


def _read_table(env: Any) -> tuple[tuple[np.ndarray, ...], tuple[int, int]]:
    table = getattr(getattr(env, "unwrapped", env), "P", None)
    if not isinstance(table, Mapping) or not table:
        raise InputError(
            f"{type(env).__name__} has no transition table; expected env.unwrapped.P[state][action] = "
            "[(probability, next_state, reward, terminated), ...], as FrozenLake, CliffWalking and Taxi have"
        )
    first = table[next(iter(table))]
    n_states, n_actions = len(table), len(first) if isinstance(first, Mapping) else 0
    entries = []
    for s in range(n_states):
        actions = table.get(s)
        if not isinstance(actions, Mapping) or not actions or set(actions) != set(range(n_actions)):
            raise InputError(f"P[{s}] does not hold the actions 0..{n_actions - 1}; every state needs the same actions")
        for a in range(n_actions):
            if len(actions[a]) == 0:
                raise InputError(f"P[{s}][{a}] holds no outcome; expected at least one")
            entries += [(s, a, *_checked(outcome, n_states, f"P[{s}][{a}]")) for outcome in actions[a]]
    state, action, chance, arrival, reward, ends = zip(*entries, strict=True)
    columns = (
        np.array(state), np.array(action), np.array(chance, dtype=float), np.array(arrival),
        np.array(reward, dtype=float), np.array(ends, dtype=bool),
    )  # fmt: skip
    return columns, (n_states, n_actions)


def _checked(outcome: Any, n_states: int, where: str) -> tuple[Any, ...]:
    is_whole = isinstance(outcome, Sequence) and len(outcome) == 4 and isinstance(outcome[1], (int, np.integer))
    if not is_whole or not 0 <= outcome[1] < n_states:
        raise InputError(
            f"{where} holds {outcome!r}; expected (probability, next_state in 0..{n_states - 1}, reward, terminated)"
        )
    return tuple(outcome)
