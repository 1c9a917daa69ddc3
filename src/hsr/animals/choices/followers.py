"""Behaviour statistics: how often each neighbour followed the last states."""

from dataclasses import dataclass

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr.animals.choices.recorded import Choices


@dataclass(frozen=True)
class Followers:
    """How often each neighbour followed the last states, as a function of the moves that count.

    With n(h, k) the number of times that neighbour k followed the history h of m states, and h'
    the same history without its oldest state,

        p_m(k | h) = (n(h, k) + c p_{m-1}(k | h')) / (sum_j n(h, j) + c),

    and p_0 is uniform over the neighbours.
    """

    choices: Choices
    order: int
    pseudo_counts: float

    def __call__(self, seen: BoolArray) -> FloatArray:
        """Return the probability of each neighbour at each move, of shape (T, K)."""
        choices, c = self.choices, self.pseudo_counts
        there = choices.neighbours[choices.state] >= 0
        p: FloatArray = there / there.sum(axis=1, keepdims=True)
        history = np.zeros(choices.state.size, dtype=np.int64)
        for back in range(self.order):
            key = history * (choices.neighbours.shape[0] + 1) + self._state_before(back)
            history = np.unique(key, return_inverse=True)[1]
            n = np.zeros((int(history.max()) + 1, there.shape[1]))
            np.add.at(n, (history[seen], choices.chosen[seen]), 1.0)
            p = (n[history] + c * p) / (n[history].sum(axis=1, keepdims=True) + c)
        return p

    def _state_before(self, moves: int) -> IntArray:
        """Return the state so many moves before each move, the number of states if none."""
        choices = self.choices
        first = np.flatnonzero(choices.begins)[choices.path]
        when = np.arange(choices.state.size) - moves
        states = choices.state[np.maximum(when, 0)]
        return np.where(when >= first, states, choices.neighbours.shape[0])
