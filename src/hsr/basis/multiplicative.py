"""Non-negative factorisation by multiplicative updates [lee2001]."""

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.threads import one_thread
from hsr.basis.compression import CompressedMap
from hsr.basis.factorisation import Factorisation, Product, products

_INSTEAD_OF_ZERO = float(np.finfo(np.float32).eps)  # scikit-learn's, for denominators
_DENORMAL = float(np.finfo(np.float64).tiny)
_CHECKED_EVERY = 10


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
        first = last = _distance(X, Wt, H, times_X)
        while len(objective) < max_iter and not converged:
            times_Xt(H, H_cross)
            Wt = _updated(Wt, H_cross, (H @ H.T) @ Wt)
            times_X(Wt, W_cross)
            W_gram = Wt @ Wt.T
            H = _updated(H, W_cross, W_gram @ H)
            error = size - 2.0 * float(np.vdot(W_cross, H)) + float(np.vdot(W_gram, H @ H.T))
            objective.append(0.5 * max(error, 0.0))
            if tol > 0.0 and len(objective) % _CHECKED_EVERY == 0:
                now = _distance(X, Wt, H, times_X)
                converged = now == 0.0 or last - now < tol * first
                last = now
    W = Wt.T.copy(order="C")
    return Factorisation(W, H, len(objective), converged, np.array(objective))


def _distance(
    X: FloatArray | CompressedMap, Wt: FloatArray, H: FloatArray, times_X: Product
) -> float:
    if not isinstance(X, CompressedMap):
        return float(np.linalg.norm(X - Wt.T @ H))
    cross = np.empty(H.shape)
    times_X(Wt, cross)
    square = X.squared_size - 2.0 * np.vdot(cross, H) + np.vdot(Wt @ Wt.T, H @ H.T)
    return float(np.sqrt(max(float(square), 0.0)))


def _updated(V: FloatArray, numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    denominator[denominator == 0.0] = _INSTEAD_OF_ZERO
    # a compressed map may have small negative entries; a product with it must not be negative
    V = V * (np.maximum(numerator, 0.0) / denominator)
    V[V < _DENORMAL] = 0.0  # arithmetic with denormal numbers is many times slower
    return V
