"""Non-negative factorisation with extrapolated steps: the same error in fewer iterations."""

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.threads import one_thread
from hsr.basis.compression import CompressedMap
from hsr.basis.factorisation import Factorisation, padded, products
from hsr.kernels.hals import sweep

_FIRST_STEP = 0.5
_ROUNDING = 1e-15  # of the map's squared size: errors that differ by less are equal
_GROWTH, _LIMIT_GROWTH, _SHRINKAGE = 1.05, 1.01, 1.5


def factorise_extrapolated(
    X: FloatArray | CompressedMap, W: FloatArray, H: FloatArray, *, tol: float, max_iter: int
) -> Factorisation:
    """Improve a start of the factorisation of a matrix, with extrapolation [ang2019].

    The problem, the sweeps and the stopping rule are those of `factorise`. Each update starts a
    little beyond the last iterate, in the direction in which the factor has been moving,

        Y = max(V_new + b (V_new - V_old), 0)

    and the step b grows while the error falls. If the error would rise, the iteration is discarded,
    both factors return to the last accepted ones, and b shrinks. The error therefore never rises,
    as without extrapolation. The iterates are not those of scikit-learn, and another local minimum
    may be reached.

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
    W_old, H_old = padded(W.T), padded(H)
    W_ahead, H_ahead = W_old, H_old
    kept = W_old, H_old
    step, limit, last_step = _FIRST_STEP, 1.0, _FIRST_STEP
    objective: list[float] = []
    first_violation, converged = 0.0, False
    with one_thread():
        times_X, times_Xt, size = products(X)
        H_cross, W_cross = np.empty_like(W_old), np.empty_like(H_old)
        least = np.inf
        while len(objective) < max_iter and not converged:
            W_new, H_new = W_ahead.copy(), H_ahead.copy()
            times_Xt(H_ahead, H_cross)
            violation = sweep(W_new, H_cross, H_ahead @ H_ahead.T)
            W_next = np.maximum(W_new + step * (W_new - W_old), 0.0)
            times_X(W_next, W_cross)
            W_gram = W_next @ W_next.T
            violation += sweep(H_new, W_cross, W_gram)
            error = (
                size
                - 2.0 * float(np.vdot(W_cross, H_new))
                + float(np.vdot(W_gram, H_new @ H_new.T))
            )
            first_violation = first_violation or violation
            if error <= least + _ROUNDING * size:
                H_ahead = np.maximum(H_new + step * (H_new - H_old), 0.0)
                W_ahead, W_old, H_old, kept, least = (
                    W_next,
                    W_new,
                    H_new,
                    (W_next, H_new),
                    min(least, error),
                )
                last_step, step, limit = (
                    step,
                    min(limit, _GROWTH * step),
                    min(1.0, _LIMIT_GROWTH * limit),
                )
            else:
                W_ahead, H_ahead = W_old, H_old = kept
                last_step, step, limit = step, step / _SHRINKAGE, last_step
            objective.append(0.5 * max(least, 0.0))
            converged = violation <= tol * first_violation
    Wt, H = kept
    W = Wt[:n_components].T.copy()
    return Factorisation(W, H[:n_components].copy(), len(objective), converged, np.array(objective))
