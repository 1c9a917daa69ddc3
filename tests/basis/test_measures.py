"""Measures of a basis against cases worked by hand and against their definitions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression

import hsr
from hsr._base.lazy import LazyMatrix
from tests.cases import raises

PHI = np.random.default_rng(9).random((12, 4))


def random_map(*shape):
    return np.random.default_rng(1).random(shape)


@pytest.mark.parametrize("kind", [hsr.SVDBasis, hsr.NMFBasis])
def test_reconstruction_error_is_the_mean_squared_difference(kind, monkeypatch):
    M = random_map(12, 10)
    basis = kind(n_components=3, scale="max").fit(M)
    expected = np.square(M - basis.features_ @ basis.components_).mean()
    assert expected > 1e-3
    assert hsr.basis.reconstruction_error(M, basis) == pytest.approx(expected, rel=1e-12)
    monkeypatch.setattr("hsr.basis.contract._BLOCK_ENTRIES", 25)
    lazy = LazyMatrix(M.shape, lambda x: M @ x, lambda y: M.T @ y)
    assert hsr.basis.reconstruction_error(lazy, basis) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "basis", [hsr.RowBasis(), hsr.RowBasis(scale="max"), hsr.OneHotBasis()], ids=str
)
def test_rows_and_one_hot_reconstruct_exactly(basis):
    M = random_map(6, 6)
    assert hsr.basis.reconstruction_error(M, basis.fit(M)) == pytest.approx(0.0, abs=1e-30)


def test_reconstruction_error_refuses_what_is_not_a_reconstruction():
    M = random_map(5, 5)
    lazy = LazyMatrix((4, 5), lambda x: M[:4] @ x, lambda y: M[:4].T @ y)
    fitted = hsr.RowBasis().fit(M)
    for given, basis, words in (
        (M, hsr.RowBasis(scale="unit_rows").fit(M), "unit_rows"),
        (M[:4], fitted, r"M has shape \(4, 5\); it must have shape \(5, 5\)"),
        (lazy, fitted, r"M has shape \(4, 5\); the basis was fitted"),
        (M, M, r"it must be a fitted basis, such as hsr\.NMFBas"),
        (None, fitted, r"M is None; it must be an array of shape \(5, 5\)"),
        (M, hsr.RowBasis(), "basis is a RowBasis that has not been fitted"),
    ):
        with raises(words):
            hsr.basis.reconstruction_error(given, basis)


def test_values_in_the_span_are_fitted_exactly():
    values = (PHI @ random_map(4, 3)).T
    for features in (PHI, np.hstack([PHI, PHI])):
        assert_allclose(hsr.basis.value_fit_r2(features, values), 1.0, rtol=1e-12)


def test_r2_by_hand():
    # one feature (1, 1, 0): the weight is the mean 2 of (3, 1), the residual 1 + 1 + 0, the
    # variance 14/3
    features, values = [[1.0], [1.0], [0.0]], [[3.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    expected = [1 - 2 / (14 / 3), 1 - 1 / (2 / 3)]
    assert_allclose(hsr.basis.value_fit_r2(features, values), expected, rtol=1e-14)
    assert hsr.basis.value_fit_r2(features, values[0]) == pytest.approx(expected[0], rel=1e-14)
    with_constant = hsr.basis.value_fit_r2(features, values[0], intercept=True)
    peer = LinearRegression().fit(features, values[0])
    assert with_constant == pytest.approx(peer.score(features, values[0]))


def test_r2_of_a_basis_is_that_of_its_features():
    basis, values = hsr.SVDBasis(n_components=5).fit(random_map(12, 12)), PHI[:, 0]
    assert hsr.basis.value_fit_r2(basis, values) == hsr.basis.value_fit_r2(basis.features_, values)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([np.arange(12.0), np.full(12, 0.5)], r"values\[1\] is 0.5 at every state"),
        (np.zeros(12), "values is 0 at every state"),
        (np.arange(11.0), r"values has shape \(11,\); it must have shape \(12,\)"),
    ],
)
def test_values_without_r2_are_refused(values, words):
    with raises(words):
        hsr.basis.value_fit_r2(PHI, values)


def test_hoyer_sparsity_of_known_vectors():
    signed = [1.0, -1.0, 1.0, -1.0, 0, 0, 0, 0, 0]
    known = np.stack([np.eye(9)[0], np.full(9, 0.2), signed, np.zeros(9)], axis=1)
    # four equal entries of nine: (3 - 4/2) / (3 - 1)
    assert_allclose(hsr.basis.hoyer_sparsity(known), [1, 0, 0.5, np.nan], rtol=0, atol=1e-14)
    one_hot = hsr.OneHotBasis().fit(np.ones((5, 5)))
    assert_allclose(hsr.basis.hoyer_sparsity(one_hot), 1.0, rtol=1e-14)


def test_hoyer_sparsity_of_states_is_that_of_components_of_the_transpose():
    assert_allclose(hsr.basis.hoyer_sparsity(PHI, axis="states"), hsr.basis.hoyer_sparsity(PHI.T))
    with raises("axis is 'rows'"):
        hsr.basis.hoyer_sparsity(PHI, axis="rows")
    with raises("at least two entries"):
        hsr.basis.hoyer_sparsity([[1.0], [2.0]], axis="states")


def test_bottleneck_ratio_by_hand():
    features = np.array([[1.0, 0.0], [2.0, 2.0], [0.0, -1.0], [3.0, -3.0]])
    # bottlenecks 1 and 3: mean (2 + 2 + 3 + 3) / 4; others: (1 + 0 + 0 + 1) / 4
    for given in (features, hsr.RowBasis().fit(features)):
        ratio = hsr.basis.bottleneck_ratio(given, np.array([1, 3, 1]))
        assert ratio == pytest.approx(5.0, rel=1e-15)


@pytest.mark.parametrize(
    ("features", "bottlenecks", "words"),
    [
        (PHI, [], "names 0 of 12 states"),
        (PHI, range(12), "names 12 of 12 states"),
        (PHI, [12], r"bottlenecks\[0\] is 12"),
        (np.eye(3)[:, :1], [0], "zero at every state that is not a bottleneck"),
        (np.ones((0, 3)), [0], "at least one state"),
        (np.ones(3), [0], r"features has shape \(3,\)"),
    ],
)
def test_wrong_bottlenecks_are_named(features, bottlenecks, words):
    with raises(words):
        hsr.basis.bottleneck_ratio(features, bottlenecks)
