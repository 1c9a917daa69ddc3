"""Differences between models, with confidence intervals over cells and over animals."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from hsr._base.arrays import FloatArray

LEVEL = 0.95
_RESAMPLES = 4000


@dataclass(frozen=True)
class Difference:
    """The difference in bits between the predictions of two models.

    Attributes
    ----------
    first, second : str
        The two models.
    bits : float
        Bits of the first minus those of the second, per spike or per choice.
    low, high : float
        The 95 % interval.
    unit : {"cell", "path", "animal"}
        What the interval generalises over.

    Examples
    --------
    >>> import hsr
    >>> print(hsr.animals.Difference("hsr", "sr", 0.02, -0.01, 0.05, "path"))
    hsr minus sr: +0.020 bits (-0.010 to +0.050 over paths), cannot tell
    """

    first: Hashable
    second: Hashable
    bits: float
    low: float
    high: float
    unit: str

    @property
    def verdict(self) -> str:
        """Whether the first is "better" or "worse"; "cannot tell" if the interval contains 0."""
        return "better" if self.low > 0.0 else "worse" if self.high < 0.0 else "cannot tell"

    def __str__(self) -> str:
        return (
            f"{self.first} minus {self.second}: {self.bits:+.3f} bits "
            f"({self.low:+.3f} to {self.high:+.3f} over {self.unit}s), {self.verdict}"
        )


def bootstrapped(values: FloatArray) -> tuple[float, float, float]:
    """Return the mean with its percentile bootstrap interval, from a fixed seed."""
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


def animals_of(keys: Iterable[Hashable]) -> list[Hashable]:
    """Return the animal of each key: its first part if it is a pair of an animal and a session.

    >>> animals_of(["A", ("B", 1), ("B", 2)])
    ['A', 'B', 'B']
    """
    return [key[0] if isinstance(key, tuple) and len(key) == 2 else key for key in keys]
