"""Sparse LU factors that any thread may use and drop."""

import atexit
import itertools
import os
import threading
import weakref
from queue import SimpleQueue
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from hsr._base.arrays import FloatArray, IntArray

N_OWNERS = 4  # as many factorisations can run at a time


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
