"""Documented mistakes are refused by an error that is also a ValueError and names the place."""

import re

import numpy as np
import pytest

import hsr

S, A = 6, 4


@pytest.fixture(scope="module")
def given():
    """Return the parts of the calls below by name."""
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("...\n..."), discount=0.9)
    right = np.ones((2, S), dtype=int)
    stop = np.array([[0, 0, 1, 0, 0, 1]] * 2, dtype=float)
    start = np.array([[True, True, False, True, True, False]] * 2)
    options = hsr.OptionSet(right, stop, start)
    task = hsr.GoalTask(start=None, goal=0)
    uniform = np.full((S, A), 0.25)
    return {
        "changed": changed,
        "mdp": mdp,
        "layout": hsr.load_layout("four_rooms"),
        "other": hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.9),
        "two_actions": hsr.FiniteMDP(np.full((S, 2, S), 1 / S), discount=0.9),
        "right": right,
        "stop": stop,
        "options": options,
        "task": task,
        "model": hsr.option_model(mdp, options),
        "alone": hsr.option_model(mdp, options, primitives=False),
        "uniform": uniform,
        "drawn": np.array([uniform, uniform]),
        "mu": np.concatenate([uniform, np.zeros((S, 2))], axis=1),
        "v": np.arange(6.0)[:, None],
        "eye": np.eye(S),
    }


def changed(array, place, value):
    """Return a copy of an array with one entry changed."""
    copy = np.array(array, dtype=np.result_type(array, type(value)))
    copy[place] = value
    return copy


REFUSED = {
    # Option sets
    "hsr.OptionSet([1, 1], [[0, 1]])": "policy has shape (2,) ... (O, S)",
    "hsr.OptionSet(right * 1.0, stop)": "policy ... float64 ... integers",
    "hsr.OptionSet(changed(right, (1, 3), -1), stop)": "policy[1, 3] is -1",
    "hsr.OptionSet(changed(drawn, (1, 2, 0), 0.3), stop)": "policy[1, 2] sums to 1.05",
    "hsr.OptionSet(changed(drawn, (0, 5, 3), np.nan), stop)": "policy[0, 5, 3] is nan",
    "hsr.OptionSet(right, stop[:1])": "termination has shape (1, 6) ... (2, 6)",
    "hsr.OptionSet(right, changed(stop, (1, 4), 1.5))": "termination[1, 4] is 1.5 ... [0, 1]",
    "hsr.OptionSet(right, stop, np.ones((2, S)))": "initiation ... float64 ... bool",
    "hsr.OptionSet(right, stop, names=['one'])": "names has 1 ... 2 options",
    "options[2]": "option is 2 ... 0..1",
    # Options and worlds
    "hsr.option_model(other, options)": "6 states ... 5",
    "hsr.option_model(two_actions, hsr.OptionSet(drawn, stop))": "4 actions ... 2",
    "hsr.option_model(two_actions, hsr.OptionSet(changed(right, (1, 3), 2), stop))":
        "policy[1, 3] is 2 ... 0..1",
    "hsr.option_model(mdp, None, primitives=False)": "nothing to choose",
    "hsr.option_model(mdp, options, task=hsr.GoalTask(None, 6))": "task.goal is 6 ... 0..5",
    "hsr.option_model(layout, options)": "mdp is of type GridLayout ... hsr.grid_mdp(layout)",
    "model.occupancy(6)": "choice is 6 ... 0..5",
    "model.occupancy(4).rows([0, 6])": "states[1] is 6 ... 0..5",
    "model.occupancy(4) @ np.ones(5)": "(5,) ... 6",
    "model.arrival_of(0)": "choice is 0, a primitive action; options are the choices 4..5",
    # Making options
    "hsr.eigenoptions(mdp, 0)": "n_options is 0 ... at least 1",
    "hsr.eigenoptions(mdp, 6)": "6 eigenvectors ... 5",
    "hsr.eigenoptions(mdp, 2, signs='negative')": "signs is 'negative' ... 'positive', 'both'",
    "hsr.eigenoptions(mdp, 2, discount=1.0)": "discount is 1.0 ... [0, 0.99999]",
    "hsr.eigenoptions(mdp, 1, vectors=v[:5])": "vectors has shape (5, 1) ... (6, any)",
    "hsr.eigenoptions(mdp, 2, vectors=v)": "1 columns ... 2 are needed",
    "hsr.eigenoptions(mdp, 1, vectors=np.ones((6, 1)))": "vectors[:, 0] is constant",
    "hsr.options.map_vectors(np.ones((3, 4)), 1)": "(3, 4) ... square",
    "hsr.options.map_vectors(np.eye(3), 3)": "(3, 3) ... more than 3",
    "hsr.point_options(mdp, [])": "targets is empty",
    "hsr.point_options(mdp, [0, 6])": "targets[1] is 6 ... 0..5",
    "hsr.random_options(mdp, 7, seed=0)": "n_options is 7 ... 6",
    "hsr.random_options(mdp, 2, seed=None)": "seed is None",
    "hsr.covering_options(mdp, 31)": "n_options is 31 ... 30",
    "hsr.covering_options(mdp, 2, initiation='nowhere')": "initiation is 'nowhere' ... 'point'",
    # Planning
    "hsr.plan_over_options(model, task, ties='first')": "ties is 'first' ... 'uniform', 'options'",
    "hsr.plan_over_options(model, hsr.GoalTask(None, 17))": "task.goal is 17 ... 0..5",
    "hsr.plan_over_options(model.for_task(task), hsr.GoalTask(None, 1))": "goal 0 ... goal 1",
    "hsr.plan_over_options(alone, task)": "no choice ... state 2",
    "hsr.plan_over_options(mdp, task)": "FiniteMDP ... OptionModel",
    # Maps
    "hsr.hierarchical_sr(model, mu[:, :4])": "mu has shape (6, 4) ... 4 primitives ... 2 options",
    "hsr.hierarchical_sr(model, changed(mu, (2, 1), -0.25))": "mu[2, 1] is -0.25",
    "hsr.hierarchical_sr(model, changed(mu, (4, 3), 0.25001))": "mu[4] sums to 1.00001",
    "hsr.learn_hsr(mdp, options, changed(changed(mu, (2, 5), 0.25), (2, 0), 0.0))":
        "mu[2, 5] ... not available in state 2",
    "hsr.hierarchical_sr(model, mu, stopping_state='counted')": "stopping_state is 'counted'",
    "hsr.representation.hsr_bellman(model, mu, np.eye(5))": "(5, 5) ... (6, 6)",
    "hsr.successor_representation(mdp, np.ones((S, 2)) / 2)": "policy has shape (6, 2) ... (6, 4)",
    "hsr.successor_representation(mdp, changed(uniform, (3, 1), 0.5))": "policy[3] sums to 1.25",
    "hsr.expected_sr(mdp, [])": "tasks is empty",
    "hsr.expected_sr(mdp, [task], ties='options')": "ties is 'options' ... 'first'",
    "hsr.expected_sr(mdp, [task, hsr.GoalTask(None, 6)])": "task.goal is 6",
    "hsr.expected_sr(mdp, task)": "tasks is of type GoalTask",
    "hsr.expected_sr(mdp, [task], ties='random', seed=None)": "seed is None",
    "hsr.expected_hsr(mdp, options, [task], ties='first')": "ties is 'first'",
    "hsr.expected_hsr(other, options, [task])": "6 states ... 5",
    # Learning
    "hsr.learn_sr(mdp, uniform, steps=-1)": "steps is -1 ... at least 0",
    "hsr.learn_sr(mdp, uniform, steps=1e6)": "steps is 1000000.0 ... integer",
    "hsr.learn_sr(mdp, uniform, learning_rate=0.0)": "learning_rate is 0.0 ... (0, 1]",
    "hsr.learn_sr(mdp, uniform, decay=-1.0)": "decay is -1.0",
    "hsr.learn_sr(mdp, uniform, initial_map='ones')": "initial_map is 'ones' ... 'identity'",
    "hsr.learn_hsr(mdp, options, mu, task=hsr.GoalTask(None, 6))": "task.goal is 6",
}  # fmt: skip


@pytest.mark.parametrize("call", REFUSED)
def test_a_mistake_is_refused_with_its_place(call, given):
    words = ".*".join(map(re.escape, REFUSED[call].split(" ... ")))
    with pytest.raises(hsr.HSRError, match=words) as caught:
        eval(call, {"hsr": hsr, "np": np, "S": S, **given})
    assert isinstance(caught.value, ValueError)


def test_no_options_are_an_empty_set_of_options(given):
    model = hsr.option_model(given["mdp"], None)
    assert (model.n_choices, len(model.options)) == (A, 0)


@pytest.mark.parametrize("primitives", [True, False])
def test_the_same_calls_with_nothing_wrong_go_through(given, primitives):
    free = hsr.OptionSet(given["right"], given["stop"])
    mu = given["mu"] if primitives else np.ones((S, 2)) / 2
    learned = hsr.learn_hsr(given["mdp"], free, mu, steps=10)
    model = hsr.option_model(given["mdp"], free, primitives=primitives)
    exact = hsr.hierarchical_sr(model, mu).toarray()
    assert learned.shape == exact.shape == (S, S)
    np.testing.assert_allclose(exact.sum(axis=1), 10.0, rtol=1e-12)


def test_arrays_of_an_option_set_cannot_be_written_and_do_not_follow_the_callers(given):
    policy, beta, start = given["right"].copy(), given["stop"].copy(), np.ones((2, S), dtype=bool)
    options = hsr.OptionSet(policy, beta, start)
    policy[:], beta[:], start[:] = 0, 0.5, False
    np.testing.assert_array_equal(options.policy, given["right"])
    np.testing.assert_array_equal(options.termination, given["stop"])
    assert options.initiation.all()
    for array in (options.policy, options.termination, options.initiation, options[0].policy):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
