"""The signed-rank test against SciPy, by enumeration of signs, and by its coverage."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from hsr.paper.stats import wilcoxon
from hsr.paper.stats.signed_rank import _rank_biserial_interval, _rank_sum_distribution

RNG = np.random.default_rng(8)


def by_enumeration(d):
    """Fraction of the 2^n patterns of signs whose rank sum is at least as far from its mean."""
    d = np.array([v for v in d if v != 0], dtype=float)
    ranks = stats.rankdata(np.abs(d))
    signs = np.array(list(itertools.product([0, 1], repeat=d.size)))
    sums = signs @ ranks
    return np.mean(
        np.abs(sums - ranks.sum() / 2) >= abs(ranks[d > 0].sum() - ranks.sum() / 2) - 1e-9
    )


@pytest.mark.parametrize("n", [2, 3, 7, 20, 50])
@pytest.mark.parametrize("shift", [0.0, 0.5, -3.0])
def test_without_ties_it_is_scipy_s_exact_test(n, shift):
    x, y = RNG.normal(shift, 1, n), RNG.normal(0, 1, n)
    found, oracle = wilcoxon(x, y), stats.wilcoxon(x, y, method="exact")
    assert found.statistic == oracle.statistic
    assert found.p == pytest.approx(oracle.pvalue, rel=1e-12)
    assert (found.test, found.effect_name) == ("Wilcoxon signed-rank", "rank-biserial r")
    assert (found.n, found.df) == ((n,), None)


@given(st.lists(st.integers(-6, 6), min_size=2, max_size=8).filter(any))
@example([1, 1, -1, 2, 2, 3])
@example([0, 0, 1, -1, 2, 5, 5, -3])
@example([4, 4, 4, 4])
@example([1, -1])
@example([0, 0, 3])
def test_with_ties_and_zeros_it_counts_all_patterns(d):
    assert wilcoxon(d, np.zeros(len(d))).p == pytest.approx(by_enumeration(d), rel=1e-13)


def test_twenty_pairs_cannot_give_the_printed_p_values():
    found = wilcoxon(np.arange(1.0, 21.0), np.zeros(20))
    assert found.p == found.smallest_p == 2.0**-19
    assert found.smallest_p > 6.73e-10


def test_identical_samples():
    found = wilcoxon(np.full(8, 0.1), np.full(8, 0.1))
    assert (found.p, found.statistic, found.effect, found.difference) == (1.0, 0.0, 0.0, 0.0)
    assert found.effect_interval == (-1.0, 1.0)
    assert found.difference_interval == (0.0, 0.0)


def test_beyond_the_exact_limit_the_normal_approximation_stands_in():
    x, y = RNG.integers(0, 30, 300), RNG.integers(3, 31, 300)
    found, oracle = wilcoxon(x, y), stats.wilcoxon(x, y, method="asymptotic", correction=False)
    assert found.p == pytest.approx(oracle.pvalue, rel=1e-9)
    # at the limit the two agree to what a normal approximation is worth there
    d = np.arange(1, 201) * np.where(np.arange(200) % 5 < 2, -1, 1)
    exact, normal = wilcoxon(d, np.zeros(200)).p, stats.wilcoxon(d, method="asymptotic").pvalue
    assert exact == pytest.approx(normal, rel=0.03)
    assert exact != normal


def test_the_distribution_of_the_rank_sum():
    # n = 3: sums 0, 1, 2, 3, 3, 4, 5, 6 of 8 patterns; n = 20: symmetric, mean n (n + 1) / 4
    assert_allclose(
        _rank_sum_distribution(np.array([1, 2, 3])), np.array([1, 1, 1, 2, 1, 1, 1]) / 8, rtol=0
    )
    probabilities = _rank_sum_distribution(np.arange(1, 21))
    assert probabilities.sum() == pytest.approx(1.0, rel=1e-14)
    assert_allclose(probabilities, probabilities[::-1], rtol=1e-14)
    # n (n + 1) (2 n + 1) / 24 is its variance
    assert (probabilities * (np.arange(211) - 105.0) ** 2).sum() == pytest.approx(
        20 * 21 * 41 / 24, rel=1e-13
    )


def test_the_effect_by_hand():
    # differences 1, -2, 3, 4: W+ = 1 + 3 + 4, W- = 2, r = 6/10
    found = wilcoxon([1, 0, 3, 4], [0, 2, 0, 0])
    assert found.effect == 0.6
    assert found.statistic == 2.0
    # averages of two, themselves included: -2 -1/2 1/2 1 1 2 5/2 3 7/2 4; the median is (1 + 2) / 2
    assert found.difference == 1.5
    assert found.difference_interval == (-math.inf, math.inf)


def test_the_interval_of_the_difference_by_hand():
    # n = 6: P(W <= 0) = 1/64 <= 0.025 < 2/64 = P(W <= 1), so the ends are the extreme averages
    found = wilcoxon([1, 2, 3, 4, 5, 9], np.zeros(6))
    assert found.difference_interval == (1.0, 9.0)
    # the eleventh of the 21 averages; their mean is 4
    assert found.difference == 3.5
    # n = 10: P(W <= 8) = 0.0244, P(W <= 9) = 0.0322, so the ends are the ninth from either side
    found = wilcoxon(np.arange(1, 11), np.zeros(10))
    averages = sorted((i + j) / 2 for i in range(1, 11) for j in range(i, 11))
    assert found.difference_interval == (averages[8], averages[-9])


@pytest.mark.parametrize("n", [6, 11, 20, 60, 230])
def test_the_interval_holds_what_the_test_does_not_reject(n):
    x = RNG.normal(0.4, 1, n)
    low, high = wilcoxon(x, np.zeros(n)).difference_interval
    margin = 1e-6
    for outside, inside in ((low - margin, low + margin), (high + margin, high - margin)):
        assert wilcoxon(x, np.full(n, outside)).p < 0.05 <= wilcoxon(x, np.full(n, inside)).p


@pytest.mark.parametrize(("shift", "n"), [(0.0, 10), (0.8, 10), (0.8, 20), (1.5, 20)])
def test_the_intervals_cover(shift, n):
    """Three standard errors of 1500 draws at 0.95 are 0.017; the approximation may add 0.01."""
    found = [wilcoxon(d, np.zeros(n)) for d in RNG.normal(shift, 1, (1500, n))]
    # the mean of two differences is normal with deviation sqrt(1/2)
    true = 2.0 * stats.norm.cdf(shift * math.sqrt(2)) - 1.0
    covered = [low <= true <= high for low, high in (one.effect_interval for one in found)]
    assert np.mean(covered) == pytest.approx(0.95, abs=0.027)
    # exact, and conservative because the test is discrete: 1 - 2 * 0.0244 for 10 pairs, 1 - 2 *
    # 0.0242 for 20
    covered = [low <= shift <= high for low, high in (one.difference_interval for one in found)]
    assert np.mean(covered) == pytest.approx(0.9515, abs=0.017)


def test_the_interval_of_the_effect_does_not_collapse():
    low, high = _rank_biserial_interval(1.0, 20)
    # Wilson's lower end of a proportion of 1 is m / (m + z^2), with m = 1.5 * 20 * 21 / 41
    m, z2 = 630 / 41, stats.norm.ppf(0.975) ** 2
    assert high == 1.0
    assert low == pytest.approx(2 * m / (m + z2) - 1, rel=1e-12)
    assert_allclose(_rank_biserial_interval(-1.0, 20), (-1.0, -low), rtol=1e-12)


@given(
    st.lists(st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=2, max_size=15),
    st.integers(-50, 50),
    st.sampled_from([0.5, 3.0]),
    st.randoms(use_true_random=False),
)
def test_shift_scale_order_and_direction(pairs, shift, scale, random):
    x, y = np.array(pairs, dtype=float).T
    found = wilcoxon(x, y)
    moved = wilcoxon(scale * x + shift, scale * y + shift)
    assert (moved.statistic, moved.p, moved.effect) == (found.statistic, found.p, found.effect)
    assert moved.difference == pytest.approx(scale * found.difference, abs=1e-12)
    order = random.sample(range(len(x)), len(x))
    back = wilcoxon(y[order], x[order])
    assert (back.statistic, back.effect) == (found.statistic, -found.effect)
    assert back.p == pytest.approx(found.p, rel=1e-12)
    assert back.difference_interval == pytest.approx(
        (-found.difference_interval[1], -found.difference_interval[0])
    )
    assert found.smallest_p <= found.p <= 1.0
