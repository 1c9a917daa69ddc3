"""Bases without compression: rows of a map (`RowBasis`) and unit vectors (`OneHotBasis`)."""

from functools import cached_property
from typing import Any, Self

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.validation import check_choice
from hsr.basis.contract import Basis, Map, dense, read_map, row_blocks, rows_of
from hsr.basis.scaling import SCALES, ones_for_zeros, scaled


class RowBasis(Basis):
    """Rows of a map as features: no compression, only the map itself.

        phi(s) = M[s],    features = M (S, n_features),    components = I (n_features, n_features)

    A lazy map stays lazy. Rows of chosen states are computed by ``transform(states)``, and
    ``features_`` is written out on first access.

    Parameters
    ----------
    scale : {"none", "max", "unit_columns", "unit_rows"}
        Leave features as they are, divide each column by its largest absolute entry or by its
        Euclidean norm, or divide each row by its Euclidean norm. A linear learner's effective step
        size grows with the squared length of its features, so tune it for each scale. With
        ``"unit_rows"``, ``features_ @ components_`` does not reconstruct the map.

    Attributes
    ----------
    features_ : ndarray of shape (S, n_features)
        The rows of all states, scaled.
    components_ : ndarray of shape (n_features, n_features)
        The diagonal matrix that undoes the scale of columns.
    map_ : PredictiveMap or ndarray
        The fitted map, lazy if it was lazy.
    scale_ : ndarray of shape (n_features,)
        What the columns of the map are divided by.
    n_components_, n_features_in_, n_states_ : int
        Number of features, number of columns of the map (the same), and number of states S.
    mdp_fingerprint_ : str or None
        Fingerprint of the MDP whose map was fitted, None for an array.

    Examples
    --------
    >>> RowBasis(scale="max").fit([[2.0, 0.0], [1.0, 4.0]]).features_
    array([[1. , 0. ],
           [0.5, 1. ]])
    """

    def __init__(self, scale: str = "none") -> None:
        self.scale = scale

    def fit(self, M: Any, y: None = None) -> Self:
        """Keep a map and learn the scale of its columns.

        Parameters
        ----------
        M : PredictiveMap or array of shape (S, n_features)
            The map.
        y : None
            Ignored. scikit-learn's pipelines pass it.

        Returns
        -------
        self : RowBasis
        """
        scale = check_choice(self.scale, SCALES, "scale")
        M = read_map(self, M)
        self.__dict__.pop("features_", None)
        self.map_: Map = M.copy() if isinstance(M, np.ndarray) else M
        self.scale_ = _column_scale(M, scale)
        self.n_components_ = int(M.shape[1])
        return self

    @cached_property
    def features_(self) -> FloatArray:
        """The scaled rows of all states, of shape (S, n_features)."""
        return scaled(dense(self.map_), self.scale, self.scale_)

    @property
    def components_(self) -> FloatArray:
        """The diagonal matrix that undoes the column scale, of shape (n_features, n_features)."""
        return np.diag(self.scale_)

    def _features_of(self, states: IntArray) -> FloatArray:
        return scaled(rows_of(self.map_, states), self.scale, self.scale_)

    def _project(self, rows: FloatArray) -> FloatArray:
        return scaled(rows.copy(), self.scale, self.scale_)


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
        """The identity, of shape (S, S)."""
        return self._features_of(np.arange(self.n_states_))

    @property
    def components_(self) -> FloatArray:
        """The map, of shape (S, n_features). Refused if it would not fit in memory."""
        return dense(self.map_)

    def _features_of(self, states: IntArray) -> FloatArray:
        features = np.zeros((states.size, self.n_states_))
        features[np.arange(states.size), states] = 1.0
        return features

    def _project(self, rows: FloatArray) -> FloatArray:
        raise InputError(
            f"one-hot features of an array of shape {rows.shape} do not exist; "
            "give a list of states, "
            "or fit a RowBasis, SVDBasis or NMFBasis to get features of new map rows"
        )


def _column_scale(M: Map, scale: str) -> FloatArray:
    """Return the column divisors, of shape (n_features,), of a map read in blocks of rows."""
    sizes = np.zeros(M.shape[1])
    if scale == "max":
        for _, rows in row_blocks(M):
            np.maximum(sizes, np.abs(rows).max(axis=0), out=sizes)
    elif scale == "unit_columns":
        for _, rows in row_blocks(M):
            sizes += np.square(rows).sum(axis=0)
        sizes = np.sqrt(sizes)
    return ones_for_zeros(sizes)
