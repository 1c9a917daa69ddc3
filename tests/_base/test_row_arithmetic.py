"""Row arithmetic in fixed lanes: right, the same bits compiled or not, and indifferent to zeros at
the end.
"""

import math

import numba
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hsr._base import row_arithmetic as lanes

LENGTHS = [8, 16, 24, 104, 112]  # 1, 2, 3, 13 and 14 vectors of eight: odd and even numbers of them
SEEDS = range(5)
MIXES = [(0, 1, 0.9, 0.1), (4, 4, 0.9, 0.2), (4, 4, 0.0, 1.0), (3, 2, 0.5, 0.0)]


def called(function):
    """Return compiled code that calls a function which only compiled code can call."""

    @numba.njit
    def call(*arguments):
        return function(*arguments)

    return call


dot, four_dots = called(lanes.dot), called(lanes.four_dots)
add_row, add_row_then_dot = called(lanes.add_row), called(lanes.add_row_then_dot)
mix_row, mix_measured_row = called(lanes.mix_row), called(lanes.mix_measured_row)


def bits(values):
    """Return the bytes of numbers, which tell 0.0 from -0.0."""
    return np.asarray(values, dtype=np.float64).tobytes()


def matrices(length, seed, rows=(7, 5)):
    """Return two matrices whose entries span many magnitudes, some of them zero."""
    rng = np.random.default_rng([length, seed])
    pair = []
    for n in rows:
        X = rng.standard_normal((n, length)) * 10.0 ** rng.integers(-12, 13, (n, length))
        X[rng.random(X.shape) < 0.1] = 0.0
        pair.append(X)
    return pair


def exact_dot(x, y):
    """Return the inner product from products without error (fractions of powers of two), rounded
    once.
    """
    return math.fsum(part for a, b in zip(x, y, strict=True) for part in split_product(a, b))


def split_product(a, b):
    """Return (high, low) whose sum is a b exactly, by Dekker's algorithm."""
    high = a * b
    a_big, b_big = a * 134217729.0, b * 134217729.0
    a_top, b_top = a_big - (a_big - a), b_big - (b_big - b)
    a_rest, b_rest = a - a_top, b - b_top
    return high, ((a_top * b_top - high) + a_top * b_rest + a_rest * b_top) + a_rest * b_rest


@pytest.fixture(params=LENGTHS)
def length(request):
    return request.param


@pytest.fixture(autouse=True)
def compiled_code():
    """This file compares with compiled code."""
    assert hasattr(dot, "py_func"), "unset NUMBA_DISABLE_JIT"


def test_dot_is_the_inner_product(length):
    """The error of n products and n - 1 sums in any order is below n eps sum |x y| (Higham 2002,
    section 3.1).
    """
    for seed in SEEDS:
        X, Y = matrices(length, seed)
        for i in range(len(X)):
            for j in range(len(Y)):
                room = length * np.finfo(float).eps * math.fsum(np.abs(X[i] * Y[j]))
                assert abs(dot(X, i, Y, j) - exact_dot(X[i], Y[j])) <= room


def test_dot_finds_small_numbers_among_none(length):
    """One product at a time: a lane that is left out, or counted twice, cannot hide."""
    X = np.eye(length) * np.arange(1.0, length + 1)
    Y = np.ones((1, length))
    assert [dot(X, i, Y, 0) for i in range(length)] == list(range(1, length + 1))
    assert dot(np.full((1, length), 3.0), 0, Y, 0) == 3.0 * length


def test_dot_and_four_dots_have_the_bits_of_their_definition(length):
    for seed in SEEDS:
        X, Y = matrices(length, seed)
        for Z in (Y, X):  # of two matrices, and of one with its own rows
            products = np.array(
                [[lanes._plain_dot(X, i, Z, j) for j in range(len(Z))] for i in range(len(X))]
            )
            for j, expected in enumerate(products.T):
                assert bits([dot(X, i, Z, j) for i in range(len(X))]) == bits(expected)
                for rows in [(0, 1, 2, 3), (6, 4, 2, 0), (5, 5, 5, 5), (3, 1, 3, 1)]:
                    for four in (four_dots, lanes._plain_four_dots):
                        assert bits(four(X, *rows, Z, j)) == bits(expected[list(rows)])


def test_the_order_of_the_sum_is_the_one_that_is_written_down(length):
    """Entry i goes to lane i mod 8; lanes are added in halves. Numbers of very different size make
    every other order differ.
    """
    X, _ = matrices(length, 0)
    X[0] = 10.0 ** np.random.default_rng(length).uniform(-8, 8, length)
    ones = np.ones((1, length))
    lane = [0.0] * 8
    for i in range(length):
        lane[i % 8] += X[0, i]
    while len(lane) > 1:
        half = len(lane) // 2
        lane = [lane[k] + lane[k + half] for k in range(half)]
    assert dot(X, 0, ones, 0) == lane[0]
    assert length < 100 or lane[0] != sum(X[0])


def test_add_row_changes_one_row_and_has_the_bits_of_its_definition(length):
    """The row may come from another matrix, from another row, or be the row itself."""
    for seed in SEEDS:
        X, Y = matrices(length, seed)
        for i, j, a in [(0, 0, 0.3), (6, 4, -1e9), (3, 2, 0.0), (2, 1, 1.0), (4, 4, 0.7)]:
            for own in (False, True):
                ours, direct = X.copy(), X.copy()
                add_row(ours, i, ours if own else Y, j, a)
                direct[i] = X[i] + a * (X if own else Y)[j]
                assert bits(ours) == bits(direct)
        assert bits(Y) == bits(matrices(length, seed)[1])


def test_add_row_then_dot_is_one_after_the_other_to_the_last_bit(length):
    for seed in SEEDS:
        X, Y = matrices(length, seed)
        for i, j, a, k in [(0, 0, 0.3, 1), (6, 4, -1e9, 4), (3, 2, 0.0, 0)]:
            ours, plain, direct = X.copy(), X.copy(), X.copy()
            product = add_row_then_dot(ours, i, Y, j, a, k)
            direct[i] = direct[i] + a * Y[j]
            assert bits(product) == bits(lanes._plain_add_row_then_dot(plain, i, Y, j, a, k))
            assert bits(product) == bits(dot(direct, i, Y, k))
            assert bits(ours) == bits(plain) == bits(direct)


def test_mix_row_changes_one_row_and_has_the_bits_of_its_definition(length):
    """A state may follow itself: each entry is then mixed with its old value."""
    for seed in SEEDS:
        X, _ = matrices(length, seed)
        for i, j, g, a in [*MIXES, (6, 0, 0.5, 1.0), (3, 4, 0.0, 0.3), (2, 5, 0.9, 0.0)]:
            ours, direct = X.copy(), X.copy()
            mix_row(ours, i, j, g, a)
            direct[i] = X[i] + a * (g * X[j] - X[i])
            assert bits(ours) == bits(direct)


@pytest.mark.parametrize("squares", [False, True])
def test_mix_measured_row_mixes_and_counts_what_changed(length, squares):
    for seed in SEEDS:
        X, Y = matrices(length, seed)
        for i, j, g, a in MIXES:
            ours, mixed, sums = X.copy(), X.copy(), Y.copy()
            mix_measured_row(ours, i, j, g, a, sums, squares)
            mixed[i] = mixed[i] + a * (g * mixed[j] - mixed[i])
            assert bits(ours) == bits(mixed)
            size = np.square if squares else np.asarray
            assert bits(sums) == bits([Y[0] + (size(mixed[i]) - size(X[i])), *Y[1:]])


@pytest.mark.parametrize("squares", [False, True])
def test_sums_measured_on_the_way_stay_those_of_the_columns(squares):
    """A thousand mixes of rows of size 1: each adds a rounding error of at most a few eps to a sum
    of about 24.
    """
    rng = np.random.default_rng(0)
    X = rng.random((24, 24))
    sums = (X**2 if squares else X).sum(axis=0, keepdims=True)
    for _ in range(1000):
        mix_measured_row(X, int(rng.integers(24)), int(rng.integers(24)), 0.9, 0.3, sums, squares)
    assert_allclose(sums[0], (X**2 if squares else X).sum(axis=0), rtol=0, atol=1e-12)


@pytest.mark.parametrize("more", [8, 16, 24, 104])
def test_zeros_at_the_end_change_no_sum_and_stay_zero(length, more):
    for seed in SEEDS:
        X, Y = matrices(length, seed)
        wide_X, wide_Y = (np.concatenate([Z, np.zeros((len(Z), more))], axis=1) for Z in (X, Y))
        for i in range(len(X)):
            assert bits(dot(wide_X, i, wide_Y, 0)) == bits(dot(X, i, Y, 0))
        assert bits(four_dots(wide_X, 0, 1, 2, 3, wide_Y, 1)) == bits(
            four_dots(X, 0, 1, 2, 3, Y, 1)
        )
        for Z, V in ((wide_X, wide_Y), (X, Y)):
            add_row(Z, 0, V, 0, 0.3)
            mix_row(Z, 1, 2, 0.9, 0.1)
        assert bits(wide_X[:, :length]) == bits(X)
        assert not wide_X[:, length:].any()


def test_infinities_and_what_is_not_a_number_are_not_lost(length):
    """A run that blows up must be seen to: no lane may swallow it."""
    for place in (0, length - 1, length // 2):
        for odd_one in (np.inf, -np.inf, np.nan):
            X, Y = np.ones((4, length)), np.ones((1, length))
            X[2, place] = odd_one
            results = [
                dot(X, 2, Y, 0),
                four_dots(X, 0, 1, 2, 3, Y, 0)[2],
                lanes._plain_dot(X, 2, Y, 0),
            ]
            assert_array_equal(results, odd_one)
            add_row(X, 0, X, 2, 1.0)
            mix_row(X, 1, 2, 1.0, 1.0)
            assert_array_equal(X[:2, place], odd_one)


@pytest.mark.parametrize(
    ("n_rows", "length", "width"), [(1, 1, 8), (3, 13, 16), (12, 104, 104), (0, 8, 8), (2, 0, 0)]
)
def test_aligned_rows_are_zeros_that_begin_with_cache_lines(n_rows, length, width):
    rows = lanes.aligned_rows(n_rows, length)
    assert rows.shape == (n_rows, width)
    assert not rows.any()
    assert rows.size == 0 or rows.ctypes.data % 64 == rows[-1].ctypes.data % 64 == 0
