"""The direct replication: which world is typical, and what one world says by the paper's tests."""

import math

import numpy as np
import pytest
from studies.replication import one_world, paper_test, says, typical

from hsr.experiments import Contrast, Measure


def contrast(values, beside=None, test="two_sample_t"):
    """Return a comparison of given numbers (world, seed) with zero."""
    values = np.asarray(values, dtype=float)
    other = None if beside is None else Measure("logs", np.asarray(beside, dtype=float))
    zero = None if other is None else Measure("logs", 0.0 * other.values)
    first, second = Measure("x", values, beside=other), Measure("x", 0.0 * values, beside=zero)
    return Contrast("c", ("a", "b"), +1, first, second, test)


def test_the_typical_world_is_nearest_to_the_median_in_units_of_the_spread():
    """By the first statement it is world 1; the second has the larger numbers, but not a vote."""
    assert typical([contrast([[0], [5], [10]])], 3) == 1
    small, large = [[0], [5], [10], [5]], [[300], [0], [100], [200]]
    # Medians 5 and 150, spreads 3.54 and 111.8: distances 3.80, 1.80, 2.20 and 0.20 in squares.
    assert typical([contrast(small), contrast(large)], 4) == 3


def test_a_measure_that_leaves_out_worlds_is_represented_by_the_other_one():
    assert typical([contrast([[9], [1]], beside=[[9], [1], [5]])], 3) == 2
    assert typical([contrast([[9], [1]])], 3) == 0  # nothing speaks for any world


def test_tests_are_those_of_the_paper():
    """t = 1 / sqrt(2.5 (1/5 + 1/5)) = 1 with 8 degrees of freedom; ten seeds have 2^-9 at best."""
    x, y = np.arange(5.0) + 1.0, np.arange(5.0)
    statistic, df, p = paper_test(x, y, "two_sample_t")
    assert (statistic, df) == (pytest.approx(1.0), 8)
    assert p == pytest.approx(0.346594, rel=1e-5)
    assert paper_test(np.arange(10.0) + 1.0, np.zeros(10), "wilcoxon")[2] == pytest.approx(2.0**-9)
    assert math.isnan(paper_test(x[:1], y[:1], "two_sample_t")[2])


def test_a_statement_in_one_world_has_means_errors_and_a_conclusion():
    found = one_world(contrast([[1.0, 2.0, 3.0, 4.0], [9.0, 9.0, 9.0, 9.0]]))
    assert found["means"] == [2.5, 0.0]
    assert found["errors"] == [pytest.approx(0.6455), 0.0]  # sqrt(5/3) / 2
    assert (found["df"], found["says"]) == (6, "as claimed")


@pytest.mark.parametrize(
    ("difference", "p", "predicted", "words"),
    [
        (1.0, 0.01, +1, "as claimed"),
        (1.0, 0.01, -1, "the other way"),
        (1.0, 0.5, +1, "no significant difference"),
        (-1.0, math.nan, -1, "as claimed"),
        (0.0, math.nan, +1, "no significant difference"),
        (1.0, 0.5, 0, "no significant difference"),
        (1.0, 0.01, 0, "a difference"),
        (1.0, math.nan, 0, "no significant difference"),  # within the bound
        (3.0, math.nan, 0, "a difference"),
    ],
)
def test_one_world_alone_says(difference, p, predicted, words):
    assert says(difference, p, predicted, bound=2.0) == words
