"""Read and check the transition matrices of MDPs and Markov chains."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from hsr._base.arrays import FloatArray, Int32Array, read_only
from hsr._base.errors import InputError
from hsr._base.validation import read_numbers

ROW_SUM_TOLERANCE = 1e-8


def read_matrices(transition: Any) -> tuple[sparse.csr_array, ...]:
    """Return one canonical matrix (S, S) per action, from any form that `FiniteMDP` takes."""
    if sparse.issparse(transition):
        raise InputError(
            "transition is one sparse matrix; give a sequence with one (S, S) matrix per action"
        )
    given_sparse = isinstance(transition, Sequence) and any(
        sparse.issparse(matrix) for matrix in transition
    )
    matrices = list(transition) if given_sparse else _split_dense(transition)
    for action, matrix in enumerate(matrices):
        if (
            not sparse.issparse(matrix)
            or matrix.ndim != 2
            or matrix.shape != (matrices[0].shape[0],) * 2
        ):
            kind = (
                f"has shape {matrix.shape}"
                if sparse.issparse(matrix)
                else f"is of type {type(matrix).__name__}"
            )
            raise InputError(
                f"transition matrix of action {action} {kind}; "
                "each must be sparse of one shape (S, S)"
            )
    if matrices[0].shape[0] == 0:
        raise InputError("transition has no states; there must be at least one")
    return tuple(
        canonical(matrix, f"transition matrix of action {action}")
        for action, matrix in enumerate(matrices)
    )


def _split_dense(transition: Any) -> list[sparse.csr_array]:
    forms = "give an array of shape (S, A, S) or A sparse matrices of shape (S, S)"
    array = read_numbers(transition, f"transition cannot be read as numbers; {forms}")
    if array.ndim != 3 or array.shape[0] != array.shape[2] or 0 in array.shape:
        raise InputError(
            f"transition has shape {array.shape}; it must have shape (S, A, S) "
            "with the same S first and last, or be a sequence of A sparse matrices of shape (S, S)"
        )
    return [sparse.csr_array(array[:, action]) for action in range(array.shape[1])]


def canonical(matrix: Any, name: str = "matrix") -> sparse.csr_array:
    """Return a read-only copy in compressed sparse rows, sorted and without duplicates or zeros.

    SciPy does not look at the indices of a sparse matrix by itself. One that lies outside makes
    compiled code read and write foreign memory, so all are checked before the first use.
    """
    if matrix.dtype.kind not in "biuf":
        raise InputError(f"{name} has type {matrix.dtype}; it must hold real numbers")
    _check_indices(matrix, name)
    csr = sparse.csr_array(matrix, dtype=np.float64, copy=True)
    csr.sum_duplicates()
    csr.eliminate_zeros()
    for array in (csr.data, csr.indices, csr.indptr):
        read_only(array)
    return csr


def _check_indices(matrix: Any, name: str) -> None:
    """Raise `InputError` if a sparse matrix has entries outside of its shape."""
    try:
        if matrix.format in ("csr", "csc", "bsr"):
            matrix.check_format(full_check=True)
        elif matrix.format == "coo":
            for axis, (along, size) in enumerate(zip(matrix.coords, matrix.shape, strict=True)):
                if along.shape != matrix.data.shape:
                    raise ValueError(f"axis {axis} has {along.size} indices")
                if along.size and not (along.min() >= 0 and along.max() < size):
                    raise ValueError(f"an index of axis {axis} lies outside")
        else:
            _check_indices(matrix.tocoo(), name)
    except (ValueError, TypeError, IndexError, AttributeError, OverflowError) as error:
        raise InputError(
            f"{name} is not a valid sparse matrix of shape {matrix.shape}: {error}"
        ) from None


def check_rows(matrix: sparse.csr_array, name: Callable[[int], str]) -> None:
    """Raise `InputError` unless every row is a distribution; `name(state)` names a row."""
    bad = ~np.isfinite(matrix.data) | (matrix.data < 0.0)
    if bad.any():
        entry = int(np.flatnonzero(bad)[0])
        row = name(int(np.searchsorted(matrix.indptr, entry, side="right")) - 1)
        raise InputError(
            f"{row[:-1]}, {matrix.indices[entry]}] is {matrix.data[entry]:.6g}; "
            "probabilities are finite and not negative"
        )
    sums = matrix @ np.ones(matrix.shape[1])
    wrong = np.flatnonzero(np.abs(sums - 1.0) > ROW_SUM_TOLERANCE)
    if wrong.size:
        raise InputError(f"{name(int(wrong[0]))} sums to {sums[wrong[0]]:.10g}; rows must sum to 1")


def find_successors(matrices: tuple[sparse.csr_array, ...]) -> Int32Array | None:
    """Return the successor of each state and action (S, A), or None unless all are certain."""
    for matrix in matrices:
        if (
            matrix.nnz != matrix.shape[0]
            or (matrix.data != 1.0).any()
            or (np.diff(matrix.indptr) != 1).any()
        ):
            return None
    table: Int32Array = np.stack([matrix.indices for matrix in matrices], axis=1).astype(np.int32)
    return read_only(table)


def cumulative_sums(indptr: np.ndarray, data: FloatArray) -> FloatArray:
    """Return the cumulative sums within each row of a sparse matrix."""
    total = np.cumsum(data)
    before = np.concatenate([[0.0], total])[indptr[:-1]]
    return total - np.repeat(before, np.diff(indptr))
