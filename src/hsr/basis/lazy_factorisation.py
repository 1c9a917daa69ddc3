"""Non-negative factorisation of a map that is known by its products [tepper2016, erichson2018]."""

from collections.abc import Callable

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.threads import one_thread
from hsr.basis.compression import CompressedMap, compress, product
from hsr.basis.contract import Map
from hsr.basis.factorisation import Factorisation, padded, sweep_until

_N_PROBES = 16
_MOST_SWEEPS = 200
_ROUNDING = 1e-9

Start = Callable[[CompressedMap], tuple[FloatArray, FloatArray]]
Solve = Callable[..., Factorisation]


def factorise_lazy(
    M: Map, k: int, start: Start, solve: Solve, *, tol: float, max_iter: int
) -> tuple[Factorisation, float]:
    """Factorise a map without writing it out.

    1. Compress the map to ``Q Q' M``, whose rank is a few times k (`compress`).
    2. Factorise the compressed map. One iteration costs products with Q and Q' M only.
    3. Solve for W with the exact products M H', then for H with the exact products W' M. Each is a
       convex problem, so the error of the map itself falls.
    4. The error follows from these products and from the size of the map,

        ||M - W H||^2 = ||M||^2 - 2 <W' M, H> + <W' W, H H'>
        ||M||^2 = ||Q' M||^2 + E ||(I - Q Q') M g||^2,    g standard normal

       with the mean over 16 random vectors. They share the pass over the map of M H'.

    Parameters
    ----------
    M : PredictiveMap or array of shape (S, n_features)
        The map, not negative.
    k : int
        Number of components K.
    start : function
        Returns W and H for a compressed map.
    solve : function
        Improves them.
    tol : float
        Tolerance of the iterations.
    max_iter : int
        Largest number of iterations.

    Returns
    -------
    factorisation : Factorisation
        Iterations and objective are those of the compressed map. What the compression leaves out
        is added to the objective.
    error : float
        Estimated Frobenius norm of ``M - W H``.

    Raises
    ------
    InputError
        If a product of the map with the non-negative H or W is negative.
    """
    compressed = compress(M, k)
    result = solve(compressed, *start(compressed), tol=tol, max_iter=max_iter)
    Wt, H = padded(result.W.T), padded(result.H)
    probes = np.random.default_rng(1).standard_normal((M.shape[1], _N_PROBES))
    with one_thread():
        MH = product(M, np.hstack([result.H.T, probes]))
        left_out = _left_out(compressed, MH[:, k:])
        _solve_for(Wt, H, MH[:, :k].T, tol)
        WM = product(M.T, Wt[:k].T).T
        _solve_for(H, Wt, WM, tol)
        size = compressed.squared_size + left_out
        square = size - 2.0 * np.vdot(WM, H[:k]) + np.vdot(Wt @ Wt.T, H @ H.T)
    objective = result.objective + 0.5 * left_out
    W = np.ascontiguousarray(Wt[:k].T)
    whole = Factorisation(W, H[:k].copy(), result.n_iter, result.converged, objective)
    return whole, float(np.sqrt(max(float(square), 0.0)))


def _left_out(compressed: CompressedMap, products: FloatArray) -> float:
    """Return the estimated squared size of what a compressed map leaves out of the map."""
    inside = compressed.U @ (compressed.U.T @ products)
    return float(np.square(products - inside).sum()) / products.shape[1]


def _solve_for(V: FloatArray, other: FloatArray, products: FloatArray, tol: float) -> None:
    """Minimise over the factor V in place, given the exact products of the other with the map."""
    least, largest = products.min(), products.max()
    if least < -_ROUNDING * max(largest, 0.0):
        raise InputError(
            f"a product of the map with non-negative numbers has an entry {least:.6g}; "
            "a non-negative factorisation needs a map without negative entries"
        )
    sweep_until(V, padded(products), other @ other.T, tol=tol, max_iter=_MOST_SWEEPS)
