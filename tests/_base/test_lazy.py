"""`LazyMatrix`: the answers of the array it stands for, asked for in every way, and no array that
was not asked for.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from hsr._base import lazy
from hsr._base.lazy import LazyMatrix
from tests.cases import raises
from tests.strategies import assert_refused, bad_indices

ONE_MILLION = 10**6


def lazy_twin(A, dense=None):
    return LazyMatrix(A.shape, lambda x: A @ x, lambda y: A.T @ y, dense)


def an_array(n, m):
    return np.random.default_rng(n * 100 + m).standard_normal((n, m))


def diagonal_of(n):
    """Return the lazy diag(1, ..., n), which never has more than the vectors it is given."""
    d = np.arange(1.0, n + 1.0)[:, None]
    return LazyMatrix((n, n), lambda x: d * x, lambda y: d * y)


@given(st.integers(1, 6), st.integers(1, 6), st.data())
def test_a_lazy_matrix_answers_like_its_array(n, m, data):
    A = an_array(n, m)
    M = lazy_twin(A)
    rows = data.draw(st.lists(st.integers(0, n - 1), max_size=5))
    columns = data.draw(st.lists(st.integers(0, m - 1), max_size=5))
    x, X = an_array(m, 1)[:, 0], an_array(m, 3)
    y, Y = an_array(n, 1)[:, 0], an_array(4, n)
    assert (M.shape, M.ndim, M.dtype) == ((n, m), 2, np.float64)
    assert M.rows(rows).shape == (len(rows), m)
    for ours, expected in (
        (M.rows(rows), A[rows, :].reshape(-1, m)),
        (M.rows(np.uint8(n - 1)), A[n - 1]),
        (M.columns(columns), A[:, columns].reshape(n, -1)),
        (M.columns(np.array(m - 1)), A[:, m - 1]),
        (M @ x, A @ x),
        (M @ x.tolist(), A @ x),
        (M @ X, A @ X),
        (M @ lazy_twin(X), A @ X),
        (y @ M, y @ A),
        (y.tolist() @ M, y @ A),
        (Y @ M, Y @ A),
        (M.toarray(), A),
        (np.asarray(M), A),
        (M.T.toarray(), A.T),
        (M.T.T.toarray(), A),
        (M.T.rows(columns), A.T[columns, :].reshape(-1, n)),
        (M.T @ y, A.T @ y),
        (x @ M.T, A @ x),
    ):
        assert ours.shape == expected.shape
        assert_allclose(ours, expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("block_bytes", [1, 100])
def test_the_whole_array_is_the_same_whatever_the_block(block_bytes, monkeypatch):
    monkeypatch.setattr(lazy, "_BLOCK_BYTES", block_bytes)
    A = an_array(7, 5)
    assert_allclose(lazy_twin(A).toarray(), A, rtol=1e-15)


def test_no_states_give_no_rows_and_no_columns():
    M = hsr.MarkovChain([[0.5, 0.5], [0.25, 0.75]]).occupancy(0.9)
    shapes = [x.shape for x in (M.rows([]), M.columns([]), M @ np.zeros((2, 0)))]
    assert shapes == [(0, 2), (2, 0), (2, 0)]


def test_a_faster_way_to_the_whole_array_is_used_when_there_is_one():
    A = an_array(3, 3)
    M = lazy_twin(A, dense=lambda: A + 1.0)
    for whole in (M.toarray(), np.asarray(M)):
        assert_array_equal(whole, A + 1.0)


def test_states_that_do_not_exist_are_refused():
    M = lazy_twin(an_array(4, 5))
    for ask, size in ((M.rows, 4), (M.columns, 5), (M.T.rows, 5)):
        assert_refused(lambda ask=ask, **bad: ask(**bad), "states", bad_indices(size))
        for states in ([0, 3, 7], [True, False, True, False], [[0, 1]]):
            with raises("states"):
                ask(states)


WRONG = (np.ones(3), np.ones((4, 4, 4)), 2.0, np.array([1j, 1, 1, 1]), np.ones((2, 3)))


@pytest.mark.parametrize("x", WRONG, ids=np.shape)
def test_products_that_do_not_exist_are_refused(x):
    M = lazy_twin(an_array(4, 4))
    for product in (lambda: M @ x, lambda: x @ M):
        with raises("hand side of @"):
            product()


def test_an_array_times_a_lazy_matrix_stays_lazy():
    def never():
        raise AssertionError("the dense array was made")

    A = an_array(3, 4)
    M = lazy_twin(A, dense=never)
    assert_allclose(np.ones(3) @ M, A.sum(axis=0), rtol=1e-13)
    assert_allclose(np.ones((2, 3)) @ M, np.ones((2, 3)) @ A, rtol=1e-13)


@pytest.mark.parametrize(
    "ask",
    [lambda M: M.toarray(), np.asarray, lambda M: M.T.toarray()],
    ids=["toarray", "asarray", "T"],
)
def test_a_million_states_are_no_matter_until_the_whole_array_is_asked_for(ask, monkeypatch):
    M = diagonal_of(ONE_MILLION)
    assert M.rows(ONE_MILLION - 1)[-1] == ONE_MILLION
    assert M.columns([0, 5])[5].tolist() == [0.0, 6.0]
    assert (M @ np.ones(ONE_MILLION))[41] == (np.ones(ONE_MILLION) @ M)[41] == 42.0
    monkeypatch.setattr(lazy.np, "empty", lambda *_, **__: pytest.fail("memory was asked for"))
    with pytest.raises(hsr.toolkit.TooLargeError, match=r"8,000,000,000,000 bytes") as caught:
        ask(M)
    assert isinstance(caught.value, hsr.HSRError)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, MemoryError)
    assert ".rows(states), .columns(states) or @" in str(caught.value)


@pytest.mark.parametrize("ask", ["rows", "columns"])
def test_too_many_rows_or_columns_are_refused_before_they_are_made(ask, monkeypatch):
    monkeypatch.setattr(lazy, "unit_vectors", lambda *_: pytest.fail("memory was asked for"))
    with pytest.raises(
        hsr.toolkit.TooLargeError,
        match=rf"1000000 {ask} needs 8,000,000,000,000 bytes.*fewer {ask} at a time",
    ):
        getattr(diagonal_of(ONE_MILLION), ask)(np.arange(ONE_MILLION))


def test_numpy_reads_a_lazy_matrix_and_gets_a_copy_of_its_own():
    A = an_array(3, 2)
    M = lazy_twin(A)
    assert np.array(M, dtype=np.float32).dtype == np.float32
    assert_allclose(np.array(M, copy=True), A, rtol=1e-15)
    first = np.asarray(M)
    first[:] = 0.0
    assert_allclose(np.asarray(M), A, rtol=1e-15)
    with pytest.raises(ValueError, match="copy"):
        np.asarray(M, copy=False)


def test_arguments_are_left_as_they_were():
    M = hsr.MarkovChain([[0.0, 1.0], [0.0, 1.0]]).occupancy(0.5)
    for argument in (np.array([1.0, 2.0]), np.array([[1.0, 2.0], [3.0, 4.0]])):
        kept = argument.copy()
        assert_array_equal(M @ argument, M @ kept)
        assert_array_equal(argument, kept)
