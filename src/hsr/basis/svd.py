"""`SVDBasis`: singular vectors of a map."""

from typing import Any, Self

import numpy as np
from scipy.sparse.linalg import ArpackError, LinearOperator, svds

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.lazy import LazyMatrix
from hsr._base.threads import one_thread
from hsr._base.validation import check_choice, check_count
from hsr.basis.compression import FEWER, CompressedMap, compress, is_large
from hsr.basis.contract import Basis, Map, dense, read_map
from hsr.basis.registry import SVD_VECTORS
from hsr.basis.scaling import SCALES, column_scale, scaled

_ITERATIVE_FROM = 500  # states


class SVDBasis(Basis):
    """Singular vectors of a map as features, by default the left ones times their singular values.

        M = U diag(s) V',    features = U diag(s) (S, K),    components = V' (K, n_features)

    No other K features reconstruct the map with a smaller squared error [eckart1936]. The error is
    the sum of the squared singular values that are left out. With all of them,
    ``features @ features.T == M @ M.T``, so a linear learner cannot tell the features from the rows
    of M. All of U is an orthogonal matrix, which a linear learner cannot tell from one-hot
    features. Only truncation and scale make a difference.

    **Which vectors?** `vectors` chooses among three readings of "the singular vectors of M":

    =================  ==============  ===============  ==============================
    ``vectors``        ``features_``   ``components_``  ``features_ @ components_``
    =================  ==============  ===============  ==============================
    ``"scaled_left"``  ``U diag(s)``   ``V'``           M, or its best approximation
    ``"left"``         ``U``           ``diag(s) V'``   M, or its best approximation
    ``"right"``        ``V``           ``diag(s) U'``   M', or its best approximation
    =================  ==============  ===============  ==============================

    The right singular vectors are the left ones of the transposed map. They describe a state by its
    column, that is by where it is reached from. The map must be square, and ``transform`` of a
    two-dimensional array takes columns of the map, each as a row.

    **How are they computed?** If at most a tenth of the singular vectors of a map of at least 500
    states are kept, they come from Lanczos iterations on ``M @ x`` and ``M.T @ y``, and the map of
    one policy is never written out. These iterate on M' M, so singular values below 1e-8 of the
    largest are noise. Otherwise the map is written out and LAPACK is exact.

    A product with a lazy expected map is a pass over all its tasks. Up to 1 GiB (11,585 states) the
    map is therefore written out. Above, it is multiplied with blocks of K + 10 vectors at a time: a
    randomised range finder that keeps all blocks [halko2011, musco2015], with a fixed seed and
    at most 18 passes. At 1,265 states, where both are possible, its K = 8 and 32 vectors
    reconstruct the map with an error of less than 1 + 2e-7 times the smallest possible one, and the
    largest angle to the exact singular subspace is 0.25 degrees.

    The signs of singular vectors are arbitrary. Here the first entry of each column of U that is
    larger than half the column's largest magnitude is positive. This rule does not depend on which
    of two equal entries rounding made larger.

    Parameters
    ----------
    n_components : int or None
        Number of features K, at most the smaller side of the map. None keeps all.
    scale : {"none", "max", "unit_columns", "unit_rows"}
        Leave features as they are, divide each column by its largest absolute entry or by its
        Euclidean norm, or divide each row by its Euclidean norm. A linear learner's effective step
        size grows with the squared length of its features, so tune it for each scale. With
        ``"unit_rows"``, ``features_ @ components_`` does not reconstruct the map.
        ``"unit_columns"`` gives ``U`` for left vectors, and ``V`` for right ones.
    vectors : {"scaled_left", "left", "right"}
        Left singular vectors times singular values, left singular vectors, or right ones.

    Attributes
    ----------
    features_ : ndarray of shape (S, K)
        ``U diag(s)``, ``U`` or ``V``, scaled.
    components_ : ndarray of shape (K, n_features)
        ``V'``, ``diag(s) V'`` or ``diag(s) U'``, with the scale undone.
    singular_values_ : ndarray of shape (K,)
        Sorted, the largest first.
    scale_ : ndarray of shape (K,)
        What the columns of ``U diag(s)``, ``U`` or ``V`` were divided by.
    n_components_, n_features_in_, n_states_ : int
        K, number of columns of the map, and number of states S.
    mdp_fingerprint_ : str or None
        Fingerprint of the MDP whose map was fitted, None for an array.

    Examples
    --------
    >>> basis = SVDBasis(n_components=1).fit([[2.0, 0.0], [0.0, 1.0]])
    >>> basis.singular_values_
    array([2.])
    >>> basis.features_ @ basis.components_
    array([[2., 0.],
           [0., 0.]])
    >>> basis.transform([0])
    array([[2.]])
    """

    def __init__(
        self,
        n_components: int | None = None,
        scale: str = "none",
        vectors: str = "scaled_left",
    ) -> None:
        self.n_components = n_components
        self.scale = scale
        self.vectors = vectors

    def fit(self, M: Any, y: None = None) -> Self:
        """Learn the leading singular vectors of a map.

        Parameters
        ----------
        M : PredictiveMap or array of shape (S, n_features)
            The map.
        y : None
            Ignored. scikit-learn's pipelines pass it.

        Returns
        -------
        self : SVDBasis
        """
        scale = check_choice(self.scale, SCALES, "scale")
        vectors = check_choice(self.vectors, SVD_VECTORS, "vectors")
        wanted = (
            None if self.n_components is None else check_count(self.n_components, "n_components")
        )
        M = read_map(self, M)
        largest = min(M.shape)
        if wanted is not None and wanted > largest:
            raise InputError(
                f"n_components is {wanted}; a map of shape {M.shape} has {largest} singular "
                "vectors (an over-complete basis needs NMFBasis)"
            )
        if vectors == "right" and M.shape[0] != M.shape[1]:
            raise InputError(
                f"vectors is 'right' and the map has shape {M.shape}; "
                "right singular vectors are features of states only if the map is square"
            )
        U, s, Vt = leading_svd(M, wanted or largest)
        features, components = _features_and_components(U, s, Vt, vectors)
        self.scale_ = column_scale(features, scale)
        self.features_ = scaled(features, scale, self.scale_)
        self.components_ = components * self.scale_[:, None]
        self.singular_values_ = s
        self.n_components_ = s.size
        return self

    def _features_of(self, states: IntArray) -> FloatArray:
        return self.features_[states]

    def _project(self, rows: FloatArray) -> FloatArray:
        components = self.components_ / self.scale_[:, None]
        if self.vectors != "scaled_left":
            # the components have lengths s; a singular value of zero has no direction to project on
            s = self.singular_values_
            known = s > s[0] * np.finfo(np.float64).eps * self.n_features_in_
            inverse = np.divide(1.0, s, out=np.zeros_like(s), where=known)
            components = components * np.square(inverse)[:, None]
        with one_thread():
            return scaled(rows @ components.T, self.scale, self.scale_)


def _features_and_components(
    U: FloatArray, s: FloatArray, Vt: FloatArray, vectors: str
) -> tuple[FloatArray, FloatArray]:
    if vectors == "left":
        return U, s[:, None] * Vt
    if vectors == "right":
        return np.ascontiguousarray(Vt.T), s[:, None] * np.ascontiguousarray(U.T)
    return U * s, Vt


def leading_svd(M: Map | CompressedMap, k: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the leading singular triplets of a map, with signs fixed.

    Parameters
    ----------
    M : PredictiveMap, CompressedMap or array of shape (S, n_features)
        The map.
    k : int
        Number of triplets.

    Returns
    -------
    U : ndarray of shape (S, k)
    s : ndarray of shape (k,)
    Vt : ndarray of shape (k, n_features)
    """
    smaller = min(M.shape)
    with one_thread():
        if isinstance(M, CompressedMap):
            U, s, Vt = M.U, M.s, M.Vt
        elif smaller >= _ITERATIVE_FROM and FEWER * k <= smaller:
            U, s, Vt = _by_products(M, k)
        else:
            U, s, Vt = _by_lapack(M)
    signs = _signs(U[:, :k])
    return (
        np.ascontiguousarray(U[:, :k] * signs),
        s[:k],
        np.ascontiguousarray(Vt[:k] * signs[:, None]),
    )


def _by_products(M: Map, k: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    if not (isinstance(M, LazyMatrix) and M.streamed):
        return _by_lanczos(M, k)
    if is_large(M):
        compressed = compress(M, k)
        return compressed.U, compressed.s, compressed.Vt
    return _by_lanczos(dense(M), k)  # all entries cost less than a hundred products, one by one


def _by_lapack(M: Map) -> tuple[FloatArray, FloatArray, FloatArray]:
    U, s, Vt = np.linalg.svd(dense(M), full_matrices=False)
    return U, s, Vt


def _by_lanczos(M: Map, k: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    operator = M
    if isinstance(M, LazyMatrix):
        operator = LinearOperator(
            M.shape, dtype=np.float64, matvec=lambda x: M @ x, rmatvec=lambda y: M.T @ y,
            matmat=lambda x: M @ x, rmatmat=lambda y: M.T @ y,
        )  # fmt: skip
    # a random start, because a constant one is an exact eigenvector of many maps and would find
    # nothing else
    rng = np.random.default_rng(0)
    try:
        U, s, Vt = svds(operator, k=k, v0=rng.standard_normal(min(M.shape)), rng=rng)
    except ArpackError:  # rounding can leave a map of low rank without directions to search
        return _by_lapack(M)
    order = np.argsort(-s, kind="stable")
    return U[:, order], s[order], Vt[order]


def _signs(U: FloatArray) -> FloatArray:
    sizes = np.abs(U)
    leading = np.argmax(sizes > 0.5 * sizes.max(axis=0), axis=0)
    return np.where(U[leading, np.arange(U.shape[1])] < 0.0, -1.0, 1.0)
