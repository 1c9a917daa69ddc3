"""Attacks on environments: options that never stop."""

import gymnasium

import hsr
from tests.cases import cases, raises

ROW = hsr.GridLayout.from_text("S....1")
LEFT, RIGHT = 3, 1


def going(direction, termination=0.0):
    """Return a set of one option that always goes into one direction."""
    return hsr.OptionSet([[direction] * 6], [[termination] * 6], names=["going"])


def one(options, **settings):
    return hsr.OptionEnv(hsr.GridWorld(ROW), options, **settings), 4


def many(options, **settings):
    return hsr.envs.OptionEnvVector(hsr.envs.GridWorldVector(3, ROW), options, **settings), [
        0,
        4,
        4,
    ]


MAKERS = {"one": one, "many": many}


@cases("make", MAKERS)
def test_an_option_that_never_stops_is_an_error(make):
    assert make(going(LEFT))[0].max_option_steps == 10**6
    env, action = make(going(LEFT), max_option_steps=1000)
    env.reset(seed=0)
    with raises("option 0, 'going', has not stopped after 1,000 primitive steps; give its"):
        env.step(action)


@cases("make", MAKERS)
def test_the_limit_of_an_option_is_its_last_step(make):
    """The goal is five steps away, so that five are enough and four are not."""
    env, action = make(going(RIGHT), max_option_steps=5)
    env.reset(seed=0)
    env.step(action)
    env, action = make(going(RIGHT), max_option_steps=4)
    env.reset(seed=0)
    with raises("has not stopped after 4 primitive steps"):
        env.step(action)


def test_a_time_limit_ends_an_option_without_an_error():
    limited = gymnasium.wrappers.TimeLimit(hsr.GridWorld(ROW), 7)
    env = hsr.OptionEnv(limited, going(LEFT))
    env.reset(seed=0)
    _, _, terminated, truncated, info = env.step(4)
    assert (terminated, truncated, info["duration"]) == (False, True, 7)


@cases("make", MAKERS)
def test_a_limit_that_is_no_count_is_refused(make):
    with raises("max_option_steps is 0"):
        make(going(LEFT), max_option_steps=0)
