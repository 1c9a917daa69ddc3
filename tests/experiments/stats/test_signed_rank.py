"""The signed-rank test against SciPy, and by enumeration of signs."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from hsr.experiments.stats import signed_rank_p

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
    d = RNG.normal(shift, 1, n)
    assert signed_rank_p(d) == pytest.approx(stats.wilcoxon(d, method="exact").pvalue, rel=1e-12)


@given(st.lists(st.integers(-6, 6), min_size=2, max_size=8).filter(any))
@example([1, 1, -1, 2, 2, 3])
@example([0, 0, 1, -1, 2, 5, 5, -3])
@example([4, 4, 4, 4])
@example([1, -1])
@example([0, 0, 3])
def test_with_ties_and_zeros_it_counts_all_patterns(d):
    assert signed_rank_p(np.array(d)) == pytest.approx(by_enumeration(d), rel=1e-13)


def test_twenty_pairs_cannot_give_the_printed_p_values():
    assert signed_rank_p(np.arange(1.0, 21.0)) == 2.0**-19 > 6.73e-10


def test_differences_of_zero_say_nothing():
    assert signed_rank_p(np.zeros(8)) == 1.0


def test_beyond_the_exact_limit_the_normal_approximation_stands_in():
    d = RNG.integers(0, 30, 300) - RNG.integers(3, 31, 300)
    oracle = stats.wilcoxon(d, method="asymptotic", correction=False)
    assert signed_rank_p(d) == pytest.approx(oracle.pvalue, rel=1e-9)
    # at the limit the two agree to what a normal approximation is worth there
    d = np.arange(1, 201) * np.where(np.arange(200) % 5 < 2, -1, 1)
    exact, normal = signed_rank_p(d), stats.wilcoxon(d, method="asymptotic").pvalue
    assert exact == pytest.approx(normal, rel=0.03)
    assert exact != normal
