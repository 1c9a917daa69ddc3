"""Non-negative factorisation by hierarchical alternating least squares (Cichocki and Phan 2009).

    minimise  1/2 ||X - W H||^2   over  W >= 0 of shape (n, K),  H >= 0 of shape (K, m)

One iteration updates `W` with `H` fixed, then `H` with `W` fixed; each update visits the components
once, in order, and minimises over one while the others stay (`hsr.kernels.hals.sweep`). The sweep
needs the data only through

    for W:  C = H X',  G = H H'          for H:  C = W' X,  G = W' W

which are products for BLAS (or, when `X` has few non-zeros, for a sparse product). These are the
iterates of scikit-learn's ``NMF(solver="cd")``, up to the order in which sums are taken.

**Stopping.** The sum of the absolute projected gradients met during an iteration, the *violation*,
is zero exactly at a stationary point; iterations end when it has fallen to `tol` times that of the
first, or after `max_iter`. The objective never rises. Its values come for free from the products
above,

    ||X - W H||^2 = ||X||^2 - 2 <W' X, H> + <W' W, H H'>

to about 1e-16 of ``||X||^2``.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from hsr._base.arrays import FloatArray
from hsr._base.threads import one_thread
from hsr.kernels.hals import TILE, sweep

_SPARSE_BELOW = 0.12  # measured: where a CSR product overtakes a dense one, for 100 to 4000 states
_NEGLIGIBLE = 1e-150

Product = Callable[[FloatArray, FloatArray], object]  # (A, out): write the product of A into out


class Factorisation(NamedTuple):
    """What a run of the solver ends with."""

    W: FloatArray  # (n, K)
    H: FloatArray  # (K, m)
    n_iter: int
    converged: bool
    objective: FloatArray  # (n_iter,), half the squared error after each iteration


def factorise(
    X: FloatArray, W: FloatArray, H: FloatArray, *, tol: float, max_iter: int
) -> Factorisation:
    """Improve a start `W`, `H` of the factorisation of `X`; the arrays given are not changed."""
    X = without_negligible(X)
    n_components = W.shape[1]
    Wt, H = padded(W.T), padded(H)
    with one_thread():
        times_X, times_Xt = products(X)
        size = float(np.vdot(X, X))
        objective = []
        first_violation = 0.0
        converged = False
        H_cross, W_cross = np.empty(Wt.shape), np.empty(H.shape)
        H_gram, W_gram = H @ H.T, np.empty((H.shape[0], H.shape[0]))
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
    W = np.ascontiguousarray(Wt[:n_components].T)
    return Factorisation(W, H[:n_components].copy(), n_iter, converged, np.array(objective))


def non_negative_weights(X: FloatArray, H: FloatArray, *, tol: float, max_iter: int) -> FloatArray:
    """Return the W >= 0, of shape (n, K), that minimises ``||X - W H||`` for a fixed H; the problem
    is convex.
    """
    n_components = H.shape[0]
    Wt, H = np.zeros((_padded_size(n_components), X.shape[0])), padded(H)
    with one_thread():
        cross, gram = H @ X.T, H @ H.T
        first_violation = 0.0
        for n_iter in range(max_iter):
            violation = sweep(Wt, cross, gram)
            if n_iter == 0:
                first_violation = violation
            if violation <= tol * first_violation:
                break
    return np.ascontiguousarray(Wt[:n_components].T)


def without_negligible(X: FloatArray) -> FloatArray:
    """Return `X` with entries below 1e-150 of the largest set to zero.

    Their products underflow to denormal numbers, which processors handle many times slower, and in
    double precision they cannot change any sum that the largest entries enter.
    """
    threshold = _NEGLIGIBLE * X.max()
    negligible = (X > 0.0) & (threshold > X)
    return np.where(negligible, 0.0, X) if negligible.any() else X


def products(X: FloatArray) -> tuple[Product, Product]:
    """Return the products ``A X`` and ``A X'``, for A of shape (K, n) and (K, m), by the faster of
    two ways.
    """
    if np.count_nonzero(X) < _SPARSE_BELOW * X.size:
        rows, columns = csr_array(X), csr_array(np.ascontiguousarray(X.T))
        return _sparse_product(columns), _sparse_product(rows)
    return lambda A, out: np.dot(A, X, out=out), lambda A, out: np.dot(A, X.T, out=out)


def _sparse_product(rows: csr_array) -> Product:
    return lambda A, out: np.copyto(out, (rows @ np.ascontiguousarray(A.T)).T)


def _padded_size(n_components: int) -> int:
    return -(-n_components // TILE) * TILE


def padded(rows: FloatArray) -> FloatArray:
    """Return a copy with zero rows added, so that the number of components is a multiple of the
    kernel's tile.
    """
    padded = np.zeros((_padded_size(rows.shape[0]), rows.shape[1]))
    padded[: rows.shape[0]] = rows
    return padded
