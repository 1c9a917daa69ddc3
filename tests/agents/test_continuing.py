"""Continuing tasks, whose goal leads back to the start: against a plain twin and closed forms."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from tests.cases import raises
from tests.oracles.agent_worlds import (
    SETTINGS,
    UPDATES,
    WORLDS,
    check_twin,
    corridor,
    forms_of,
    ride,
    two_rooms,
)


@cache
def mdp_of_two_rooms():
    return two_rooms()


CONTINUING = hsr.GoalTask(0, 12, continuing=True)


@pytest.mark.parametrize("features", ["onehot", "few", "sr", "hsr"])
@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("world", ["certain", "slippery", "fractional, certain"])
def test_every_step_of_a_continuing_task_is_that_of_the_plain_twin(world, update, features):
    mdp, options, *_ = WORLDS[world]()
    tasks = [hsr.GoalTask(0, 12, continuing=True), hsr.GoalTask(11, 1, continuing=True)]
    for seed, map_update in enumerate(("chosen", "passed")):
        words = {"explore_at": "steps", "ties": "first", "epsilon": 0.6} if seed else {}
        settings = {**SETTINGS, "update": update, "map_update": map_update, **words}
        # With the second seed only the first task continues.
        some = [tasks, [hsr.GoalTask(0, 12, continuing=True), hsr.GoalTask(None, 2)]][seed]
        how = {"episodes": 6, "forms": forms_of(features)}
        run, _ = check_twin((mdp, options, some, 40), seed, features, settings, **how)
        assert run.terminated.any()


def test_gpi_learns_a_continuing_task_as_its_plain_twin():
    """Before the goal is found values are learned; the pool that acts after it is the same."""
    agent = {"pretraining": hsr.goal_tasks(mdp_of_two_rooms())[::3], "learning_rate": 0.1}
    ends, continues = (
        hsr.train(
            mdp_of_two_rooms(),
            [task],
            hsr.GPI(**agent),
            seeds=range(3),
            episodes=8,
            keep_values=True,
        )
        for task in (hsr.GoalTask(0, 12), CONTINUING)
    )
    assert_array_equal(ends.steps, continues.steps)
    assert (ends.values != continues.values).any()


@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("length", [2, 3, 5])
def test_values_of_a_corridor_that_begins_again(length, update):
    """The goal is d steps away: v(0) = g^(d - 1) (1 + g v(0)), thus v(0) = g^(d - 1) / (1 - g^d),
    and v(s) = g^-s v(0) on the way.
    """
    d, g = length - 1, 0.5
    agent = hsr.LinearQ(learning_rate=0.5, update=update)
    task = hsr.GoalTask(0, d, continuing=True)
    run = hsr.train(
        corridor(length, discount=g), [task], agent, seeds=[0], episodes=300, keep_values=True
    )
    v = g ** (d - 1) / (1.0 - g**d) * g ** -np.arange(d)
    assert_allclose(run.values[0, 0, 0, :d], v, rtol=1e-12)
    assert_array_equal(run.steps, d)
    assert_array_equal(run.returns, g ** (d - 1))


def test_an_option_into_a_continuing_goal():
    """All three steps as one choice: q(o, 0) = g^2 (1 + g v(0)), which is v(0) itself."""
    task, agent = hsr.GoalTask(0, 3, continuing=True), hsr.LinearQ(learning_rate=0.5, epsilon=1.0)
    how = {"seeds": [0], "episodes": 400, "keep_values": True}
    run = hsr.train(corridor(4), [task], agent, ride(4, to=3), **how)
    assert_allclose(run.values[0, 0, :, 0], 0.25 / (1.0 - 0.125), rtol=1e-12)


@pytest.mark.parametrize("features", ["sr", "hsr"])
def test_the_map_of_a_continuing_corridor(features):
    """The goal leads to the start: M = (I - g P)^-1 of a ring, whose rows sum to 1 / (1 - g)."""
    task, agent = hsr.GoalTask(0, 4, continuing=True), hsr.LinearQ(features, map_learning_rate=0.5)
    options = ride(5, to=3) if features == "hsr" else None
    how = {"seeds": [0], "episodes": 400, "keep_maps": True}
    run = hsr.train(corridor(5), [task], agent, options, **how)
    ring = np.roll(np.eye(5), 1, axis=1)
    M = np.linalg.inv(np.eye(5) - 0.5 * ring)
    visited = [0, 3, 4] if features == "hsr" else range(5)
    assert_allclose(run.maps[0, 0][visited], M[visited], rtol=1e-12)
    assert_allclose(M.sum(axis=1), 2.0)


def test_a_task_says_whether_it_continues():
    assert repr(CONTINUING) == "GoalTask(start=0, goal=12, continuing=True)"
    assert repr(hsr.GoalTask(0, 12)) == "GoalTask(start=0, goal=12)"
    assert hsr.GoalTask(0, 12) != CONTINUING
    with raises("continuing is True and start is None"):
        hsr.GoalTask(None, 12, continuing=True)
    with raises("continuing is 1; it must be True or False"):
        hsr.GoalTask(0, 12, continuing=1)


@cache
def two_options():
    return hsr.eigenoptions(mdp_of_two_rooms(), 2)


@cache
def model_of_options():
    return hsr.option_model(mdp_of_two_rooms(), two_options())


@pytest.mark.parametrize(
    "call",
    [
        lambda: hsr.optimal_value(mdp_of_two_rooms(), CONTINUING),
        lambda: hsr.greedy_policy(mdp_of_two_rooms(), CONTINUING),
        lambda: hsr.option_model(mdp_of_two_rooms(), two_options(), task=CONTINUING),
        lambda: model_of_options().for_task(CONTINUING),
        lambda: hsr.plan_over_options(model_of_options(), CONTINUING),
        lambda: hsr.successor_representation(mdp_of_two_rooms(), task=CONTINUING),
        lambda: hsr.expected_sr(mdp_of_two_rooms(), [CONTINUING]),
        lambda: hsr.expected_hsr(mdp_of_two_rooms(), two_options(), [CONTINUING]),
        lambda: hsr.learn_sr(mdp_of_two_rooms(), None, task=CONTINUING, steps=1),
        lambda: hsr.explore(mdp_of_two_rooms(), hsr.Sarsa(), task=CONTINUING, seeds=[0], steps=1),
        lambda: hsr.train(
            mdp_of_two_rooms(),
            [CONTINUING],
            hsr.GPI(pretraining=[CONTINUING]),
            seeds=[0],
            episodes=1,
        ),
    ],
)
def test_closed_forms_and_others_refuse_a_continuing_task(call):
    with raises("a continuing goal is known to `train` alone"):
        call()
