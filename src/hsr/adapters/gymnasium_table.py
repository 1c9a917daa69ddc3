"""Gymnasium environments with a table `P` (FrozenLake, CliffWalking, Taxi, ...) as finite MDPs."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.extras import needs
from hsr._base.shown import shown
from hsr._base.validation import check_number
from hsr.mdp.finite import FiniteMDP

_SPACES = ("observation_space", "action_space")
_OTHER_WAYS = (
    "hsr.from_minigrid explores a MiniGrid environment, "
    "hsr.from_transitions reads a log of steps in any environment"
)


def from_gymnasium(env: Any, discount: float = 0.9) -> FiniteMDP:
    """Return the MDP of a Gymnasium environment that has a transition table.

    ``env.unwrapped.P[state][action]`` must be a list of ``(probability, next_state, reward,
    terminated)``. States and actions keep their numbers. Wrappers are ignored.

    A state that is entered by a terminating transition is absorbing in the MDP, whatever the table
    says about it, because in the environment nothing leaves it. If one action ends the episode in
    place while others continue from there, the table describes two states as one. Such a state is
    also read as absorbing.

    Parameters
    ----------
    env : gymnasium.Env
        An environment with a transition table.
    discount : float in [0, 1)
        Discount per step.

    Returns
    -------
    FiniteMDP
        An MDP without rewards. `gymnasium_reward` reads the rewards of the same table.

    Raises
    ------
    InputError
        If there is no table, an entry is wrong (state and action are named), or the spaces of the
        environment do not match the table.

    See Also
    --------
    from_minigrid : explores a MiniGrid environment, which has no table.
    from_transitions : estimates an MDP from a log of steps in any environment.

    Examples
    --------
    >>> import gymnasium, hsr
    >>> mdp = hsr.from_gymnasium(gymnasium.make("FrozenLake-v1"), discount=0.9)
    >>> mdp
    FiniteMDP(n_states=16, n_actions=4, discount=0.9, stochastic)

    Everything that works on a maze works on it too:

    >>> hsr.eigenoptions(mdp, n_options=2).names
    ('v1', 'v2')
    """
    entries, shape = _read_table(env)
    n_states, n_actions = shape
    state, action, probability, arrival, _, ends = entries
    terminal = np.zeros(n_states, dtype=bool)
    terminal[arrival[ends]] = True
    keep = ~terminal[state]
    absorbed = np.flatnonzero(terminal)
    matrices = []
    for a in range(n_actions):
        now = keep & (action == a)
        rows = np.concatenate([state[now], absorbed])
        columns = np.concatenate([arrival[now], absorbed])
        weights = np.concatenate([probability[now], np.ones(absorbed.size)])
        matrices.append(sparse.csr_array((weights, (rows, columns)), shape=(n_states, n_states)))
    return FiniteMDP(matrices, discount)


def gymnasium_reward(env: Any) -> FloatArray:
    """Return the expected reward of each state and action in a Gymnasium table.

    Parameters
    ----------
    env : gymnasium.Env
        An environment with a transition table, as `from_gymnasium` reads it.

    Returns
    -------
    float array of shape (S, A)
        Zero in states where episodes are over.

    Examples
    --------
    The product of the successor representation and the rewards gives the values of the policy, here
    of the random walk:

    >>> import gymnasium, hsr
    >>> env = gymnasium.make("FrozenLake-v1", is_slippery=False)
    >>> reward = hsr.gymnasium_reward(env)
    >>> reward[14].tolist()  # the state to the left of the goal; action 2 moves right
    [0.0, 0.0, 1.0, 0.0]
    >>> M = hsr.successor_representation(hsr.from_gymnasium(env, discount=0.9))
    >>> float((M @ reward.mean(axis=1))[14].round(3))
    0.391
    """
    entries, shape = _read_table(env)
    state, action, probability, arrival, reward, ends = entries
    expected = np.zeros(shape)
    np.add.at(expected, (state, action), probability * reward)
    expected[arrival[ends]] = 0.0
    return expected


def _read_table(env: Any) -> tuple[tuple[np.ndarray, ...], tuple[int, int]]:
    """Return the entries of the table as six columns, and its shape (S, A).

    The columns are state, action, probability, next state, reward, and whether the episode ends.
    """
    world = getattr(env, "unwrapped", env)
    table = getattr(world, "P", None)
    if not isinstance(table, Mapping) or not table:
        spaces = "".join(
            f"its {name} is {getattr(world, name)!s:.120}; "
            for name in _SPACES
            if hasattr(world, name)
        )
        raise InputError(
            f"{type(world).__name__} has no transition table; {spaces}"
            "expected env.unwrapped.P[state][action] = "
            "[(probability, next_state, reward, terminated), ...], "
            f"as FrozenLake, CliffWalking and Taxi have; {_OTHER_WAYS}"
        )
    first = table[next(iter(table))]
    n_states, n_actions = len(table), len(first) if isinstance(first, Mapping) else 0
    for name, n, what in zip(_SPACES, (n_states, n_actions), ("states", "actions"), strict=True):
        space = getattr(world, name, None)
        if space is not None and not _is_discrete(space, n):
            raise InputError(
                f"the {name} of {type(world).__name__} is {space!s:.120}; "
                f"its table has {n} {what}, which takes Discrete({n}); {_OTHER_WAYS}"
            )
    entries = []
    for s in range(n_states):
        actions = table.get(s)
        if not isinstance(actions, Mapping) or not actions or set(actions) != set(range(n_actions)):
            raise InputError(
                f"P[{s}] does not hold the actions 0..{n_actions - 1}; "
                "every state needs the same actions"
            )
        for a in range(n_actions):
            if not isinstance(actions[a], Sequence) or not actions[a]:
                raise InputError(
                    f"P[{s}][{a}] is {shown(actions[a])}; expected a list of at least one outcome"
                )
            entries += [
                (s, a, *_checked(outcome, n_states, f"P[{s}][{a}]")) for outcome in actions[a]
            ]
    state, action, probability, arrival, reward, ends = zip(*entries, strict=True)
    columns = (
        np.array(state), np.array(action), np.array(probability, dtype=float), np.array(arrival),
        np.array(reward, dtype=float), np.array(ends, dtype=bool),
    )  # fmt: skip
    return columns, (n_states, n_actions)


def _is_discrete(space: Any, n: int) -> bool:
    """Return whether a space is Discrete(n) and starts at 0."""
    needs("envs", "from_gymnasium")
    from gymnasium.spaces import Discrete

    return isinstance(space, Discrete) and (space.n, space.start) == (n, 0)


def _checked(outcome: Any, n_states: int, where: str) -> tuple[Any, ...]:
    """Return one outcome of the table, with its numbers checked."""
    is_complete = (
        isinstance(outcome, Sequence)
        and len(outcome) == 4
        and isinstance(outcome[1], (int, np.integer))
    )
    if not is_complete or not 0 <= outcome[1] < n_states:
        raise InputError(
            f"{where} holds {shown(outcome)}; expected "
            f"(probability, next_state in 0..{n_states - 1}, reward, terminated)"
        )
    probability, arrival, reward, ends = outcome
    return (
        check_number(probability, f"a probability in {where}"),
        arrival,
        check_number(reward, f"a reward in {where}"),
        bool(ends),
    )
