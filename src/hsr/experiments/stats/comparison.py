"""Student's t of paired runs, and the correction of p-values for several tests."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from hsr import InputError
from hsr._base.arrays import FloatArray
from hsr._base.validation import check_array
from hsr.experiments.stats.effect import noncentral_t_interval
from hsr.experiments.stats.interval import TAIL
from hsr.experiments.stats.samples import ratio_or_limit, read_pairs, rounding_of


@dataclass(frozen=True)
class Comparison:
    """Result of a test of `x` against `y`.

    Differences and effects are positive where `x` is larger.

    Attributes
    ----------
    test : {"paired t", "paired t over worlds"}
        Name of the test.
    n : tuple of int
        ``(n,)`` for n pairs.
    statistic : float
        t.
    df : float
        Degrees of freedom.
    p : float
        Two-sided p-value.
    smallest_p : float
        The smallest p-value that this number of worlds can give; 0 for seeds.
    effect_name : str
        Name of the standardised effect.
    effect : float
        Standardised effect.
    effect_interval : (float, float)
        Its 95 % interval.
    difference : float
        Difference of the means in the units of the data.
    difference_interval : (float, float)
        Its 95 % interval.
    means : (float, float)
        Of `x` and `y`, where worlds are compared.
    """

    test: str
    n: tuple[int, ...]
    statistic: float
    df: float
    p: float
    smallest_p: float
    effect_name: str
    effect: float
    effect_interval: tuple[float, float]
    difference: float
    difference_interval: tuple[float, float]
    means: tuple[float, float] = (math.nan, math.nan)


def paired_t(x: Any, y: Any) -> Comparison:
    """Compare two samples of the same seeds by Student's t of their differences, two-sided.

        t = mean(d) / (s_d / sqrt(n)),    d = x - y, df = n - 1

    The effect is Cohen's d_z, ``mean(d) / s_d``, not corrected. Its interval is the exact one of
    the true effect.

    Where differences do not vary, the result is the limit of vanishing variance: a mean of zero
    gives t = 0 and p = 1, any other mean gives an infinite t and effect and p = 0. Spread and
    differences of the size of rounding errors count as zero.

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
    df, unit = float(d.size - 1), math.sqrt(1.0 / d.size)
    rounding = rounding_of(first, second)
    difference = float(d.mean())
    error = unit * float(d.std(ddof=1)) if np.ptp(d) > rounding else 0.0
    t = ratio_or_limit(difference, error, negligible=rounding)
    half = float(special.stdtrit(df, 1.0 - TAIL)) * error
    low, high = noncentral_t_interval(t, df)
    return Comparison(
        test="paired t",
        n=(d.size,),
        statistic=t,
        df=df,
        p=float(2.0 * special.stdtr(df, -abs(t))),
        smallest_p=0.0,
        effect_name="Cohen's d_z",
        effect=t * unit,
        effect_interval=(low * unit, high * unit),
        difference=difference,
        difference_interval=(difference - half, difference + half),
    )


def holm(p: Any) -> FloatArray:
    """Return p-values adjusted by Holm's step-down rule [holm1979].

    With the p-values in increasing order, p_(1) <= ... <= p_(m),

        adjusted_(i) = min(1, max over j <= i of (m - j + 1) p_(j))

    If every adjusted value below 0.05 is called significant, the probability of any false positive
    is at most 5 %, however the tests depend on each other. The rule is at least as powerful as
    multiplying each p by m (Bonferroni).

    Parameters
    ----------
    p : array of shape (m,)
        The p-values.

    Returns
    -------
    ndarray of shape (m,)
        Adjusted p-values in the same order. None is smaller than its `p`.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    values = check_array(p, (None,), "p")
    m = values.size
    if not m:
        raise InputError("p is empty; there is nothing to correct")
    wrong = np.flatnonzero((values < 0.0) | (values > 1.0))
    if wrong.size:
        raise InputError(f"p[{wrong[0]}] is {values[wrong[0]]}; a p-value lies in [0, 1]")
    order = np.argsort(values, kind="stable")
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate((m - np.arange(m)) * values[order]))
    return adjusted
