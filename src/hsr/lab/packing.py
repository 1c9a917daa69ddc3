"""Arrays as the page reads them: 32-bit numbers, little endian, in base64, with their shape."""

from base64 import b64encode
from typing import Any

import numpy as np

from hsr.lab.replies import Floats, Integers


def floats(array: Any) -> Floats:
    """Return an array of real numbers, packed.

    Examples
    --------
    >>> floats([1.0])
    Floats(f32='AACAPw==', shape=[1])
    """
    return Floats(*_packed(array, "<f4"))


def integers(array: Any) -> Integers:
    """Return an array of integers, packed.

    Examples
    --------
    >>> integers([[1, -1]])
    Integers(i32='AQAAAP////8=', shape=[1, 2])
    """
    return Integers(*_packed(array, "<i4"))


def _packed(array: Any, dtype: str) -> tuple[str, list[int]]:
    numbers = np.ascontiguousarray(array, dtype=dtype)
    return b64encode(numbers.tobytes()).decode("ascii"), list(numbers.shape)
