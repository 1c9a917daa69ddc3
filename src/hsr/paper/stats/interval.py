"""95 % intervals with seeds as the unit: of a mean, of any statistic, of a share.

A run is one seed. Episodes and steps of one run depend on each other, so they never count as
observations: whatever is computed from them enters here as one number per seed, and n is the number
of seeds.

===========================  ================================================================================
`mean_interval`              mean over seeds, by Student's t; of every point of a curve at once
`bootstrap_interval`         any statistic, by resampling seeds within each task; needs no assumed distribution
`share_interval`             k of n seeds, by Wilson's formula; right at 0 of n and n of n too
`iqm`                        interquartile mean: the statistic to pool tasks with
===========================  ================================================================================
"""

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
    """An estimate and the ends of its 95 % interval; floats, or arrays of one shape."""

    estimate: Any
    low: Any
    high: Any


class Statistic(Protocol):
    """What `bootstrap_interval` can resample: `numpy.mean`, `numpy.median`, `iqm`, or any function
    like them.
    """

    def __call__(self, values: FloatArray, /, *, axis: int) -> Any:
        """Return the statistic along one axis."""


def mean_interval(x: Any) -> Interval:
    """Return the mean over seeds with its interval by Student's t.

        mean +- t(0.975, n - 1) s / sqrt(n)

    Parameters
    ----------
    x : array of shape (n,) or (n, ...)
        Seeds along the first axis; the other axes are points of a curve, each with its own
        interval.

    Returns
    -------
    Interval
        Floats, or arrays of shape (...).

    Examples
    --------
    >>> mean_interval([1.0, 2.0, 3.0])  # t(0.975, 2) = 4.302653, s = 1
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

    The lowest and the highest quarter are left out (floor(n / 4) numbers each). It is steadier than
    a mean, which one seed that never learned can move far, and sees more than a median (Agarwal
    2021).

    Parameters
    ----------
    x : array of any shape, such as (seed, task)
    axis : int or None
        Along one axis, or over all runs of all tasks.

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
    each task as the data; the interval runs from the 2.5 to the 97.5 percentile of the statistic
    over the resamples (Agarwal 2021). With few seeds the interval is a little too short, as that of
    any percentile bootstrap: at 10 seeds of a normal variable it covers the mean in about 90 % of
    cases. For the mean of one task `mean_interval` is the better choice.

    Parameters
    ----------
    x : array of shape (n,) or (seed, task)
        With two axes, each task is a stratum.
    statistic : function of (array, axis=-1)
        It is given resamples of shape (b, n), all tasks in one row.
    strata : array of labels of shape (n,), optional
        The task of each number, where `x` has one axis; tasks may have different numbers of seeds.
    samples : int
        Number of resamples.
    seed : int or Generator
        The same seed gives the same interval to the last bit.

    Examples
    --------
    >>> bootstrap_interval([[1.0, 10.0], [1.0, 10.0]], np.mean, seed=0)  # no task varies
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


def share_interval(k: int, n: int) -> Interval:
    """Return the share k / n with Wilson's interval, z = 1.959964.

        (k + z^2 / 2 +- z sqrt(k (n - k) / n + z^2 / 4)) / (n + z^2)

    Examples
    --------
    >>> share_interval(0, 10)
    Interval(estimate=0.0, low=0.0, high=0.277...)
    """
    trials = check_count(n, "n")
    hits = check_count(k, "k", least=0)
    if hits > trials:
        raise InputError(f"k is {hits} and n is {trials}; k counts some of n")
    low, high = wilson(hits / trials, trials)
    return Interval(hits / trials, low, high)


def wilson(share: float, n: float) -> tuple[float, float]:
    """Return Wilson's interval of a share whose variance is ``share (1 - share) / n``; exactly 0
    and 1 at those ends.
    """
    z2 = float(special.ndtri(1.0 - TAIL)) ** 2
    half = np.sqrt(z2 * share * (1.0 - share) / n + 0.25 * (z2 / n) ** 2)
    low, high = ((share + 0.5 * z2 / n + side * half) / (1.0 + z2 / n) for side in (-1.0, 1.0))
    return (0.0 if share == 0.0 else float(low), 1.0 if share == 1.0 else float(high))


def _by_stratum(x: Any, strata: Any) -> tuple[FloatArray, IntArray]:
    """Return the numbers, those of one stratum next to each other, and how many each stratum has."""
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
            f"strata has shape {labels.shape}; x has {values.size} numbers, each of which needs one label"
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
