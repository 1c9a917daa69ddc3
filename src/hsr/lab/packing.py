"""Arrays as the page reads them: 32-bit numbers, little endian, in base64, with their shape."""

from base64 import b64encode
from typing import Any, TypeAlias

import numpy as np

Packed: TypeAlias = dict[str, Any]


def floats(array: Any) -> Packed:
    """Return an array of real numbers, packed.

    Examples
    --------
    >>> floats([1.0])
    {'f32': 'AACAPw==', 'shape': [1]}
    """
    return _packed(array, "f32", "<f4")


def integers(array: Any) -> Packed:
    """Return an array of integers, packed.

    Examples
    --------
    >>> integers([[1, -1]])
    {'i32': 'AQAAAP////8=', 'shape': [1, 2]}
    """
    return _packed(array, "i32", "<i4")


def _packed(array: Any, name: str, dtype: str) -> Packed:
    numbers = np.ascontiguousarray(array, dtype=dtype)
    return {name: b64encode(numbers.tobytes()).decode("ascii"), "shape": list(numbers.shape)}
