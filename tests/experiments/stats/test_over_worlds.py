"""Comparisons over worlds against SciPy, simulations with known answers, and bad input."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from hsr.experiments.stats import (
    agreement,
    compare_over_worlds,
    variance_between,
)
from hsr.experiments.stats.over_worlds import single_world_signs

RNG = np.random.default_rng(0)
X, Y = RNG.normal(0.4, 1.0, (40, 6)), RNG.normal(0.0, 1.0, (40, 6))


def test_worlds_are_the_sample_and_seeds_are_averaged():
    found = compare_over_worlds(X, Y)
    expected = scipy_stats.ttest_rel(X.mean(axis=1), Y.mean(axis=1))
    assert found.n == (40,)
    assert found.df == 39
    assert found.p == pytest.approx(expected.pvalue, rel=1e-12)


def test_more_seeds_of_the_same_worlds_add_no_evidence():
    """Repeating the same runs changes nothing, where seeds as a sample would shrink p."""
    again = compare_over_worlds(np.tile(X, 10), np.tile(Y, 10))
    assert again.p == pytest.approx(compare_over_worlds(X, Y).p, rel=1e-9)


@pytest.mark.parametrize("n", [2, 4, 5, 6, 8])
def test_no_p_is_below_that_of_all_signs_alike(n):
    """The exact sign-flip test of n worlds that agree completely has p = 2^(1 - n)."""
    d = np.arange(1.0, n + 1.0)
    flips = np.array(np.meshgrid(*[[-1, 1]] * n)).reshape(n, -1).T
    exact = np.mean(np.abs(flips @ d) >= d.sum())
    found = compare_over_worlds(1e6 + d[:, None], d[:, None])
    assert found.smallest_p == exact
    assert found.p == exact


@pytest.mark.parametrize(
    ("test", "oracle"),
    [
        ("two_sample_t", scipy_stats.ttest_ind),
        ("paired_t", scipy_stats.ttest_rel),
        ("wilcoxon", scipy_stats.wilcoxon),
    ],
)
def test_a_single_world_says_what_its_own_test_says(test, oracle):
    expected = [
        np.sign(x.mean() - y.mean()) if oracle(x, y).pvalue < 0.05 else 0.0
        for x, y in zip(X, Y, strict=True)
    ]
    assert set(expected) == {0.0, 1.0}
    assert single_world_signs(X, Y, test).tolist() == expected


@pytest.mark.parametrize("test", ["two_sample_t", "paired_t"])
def test_worlds_without_spread_count_by_their_difference(test):
    x = np.array([[2.0, 2.0], [1.0, 1.0], [1.0, 1.0]])
    y = np.array([[1.0, 1.0], [2.0, 2.0], [1.0, 1.0]])
    assert single_world_signs(x, y, test).tolist() == [1.0, -1.0, 0.0]


def test_shares_of_single_worlds_add_up_and_follow_the_prediction():
    up, down = agreement(X, Y, +1), agreement(X, Y, -1)
    assert up.as_claimed + up.other_way + up.undecided == pytest.approx(1.0)
    assert (up.as_claimed, up.other_way) == (down.other_way, down.as_claimed)
    assert up.agree == pytest.approx(np.mean(X.mean(axis=1) > Y.mean(axis=1)))
    assert up.agree + down.agree == pytest.approx(1.0)


def test_where_no_difference_is_predicted_a_world_agrees_if_its_test_finds_none():
    found = agreement(X, Y, 0)
    signs = single_world_signs(X, Y, "two_sample_t")
    assert found.agree == found.as_claimed == np.mean(signs == 0.0)
    assert found.other_way == pytest.approx(np.mean(signs != 0.0))
    assert found.undecided == 0.0


def test_the_share_of_cut_off_runs_is_over_both_agents():
    censored = np.zeros((2, *X.shape), dtype=bool)
    censored[0] = True
    assert agreement(X, Y, +1, censored=censored).censored == 0.5


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_the_variance_between_worlds_is_found_again(share):
    """Simulated with a known share; the interval covers five standard deviations."""
    rng = np.random.default_rng(1)
    found = [
        variance_between(
            rng.normal(0.0, np.sqrt(share), (60, 1)) + rng.normal(0.0, np.sqrt(1 - share), (60, 8))
        )
        for _ in range(60)
    ]
    error = np.std(found) / np.sqrt(len(found))
    bias = 0.02 if share == 0.0 else 0.01  # an estimate below zero counts as zero
    assert np.mean(found) == pytest.approx(share, abs=5 * error + bias)


def test_one_seed_per_world_cannot_say_where_the_variance_lies():
    assert np.isnan(variance_between(X[:, :1]))


def test_one_seed_decides_nothing_but_its_own_sign():
    assert not single_world_signs(X[:, :1], Y[:, :1], "paired_t").any()
    assert single_world_signs(X[:, :1], Y[:, :1], "sign").all()
