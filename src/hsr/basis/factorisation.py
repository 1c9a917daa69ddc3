"""Non-negative factorisation by hierarchical alternating least squares [cichocki2009]."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from hsr._base.arrays import FloatArray
from hsr._base.threads import one_thread
from hsr.basis.compression import CompressedMap
from hsr.kernels.hals import TILE, sweep

_SPARSE_BELOW = 0.12  # measured: where a CSR product overtakes a dense one, for 100 to 4000 states
_NEGLIGIBLE = 1e-150

Product = Callable[[FloatArray, FloatArray], object]  # (A, out): write the product of A into out


class Factorisation(NamedTuple):
    """What a run of the solver ends with.

    Attributes
    ----------
    W : array of shape (n, K)
        First factor, not negative.
    H : array of shape (K, m)
        Second factor, not negative.
    n_iter : int
        Number of iterations.
    converged : bool
        Whether the tolerance was met.
    objective : array of shape (n_iter,)
        Half the squared error after each iteration.
    """

    W: FloatArray
    H: FloatArray
    n_iter: int
    converged: bool
    objective: FloatArray


def factorise(
    X: FloatArray | CompressedMap, W: FloatArray, H: FloatArray, *, tol: float, max_iter: int
) -> Factorisation:
    """Improve a start of the non-negative factorisation of a matrix.

        minimise  1/2 ||X - W H||^2   over  W >= 0 of shape (n, K),  H >= 0 of shape (K, m)

    One iteration updates W with H fixed, then H with W fixed. Each update visits the components
    once, in order, and minimises over one component with the others fixed
    (`hsr.kernels.hals.sweep`). The sweep needs the data only through

        for W:  C = H X',  G = H H'          for H:  C = W' X,  G = W' W

    which are products for BLAS, or sparse products if X has few non-zeros. The iterates are those
    of scikit-learn's ``NMF(solver="cd")``, up to the order of sums.

    **Stopping.** The *violation* of an iteration is the sum of the absolute projected gradients. It
    is zero exactly at a stationary point. The objective never rises. Its values need no further
    product with X,

        ||X - W H||^2 = ||X||^2 - 2 <W' X, H> + <W' W, H H'>

    and are exact to about 1e-16 of ``||X||^2``.

    Parameters
    ----------
    X : CompressedMap or array of shape (n, m)
        The matrix to factorise, not negative.
    W : array of shape (n, K)
        Start of the first factor. The array is not changed.
    H : array of shape (K, m)
        Start of the second factor. The array is not changed.
    tol : float
        Stop when the violation has fallen to this fraction of its first value.
    max_iter : int
        Largest number of iterations.

    Returns
    -------
    Factorisation
    """
    n_components = W.shape[1]
    Wt, H = padded(W.T), padded(H)
    with one_thread():
        times_X, times_Xt, size = products(X)
        objective = []
        first_violation = 0.0
        converged = False
        H_cross, W_cross = np.empty_like(Wt), np.empty_like(H)
        H_gram = H @ H.T
        W_gram = np.empty_like(H_gram)
        for n_iter in range(1, max_iter + 1):
            times_Xt(H, H_cross)
            violation = sweep(Wt, H_cross, H_gram)
            times_X(Wt, W_cross)
            np.dot(Wt, Wt.T, out=W_gram)
            violation += sweep(H, W_cross, W_gram)
            np.dot(H, H.T, out=H_gram)
            error = size - 2.0 * float(np.vdot(W_cross, H)) + float(np.vdot(W_gram, H_gram))
            objective.append(0.5 * max(error, 0.0))
            if n_iter == 1:
                first_violation = violation
            if violation <= tol * first_violation:
                converged = True
                break
    W = Wt[:n_components].T.copy()
    return Factorisation(W, H[:n_components].copy(), n_iter, converged, np.array(objective))


def non_negative_weights(X: FloatArray, H: FloatArray, *, tol: float, max_iter: int) -> FloatArray:
    """Return the W >= 0 that minimises ``||X - W H||`` for a fixed H, a convex problem.

    Parameters
    ----------
    X : array of shape (n, m)
        The matrix, not negative.
    H : array of shape (K, m)
        The fixed factor, not negative.
    tol : float
        Stop when the violation has fallen to this fraction of its first value.
    max_iter : int
        Largest number of sweeps.

    Returns
    -------
    ndarray of shape (n, K)
    """
    n_components = H.shape[0]
    Wt, H = np.zeros((_padded_size(n_components), X.shape[0])), padded(H)
    with one_thread():
        sweep_until(Wt, H @ X.T, H @ H.T, tol=tol, max_iter=max_iter)
    return np.ascontiguousarray(Wt[:n_components].T)


def sweep_until(
    V: FloatArray, cross: FloatArray, gram: FloatArray, *, tol: float, max_iter: int
) -> None:
    """Minimise over one factor with the other one fixed, in place.

    Parameters
    ----------
    V : array of shape (K, n)
        The factor with components in rows, K a multiple of the kernel's tile.
    cross : array of shape (K, n)
        Product of the other factor with the matrix.
    gram : array of shape (K, K)
        Product of the other factor with itself.
    tol : float
        Stop when the violation has fallen to this fraction of its first value.
    max_iter : int
        Largest number of sweeps.
    """
    first_violation = 0.0
    for n_iter in range(max_iter):
        violation = sweep(V, cross, gram)
        if n_iter == 0:
            first_violation = violation
        if violation <= tol * first_violation:
            break


def without_negligible(X: FloatArray) -> FloatArray:
    """Return `X` with entries below 1e-150 of the largest set to zero.

    Their products underflow to denormal numbers, which are many times slower. In double precision
    they cannot change a sum that includes the largest entries.
    """
    threshold = _NEGLIGIBLE * X.max()
    negligible = (X > 0.0) & (threshold > X)
    return np.where(negligible, 0.0, X) if negligible.any() else X


def products(matrix: FloatArray | CompressedMap) -> tuple[Product, Product, float]:
    """Return functions for the products ``A X`` and ``A X'``, and the squared size of X.

    The products are sparse if X has few non-zeros.
    """
    if isinstance(matrix, CompressedMap):
        return matrix.left_product, matrix.right_product, matrix.squared_size
    X = without_negligible(matrix)
    size = float(np.vdot(X, X))
    if np.count_nonzero(X) < _SPARSE_BELOW * X.size:
        rows, columns = csr_array(X), csr_array(np.ascontiguousarray(X.T))
        return _sparse_product(columns), _sparse_product(rows), size
    return lambda A, out: np.dot(A, X, out=out), lambda A, out: np.dot(A, X.T, out=out), size


def _sparse_product(rows: csr_array) -> Product:
    return lambda A, out: np.copyto(out, (rows @ np.ascontiguousarray(A.T)).T)


def _padded_size(n_components: int) -> int:
    return -(-n_components // TILE) * TILE


def padded(rows: FloatArray) -> FloatArray:
    """Return a copy with rows of zeros added, up to a multiple of the kernel's tile."""
    shape = _padded_size(rows.shape[0]), rows.shape[1]
    padded = np.zeros_like(rows, shape=shape, order="C")
    padded[: rows.shape[0]] = rows
    return padded
