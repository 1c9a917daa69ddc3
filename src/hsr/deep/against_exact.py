"""Distances of learned maps, parts, eigenvectors and options from the exact ones."""

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.lazy import LazyMatrix
from hsr._base.validation import check_array
from hsr.basis.measures import hoyer_sparsity
from hsr.options.option_set import OptionSet

_SAME = 1e-6  # eigenvalues that differ by less belong to one eigenspace


def predictive_map(learned: Any, exact: Any) -> float:
    """Return the Frobenius distance of two matrices, relative to the size of the exact one.

    Parameters
    ----------
    learned, exact : PredictiveMap or array
        Two maps of the same shape.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> predictive_map(np.full((2, 2), 1.1), np.ones((2, 2)))
    0.10000000000000009
    """
    a, b = _entries(learned), _entries(exact)
    if a.shape != b.shape:
        raise InputError(f"learned has shape {a.shape} and exact {b.shape}; they must be equal")
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


class PartsReport(NamedTuple):
    """How parts compare with those of an exact factorisation.

    Parameters
    ----------
    error : float
        Relative Frobenius distance of the learned reconstruction from the exact map.
    exact_error : float
        The same for the exact factorisation.
    sparsity, exact_sparsity : float
        Mean Hoyer sparsity of the features.
    match : float
        Mean cosine of learned and exact features, in the best assignment of one to the other.
    matches : tuple of float
        The cosine of each exact part with the learned part that is assigned to it.
    """

    error: float
    exact_error: float
    sparsity: float
    exact_sparsity: float
    match: float
    matches: tuple[float, ...]


def parts(learned: Any, exact: Any, M: Any) -> PartsReport:
    """Return how learned parts compare with those of an exact factorisation of the exact map.

    A factorisation into parts has many local minima. Compare the match with that of two fits of
    `hsr.NMFBasis` from different random starts.

    Parameters
    ----------
    learned, exact : fitted bases
        The parts, such as `DeepParts`, and a `hsr.NMFBasis` of the exact map.
    M : PredictiveMap or array of shape (S, S)
        The exact map.

    Returns
    -------
    PartsReport

    Examples
    --------
    >>> import numpy as np, hsr
    >>> M = np.array([[2.0, 1.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 3.0]])
    >>> basis = hsr.NMFBasis(n_components=2).fit(M)
    >>> report = parts(basis, basis, M)
    >>> round(report.match, 6), report.error < 1e-4, report.sparsity == report.exact_sparsity
    (1.0, True, True)
    """
    a, b = (check_array(basis.features_, (None, None), "features_") for basis in (learned, exact))
    if a.shape != b.shape:
        raise InputError(f"the learned features have shape {a.shape}, the exact ones {b.shape}")
    cosines = _units(b).T @ _units(a)
    of_exact, of_learned = linear_sum_assignment(-cosines)
    matches = cosines[of_exact, of_learned]
    return PartsReport(
        error=predictive_map(a @ learned.components_, M),
        exact_error=predictive_map(b @ exact.components_, M),
        sparsity=float(np.nanmean(hoyer_sparsity(a))),
        exact_sparsity=float(np.nanmean(hoyer_sparsity(b))),
        match=float(matches.mean()),
        matches=tuple(matches.tolist()),
    )


def _units(features: FloatArray) -> FloatArray:
    size = np.linalg.norm(features, axis=0)
    return np.asarray(features / np.where(size > 0.0, size, 1.0))


class Agreement(NamedTuple):
    """How well learned eigenvectors agree with exact ones.

    Parameters
    ----------
    cosines : array of shape (K,)
        The cosine of each learned vector with the exact one, without its sign. If an eigenvalue is
        repeated, the cosine with its eigenspace.
    canonical : array of shape (K,)
        The canonical correlations of the two spans, in decreasing order. They do not depend on the
        order of the vectors, nor on rotations within the spans.
    """

    cosines: FloatArray
    canonical: FloatArray


def eigenvectors(learned: Any, exact: Any, eigenvalues: Any = None) -> Agreement:
    """Return how well learned eigenvectors agree with exact ones, up to their signs.

    Parameters
    ----------
    learned : array of shape (S, K)
        One vector per column.
    exact : array of shape (S, L), L >= K
        The exact vectors, in the same order. With more of them than were learned, the last
        eigenspace is complete.
    eigenvalues : array of shape (L,), optional
        The exact eigenvalues. Vectors whose eigenvalues are the same to 1e-6 are compared as a
        space. All are taken to be different by default.

    Returns
    -------
    Agreement
        The cosine of each vector, and the canonical correlations of all together.

    Examples
    --------
    The first two vectors have the same eigenvalue, so any rotation of them is right:

    >>> import numpy as np
    >>> exact, turn = np.eye(4)[:, :3], np.array([[0.6, 0.8], [-0.8, 0.6]])
    >>> learned = exact.copy()
    >>> learned[:2, :2] = turn
    >>> eigenvectors(learned, exact).cosines
    array([0.6, 0.6, 1. ])
    >>> eigenvectors(learned, exact, [0.9, 0.9, 0.5]).cosines
    array([1., 1., 1.])
    """
    b = check_array(exact, (None, None), "exact")
    a = check_array(learned, (b.shape[0], None), "learned")
    n_vectors = a.shape[1]
    if not 0 < n_vectors <= b.shape[1]:
        raise InputError(f"learned has {n_vectors} vectors and exact {b.shape[1]}; give as many")
    values = np.arange(b.shape[1], dtype=float)
    if eigenvalues is not None:
        values = check_array(eigenvalues, (b.shape[1],), "eigenvalues")
    a = a / np.linalg.norm(a, axis=0)
    cosines = np.zeros(n_vectors)
    for k in range(n_vectors):
        space = np.linalg.qr(b[:, np.abs(values - values[k]) <= _SAME])[0]
        cosines[k] = np.linalg.norm(space.T @ a[:, k])
    spans = [np.linalg.qr(vectors)[0] for vectors in (a, b[:, :n_vectors])]
    return Agreement(cosines, np.linalg.svd(spans[0].T @ spans[1], compute_uv=False))


class Ends(NamedTuple):
    """Where learned options stop, compared with exact ones.

    Parameters
    ----------
    same : bool array of shape (O,)
        Whether an option stops in exactly the same states.
    missed, added : int arrays of shape (O,)
        In how many states only the exact option stops, and in how many only the learned one.
    """

    same: BoolArray
    missed: IntArray
    added: IntArray


def option_ends(learned: OptionSet, exact: OptionSet) -> Ends:
    """Return in which states learned options stop that exact ones do not, and the reverse.

    Parameters
    ----------
    learned, exact : OptionSet
        As many options over the same states, in the same order. An option stops where its
        probability of stopping is at least 1/2.

    Returns
    -------
    Ends

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp("corridor")
    >>> option_ends(hsr.point_options(mdp, [0, 8]), hsr.point_options(mdp, [0, 9]))
    Ends(same=array([ True, False]), missed=array([0, 1]), added=array([0, 1]))
    """
    a, b = learned.termination >= 0.5, exact.termination >= 0.5
    if a.shape != b.shape:
        raise InputError(
            f"learned has {a.shape[0]} options over {a.shape[1]} states and exact {b.shape[0]} "
            f"over {b.shape[1]}; they must be equal"
        )
    missed, added = (b & ~a).sum(axis=1), (a & ~b).sum(axis=1)
    return Ends((missed == 0) & (added == 0), missed, added)


def _entries(matrix: Any) -> FloatArray:
    return matrix.toarray() if isinstance(matrix, LazyMatrix) else np.asarray(matrix, dtype=float)
