"""The way of the animal through a field, and the skew of the field along it."""

from dataclasses import dataclass

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr.adapters.positions.tracked import TrackedMDP


@dataclass(frozen=True)
class Travel:
    """The recorded path through bins, in pieces, without the time that the animal stays.

    Attributes
    ----------
    path : int array of shape (n,)
        The state at each step.
    begins : bool array of shape (n,)
        Whether a new piece of the path begins here.
    way : float array of shape (n,)
        Distance travelled so far, between centres of bins.
    n_states : int
        Number of states.
    """

    path: IntArray
    begins: BoolArray
    way: FloatArray
    n_states: int

    @classmethod
    def of(cls, mdp: TrackedMDP) -> "Travel":
        """Return the travel of a recording."""
        path = np.concatenate(mdp.paths)
        begins = np.zeros(path.size, dtype=bool)
        begins[np.cumsum([0] + [piece.size for piece in mdp.paths[:-1]])] = True
        moved = begins | (path != np.roll(path, 1))
        path, begins = path[moved], begins[moved]
        lengths = np.hypot(*np.diff(mdp.centres[path], axis=0, prepend=mdp.centres[path[:1]]).T)
        return cls(path, begins, np.cumsum(np.where(begins, 0.0, lengths)), mdp.n_states)

    def skew(self, states: IntArray, rates: FloatArray) -> float:
        """Return the skew of a field along the passes through it, as `place_fields` defines it.

        Parameters
        ----------
        states : int array of shape (n,)
            The bins of the field.
        rates : float array of shape (n,)
            The rate in each of them.
        """
        rate_of = np.zeros(self.n_states)
        rate_of[states] = rates
        step, entry = self._passes(rate_of > 0.0)
        if not step.size:
            return np.nan
        at_peak = self.path[step] == states[rates.argmax()]
        through, first = np.unique(entry[at_peak], return_index=True)
        peak_way = np.full(entry.max() + 1, np.nan)
        peak_way[through] = self.way[step[at_peak][first]]
        u = self.way[step] - peak_way[entry]
        counted = np.isfinite(u)
        return _skewness(u[counted], rate_of[self.path[step[counted]]])

    def _passes(self, member: BoolArray) -> tuple[IntArray, IntArray]:
        """Return the steps inside a set of states and their passes, of passes seen as a whole."""
        inside = member[self.path]
        before, after = np.roll(inside, 1), np.roll(inside, -1)
        ends = np.roll(self.begins, -1)
        enters, leaves = inside & (self.begins | ~before), inside & (ends | ~after)
        whole = ~self.begins[enters] & ~ends[leaves]
        step = np.flatnonzero(inside)
        number = np.cumsum(enters)[step] - 1
        kept = whole[number] if step.size else np.zeros(0, dtype=bool)
        return step[kept], number[kept]


def _skewness(u: FloatArray, weights: FloatArray) -> float:
    """Return the third standardised moment of weighted numbers, nan if they are all equal."""
    if not weights.sum() > 0.0:
        return np.nan
    p = weights / weights.sum()
    from_mean = u - p @ u
    variance = float(p @ from_mean**2)
    if not variance > 1e-24 * float(np.abs(u).max(initial=0.0)) ** 2:
        return np.nan
    return float(p @ from_mean**3 / variance**1.5)
