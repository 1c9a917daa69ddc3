"""Type aliases for arrays, by the type of their entries.

Shapes are given in docstrings, with the letters of `docs/symbols.md`.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
Int32Array: TypeAlias = NDArray[np.int32]
BoolArray: TypeAlias = NDArray[np.bool_]


def read_only(array: np.ndarray) -> np.ndarray:
    """Return the same array after making it read-only, as frozen objects need it.

    >>> read_only(np.zeros(2)).flags.writeable
    False
    """
    array.setflags(write=False)
    return array
