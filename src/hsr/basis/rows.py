"""`RowBasis`: the rows of a map, without compression."""

from functools import cached_property
from typing import Any, Self

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.memory import check_fits
from hsr._base.validation import check_choice
from hsr.basis.blocks import Map, dense, row_blocks, rows_of
from hsr.basis.contract import Basis, read_map
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
        n = self.n_components_
        check_fits(8 * n * n, f"the diagonal array of shape ({n}, {n})", "its diagonal is scale_")
        return np.diag(self.scale_)

    def _features_of(self, states: IntArray) -> FloatArray:
        return scaled(rows_of(self.map_, states), self.scale, self.scale_)

    def _project(self, rows: FloatArray) -> FloatArray:
        return scaled(rows.copy(), self.scale, self.scale_)


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
