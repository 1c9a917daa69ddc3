"""Products with (I - C)^-1 for a sparse matrix C, without forming the inverse."""

import atexit
import itertools
import os
import threading
import weakref
from functools import cached_property
from queue import SimpleQueue
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.lazy import LazyMatrix
from hsr.kernels.graph import postorder, solve_acyclic, solve_acyclic_transpose

N_OWNERS = 4  # as many factorisations can run at a time


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
            return self._factor.solve(block, "T")
        solution = np.array(block, order="C")
        solve_acyclic_transpose(self.order, *self._csr, solution)
        return solution

    def as_matrix(self) -> LazyMatrix:
        """Return (I - C)^-1 as a lazy matrix."""
        return LazyMatrix((self.size, self.size), self.solve, self.solve_transpose)


class SparseLU:
    """The sparse LU factors of a diagonally dominant matrix, with pivots on its diagonal.

    SciPy frees the memory of SuperLU only in the thread that made the factors. If another thread
    drops the last reference, the memory is lost for good, and an error appears out of nowhere. So a
    few threads that live as long as the process make all factors, and each frees its own. Any
    thread may solve.

    Parameters
    ----------
    matrix : sparse array of shape (n, n)
        A diagonally dominant matrix. No pivoting is needed then.

    Examples
    --------
    >>> SparseLU(sparse.csr_array([[2.0, 1.0], [0.0, 4.0]])).solve(np.array([[4.0], [4.0]]))
    array([[1.5],
           [1. ]])
    """

    def __init__(self, matrix: sparse.csr_array) -> None:
        owner = _next_owner()
        self._factors = owner.make(matrix)
        # A reference that remains in this thread does no harm: the owner empties the list.
        weakref.finalize(self, owner.free, self._factors).atexit = False

    @property
    def order(self) -> IntArray:
        """The columns in the order in which they were eliminated, of shape (n,)."""
        (factors,) = self._factors
        return np.argsort(factors.perm_c)

    def solve(self, block: FloatArray, which: str = "N") -> FloatArray:
        """Return the solution for each column of a block; ``which="T"`` transposes the matrix."""
        (factors,) = self._factors
        solution: FloatArray = factors.solve(np.asfortranarray(block), which)
        return solution


class _Owner:
    """A thread that makes factors when asked and frees them when they are dropped."""

    def __init__(self) -> None:
        # Garbage collection may interrupt a call of this queue and use it again.
        self.orders: SimpleQueue[tuple[str, list[Any], Any]] = SimpleQueue()
        self.alive: dict[int, list[Any]] = {}
        self.thread = threading.Thread(target=self._work, name="hsr-sparse-lu", daemon=True)
        self.thread.start()

    def make(self, matrix: sparse.csr_array) -> list[Any]:
        """Return a list with the factors of a matrix in it."""
        result: list[Any] = []
        done = threading.Event()
        self.orders.put(("make", result, (matrix, done)))
        try:
            done.wait()
        except BaseException:
            self.free(result)
            raise
        if isinstance(result[0], BaseException):
            raise result[0]
        return result

    def free(self, factors: list[Any]) -> None:
        """Have the factors freed."""
        self.orders.put(("free", factors, None))

    def end(self) -> None:
        """Have all factors freed, and end the thread."""
        self.orders.put(("end", [], None))
        self.thread.join(1.0)

    def _work(self) -> None:
        order = ""
        while order != "end":
            order, factors, given = self.orders.get()
            if order == "make":
                self._make(factors, *given)
            elif order == "free":
                self.alive.pop(id(factors), None)
                factors.clear()
            del factors, given
        for factors in self.alive.values():
            factors.clear()

    def _make(self, result: list[Any], matrix: sparse.csr_array, done: threading.Event) -> None:
        try:
            result.append(_factorised(matrix))
            self.alive[id(result)] = result
        except BaseException as error:
            result.append(error)
        done.set()


def _factorised(matrix: sparse.csr_array) -> Any:
    return splu(
        matrix.tocsc(),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )


_owners: dict[int, _Owner] = {}
_turn = itertools.count()
_lock = threading.Lock()


def _next_owner() -> _Owner:
    """Return one of the owners in turn. They are started when they are first needed."""
    number = next(_turn) % N_OWNERS
    with _lock:
        if number not in _owners:
            _owners[number] = _Owner()
        return _owners[number]


def _start_again() -> None:
    """Forget the owners in a forked process, where their threads do not run."""
    global _lock
    _lock = threading.Lock()
    _owners.clear()


@atexit.register
def _end() -> None:
    for owner in _owners.values():
        owner.end()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_again)
