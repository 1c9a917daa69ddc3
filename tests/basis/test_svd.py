"""Singular vectors: NumPy's, best in the sense of Eckart and Young, and rotations of rows and of
one-hot features.
"""

from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse.linalg import ArpackError

import hsr
from hsr._base.lazy import LazyMatrix
from hsr.basis.svd import leading_svd
from tests.cases import raises


def ring_map(n, discount=0.9):
    """The successor representation of a random walk that drifts around a ring of n states."""
    P = 0.6 * np.roll(np.eye(n), 1, axis=1) + 0.4 * np.roll(np.eye(n), -1, axis=1)
    P[0] = np.eye(n)[n // 2]
    return np.linalg.inv(np.eye(n) - discount * P)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**31), k=st.integers(1, 5))
def test_no_other_features_reconstruct_better(seed, k):
    rng = np.random.default_rng(seed)
    M = rng.standard_normal((8, 6))
    lost = np.linalg.svd(M, compute_uv=False)[k:]
    error = hsr.basis.reconstruction_error(M, hsr.SVDBasis(n_components=k).fit(M))
    assert error == pytest.approx(np.square(lost).sum() / 48, rel=1e-10, abs=1e-14)
    other = np.linalg.qr(rng.standard_normal((8, k)))[0]
    assert error <= np.square(M - other @ (other.T @ M)).mean() + 1e-14


def test_all_singular_vectors_are_the_rows_or_one_hot_rotated():
    M = ring_map(15)
    for svd, other, close in (
        (hsr.SVDBasis(), hsr.RowBasis(), {"rtol": 1e-12}),
        (hsr.SVDBasis(scale="unit_columns"), hsr.OneHotBasis(), {"rtol": 0, "atol": 1e-12}),
    ):
        features, rotated = svd.fit(M).features_, other.fit(M).features_
        assert_allclose(features @ features.T, rotated @ rotated.T, **close)


def test_signs_follow_the_rule_whatever_the_solver_says():
    M = ring_map(12)
    U, _, _ = leading_svd(M, 12)
    for column in U.T:
        first = column[np.abs(column) > 0.5 * np.abs(column).max()][0]
        assert first > 0.0
    flipped, _, _ = leading_svd(-M, 12)
    assert_allclose(flipped, U, rtol=0, atol=1e-9)


def test_few_components_of_a_large_lazy_map_never_write_it_out():
    M = ring_map(600)
    dense = Mock(side_effect=AssertionError("the whole map was asked for"))
    lazy = LazyMatrix(M.shape, lambda x: M @ x, lambda y: M.T @ y, dense=dense)
    basis = hsr.SVDBasis(n_components=7).fit(lazy)
    U, s, Vt = np.linalg.svd(M)
    assert_allclose(basis.singular_values_, s[:7], rtol=1e-9)
    # neighbouring singular values of a ring nearly coincide, so subspaces are compared rather than
    # vectors
    best = (U[:, :7] * s[:7]) @ Vt[:7]
    assert_allclose(basis.features_ @ basis.components_, best, rtol=0, atol=1e-7)
    assert_array_equal(hsr.SVDBasis(n_components=7).fit(lazy).features_, basis.features_)


@pytest.mark.parametrize("fails", [False, True])
def test_a_map_of_low_rank_has_finite_features(fails, monkeypatch):
    if fails:  # as ARPACK does now and then, by rounding
        monkeypatch.setattr("hsr.basis.svd.svds", Mock(side_effect=ArpackError(3)))
    M = np.outer(np.arange(1.0, 701.0), np.ones(700))
    basis = hsr.SVDBasis(n_components=3).fit(M)
    assert np.isfinite(basis.features_).all()
    assert_allclose(basis.features_ @ basis.components_, M, rtol=1e-9)


@pytest.mark.parametrize("k", [4, 20])
@pytest.mark.parametrize("vectors", ["scaled_left", "left", "right"])
def test_numpys_singular_values_and_vectors_are_the_features(k, vectors):
    M = ring_map(20)
    data = M.T if vectors == "right" else M
    U, s, Vt = np.linalg.svd(data)
    factor = U[:, :k] * s[:k] if vectors == "scaled_left" else U[:, :k]
    basis = hsr.SVDBasis(k, vectors=vectors).fit(M)
    signs = np.sign(np.sum(basis.features_ * factor, axis=0))
    assert_allclose(basis.features_, factor * signs, rtol=0, atol=1e-9)
    assert_allclose(basis.singular_values_, s[:k], rtol=1e-12)
    # what is decomposed projects to the features: rows, or for right vectors columns
    assert_allclose(basis.transform(data), basis.features_, rtol=0, atol=1e-10)
    best = (U[:, :k] * s[:k]) @ Vt[:k]
    assert_allclose(basis.features_ @ basis.components_, best, rtol=0, atol=1e-12)


def test_right_vectors_are_the_left_ones_of_the_transposed_map():
    M = ring_map(20)
    right = hsr.SVDBasis(5, vectors="right").fit(M)
    left = hsr.SVDBasis(5, vectors="left").fit(M.T)
    signs = np.sign(np.sum(right.features_ * left.features_, axis=0))
    assert_allclose(right.features_, left.features_ * signs, rtol=0, atol=1e-9)
    rows = np.random.default_rng(0).random((3, 20))
    assert_allclose(right.transform(rows), left.transform(rows) * signs, rtol=0, atol=1e-9)


def test_unit_columns_of_scaled_vectors_are_the_left_vectors():
    M = ring_map(15)
    unit, left = hsr.SVDBasis(scale="unit_columns").fit(M), hsr.SVDBasis(vectors="left").fit(M)
    assert_allclose(unit.features_, left.features_, rtol=0, atol=1e-12)
    assert_allclose(unit.components_, left.components_, rtol=0, atol=1e-12)


@pytest.mark.parametrize("vectors", ["left", "right"])
def test_directions_that_a_map_lacks_project_to_zero(vectors):
    M = np.outer(np.arange(1.0, 7.0), np.ones(6))
    rows = hsr.SVDBasis(vectors=vectors).fit(M).transform(M.T if vectors == "right" else M)
    assert np.isfinite(rows).all()
    assert_allclose(rows[:, 1:], 0.0, atol=1e-12)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"vectors": "both"}, "vectors is 'both'; it must be one of 'scaled_left'"),
        ({"vectors": "right"}, r"the map has shape \(6, 4\); right singular vectors"),
        ({"n_components": 5}, r"n_components is 5; a map of shape \(6, 4\) has 4 singular vectors"),
    ],
)
def test_vectors_that_cannot_be_are_refused(settings, words):
    with raises(words):
        hsr.SVDBasis(**settings).fit(np.ones((6, 4)))


@pytest.mark.parametrize("bad", [{}, hsr.GoalTask(0, 1), len, iter([1.0])])
def test_what_is_no_map_is_refused(bad):
    with raises(f"M is of type {type(bad).__name__}; it must be a map or an array of numbers"):
        hsr.SVDBasis(1).fit(bad)


def test_a_refusal_is_one_line():
    with raises("Expected 2D array, got 1D array instead: array=") as caught:
        hsr.SVDBasis(1).fit(np.ones(3))
    assert "\n" not in str(caught.value)
