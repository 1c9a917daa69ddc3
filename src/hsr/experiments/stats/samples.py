"""Checks of arguments: one number per seed, finite, and enough of them."""

import math
from typing import Any

import numpy as np

from hsr import InputError
from hsr._base.arrays import FloatArray
from hsr._base.validation import check_array

_ROUNDING = 8.0 * np.finfo(np.float64).eps


def read_sample(x: Any, name: str) -> FloatArray:
    """Return one finite number per seed, of shape (n,)."""
    sample = check_array(x, (None,), name)
    check_seeds(sample.size, name)
    return sample


def check_seeds(n: int, name: str) -> None:
    """Raise `InputError` for fewer than two seeds: one seed has no spread."""
    if n < 2:
        raise InputError(f"{name} has {n} seed{'s' * (n != 1)}; at least 2 are needed")


def read_pairs(x: Any, y: Any) -> tuple[FloatArray, FloatArray]:
    """Return two samples of the same seeds in the same order."""
    first, second = read_sample(x, "x"), read_sample(y, "y")
    if first.size != second.size:
        raise InputError(
            f"x has {first.size} seeds and y has {second.size}; "
            "pairs need the same seeds in the same order"
        )
    return first, second


def rounding_of(*samples: FloatArray) -> float:
    """Return the size below which a difference between such numbers is a rounding error."""
    return _ROUNDING * max(float(np.abs(sample).max()) for sample in samples)


def ratio_or_limit(top: float, bottom: float, *, negligible: float = 0.0) -> float:
    """Return ``top / bottom``, or its limit as `bottom` goes to 0.

    The limit is infinite with the sign of `top`, or 0 if `top` is negligible.
    """
    if bottom > 0.0:
        return top / bottom
    return math.copysign(math.inf, top) if abs(top) > negligible else 0.0
