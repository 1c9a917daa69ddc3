"""Two-way analysis of variance with interaction."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from hsr import InputError
from hsr._base.arrays import FloatArray, IntArray
from hsr._base.threads import one_thread
from hsr.paper.stats.effect import noncentral_f_interval
from hsr.paper.stats.samples import ratio_or_limit, read_sample, rounding_of


@dataclass(frozen=True)
class AnovaTerm:
    """One term: a main effect, or the interaction.

    Attributes
    ----------
    sum_of_squares : float
        Sum of squares of the term.
    df : int
        Its degrees of freedom.
    statistic : float
        F.
    p : float
        Probability of an F at least as large if there is no effect.
    effect : float
        Partial eta squared, ``SS / (SS + residual SS)``.
    effect_interval : (float, float)
        95 % interval of the true effect, ``nc / (nc + n)`` with nc the noncentrality of F.
    """

    sum_of_squares: float
    df: int
    statistic: float
    p: float
    effect: float
    effect_interval: tuple[float, float]


@dataclass(frozen=True)
class Anova:
    """A two-way analysis of variance.

    Attributes
    ----------
    a, b, interaction : AnovaTerm
        The two main effects and their interaction.
    residual_sum_of_squares : float
        Sum of squares within the cells.
    residual_df : int
        Its degrees of freedom.
    n : int
        Number of observations.
    """

    a: AnovaTerm
    b: AnovaTerm
    interaction: AnovaTerm
    residual_sum_of_squares: float
    residual_df: int
    n: int


def two_way_anova(values: Any, factor_a: Any, factor_b: Any) -> Anova:
    """Return the two-way analysis of variance of one value per seed.

    Sums of squares are of type II. Each main effect is what it adds to a model with the other one,
    and the interaction is what it adds to both. With RSS the residual sum of squares of a linear
    model,

        SS(a)   = RSS(1 + b) - RSS(1 + a + b)          df = A - 1
        SS(b)   = RSS(1 + a) - RSS(1 + a + b)          df = B - 1
        SS(a b) = RSS(1 + a + b) - RSS(cell means)     df = (A - 1) (B - 1)
        F       = (SS / df) / (RSS(cell means) / (n - A B))

    Each difference is computed as the squared distance between the two fits, which loses no digits.
    Cells may have different numbers of seeds. If they have equal numbers, types I, II and III
    agree. Type II depends neither on the order of the factors nor on the coding of levels.

    Where nothing varies within any cell, the result is the limit of vanishing residuals: a term
    without a sum of squares has F = 0 and p = 1, any other has an infinite F and p = 0.

    Parameters
    ----------
    values : array of shape (n,)
        One number per seed.
    factor_a, factor_b : arrays of shape (n,)
        The levels of the two factors, as labels. Each has at least two levels, every combination
        occurs, and at least one combination occurs twice.

    Returns
    -------
    Anova

    Examples
    --------
    >>> found = two_way_anova([1, 3, 2, 4, 5, 7, 9, 11], list("aaaabbbb"), [1, 1, 2, 2, 1, 1, 2, 2])
    >>> [round(term.sum_of_squares, 6) for term in (found.a, found.b, found.interaction)]
    [60.5, 12.5, 4.5]
    >>> found.residual_sum_of_squares
    8.0
    >>> found.interaction.df, found.residual_df, round(found.interaction.statistic, 6)
    (1, 4, 2.25)
    """
    y = read_sample(values, "values")
    a, b = _read_factor(factor_a, y.size, "factor_a"), _read_factor(factor_b, y.size, "factor_b")
    levels_a, levels_b = int(a.max()) + 1, int(b.max()) + 1
    cell = a * levels_b + b
    sizes = np.bincount(cell, minlength=levels_a * levels_b)
    if not sizes.all():
        i, j = divmod(int(sizes.argmin()), levels_b)
        labels = np.asarray(factor_a)[a == i][0], np.asarray(factor_b)[b == j][0]
        raise InputError(
            f"no value has factor_a {labels[0]} and factor_b {labels[1]}; "
            "every combination must occur"
        )
    residual_df = y.size - sizes.size
    if residual_df == 0:
        raise InputError(
            f"{y.size} values for {sizes.size} combinations leave nothing to estimate the spread "
            "from"
        )
    negligible = y.size * (16.0 * rounding_of(y)) ** 2
    y = y - y.mean()
    in_a, in_b = _indicators(a), _indicators(b)
    only_a, only_b, both = _fit(y, in_a), _fit(y, in_b), _fit(y, np.hstack([in_a, in_b]))
    full = (np.bincount(cell, y) / sizes)[cell]

    def between(larger: FloatArray, smaller: FloatArray) -> float:
        squares = float(np.square(larger - smaller).sum())
        return squares if squares > negligible else 0.0

    left = between(y, full)
    return Anova(
        a=_term(between(both, only_b), levels_a - 1, left, residual_df, y.size),
        b=_term(between(both, only_a), levels_b - 1, left, residual_df, y.size),
        interaction=_term(
            between(full, both), (levels_a - 1) * (levels_b - 1), left, residual_df, y.size
        ),
        residual_sum_of_squares=left,
        residual_df=residual_df,
        n=y.size,
    )


def _term(squares: float, df: int, left: float, residual_df: int, n: int) -> AnovaTerm:
    f = ratio_or_limit(squares / df, left / residual_df)
    ends = noncentral_f_interval(f, df, residual_df)
    return AnovaTerm(
        sum_of_squares=squares,
        df=df,
        statistic=f,
        p=float(special.fdtrc(df, residual_df, f)),
        effect=squares / (squares + left) if squares > 0.0 else 0.0,
        effect_interval=(_eta_squared(ends[0], n), _eta_squared(ends[1], n)),
    )


def _eta_squared(noncentrality: float, n: int) -> float:
    return 1.0 if math.isinf(noncentrality) else noncentrality / (noncentrality + n)


def _read_factor(labels: Any, n: int, name: str) -> IntArray:
    """Return the levels as integers 0, 1, ..., of shape (n,)."""
    array = np.asarray(labels)
    if array.shape != (n,):
        raise InputError(
            f"{name} has shape {array.shape}; values has {n} entries, each of which needs one label"
        )
    levels, codes = np.unique(array, return_inverse=True)
    if levels.size < 2:
        raise InputError(f"{name} has the one level {levels[0]}; at least 2 are needed")
    return codes.astype(np.int64)


def _indicators(codes: IntArray) -> FloatArray:
    """Return one column per level, 1 where the level is present."""
    return (codes[:, None] == np.arange(codes.max() + 1)).astype(np.float64)


def _fit(y: FloatArray, columns: FloatArray) -> FloatArray:
    """Return the least-squares fit of `y` by the columns, which may depend on each other."""
    with one_thread():
        return np.asarray(columns @ np.linalg.lstsq(columns, y, rcond=None)[0])
