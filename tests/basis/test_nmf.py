"""Non-negative factorisation: scikit-learn's coordinate descent, iterate by iterate, and the
properties of its objective.
"""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import nnls
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning

import hsr
from hsr.basis.factorisation import factorise, non_negative_weights, without_negligible
from hsr.basis.start import nndsvda_start, random_start
from hsr.basis.svd import leading_svd
from hsr.kernels import hals
from tests.cases import raises
from tests.strategies import assert_refused, bad_choices, bad_counts, bad_probabilities


def corridor_map(n):
    """The mean over goals of the successor representation of walking straight to the goal, on a
    line of n states.
    """
    states = np.arange(n)
    total = np.zeros((n, n))
    for goal in range(n):
        step = np.sign(goal - states)
        P = np.zeros((n, n))
        P[states, states + step] = step != 0
        total += np.linalg.inv(np.eye(n) - 0.9 * P)
    return total / n


def sparse_map(n):
    """A map whose states are only ever near each other: 5 of n entries in each row."""
    distance = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    return np.where(distance <= 2, 0.8**distance, 0.0)


def start(X, k, seed=0):
    return random_start(X, k, np.random.default_rng(seed))


def scikit_learn(X, W, H, *, max_iter, tol=0.0, solver="cd"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        peer = NMF(W.shape[1], init="custom", solver=solver, tol=tol, max_iter=max_iter)
        W = peer.fit_transform(X, W=W.copy(), H=H.copy())
    return W, peer.components_, peer


CASES = {
    "random": lambda: (np.random.default_rng(1).random((23, 17)), 6),
    "random, one component": lambda: (np.random.default_rng(2).random((9, 12)), 1),
    "map, all components": lambda: (corridor_map(24), 24),
    "map, few components": lambda: (corridor_map(40), 5),
    "map, over-complete": lambda: (corridor_map(12), 19),
    "map, more states than a block": lambda: (corridor_map(hals.BLOCK + 7), 9),
    "sparse map": lambda: (sparse_map(60), 10),
}
SOLVERS = ["hals", "extrapolated", "multiplicative"]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("n_iter", [1, 2, 5, 50])
def test_same_iterates_as_scikit_learn(case, n_iter):
    X, k = CASES[case]()
    W, H = start(X, k)
    peer_W, peer_H, peer = scikit_learn(X, W, H, max_iter=n_iter)
    ours = hsr.NMFBasis(n_components=k, tol=0.0, max_iter=n_iter).fit(X, W=W, H=H)
    # sums are taken in another order: entries that the projection all but cancels keep absolute
    # accuracy only
    assert_allclose(ours.features_, peer_W, rtol=1e-8, atol=1e-10 * peer_W.max())
    assert_allclose(ours.components_, peer_H, rtol=1e-8, atol=1e-10 * peer_H.max())
    assert ours.reconstruction_err_ == pytest.approx(peer.reconstruction_err_, rel=1e-8, abs=1e-10)


@pytest.mark.parametrize(
    ("solver", "peer_solver", "tol"), [("hals", "cd", 1e-3), ("multiplicative", "mu", 1e-4)]
)
@pytest.mark.parametrize("case", ["random", "map, few components"])
def test_same_stopping_rule_as_scikit_learn(case, solver, peer_solver, tol):
    X, k = CASES[case]()
    W, H = start(X, k)
    _, _, peer = scikit_learn(X, W, H, max_iter=2000, tol=tol, solver=peer_solver)
    ours = hsr.NMFBasis(k, tol=tol, solver=solver).fit(X, W=W, H=H)
    assert 3 < peer.n_iter_ < 2000
    assert ours.n_iter_ == peer.n_iter_
    assert ours.converged_
    assert not ours.set_params(max_iter=peer.n_iter_ - 1).fit(X, W=W, H=H).converged_


def test_sparse_and_dense_products_give_the_same_iterates(monkeypatch):
    X = sparse_map(60)
    assert np.count_nonzero(X) < 0.12 * X.size
    W, H = start(X, 10)
    by_sparse = factorise(X, W, H, tol=0.0, max_iter=30)
    monkeypatch.setattr("hsr.basis.factorisation._SPARSE_BELOW", 0.0)
    by_dense = factorise(X, W, H, tol=0.0, max_iter=30)
    assert_allclose(by_sparse.W, by_dense.W, rtol=1e-10, atol=1e-12)
    assert_allclose(by_sparse.H, by_dense.H, rtol=1e-10, atol=1e-12)


def test_compiled_and_plain_kernels_give_the_same_bits(monkeypatch):
    names = ("add_tile", "step_row", "_sweep")
    plainly = {name: getattr(kernel := getattr(hals, name), "py_func", kernel) for name in names}
    rng = np.random.default_rng(5)
    other = rng.random((8, 20))
    gram = other @ other.T
    gram[5] = gram[:, 5] = 0.0
    cross = 4.0 * rng.random((8, hals.BLOCK + 9))
    cross[5] = 0.0
    compiled = rng.random(cross.shape)
    plain = compiled.copy()
    for _ in range(2):
        violation = hals.sweep(compiled, cross, gram)
        with monkeypatch.context() as patch:
            for name, function in plainly.items():
                patch.setattr(hals, name, function)
            assert violation == hals.sweep(plain, cross, gram)
        assert violation > 0.0
    assert_array_equal(compiled, plain)


@pytest.mark.parametrize("solver", SOLVERS)
@settings(max_examples=25, deadline=None)
@given(
    shape=st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 12)),
    zeros=st.floats(0.0, 0.9),
    seed=st.integers(0, 2**31),
)
def test_the_objective_never_rises_and_is_the_error_of_what_is_returned(solver, shape, zeros, seed):
    n, m, k = shape
    rng = np.random.default_rng(seed)
    X = rng.random((n, m)) * (rng.random((n, m)) >= zeros)
    W, H = start(X, k, seed)
    before = 0.5 * np.square(X - W @ H).sum()
    ours = hsr.NMFBasis(k, solver=solver, tol=0.0, max_iter=40).fit(X, W=W, H=H)
    # the objective is a difference of numbers of the size of ||X||^2
    rounding = 1e-13 * (np.square(X).sum() + before + 1.0)
    assert np.diff([before, *ours.objective_]).max() <= rounding
    assert ours.features_.min() >= 0.0
    assert ours.components_.min() >= 0.0
    error = 0.5 * np.square(X - ours.features_ @ ours.components_).sum()
    assert_allclose(ours.objective_[-1], error, rtol=1e-9, atol=rounding)


@pytest.mark.parametrize(("solver", "n_iter"), [("hals", 1), ("multiplicative", 10)])
def test_a_map_of_zeros_is_its_own_factorisation(solver, n_iter):
    basis = hsr.NMFBasis(n_components=2, solver=solver).fit(np.zeros((4, 3)))
    assert_array_equal(basis.features_ @ basis.components_, np.zeros((4, 3)))
    assert basis.converged_
    assert basis.n_iter_ == n_iter


def test_exact_factors_of_a_small_map_are_found():
    M = np.kron(np.eye(3), np.outer([1.0, 2.0], [3.0, 1.0]))
    basis = hsr.NMFBasis(n_components=3, tol=1e-12, max_iter=5000).fit(M)
    assert basis.reconstruction_err_ < 1e-6
    assert_array_equal((basis.features_ > 1e-5).sum(axis=0), [2, 2, 2])


def test_new_rows_are_projected_by_non_negative_least_squares():
    rng = np.random.default_rng(6)
    H, rows = rng.random((4, 9)), rng.random((5, 9))
    expected = np.array([nnls(H.T, row)[0] for row in rows])
    assert (expected == 0.0).any()
    weights = non_negative_weights(rows, H, tol=1e-14, max_iter=10**5)
    assert_allclose(weights, expected, rtol=0, atol=1e-9)


def test_nndsvda_start_agrees_with_its_definition():
    X = np.random.default_rng(11).random((11, 9)) ** 3
    W, H = nndsvda_start(X, 6, np.random.default_rng(0))
    U, s, Vt = leading_svd(X, 6)
    assert_allclose(W[:, 0], np.sqrt(s[0]) * np.abs(U[:, 0]), rtol=1e-10)
    chosen = []
    for j in range(1, 6):
        left, right = np.outer([1.0, -1.0], U[:, j]), np.outer([1.0, -1.0], Vt[j])
        parts = [np.outer(u, v) for u, v in zip(left.clip(0.0), right.clip(0.0), strict=True)]
        chosen.append(int(np.linalg.norm(parts[1]) > np.linalg.norm(parts[0])))
        part = parts[chosen[-1]]
        inside, rows, columns = part > 1e-3, part.any(axis=1), part.any(axis=0)
        assert_allclose(np.outer(W[:, j], H[j])[inside], s[j] * part[inside], rtol=1e-8)
        norms = np.linalg.norm(W[rows, j]), np.linalg.norm(H[j, columns])
        assert_allclose(*norms, rtol=1e-8)
        assert_allclose(W[~rows, j], X.mean(), rtol=1e-12)
    assert set(chosen) == {0, 1}


def test_a_triplet_without_a_positive_part_starts_at_the_mean(monkeypatch):
    X = np.diag([2.0, 0.0])
    triplets = np.eye(2), np.array([2.0, 0.0]), np.diag([1.0, -1.0])
    monkeypatch.setattr("hsr.basis.start.leading_svd", lambda X, k: triplets)
    W, H = nndsvda_start(X, 2, np.random.default_rng(0))
    assert_array_equal(W[:, 1], [0.5, 0.5])
    assert_array_equal(H[1], [0.5, 0.5])


def test_over_complete_starts_add_seeded_components_to_nndsvda():
    X = corridor_map(6)
    W, H = nndsvda_start(X, 9, np.random.default_rng(7))
    fewer, _ = nndsvda_start(X, 6, np.random.default_rng(7))
    assert_allclose(W[:, :6], fewer)
    assert W.shape == (6, 9)
    assert H.shape == (9, 6)
    assert_array_equal(W, nndsvda_start(X, 9, np.random.default_rng(7))[0])
    assert (W[:, 6:] != nndsvda_start(X, 9, np.random.default_rng(8))[0][:, 6:]).all()


def test_negligible_entries_are_dropped_and_change_nothing():
    X = sparse_map(20) + 0.05
    tiny = X.copy()
    tiny[3, 17] = 1e-310
    X[3, 17] = 0.0
    assert without_negligible(X) is X
    assert_array_equal(without_negligible(tiny), X)
    W, H = start(X, 4)
    assert_array_equal(*(factorise(given, W, H, tol=0.0, max_iter=9).W for given in (tiny, X)))


def test_factors_hold_no_denormal_numbers():
    basis = hsr.NMFBasis(tol=0.0, max_iter=300).fit(corridor_map(30))
    for factor in (basis.features_, basis.components_):
        assert not ((factor > 0.0) & (factor < np.finfo(float).tiny)).any()


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("solver", bad_choices(SOLVERS)),
        ("parts", bad_choices(["as_given", "norms_in_features"])),
        ("init", bad_choices(["nndsvda", "random"])),
        ("scale", bad_choices(["none", "max", "unit_columns", "unit_rows"])),
        ("tol", bad_probabilities(high=None)),
        ("max_iter", bad_counts()),
        ("n_components", bad_counts()),
    ],
)
def test_wrong_settings_are_refused_before_the_map_is_read(name, bad):
    assert_refused(lambda **setting: hsr.NMFBasis(**setting).fit("not a map"), name, bad)


@pytest.mark.parametrize(
    ("entry", "words"),
    [(-0.25, "-0.25; Negative values"), (1e200, r"1e\+200; entries must stay below 1e140")],
)
def test_negative_and_overflowing_entries_are_named(entry, words):
    X = np.ones((3, 3))
    X[2, 1] = entry
    with raises(rf"M\[2, 1\] is {words}"):
        hsr.NMFBasis().fit(X)


@pytest.mark.parametrize(
    ("W", "H", "words"),
    [
        (np.ones((3, 2)), None, "only one of W and H is given"),
        (np.ones((3, 3)), np.ones((2, 3)), r"W has shape \(3, 3\); it must have shape \(3, 2\)"),
        (np.ones((3, 2)), np.ones((3, 2)), r"H has shape \(3, 2\); it must have shape \(2, 3\)"),
        (np.ones((3, 2)), -np.ones((2, 3)), "H has an entry -1; a start must not be negative"),
    ],
)
def test_wrong_starts_are_named(W, H, words):
    with raises(words):
        hsr.NMFBasis(n_components=2).fit(np.ones((3, 3)), W=W, H=H)


@pytest.mark.parametrize(
    "case",
    ["random", "map, few components", "map, all components", "map, over-complete", "sparse map"],
)
def test_extrapolation_ends_at_a_stationary_point_no_worse_than_plain_steps(case):
    """At a stationary point both gradients are zero where the factor is positive, and not negative
    where it is zero.
    """
    X, k = CASES[case]()
    W, H = start(X, k)
    plain = hsr.NMFBasis(k, tol=1e-6, max_iter=5000).fit(X, W=W, H=H)
    fast = hsr.NMFBasis(k, solver="extrapolated", tol=1e-6, max_iter=5000).fit(X, W=W, H=H)
    W, H = fast.features_, fast.components_
    for factor, gradient in ((W, (W @ H - X) @ H.T), (H, W.T @ (W @ H - X))):
        assert factor.min() >= 0.0
        slope = np.where(factor > 0.0, np.abs(gradient), np.maximum(-gradient, 0.0))
        assert slope.max() <= 1e-5 * np.linalg.norm(X)
    assert fast.converged_
    # Another minimum may be reached: on the random matrix it is worse by 0.0007 of the matrix's
    # size, elsewhere not worse.
    assert fast.reconstruction_err_ <= plain.reconstruction_err_ + 0.002 * np.linalg.norm(X)


def test_extrapolation_needs_fewer_iterations_for_the_error_of_plain_steps():
    X, k = CASES["map, all components"]()
    W, H = start(X, k)
    plain = hsr.NMFBasis(k, tol=0.0, max_iter=400).fit(X, W=W, H=H).objective_
    fast = hsr.NMFBasis(k, solver="extrapolated", tol=0.0, max_iter=400).fit(X, W=W, H=H).objective_
    assert np.argmax(fast <= plain[-1]) < 200
    assert fast[-1] < plain[-1]


# Multiplicative updates


def plain_multiplicative(X, W, H, n_iter):
    """Lee and Seung's rules, one entry at a time; entries that vanish stay zero."""
    W, H = W.copy(), H.copy()
    for _ in range(n_iter):
        numerator, denominator = X @ H.T, W @ H @ H.T
        for i, k in np.ndindex(W.shape):
            W[i, k] *= numerator[i, k] / denominator[i, k] if denominator[i, k] else 0.0
        numerator, denominator = W.T @ X, W.T @ W @ H
        for k, j in np.ndindex(H.shape):
            H[k, j] *= numerator[k, j] / denominator[k, j] if denominator[k, j] else 0.0
    return W, H


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("n_iter", [1, 2, 25])
def test_multiplicative_updates_are_those_of_lee_and_seung_and_of_scikit_learn(case, n_iter):
    X, k = CASES[case]()
    W, H = start(X, k)
    ours = hsr.NMFBasis(k, solver="multiplicative", tol=0.0, max_iter=n_iter).fit(X, W=W, H=H)
    peer_W, peer_H, _ = scikit_learn(X, W, H, max_iter=n_iter, solver="mu")
    for expected_W, expected_H in ((peer_W, peer_H), plain_multiplicative(X, W, H, n_iter)):
        assert_allclose(ours.features_, expected_W, rtol=1e-8, atol=1e-10 * expected_W.max())
        assert_allclose(ours.components_, expected_H, rtol=1e-8, atol=1e-10 * expected_H.max())
    assert ours.n_iter_ == n_iter


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_start_is_not_changed_and_gives_the_same_factors_every_time(solver):
    X, k = CASES["map, few components"]()
    W, H = start(X, k)
    before = W.copy(), H.copy()
    first, second = (hsr.NMFBasis(k, solver=solver, max_iter=30).fit(X, W=W, H=H) for _ in range(2))
    assert_array_equal(W, before[0])
    assert_array_equal(H, before[1])
    assert_array_equal(first.features_, second.features_)


# Norms of the parts


@pytest.mark.parametrize("solver", ["hals", "multiplicative"])
@pytest.mark.parametrize("scale", ["none", "max"])
def test_norms_of_the_components_move_into_the_features(solver, scale):
    X, k = CASES["map, few components"]()
    how = {"solver": solver, "max_iter": 200}
    plain = hsr.NMFBasis(k, **how).fit(X)
    moved = hsr.NMFBasis(k, scale=scale, parts="norms_in_features", **how).fit(X)
    features, components = moved.features_ * moved.scale_, moved.components_ / moved.scale_[:, None]
    norms = np.linalg.norm(plain.components_, axis=1)
    assert_allclose(features, plain.features_ * norms, rtol=1e-12)
    assert_allclose(components * norms[:, None], plain.components_, rtol=1e-11, atol=1e-14)
    assert moved.reconstruction_err_ == plain.reconstruction_err_
    product = plain.features_ @ plain.components_
    assert_allclose(moved.transform(product) * moved.scale_ @ components, product, atol=1e-3)


def test_a_part_that_plays_no_role_has_no_feature():
    X = np.outer([1.0, 2.0], [3.0, 1.0])
    W, H = np.array([[1.0, 1.0], [2.0, 1.0]]), np.array([[3.0, 1.0], [0.0, 0.0]])
    how = {"solver": "multiplicative", "max_iter": 1, "parts": "norms_in_features"}
    basis = hsr.NMFBasis(2, **how).fit(X, W=W, H=H)
    assert_array_equal(basis.features_[:, 1], 0.0)
    assert_allclose(basis.features_ @ basis.components_, X, rtol=1e-12)


def test_several_draws_of_the_random_start_are_chosen_by_the_specification():
    X = corridor_map(8)

    def features(**fields):
        spec = hsr.basis.BasisSpec("nmf", n_components=3, start="random", **fields)
        return spec.build(X).features_

    assert_array_equal(features(), features(seed=0))
    assert (features(seed=1) != features(seed=2)).any()
    by_hand = hsr.NMFBasis(3, init="random", solver="multiplicative", random_state=4)
    assert_array_equal(features(seed=4, solver="multiplicative"), by_hand.fit(X).features_)


def test_rounding_does_not_choose_between_equal_parts_of_a_symmetric_map():
    # the second singular vector of a corridor is as large to the left as to the right
    M = hsr.successor_representation(hsr.grid_mdp(hsr.GridLayout.from_text("." * 12))).toarray()
    rng = np.random.default_rng(0)
    for _ in range(6):
        noisy = M * (1.0 + 1e-15 * rng.standard_normal(M.shape))
        basis = hsr.NMFBasis(n_components=4, max_iter=1).fit(noisy)
        assert_allclose(basis.features_, hsr.NMFBasis(4, max_iter=1).fit(M).features_, rtol=1e-9)
