"""Differences between models of place fields, with intervals over cells or animals."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from hsr._base.arrays import FloatArray

LEVEL = 0.95
_RESAMPLES = 4000


@dataclass(frozen=True)
class CellDifference:
    """By how much one model predicts better than another, on average.

    Attributes
    ----------
    better, worse : str
        The two models, the one with the larger mean score first.
    mean : float
        Mean difference of their scores, in bits per spike.
    low, high : float
        The 95 % interval of the mean.
    unit : {"cell", "animal"}
        What the interval generalises over.

    Examples
    --------
    >>> import hsr
    >>> hsr.CellDifference("sr", "gaussian", 0.1, -0.02, 0.22, "cell").is_clear
    False
    """

    better: str
    worse: str
    mean: float
    low: float
    high: float
    unit: str

    @property
    def is_clear(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low > 0.0

    def __str__(self) -> str:
        interval = f"95 % interval over {self.unit}s {self.low:.3f} to {self.high:.3f}"
        if self.is_clear:
            return f"{self.better} predicts better than {self.worse}: {self.mean:.3f} ({interval})"
        return f"cannot tell {self.better} from {self.worse}: {self.mean:.3f} ({interval})"


def bootstrap_interval(values: FloatArray) -> tuple[float, float, float]:
    """Return the mean with its percentile interval, from a fixed seed."""
    mean = float(values.mean())
    if values.size < 2:
        return mean, -np.inf, np.inf
    drawn = np.random.default_rng(0).integers(values.size, size=(_RESAMPLES, values.size))
    tail = (1.0 - LEVEL) / 2.0
    low, high = np.quantile(values[drawn].mean(axis=1), [tail, 1.0 - tail])
    return mean, float(low), float(high)


def student_interval(values: FloatArray, animals: list[Hashable]) -> tuple[float, float, float]:
    """Return the mean over animals of their means, with Student's interval."""
    labels = dict.fromkeys(animals)
    means = np.array([values[[animal == label for animal in animals]].mean() for label in labels])
    mean = float(means.mean())
    if means.size < 2:
        return mean, -np.inf, np.inf
    half = float(stats.sem(means) * stats.t.ppf((1.0 + LEVEL) / 2.0, means.size - 1))
    return mean, mean - half, mean + half
