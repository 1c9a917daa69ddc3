"""Checks of arguments: what would be silently wrong, or never end, is refused with its place."""

import numpy as np
import pytest

from hsr._base.errors import short_repr
from hsr._base.validation import (
    as_array,
    check_array,
    check_count,
    check_distribution_rows,
    check_flag,
    check_index,
    check_indices,
    check_number,
    check_seed,
)
from tests.cases import cases, raises

BIG = 10**5000  # Python refuses to write an integer of more than 4,300 digits
MASKED = np.ma.masked_array([1.0, 2.0], mask=[True, False])


@cases(
    "check, said",
    {
        "text": (lambda: check_number("0.5", "x"), "x is '0.5'; it must be a number"),
        "none": (lambda: check_number(None, "x"), "x is None; it must be a number"),
        "complex": (lambda: check_number(1 + 2j, "x"), "it must be a number"),
        "nan": (lambda: check_number(np.nan, "x"), "x is nan; it must be finite"),
        "huge number": (lambda: check_number(BIG, "x"), "an integer of about 5001 digits"),
        "fraction": (lambda: check_count(1.5, "n"), "n is 1.5; it must be an integer"),
        "truth": (lambda: check_count(True, "n"), "n is True; it must be an integer of at"),
        "too few": (lambda: check_count(0, "n"), "n is 0; it must be an integer of at least 1"),
        "too many": (lambda: check_count(10**20, "n"), "integer of at most 9223372036854775807"),
        "negative index": (lambda: check_index(-1, 4, "s"), "s is -1; it must lie in 0..3"),
        "index beyond": (lambda: check_indices([0, 4], 4, "s"), r"s\[1\] is 4; it must lie in"),
        "indices of floats": (lambda: check_indices([0.0], 4, "s"), "must be a list of integers"),
        "flag": (lambda: check_flag("no", "f"), "f is 'no'; it must be True or False"),
        "seed": (lambda: check_seed(-1), "seed is -1"),
        "ragged": (lambda: as_array([[1], [1, 2]], "a", "a table"), "a is ragged; it must be a t"),
        "masked": (lambda: as_array(MASKED, "a", "a table"), "a has masked entries"),
        "masked numbers": (lambda: check_array(MASKED, (2,), "a"), "there are masked entries"),
        "complex array": (lambda: check_array([1j], (1,), "a"), "a cannot be read as numbers"),
        "array of texts": (lambda: check_array(["1"], (1,), "a"), "a cannot be read as numbers"),
        "ragged array": (lambda: check_array([[1], [1, 2]], (2, 2), "a"), "cannot be read as num"),
        "shape": (lambda: check_array([1, 2], (3,), "a"), r"a has shape \(2,\); it must have"),
        "infinite": (lambda: check_array([[0, np.inf]], (1, 2), "a"), r"a\[0, 1\] is inf; every"),
        "sum": (
            lambda: check_distribution_rows(np.array([[0.5, 0.5], [0.5, 0.25]]), "p"),
            r"p\[1\] sums to 0.75; rows must sum to 1",
        ),
        "negative": (
            lambda: check_distribution_rows(np.array([[1.5, -0.5]]), "p"), r"p\[0, 1\] is -0.5",
        ),
    },
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_its_place(check, said):
    with raises(said):
        check()


def test_what_fits_is_returned_as_it_is_used_inside():
    assert check_array(np.ma.masked_array([1, 2]), (None,), "a").tolist() == [1.0, 2.0]
    assert check_indices(np.array([], dtype=int), 4, "s").tolist() == []
    assert check_seed(2**4000) == 2**4000


@pytest.mark.parametrize(
    "value", [0, "x" * 200, [BIG], -(10**6000)], ids=lambda v: short_repr(v, 9)
)
def test_every_value_can_be_shown(value):
    assert 0 < len(short_repr(value)) <= 80
