"""The fingerprint of a world: 32 letters that two MDPs share if, and only if, every action does the
same in both.

Maps and bases carry the fingerprint of the MDP that they were made for, so that none is applied to
another maze by mistake. The discount is no part of it, nor are labels: the maze is the same,
however far one looks ahead. Probabilities count to nine decimals, so that the order in which they
were added up does not make another world.

Options say where to go, and hold in every world with the same ways: they carry its *outline*, the
fingerprint of the deterministic world in which every action has its likeliest outcome (of equally
likely ones, the first). The outline of a maze does not depend on how often moves slip, while they
mostly do not. Of a deterministic world the two are one.
"""

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np
from scipy import sparse

from hsr._base.arrays import Int32Array

_DECIMALS = 9
_LETTERS = 32


def fingerprint_of_table(successors: Int32Array) -> str:
    """Return the fingerprint of a deterministic world, from the state that each action leads to, of
    shape (S, A).
    """
    return _digest("successors", successors.shape, [successors.astype("<i4")])


def likeliest(matrices: Sequence[sparse.csr_array]) -> Int32Array:
    """Return the likeliest outcome of each action in each state, of shape (S, A)."""
    table = np.empty((matrices[0].shape[0], len(matrices)), dtype=np.int32)
    for action, matrix in enumerate(matrices):
        row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        order = np.lexsort((matrix.indices, -np.round(matrix.data, _DECIMALS), row))
        table[:, action] = matrix.indices[order[matrix.indptr[:-1]]]
    return table


def fingerprint_of_matrices(matrices: Iterable[sparse.csr_array]) -> str:
    """Return the fingerprint of a world from its matrices in canonical form, one per action, each
    of shape (S, S).

    A world that is certain to nine decimals has the fingerprint of its table.
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
    return digest.hexdigest()[:_LETTERS]
