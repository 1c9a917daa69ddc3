"""From curves to numbers per seed, against cases worked by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from hsr.experiments.stats import (
    criterion_met,
    episodes_to_criterion,
    moving_average,
    relative_change,
)
from tests.cases import raises

RNG = np.random.default_rng(4)


def average_by_sums(x, rate, start):
    """The same average written out: (1 - rate)^k start + rate sum_j (1 - rate)^(k - j) x_j."""
    k = np.arange(1, len(x) + 1)
    return [(1 - rate) ** n * start + rate * ((1 - rate) ** (n - k[:n]) * x[:n]).sum() for n in k]


def test_the_average_by_hand():
    assert_allclose(moving_average([100.0, 50.0, 50.0]), [100.0, 95.0, 90.5], rtol=1e-15)
    assert_allclose(
        moving_average([100.0, 50.0, 50.0], start=10.0), [19.0, 22.1, 24.89], rtol=1e-15
    )
    assert_allclose(moving_average([8.0, 4.0, 0.0], 0.5), [8.0, 6.0, 3.0], rtol=0)


@pytest.mark.parametrize("rate", [0.1, 0.37, 1.0])
def test_the_average_is_the_weighted_sum(rate):
    x = RNG.uniform(1, 5000, (3, 2, 40))
    start = RNG.uniform(1, 50, (3, 2))
    plain, begun = moving_average(x, rate), moving_average(x, rate, start)
    for i in np.ndindex(3, 2):
        # forty steps of rounding, each of one part in 2^53 of numbers up to 5000
        assert_allclose(plain[i], average_by_sums(x[i], rate, x[i][0]), rtol=1e-13)
        assert_allclose(begun[i], average_by_sums(x[i], rate, start[i]), rtol=1e-13)


HALF = {"rate": 0.5}
CARRIED = {"rate": 0.5, "restart": False}
FROM_OPTIMUM = CARRIED | {"start": "optimal"}
JUMP = [[59.9, 9999, 9999, 9999], [70, 10, 10, 10]]
TWO_GOALS = [[20, 10, 10, 10], [60, 20, 20, 20]]
THREE_EPISODES = [one[:3] for one in TWO_GOALS]


@pytest.mark.parametrize(
    ("steps", "optimal", "options", "expected"),
    [
        # rate 1/2, bound 15: averages 40, 25, 17.5, 13.75 cross in episode 4; 12 is below at once;
        # 100 ends at 40
        ([[40, 10, 10, 10, 10], 5 * [12], [100, 80, 60, 40, 20]], 3 * [10], HALF, [4, 1, 5]),
        # rate 0.1: 10 + 30 0.9^(k - 1) < 15 first at k = 19: 0.9^18 = 0.150 < 1/6 < 0.9^17 = 0.1668
        ([[40.0] + 49 * [10.0]], [10.0], {}, [19]),
        # the average must fall below the bound and not only touch it
        ([[15, 15, 15], [14.999, 15, 15]], [10, 10], {}, [3, 1]),
        # rate 1: the average is the episode's own steps
        # a task learned in the last episode counts like one never learned
        ([[99, 99, 1], [99, 99, 99]], [10, 10], {"rate": 1.0}, [3, 3]),
        # 10 + 0.1 (x - 10) < 15 as long as x < 60; from 70 it is 16, 0.9 * 16 + 1 = 15.4, 14.86
        (JUMP, [10, 10], {"start": "optimal"}, [1, 3]),
        (JUMP, [10, 10], {}, [4, 4]),
        # rate 1/2. First task: 20, 15, 12.5 with bound 15.
        # Carried over: (12.5 + 60) / 2 = 36.25, 28.125, 24.0625 with bound 27.
        (THREE_EPISODES, [10, 18], CARRIED, [3, 3]),
        # restarted: 60, 40, 30, never below 27; one more episode of 20 would do it
        (THREE_EPISODES, [10, 18], HALF, [3, 3]),
        (TWO_GOALS, [10, 18], HALF, [3, 4]),
        # carried: the first task ends at 11.25, then 35.625, 27.8125, 23.90625
        (TWO_GOALS, [10, 18], CARRIED, [3, 3]),
        # from the optimum of the first task: 15, 12.5, 11.25, 10.625 | 35.3125, 27.65625, 23.828125
        (TWO_GOALS, [10, 18], FROM_OPTIMUM, [2, 3]),
        # and it is that of the first task: (10 + 19) / 2 = 14.5, 12.25 | 15.125; from 18: 18.5
        ([[19, 10], [18, 18]], [10, 18], FROM_OPTIMUM, [1, 1]),
    ],
)
def test_the_criterion_by_hand(steps, optimal, options, expected):
    assert_array_equal(episodes_to_criterion(steps, optimal, **options), expected)


@pytest.mark.parametrize(
    ("options", "episodes", "met"),
    [
        # rate 1, bound 15: the steps themselves are below in episodes 2 and 4
        ({"rate": 1.0}, 2, True),
        # rate 1/2 from 20: 20, 15, 32.5, 21.25 never below; from 0: 10, 10, 30, 20 at once
        ({"rate": 0.5}, 4, False),
        ({"rate": 0.5, "start": "zero"}, 1, True),
        # from a horizon of 30: 25, 17.5, 33.75, 21.875
        ({"rate": 0.5, "start": "horizon", "horizon": 30.0, "factor": 1.8}, 2, True),
    ],
)
def test_other_readings_of_the_criterion_by_hand(options, episodes, met):
    steps = [[20.0, 10.0, 50.0, 10.0]]
    assert_array_equal(episodes_to_criterion(steps, [10.0], **options), [episodes])
    assert_array_equal(criterion_met(steps, [10.0], **options), [met])


def test_whoever_needed_all_episodes_may_have_met_the_criterion_in_the_last():
    steps = [[99, 99, 1], [99, 99, 99]]
    assert_array_equal(criterion_met(steps, [10, 10], rate=1.0), [True, False])


def test_the_average_can_start_at_the_horizon_only_if_it_is_given():
    with raises("horizon is None"):
        episodes_to_criterion([[1.0, 1.0]], [1.0], start="horizon")


@given(st.lists(st.integers(8, 40), min_size=1, max_size=30), st.sampled_from([2.0, 4.0, 0.5]))
def test_the_criterion_does_not_depend_on_the_unit(steps, scale):
    # powers of two scale without rounding
    assert episodes_to_criterion([steps], [10]) == episodes_to_criterion(
        [np.multiply(steps, scale)], [10 * scale]
    )


@given(st.lists(st.integers(8, 40), min_size=1, max_size=30), st.floats(1.0, 4.0))
def test_a_milder_criterion_is_met_no_later(steps, factor):
    assert episodes_to_criterion([steps], [10], factor=factor + 0.5) <= episodes_to_criterion(
        [steps], [10], factor=factor
    )


def test_relative_change_by_hand():
    # differences 1, 0, -2, 0 over entries 2, 0, 0, 1: (1 + 4) / (4 + 1); a map of 2s that becomes
    # 1s: 4/16
    assert relative_change([[2.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [2.0, 1.0]]) == 1.0
    before = [[[2.0, 0.0], [0.0, 1.0]], np.full((2, 2), 2.0)]
    after = [[[1.0, 0.0], [2.0, 1.0]], np.ones((2, 2))]
    assert_array_equal(relative_change(before, after), [1.0, 0.25])


def test_relative_change_is_the_squared_norm():
    before, after = RNG.random((3, 2, 6, 6)), RNG.random((3, 2, 6, 6))
    norm = np.linalg.norm(before - after, axis=(-2, -1)) / np.linalg.norm(before, axis=(-2, -1))
    assert_allclose(relative_change(before, after), norm**2, rtol=1e-13)
    assert_allclose(relative_change(3.0 * before, 3.0 * after), norm**2, rtol=1e-13)
    assert_array_equal(relative_change(before, before), np.zeros((3, 2)))
