"""Student's t for independent and for paired runs of two agents."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from hsr.paper.stats.effect import hedges_correction, noncentral_t_interval
from hsr.paper.stats.interval import TAIL
from hsr.paper.stats.samples import ratio_or_limit, read_pairs, read_sample, rounding_of


@dataclass(frozen=True)
class Comparison:
    """Result of a test of `x` against `y`.

    Differences and effects are positive where `x` is larger.

    Attributes
    ----------
    test : {"two-sample t", "paired t", "Wilcoxon signed-rank"}
        Name of the test.
    n : tuple of int
        ``(n_x, n_y)``, or ``(n,)`` for n pairs.
    statistic : float
        t, or the smaller of the two rank sums.
    df : float or None
        Degrees of freedom; None for the signed-rank test.
    p : float
        Two-sided p-value.
    smallest_p : float
        The smallest p-value that this number of pairs can give; 0 for t.
    effect_name : {"Hedges' g", "Cohen's d_z", "rank-biserial r"}
        Name of the standardised effect.
    effect : float
        Standardised effect.
    effect_interval : (float, float)
        Its 95 % interval.
    difference : float
        Difference in the units of the data: of the means (t), or the Hodges-Lehmann median of the
        pairwise averages of differences (signed-rank).
    difference_interval : (float, float)
        Its 95 % interval.
    means : (float, float)
        Of `x` and `y`, where worlds are compared.
    """

    test: str
    n: tuple[int, ...]
    statistic: float
    df: float | None
    p: float
    smallest_p: float
    effect_name: str
    effect: float
    effect_interval: tuple[float, float]
    difference: float
    difference_interval: tuple[float, float]
    means: tuple[float, float] = (math.nan, math.nan)


def two_sample_t(x: Any, y: Any) -> Comparison:
    """Compare two independent samples by Student's t with equal variances, two-sided.

        t = (mean(x) - mean(y)) / (s sqrt(1 / n_x + 1 / n_y)),    df = n_x + n_y - 2

    with s^2 the pooled variance. The effect is Hedges' g, ``(mean(x) - mean(y)) / s`` times the
    correction that makes it unbiased. Its interval is the exact one of the true effect.

    Where neither sample varies, the result is the limit of vanishing variance: equal means give
    t = 0 and p = 1, different means give an infinite t and effect and p = 0. Spread and differences
    of the size of rounding errors count as zero.

    Parameters
    ----------
    x : array of shape (n_x,)
        One number per seed of the first agent.
    y : array of shape (n_y,)
        One number per seed of the second agent.

    Returns
    -------
    Comparison

    Examples
    --------
    The means are 2 and 4, and the pooled variance is (1 + 4) / 2.

    >>> found = two_sample_t([1.0, 2.0, 3.0], [2.0, 4.0, 6.0])
    >>> round(found.statistic, 4), found.df, round(found.p, 4)
    (-1.5492, 4.0, 0.1963)
    """
    first, second = read_sample(x, "x"), read_sample(y, "y")
    n_x, n_y = first.size, second.size
    df = float(n_x + n_y - 2)
    squares = float(np.square(first - first.mean()).sum() + np.square(second - second.mean()).sum())
    spread = max(float(np.ptp(first)), float(np.ptp(second)))
    rounding = rounding_of(first, second)
    return _student(
        "two-sample t",
        (n_x, n_y),
        float(first.mean() - second.mean()),
        deviation=math.sqrt(squares / df) if spread > rounding else 0.0,
        df=df,
        unit=math.sqrt(1.0 / n_x + 1.0 / n_y),
        rounding=rounding,
        effect=("Hedges' g", hedges_correction(df)),
    )


def paired_t(x: Any, y: Any) -> Comparison:
    """Compare two samples of the same seeds by Student's t of their differences, two-sided.

        t = mean(d) / (s_d / sqrt(n)),    d = x - y, df = n - 1

    The effect is Cohen's d_z, ``mean(d) / s_d``, not corrected. Its interval is the exact one of
    the true effect. Differences that do not vary are treated as in `two_sample_t`.

    Parameters
    ----------
    x, y : arrays of shape (n,)
        One number per seed of each agent, the same seeds in the same order.

    Returns
    -------
    Comparison

    Examples
    --------
    The differences are 2, 3 and 1.

    >>> found = paired_t([3.0, 5.0, 4.0], [1.0, 2.0, 3.0])
    >>> round(found.statistic, 4), found.df, found.effect
    (3.4641, 2.0, 2.0)
    """
    first, second = read_pairs(x, y)
    d = first - second
    rounding = rounding_of(first, second)
    return _student(
        "paired t",
        (d.size,),
        float(d.mean()),
        deviation=float(d.std(ddof=1)) if np.ptp(d) > rounding else 0.0,
        df=float(d.size - 1),
        unit=math.sqrt(1.0 / d.size),
        rounding=rounding,
        effect=("Cohen's d_z", 1.0),
    )


def _student(
    test: str,
    n: tuple[int, ...],
    difference: float,
    *,
    deviation: float,
    df: float,
    unit: float,
    rounding: float,
    effect: tuple[str, float],
) -> Comparison:
    """Return the comparison of a difference whose standard error is ``unit * deviation``."""
    error = unit * deviation
    t = ratio_or_limit(difference, error, negligible=rounding)
    half = float(special.stdtrit(df, 1.0 - TAIL)) * error
    low, high = noncentral_t_interval(t, df)
    name, correction = effect
    return Comparison(
        test=test,
        n=n,
        statistic=t,
        df=df,
        p=float(2.0 * special.stdtr(df, -abs(t))),
        smallest_p=0.0,
        effect_name=name,
        effect=correction * t * unit,
        effect_interval=(low * unit, high * unit),
        difference=difference,
        difference_interval=(difference - half, difference + half),
    )
