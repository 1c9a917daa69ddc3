"""Bases of large lazy maps: as good as those of all entries, which are never computed."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import subspace_angles

import hsr
from hsr._base.lazy import LazyMatrix
from hsr.basis.compression import CompressedMap, compress
from tests.cases import raises

K = 8


@pytest.fixture(scope="module")
def expected():
    """The expected SR of 301 states in nine rooms, lazy and as an array."""
    mdp = hsr.grid_mdp(hsr.room_grid(3, 6), discount=0.9)
    M = hsr.expected_sr(mdp, hsr.goal_tasks(mdp))
    return M, M.toarray()


@pytest.fixture
def as_if_large(monkeypatch):
    """Let every lazy map count as large, and refuse to write one out."""
    monkeypatch.setattr("hsr.basis.compression.LARGE_BYTES", 0)
    monkeypatch.setattr("hsr.basis.svd._ITERATIVE_FROM", 0)
    monkeypatch.setattr(LazyMatrix, "toarray", lambda _: pytest.fail("a large map was written out"))


def lazy(array):
    M = LazyMatrix(array.shape, lambda x: array @ x, lambda y: array.T @ y)
    M.streamed = True
    return M


def never_multiplied(n):
    M = LazyMatrix((n, n), *[lambda _: pytest.fail("a product was computed")] * 2)
    M.streamed = True
    return M


def test_singular_vectors_of_a_large_map_are_those_of_its_entries(expected, as_if_large):
    M, entries = expected
    U, s, _ = np.linalg.svd(entries)
    basis = hsr.SVDBasis(K, vectors="left").fit(M)
    error = np.linalg.norm(entries - basis.features_ @ basis.components_)
    best = np.sqrt(np.square(s[K:]).sum())
    assert best > 0.5 * np.linalg.norm(entries)  # so that being close to it says something
    # Blocks are added until the gain is below 1e-4. Each makes the excess a hundred times smaller.
    assert 1.0 - 1e-12 <= error / best <= 1.0 + 1e-6
    assert_allclose(basis.singular_values_, s[:K], rtol=1e-6)
    assert np.degrees(subspace_angles(U[:, :K], basis.features_)).max() < 0.5


@pytest.mark.parametrize("solver", ["hals", "extrapolated", "multiplicative"])
def test_parts_of_a_large_map_have_the_error_of_those_of_its_entries(expected, as_if_large, solver):
    M, entries = expected
    how = {"solver": solver, "max_iter": 300}
    ours, whole = (hsr.NMFBasis(K, **how).fit(X) for X in (M, entries))
    error = np.linalg.norm(entries - ours.features_ @ ours.components_)
    assert ours.features_.min() >= 0.0
    assert ours.components_.min() >= 0.0
    assert error <= 1.001 * whole.reconstruction_err_
    # 16 random vectors along the rest of the map, whose singular values are nearly equal
    assert_allclose(ours.reconstruction_err_, error, rtol=0.02)
    assert_allclose(np.sqrt(2.0 * ours.objective_[-1]), error, rtol=0.02)
    assert ours.mdp_fingerprint_ == M.mdp_fingerprint
    # The last step solved for H with exact products, so that it is the best H for this W.
    H, slope = ours.components_, ours.features_.T @ (ours.features_ @ ours.components_ - entries)
    assert np.where(H > 0.0, np.abs(slope), -slope).max() <= 1e-4 * np.linalg.norm(entries)


@pytest.mark.parametrize("kind", [hsr.SVDBasis, hsr.NMFBasis])
def test_a_large_map_has_the_same_basis_every_time(expected, as_if_large, kind):
    first, second = (kind(3).fit(lazy(expected[1])) for _ in range(2))
    assert_array_equal(first.features_, second.features_)


def test_a_start_of_ones_own_is_used_for_a_large_map(expected, as_if_large):
    M, entries = expected
    whole = hsr.NMFBasis(K, init="random", random_state=3).fit(entries)
    ours = hsr.NMFBasis(K, max_iter=2).fit(M, W=whole.features_, H=whole.components_)
    assert_allclose(ours.features_, whole.features_, rtol=0, atol=0.02 * whole.features_.max())


def test_products_are_few_and_take_many_vectors_at_once(expected):
    _, entries = expected
    widths = []

    def count(array, block):
        widths.append(block.shape[1])
        return array @ block

    M = LazyMatrix(entries.shape, lambda x: count(entries, x), lambda y: count(entries.T, y))
    compress(M, K)
    assert set(widths) == {K + 10}
    assert len(widths) <= 12


def test_a_map_of_low_rank_is_compressed_without_loss():
    rng = np.random.default_rng(0)
    M = rng.random((90, 4)) @ rng.random((4, 70))
    found = compress(lazy(M), 6)
    assert_allclose((found.U * found.s) @ found.Vt, M, rtol=1e-10)
    n = found.s.size
    assert_allclose(found.U.T @ found.U, np.eye(n), rtol=0, atol=1e-12)
    assert_allclose(found.Vt @ found.Vt.T, np.eye(n), rtol=0, atol=1e-12)
    assert_allclose(found.mean(), M.mean(), rtol=1e-12)
    assert_allclose(found.squared_size, np.vdot(M, M), rtol=1e-12)


def test_products_of_a_compressed_map():
    rng = np.random.default_rng(1)
    U, Vt = np.linalg.qr(rng.random((7, 3)))[0], np.linalg.qr(rng.random((5, 3)))[0].T
    compressed = CompressedMap(U, np.array([3.0, 2.0, 1.0]), Vt)
    M = (U * compressed.s) @ Vt
    A, B = rng.random((2, 7)), rng.random((2, 5))
    left, right = np.empty((2, 5)), np.empty((2, 7))
    compressed.left_product(A, left)
    compressed.right_product(B, right)
    assert_allclose(left, A @ M, rtol=1e-12)
    assert_allclose(right, B @ M.T, rtol=1e-12)


def test_a_map_over_tasks_is_written_out_if_it_is_not_large(expected, monkeypatch):
    """All entries cost less than the many single products of Lanczos iterations."""
    _, entries = expected
    monkeypatch.setattr("hsr.basis.svd._ITERATIVE_FROM", 0)
    monkeypatch.setattr("hsr.basis.svd.compress", lambda M, k: pytest.fail("compressed"))
    known = never_multiplied(len(entries))
    known._dense = entries.copy
    values = hsr.SVDBasis(K).fit(known).singular_values_
    assert_allclose(values, np.linalg.svd(entries, compute_uv=False)[:K], rtol=1e-10)


def test_maps_over_tasks_say_so():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("..."), discount=0.5)
    assert not hsr.successor_representation(mdp).streamed
    for M in (hsr.expected_sr(mdp), hsr.expected_sr(mdp, goals=2)):
        assert M.streamed
        assert M.T.streamed
        assert M.scaled("discount").streamed
        assert not M.scaled("largest").streamed  # its entries are kept


@pytest.mark.parametrize("kind", [hsr.SVDBasis, hsr.NMFBasis])
def test_a_map_that_would_not_fit_is_not_written_out(kind):
    with pytest.raises(hsr.toolkit.TooLargeError, match=r"the dense array of shape \(10000000, "):
        kind().fit(never_multiplied(10_000_000))


def test_a_negative_map_is_refused(as_if_large):
    M = np.eye(40) - 0.9 * np.roll(np.eye(40), 1, axis=0)
    with raises("a product of the map with non-negative numbers has an entry -"):
        hsr.NMFBasis(4).fit(lazy(M))


@pytest.mark.parametrize("kind", [hsr.SVDBasis, hsr.NMFBasis])
def test_a_map_with_entries_that_are_not_finite_is_refused(as_if_large, kind):
    M = np.eye(40)
    M[3, 5] = np.nan
    with raises("a product with the map is not finite"):
        kind(4).fit(lazy(M))


def test_a_wrong_start_is_refused_before_any_product():
    with raises("only one of W and H is given"):
        hsr.NMFBasis(2).fit(never_multiplied(50_000), W=np.ones((50_000, 2)))
