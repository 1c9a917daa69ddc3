"""Two-way analysis of variance against statsmodels, by hand, and where nothing varies."""

import math
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from hsr.experiments.stats import two_way_anova
from tests.cases import raises

RNG = np.random.default_rng(21)


@pytest.fixture(scope="module")
def oracle():
    """Return a function from values (A, B, n) to statsmodels' table."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pandas
        from statsmodels.formula.api import ols
        from statsmodels.stats.anova import anova_lm

    def table(values):
        a, b, _ = np.indices(values.shape)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            frame = pandas.DataFrame({"y": values.ravel(), "a": a.ravel(), "b": b.ravel()})
            return anova_lm(ols("y ~ C(a) * C(b)", frame).fit(), typ=2)

    return table


@pytest.mark.parametrize("shape", [(2, 2, 2), (2, 5, 10), (4, 3, 7)])
@pytest.mark.parametrize("effect", [0.0, 1.0, 50.0])
def test_against_statsmodels(oracle, shape, effect):
    a, b, _ = np.indices(shape)
    values = 100.0 + a + effect * a * b + RNG.normal(0, 1.5, shape)
    table, found = oracle(values), two_way_anova(values)
    residual = [found.residual_sum_of_squares, found.residual_df]
    assert_allclose(residual, table.loc["Residual", ["sum_sq", "df"]], rtol=1e-9)
    for term, name in ((found.a, "C(a)"), (found.b, "C(b)"), (found.interaction, "C(a):C(b)")):
        expected = table.loc[name, ["sum_sq", "df", "F", "PR(>F)"]].to_numpy(dtype=float)
        own = [term.sum_of_squares, term.df, term.statistic, term.p]
        # statsmodels subtracts sums of squares, which loses some digits
        assert_allclose(own, expected, rtol=1e-7, atol=1e-12)


def test_an_interaction_of_two_by_two_is_a_contrast_of_cells():
    """F is the square of Student's t of the contrast (+1, -1, -1, +1)."""
    values = RNG.normal(size=(2, 2, 9))
    cells = values.reshape(4, 9)
    spread = math.sqrt(cells.var(axis=1, ddof=1).mean() * 4 / 9)
    t = float(cells.mean(axis=1) @ [1, -1, -1, 1]) / spread
    found = two_way_anova(values).interaction
    assert found.statistic == pytest.approx(t**2, rel=1e-10)
    assert found.p == pytest.approx(2 * stats.t.sf(abs(t), 32), rel=1e-9)


def test_where_nothing_varies_within_cells_a_term_is_certain_or_nothing():
    flat = two_way_anova(np.full((2, 3, 2), 0.1))
    assert [(one.statistic, one.p) for one in (flat.a, flat.b, flat.interaction)] == [
        (0.0, 1.0)
    ] * 3
    steps = two_way_anova(0.1 + 0.7 * np.indices((2, 3, 2))[0])
    assert (steps.a.statistic, steps.a.p) == (math.inf, 0.0)
    assert (steps.b.statistic, steps.interaction.statistic) == (0.0, 0.0)


def test_one_value_per_cell_is_refused():
    with raises(r"values has shape \(2, 3, 1\)"):
        two_way_anova(np.zeros((2, 3, 1)))
