"""Array aliases by type of entry. Shapes are written in docstrings, with the letters of
`docs/symbols.md`.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
Int32Array: TypeAlias = NDArray[np.int32]
BoolArray: TypeAlias = NDArray[np.bool_]


def read_only(array: np.ndarray) -> np.ndarray:
    """Return `array` with writing switched off; frozen objects hold nothing else."""
    array.setflags(write=False)
    return array
