"""95 % intervals over seeds: of a mean, of any statistic, of a proportion."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import special
from scipy.stats import trim_mean

from hsr import InputError
from hsr.paper.stats.samples import check_seeds
from hsr.toolkit import (
    FloatArray,
    IntArray,
    Seed,
    check_array,
    check_count,
    generator_from,
    read_numbers,
)

TAIL = 0.025
_BLOCK_ENTRIES = 4_000_000


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


class Statistic(Protocol):
    """A statistic for `bootstrap_interval`, such as `numpy.mean`, `numpy.median` or `iqm`."""

    def __call__(self, values: FloatArray, /, *, axis: int) -> Any:
        """Return the statistic along one axis."""


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


def iqm(x: Any, *, axis: int | None = None) -> Any:
    """Return the interquartile mean: the mean of the middle half of all numbers.

    The lowest and the highest quarter are left out (floor(n / 4) numbers each). It is more robust
    than a mean, which one seed that never learned can move far, and more efficient than a median
    [agarwal2021].

    Parameters
    ----------
    x : array of any shape
        Numbers, such as one per seed and task.
    axis : int or None
        The axis to reduce, or None for all numbers.

    Examples
    --------
    >>> iqm([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 700.0]])
    3.5
    """
    values = read_numbers(x, "x cannot be read as numbers")
    if not values.size:
        raise InputError(
            f"x has shape {values.shape}; the interquartile mean needs at least one number"
        )
    return _plain(trim_mean(check_array(values, values.shape, "x"), 0.25, axis=axis))


def bootstrap_interval(
    x: Any, statistic: Statistic = iqm, *, strata: Any = None, samples: int = 10_000, seed: Seed
) -> Interval:
    """Return a statistic with its stratified percentile bootstrap interval.

    Seeds are drawn with replacement within each task, so that every resample has as many runs of
    each task as the data. The interval runs from the 2.5 to the 97.5 percentile of the statistic
    over the resamples [agarwal2021]. With few seeds the interval is too short, as for any
    percentile bootstrap: with 10 seeds of a normal variable it covers the mean in about 90 % of
    cases. For the mean of one task `mean_interval` is the better choice.

    Parameters
    ----------
    x : array of shape (n,) or (seed, task)
        The numbers. With two axes, each task is a stratum.
    statistic : callable
        Called as ``statistic(array, axis=-1)`` on resamples of shape (b, n), all tasks in one row.
    strata : array of shape (n,), optional
        The task of each number as a label, where `x` has one axis. Tasks may have different numbers
        of seeds.
    samples : int
        Number of resamples.
    seed : int or Generator
        Seed of the resamples. The same seed gives the same interval to the last bit.

    Returns
    -------
    Interval

    Examples
    --------
    In this example no task varies over seeds.

    >>> bootstrap_interval([[1.0, 10.0], [1.0, 10.0]], np.mean, seed=0)
    Interval(estimate=5.5, low=5.5, high=5.5)
    """
    values, sizes = _by_stratum(x, strata)
    count, rng = check_count(samples, "samples"), generator_from(seed)
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    within = np.repeat(sizes, sizes)
    drawn = np.empty(count)
    block = max(1, _BLOCK_ENTRIES // values.size)
    for start in range(0, count, block):
        rows = min(block, count - start)
        index = first + rng.integers(within, size=(rows, values.size))
        drawn[start : start + rows] = statistic(values[index], axis=-1)
    low, high = np.quantile(drawn, [TAIL, 1.0 - TAIL])
    return _interval(statistic(values[None], axis=-1)[0], low, high)


def proportion_interval(k: int, n: int) -> Interval:
    """Return the proportion k / n with Wilson's interval.

        (k + z^2 / 2 +- z sqrt(k (n - k) / n + z^2 / 4)) / (n + z^2),    z = 1.959964

    It is valid for 0 of n and n of n too.

    Parameters
    ----------
    k : int
        Number of seeds that did something.
    n : int
        Number of all seeds.

    Returns
    -------
    Interval

    Examples
    --------
    >>> proportion_interval(0, 10)
    Interval(estimate=0.0, low=0.0, high=0.277...)
    """
    trials = check_count(n, "n")
    hits = check_count(k, "k", least=0)
    if hits > trials:
        raise InputError(f"k is {hits} and n is {trials}; k counts some of n")
    low, high = wilson(hits / trials, trials)
    return Interval(hits / trials, low, high)


def wilson(p: float, n: float) -> tuple[float, float]:
    """Return Wilson's interval of a proportion p with variance ``p (1 - p) / n``.

    The lower end is exactly 0 for p = 0, and the upper end exactly 1 for p = 1.
    """
    z2 = float(special.ndtri(1.0 - TAIL)) ** 2
    half = np.sqrt(z2 * p * (1.0 - p) / n + 0.25 * (z2 / n) ** 2)
    low, high = ((p + 0.5 * z2 / n + side * half) / (1.0 + z2 / n) for side in (-1.0, 1.0))
    return (0.0 if p == 0.0 else float(low), 1.0 if p == 1.0 else float(high))


def _by_stratum(x: Any, strata: Any) -> tuple[FloatArray, IntArray]:
    """Return the numbers sorted by stratum, and the size of each stratum."""
    values = check_array(x, (None,) if strata is not None or np.ndim(x) == 1 else (None, None), "x")
    if not values.size:
        raise InputError(f"x has shape {values.shape}; there is nothing to resample")
    labels = (
        np.tile(np.arange(values.shape[1]), values.shape[0])
        if values.ndim == 2
        else np.zeros(values.size)
    )
    if strata is not None:
        labels = np.asarray(strata)
    if labels.shape != (values.size,):
        raise InputError(
            f"strata has shape {labels.shape}; "
            f"x has {values.size} numbers, each of which needs one label"
        )
    _, stratum, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    if sizes.min() < 2:
        raise InputError(
            f"stratum {np.unique(labels)[sizes.argmin()]} of x has 1 seed; at least 2 are needed"
        )
    return values.ravel()[np.argsort(stratum, kind="stable")], sizes


def _interval(estimate: Any, low: Any, high: Any) -> Interval:
    return Interval(_plain(estimate), _plain(low), _plain(high))


def _plain(value: Any) -> Any:
    """Return a number without axes as a float, and an array as it is."""
    return value if np.ndim(value) else float(value)
