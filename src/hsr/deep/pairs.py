"""Pairs of observations a geometric number of steps apart, from which slow functions are learned.

Where states are listed, walks are drawn again from the log: each step takes one of the actions that
the log tries in the state, all with the same probability, and then one of the logged outcomes. The
behaviour that made the log has no influence, nor has its order. Where states are not listed, pairs
lie on the trajectories of the log.
"""

from typing import NamedTuple

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError
from hsr.deep.experience import Experience

N_PAIRS = 2**20


class Pairs(NamedTuple):
    """The distribution of pairs, in full or as a sample.

    Parameters
    ----------
    joint : array of shape (R, R), or None
        The probability of each pair of rows, symmetric. None if there are too many rows.
    rows : int array of shape (n, 2), or None
        Pairs that were drawn. None if their distribution is known.
    """

    joint: FloatArray | None
    rows: IntArray | None

    def mean(self, values: FloatArray) -> FloatArray:
        """Return the mean of functions of rows, given as (R, K), over both ends of pairs."""
        if self.joint is not None:
            return self.joint.sum(axis=0) @ values
        assert self.rows is not None
        mean: FloatArray = values[self.rows.ravel()].mean(axis=0)
        return mean

    def products(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean products of functions at one row, and at the two rows of a pair.

        Parameters
        ----------
        values : array of shape (R, K)
            The functions.

        Returns
        -------
        tuple of two arrays of shape (K, K)
            Both are symmetric.
        """
        if self.joint is not None:
            at_one = values.T @ (self.joint.sum(axis=0)[:, None] * values)
            return at_one, values.T @ self.joint @ values
        assert self.rows is not None
        first, second = values[self.rows[:, 0]], values[self.rows[:, 1]]
        at_one = (first.T @ first + second.T @ second) / (2 * len(first))
        at_two = first.T @ second / len(first)
        return at_one, (at_two + at_two.T) / 2


def read_pairs(
    experience: Experience, gamma: float, most_rows: int, rng: np.random.Generator
) -> Pairs:
    """Return pairs (s, t), with t a geometric number of steps after s.

    Parameters
    ----------
    experience : Experience
        The transitions.
    gamma : float
        The number of steps is k with probability (1 - gamma) gamma^(k - 1), for k = 1, 2, ...
    most_rows : int
        The distribution of pairs is computed in full for at most so many states.
    rng : numpy.random.Generator
        Draws the pairs otherwise.
    """
    if not experience.listed:
        return Pairs(None, _along_trajectories(experience, gamma, rng))
    if experience.n_rows <= most_rows:
        return Pairs(_joint(experience, gamma), None)
    return Pairs(None, _walks(experience, gamma, rng))


class _Tried(NamedTuple):
    """The steps of a log, sorted by state and action.

    A group is a state with one of the actions that the log tries there.
    """

    next_state: IntArray  # (n,), of the sorted steps
    state: IntArray  # (n,)
    group: IntArray  # (n,), to which group each step belongs
    first_step: IntArray  # (G,)
    n_steps: IntArray  # (G,)
    first_group: IntArray  # (R,)
    n_groups: IntArray  # (R,)


def _tried(experience: Experience) -> _Tried:
    state, action, next_state = experience.steps.T
    key = state * experience.n_actions + action
    order = np.argsort(key, kind="stable")
    groups, first, group, count = np.unique(
        key[order], return_index=True, return_inverse=True, return_counts=True
    )
    rows = np.arange(experience.n_rows)
    owner = groups // experience.n_actions
    return _Tried(
        next_state[order],
        state[order],
        group,
        first,
        count,
        np.searchsorted(owner, rows),
        np.bincount(owner, minlength=rows.size),
    )


def visited(experience: Experience) -> IntArray:
    """Return the rows that occur in the log."""
    return np.unique(experience.steps[:, [0, 2]])


def _joint(experience: Experience, gamma: float) -> FloatArray:
    """Return the probability of each pair, for walks that start uniformly in visited states."""
    log, n = _tried(experience), experience.n_rows
    P = np.zeros((n, n))
    share = 1.0 / (log.n_groups[log.state] * log.n_steps[log.group])
    np.add.at(P, (log.state, log.next_state), share)
    never_left = np.flatnonzero(log.n_groups == 0)
    P[never_left, never_left] = 1.0
    starts = np.zeros(n)
    starts[visited(experience)] = 1.0
    later = (1.0 - gamma) * np.linalg.solve(np.eye(n) - gamma * P, P)
    joint = (starts / starts.sum())[:, None] * later
    return (joint + joint.T) / 2


def _walks(experience: Experience, gamma: float, rng: np.random.Generator) -> IntArray:
    """Return the first and the last state of walks that are drawn again from the log."""
    log = _tried(experience)
    first = rng.choice(visited(experience), N_PAIRS)
    now, left = first.copy(), rng.geometric(1.0 - gamma, N_PAIRS)
    walking = np.arange(N_PAIRS)
    while walking.size:
        walking = walking[(left[walking] > 0) & (log.n_groups[now[walking]] > 0)]
        s = now[walking]
        group = log.first_group[s] + _drawn(log.n_groups[s], rng)
        step = log.first_step[group] + _drawn(log.n_steps[group], rng)
        now[walking] = log.next_state[step]
        left[walking] -= 1
    return np.column_stack([first, now])


def _drawn(sizes: IntArray, rng: np.random.Generator) -> IntArray:
    """Return a number below each size."""
    return (rng.random(sizes.size) * sizes).astype(np.int64)


def _along_trajectories(experience: Experience, gamma: float, rng: np.random.Generator) -> IntArray:
    """Return rows of the log a number of steps apart that fits into the trajectory."""
    follows, n = experience.follows, len(experience.steps)
    if gamma > 0.0 and not follows.any():
        raise InputError(
            "no step of the log starts where the step before it ended; give the steps in the "
            "order of time, or discount=0, which compares the two ends of single steps"
        )
    ends = np.flatnonzero(np.append(~follows, True))
    first = rng.integers(n, size=N_PAIRS)
    room = ends[np.searchsorted(ends, first)] - first
    apart = np.zeros(N_PAIRS, dtype=np.int64)
    if gamma > 0.0:
        reached = 1.0 - rng.random(N_PAIRS) * (1.0 - gamma ** (room + 1.0))
        apart = np.minimum((np.log(reached) / np.log(gamma)).astype(np.int64), room)
    return np.column_stack([experience.steps[first, 0], experience.steps[first + apart, 2]])
