"""`OneHotBasis`: one feature per state, the tabular baseline."""

from typing import Any, Self

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.memory import check_fits
from hsr.basis.blocks import Map, dense
from hsr.basis.contract import Basis, read_map


class OneHotBasis(Basis):
    """Unit vectors as features: the tabular baseline with the same interface as the others.

        phi(s) = e_s,    features = I (S, S),    components = M (S, n_features)

    States share nothing, so nothing is learned from the map but the number of states. The features
    of *new* map rows do not exist, because a row does not say which state it belongs to.
    ``transform`` takes states only.

    Attributes
    ----------
    features_ : ndarray of shape (S, S)
        The identity, built on each access. ``transform(states)`` builds only what it returns.
    components_ : ndarray of shape (S, n_features)
        The map itself.
    map_ : PredictiveMap or ndarray
        The fitted map, lazy if it was lazy.
    n_components_, n_features_in_, n_states_ : int
        Number of features S, number of columns of the map, and number of states S.
    mdp_fingerprint_ : str or None
        Fingerprint of the MDP whose map was fitted, None for an array.

    Examples
    --------
    >>> OneHotBasis().fit(np.ones((3, 3))).transform([2, 0])
    array([[0., 0., 1.],
           [1., 0., 0.]])
    """

    def fit(self, M: Any, y: None = None) -> Self:
        """Count the states of a map.

        Parameters
        ----------
        M : PredictiveMap or array of shape (S, n_features)
            The map.
        y : None
            Ignored. scikit-learn's pipelines pass it.

        Returns
        -------
        self : OneHotBasis
        """
        M = read_map(self, M)
        self.map_: Map = M.copy() if isinstance(M, np.ndarray) else M
        self.n_components_ = self.n_states_
        return self

    @property
    def features_(self) -> FloatArray:
        """The identity, of shape (S, S). Refused if it would not fit in memory."""
        return self._features_of(np.arange(self.n_states_))

    @property
    def components_(self) -> FloatArray:
        """The map, of shape (S, n_features). Refused if it would not fit in memory."""
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
            f"one-hot features of an array of shape {rows.shape} do not exist; "
            "give a list of states, "
            "or fit a RowBasis, SVDBasis or NMFBasis to get features of new map rows"
        )
