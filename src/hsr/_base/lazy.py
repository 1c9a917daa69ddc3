"""`LazyMatrix`: a matrix given by its products with vectors, written out only on request."""

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
    """A real matrix of shape (n, m) that is known by its products.

    The exact map of a million states has 10^12 entries, too many to store. A `LazyMatrix` holds two
    functions that are cheap, x -> M x and y -> M' y, and computes chosen rows,
    chosen columns and products from them. The dense array is made only on request, and refused if
    it would not fit in memory.

    Parameters
    ----------
    shape : (int, int)
        The numbers of rows n and columns m.
    apply : callable
        Maps an array of shape (m, k) to ``M @ array``, of shape (n, k).
    apply_transpose : callable
        Maps an array of shape (n, k) to ``M.T @ array``, of shape (m, k).
    dense : callable, optional
        Returns the dense array, or None if nothing is faster than `apply_transpose`.

    Attributes
    ----------
    mdp_fingerprint : str or None
        The fingerprint of the MDP that the matrix was made for.
    streamed : bool
        Whether a product adds up many matrices, such as those of all tasks. A product with many
        columns then costs little more than one with a single column.

    Examples
    --------
    >>> import numpy as np
    >>> twice = LazyMatrix((3, 3), lambda x: 2 * x, lambda y: 2 * y)
    >>> twice.rows(1), twice @ np.ones(3)
    (array([0., 2., 0.]), array([2., 2., 2.]))
    """

    mdp_fingerprint: str | None = None
    streamed: bool = False
    __array_ufunc__ = None  # so that `y @ M` calls `__rmatmul__` and NumPy does not make M dense

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
        """Return chosen rows.

        Parameters
        ----------
        states : int or list of int
            The rows. A list gives an array of shape (len(states), m), an integer one of shape (m,).
        """
        if _is_single(states):
            return self.rows([states])[0]
        chosen = check_indices(states, self.shape[0], "states")
        self._check_fits(
            chosen.size * self.shape[1], f"{chosen.size} rows", "ask for fewer rows at a time"
        )
        return np.ascontiguousarray(self._apply_transpose(unit_vectors(chosen, self.shape[0])).T)

    def columns(self, states: Any) -> FloatArray:
        """Return chosen columns.

        Parameters
        ----------
        states : int or list of int
            The columns. A list gives an array of shape (n, len(states)), an integer one of shape
            (n,).
        """
        if _is_single(states):
            return np.ascontiguousarray(self.columns([states])[:, 0])
        chosen = check_indices(states, self.shape[1], "states")
        self._check_fits(
            chosen.size * self.shape[0], f"{chosen.size} columns", "ask for fewer columns at a time"
        )
        return self._apply(unit_vectors(chosen, self.shape[1]))

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
        """The transpose, which is lazy too and has the same provenance."""
        transpose = LazyMatrix((self.shape[1], self.shape[0]), self._apply_transpose, self._apply)
        transpose.mdp_fingerprint, transpose.streamed = self.mdp_fingerprint, self.streamed
        return transpose

    def toarray(self) -> FloatArray:
        """Return all entries as a dense array, or raise `TooLargeError` if they would not fit."""
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
            dense[states] = self._apply_transpose(unit_vectors(states, n)).T
        return dense

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> FloatArray:
        """Let NumPy and scikit-learn read the matrix, as `toarray` does."""
        if copy is False:
            raise InputError("a lazy matrix has no array to share; ask for a copy")
        return self.toarray().astype(dtype or np.float64, copy=False)

    def _check_fits(self, n_entries: int, what: str, instead: str) -> None:
        check_fits(8 * n_entries, what, instead)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(shape={self.shape})"


def _is_single(states: Any) -> bool:
    """Return whether one state is meant rather than a list.

    `np.ndim` would raise for a ragged list, which `check_indices` refuses with a message.
    """
    return np.isscalar(states) or getattr(states, "ndim", 1) == 0


def unit_vectors(states: np.ndarray, n: int) -> FloatArray:
    """Return one unit vector per state as columns, of shape (n, len(states)).

    The product of a matrix with them is its columns `states`.
    """
    units = np.zeros((n, states.size))
    units[states, np.arange(states.size)] = 1.0
    return units


def _product(apply: Apply, other: Any, size: int, name: str) -> FloatArray:
    """Return the product with a vector or matrix, after checking its first axis.

    `apply` takes matrices only, so a vector becomes a matrix with one column and back.
    """
    array = read_numbers(
        other, f"the {name} cannot be read as numbers; its first axis must have length {size}"
    )
    if array.ndim not in (1, 2) or array.shape[0] != size:
        raise InputError(
            f"the {name} has shape {array.shape}; its first axis must have length {size}"
        )
    result = apply(array.reshape(size, -1))
    return result[:, 0] if array.ndim == 1 else result
