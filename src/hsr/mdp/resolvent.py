"""Products with (I - C)^-1 for a sparse matrix C, without forming the inverse."""

from functools import cached_property

import numpy as np
from scipy import sparse

from hsr._base.arrays import FloatArray
from hsr._base.lazy import LazyMatrix
from hsr.kernels.graph import postorder
from hsr.kernels.substitution import solve_acyclic, solve_acyclic_transpose
from hsr.mdp.sparse_lu import SparseLU


class Resolvent:
    """The matrix (I - C)^-1 for a sparse C >= 0 with spectral radius below 1.

    Successor representations, option models and hierarchical maps are all such inverses. The graph
    of C decides between two exact methods:

    - If it has no cycle, as for shortest-path policies and greedy plans, by substitution in
      topological order. This takes O(nnz) per right-hand side.
    - Otherwise by one sparse LU factorisation. I - C is a diagonally dominant M-matrix, so no
      pivoting is needed, and the symmetric minimum-degree order keeps the fill-in nearly linear on
      mazes.

    Parameters
    ----------
    indptr, indices, data : arrays
        The three arrays of C in compressed sparse rows.
    """

    def __init__(self, indptr: np.ndarray, indices: np.ndarray, data: FloatArray) -> None:
        self.size = indptr.size - 1
        self._csr = (indptr, indices, data)

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
    def _factor(self) -> SparseLU:
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
            return self._factor.solve(block, "T")
        solution = np.array(block, order="C")
        solve_acyclic_transpose(self.order, *self._csr, solution)
        return solution

    def as_matrix(self) -> LazyMatrix:
        """Return (I - C)^-1 as a lazy matrix."""
        return LazyMatrix((self.size, self.size), self.solve, self.solve_transpose)
