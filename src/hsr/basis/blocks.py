"""Iterate over a map in blocks of rows, so that it is never held in memory as a whole."""

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.lazy import LazyMatrix

Map: TypeAlias = LazyMatrix | FloatArray
_BLOCK_ENTRIES = 2**22


def rows_of(M: Map, states: IntArray) -> FloatArray:
    """Return the chosen rows of a lazy or dense map, of shape (n, n_features), as a new array."""
    return M.rows(states) if isinstance(M, LazyMatrix) else M[states]


def row_blocks(M: Map) -> Iterator[tuple[IntArray, FloatArray]]:
    """Yield (states, rows) for consecutive states. A block has about four million entries.

    >>> [(states.tolist(), rows.shape) for states, rows in row_blocks(np.eye(3))]
    [([0, 1, 2], (3, 3))]
    """
    n, m = M.shape
    size = max(1, _BLOCK_ENTRIES // m)
    for first in range(0, n, size):
        states = np.arange(first, min(n, first + size))
        yield states, rows_of(M, states)


def dense(M: Map) -> FloatArray:
    """Return all entries, or raise `TooLargeError` for a lazy map that would not fit."""
    return M.toarray() if isinstance(M, LazyMatrix) else M
