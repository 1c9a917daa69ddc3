"""Fingerprints of MDPs: 32 hexadecimal digits that agree if every action does the same.

The fingerprint depends on the transition probabilities, rounded to nine decimals, and on nothing
else: not on the discount and not on labels. Rounding makes it independent of the order in which
probabilities were added up.
"""

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np
from scipy import sparse

from hsr._base.arrays import Int32Array

_DECIMALS = 9
_DIGITS = 32


def fingerprint_of_table(successors: Int32Array) -> str:
    """Return the fingerprint of a deterministic MDP from its successors, of shape (S, A)."""
    return _digest("successors", successors.shape, [successors.astype("<i4")])


def likeliest(matrices: Sequence[sparse.csr_array]) -> Int32Array:
    """Return the most likely outcome of each action in each state, of shape (S, A).

    Of equally likely outcomes, the one with the smallest number is taken.
    """
    table = np.empty((matrices[0].shape[0], len(matrices)), dtype=np.int32)
    for action, matrix in enumerate(matrices):
        row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        order = np.lexsort((matrix.indices, -np.round(matrix.data, _DECIMALS), row))
        table[:, action] = matrix.indices[order[matrix.indptr[:-1]]]
    return table


def fingerprint_of_matrices(matrices: Iterable[sparse.csr_array]) -> str:
    """Return the fingerprint of an MDP from one canonical matrix of shape (S, S) per action.

    An MDP that is deterministic to nine decimals has the fingerprint of its table.
    """
    rounded = [_rounded(matrix) for matrix in matrices]
    if all(
        (np.diff(matrix.indptr) == 1).all() and (matrix.data == 1.0).all() for matrix in rounded
    ):
        return fingerprint_of_table(np.stack([matrix.indices for matrix in rounded], axis=1))
    parts = [
        part
        for matrix in rounded
        for part in (
            matrix.indptr.astype("<i8"),
            matrix.indices.astype("<i4"),
            matrix.data.astype("<f8"),
        )
    ]
    return _digest("matrices", (rounded[0].shape[0], len(rounded)), parts)


def _rounded(matrix: sparse.csr_array) -> sparse.csr_array:
    rounded = matrix.copy()
    rounded.data = np.round(matrix.data, _DECIMALS)
    rounded.eliminate_zeros()
    return rounded


def _digest(kind: str, shape: tuple[int, ...], parts: Iterable[np.ndarray]) -> str:
    digest = hashlib.sha256(f"{kind} {shape}".encode())
    for part in parts:
        digest.update(np.ascontiguousarray(part).data)
    return digest.hexdigest()[:_DIGITS]
