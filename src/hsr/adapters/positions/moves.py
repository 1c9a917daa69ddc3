"""Moves between bins: which are seen, and which way a move took that skips a bin."""

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from hsr._base.arrays import FloatArray, IntArray

_LONGEST = 2.0  # times the moves along x and y that a filled way may have


@dataclass
class Passages:
    """The open passages between bins, and short ways through them.

    Parameters
    ----------
    moves : int array of shape (B, A)
        The neighbour that each action leads to, -1 where there is none.
    places : float array of shape (B, 2)
        Centre of each bin, in units of bins along x and y.
    """

    moves: IntArray
    places: FloatArray
    _ways: dict[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)

    def way(self, begin: int, end: int) -> tuple[int, ...]:
        """Return the bins after `begin` up to `end` on a shortest way, or () if it is long.

        Of equally short ways the one that keeps nearest to the straight line is taken. A way is
        long if it has more than twice the moves that an open arena would need.
        """
        if (begin, end) not in self._ways:
            self._ways[begin, end] = self._find(begin, end)
        return self._ways[begin, end]

    def _find(self, begin: int, end: int) -> tuple[int, ...]:
        straight = np.abs(self.places[end] - self.places[begin]).sum()
        most = max(2, int(np.ceil(_LONGEST * straight - 1e-9)))
        steps = self._steps_to(end, begin, most)
        if begin not in steps:
            return ()
        way = [begin]
        while way[-1] != end:
            near = [int(b) for b in self.moves[way[-1]] if b >= 0]
            closer = [b for b in near if steps.get(b, most + 1) == steps[way[-1]] - 1]
            way.append(min(closer, key=lambda b: (self._off(begin, end, b), b)))
        return tuple(way[1:])

    def _steps_to(self, end: int, begin: int, most: int) -> dict[int, int]:
        """Return the moves from each bin to `end`, up to the distance of `begin`."""
        steps = {end: 0}
        waiting = deque([end])
        while waiting and begin not in steps:
            at = waiting.popleft()
            if steps[at] == most:
                break
            for b in self.moves[at]:
                if b >= 0 and int(b) not in steps:
                    steps[int(b)] = steps[at] + 1
                    waiting.append(int(b))
        return steps

    def _off(self, begin: int, end: int, place: int) -> float:
        """Return how far a bin lies from the straight line, rounded against noise."""
        along = self.places[end] - self.places[begin]
        to = self.places[place] - self.places[begin]
        cross = along[0] * to[1] - along[1] * to[0]
        return round(float(abs(cross) / np.hypot(*along)), 9)


def action_of(moves: IntArray, begin: IntArray, end: IntArray) -> IntArray:
    """Return the action that leads from each bin to the next, -1 if none does."""
    fits = moves[begin] == end[:, None]
    return np.where(fits.any(axis=1), fits.argmax(axis=1), -1)


def seen_passages(moves: IntArray, begin: IntArray, end: IntArray) -> IntArray:
    """Return the table of moves with only those that were seen, in either direction."""
    pairs = np.concatenate([np.stack([begin, end]), np.stack([end, begin])], axis=1)
    pairs = np.unique(pairs, axis=1)
    action = action_of(moves, *pairs)
    known = np.full_like(moves, -1)
    there = action >= 0
    known[pairs[0, there], action[there]] = pairs[1, there]
    return known
