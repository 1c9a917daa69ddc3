"""Two agents compared by their seeds: Student's t for independent and for paired runs.

**Which test?** Pair runs that share what the seed decides: the same maze, goals, or pre-trained
map. Pairing then takes that shared luck out of the difference. Runs whose seeds share nothing are
independent samples, and pairing them only loses degrees of freedom. `two_sample_t` has ``n_x + n_y
- 2`` of them (38 for 20 and 20 seeds), `paired_t` has ``n - 1``. Where differences are far from
normal, such as counts cut off at the number of episodes, use
`hsr.paper.stats.signed_rank.wilcoxon`.

With as many seeds in both samples, as in every comparison here, Welch's t is the same number as
Student's; only its degrees of freedom shrink where the variances differ. There is no separate
function for it.
"""

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
    """What a test of `x` against `y` found. Differences and effects are positive where `x` is
    larger.

    Attributes
    ----------
    test : "two-sample t", "paired t" or "Wilcoxon signed-rank"
    n : (n_x, n_y), or (n,) for n pairs
    statistic : t, or the smaller of the two rank sums
    df : degrees of freedom; None for the signed-rank test
    p : two-sided p-value
    floor : the smallest p that so many pairs can give; 0 for t
    effect_name : "Hedges' g", "Cohen's d_z" or "rank-biserial r"
    effect, effect_interval : standardised effect and its 95 % interval
    difference, difference_interval : in the units of the data, with its 95 % interval; of the means
    (t), or the Hodges-Lehmann
        median of the pairwise averages of differences (signed-rank)
    """

    test: str
    n: tuple[int, ...]
    statistic: float
    df: float | None
    p: float
    floor: float
    effect_name: str
    effect: float
    effect_interval: tuple[float, float]
    difference: float
    difference_interval: tuple[float, float]


def two_sample_t(x: Any, y: Any) -> Comparison:
    """Compare two independent samples by Student's t with equal variances, two-sided.

        t = (mean(x) - mean(y)) / (s sqrt(1 / n_x + 1 / n_y)),    s^2 the pooled variance, df = n_x + n_y - 2

    The effect is Hedges' g, ``(mean(x) - mean(y)) / s`` times the correction that makes it
    unbiased; its interval is the exact one of the true effect.

    Where neither sample varies, the answer is the limit of smaller and smaller variance: equal
    means give t = 0 and p = 1, different means give an infinite t and effect and p = 0. Spread and
    differences of the size of rounding count as none.

    Parameters
    ----------
    x : array of shape (n_x,)
    y : array of shape (n_y,)

    Examples
    --------
    >>> found = two_sample_t([1.0, 2.0, 3.0], [2.0, 4.0, 6.0])  # means 2 and 4, pooled variance (1 + 4) / 2
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

    The effect is Cohen's d_z, ``mean(d) / s_d``, not corrected; its interval is the exact one of
    the true effect. Differences that do not vary are treated as in `two_sample_t`.

    Parameters
    ----------
    x, y : arrays of shape (n,)
        The same seeds in the same order.

    Examples
    --------
    >>> found = paired_t([3.0, 5.0, 4.0], [1.0, 2.0, 3.0])  # differences 2, 3, 1
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
        floor=0.0,
        effect_name=name,
        effect=correction * t * unit,
        effect_interval=(low * unit, high * unit),
        difference=difference,
        difference_interval=(difference - half, difference + half),
    )
