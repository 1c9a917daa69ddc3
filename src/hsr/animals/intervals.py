"""Intervals of means over cells and over animals."""

from collections.abc import Hashable, Sequence

import numpy as np
from scipy import stats

from hsr._base.arrays import FloatArray

LEVEL = 0.95
_RESAMPLES = 4000


def bootstrapped(values: FloatArray) -> tuple[float, float, float]:
    """Return the mean with its percentile interval, from a fixed seed."""
    mean = float(values.mean())
    if values.size < 2:
        return mean, -np.inf, np.inf
    drawn = np.random.default_rng(0).integers(values.size, size=(_RESAMPLES, values.size))
    tail = (1.0 - LEVEL) / 2.0
    low, high = np.quantile(values[drawn].mean(axis=1), [tail, 1.0 - tail])
    return mean, float(low), float(high)


def over_animals(values: FloatArray, animals: Sequence[Hashable]) -> tuple[float, float, float]:
    """Return the mean over animals of their means, with Student's interval."""
    labels = dict.fromkeys(animals)
    means = np.array([values[[animal == label for animal in animals]].mean() for label in labels])
    mean = float(means.mean())
    if means.size < 2:
        return mean, -np.inf, np.inf
    half = float(stats.sem(means) * stats.t.ppf((1.0 + LEVEL) / 2.0, means.size - 1))
    return mean, mean - half, mean + half
