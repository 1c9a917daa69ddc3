"""Exact 95 % intervals of standardised effects [steiger1997].

For normal data with a true standardised effect delta, the statistic t has the noncentral t
distribution with parameter ``nc = delta sqrt(n)`` (one sample). The interval holds every `nc` under
which the observed t lies in neither tail of 2.5 %:

    P(T <= t; low) = 0.975,    P(T <= t; high) = 0.025

The ends divided by ``sqrt(n)`` are the interval of delta. SciPy has the
distributions, but its inverses in the parameter lose digits for large statistics. The roots are
therefore found here.
"""

import math
from collections.abc import Callable

from scipy import optimize, special

from hsr.experiments.stats.interval import TAIL

_FAR, _VERY_FAR = 1e3, 1e8


def noncentral_t_interval(t: float, df: float) -> tuple[float, float]:
    """Return the interval of the noncentrality of an observed t.

    Both ends are infinite if t is. For t above 1000 the result is the square root of the interval
    of ``t^2 ~ F(1, df)``, because the other tail has no weight there.

    Examples
    --------
    At zero the ends are the normal quantiles, for any degrees of freedom.

    >>> low, high = noncentral_t_interval(0.0, df=38)
    >>> round(low, 6), round(high, 6)
    (-1.959964, 1.959964)
    """
    if t < 0.0:
        low, high = noncentral_t_interval(-t, df)
        return -high, -low
    if t > _FAR:
        low, high = (math.sqrt(_far_end(t * t, df, tail)) for tail in (1.0 - TAIL, TAIL))
        return low, high
    # P(T <= t; nc) = P(t U + Z >= nc) with U = sqrt(chi2 / df), so that the ends lie within 2.5 of
    # t times the 1 and 99 % quantiles of U. A wider bracket would reach the far tails, where
    # SciPy's distribution is NaN at some points.
    bottom, top = (
        t * math.sqrt(special.chdtri(df, tail) / df) + side
        for tail, side in ((0.99, -2.5), (0.01, 2.5))
    )
    return (
        _root(lambda nc: special.nctdtr(df, nc, t) - (1.0 - TAIL), bottom, top),
        _root(lambda nc: special.nctdtr(df, nc, t) - TAIL, bottom, top),
    )


def _far_end(f: float, df: float, probability: float) -> float:
    """Return the noncentrality under which a large F(1, df) is not exceeded with a probability.

    Where F exceeds 1e8, the variation of the numerator is negligible, and the end is ``F / df``
    times a quantile of chi2.
    """
    if f > _VERY_FAR:
        return f * float(special.chdtri(df, probability)) / df
    top = 10.0 + f
    while special.ncfdtr(1, df, top, f) > probability:
        top *= 2.0
    return _root(lambda nc: special.ncfdtr(1, df, nc, f) - probability, 0.0, top)


def _root(f: Callable[[float], float], low: float, high: float) -> float:
    return float(optimize.brentq(f, low, high, xtol=1e-12, rtol=1e-12))
