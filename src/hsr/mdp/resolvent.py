"""Products with (I - C)^-1 for a sparse matrix C, without forming the inverse."""

from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.lazy import LazyMatrix
from hsr.kernels.graph import postorder, solve_acyclic, solve_acyclic_transpose

_CROWDED = 4.0  # times the mean number of entries


class Resolvent:
    """The matrix (I - C)^-1 for a sparse C >= 0 with spectral radius below 1.

    Successor representations, option models and hierarchical maps are all such inverses. The graph
    of C decides between two exact methods:

    - If it has no cycle, as for shortest-path policies and greedy plans, by substitution in
      topological order. This takes O(nnz) per right-hand side.
    - Otherwise by one sparse LU factorisation. I - C is a diagonally dominant M-matrix, so no
      pivoting is needed, and the symmetric minimum-degree order keeps the fill-in nearly linear on
      mazes. States in which options end have many predecessors and are eliminated last.

    Parameters
    ----------
    indptr, indices, data : arrays
        The three arrays of C in compressed sparse rows.
    """

    def __init__(self, indptr: np.ndarray, indices: np.ndarray, data: FloatArray) -> None:
        self.size = indptr.size - 1
        # One type of integers, as SuperLU's factors have it: kernels are compiled once for all.
        kind = np.int32 if indices.size < 2**31 else np.int64
        self._csr = (indptr.astype(kind, copy=False), indices.astype(kind, copy=False), data)

    @classmethod
    def of(cls, matrix: sparse.csr_array) -> "Resolvent":
        """Return the resolvent of a square sparse matrix."""
        csr = sparse.csr_array(matrix)
        return cls(csr.indptr, csr.indices, csr.data)

    @cached_property
    def _search(self) -> tuple[np.ndarray, bool]:
        return postorder(*self._csr[:2])

    @property
    def is_acyclic(self) -> bool:
        """Whether the graph of C has no cycle."""
        return self._search[1]

    @property
    def order(self) -> np.ndarray:
        """The states, successors before predecessors, of shape (n,). Only valid without a cycle."""
        return self._search[0]

    @cached_property
    def _factor(self) -> "SparseLU":
        indptr, indices, data = self._csr
        matrix = sparse.csr_array((data, indices, indptr), shape=(self.size, self.size))
        return SparseLU(sparse.eye_array(self.size, format="csr") - matrix)

    def solve(self, block: FloatArray) -> FloatArray:
        """Return (I - C)^-1 b for each column b of a block of shape (n, k)."""
        if not self.is_acyclic:
            return self._factor.solve(block)
        solution = np.array(block, order="C")
        solve_acyclic(self.order, *self._csr, solution)
        return solution

    def solve_transpose(self, block: FloatArray) -> FloatArray:
        """Return (I - C')^-1 b for each column b of a block of shape (n, k)."""
        if not self.is_acyclic:
            return self._factor.solve_transpose(block)
        solution = np.array(block, order="C")
        solve_acyclic_transpose(self.order, *self._csr, solution)
        return solution

    def as_matrix(self) -> LazyMatrix:
        """Return (I - C)^-1 as a lazy matrix."""
        return LazyMatrix((self.size, self.size), self.solve, self.solve_transpose)


class SparseLU:
    """The sparse LU factors of a diagonally dominant matrix, with pivots on its diagonal.

    SuperLU finds the factors, R A C = L U with permutations R and C. They are copied into arrays at
    once, because SciPy frees the memory of SuperLU only in the thread that made it. Compiled
    substitution then solves for many right-hand sides together.

    Columns are eliminated by minimum degree. The few with far more entries than others, as those of
    states in which options end, come last. With them, finding the order would take O(n^2), and they
    would join all states as neighbours.

    Parameters
    ----------
    matrix : sparse array of shape (n, n)
        A diagonally dominant matrix A. No pivoting is needed then.

    Examples
    --------
    >>> SparseLU(sparse.csr_array([[2.0, 1.0], [0.0, 4.0]])).solve(np.array([[4.0], [4.0]]))
    array([[1.5],
           [1. ]])
    """

    def __init__(self, matrix: sparse.csr_array) -> None:
        crowded = _is_crowded(matrix)
        if crowded.any():
            order = _order_with_last(matrix, crowded)
            factors = _superlu(matrix[order][:, order], "NATURAL", panel_size=1)
            self._rows, self._columns = np.empty_like(order), np.empty_like(order)
            self._rows[order], self._columns[order] = factors.perm_r, factors.perm_c
        else:
            factors = _superlu(matrix, "MMD_AT_PLUS_A")
            # These two belong to SuperLU and would keep all of it.
            self._rows, self._columns = factors.perm_r.copy(), factors.perm_c.copy()
        L, U = factors.L, factors.U
        self._diagonal = U.diagonal()
        # U = (I - C) D with D its diagonal, and L = I - C, each with a strictly triangular C.
        U.data /= np.repeat(self._diagonal, np.diff(U.indptr))
        ascending = np.arange(self._diagonal.size, dtype=np.int32)
        self._lower = (ascending[::-1].copy(), *_strict_part(L))
        self._upper = (ascending, *_strict_part(U))

    @property
    def order(self) -> IntArray:
        """The columns in the order in which they were eliminated, of shape (n,)."""
        return np.argsort(self._columns)

    def solve(self, block: FloatArray) -> FloatArray:
        """Return A^-1 b for each column b of a block of shape (n, k)."""
        x = np.empty(block.shape)
        x[self._rows] = block
        # Factors are stored by columns, which are the rows of their transposes.
        solve_acyclic_transpose(*self._lower, x)
        solve_acyclic_transpose(*self._upper, x)
        x /= self._diagonal[:, None]
        return x[self._columns]

    def solve_transpose(self, block: FloatArray) -> FloatArray:
        """Return A'^-1 b for each column b of a block of shape (n, k)."""
        x = np.empty(block.shape)
        x[self._columns] = block
        x /= self._diagonal[:, None]
        solve_acyclic(*self._upper, x)
        solve_acyclic(*self._lower, x)
        return x[self._rows]


def _is_crowded(matrix: sparse.csr_array) -> np.ndarray:
    """Return which columns have far more entries than the mean, in the column or in the row."""
    n = matrix.shape[0]
    entries = np.bincount(matrix.indices, minlength=n) + np.diff(matrix.indptr)
    return entries > _CROWDED * entries.mean()


def _order_with_last(matrix: sparse.csr_array, last: np.ndarray) -> IntArray:
    """Return the columns by minimum degree among those that are not last, and then the last."""
    (first,) = np.nonzero(~last)
    among = _superlu(matrix[first][:, first], "MMD_AT_PLUS_A").perm_c
    return np.concatenate([first[np.argsort(among)], np.flatnonzero(last)])


def _superlu(matrix: sparse.csr_array, order: str, **how: Any) -> Any:
    options = {"SymmetricMode": True}
    return splu(matrix.tocsc(), permc_spec=order, diag_pivot_thresh=0.0, options=options, **how)


def _strict_part(factor: sparse.csc_array) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the arrays of C in a triangular factor I - C, by columns."""
    factor.setdiag(0.0)
    return factor.indptr, factor.indices, -factor.data
