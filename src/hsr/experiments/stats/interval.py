"""The 95 % interval of a mean over seeds or worlds."""

from typing import Any, NamedTuple

import numpy as np
from scipy import special

from hsr._base.validation import check_array, read_numbers
from hsr.experiments.stats.samples import check_seeds

TAIL = 0.025


class Interval(NamedTuple):
    """An estimate and its 95 % interval.

    Attributes
    ----------
    estimate, low, high : float or ndarray
        The estimate and the two ends of its interval. Arrays have the same shape.
    """

    estimate: Any
    low: Any
    high: Any


def mean_interval(x: Any) -> Interval:
    """Return the mean over seeds with its interval by Student's t.

        mean +- t(0.975, n - 1) s / sqrt(n)

    Parameters
    ----------
    x : array of shape (n,) or (n, ...)
        Seeds along the first axis. The other axes are points of a curve, each with its own
        interval.

    Returns
    -------
    Interval
        Floats, or arrays of shape (...).

    Examples
    --------
    With t(0.975, 2) = 4.302653 and s = 1:

    >>> mean_interval([1.0, 2.0, 3.0])
    Interval(estimate=2.0, low=-0.484..., high=4.484...)
    """
    values = read_numbers(x, "x cannot be read as numbers; it must have shape (seed, ...)")
    n = values.shape[0] if values.ndim else 0
    check_seeds(n, "x")
    values = check_array(values, values.shape, "x")
    mean = values.mean(axis=0)
    half = special.stdtrit(n - 1, 1.0 - TAIL) * values.std(axis=0, ddof=1) / np.sqrt(n)
    return _interval(mean, mean - half, mean + half)


def _interval(estimate: Any, low: Any, high: Any) -> Interval:
    return Interval(_plain(estimate), _plain(low), _plain(high))


def _plain(value: Any) -> Any:
    """Return a number without axes as a float, and an array as it is."""
    return value if np.ndim(value) else float(value)
