"""`NMFBasis`: non-negative matrix factorisation of a map."""

from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.seeds import Seed, generator_from
from hsr._base.threads import one_thread
from hsr._base.validation import check_choice, check_count, check_number
from hsr.basis.compression import FEWER, CompressedMap, is_large
from hsr.basis.contract import Basis, check_entries, dense, read_map
from hsr.basis.factorisation import (
    Factorisation,
    factorise,
    factorise_multiplicative,
    non_negative_weights,
)
from hsr.basis.lazy_factorisation import factorise_lazy
from hsr.basis.registry import NMF_PARTS, NMF_SOLVERS, NMF_STARTS
from hsr.basis.scaling import SCALES, column_scale, ones_for_zeros, scaled
from hsr.basis.start import nndsvda_start, random_start, read_start

_SOLVE: dict[str, Callable[..., Factorisation]] = {
    "hals": factorise,
    "extrapolated": partial(factorise, extrapolated=True),
    "multiplicative": factorise_multiplicative,
}


class NMFBasis(Basis):
    """Non-negative parts of a map as features, in Frobenius norm.

        M ~ W H,    W >= 0 (S, K) are the features,    H >= 0 (K, n_features) the components

    Nothing can cancel, so components tend to be local and sparse [lee1999, hoyer2004]. K may exceed
    the number of states: the basis is then over-complete. The problem is not convex. The result
    depends on the start and on when the iterations stop, so report it over several values of
    `random_state` with ``init="random"``, or say that it comes from the fixed start ``"nndsvda"``.

    **Large maps.** A lazy map of more than 1 GiB (11,585 states) is not written out if K is at most
    a tenth of its states. It is compressed by products with K + 10 vectors at a time, as in
    `SVDBasis`, and the iterations factorise the compressed map, whose rank is several times K
    [tepper2016, erichson2018]. In the end W and H are each solved once more with exact products of
    the map. At 1,265 states, where both are possible, the error was at most 0.06 % larger than that
    of factorising all entries, for K = 8 and 32 and every solver and start. A negative entry is
    then only noticed if a product with a factor is negative.

    Parameters
    ----------
    n_components : int or None
        Number of features K. None means the smaller side of the map. More than that is allowed.
    scale : {"none", "max", "unit_columns", "unit_rows"}
        Leave features as they are, divide each column by its largest absolute entry or by its
        Euclidean norm, or divide each row by its Euclidean norm. A linear learner's effective step
        size grows with the squared length of its features, so tune it for each scale. With
        ``"unit_rows"``, ``features_ @ components_`` does not reconstruct the map.
    solver : {"hals", "extrapolated", "multiplicative"}
        ``"hals"`` takes the steps of scikit-learn's coordinate descent, for comparison with
        published work. ``"extrapolated"`` reaches the same error in several times fewer iterations,
        perhaps at another local minimum [ang2019]. ``"multiplicative"`` takes the multiplicative
        updates of [lee2001], as scikit-learn's ``solver="mu"`` does. They converge slowly, and
        their parts are less sparse: entries approach zero without reaching it.
    init : {"nndsvda", "random"}
        Where the iterations start: at the leading singular vectors, with zeros replaced by the mean
        of the map [boutsidis2008], or at random entries. Not used if ``fit`` is given a start.
    tol : float
        Stop when the projected gradient has fallen to this fraction of its first value. For
        ``"multiplicative"``, stop when the error has fallen by less than this fraction of its
        first value in ten iterations.
    max_iter : int
        Largest number of iterations.
    random_state : int or numpy.random.Generator
        Seed of the random start, and of the over-complete components of ``"nndsvda"``.
    parts : {"as_given", "norms_in_features"}
        A factorisation does not say how large W is: ``W diag(d)`` and ``diag(1 / d) H`` have the
        same product. Leave both as the iterations give them, or take ``W diag(||H_k||)`` as
        features, so that each row of H has norm 1. `scale` is applied afterwards.

    Attributes
    ----------
    features_ : ndarray of shape (S, K)
        W, with the norms of H for ``"norms_in_features"``, and scaled. Not negative.
    components_ : ndarray of shape (K, n_features)
        H, with the scale undone. Not negative.
    reconstruction_err_ : float
        Frobenius norm of ``M - W H``. For a large lazy map it is estimated: what the compressed map
        holds is exact, and the rest of the map is measured along 16 random vectors. At 1,265 states
        the estimate was wrong by less than 1 %. Its error shrinks with the number of states.
    objective_ : ndarray of shape (n_iter_,)
        ``1/2 ||M - W H||^2`` after each iteration. It never rises. For a large lazy map, M is here
        the compressed one, whose error outside of the compression is added.
    n_iter_ : int
        Number of iterations.
    converged_ : bool
        Whether `tol` was met. If not, raise `max_iter` or `tol`.
    scale_ : ndarray of shape (K,)
        The divisors of the columns of W, after the norms of H were moved into it, if any.
    n_components_, n_features_in_, n_states_ : int
        K, number of columns of the map, and number of states S.
    mdp_fingerprint_ : str or None
        Fingerprint of the MDP whose map was fitted, None for an array.

    Examples
    --------
    >>> M = np.array([[2.0, 1.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 3.0]])
    >>> basis = NMFBasis(n_components=2, scale="max").fit(M)
    >>> np.round(basis.features_, 6)
    array([[1., 0.],
           [1., 0.],
           [0., 1.]])
    >>> basis.converged_, bool(basis.reconstruction_err_ < 1e-4)
    (True, True)
    """

    def __init__(
        self,
        n_components: int | None = None,
        scale: str = "none",
        solver: str = "hals",
        init: str = "nndsvda",
        tol: float = 1e-5,
        max_iter: int = 2000,
        random_state: Seed = 0,
        parts: str = "as_given",
    ) -> None:
        self.n_components = n_components
        self.scale = scale
        self.solver = solver
        self.init = init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.parts = parts

    def fit(self, M: Any, y: None = None, W: Any = None, H: Any = None) -> Self:
        """Factorise a non-negative map.

        Parameters
        ----------
        M : PredictiveMap or array of shape (S, n_features)
            The map. A lazy map is written out, unless it is large.
        y : None
            Ignored. scikit-learn's pipelines pass it.
        W : array of shape (S, K), optional
            Together with `H`, the start of the iterations, instead of `init`. Not negative.
        H : array of shape (K, n_features), optional
            See `W`.

        Returns
        -------
        self : NMFBasis

        Raises
        ------
        InputError
            If the map has an entry that is negative, not finite or above 1e140.
        TooLargeError
            If a lazy map is written out and does not fit in memory.
        """
        scale = check_choice(self.scale, SCALES, "scale")
        check_choice(self.init, NMF_STARTS, "init")
        check_choice(self.parts, NMF_PARTS, "parts")
        solve = _SOLVE[check_choice(self.solver, NMF_SOLVERS, "solver")]
        tol, max_iter = check_tolerance(self.tol), check_count(self.max_iter, "max_iter")
        wanted = (
            None if self.n_components is None else check_count(self.n_components, "n_components")
        )
        rng = generator_from(self.random_state)
        M = read_map(self, M)
        k = wanted or min(M.shape)
        start = read_start(M.shape, k, W, H)

        def begin(X: FloatArray | CompressedMap) -> tuple[FloatArray, FloatArray]:
            make = nndsvda_start if self.init == "nndsvda" else random_start
            return start or make(X, k, rng)

        if is_large(M) and FEWER * k <= min(M.shape):
            result, self.reconstruction_err_ = factorise_lazy(
                M, k, begin, solve, tol=tol, max_iter=max_iter
            )
        else:
            X = check_non_negative(dense(M))
            result = solve(X, *begin(X), tol=tol, max_iter=max_iter)
            with one_thread():
                rest = result.W @ result.H
                self.reconstruction_err_ = float(np.linalg.norm(np.subtract(X, rest, out=rest)))
        W, H, self.n_iter_, self.converged_, self.objective_ = result
        if self.parts == "norms_in_features":
            norms = np.linalg.norm(H, axis=1)
            W, H = W * norms, H / ones_for_zeros(norms)[:, None]
        self.scale_ = column_scale(W, scale)
        self.features_ = scaled(W, scale, self.scale_)
        self.components_ = H * self.scale_[:, None]
        self.n_components_ = int(H.shape[0])
        return self

    def _features_of(self, states: IntArray) -> FloatArray:
        return self.features_[states]

    def _project(self, rows: FloatArray) -> FloatArray:
        H = self.components_ / self.scale_[:, None]
        W = non_negative_weights(check_non_negative(rows), H, tol=self.tol, max_iter=self.max_iter)
        return scaled(W, self.scale, self.scale_)

    def __sklearn_tags__(self) -> Any:
        """Declare to scikit-learn that maps with negative entries are refused."""
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def check_non_negative(X: FloatArray) -> FloatArray:
    """Return `X` if no entry is negative and its squares do not overflow."""
    check_entries(
        X,
        X >= 0.0,
        "Negative values in data passed to NMFBasis: a non-negative factorisation needs none",
    )
    return check_entries(
        X, X < 1e140, "entries must stay below 1e140, or their squares overflow; rescale the map"
    )


def check_tolerance(tol: float) -> float:
    """Return a tolerance of at least zero as a float."""
    value = check_number(tol, "tol")
    if value < 0.0:
        raise InputError(f"tol is {short_repr(tol)}; it must not be negative")
    return value
