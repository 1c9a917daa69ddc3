"""`RewardTask`: collect rewards, those of an environment or your own."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, FloatArray, IntArray, read_only
from hsr._base.errors import InputError
from hsr._base.frozen import Frozen
from hsr._base.validation import check_index, read_numbers
from hsr.mdp.finite import FiniteMDP, check_mdp

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

    An episode begins in the environment's own start, and ends in an absorbing state that pays
    nothing, such as a hole of FrozenLake or its goal. `train` learns it like a `GoalTask`, and
    `optimal_value` and `greedy_policy` solve it exactly.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP. One of `from_gymnasium` brings its rewards and starts.
    rewards : array of shape (S, A) or (S, A, S), optional
        Your own rewards: of each action, or of each action and the state that it leads to.
    start : int, optional
        The state in which all episodes begin. Otherwise starts are drawn from those of the
        environment, or uniformly from all states in which the episode is not over.

    Attributes
    ----------
    expected : array of shape (S, A)
        The expected reward of each action.
    starts : int array
        States, of which one is drawn uniformly to begin an episode.
    ends : bool array of shape (S,)
        Where the episode is over.

    Raises
    ------
    InputError
        If the MDP has no rewards of its own and none are given, or their shape does not fit.

    Examples
    --------
    >>> import gymnasium, hsr
    >>> mdp = hsr.from_gymnasium(gymnasium.make("CliffWalking-v1"), discount=0.9)
    >>> task = hsr.RewardTask(mdp)
    >>> task
    RewardTask(48 states, 1 start, 1 end, rewards -100 to 0)
    >>> float(hsr.optimal_value(mdp, task)[task.starts[0]].round(3))  # -1 for each of 13 steps
    -7.458
    """

    expected: FloatArray
    starts: IntArray
    ends: BoolArray
    mdp_fingerprint: str
    _of_outcomes: tuple[Any, ...]

    def __init__(self, mdp: FiniteMDP, rewards: Any = None, *, start: int | None = None) -> None:
        check_mdp(mdp)
        if rewards is None:
            if not isinstance(mdp, RewardedMDP):
                raise InputError(
                    "this MDP has no rewards of its own; give rewards of shape "
                    f"({mdp.n_states}, {mdp.n_actions}), or make the MDP with hsr.from_gymnasium"
                )
            of_outcomes: tuple[Any, ...] = mdp.rewards
        else:
            of_outcomes = _read_rewards(mdp, rewards)
        expected = np.stack([_expected(mdp, a, R) for a, R in enumerate(of_outcomes)], axis=1)
        ends = absorbing_states(mdp) & (expected == 0.0).all(axis=1)
        self._set(
            expected=read_only(expected),
            starts=read_only(_starts(mdp, start, ends)),
            ends=read_only(ends),
            mdp_fingerprint=mdp.fingerprint,
            _of_outcomes=of_outcomes,
        )

    def __repr__(self) -> str:
        low, high = self.expected.min(), self.expected.max()
        n_starts, n_ends = np.unique(self.starts).size, int(self.ends.sum())
        return (
            f"RewardTask({self.ends.size} states, {n_starts} start{'s' * (n_starts != 1)}, "
            f"{n_ends} end{'s' * (n_ends != 1)}, rewards {low:g} to {high:g})"
        )

    def check_fits(self, mdp: FiniteMDP) -> None:
        """Raise `InputError` if the task was made for another MDP."""
        if mdp.fingerprint != self.mdp_fingerprint:
            raise InputError("this RewardTask was made for another MDP; make it with this one")

    def pays(self, states: IntArray, actions: IntArray, arrivals: IntArray) -> FloatArray:
        """Return what steps pay, of shape (n,)."""
        paid = np.zeros(states.size)
        for a, R in enumerate(self._of_outcomes):
            own = np.flatnonzero(actions == a)
            if isinstance(R, np.ndarray):
                paid[own] = R[states[own]]
            elif own.size:
                paid[own] = R[states[own], arrivals[own]]
        return paid


def absorbing_states(mdp: FiniteMDP) -> BoolArray:
    """Return which states no action leaves, of shape (S,)."""
    if mdp.successors is not None:
        return np.asarray((mdp.successors == np.arange(mdp.n_states)[:, None]).all(axis=1))
    stays = [mdp.transition_of(action).diagonal() for action in range(mdp.n_actions)]
    return np.asarray((np.stack(stays) == 1.0).all(axis=0))


def _read_rewards(mdp: FiniteMDP, rewards: Any) -> tuple[Any, ...]:
    """Return given rewards by action: one number per state, or a matrix of outcomes."""
    n, n_actions = mdp.n_states, mdp.n_actions
    numbers = read_numbers(rewards, "rewards must be numbers of shape (S, A) or (S, A, S)")
    if not np.isfinite(numbers).all():
        raise InputError("rewards has an entry that is not finite")
    if numbers.shape == (n, n_actions):
        return tuple(np.array(numbers.T))
    if numbers.shape == (n, n_actions, n):
        return tuple(sparse.csr_array(numbers[:, action]) for action in range(n_actions))
    raise InputError(
        f"rewards has shape {numbers.shape}; it must be ({n}, {n_actions}) or "
        f"({n}, {n_actions}, {n})"
    )


def _expected(mdp: FiniteMDP, action: int, R: Any) -> FloatArray:
    if isinstance(R, np.ndarray):
        return R
    return np.asarray(mdp.transition_of(action).multiply(R).sum(axis=1)).ravel()


def _starts(mdp: FiniteMDP, start: int | None, ends: BoolArray) -> IntArray:
    """Return states of which one is drawn uniformly to begin an episode."""
    if start is not None:
        if ends[check_index(start, mdp.n_states, "start")]:
            raise InputError(f"start is {start}, where the episode is already over")
        return np.array([int(start)])
    given = mdp.start if isinstance(mdp, RewardedMDP) else None
    probability = np.where(ends, 0.0, 1.0 if given is None else given)
    possible = np.flatnonzero(probability)
    if not possible.size:
        raise InputError("there is no state to begin in: the episode is over everywhere")
    if np.ptp(probability[possible]) <= 1e-12:
        return possible
    # The kernel draws from a list uniformly, so a probability becomes a number of places.
    cumulative = np.cumsum(probability[possible])
    drawn = (np.arange(_PLACES) + 0.5) / _PLACES * cumulative[-1]
    return np.asarray(possible[np.searchsorted(cumulative, drawn, side="right")])
