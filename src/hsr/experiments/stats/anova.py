"""Two-way analysis of variance with interaction, of equally many values in every cell."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from hsr import InputError
from hsr._base.validation import check_array
from hsr.experiments.stats.samples import ratio_or_limit, rounding_of


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
    """

    sum_of_squares: float
    df: int
    statistic: float
    p: float


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
    """

    a: AnovaTerm
    b: AnovaTerm
    interaction: AnovaTerm
    residual_sum_of_squares: float
    residual_df: int


def two_way_anova(values: Any) -> Anova:
    """Return the two-way analysis of variance of one value per seed or world.

    With the means of cells, of levels and of all values, and n values in each of A x B cells,

        SS(a)   = B n sum_i (mean_i - mean)^2                          df = A - 1
        SS(b)   = A n sum_j (mean_j - mean)^2                          df = B - 1
        SS(a b) = n sum_ij (mean_ij - mean_i - mean_j + mean)^2        df = (A - 1) (B - 1)
        F       = (SS / df) / (SS(within cells) / (A B (n - 1)))

    Cells have equally many values, so that sums of squares of types I, II and III agree. Where
    nothing varies within any cell, a term without a sum of squares has F = 0 and p = 1, any other
    has an infinite F and p = 0.

    Parameters
    ----------
    values : array of shape (A, B, n)
        The values of each combination of levels, at least two.

    Examples
    --------
    >>> found = two_way_anova([[[1, 3], [2, 4]], [[5, 7], [9, 11]]])
    >>> [round(term.sum_of_squares, 6) for term in (found.a, found.b, found.interaction)]
    [60.5, 12.5, 4.5]
    >>> found.residual_sum_of_squares
    8.0
    >>> found.interaction.df, found.residual_df, round(found.interaction.statistic, 6)
    (1, 4, 2.25)
    """
    y = check_array(values, (None, None, None), "values")
    if min(y.shape) < 2:
        raise InputError(f"values has shape {y.shape}; two levels and two values are needed")
    negligible = y.size * (16.0 * rounding_of(y)) ** 2
    n_a, n_b, n = y.shape
    y = y - y.mean()
    cells, of_a, of_b = y.mean(axis=2), y.mean(axis=(1, 2)), y.mean(axis=(0, 2))
    residual_df = n_a * n_b * (n - 1)

    def squares(x: Any, times: int) -> float:
        found = times * float(np.square(x).sum())
        return found if found > negligible else 0.0

    left = squares(y - cells[:, :, None], 1)

    def term(found: float, df: int) -> AnovaTerm:
        f = ratio_or_limit(found / df, left / residual_df)
        return AnovaTerm(found, df, f, float(special.fdtrc(df, residual_df, f)))

    return Anova(
        a=term(squares(of_a, n_b * n), n_a - 1),
        b=term(squares(of_b, n_a * n), n_b - 1),
        interaction=term(squares(cells - of_a[:, None] - of_b, n), (n_a - 1) * (n_b - 1)),
        residual_sum_of_squares=left,
        residual_df=residual_df,
    )
