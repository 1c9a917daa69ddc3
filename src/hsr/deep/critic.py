"""What parts are fitted to: the entries of a map as a density, at pairs of observations."""

from typing import Any, NamedTuple

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.lazy import LazyMatrix
from hsr._base.validation import check_array, check_distribution_rows
from hsr.deep.experience import Experience, observed_states
from hsr.deep.factors import Visits, visits_of
from hsr.deep.learned_map import LearnedMap
from hsr.deep.learned_measure import LearnedMeasure


class Critic(NamedTuple):
    """A density of visits, known at all pairs of a row and a column.

    Parameters
    ----------
    left : array of shape (R, d)
        The density itself, or its first factor.
    right : array of shape (D, d), or None
        Its second factor. None if `left` is the density and d = D.
    rows, columns : Experience
        What is observed at rows and at columns.
    row_visits, column_visits : Visits
        How often each is met.
    """

    left: FloatArray
    right: FloatArray | None
    rows: Experience
    columns: Experience
    row_visits: Visits
    column_visits: Visits

    def at(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Return the density at all pairs of some rows and columns."""
        if self.right is None:
            return self.left[np.ix_(rows, columns)]
        return np.asarray(self.left[rows] @ self.right[columns].T)


def read_critic(M: Any, observe: Any, distribution: Any) -> Critic:
    """Return a map as a density.

    Parameters
    ----------
    M : LearnedMeasure, LearnedMap, PredictiveMap or array of shape (S, n_features)
        The map.
    observe : array of shape (S, ...), callable or None
        What is observed in each state. Learned maps have their own observations.
    distribution : array of shape (S,), or None
        The probability of each state. Uniform by default. Learned maps have that of their log.
    """
    if isinstance(M, LearnedMeasure | LearnedMap):
        if observe is not None or distribution is not None:
            name = "observe" if observe is not None else "distribution"
            raise InputError(f"{name} is given; a learned map has its own, from its log")
        visits = visits_of(M.experience)
        if isinstance(M, LearnedMeasure):
            return Critic(M.left, M.right, M.experience, M.experience, visits, visits)
        return _of_entries(M.toarray(), M.experience, visits, M.of_states)
    entries = M.toarray() if isinstance(M, LazyMatrix) else M
    states = observed_states(observe, len(entries))
    if distribution is None:
        probability = np.full(len(entries), 1.0 / len(entries))
    else:
        probability = check_distribution_rows(
            check_array(distribution, (len(entries),), "distribution")[None], "distribution"
        )[0]
    visits = Visits(np.arange(len(entries)), probability)
    return _of_entries(entries, states, visits, entries.shape[0] == entries.shape[1])


def _of_entries(M: FloatArray, states: Experience, visits: Visits, square: bool) -> Critic:
    columns, column_visits = states, visits
    if not square:
        n = M.shape[1]
        columns = observed_states(None, n)
        column_visits = Visits(np.arange(n), np.full(n, 1.0 / n))
    rho = column_visits.probability
    density = np.divide(M, rho, out=np.zeros_like(M), where=rho > 0.0)
    return Critic(density, None, states, columns, visits, column_visits)
