"""Solvers of non-negative matrix factorisation, with and without extrapolation."""

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
_FIRST_STEP = 0.5
_ROUNDING = 1e-15  # of the map's squared size: errors that differ by less are equal
_GROWTH, _LIMIT_GROWTH, _SHRINKAGE = 1.05, 1.01, 1.5
_INSTEAD_OF_ZERO = float(np.finfo(np.float32).eps)  # scikit-learn's, for denominators
_DENORMAL = float(np.finfo(np.float64).tiny)
_CHECKED_EVERY = 10

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
    X: FloatArray | CompressedMap,
    W: FloatArray,
    H: FloatArray,
    *,
    tol: float,
    max_iter: int,
    extrapolated: bool = False,
) -> Factorisation:
    """Improve a start of the non-negative factorisation of a matrix [cichocki2009].

        minimise  1/2 ||X - W H||^2   over  W >= 0 of shape (n, K),  H >= 0 of shape (K, m)

    One iteration updates W with H fixed, then H with W fixed. Each update visits the components
    once, in order, and minimises over one component with the others fixed
    (`hsr.kernels.hals.sweep`). The sweep needs the data only through

        for W:  C = H X',  G = H H'          for H:  C = W' X,  G = W' W

    which are products for BLAS, or sparse products if X has few non-zeros. The iterates are those
    of scikit-learn's ``NMF(solver="cd")``, up to the order of sums.

    **Extrapolation** [ang2019] starts each update a little beyond the last iterate, in the
    direction in which the factor has been moving,

        Y = max(V_new + b (V_new - V_old), 0)

    and the step b grows while the error falls. If the error would rise, the iteration is discarded,
    both factors return to the last accepted ones, and b shrinks. Fewer iterations reach the same
    error, but perhaps another local minimum.

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
    extrapolated : bool
        Whether to extrapolate. Without it, b = 0.

    Returns
    -------
    Factorisation
    """
    n_components = W.shape[1]
    W_old, H_old = W_ahead, H_ahead = kept = padded(W.T), padded(H)
    step = last_step = _FIRST_STEP if extrapolated else 0.0
    limit = 1.0
    objective: list[float] = []
    least, first_violation, converged = np.inf, 0.0, False
    with one_thread():
        times_X, times_Xt, size = products(X)
        H_cross, W_cross = np.empty_like(W_old), np.empty_like(H_old)
        while len(objective) < max_iter and not converged:
            W_new, H_new = W_ahead.copy(), H_ahead.copy()
            times_Xt(H_ahead, H_cross)
            violation = sweep(W_new, H_cross, H_ahead @ H_ahead.T)
            W_next = _extrapolate(W_new, W_old, step)
            times_X(W_next, W_cross)
            W_gram = W_next @ W_next.T
            violation += sweep(H_new, W_cross, W_gram)
            error = _squared_error(size, W_cross, W_gram, H_new)
            if not extrapolated or error <= least + _ROUNDING * size:
                H_ahead, W_ahead = _extrapolate(H_new, H_old, step), W_next
                W_old, H_old = W_new, H_new
                kept, least = (W_next, H_new), min(least, error)
                last_step, step = step, min(limit, _GROWTH * step)
                limit = min(1.0, _LIMIT_GROWTH * limit)
            else:
                W_ahead, H_ahead = W_old, H_old = kept
                last_step, step, limit = step, step / _SHRINKAGE, last_step
            objective.append(0.5 * max(least, 0.0))
            first_violation = first_violation or violation
            converged = violation <= tol * first_violation
    Wt, H = kept
    W = Wt[:n_components].T.copy()
    return Factorisation(W, H[:n_components].copy(), len(objective), converged, np.array(objective))


def _extrapolate(new: FloatArray, old: FloatArray, step: float) -> FloatArray:
    return np.maximum(new + step * (new - old), 0.0) if step else new


def _squared_error(size: float, W_cross: FloatArray, W_gram: FloatArray, H: FloatArray) -> float:
    """Return ||X - W H||^2 from ||X||^2, W' X and W' W."""
    return size - 2.0 * float(np.vdot(W_cross, H)) + float(np.vdot(W_gram, H @ H.T))


def factorise_multiplicative(
    X: FloatArray | CompressedMap, W: FloatArray, H: FloatArray, *, tol: float, max_iter: int
) -> Factorisation:
    """Improve a start of the factorisation of a matrix by multiplicative updates [lee2001].

    The problem is that of `factorise`. One iteration is

        W <- W * (X H') / (W H H'),        H <- H * (W' X) / (W' W H)

    with products and quotients of entries, so that nothing becomes negative. The objective never
    rises. An entry that is zero stays zero, and an entry whose optimum is zero only approaches it,
    so that parts are less sparse than those of coordinate descent. The iterates are those of
    scikit-learn's ``NMF(solver="mu")``, up to the order of sums.

    **Stopping.** As in scikit-learn: every ten iterations, stop if ``||X - W H||`` has fallen by
    less than `tol` times its value at the start since the last check. The projected gradient cannot
    be used here, because it does not vanish at positive entries that only approach zero.

    Parameters
    ----------
    X : CompressedMap or array of shape (n, m)
        The matrix to factorise, not negative.
    W : array of shape (n, K)
        Start of the first factor. The array is not changed.
    H : array of shape (K, m)
        Start of the second factor. The array is not changed.
    tol : float
        Stop when the error falls by less than this fraction of its first value in ten iterations.
    max_iter : int
        Largest number of iterations.

    Returns
    -------
    Factorisation
    """
    Wt, H = W.T.copy(order="C"), H.copy(order="C")
    objective: list[float] = []
    converged = False
    with one_thread():
        times_X, times_Xt, size = products(X)
        H_cross, W_cross = np.empty_like(Wt), np.empty_like(H)
        times_X(Wt, W_cross)
        first = last = _distance(_squared_error(size, W_cross, Wt @ Wt.T, H))
        while len(objective) < max_iter and not converged:
            times_Xt(H, H_cross)
            Wt = _updated(Wt, H_cross, (H @ H.T) @ Wt)
            times_X(Wt, W_cross)
            W_gram = Wt @ Wt.T
            H = _updated(H, W_cross, W_gram @ H)
            error = _squared_error(size, W_cross, W_gram, H)
            objective.append(0.5 * max(error, 0.0))
            if tol > 0.0 and len(objective) % _CHECKED_EVERY == 0:
                now = _distance(error)
                converged = now == 0.0 or last - now < tol * first
                last = now
    W = Wt.T.copy(order="C")
    return Factorisation(W, H, len(objective), converged, np.array(objective))


def _distance(squared_error: float) -> float:
    return float(np.sqrt(max(squared_error, 0.0)))


def _updated(V: FloatArray, numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    denominator[denominator == 0.0] = _INSTEAD_OF_ZERO
    # a compressed map may have small negative entries; a product with it must not be negative
    V = V * (np.maximum(numerator, 0.0) / denominator)
    V[V < _DENORMAL] = 0.0  # arithmetic with denormal numbers is many times slower
    return V


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
