"""Intervals against SciPy and statsmodels, and by their coverage; Holm's correction."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from hsr.experiments.stats import holm, mean_interval

RNG = np.random.default_rng(33)


@pytest.fixture(scope="module")
def statsmodels():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from statsmodels.stats.multitest import multipletests
    return multipletests


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


# holm


def test_holm_by_hand():
    # 3 * 0.01, then max(0.03, 2 * 0.03), then max(0.06, 0.04)
    assert_allclose(holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06], rtol=1e-15)
    assert_allclose(holm([0.5, 0.9, 0.01]), [1.0, 1.0, 0.03], rtol=1e-15)
    assert_array_equal(holm([0.2]), [0.2])


@pytest.mark.parametrize("m", [1, 2, 5, 30])
def test_holm_against_statsmodels(statsmodels, m):
    p = np.concatenate([RNG.random(m) ** 4, [0.0, 1.0, 0.01, 0.01]])
    assert_allclose(holm(p), statsmodels(p, method="holm")[1], rtol=1e-13)


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
