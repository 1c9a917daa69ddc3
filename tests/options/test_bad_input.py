"""Bad input of functions of options, plans and maps is refused with a message that names it."""

import re
from functools import cache

import numpy as np
import pytest

import hsr
from tests.cases import cases, raises
from tests.strategies import (
    assert_refused,
    bad_arrays,
    bad_choices,
    bad_counts,
    bad_distributions,
    bad_indices,
    bad_probabilities,
)

S, A = 6, 4
RIGHT = np.ones((2, S), dtype=int)
STOP = np.array([[0, 0, 1, 0, 0, 1]] * 2, dtype=float)
TASK = hsr.GoalTask(start=None, goal=0)


@cache
def mdp():
    return hsr.grid_mdp(hsr.GridLayout.from_text("...\n..."), discount=0.9)


@cache
def options():
    return hsr.OptionSet(RIGHT, STOP, STOP == 0.0)


@cache
def model(*, primitives=True):
    return hsr.option_model(mdp(), options(), primitives=primitives)


def uniform():
    """Return the policy over choices that takes every primitive action equally often."""
    return np.concatenate([np.full((S, A), 0.25), np.zeros((S, 2))], axis=1)


RATES = bad_probabilities(with_low=False)
DISCOUNTS = bad_probabilities(high=0.99999)
# The argument, bad values of its kind, and the call.
ARGUMENTS = {
    "eigen": ("n_options", bad_counts(), lambda **x: hsr.eigenoptions(mdp(), **x)),
    "random": ("n_options", bad_counts(), lambda **x: hsr.random_options(mdp(), **x, seed=0)),
    "covering": ("n_options", bad_counts(), lambda **x: hsr.covering_options(mdp(), **x)),
    "diffusion": ("n_options", bad_counts(), lambda **x: hsr.diffusion_options(mdp(), **x)),
    "successor": ("n_options", bad_counts(), lambda **x: hsr.successor_options(mdp(), **x)),
    "time": ("diffusion_time", bad_counts(), lambda **x: hsr.diffusion_options(mdp(), 2, **x)),
    "vectors": ("n_vectors", bad_counts(), lambda **x: hsr.options.map_vectors(np.eye(3), **x)),
    "steps": ("steps", bad_counts(0), lambda **x: hsr.learn_sr(mdp(), **x)),
    "seed": ("seed", bad_counts(0, None), lambda **x: hsr.random_options(mdp(), 2, **x)),
    "option": ("option", bad_indices(2), lambda option: options()[option]),
    "occupancy": ("choice", bad_indices(S), lambda choice: model().occupancy(choice)),
    "stopping": ("choice", bad_indices(S), lambda choice: model().stopping(choice)),
    "chain": ("choice", bad_indices(S), lambda choice: model().chain_of(choice)),
    "signs": ("signs", bad_choices(()), lambda **x: hsr.eigenoptions(mdp(), 2, **x)),
    "first": ("first", bad_choices(()), lambda **x: hsr.eigenoptions(mdp(), 2, **x)),
    "initiation": ("initiation", bad_choices(()), lambda **x: hsr.covering_options(mdp(), 2, **x)),
    "plan": ("ties", bad_choices(()), lambda **x: hsr.plan_over_options(model(), TASK, **x)),
    "expected": ("ties", bad_choices(()), lambda **x: hsr.expected_sr(mdp(), [TASK], **x)),
    "initial": ("initial_map", bad_choices(()), lambda **x: hsr.learn_sr(mdp(), **x)),
    "discount": ("discount", DISCOUNTS, lambda **x: hsr.eigenoptions(mdp(), 2, **x)),
    "rate": ("learning_rate", RATES, lambda **x: hsr.learn_sr(mdp(), **x)),
    "decay": ("decay", bad_probabilities(high=None), lambda **x: hsr.learn_sr(mdp(), **x)),
    "termination": ("termination", bad_arrays((2, S)), lambda **x: hsr.OptionSet(RIGHT, **x)),
    "mu": ("mu", bad_distributions((S, A + 2)), lambda mu: hsr.hierarchical_sr(model(), mu)),
    "landscape": ("vectors", bad_arrays((S, 6)), lambda **x: hsr.eigenoptions(mdp(), 6, **x)),
    "x": ("x", bad_arrays((S,)), lambda x: model().arrive(4, x)),
}


@cases("name, bad, call", ARGUMENTS)
def test_bad_arguments_are_refused(name, bad, call):
    assert_refused(call, name, bad)


def test_bad_policies_of_options_are_refused():
    bad = bad_distributions((2, S, A))
    assert_refused(lambda policy: hsr.OptionSet(policy, STOP), "policy", bad, "policy|termination")


GOALS = {
    "option_model": lambda task: hsr.option_model(mdp(), options(), task=task),
    "plan_over_options": lambda task: hsr.plan_over_options(model(), task),
    "expected_sr": lambda task: hsr.expected_sr(mdp(), [TASK, task]),
    "learn_hsr": lambda task: hsr.learn_hsr(mdp(), options(), uniform(), task=task),
}


@cases("call", GOALS)
def test_goals_outside_are_refused(call):
    with raises(r"task.goal is 6; it must lie in 0\.\.5"):
        call(hsr.GoalTask(None, 6))


def changed(array, place, value):
    """Return a copy of an array with one entry changed."""
    copy = np.array(array)
    copy[place] = value
    return copy


REFUSED = {
    "integers": (lambda: hsr.OptionSet(RIGHT * 1.0, STOP), "policy ... float64 ... integers"),
    "no action": (lambda: hsr.OptionSet(changed(RIGHT, (1, 3), -1), STOP), "policy[1, 3] is -1"),
    "no probability": (lambda: hsr.OptionSet(RIGHT, 1.5 * STOP), "termination[0, 2] is 1.5"),
    "initiation": (lambda: hsr.OptionSet(RIGHT, STOP, np.ones((2, S))), "initiation ... bool"),
    "names": (lambda: hsr.OptionSet(RIGHT, STOP, names=["one"]), "names has 1 ... 2 options"),
    "states": (lambda: hsr.option_model(hsr.grid_mdp("loop"), options()), "6 states ... 144"),
    "actions": (
        lambda: hsr.option_model(mdp(), hsr.OptionSet(4 * RIGHT, STOP)),
        "0] is 4 ... 0..3",
    ),
    "nothing": (lambda: hsr.option_model(mdp(), None, primitives=False), "nothing to choose"),
    "primitive": (lambda: model().arrival_of(0), "choice is 0, a primitive action ... 4..5"),
    "product": (lambda: model().occupancy(4) @ np.ones(5), "(5,) ... 6"),
    "constant": (lambda: hsr.eigenoptions(mdp(), 1, vectors=np.ones((S, 1))), "[:, 0] is constant"),
    "square": (lambda: hsr.options.map_vectors(np.ones((3, 4)), 1), "(3, 4) ... square"),
    "targets": (lambda: hsr.point_options(mdp(), []), "targets is empty"),
    "a target": (lambda: hsr.point_options(mdp(), [0, 6]), "targets[1] is 6 ... 0..5"),
    "states drawn": (lambda: hsr.random_options(mdp(), 7, seed=0), "n_options is 7 ... 6"),
    "pairs": (lambda: hsr.covering_options(mdp(), 31), "n_options is 31 ... 30"),
    "other goal": (
        lambda: hsr.plan_over_options(model().for_task(TASK), hsr.GoalTask(None, 1)),
        "goal 0 ... goal 1",
    ),
    "no choice": (
        lambda: hsr.plan_over_options(model(primitives=False), TASK),
        "no choice ... state 2",
    ),
    "no model": (lambda: hsr.plan_over_options(mdp(), TASK), "FiniteMDP ... OptionModel"),
    "not available": (
        lambda: hsr.learn_hsr(mdp(), options(), np.eye(A + 2)[np.full(S, 5)]),
        "mu[2, 5] ... not available in state 2",
    ),
    "no tasks": (lambda: hsr.expected_sr(mdp(), []), "tasks is empty"),
    "one task": (lambda: hsr.expected_sr(mdp(), TASK), "tasks is of type GoalTask"),
}


@cases("call, says", REFUSED)
def test_what_does_not_fit_together_is_refused(call, says):
    with pytest.raises(hsr.HSRError, match=".*".join(map(re.escape, says.split(" ... ")))) as error:
        call()
    assert isinstance(error.value, ValueError)


def test_no_options_are_an_empty_set_of_options():
    empty = hsr.option_model(mdp(), None)
    assert (empty.n_choices, len(empty.options)) == (A, 0)


def test_arrays_of_an_option_set_cannot_be_written_and_are_copies():
    policy, beta, start = RIGHT.copy(), STOP.copy(), np.ones((2, S), dtype=bool)
    made = hsr.OptionSet(policy, beta, start)
    policy[:], beta[:], start[:] = 0, 0.5, False
    np.testing.assert_array_equal(made.policy, RIGHT)
    np.testing.assert_array_equal(made.termination, STOP)
    assert made.initiation.all()
    for array in (made.policy, made.termination, made.initiation, made[0].policy):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
