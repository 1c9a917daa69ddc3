"""Finite MDPs of Gymnasium environments with numbered states, from a table or by exploration."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError, short_repr
from hsr._base.extras import needs
from hsr._base.validation import check_count, check_index, check_number
from hsr.mdp.reward_task import RewardedMDP

_SPACES = ("observation_space", "action_space")
_OUTCOME = "(probability, next_state, reward, terminated)"
_OTHER_WAYS = (
    "hsr.from_minigrid explores a MiniGrid environment, "
    "hsr.from_transitions reads a log of steps in any environment"
)


def from_gymnasium(env: Any, discount: float = 0.9, *, max_steps: int = 1_000_000) -> RewardedMDP:
    """Return the MDP of a Gymnasium environment whose states and actions are numbers.

    An environment with a table ``env.unwrapped.P[state][action]``, a list of ``(probability,
    next_state, reward, terminated)`` such as FrozenLake, CliffWalking and Taxi have, is read. Any
    other environment with Discrete observations and actions is explored: every action is tried in
    every state that can be reached from ``env.reset(seed=0)``. It must be deterministic, and its
    observation must be its state. States that cannot be reached are left by no action.

    States and actions keep their numbers. A state that is entered by a terminating transition is
    absorbing in the MDP, whatever the table says about it, because in the environment nothing
    leaves it. If one action ends the episode in place while others continue from there, the table
    describes two states as one. Such a state is also read as absorbing.

    Parameters
    ----------
    env : gymnasium.Env
        The environment. Wrappers are ignored where there is a table.
    discount : float in [0, 0.99999]
        Discount per step.
    max_steps : int
        The number of steps at which exploration gives up.

    Returns
    -------
    RewardedMDP
        A `FiniteMDP` that keeps rewards and starts for `RewardTask`.

    Raises
    ------
    InputError
        If an entry of a table is wrong (state and action are named), the spaces of the environment
        do not match, or exploration finds that steps are random or takes too long.

    See Also
    --------
    RewardTask : the task of collecting the rewards of the environment.
    from_minigrid : explores a MiniGrid environment.
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
    entries, (n_states, n_actions), start = _read(env, max_steps)
    state, action, probability, arrival, reward, ends = entries
    terminal = np.zeros(n_states, dtype=bool)
    terminal[arrival[ends]] = True
    keep = ~terminal[state]
    absorbed = np.flatnonzero(terminal)
    shape = (n_states, n_states)
    matrices, rewards = [], []
    for a in range(n_actions):
        now = keep & (action == a)
        rows = np.concatenate([state[now], absorbed])
        columns = np.concatenate([arrival[now], absorbed])
        weights = np.concatenate([probability[now], np.ones(absorbed.size)])
        P = sparse.csr_array((weights, (rows, columns)), shape=shape)
        paid = sparse.csr_array(
            (probability[now] * reward[now], (state[now], arrival[now])), shape=shape
        )
        matrices.append(P)
        # The mean reward of outcomes that lead to the same state.
        rewards.append(sparse.csr_array(paid.multiply(P.power(-1.0))))
    return RewardedMDP(matrices, discount, rewards, start)


Entries = tuple[np.ndarray, ...]
"""State, action, probability, next state, reward, and whether the episode ends, as columns."""


def _read(env: Any, max_steps: int) -> tuple[Entries, tuple[int, int], FloatArray | None]:
    """Return the outcomes of an environment, its shape (S, A), and its starts."""
    unwrapped = getattr(env, "unwrapped", env)
    table = getattr(unwrapped, "P", None)
    if isinstance(table, Mapping) and table:
        entries, shape = _read_table(unwrapped, table)
        start: Any = getattr(unwrapped, "initial_state_distrib", None)
        return entries, shape, start if np.shape(start) == shape[:1] else None
    n_states, n_actions = (_size_of(getattr(env, name, None)) for name in _SPACES)
    if n_states is None or n_actions is None:
        spaces = "".join(
            f"its {name} is {getattr(unwrapped, name)!s:.120}; "
            for name in _SPACES
            if hasattr(unwrapped, name)
        )
        raise InputError(
            f"{type(unwrapped).__name__} has no transition table; {spaces}"
            f"expected env.unwrapped.P[state][action] = [{_OUTCOME}, ...], "
            "as FrozenLake, CliffWalking and Taxi have, or Discrete observations and actions; "
            f"{_OTHER_WAYS}"
        )
    return _explore(env, (n_states, n_actions), max_steps)


def _read_table(unwrapped: Any, table: Mapping[Any, Any]) -> tuple[Entries, tuple[int, int]]:
    """Return the outcomes of a table, and its shape (S, A)."""
    first = table[next(iter(table))]
    shape = len(table), len(first) if isinstance(first, Mapping) else 0
    for name, n, what in zip(_SPACES, shape, ("states", "actions"), strict=True):
        space = getattr(unwrapped, name, None)
        if space is not None and _size_of(space) != n:
            raise InputError(
                f"the {name} of {type(unwrapped).__name__} is {space!s:.120}; "
                f"its table has {n} {what}, which takes Discrete({n}); {_OTHER_WAYS}"
            )
    entries = []
    for s in range(shape[0]):
        actions = table.get(s)
        if not isinstance(actions, Mapping) or not actions or set(actions) != set(range(shape[1])):
            raise InputError(
                f"P[{s}] does not hold the actions 0..{shape[1] - 1}; "
                "every state needs the same actions"
            )
        for a, outcomes in actions.items():
            try:
                row = [(s, a, *_read_outcome(outcome, shape[0])) for outcome in outcomes]
            except (TypeError, ValueError):
                row = []
            if not row:
                raise InputError(
                    f"P[{s}][{a}] is {short_repr(outcomes)}; expected at least one {_OUTCOME}, "
                    f"with next_state in 0..{shape[0] - 1}"
                )
            entries += row
    return _columns(entries), shape


def _read_outcome(outcome: Any, n_states: int) -> tuple[float, int, float, bool]:
    """Return one outcome of a table, or raise `TypeError` or `ValueError`."""
    probability, arrival, reward, ends = outcome
    return (
        check_number(probability, "probability"),
        check_index(arrival, n_states, "next_state"),
        check_number(reward, "reward"),
        bool(ends),
    )


def _explore(
    env: Any, shape: tuple[int, int], max_steps: int
) -> tuple[Entries, tuple[int, int], FloatArray]:
    """Try every action in every state that can be reached from the start.

    In each state an action that was not tried is taken. If there is none, known steps lead to the
    nearest state that has one.
    """
    n_states, n_actions = shape
    known: dict[tuple[int, int], tuple[int, float, bool]] = {}
    path: list[int] = []
    state = first = _reset(env)
    for _ in range(check_count(max_steps, "max_steps")):
        path = path or _path_to_untried(known, n_actions, state)
        if not path and state != first:
            state = _reset(env)
            path = _path_to_untried(known, n_actions, state)
        if not path:
            break
        action = path.pop(0)
        arrival, reward, terminated, truncated, _ = env.step(action)
        outcome = (int(arrival), float(reward), bool(terminated))
        if known.setdefault((state, action), outcome) != outcome:
            raise InputError(
                f"action {action} in state {state} of {type(env.unwrapped).__name__} led to "
                f"{known[state, action][:2]} and to {outcome[:2]} (state, reward); an environment "
                f"without a table must be deterministic. {_OTHER_WAYS}"
            )
        state = outcome[0]
        # A truncated step counts like any other, but the next path must begin at the start.
        if terminated or truncated:
            state, path = _reset(env), []
    else:
        raise InputError(
            f"{type(env.unwrapped).__name__} was not explored in {max_steps:,} steps; "
            "raise max_steps"
        )
    reached = {s for s, _ in known}
    entries = [(s, a, 1.0, *outcome) for (s, a), outcome in known.items()]
    others = set(range(n_states)) - reached
    entries += [(s, a, 1.0, s, 0.0, False) for s in others for a in range(n_actions)]
    return _columns(entries), shape, np.eye(1, n_states, first)[0]


def _reset(env: Any) -> int:
    return int(env.reset(seed=0)[0])


def _path_to_untried(
    known: Mapping[tuple[int, int], tuple[int, float, bool]], n_actions: int, state: int
) -> list[int]:
    """Return the fewest actions that end with one that was never tried, none if all were."""
    paths: dict[int, list[int]] = {state: []}
    queue = [state]
    for s in queue:
        for a in range(n_actions):
            if (s, a) not in known:
                return [*paths[s], a]
            arrival, _, ends = known[s, a]
            if not ends and arrival not in paths:
                paths[arrival] = [*paths[s], a]
                queue.append(arrival)
    return []


def _columns(entries: Sequence[tuple[Any, ...]]) -> Entries:
    """Return outcomes as columns."""
    return tuple(np.array(column) for column in zip(*entries, strict=True))


def _size_of(space: Any) -> int | None:
    """Return n of a space Discrete(n) that starts at 0, None of any other."""
    needs("envs", "from_gymnasium")
    from gymnasium.spaces import Discrete

    return int(space.n) if isinstance(space, Discrete) and space.start == 0 else None
