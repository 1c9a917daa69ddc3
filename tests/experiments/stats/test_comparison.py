"""The paired t-test and its effect against SciPy, by hand, and by the coverage of intervals."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import special, stats

from hsr import InputError
from hsr.experiments.stats import paired_t
from hsr.experiments.stats.effect import noncentral_t_interval

RNG = np.random.default_rng(11)
LEVELS = (0.975, 0.025)
tenths = st.integers(-1000, 1000).map(lambda k: k / 8)
pairs = st.lists(st.tuples(tenths, tenths), min_size=3, max_size=12).filter(
    lambda both: len({x - y for x, y in both}) > 1
)


@pytest.mark.parametrize("n", [2, 10, 20, 75])
@pytest.mark.parametrize("shift", [0.0, 0.7, -40.0])
def test_against_scipy(n, shift):
    x, y = RNG.normal(3, 2, n) + shift, RNG.normal(3, 2, n)
    found, other = paired_t(x, y), stats.ttest_rel(x, y)
    assert_allclose([found.statistic, found.df], [other.statistic, other.df], rtol=1e-12)
    assert_allclose(found.p, other.pvalue, rtol=1e-10)
    assert_allclose(found.difference_interval, other.confidence_interval(0.95), rtol=1e-10)
    assert found.difference == pytest.approx(x.mean() - y.mean(), rel=1e-12)
    assert found.effect == pytest.approx((x - y).mean() / (x - y).std(ddof=1), rel=1e-12)
    assert (found.n, found.df) == ((n,), n - 1)


def test_pairs_by_hand():
    # differences 2, 3, 1: mean 2, deviation 1
    # with two degrees of freedom p = 1 - t / sqrt(t^2 + 2)
    found = paired_t([3.0, 5.0, 4.0], [1.0, 2.0, 3.0])
    assert found.effect == pytest.approx(2.0, rel=1e-15)
    assert found.p == pytest.approx(1.0 - math.sqrt(12.0 / 14.0), rel=1e-12)
    assert (found.test, found.effect_name, found.smallest_p) == ("paired t", "Cohen's d_z", 0.0)


@pytest.mark.parametrize("df", [1, 2, 9, 18, 38, 198])
@pytest.mark.parametrize("t", [0.0, 0.3, -2.0, 15.0, 140.0, 990.0])
def test_the_noncentral_t_at_the_ends_has_the_tails(t, df):
    low, high = noncentral_t_interval(t, df)
    # the root is found to 12 digits; SciPy's distribution itself has about 10 at the far end
    assert_allclose([stats.nct.cdf(t, df, end) for end in (low, high)], LEVELS, atol=1e-8)


@pytest.mark.parametrize("df", [2, 9, 38])
def test_the_noncentral_t_interval_has_no_seam(df):
    for seam in (1e3, 1e4):
        below, above = (noncentral_t_interval(seam * (1.0 + x), df) for x in (-1e-6, 1e-6))
        assert_allclose(below, above, rtol=1e-5)
    high = noncentral_t_interval(1e7, df)
    assert_allclose(noncentral_t_interval(-1e7, df), np.negative(high)[::-1], rtol=1e-12)
    # far out, nc = t sqrt(chi2 / df): quantiles of chi2 alone decide
    far = [1e7 * math.sqrt(stats.chi2.ppf(q, df) / df) for q in (0.025, 0.975)]
    assert_allclose(high, far, rtol=1e-6)


@pytest.mark.parametrize("delta", [0.0, 0.8, 2.5])
def test_the_interval_of_the_effect_covers(delta):
    """Two standard errors of 4000 draws at 0.95 are 0.0069; four are allowed."""
    x, y = RNG.normal(delta, 1, (4000, 10)), RNG.normal(0, 1, (4000, 10))
    t = stats.ttest_rel(x, y, axis=1).statistic
    ends = np.array([noncentral_t_interval(one, 9) for one in t]) / math.sqrt(10)
    true = delta / math.sqrt(2)
    assert np.mean((ends[:, 0] <= true) & (true <= ends[:, 1])) == pytest.approx(0.95, abs=0.0138)
    assert_allclose(paired_t(x[0], y[0]).effect_interval, ends[0], rtol=1e-9)


def test_samples_that_do_not_vary():
    same = paired_t([0.1, 0.1, 0.1], [0.1, 0.1, 0.1])
    assert (same.statistic, same.p, same.effect, same.difference) == (0.0, 1.0, 0.0, 0.0)
    assert same.difference_interval == (0.0, 0.0)
    # the interval of a zero effect does not depend on the variance: normal quantiles times the unit
    ends = special.ndtri([0.025, 0.975]) * math.sqrt(1 / 3)
    assert_allclose(same.effect_interval, ends, rtol=1e-9)
    apart = paired_t([2.0, 2.0, 2.0], [5.0, 5.0, 5.0])
    expected = (-math.inf, 0.0, -math.inf, -3.0)
    assert (apart.statistic, apart.p, apart.effect, apart.difference) == expected
    assert apart.effect_interval == (-math.inf, -math.inf)
    assert apart.difference_interval == (-3.0, -3.0)


def test_rounding_is_not_a_difference():
    x = np.array([0.1, 0.2, 0.3])
    rounded = (x + 0.7) - 0.7
    assert (rounded != x).any()
    assert paired_t(rounded, x).p == 1.0
    shifted = paired_t(x + 0.7, x)
    assert (shifted.statistic, shifted.p) == (math.inf, 0.0)


@given(pairs, st.sampled_from([-64.0, 8.0, 1024.0]), st.sampled_from([0.25, 2.0, 16.0]))
def test_shift_and_scale_leave_the_test_alone(both, shift, scale):
    # eighths and powers of two are moved without rounding; means round to 1e-14 of the shift
    x, y = np.array(both).T
    before, after = paired_t(x, y), paired_t(scale * x + shift, scale * y + shift)
    assert after.statistic == pytest.approx(before.statistic, rel=1e-9, abs=1e-9)
    assert after.p == pytest.approx(before.p, rel=1e-8, abs=1e-12)
    assert after.effect == pytest.approx(before.effect, rel=1e-9, abs=1e-9)
    assert after.difference == pytest.approx(scale * before.difference, rel=1e-9, abs=1e-9)


@given(pairs, st.randoms(use_true_random=False))
def test_order_and_direction(both, random):
    x, y = np.array(both).T
    order = random.sample(range(len(x)), len(x))
    found, back = paired_t(x, y), paired_t(y[order], x[order])
    assert back.statistic == pytest.approx(-found.statistic, rel=1e-10, abs=1e-12)
    assert back.p == pytest.approx(found.p, rel=1e-9)
    assert_allclose(
        back.effect_interval, np.negative(found.effect_interval)[::-1], rtol=1e-7, atol=1e-8
    )


@given(pairs)
def test_the_intervals_agree_with_the_test(both):
    """p < 0.05 exactly where zero lies outside the intervals of difference and effect."""
    found = paired_t(*np.array(both).T)
    if abs(found.p - 0.05) > 1e-9:
        for low, high in (found.difference_interval, found.effect_interval):
            assert (found.p < 0.05) == (not low <= 0.0 <= high)
    assert found.effect_interval[0] <= found.effect <= found.effect_interval[1]


def test_pairs_need_the_same_seeds():
    with pytest.raises(InputError, match="x has 3 seeds and y has 2; pairs need the same seeds"):
        paired_t([1.0, 2.0, 3.0], [1.0, 2.0])
