"""`Basis`, the base class of all bases, and how they read maps: as a whole or in blocks of rows."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted, validate_data

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import HSRError, InputError
from hsr._base.extras import needs
from hsr._base.lazy import LazyMatrix
from hsr._base.validation import check_indices, shape_of

if TYPE_CHECKING:
    import xarray

Map: TypeAlias = LazyMatrix | FloatArray
_BLOCK_ENTRIES = 2**22


class Basis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Abstract base of all bases: a scikit-learn transformer from a map to features of states.

    - ``fit(M)`` learns ``features_`` of shape (S, K), ``components_`` of shape (K, n_features) and
      ``n_components_`` = K, and returns the basis. `M` is a `hsr.PredictiveMap` or an array of
      shape (S, n_features). Its rows are states.
    - ``mdp_fingerprint_`` is the fingerprint of the MDP whose map was fitted, or None for an array.
      Agents in another MDP refuse the basis.
    - ``transform(states)`` with a list of integers returns ``features_[states]``.
    - ``transform(rows)`` with a two-dimensional array takes map rows of new states and returns
      their features in the same basis.
    - ``fit_transform(M)`` returns ``features_``.

    Everything else works as for any scikit-learn transformer: cloning, pipelines, feature names and
    ``set_output``.
    """

    # scikit-learn treats every argument that is not called X or y as metadata, unless a plain dict
    # says otherwise. RUF012 would have us annotate these dicts.
    __metadata_request__fit = {"M": UNUSED}  # noqa: RUF012
    __metadata_request__transform = {"states": UNUSED}  # noqa: RUF012

    feature_names_in_: Any
    mdp_fingerprint_: str | None
    n_components_: int
    n_features_in_: int
    n_states_: int

    @abstractmethod
    def fit(self, M: Any, y: None = None) -> Self:
        """Learn the basis of a map of shape (S, n_features)."""

    @abstractmethod
    def _features_of(self, states: IntArray) -> FloatArray:
        """Return the features of known states, of shape (len(states), K)."""

    @abstractmethod
    def _project(self, rows: FloatArray) -> FloatArray:
        """Return the features of new states from their map rows, of shape (len(rows), K)."""

    def transform(self, states: Any) -> FloatArray:
        """Return features of states.

        Parameters
        ----------
        states : list of integers, or array of shape (n, n_features)
            States of the fitted map, or map rows of new states. Rows are projected on the
            components.

        Returns
        -------
        ndarray of shape (n, K)
        """
        check_is_fitted(self)
        if _is_list_of_states(states):
            return self._features_of(check_indices(states, self.n_states_, "states"))
        return self._project(read_array(self, states, reset=False))

    def fit_transform(self, M: Any, y: None = None, **fit_params: Any) -> FloatArray:
        """Fit the basis and return the features of all states.

        Parameters
        ----------
        M : PredictiveMap or array of shape (S, n_features)
            The map.
        y : None
            Ignored. scikit-learn's pipelines pass it.
        **fit_params
            Passed to ``fit``.

        Returns
        -------
        ndarray of shape (S, K)
            ``features_``.
        """
        return self.fit(M, y, **fit_params).features_

    def to_xarray(self) -> "xarray.Dataset":
        """Return features and components as one `xarray.Dataset`.

        Returns
        -------
        xarray.Dataset
            ``features`` with the axes state and component, and ``components`` with the axes
            component and future_state. ``attrs["mdp_fingerprint"]`` is set if the basis was
            fitted to the map of an MDP.
        """
        needs("xarray", "to_xarray")
        import xarray

        check_is_fitted(self)
        arrays = {
            "features": (("state", "component"), self.features_),
            "components": (("component", "future_state"), self.components_),
        }
        coords = {"component": list(self.get_feature_names_out())}
        return xarray.Dataset(
            arrays,
            coords=coords,
            attrs={"mdp_fingerprint": self.mdp_fingerprint_} if self.mdp_fingerprint_ else {},
        )

    @property
    def _n_features_out(self) -> int:
        return self.n_components_


def read_map(basis: Basis, M: Any) -> Map:
    """Return the map to fit, and remember its shape and the MDP that it was made for.

    A lazy map is returned as it is, anything else as a finite float64 array.
    """
    if isinstance(M, LazyMatrix):
        basis.n_features_in_ = int(M.shape[1])
        basis.__dict__.pop("feature_names_in_", None)  # of a table that was fitted before
        read: Map = M
    elif hasattr(M, "n_states"):  # an MDP or a layout
        raise InputError(
            f"M is a {type(M).__name__}; fit a basis to a predictive map of it, "
            "such as hsr.successor_representation(mdp)"
        )
    else:
        read = read_array(basis, M, reset=True)
    basis.n_states_ = int(read.shape[0])
    basis.mdp_fingerprint_ = M.mdp_fingerprint if isinstance(M, LazyMatrix) else None
    return read


def read_array(basis: Basis, rows: Any, *, reset: bool) -> FloatArray:
    """Return map rows as a finite float64 array.

    With `reset` the number of columns is remembered. Without, it must be that of `fit`.
    """
    if np.ma.is_masked(rows):
        raise InputError("M has masked entries; it must be a map with all entries known")
    try:
        array = validate_data(basis, rows, reset=reset, dtype=np.float64, ensure_all_finite=False)
    except HSRError:
        raise
    except ValueError as error:
        raise InputError(" ".join(str(error).split())) from None
    except TypeError as error:
        if isinstance(rows, Sequence) or hasattr(rows, "shape"):
            raise  # as scikit-learn says it of entries and sparse matrices
        raise InputError(
            f"M is of type {type(rows).__name__}; it must be a map or an array of numbers: {error}"
        ) from None
    return check_entries(
        array, np.isfinite(array), "every entry must be finite, neither NaN nor inf"
    )


def check_entries(array: FloatArray, good: Any, rule: str) -> FloatArray:
    """Return `array` if every entry is good, or raise `InputError` with the first that is not."""
    if not good.all():
        i, j = (int(index) for index in np.argwhere(~good)[0])
        raise InputError(f"M[{i}, {j}] is {array[i, j]:.6g}; {rule}")
    return array


def _is_list_of_states(states: Any) -> bool:
    if getattr(states, "ndim", 1) != 1 or shape_of(states) is None:
        return False
    array = np.asarray(states)
    return array.ndim == 1 and (array.size == 0 or array.dtype.kind in "iu")


def rows_of(M: Map, states: IntArray) -> FloatArray:
    """Return the chosen rows of a lazy or dense map, of shape (n, n_features), as a new array."""
    return M.rows(states) if isinstance(M, LazyMatrix) else M[states]


def row_blocks(M: Map) -> Iterator[tuple[IntArray, FloatArray]]:
    """Yield (states, rows) for consecutive states. A block has about four million entries.

    >>> [(states.tolist(), rows.shape) for states, rows in row_blocks(np.eye(3))]
    [([0, 1, 2], (3, 3))]
    """
    n, m = M.shape
    size = max(1, _BLOCK_ENTRIES // m)
    for first in range(0, n, size):
        states = np.arange(first, min(n, first + size))
        yield states, rows_of(M, states)


def dense(M: Map) -> FloatArray:
    """Return all entries, or raise `TooLargeError` for a lazy map that would not fit."""
    return M.toarray() if isinstance(M, LazyMatrix) else M
