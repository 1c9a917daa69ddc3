"""One feature per state: the tabular baseline in the same clothes as the others.

    phi(s) = e_s,      features = I  (S, S),      components = M  (S, n_features)

Nothing is shared between states, so nothing is learned from the map but how many states there are.
A row of numbers does not say which state it belongs to: features of *new* map rows do not exist,
and ``transform`` takes states only.
"""

from typing import Any, Self

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.memory import check_fits
from hsr.basis.blocks import Map, dense
from hsr.basis.contract import Basis, read_map


class OneHotBasis(Basis):
    """Unit vectors as features of states.

    Attributes
    ----------
    features_ : ndarray of shape (S, S), built on each access; ``transform(states)`` builds only
    what it returns
    components_ : ndarray of shape (S, n_features), the map itself
    map_ : the fitted map, lazy if it was lazy
    n_components_, n_features_in_, n_states_ : int

    Examples
    --------
    >>> OneHotBasis().fit(np.ones((3, 3))).transform([2, 0])
    array([[0., 0., 1.],
           [1., 0., 0.]])
    """

    def fit(self, M: Any, y: None = None) -> Self:
        """Count the states of a map of shape (S, n_features); `y` is not used."""
        M = read_map(self, M)
        self.map_: Map = M.copy() if isinstance(M, np.ndarray) else M
        self.n_components_ = self.n_states_
        return self

    @property
    def features_(self) -> FloatArray:
        """The identity, of shape (S, S); refused when it would not fit in memory."""
        return self._features_of(np.arange(self.n_states_))

    @property
    def components_(self) -> FloatArray:
        """The map, of shape (S, n_features); refused when it would not fit in memory."""
        return dense(self.map_)

    def _features_of(self, states: IntArray) -> FloatArray:
        n = self.n_states_
        check_fits(
            8 * states.size * n,
            f"one-hot features of shape ({states.size}, {n})",
            "ask for fewer states at a time",
        )
        features = np.zeros((states.size, n))
        features[np.arange(states.size), states] = 1.0
        return features

    def _project(self, rows: FloatArray) -> FloatArray:
        raise InputError(
            f"one-hot features of an array of shape {rows.shape} do not exist; give a list of states, "
            "or fit a RowBasis, SVDBasis or NMFBasis to get features of new map rows"
        )
