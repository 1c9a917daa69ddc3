"""`RewardTask`: collect rewards, those of an environment or your own.

A reward per state pays in the state that the agent is in, as in [yu2026]:

    V(s) = E sum_t g^t R(s_t),    t = 0, 1, ...

A terminal state is counted once, as in the maps, and nothing follows: V(s) = R(s) there, and
V = M R everywhere, with M the map that ends at the terminal states. A reward per action or per
transition pays on the step, and a terminal state is then worth 0.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, FloatArray, IntArray, read_only
from hsr._base.errors import InputError, short_repr
from hsr._base.frozen import Frozen
from hsr._base.validation import check_array, check_index, check_indices, read_numbers
from hsr.mdp.fingerprint import read_fingerprint
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.mdp.state_function import values_of_states

SMALLEST_REWARD, LARGEST_REWARD = 1e-250, 1e250  # sums over 1e5 steps stay far from the limits
_PLACES = 2**16  # of a table from which unequally probable starts are drawn


class RewardedMDP(FiniteMDP):
    """A `FiniteMDP` that keeps the rewards and the starts of the environment it was read from.

    `from_gymnasium` makes one. `RewardTask` reads what it keeps.

    Parameters
    ----------
    transition, discount : as in `FiniteMDP`
        The MDP.
    rewards : sequence of A sparse matrices of shape (S, S)
        What a step from s to t by action a pays.
    start : array of shape (S,), optional
        Probability that an episode begins in each state.
    """

    rewards: tuple[sparse.csr_array, ...]
    start: FloatArray | None

    def __init__(
        self,
        transition: Any,
        discount: float,
        rewards: Sequence[sparse.csr_array],
        start: FloatArray | None = None,
    ) -> None:
        super().__init__(transition, discount)
        kept = None if start is None else read_only(np.array(start, dtype=float))
        self._set(rewards=tuple(rewards), start=kept)

    def __reduce__(self) -> tuple[Any, ...]:
        matrices = [self.transition_of(action) for action in range(self.n_actions)]
        return RewardedMDP, (matrices, self.discount, self.rewards, self.start)


class RewardTask(Frozen):
    """The task of collecting rewards, discounted by the MDP.

    It is accepted wherever a `GoalTask` is. An episode ends in the terminal states, and in any
    absorbing state that pays nothing, such as a hole of FrozenLake.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP. One of `from_gymnasium` brings its rewards and starts.
    reward : array or function, optional
        An array of shape (S,) pays in each state that the agent is in, (S, A) for each action, and
        (S, A, S) for each action and the state that it leads to. A function of one argument is
        called with each state, and a function of two with the row and the column of its cell, if
        the MDP is that of a layout; both return the reward in that state. By default the rewards
        are the environment's own.
    start : int, optional
        The state in which all episodes begin. Otherwise starts are drawn from those of the
        environment, or uniformly from all states in which the episode is not over.
    terminal : list of states, optional
        Where episodes end. A reward per state is paid there once.

    Attributes
    ----------
    reward : array of shape (S,), (S, A), or tuple of A sparse arrays of shape (S, S)
        The rewards.
    per : {"state", "action", "transition"}
        What the rewards are paid for.
    starts : int array
        States, of which one is drawn uniformly to begin an episode.
    terminal : int array
        The states in which episodes end, in increasing order.

    Raises
    ------
    InputError
        If the MDP has no rewards of its own and none are given, their shape does not fit, they are
        not finite, or the episode is over in every state in which it could begin.

    Examples
    --------
    Five cells. The agent passes a penalty on its way to the last cell, and both are discounted:

    >>> import numpy as np, hsr
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.5)
    >>> task = hsr.RewardTask(mdp, [0, 0, -1, 0, 8], start=0, terminal=[4])
    >>> task
    RewardTask(-1 to 8 per state, start 0, terminal state 4)
    >>> hsr.optimal_value(mdp, task)
    array([0.25, 0.5 , 1.  , 4.  , 8.  ])

    The rewards of an environment, -1 for each of 13 steps:

    >>> import gymnasium
    >>> mdp = hsr.from_gymnasium(gymnasium.make("CliffWalking-v1"), discount=0.9)
    >>> task = hsr.RewardTask(mdp)
    >>> task
    RewardTask(-100 to 0 per transition, start 36, terminal state 47)
    >>> float(hsr.optimal_value(mdp, task)[task.start].round(3))
    -7.458
    """

    reward: Any
    per: str
    starts: IntArray
    terminal: IntArray
    mdp_fingerprint: str

    def __init__(
        self,
        mdp: FiniteMDP,
        reward: Any = None,
        start: int | None = None,
        terminal: Any = None,
    ) -> None:
        check_mdp(mdp)
        if reward is not None:
            per, reward = _read_reward(mdp, reward)
        elif isinstance(mdp, RewardedMDP):
            per, reward = "transition", mdp.rewards
        else:
            raise InputError(
                "this MDP has no rewards of its own; give a reward of shape "
                f"({mdp.n_states},), or make the MDP with hsr.from_gymnasium"
            )
        given = check_indices([] if terminal is None else terminal, mdp.n_states, "terminal")
        self._set(reward=reward, per=per, terminal=given, mdp_fingerprint=mdp.fingerprint)
        over = absorbing_states(mdp) & (expected_rewards(mdp, self) == 0.0).all(axis=1)
        over[given] = True
        self._set(
            terminal=read_only(np.flatnonzero(over)), starts=read_only(_starts(mdp, start, over))
        )

    @classmethod
    def from_arrays(
        cls, reward: Any, starts: IntArray, terminal: IntArray, mdp_fingerprint: str
    ) -> "RewardTask":
        """Return the task with these attributes, as `hsr.load` does; no MDP is needed.

        Parameters
        ----------
        reward, starts, terminal : arrays
            The attributes of a task.
        mdp_fingerprint : str
            The fingerprint of the MDP that the task was made for.

        Examples
        --------
        >>> import hsr
        >>> task = hsr.RewardTask(hsr.grid_mdp("four_rooms"), range(104), start=0)
        >>> RewardTask.from_arrays(
        ...     task.reward, task.starts, task.terminal, task.mdp_fingerprint
        ... )
        RewardTask(0 to 103 per state, start 0, never ends)
        """
        parts = reward if isinstance(reward, tuple) else (reward,)
        n, task = parts[0].shape[0], cls.__new__(cls)
        per = "transition" if isinstance(reward, tuple) else ("", "state", "action")[reward.ndim]
        for part in parts:
            numbers = part
            if per == "transition":
                part.check_format(full_check=True)
                numbers = part.data
            if part.shape[0] != n or not np.isfinite(numbers).all():
                raise InputError("reward must be finite numbers, one row for each state")
        for name, states in (("starts", starts), ("terminal", terminal)):
            check_indices(states, n, name)
        if not starts.size or np.isin(starts, terminal).any() or (np.diff(terminal) <= 0).any():
            raise InputError(
                "starts must hold a state, none of them terminal, and terminal must increase"
            )
        if read_fingerprint(mdp_fingerprint) is None:
            raise InputError("mdp_fingerprint is None; it must be that of an MDP")
        task._set(
            reward=reward,
            per=per,
            starts=starts,
            terminal=terminal,
            mdp_fingerprint=mdp_fingerprint,
        )
        return task

    @property
    def start(self) -> int | None:
        """The state in which all episodes begin, None if there are several."""
        return int(self.starts[0]) if np.ptp(self.starts) == 0 else None

    @property
    def largest(self) -> float:
        """The largest reward of either sign, in absolute value."""
        return max(map(abs, self._range()))

    def _range(self) -> tuple[float, float]:
        parts = self.reward if self.per == "transition" else (self.reward,)
        return min(float(part.min()) for part in parts), max(float(part.max()) for part in parts)

    def __repr__(self) -> str:
        low, high = self._range()
        start = f"start {self.start}"
        if self.start is None:
            start = f"{np.unique(self.starts).size} starts"
        return f"RewardTask({low:g} to {high:g} per {self.per}, {start}, {self.ends})"

    @property
    def ends(self) -> str:
        """Where the task ends, for `repr`."""
        if not self.terminal.size:
            return "never ends"
        if self.terminal.size == 1:
            return f"terminal state {self.terminal[0]}"
        return f"{self.terminal.size} terminal states"

    def at_end(self, mdp: FiniteMDP) -> FloatArray:
        """Return the value of beginning in a terminal state, 0 elsewhere, of shape (S,)."""
        value = np.zeros(mdp.n_states)
        if self.per == "state":
            value[self.terminal] = self.reward[self.terminal]
        return value

    def check_fits(self, mdp: FiniteMDP) -> None:
        """Raise `InputError` if the task was made for another MDP. The discount may differ."""
        if mdp.fingerprint != self.mdp_fingerprint:
            raise InputError(
                "this RewardTask was made for another MDP; make it with this one, or use a "
                "GoalTask if the MDP changes"
            )

    def pays(self, mdp: FiniteMDP, states: IntArray, actions: IntArray, arrivals: IntArray) -> Any:
        """Return what steps pay, of shape (n,).

        With a reward per state a step pays in the state that is left, and a step into a terminal
        state also pays the discounted reward there. The discounted sum over an episode is then
        that of the states that were visited, the last one included.

        Parameters
        ----------
        mdp : FiniteMDP
            The MDP of the task, with any discount.
        states, actions, arrivals : int arrays of shape (n,)
            The state, the action and the next state of each step.
        """
        if self.per == "state":
            return self.reward[states] + mdp.discount * self.at_end(mdp)[arrivals]
        if self.per == "action":
            return self.reward[states, actions]
        paid = np.zeros(states.size)
        for a, R in enumerate(self.reward):
            own = np.flatnonzero(actions == a)
            if own.size:
                paid[own] = R[states[own], arrivals[own]]
        return paid


def expected_rewards(mdp: FiniteMDP, task: Any) -> FloatArray:
    """Return the expected reward of each action of a checked task, of shape (S, A)."""
    of_actions = []
    for action in range(mdp.n_actions):
        P = mdp.transition_of(action)
        states = np.repeat(np.arange(mdp.n_states), np.diff(P.indptr))
        paid = task.pays(mdp, states, np.full(states.size, action), P.indices)
        of_actions.append(np.bincount(states, P.data * paid, minlength=mdp.n_states))
    return np.stack(of_actions, axis=1)


def absorbing_states(mdp: FiniteMDP) -> BoolArray:
    """Return which states no action leaves, of shape (S,)."""
    if mdp.successors is not None:
        return np.asarray((mdp.successors == np.arange(mdp.n_states)[:, None]).all(axis=1))
    stays = [mdp.transition_of(action).diagonal() for action in range(mdp.n_actions)]
    return np.asarray((np.stack(stays) == 1.0).all(axis=0))


def _read_reward(mdp: FiniteMDP, reward: Any) -> tuple[str, Any]:
    """Return what given rewards are paid for, and the rewards."""
    n, n_actions = mdp.n_states, mdp.n_actions
    if callable(reward):
        reward = values_of_states(mdp, reward, "reward")
    shapes = f"({n},), ({n}, {n_actions}) or ({n}, {n_actions}, {n})"
    numbers = read_numbers(
        reward,
        f"reward is {short_repr(reward)}; it must be numbers of shape {shapes}, or a function",
    )
    if numbers.shape not in ((n,), (n, n_actions), (n, n_actions, n)):
        raise InputError(f"reward has shape {numbers.shape}; it must be {shapes}")
    check_array(numbers, numbers.shape, "reward")
    largest = np.abs(numbers).max()
    if largest and not SMALLEST_REWARD <= largest <= LARGEST_REWARD:
        raise InputError(
            f"the largest reward is {largest:g} in absolute value; it must be 0 or lie in "
            f"{SMALLEST_REWARD:g}..{LARGEST_REWARD:g}, so that values can be computed"
        )
    if numbers.shape == (n,):
        return "state", read_only(np.array(numbers, dtype=float))
    if numbers.shape == (n, n_actions):
        return "action", read_only(np.array(numbers, dtype=float))
    return "transition", tuple(
        sparse.csr_array(numbers[:, action].astype(float)) for action in range(n_actions)
    )


def _starts(mdp: FiniteMDP, start: int | None, over: BoolArray) -> IntArray:
    """Return states of which one is drawn uniformly to begin an episode."""
    if start is not None:
        if over[check_index(start, mdp.n_states, "start")]:
            raise InputError(f"start is {start}, where the episode is already over")
        return np.array([int(start)])
    given = mdp.start if isinstance(mdp, RewardedMDP) else None
    probability = np.where(over, 0.0, 1.0 if given is None else given)
    possible = np.flatnonzero(probability)
    if not possible.size:
        raise InputError("there is no state to begin in: the episode is over everywhere")
    if np.ptp(probability[possible]) <= 1e-12:
        return possible
    # The kernel draws from a list uniformly, so a probability becomes a number of places.
    cumulative = np.cumsum(probability[possible])
    drawn = (np.arange(_PLACES) + 0.5) / _PLACES * cumulative[-1]
    return np.asarray(possible[np.searchsorted(cumulative, drawn, side="right")])
