"""Checks of arguments: bad values of every kind are refused, and the message names the argument."""

import numpy as np
import pytest

from hsr._base.errors import short_repr
from hsr._base.validation import (
    as_array,
    check_array,
    check_choice,
    check_count,
    check_distribution_rows,
    check_flag,
    check_index,
    check_indices,
    check_learning_rate,
    check_not_negative,
    check_number,
    check_probability,
    check_seed,
)
from tests import strategies
from tests.cases import cases, raises

BIG = 10**5000  # Python refuses to write an integer of more than 4,300 digits
MASKED = np.ma.masked_array([1.0, 2.0], mask=[True, False])
KINDS = {
    "number": (check_number, strategies.bad_numbers()),
    "probability": (check_probability, strategies.bad_probabilities()),
    "not negative": (check_not_negative, strategies.bad_probabilities(high=None)),
    "learning rate": (check_learning_rate, strategies.bad_probabilities(with_low=False)),
    "count": (check_count, strategies.bad_counts()),
    "seed": (check_seed, strategies.bad_counts(0, most=None)),
    "index": (lambda x, name: check_index(x, 4, name), strategies.bad_indices(4)),
    "indices": (
        lambda x, name: check_indices([0, x], 4, name),
        strategies.bad_indices(4).filter(lambda x: not isinstance(x, bool)),
    ),
    "flag": (check_flag, strategies.bad_flags()),
    "choice": (lambda x, name: check_choice(x, ("a", "b"), name), strategies.bad_choices("ab")),
    "array": (lambda x, name: check_array(x, (2, 3), name), strategies.bad_arrays((2, 3))),
    "distribution": (
        lambda x, name: check_distribution_rows(check_array(x, (2, 3), name), name),
        strategies.bad_distributions((2, 3)),
    ),
}


@cases("check, bad", KINDS)
def test_a_bad_value_is_refused_by_name(check, bad):
    strategies.assert_refused(lambda x: check(x, "x"), "x", bad, said=r"^x\b")


@cases(
    "check, said",
    {
        "huge number": (lambda: check_number(BIG, "x"), "an integer of about 5001 digits"),
        "too many": (lambda: check_count(10**20, "n"), "integer of at most 9223372036854775807"),
        "index beyond": (lambda: check_indices([0, 4], 4, "s"), r"s\[1\] is 4; it must lie in"),
        "masked": (lambda: as_array(MASKED, "a", "a table"), "a has masked entries"),
        "masked numbers": (lambda: check_array(MASKED, (2,), "a"), "there are masked entries"),
        "infinite": (lambda: check_array([[0, np.inf]], (1, 2), "a"), r"a\[0, 1\] is inf; every"),
        "sum": (
            lambda: check_distribution_rows(np.array([[0.25, 0.75], [0.5, 0.25]]), "p"),
            r"p\[1\] sums to 0.75; rows must sum to 1",
        ),
    },
)
def test_a_message_says_where_and_what_was_expected(check, said):
    with raises(said):
        check()


def test_what_fits_is_returned_as_it_is_used_inside():
    assert check_array(np.ma.masked_array([1, 2]), (None,), "a").tolist() == [1.0, 2.0]
    assert check_indices(np.array([], dtype=int), 4, "s").tolist() == []
    assert check_seed(2**4000) == 2**4000


@pytest.mark.parametrize(
    "value", [0, "x" * 200, [BIG], -(10**6000), np.eye(3)], ids=lambda v: short_repr(v, 9)
)
def test_every_value_can_be_shown(value):
    assert 0 < len(short_repr(value)) <= 80
    assert "\n" not in short_repr(value)
