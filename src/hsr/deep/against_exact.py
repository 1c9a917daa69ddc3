"""How far learned objects are from the exact ones: one function per object.

Each takes what was learned and what is exact, as arrays, maps or option sets, and returns numbers.
"""

from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.lazy import LazyMatrix


def relative_error(learned: Any, exact: Any) -> float:
    """Return the Frobenius distance of two matrices, relative to the size of the exact one.

    Parameters
    ----------
    learned, exact : PredictiveMap or array
        Two maps of the same shape.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> relative_error(np.full((2, 2), 1.1), np.ones((2, 2)))
    0.10000000000000009
    """
    a, b = _entries(learned), _entries(exact)
    if a.shape != b.shape:
        raise InputError(f"learned has shape {a.shape} and exact {b.shape}; they must be equal")
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


def _entries(matrix: Any) -> FloatArray:
    return matrix.toarray() if isinstance(matrix, LazyMatrix) else np.asarray(matrix, dtype=float)
