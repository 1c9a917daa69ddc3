"""Scales of features, and the two bases that do nothing else."""

from unittest.mock import Mock

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from hsr._base.lazy import LazyMatrix

KINDS = [hsr.SVDBasis, hsr.NMFBasis, hsr.RowBasis]
M = np.random.default_rng(4).random((9, 7)) * (np.arange(7) != 3)
SIZES = {
    "max": lambda features: np.abs(features).max(axis=0),
    "unit_columns": lambda features: np.linalg.norm(features, axis=0),
    "unit_rows": lambda features: np.linalg.norm(features, axis=1),
}
every_scale = pytest.mark.parametrize("scale", SIZES)
every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
@every_scale
def test_scaled_features_have_size_one_or_zero(kind, scale):
    size = SIZES[scale](kind(scale=scale).fit(M).features_)
    assert_allclose(size[size > 0.0], 1.0, rtol=1e-12)
    assert (size > 0.0).sum() >= 6


@every_kind
@pytest.mark.parametrize("scale", ["max", "unit_columns"])
def test_column_scales_leave_the_reconstruction_alone(kind, scale):
    plain, scaled = kind().fit(M), kind(scale=scale).fit(M)
    product = plain.features_ @ plain.components_
    assert_allclose(scaled.features_ @ scaled.components_, product, rtol=0, atol=1e-12)
    assert_allclose(scaled.features_ * scaled.scale_, plain.features_, rtol=0, atol=1e-12)
    assert (scaled.scale_ != 1.0).any()


@every_kind
def test_unit_rows_keep_the_directions_and_the_components(kind):
    plain, scaled = kind().fit(M), kind(scale="unit_rows").fit(M)
    lengths = np.linalg.norm(plain.features_, axis=1, keepdims=True)
    assert_allclose(scaled.features_ * lengths, plain.features_, rtol=0, atol=1e-12)
    assert_array_equal(scaled.components_, plain.components_)


@every_kind
@every_scale
def test_new_rows_are_scaled_like_the_features(kind, scale):
    rows = np.random.default_rng(5).random((4, 7))
    scaled = kind(scale=scale).fit(M)
    features = kind().fit(M).transform(rows)
    divisors = np.linalg.norm(features, axis=1)[:, None] if scale == "unit_rows" else scaled.scale_
    live = scaled.scale_ > 1e-9  # a singular value of zero has no direction to project on
    found, expected = scaled.transform(rows)[:, live], (features / divisors)[:, live]
    assert_allclose(found, expected, rtol=0, atol=1e-9)


@every_scale
def test_rows_of_zeros_stay_zero(scale):
    A = np.array([[0.0, 0.0], [1.0, 0.0]])
    assert_array_equal(hsr.RowBasis(scale=scale).fit(A).features_, A)


def test_rows_of_a_lazy_map_stay_lazy_until_features_are_asked_for():
    dense = Mock(side_effect=M.copy)
    lazy = LazyMatrix(M.shape, lambda x: M @ x, lambda y: M.T @ y, dense=dense)
    basis = hsr.RowBasis(scale="max").fit(lazy)
    largest = np.where(M.any(axis=0), M.max(axis=0), 1.0)
    assert_allclose(basis.transform([4, 1]), (M / largest)[[4, 1]], rtol=1e-14)
    assert not dense.called
    assert basis.features_.shape == M.shape
    assert basis.features_ is basis.features_
    dense.assert_called_once()
    assert_array_equal(basis.fit(np.eye(3)).features_, np.eye(3))


def test_one_hot_of_a_huge_map_costs_only_the_states_asked_for():
    huge = LazyMatrix((10**6, 10**6), lambda x: x, lambda y: y)
    basis = hsr.OneHotBasis().fit(huge)
    features = basis.transform([999_999])
    assert features.shape == (1, 10**6)
    assert features.sum() == features[0, -1] == 1.0


def test_one_hot_has_no_features_of_new_rows():
    with pytest.raises(hsr.InputError, match="give a list of states"):
        hsr.OneHotBasis().fit(M).transform(M)
