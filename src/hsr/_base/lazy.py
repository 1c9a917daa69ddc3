"""`LazyMatrix`: a matrix known by what it does to vectors.

An exact map of a million states has 10^12 entries, and nobody looks at them all. A `LazyMatrix`
holds the two functions that are cheap to have, `x -> M x` and `y -> M' y`, and answers from them:
chosen rows, chosen columns, products. The whole array is made only when it is asked for, and
refused when it would not fit.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.memory import check_fits
from hsr._base.validation import check_indices, read_numbers

Apply = Callable[[FloatArray], FloatArray]
Products = tuple[Apply, Apply, Callable[[], FloatArray | None] | None]
_BLOCK_BYTES = 2**26


class LazyMatrix:
    """A real matrix of shape (n, m), by its products.

    Parameters
    ----------
    shape : (n, m)
    apply : function from an array of shape (m, k) to one of shape (n, k)
    apply_transpose : function from an array of shape (n, k) to one of shape (m, k)
    dense : function that returns the whole array of shape (n, m), or None where it cannot; it is
    then built from
        `apply_transpose`, as by default
    """

    made_for: str | None = None  # the mark of a world, for a matrix that was made for one
    __array_ufunc__ = None  # so that `y @ M` comes here and NumPy does not write M out

    def __init__(
        self,
        shape: tuple[int, int],
        apply: Apply,
        apply_transpose: Apply,
        dense: Callable[[], FloatArray | None] | None = None,
    ) -> None:
        self.shape = shape
        self.dtype = np.dtype(np.float64)
        self._apply = apply
        self._apply_transpose = apply_transpose
        self._dense = dense

    @property
    def ndim(self) -> int:
        """Always 2."""
        return 2

    def rows(self, states: Any) -> FloatArray:
        """Return the chosen rows, of shape (len(states), m); one integer gives one row of
        shape (m,).
        """
        if _is_single(states):
            return self.rows([states])[0]
        chosen = check_indices(states, self.shape[0], "states")
        self._check_fits(
            chosen.size * self.shape[1], f"{chosen.size} rows", "ask for fewer rows at a time"
        )
        return np.ascontiguousarray(self._apply_transpose(_unit_vectors(chosen, self.shape[0])).T)

    def columns(self, states: Any) -> FloatArray:
        """Return the chosen columns, of shape (n, len(states)); one integer gives one column
        of shape (n,).
        """
        if _is_single(states):
            return np.ascontiguousarray(self.columns([states])[:, 0])
        chosen = check_indices(states, self.shape[1], "states")
        self._check_fits(
            chosen.size * self.shape[0], f"{chosen.size} columns", "ask for fewer columns at a time"
        )
        return self._apply(_unit_vectors(chosen, self.shape[1]))

    def __matmul__(self, other: Any) -> FloatArray:
        """Return `M @ x` for a vector of shape (m,) or a matrix of shape (m, k)."""
        return _product(self._apply, other, self.shape[1], "right-hand side of @")

    def __rmatmul__(self, other: Any) -> FloatArray:
        """Return `y @ M` for a vector of shape (n,) or a matrix of shape (k, n)."""
        left = read_numbers(
            other, f"the left-hand side of @ cannot be read as numbers of length {self.shape[0]}"
        )
        return _product(self._apply_transpose, left.T, self.shape[0], "left-hand side of @").T

    @property
    def T(self) -> "LazyMatrix":
        """The transpose, as lazy as this one, with the same mark."""
        transpose = LazyMatrix((self.shape[1], self.shape[0]), self._apply_transpose, self._apply)
        transpose.made_for = self.made_for
        return transpose

    def toarray(self) -> FloatArray:
        """Return all entries as a dense array, or raise `TooLargeError` before allocating what
        would not fit.
        """
        n, m = self.shape
        self._check_fits(
            n * m,
            f"the dense array of shape ({n}, {m})",
            "use .rows(states), .columns(states) or @",
        )
        whole = self._dense() if self._dense is not None else None
        if whole is not None:
            return whole
        dense = np.empty((n, m))
        block = max(1, _BLOCK_BYTES // (8 * max(n, m)))
        for first in range(0, n, block):
            states = np.arange(first, min(n, first + block))
            dense[states] = self._apply_transpose(_unit_vectors(states, n)).T
        return dense

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> FloatArray:
        """Let NumPy and scikit-learn read the matrix; the same as `toarray`."""
        if copy is False:
            raise InputError("a lazy matrix has no array to share; ask for a copy")
        return self.toarray().astype(dtype or np.float64, copy=False)

    def _check_fits(self, n_entries: int, what: str, instead: str) -> None:
        check_fits(8 * n_entries, what, instead)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(shape={self.shape})"


def _is_single(states: Any) -> bool:
    # np.ndim would choke on a ragged list, which `check_indices` refuses in words.
    return np.isscalar(states) or getattr(states, "ndim", 1) == 0


def _unit_vectors(states: np.ndarray, n: int) -> FloatArray:
    units = np.zeros((n, states.size))
    units[states, np.arange(states.size)] = 1.0
    return units


def _product(apply: Apply, other: Any, size: int, name: str) -> FloatArray:
    array = read_numbers(
        other, f"the {name} cannot be read as numbers; its first axis must have length {size}"
    )
    if array.ndim not in (1, 2) or array.shape[0] != size:
        raise InputError(
            f"the {name} has shape {array.shape}; its first axis must have length {size}"
        )
    result = apply(array.reshape(size, -1))
    return result[:, 0] if array.ndim == 1 else result
