"""Eigenvectors of walks whose states fall into groups that are hardly joined.

If k groups of states are joined by probabilities near rounding, k - 1 eigenvectors are nearly
constant on each group, with rates 1 - lambda near zero. Solvers mix them with each other and with
the constant vector, or miss them. Such results are recognised here. The vectors are then found in
two steps, as in the aggregation of nearly decomposable systems: those between groups from the small
walk whose states are the groups, and those within groups orthogonal to them.
"""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.memory import check_fits

_WEAK = 1e-11  # probabilities below this join groups of states weakly
_RESIDUAL = 1e-6
_CONSTANT = 1e-8
_ROUNDING = 1e-13
_APART = 1e-12  # rates between groups that differ by more have vectors of their own
_SEPARATION = 1e-4  # the largest rate between groups, relative to the smallest within
_RESOLUTION = 1e-10  # the smallest rate between groups, relative to the largest


def are_resolved(
    W: sparse.csr_array, weight: FloatArray, rates: FloatArray, vectors: FloatArray
) -> bool:
    """Return whether vectors are the leading eigenvectors of D^-1/2 W D^-1/2 but the constant one.

    They are not if one of them is no eigenvector or not orthogonal to the constant vector. Between
    weakly joined groups no vector may be missing, and the rates of several must be so different
    that rounding does not mix their vectors.

    Parameters
    ----------
    W : sparse array of shape (n, n)
        Symmetric and connected.
    weight : array of shape (n,)
        The diagonal of D, the row sums of W.
    rates : array of shape (K,)
        1 - lambda of each vector, in increasing order.
    vectors : array of shape (n, K)
        Vectors of length 1.
    """
    if not _are_eigenvectors(W, weight, rates, vectors):
        return False
    n_groups, label = _groups(W)
    if n_groups == 1:
        return True
    weak = rates[: n_groups - 1]
    if (weak > 2.0 * _between(W, weight, label).max() + _ROUNDING).any():
        return False
    return n_groups == 2 or bool((np.diff(rates[:n_groups]) > _APART).all())


def aggregated_vectors(
    W: sparse.csr_array, weight: FloatArray, n_vectors: int
) -> tuple[FloatArray, FloatArray]:
    """Return (rates, vectors) of a walk that the usual methods do not resolve.

    It is tried with one group first, which removes the constant vector alone.

    Parameters
    ----------
    W, weight
        As in `are_resolved`.
    n_vectors : int
        Number of vectors.

    Raises
    ------
    InputError
        If groups are joined by probabilities of so different sizes that the vectors between them
        are hidden by rounding.
    """
    n = weight.size
    check_fits(
        4 * 8 * n * n, f"all eigenvectors of a walk of {n} states", "ask for fewer eigenvectors"
    )
    rates, vectors, _ = _from_groups(W, weight, np.zeros(n, dtype=np.int32))
    rates, vectors = rates[:n_vectors], vectors[:, :n_vectors]
    if are_resolved(W, weight, rates, vectors):
        return rates, vectors
    n_groups, label = _groups(W)
    rates, vectors, ratio = _from_groups(W, weight, label)
    rates, vectors = rates[:n_vectors], vectors[:, :n_vectors]
    if ratio > _SEPARATION or not _are_eigenvectors(W, weight, rates, vectors):
        raise _hidden(n_groups)
    return rates, vectors


def _from_groups(
    W: sparse.csr_array, weight: FloatArray, label: IntArray
) -> tuple[FloatArray, FloatArray, float]:
    """Return all rates and vectors but the constant one, and how far the groups are apart.

    That is the largest rate between groups, relative to the smallest within. The vectors are exact
    up to this ratio.
    """
    n, k, root = weight.size, int(label.max()) + 1, np.sqrt(weight)
    groups = np.zeros((n, k))
    groups[np.arange(n), label] = root
    groups /= np.linalg.norm(groups, axis=0)
    moves = W.toarray()
    np.fill_diagonal(moves, 0.0)
    # The sum of the others is exact where 1 - W on the diagonal would be rounded.
    laplacian = (np.diag(moves.sum(axis=1)) - moves) / np.outer(root, root)
    within, vectors = np.linalg.eigh(laplacian + 3.0 * groups @ groups.T)
    between = _between(W, weight, label)
    weak_rates, weak = _between_groups(between, groups.T @ root)
    rates = np.concatenate([weak_rates, np.maximum(within[: n - k], 0.0)])
    vectors = np.concatenate([groups @ weak, vectors[:, : n - k]], axis=1)
    order = np.argsort(rates, kind="stable")
    ratio = between.max() / within[0] if within[0] > 0.0 else np.inf
    return rates[order], vectors[:, order], float(ratio)


def _between_groups(laplacian: FloatArray, root: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (rates, vectors) of the walk between k groups but the constant one, (k - 1,)."""
    k = root.size
    if k == 1:
        return np.zeros(0), np.zeros((1, 0))
    scale = laplacian.max()
    constant = root / np.linalg.norm(root)
    rates, vectors = np.linalg.eigh(laplacian / scale + 3.0 * np.outer(constant, constant))
    if rates[0] < _RESOLUTION:
        raise _hidden(k)
    return scale * rates[: k - 1], vectors[:, : k - 1]


def _between(W: sparse.csr_array, weight: FloatArray, label: IntArray) -> FloatArray:
    """Return the normalised Laplacian of the walk between groups, of shape (k, k)."""
    k = int(label.max()) + 1
    entries = W.tocoo()
    source, target = label[entries.coords[0]], label[entries.coords[1]]
    across = source != target
    cut = np.zeros((k, k))
    np.add.at(cut, (source[across], target[across]), entries.data[across])
    root = np.sqrt(np.bincount(label, weight, minlength=k))
    laplacian: FloatArray = (np.diag(cut.sum(axis=1)) - cut) / np.outer(root, root)
    return laplacian


def _are_eigenvectors(
    W: sparse.csr_array, weight: FloatArray, rates: FloatArray, vectors: FloatArray
) -> bool:
    """Return whether the vectors are eigenvectors and orthogonal to the constant one."""
    root = np.sqrt(weight)
    scaled = vectors / root[:, None]
    residual = (weight[:, None] * scaled - W @ scaled) / root[:, None] - rates * vectors
    overlap = root @ vectors / np.linalg.norm(root)
    return bool(
        (np.linalg.norm(residual, axis=0) <= _RESIDUAL).all()
        and (np.abs(overlap) <= _CONSTANT).all()
    )


def _groups(W: sparse.csr_array) -> tuple[int, IntArray]:
    """Return the number of groups that are not joined by large entries, and each state's group."""
    entries = W.tocoo()
    strong = entries.data >= _WEAK
    row, column = (along[strong] for along in entries.coords)
    graph = sparse.coo_array((entries.data[strong], (row, column)), shape=W.shape)
    n_groups, label = connected_components(graph, directed=False)
    return int(n_groups), label


def _hidden(n_groups: int) -> InputError:
    return InputError(
        f"the walk has {n_groups} groups of states that are joined by probabilities below "
        f"{_WEAK:g}, so different that rounding hides some eigenvectors; "
        "set the smallest of them to 0, which separates the groups"
    )
