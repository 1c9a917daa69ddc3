"""Measures of a basis against cases worked by hand and against their definitions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression

import hsr
from hsr._base.lazy import LazyMatrix
from tests.cases import raises

RNG = np.random.default_rng(9)
PHI = RNG.random((12, 4))


@pytest.mark.parametrize("kind", [hsr.SVDBasis, hsr.NMFBasis])
def test_reconstruction_error_is_the_mean_squared_difference(kind, monkeypatch):
    M = RNG.random((12, 10))
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
    M = RNG.random((6, 6))
    assert hsr.basis.reconstruction_error(M, basis.fit(M)) == pytest.approx(0.0, abs=1e-30)


def test_reconstruction_error_refuses_what_is_not_a_reconstruction():
    M = RNG.random((5, 5))
    with raises("unit_rows"):
        hsr.basis.reconstruction_error(M, hsr.RowBasis(scale="unit_rows").fit(M))
    with raises(r"M has shape \(4, 5\); it must have shape \(5, 5\)"):
        hsr.basis.reconstruction_error(M[:4], hsr.RowBasis().fit(M))
    lazy = LazyMatrix((4, 5), lambda x: M[:4] @ x, lambda y: M[:4].T @ y)
    with raises(r"M has shape \(4, 5\); the basis was fitted"):
        hsr.basis.reconstruction_error(lazy, hsr.RowBasis().fit(M))
    for wrong in (None, M, lazy, "nmf"):
        with pytest.raises(hsr.InputError, match=r"it must be a fitted basis, such as hsr\.NMFBas"):
            hsr.basis.reconstruction_error(M, wrong)
    with pytest.raises(hsr.InputError, match=r"M is None; it must be an array of shape \(5, 5\)"):
        hsr.basis.reconstruction_error(None, hsr.RowBasis().fit(M))
    with pytest.raises(hsr.InputError, match="basis is a RowBasis that has not been fitted"):
        hsr.basis.reconstruction_error(M, hsr.RowBasis())


def test_values_in_the_span_are_fitted_exactly():
    values = (PHI @ RNG.standard_normal((4, 3))).T
    assert_allclose(hsr.basis.value_fit_r2(PHI, values), 1.0, rtol=1e-12)
    twice = np.hstack([PHI, PHI])
    assert_allclose(hsr.basis.value_fit_r2(twice, values), 1.0, rtol=1e-12)


def test_r2_by_hand():
    # one feature (1, 1, 0): the weight is the mean 2 of (3, 1), the residual 1 + 1 + 0, the
    # variance 14/3
    features = [[1.0], [1.0], [0.0]]
    assert hsr.basis.value_fit_r2(features, [3.0, 1.0, 0.0]) == pytest.approx(
        1 - 2 / (14 / 3), rel=1e-14
    )
    with_constant = hsr.basis.value_fit_r2(features, [3.0, 1.0, 0.0], intercept=True)
    assert with_constant == pytest.approx(
        LinearRegression().fit(features, [3.0, 1.0, 0.0]).score(features, [3.0, 1.0, 0.0])
    )
    both = hsr.basis.value_fit_r2(features, [[3.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    assert_allclose(both, [1 - 2 / (14 / 3), 1 - 1 / (2 / 3)], rtol=1e-14)


def test_r2_of_a_basis_is_that_of_its_features():
    M = RNG.random((12, 12))
    basis = hsr.SVDBasis(n_components=5).fit(M)
    values = RNG.random(12)
    assert hsr.basis.value_fit_r2(basis, values) == hsr.basis.value_fit_r2(basis.features_, values)


def test_a_constant_value_function_has_no_r2():
    with raises(r"values\[1\] is 0.5 at every state"):
        hsr.basis.value_fit_r2(PHI, [np.arange(12.0), np.full(12, 0.5)])
    with raises("values is 0 at every state"):
        hsr.basis.value_fit_r2(PHI, np.zeros(12))
    with raises(r"values has shape \(11,\); it must have shape \(12,\)"):
        hsr.basis.value_fit_r2(PHI, np.arange(11.0))


def test_hoyer_sparsity_of_known_vectors():
    one_hot, constant, signed = (
        np.eye(9)[0],
        np.full(9, 0.2),
        np.array([1.0, -1.0, 1.0, -1.0, 0, 0, 0, 0, 0]),
    )
    sparsity = hsr.basis.hoyer_sparsity(np.stack([one_hot, constant, signed, np.zeros(9)], axis=1))
    # four equal entries of nine: (3 - 4/2) / (3 - 1)
    assert_allclose(sparsity, [1.0, 0.0, 0.5, np.nan], rtol=0, atol=1e-14)
    assert_allclose(
        hsr.basis.hoyer_sparsity(hsr.OneHotBasis().fit(np.ones((5, 5)))), 1.0, rtol=1e-14
    )


def test_hoyer_sparsity_of_states_is_that_of_components_of_the_transpose():
    assert_allclose(hsr.basis.hoyer_sparsity(PHI, axis="states"), hsr.basis.hoyer_sparsity(PHI.T))
    with raises("axis is 'rows'"):
        hsr.basis.hoyer_sparsity(PHI, axis="rows")
    with raises("at least two entries"):
        hsr.basis.hoyer_sparsity([[1.0], [2.0]], axis="states")


def test_bottleneck_ratio_by_hand():
    features = np.array([[1.0, 0.0], [2.0, 2.0], [0.0, -1.0], [3.0, -3.0]])
    # bottlenecks 1 and 3: mean (2 + 2 + 3 + 3) / 4; others: (1 + 0 + 0 + 1) / 4
    assert hsr.basis.bottleneck_ratio(features, [1, 3]) == pytest.approx(5.0, rel=1e-15)
    assert hsr.basis.bottleneck_ratio(
        hsr.RowBasis().fit(features), np.array([1, 3, 1])
    ) == pytest.approx(5.0, rel=1e-15)
    assert hsr.basis.bottleneck_ratio(np.ones((5, 3)), [2]) == 1.0


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
