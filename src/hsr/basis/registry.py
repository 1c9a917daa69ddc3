"""Bases by name: the registry `BASES` and `BasisSpec`."""

from dataclasses import dataclass
from typing import Any

from hsr._base.declaration import Spec, integer, named, word
from hsr._base.errors import InputError, short_repr
from hsr._base.registry import Entry, Registry
from hsr.basis.scaling import SCALES

NMF_STARTS = {
    "nndsvda": "the leading singular vectors, with zeros replaced by the mean of the map",
    "random": "non-negative random entries, drawn by the seed",
}
NMF_SOLVERS = {
    "hals": "the steps of scikit-learn's coordinate descent",
    "extrapolated": "fewer iterations to the same error, perhaps at another local minimum",
    "multiplicative": "the multiplicative updates of Lee and Seung, as scikit-learn's",
}
NMF_PARTS = {
    "as_given": "W as the factorisation gives it",
    "norms_in_features": "W times the norms of the rows of H, which then have norm 1",
}
SVD_VECTORS = {
    "scaled_left": "U diag(s), left singular vectors times their singular values",
    "left": "U, left singular vectors",
    "right": "V, right singular vectors",
}


def _rows(*, scale: str) -> Any:
    from hsr.basis.rows import RowBasis  # here and below, because scikit-learn loads slowly

    return RowBasis(scale)


def _svd(**settings: Any) -> Any:
    from hsr.basis.svd import SVDBasis

    return SVDBasis(**settings)


def _nmf(*, start: str, seed: int, **settings: Any) -> Any:
    from hsr.basis.nmf import NMFBasis

    return NMFBasis(init=start, random_state=seed, **settings)


def _onehot() -> Any:
    from hsr.basis.rows import OneHotBasis

    return OneHotBasis()


BASES = Registry(
    "kind",
    (
        Entry("rows", "the rows of the map as they are", _rows, ("scale",)),
        Entry(
            "svd",
            "singular vectors of the map",
            _svd,
            ("n_components", "scale", "vectors"),
        ),
        Entry(
            "nmf",
            "sparse non-negative parts",
            _nmf,
            ("n_components", "scale", "start", "solver", "parts", "seed"),
        ),
        Entry("onehot", "one feature per state", _onehot),
    ),
)
"""Every way to make features of a map.

An entry is called with its settings as keyword arguments and returns an estimator with ``fit(M)``
and ``features_``. Add your own function ``(n_components)`` with ``BASES.add(name, function)``.
"""


@dataclass(frozen=True, kw_only=True)
class BasisDetails(Spec):
    """The settings of bases besides their kind; `BasisSpec` explains them."""

    n_components: int | None = integer(None, "number of features of SVD and NMF")
    scale: str = word(SCALES, "how features are scaled")
    start: str = word(NMF_STARTS, "where the iterations of NMF start")
    vectors: str = word(SVD_VECTORS, "the features of SVD")
    solver: str = word(NMF_SOLVERS, "the iterations of NMF")
    parts: str = word(NMF_PARTS, "the features of NMF")
    seed: int = integer(0, "seed of the random start of NMF", ge=0)


@dataclass(frozen=True)
class BasisSpec(BasisDetails):
    """A basis as data: a kind and the settings that it reads.

    Parameters
    ----------
    kind : {"rows", "svd", "nmf", "onehot"}, or your own
        How features are made of a map. `hsr.BASES` lists what is there.
    n_components : int, optional
        Number of features of "svd" and "nmf". By default as many as there are states.
    scale : {"none", "max", "unit_columns", "unit_rows"}
        How the features are scaled.
    start : {"nndsvda", "random"}
        Where the iterations of "nmf" start.
    vectors : {"scaled_left", "left", "right"}
        The features of "svd", from M = U diag(s) V': U diag(s), U or V.
    solver : {"hals", "extrapolated", "multiplicative"}
        The iterations of "nmf".
    parts : {"as_given", "norms_in_features"}
        The features of "nmf", from M ~ W H: W as it is, or with the norms of the rows of H moved
        into it.
    seed : int
        Draws the random entries at which "nmf" starts.

    Examples
    --------
    >>> import numpy as np
    >>> import hsr
    >>> hsr.basis.BasisSpec("svd", n_components=2).build(np.eye(4)).features_.shape
    (4, 2)
    """

    kind: str = named(BASES, "rows", "how features are made of a map")

    def estimator(self, n_states: int) -> Any:
        """Return the basis for maps of `n_states` states before it is fitted.

        There are at most S singular vectors, so a larger `n_components` of "svd" means S.
        """
        entry = BASES[self.kind]
        K = n_states if self.n_components is None else self.n_components
        if entry.name not in BASES.built_in:
            basis = entry.make(K)
            if not hasattr(basis, "fit"):
                raise InputError(
                    f"kind {self.kind!r} returned {short_repr(basis)}; it must have fit(M)"
                )
            return basis
        K = min(K, n_states) if entry.name == "svd" else K
        given = {"n_components": K}
        return entry.make(**{n: given.get(n, getattr(self, n)) for n in entry.settings})

    def build(self, M: Any) -> Any:
        """Return the basis, fitted to a map of shape (S, S)."""
        return self.estimator(M.shape[0]).fit(M)
