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
from tests.cases import cases

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
    close = {"rtol": 1e-13, "atol": 1e-13}
    rows = data.draw(st.lists(st.integers(0, n - 1), max_size=5))
    columns = data.draw(st.lists(st.integers(0, m - 1), max_size=5))
    x, X = an_array(m, 1)[:, 0], an_array(m, 3)
    y, Y = an_array(n, 1)[:, 0], an_array(4, n)
    assert (M.shape, M.ndim, M.dtype) == ((n, m), 2, np.float64)
    assert_allclose(M.rows(rows), A[rows, :].reshape(-1, m), **close)
    assert_allclose(M.columns(columns), A[:, columns].reshape(n, -1), **close)
    assert_allclose(M @ x, A @ x, **close)
    assert_allclose(M @ X, A @ X, **close)
    assert_allclose(y @ M, y @ A, **close)
    assert_allclose(Y @ M, Y @ A, **close)
    assert_allclose(M.toarray(), A, **close)
    assert_allclose(np.asarray(M), A, **close)
    assert_allclose(M.T.toarray(), A.T, **close)
    assert_allclose(M.T.T.toarray(), A, **close)
    assert_allclose(M.T.rows(columns), A.T[columns, :].reshape(-1, n), **close)
    assert_allclose(M.T @ y, A.T @ y, **close)
    assert_allclose(x @ M.T, A @ x, **close)


def test_one_integer_gives_one_vector():
    A = an_array(4, 3)
    M = lazy_twin(A)
    for state in (2, np.int64(2), np.uint8(2), np.array(2)):
        assert M.rows(state).shape == (3,)
        assert M.columns(state).shape == (4,)
        assert_allclose(M.rows(state), A[2], rtol=1e-15)
        assert_allclose(M.columns(state), A[:, 2], rtol=1e-15)


def test_no_states_give_no_rows_and_no_columns():
    M = hsr.MarkovChain([[0.5, 0.5], [0.25, 0.75]]).occupancy(0.9)
    assert M.rows([]).shape == (0, 2)
    assert M.columns([]).shape == (2, 0)
    assert (M @ np.zeros((2, 0))).shape == (2, 0)


def test_lists_are_vectors_too():
    A = an_array(2, 2)
    assert_allclose(lazy_twin(A) @ [1, 2], A @ [1, 2], rtol=1e-15)
    assert_allclose([1, 2] @ lazy_twin(A), [1, 2] @ A, rtol=1e-15)


def test_two_lazy_matrices_multiply():
    A, B = an_array(3, 4), an_array(4, 2)
    assert_allclose(lazy_twin(A) @ lazy_twin(B), A @ B, rtol=1e-13)


@pytest.mark.parametrize("block_bytes", [1, 100, 10**6])
def test_the_whole_array_is_the_same_whatever_the_block(block_bytes, monkeypatch):
    monkeypatch.setattr(lazy, "_BLOCK_BYTES", block_bytes)
    A = an_array(7, 5)
    assert_allclose(lazy_twin(A).toarray(), A, rtol=1e-15)


def test_a_faster_way_to_the_whole_array_is_used_when_there_is_one():
    A = an_array(3, 3)
    M = lazy_twin(A, dense=lambda: A + 1.0)
    assert_array_equal(M.toarray(), A + 1.0)
    assert_array_equal(np.asarray(M), A + 1.0)


@pytest.mark.parametrize(
    ("states", "says"),
    [
        (-1, r"states\[0\] is -1; it must lie in 0\.\.3"),
        ([0, 3, 7], r"states\[2\] is 7; it must lie in 0\.\.3"),
        (1.0, "integers"),
        ([True, False, True, False], "integers"),
        ([[0, 1]], r"shape \(1, 2\)"),
    ],
    ids=repr,
)
def test_states_that_do_not_exist_are_refused(states, says):
    M = lazy_twin(an_array(4, 4))
    for ask in (M.rows, M.columns, M.T.rows):
        with pytest.raises(hsr.InputError, match=says):
            ask(states)


def test_rows_and_columns_are_counted_apart():
    M = lazy_twin(an_array(2, 5))
    assert M.columns(4).shape == (2,)
    with pytest.raises(hsr.InputError, match=r"0\.\.1"):
        M.rows(4)
    assert M.T.rows(4).shape == (2,)


@cases(
    "product",
    {
        "short": lambda M: M @ np.ones(3),
        "deep": lambda M: M @ np.ones((4, 4, 4)),
        "scalar": lambda M: M @ 2.0,
        "complex": lambda M: M @ np.array([1j, 1, 1, 1]),
        "short left": lambda M: np.ones(3) @ M,
        "narrow left": lambda M: np.ones((2, 3)) @ M,
    },
)
def test_products_that_do_not_exist_are_refused(product):
    with pytest.raises(hsr.InputError, match="hand side of @"):
        product(lazy_twin(an_array(4, 4)))


def test_an_array_times_a_lazy_matrix_stays_lazy():
    def never():
        raise AssertionError("the dense array was made")

    A = an_array(3, 4)
    M = lazy_twin(A, dense=never)
    assert_allclose(np.ones(3) @ M, A.sum(axis=0), rtol=1e-13)
    assert_allclose(np.ones((2, 3)) @ M, np.ones((2, 3)) @ A, rtol=1e-13)


def test_a_million_states_are_no_matter_until_the_whole_array_is_asked_for():
    M = diagonal_of(ONE_MILLION)
    assert M.rows(ONE_MILLION - 1)[-1] == ONE_MILLION
    assert M.columns([0, 5])[5].tolist() == [0.0, 6.0]
    assert (M @ np.ones(ONE_MILLION))[41] == 42.0
    assert (np.ones(ONE_MILLION) @ M)[41] == 42.0


@pytest.mark.parametrize(
    "ask",
    [lambda M: M.toarray(), np.asarray, lambda M: M.T.toarray()],
    ids=["toarray", "asarray", "T"],
)
def test_an_array_that_cannot_fit_is_refused_before_it_is_made(ask, monkeypatch):
    monkeypatch.setattr(lazy.np, "empty", lambda *_, **__: pytest.fail("memory was asked for"))
    with pytest.raises(hsr.toolkit.TooLargeError) as caught:
        ask(diagonal_of(ONE_MILLION))
    assert isinstance(caught.value, hsr.HSRError)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, MemoryError)
    words = str(caught.value)
    assert "shape (1000000, 1000000)" in words
    assert "8,000,000,000,000 bytes" in words
    assert ".rows(states), .columns(states) or @" in words


@pytest.mark.parametrize("ask", ["rows", "columns"])
def test_too_many_rows_or_columns_are_refused_before_they_are_made(ask, monkeypatch):
    monkeypatch.setattr(lazy, "_unit_vectors", lambda *_: pytest.fail("memory was asked for"))
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
    chain = hsr.MarkovChain([[0.0, 1.0], [0.0, 1.0]])
    M = chain.occupancy(0.5)
    x, X = np.array([1.0, 2.0]), np.array([[1.0, 2.0], [3.0, 4.0]])
    for argument in (x, X):
        kept = argument.copy()
        first, second = M @ argument, M @ argument
        assert_array_equal(argument, kept)
        assert_array_equal(first, second)
