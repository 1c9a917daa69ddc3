"""Intervals against SciPy, statsmodels and rliable, and by their coverage; Holm's correction."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from hsr import InputError
from hsr.paper.stats import (
    Interval,
    bootstrap_interval,
    holm,
    iqm,
    mean_interval,
    proportion_interval,
)

RNG = np.random.default_rng(33)


@pytest.fixture(scope="module")
def rliable():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from rliable import library, metrics
    return library, metrics


@pytest.fixture(scope="module")
def statsmodels():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from statsmodels.stats.multitest import multipletests
        from statsmodels.stats.proportion import proportion_confint
    return multipletests, proportion_confint


# mean_interval


@pytest.mark.parametrize("n", [2, 10, 20])
def test_the_mean_against_scipy(n):
    x = RNG.normal(5, 3, n)
    oracle = stats.ttest_1samp(x, 0.0).confidence_interval(0.95)
    assert_allclose(mean_interval(x), [x.mean(), oracle.low, oracle.high], rtol=1e-11)


def test_the_mean_by_hand():
    # s = 1, t(0.975, 2) = 4.302653: 2 +- 4.302653 / sqrt(3)
    assert_allclose(mean_interval([1.0, 2.0, 3.0]), [2.0, 2 - 2.484138, 2 + 2.484138], atol=1e-6)


def test_a_curve_has_one_interval_per_point():
    curves = RNG.normal(size=(10, 3, 4))
    found = mean_interval(curves)
    assert found.estimate.shape == found.low.shape == found.high.shape == (3, 4)
    assert_allclose([part[2, 1] for part in found], mean_interval(curves[:, 2, 1]), rtol=1e-14)
    assert all(isinstance(part, float) for part in mean_interval([1.0, 2.0]))


def test_the_mean_is_covered():
    """Ten normal seeds. Four standard errors of 20 000 draws at 0.95 are 0.0062."""
    found = mean_interval(RNG.normal(2.0, 3.0, (10, 20_000)))
    assert np.mean((found.low <= 2.0) & (found.high >= 2.0)) == pytest.approx(0.95, abs=0.0062)


@given(
    st.lists(st.integers(-100, 100), min_size=2, max_size=10),
    st.sampled_from([2.0, 0.5]),
    st.integers(-64, 64),
)
def test_shift_and_scale_move_the_mean_s_interval(x, scale, shift):
    assert_allclose(
        mean_interval(scale * np.array(x) + shift),
        scale * np.array(mean_interval(x)) + shift,
        rtol=1e-10,
        atol=1e-10,
    )


# iqm and bootstrap_interval


@pytest.mark.parametrize("shape", [(10, 5), (3, 1), (1, 1), (7, 6), (20, 26)])
def test_the_interquartile_mean_is_rliable_s(rliable, shape):
    scores = RNG.exponential(size=shape)
    assert iqm(scores) == rliable[1].aggregate_iqm(scores)


def test_the_interquartile_mean_by_hand():
    # of eight numbers the middle four: (2 + 3 + 4 + 5) / 4
    assert iqm([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 700.0]]) == 3.5
    # of six, floor(6 / 4) = 1 is left out at either end
    assert iqm([9, 1, 2, 3, 4, -9]) == 2.5
    assert_array_equal(iqm([[0.0, 1.0, 2.0, 3.0], [4.0, 6.0, 6.0, 9.0]], axis=1), [1.5, 6.0])


@pytest.mark.parametrize("shape", [(10, 5), (20, 1)])
def test_the_bootstrap_is_rliable_s(rliable, shape):
    """Compare ends of percentile bootstraps of 5 000 and 20 000 draws.

    Each end has a standard error of sqrt(q (1 - q) / m) over the density there. For a normal
    statistic this is 2.7 of its deviations over sqrt(m). 5 of the joint error are allowed, which is
    0.21 deviations.
    """
    library, metrics = rliable
    scores = RNG.gamma(2.0, size=shape) + np.arange(shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        points, intervals = library.get_interval_estimates(
            {"agent": scores},
            lambda x: np.array([metrics.aggregate_iqm(x)]),
            reps=5_000,
            random_state=np.random.RandomState(5),
        )
    found = bootstrap_interval(scores, iqm, samples=20_000, seed=1)
    assert found.estimate == points["agent"][0]
    low, high = intervals["agent"][:, 0]
    deviation = (high - low) / (2 * 1.96)
    assert_allclose([found.low, found.high], [low, high], rtol=0, atol=0.21 * deviation)


def test_the_bootstrap_s_draws_have_the_exact_spread():
    """The mean of a resample of n has the variance of the sample over n, in each stratum."""
    x = [RNG.normal(0, scale, n) for scale, n in ((1.0, 5), (4.0, 9), (0.1, 12))]
    values, labels = np.concatenate(x), np.repeat(["p", "q", "r"], [5, 9, 12])
    drawn = []

    def keep(sample, /, *, axis):
        drawn.append(np.mean(sample, axis=axis))
        return drawn[-1]

    bootstrap_interval(values, keep, strata=labels, samples=40_000, seed=2)
    variance = sum((len(part) / 26) ** 2 * part.var() / len(part) for part in x)
    # the variance of m draws has the relative error sqrt(2 / m) = 0.7 %, four of which are allowed;
    # the mean's is sd / sqrt(m)
    means = np.concatenate(drawn[:-1])
    assert means.size == 40_000
    assert means.var() == pytest.approx(variance, rel=0.028)
    assert means.mean() == pytest.approx(values.mean(), abs=4 * np.sqrt(variance / 40_000))


def test_columns_and_labels_are_the_same_strata():
    scores = RNG.normal(size=(8, 3))
    by_label = bootstrap_interval(scores.ravel(), strata=np.tile(["a", "b", "c"], 8), seed=3)
    assert bootstrap_interval(scores, seed=3) == by_label
    shuffled = RNG.permutation(24)
    moved = bootstrap_interval(
        scores.ravel()[shuffled], strata=np.tile([0, 1, 2], 8)[shuffled], samples=20_000, seed=4
    )
    assert_allclose(moved, by_label, atol=0.1 * (by_label.high - by_label.low) / 2)


def test_seeds_are_resampled_within_their_task():
    # no task varies, so that no resample does; pooled, the mean would vary by 10
    scores = np.tile([0.0, 100.0, 7.0], (6, 1))
    assert bootstrap_interval(scores, np.mean, seed=0) == pytest.approx((107 / 3,) * 3)
    pooled = bootstrap_interval(scores.ravel(), np.mean, seed=0)
    assert pooled.high - pooled.low > 10


def test_the_seed_decides_to_the_last_bit(monkeypatch):
    scores = RNG.normal(size=(10, 4))
    found = bootstrap_interval(scores, seed=7)
    assert found == bootstrap_interval(scores, seed=np.random.default_rng(7))
    assert found != bootstrap_interval(scores, seed=8)
    whole = bootstrap_interval(scores, samples=1000, seed=7)
    monkeypatch.setattr("hsr.paper.stats.interval._BLOCK_ENTRIES", 40 * 33)
    assert bootstrap_interval(scores, samples=1000, seed=7) == whole


def test_the_bootstrap_covers():
    """The percentile interval is too short, by sqrt(19/20) and a normal instead of a t quantile.

    Its coverage for twenty normal seeds is P(|t_19| < 1.96 sqrt(19/20)) = 0.929. Four standard
    errors of 1500 draws are 0.0265, and the bootstrap's 500 resamples add 0.01.
    """
    expected = 1 - 2 * stats.t.sf(1.959964 * np.sqrt(19 / 20), 19)
    found = [
        bootstrap_interval(x, np.mean, samples=500, seed=i)
        for i, x in enumerate(RNG.normal(2.0, 1.0, (1500, 20)))
    ]
    covered = np.mean([one.low <= 2.0 <= one.high for one in found])
    assert covered == pytest.approx(expected, abs=0.0365)


# proportion_interval


@pytest.mark.parametrize(
    ("k", "n"), [(0, 10), (10, 10), (3, 10), (1, 1), (0, 1), (17, 20), (500, 1000)]
)
def test_the_proportion_is_statsmodels_wilson(statsmodels, k, n):
    low, high = statsmodels[1](k, n, alpha=0.05, method="wilson")
    assert_allclose(proportion_interval(k, n), [k / n, low, high], rtol=1e-12, atol=1e-15)


def test_the_proportion_at_its_ends():
    assert proportion_interval(0, 7)[:2] == (0.0, 0.0)
    assert proportion_interval(7, 7).high == 1.0
    # z^2 / (n + z^2) above none of n
    z2 = stats.norm.ppf(0.975) ** 2
    high = pytest.approx(z2 / (10 + z2), rel=1e-12)
    assert proportion_interval(0, 10) == Interval(0.0, 0.0, high)


def test_the_proportion_is_covered_on_average():
    """Over proportions uniform in [0, 1], Wilson's coverage is 0.95 on average, by exact sums."""
    n, p = 20, np.linspace(0.0005, 0.9995, 1000)
    ends = np.array([proportion_interval(k, n)[1:] for k in range(n + 1)])
    inside = (ends[:, :1] <= p) & (p <= ends[:, 1:])
    covered = (stats.binom.pmf(np.arange(n + 1)[:, None], n, p) * inside).sum(axis=0)
    assert covered.mean() == pytest.approx(0.95, abs=0.01)


# holm


def test_holm_by_hand():
    # 3 * 0.01, then max(0.03, 2 * 0.03), then max(0.06, 0.04)
    assert_allclose(holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06], rtol=1e-15)
    assert_allclose(holm([0.5, 0.9, 0.01]), [1.0, 1.0, 0.03], rtol=1e-15)
    assert_array_equal(holm([0.2]), [0.2])


@pytest.mark.parametrize("m", [1, 2, 5, 30])
def test_holm_against_statsmodels(statsmodels, m):
    p = np.concatenate([RNG.random(m) ** 4, [0.0, 1.0, 0.01, 0.01]])
    assert_allclose(holm(p), statsmodels[0](p, method="holm")[1], rtol=1e-13)


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_holm_keeps_order_and_place(p, random):
    adjusted = holm(p)
    assert (adjusted >= p).all()
    assert (adjusted <= np.minimum(1.0, len(p) * np.array(p))).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0.0).all()
    order = random.sample(range(len(p)), len(p))
    assert_array_equal(holm([p[i] for i in order]), adjusted[order])


def test_holm_keeps_its_promise():
    """Twenty true null hypotheses: a false positive in at most 5 % of tables, +- 0.0138."""
    false_positives = np.mean([holm(p).min() < 0.05 for p in RNG.random((4000, 20))])
    assert false_positives == pytest.approx(1 - 0.9975**20, abs=0.0138)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mean_interval([1.0]), "x has 1 seed; at least 2 are needed"),
        (lambda: mean_interval(1.0), "x has 0 seeds"),
        (lambda: mean_interval([[1.0, 2.0], [np.nan, 1.0]]), r"x\[1, 0\] is nan"),
        (lambda: mean_interval("curve"), "x cannot be read as numbers"),
        (lambda: iqm([]), r"x has shape \(0,\)"),
        (lambda: iqm([1.0, np.inf]), r"x\[1\] is inf"),
        (
            lambda: bootstrap_interval([], seed=0),
            r"x has shape \(0,\); there is nothing to resample",
        ),
        (lambda: bootstrap_interval([1.0, np.nan], seed=0), r"x\[1\] is nan"),
        (lambda: bootstrap_interval([[1.0, 2.0]], seed=0), "stratum 0 of x has 1 seed"),
        (
            lambda: bootstrap_interval([1.0, 2.0, 3.0], strata=["u", "v", "u"], seed=0),
            "stratum v of x has 1 seed",
        ),
        (
            lambda: bootstrap_interval([1.0, 2.0, 3.0], strata=[1, 1], seed=0),
            r"strata has shape \(2,\); x has 3 numbers",
        ),
        (
            lambda: bootstrap_interval([[1.0], [2.0]], strata=[0, 0], seed=0),
            r"x has shape \(2, 1\); it must have shape \(any,\)",
        ),
        (lambda: bootstrap_interval(np.ones((2, 2, 2)), seed=0), r"x has shape \(2, 2, 2\)"),
        (lambda: bootstrap_interval([1.0, 2.0], samples=0, seed=0), "samples is 0"),
        (lambda: bootstrap_interval([1.0, 2.0], seed=None), "seed is None"),
        (lambda: proportion_interval(0, 0), "n is 0"),
        (lambda: proportion_interval(-1, 4), "k is -1"),
        (lambda: proportion_interval(5, 4), "k is 5 and n is 4"),
        (lambda: proportion_interval(0.5, 4), "k is 0.5"),
        (lambda: holm([]), "p is empty"),
        (lambda: holm([0.1, np.nan]), r"p\[1\] is nan"),
        (lambda: holm([0.1, 1.5]), r"p\[1\] is 1.5; a p-value lies in \[0, 1\]"),
        (lambda: holm([-0.1]), r"p\[0\] is -0.1"),
        (lambda: holm([[0.1]]), r"p has shape \(1, 1\)"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(InputError, match=message):
        call()
