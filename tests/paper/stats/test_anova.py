"""Two-way analysis of variance against statsmodels, by hand, and where nothing varies."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from hsr import InputError
from hsr.paper.stats import two_way_anova

RNG = np.random.default_rng(21)


@pytest.fixture(scope="module")
def oracle():
    """Return a function from values and labels to statsmodels' type II table."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pandas
        from statsmodels.formula.api import ols
        from statsmodels.stats.anova import anova_lm

    def table(values, a, b):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            frame = pandas.DataFrame({"y": values, "a": a, "b": b})
            return anova_lm(ols("y ~ C(a) * C(b)", frame).fit(), typ=2)

    return table


def design(cells, effect=1.0):
    """Return values and labels with cells[i][j] seeds at levels i and j of the factors."""
    rows = [
        (f"agent {i}", 10 * j, effect * i * j + i)
        for i, row in enumerate(cells)
        for j, n in enumerate(row)
        for _ in range(n)
    ]
    a, b, mean = zip(*rows, strict=True)
    order = RNG.permutation(len(rows))
    values = np.array(mean) + RNG.normal(0, 1.5, len(rows))
    return values[order], np.array(a)[order], np.array(b)[order]


def check_against(table, found, n):
    assert found.n == n
    assert_allclose(
        [found.residual_sum_of_squares, found.residual_df],
        table.loc["Residual", ["sum_sq", "df"]],
        rtol=1e-10,
    )
    for term, name in ((found.a, "C(a)"), (found.b, "C(b)"), (found.interaction, "C(a):C(b)")):
        row = table.loc[name]
        # statsmodels subtracts sums of squares, which loses some digits
        assert_allclose(
            [term.sum_of_squares, term.df, term.statistic], row[["sum_sq", "df", "F"]], rtol=1e-8
        )
        assert term.p == pytest.approx(row["PR(>F)"], rel=1e-7)
        eta_squared = row["sum_sq"] / (row["sum_sq"] + table.loc["Residual", "sum_sq"])
        assert term.effect == pytest.approx(eta_squared, rel=1e-8)


@pytest.mark.parametrize(
    "cells",
    [
        [[10] * 5] * 2,
        [[2, 2], [2, 2]],
        [[3, 7, 2], [5, 1, 4], [2, 2, 9]],
        [[1, 1, 2], [1, 1, 1]],
        [[20, 3], [2, 30]],
    ],
    ids=["balanced 2 x 5 of 10", "2 x 2 of 2", "unequal 3 x 3", "one cell twice", "lopsided"],
)
@pytest.mark.parametrize("effect", [0.0, 1.0])
def test_against_statsmodels(oracle, cells, effect):
    values, a, b = design(cells, effect)
    check_against(oracle(values, a, b), two_way_anova(values, a, b), values.size)


def test_by_hand():
    # cell means 2, 3 | 6, 10; total mean 5.25, row means 2.5 and 8, column means 4 and 6.5
    found = two_way_anova([1, 3, 2, 4, 5, 7, 9, 11], list("aaaabbbb"), [1, 1, 2, 2, 1, 1, 2, 2])
    squares = [term.sum_of_squares for term in (found.a, found.b, found.interaction)]
    assert_allclose(squares, [8 * 2.75**2, 8 * 1.25**2, 8 * 0.75**2], rtol=1e-13)
    assert found.residual_sum_of_squares == pytest.approx(8.0, rel=1e-13)
    assert found.interaction.statistic == pytest.approx(4.5 / (8 / 4), rel=1e-12)
    assert found.interaction.effect == pytest.approx(4.5 / 12.5, rel=1e-12)
    # P(F(1, 4) > 2.25) is the two-sided p of t = 1.5
    assert found.interaction.p == pytest.approx(2 * stats.t.sf(1.5, 4), rel=1e-12)


def test_the_interval_of_the_effect_covers():
    """True noncentrality 12, n = 40. Four standard errors of 1500 draws at 0.95 are 0.0225."""
    a, b = np.repeat([0, 1], 20), np.tile([0, 1], 20)
    pattern = np.where(a == b, 1.0, -1.0) * math.sqrt(12.0 / 40.0)
    true = 12.0 / 52.0
    ends = [
        two_way_anova(pattern + RNG.normal(size=40), a, b).interaction.effect_interval
        for _ in range(1500)
    ]
    assert np.mean([low <= true <= high for low, high in ends]) == pytest.approx(0.95, abs=0.0225)


def test_the_interval_and_the_test_agree():
    for effect in (0.0, 0.3, 0.6, 1.0):
        for term in [two_way_anova(*design([[4] * 3] * 2, effect)).interaction for _ in range(10)]:
            # the two-sided 95 % interval leaves zero out where p < 0.025
            assert (term.effect_interval[0] > 0.0) == (term.p < 0.025)
            assert term.effect_interval[0] <= term.effect_interval[1] < 1.0


def test_nothing_varies():
    a, b = np.repeat([0, 1], 6), np.tile([0, 0, 1, 1, 2, 2], 2)
    flat = two_way_anova(np.full(12, 0.1), a, b)
    for term in (flat.a, flat.b, flat.interaction):
        assert (term.statistic, term.p, term.effect) == (0.0, 1.0, 0.0)
        assert term.effect_interval == (0.0, 0.0)
    # only the first factor matters, and it decides everything
    steps = two_way_anova(0.1 + 0.7 * a, a, b)
    assert (steps.a.statistic, steps.a.p, steps.a.effect) == (math.inf, 0.0, 1.0)
    assert steps.a.effect_interval == (1.0, 1.0)
    assert (steps.b.statistic, steps.b.p) == (0.0, 1.0)
    assert (steps.interaction.statistic, steps.interaction.p) == (0.0, 1.0)
    # a pure interaction: no rounding of it leaks into the main effects
    crossed = two_way_anova(0.3 + 0.1 * (2 * a - 1) * (b - 1), a, b)
    assert crossed.interaction.statistic == math.inf
    assert (crossed.a.statistic, crossed.b.statistic) == (0.0, 0.0)


@given(
    st.randoms(use_true_random=False), st.sampled_from([0.25, 4.0]), st.sampled_from([-1024.0, 8.0])
)
def test_shift_scale_order_and_labels(random, scale, shift):
    values = np.array([random.randint(-50, 50) for _ in range(14)], dtype=float)
    a, b = np.tile([0, 1], 7), np.array([0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2, 0, 1])
    found = two_way_anova(values, a, b)
    order = random.sample(range(14), 14)
    moved = two_way_anova(
        (scale * values + shift)[order],
        np.array(["z", "y"])[a][order],
        np.array([5.0, -1.0, 2.5])[b][order],
    )
    swapped = two_way_anova(values, b, a)
    for name in ("a", "b", "interaction"):
        one, other = getattr(found, name), getattr(moved, name)
        assert other.statistic == pytest.approx(one.statistic, rel=1e-8, abs=1e-12)
        assert other.effect == pytest.approx(one.effect, rel=1e-8, abs=1e-12)
    assert swapped.a.statistic == pytest.approx(found.b.statistic, rel=1e-9, abs=1e-12)
    assert swapped.interaction.statistic == pytest.approx(
        found.interaction.statistic, rel=1e-9, abs=1e-12
    )


def test_an_interaction_of_two_by_two_is_a_contrast_of_cells():
    # t = (m00 - m01 - m10 + m11) / sqrt(s^2 (4 / 6)) with six seeds a cell, and F = t^2
    values, a, b = design([[6, 6], [6, 6]], 0.0)
    found = two_way_anova(values, a, b)
    contrast = sum(
        sign * values[(a == f"agent {i}") & (b == 10 * j)].mean()
        for i, j, sign in ((0, 0, 1), (0, 1, -1), (1, 0, -1), (1, 1, 1))
    )
    error = math.sqrt(found.residual_sum_of_squares / found.residual_df * 4 / 6)
    assert found.interaction.statistic == pytest.approx((contrast / error) ** 2, rel=1e-10)


@pytest.mark.parametrize(
    ("values", "a", "b", "message"),
    [
        ([], [], [], "values has 0 seeds"),
        ([1.0, np.nan, 2.0], [0, 1, 0], [0, 1, 1], r"values\[1\] is nan"),
        ([1, 2, 3, 4], [0, 1, 0], [0, 0, 1, 1], r"factor_a has shape \(3,\); values has 4 entries"),
        ([1, 2, 3, 4], [0, 1, 0, 1], [[0, 0, 1, 1]], r"factor_b has shape \(1, 4\)"),
        ([1, 2, 3, 4], ["x"] * 4, [0, 0, 1, 1], "factor_a has the one level x"),
        ([1, 2, 3, 4], list("xxyy"), [5, 6, 5, 5], "no value has factor_a y and factor_b 6"),
        ([1, 2, 3, 4], [0, 1, 0, 1], [0, 0, 1, 1], "4 values for 4 combinations leave nothing"),
    ],
)
def test_bad_input_is_named(values, a, b, message):
    with pytest.raises(InputError, match=message):
        two_way_anova(values, a, b)
