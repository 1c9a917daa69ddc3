"""Expected maps: the mean of single-task maps, each made by hand."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from tests.cases import cases, raises
from tests.oracles.dense_options import dense_hsr
from tests.oracles.random_options import option_models
from tests.oracles.views import check_views
from tests.strategies import assert_refused, bad_choices, bad_distributions

CLOSE = {"rtol": 1e-10, "atol": 1e-10}  # as for single maps; a mean adds nothing


def some_tasks(data, mdp):
    """Draw one to three tasks; the same goal may come twice, and then counts twice."""
    goals = data.draw(st.lists(st.integers(0, mdp.n_states - 1), min_size=1, max_size=3))
    return [hsr.GoalTask(start=None, goal=goal) for goal in goals]


def two_goals():
    """Return a row of five cells, two point options, and one task for each end."""
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.9)
    return mdp, hsr.point_options(mdp, [0, 4]), hsr.goal_tasks(mdp)[::4]


goals_end_or_not = pytest.mark.parametrize("goal", ["ends", "continues"])


@goals_end_or_not
@pytest.mark.parametrize("ties", ["uniform", "first", "random"])
@given(data=st.data())
def test_expected_sr_is_the_mean_of_the_tasks_own_inverses(ties, goal, data):
    mdp = data.draw(option_models()).mdp
    tasks, total, n = some_tasks(data, mdp), 0.0, mdp.n_states
    for task in tasks:
        pi = hsr.greedy_policy(mdp, task, ties=ties, seed=2)
        P = np.einsum("sa,sat->st", pi, mdp.toarray())
        if goal == "ends":
            P[task.goal] = 0.0
        total = total + np.linalg.inv(np.eye(n) - mdp.discount * P)
    M = hsr.expected_sr(mdp, tasks, ties=ties, goal=goal, seed=2)
    check_views(M, total / len(tasks), [0, n - 1], **CLOSE)
    if goal == "continues":
        assert_allclose(M @ np.ones(n), 1.0 / (1.0 - mdp.discount), rtol=1e-9)


@goals_end_or_not
@pytest.mark.parametrize("stopping_state", ["counted_once", "counted_twice"])
@pytest.mark.parametrize("ties", ["uniform", "options", "primitives", "random"])
@settings(max_examples=25)
@given(data=st.data())
def test_expected_hsr_is_the_mean_of_the_tasks_own_dense_maps(ties, stopping_state, goal, data):
    model = data.draw(option_models(with_task=False))
    mdp, primitives, twice = model.mdp, model.n_primitives > 0, stopping_state == "counted_twice"
    tasks, total = some_tasks(data, mdp), 0.0
    for task in tasks:
        mu = hsr.plan_over_options(model, task, ties=ties, seed=2)
        end = {"goal": task.goal} if goal == "ends" else {}
        total = total + dense_hsr(mdp, model.options, mu, primitives=primitives, twice=twice, **end)
    how = {"primitives": primitives, "ties": ties, "stopping_state": stopping_state, "seed": 2}
    M = hsr.expected_hsr(mdp, model.options, tasks, goal=goal, **how)
    assert_allclose(M.toarray(), total / len(tasks), rtol=1e-9, atol=1e-9)
    check_views(M, M.toarray(), [0, mdp.n_states - 1], **CLOSE)
    if goal == "continues" and not twice:
        assert_allclose(M @ np.ones(mdp.n_states), 1.0 / (1.0 - mdp.discount), rtol=1e-9)


def test_over_every_goal_of_the_four_rooms_each_goal_is_worth_the_discount_to_its_distance():
    """A single map has g^d in its goal's column; the mean over all goals holds a 104th of it, plus
    visits before it.
    """
    layout = hsr.load_layout("four_rooms")
    mdp = hsr.grid_mdp(layout, discount=0.9)
    tasks = hsr.goal_tasks(mdp)
    assert [task.goal for task in tasks] == list(range(104))
    distance = np.stack([layout.distances_from(s) for s in range(104)])
    for M in (hsr.expected_sr(mdp, tasks), hsr.expected_hsr(mdp, hsr.eigenoptions(mdp, 8), tasks)):
        dense = M.toarray()
        # From s a task of distance d fills a row with 1 + g + ... + g^d = (1 - g^(d + 1)) / (1 -
        # g).
        assert_allclose(
            dense.sum(axis=1), ((1 - 0.9 ** (distance + 1)) / 0.1).mean(axis=1), rtol=1e-12
        )
        assert_allclose(np.diag(dense), 1.0, rtol=1e-12)
        assert (dense >= 0.9**distance / 104 - 1e-15).all()


@goals_end_or_not
def test_primitives_preferred_the_expected_hsr_is_the_expected_sr(goal):
    mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    tasks, options = hsr.goal_tasks(mdp)[::5], hsr.eigenoptions(mdp, 4)
    over_options = hsr.expected_hsr(mdp, options, tasks, ties="primitives", goal=goal)
    over_actions = hsr.expected_sr(mdp, tasks, goal=goal)
    assert_allclose(over_options.toarray(), over_actions.toarray(), rtol=1e-11, atol=1e-13)


def test_a_state_without_any_choice_is_refused_when_the_map_is_made():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("..."), discount=0.9)
    options = hsr.point_options(mdp, [2])
    with pytest.raises(hsr.HSRError, match="no choice is available in state 2"):
        hsr.expected_hsr(mdp, options, hsr.goal_tasks(mdp), primitives=False)


# Goals that do not end the map


def test_an_option_that_passes_the_goal_goes_on_if_the_goal_does_not_end_the_map():
    """On a row of five cells the option runs to the last one, through the goal in the middle."""
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.5)
    options, task = hsr.point_options(mdp, [4]), hsr.GoalTask(start=None, goal=2)
    mu = hsr.plan_over_options(hsr.option_model(mdp, options), task, ties="options")
    assert mu[0].tolist() == [0, 0, 0, 0, 1]
    M = hsr.expected_hsr(mdp, options, [task], ties="options")
    assert_allclose(M.rows(0), [1, 1 / 2, 1 / 4, 0, 0])
    on = hsr.expected_hsr(mdp, options, [task], ties="options", goal="continues")
    assert_allclose(on.rows(0)[:4] - on.rows(4)[:4] / 16, [1, 1 / 2, 1 / 4, 1 / 8], rtol=1e-12)


def test_other_words_for_what_follows_the_goal_are_refused():
    mdp, options, tasks = two_goals()
    for make in (hsr.expected_sr, partial(hsr.expected_hsr, options=options)):
        assert_refused(
            partial(make, mdp=mdp, tasks=tasks), "goal", bad_choices(["ends", "continues"])
        )


# Policies given by the caller


@given(data=st.data())
def test_given_the_planned_policies_the_expected_maps_are_the_planned_ones(data):
    model = data.draw(option_models(with_task=False))
    mdp, tasks = model.mdp, some_tasks(data, model.mdp)
    policies = [hsr.greedy_policy(mdp, task) for task in tasks]
    M, planned = hsr.expected_sr(mdp, tasks, policies=policies), hsr.expected_sr(mdp, tasks)
    assert_allclose(M.toarray(), planned.toarray(), **CLOSE)
    over_options = partial(
        hsr.expected_hsr, mdp, model.options, tasks, primitives=model.n_primitives > 0
    )
    plans = [hsr.plan_over_options(model, task) for task in tasks]
    for given_plans in (plans, np.array(plans)):
        M = over_options(policies=given_plans)
        assert_allclose(M.toarray(), over_options().toarray(), **CLOSE)


def test_each_task_is_followed_by_its_own_policy_whatever_the_ties_and_the_seed():
    mdp, options, tasks = two_goals()
    pi = np.random.default_rng(0).dirichlet(np.ones(4), size=(2, 5))
    M = hsr.expected_sr(mdp, tasks, policies=pi, ties="random", seed=3)
    maps = [
        hsr.successor_representation(mdp, policy, task=task).toarray()
        for policy, task in zip(pi, tasks, strict=True)
    ]
    assert_allclose(M.toarray(), np.mean(maps, axis=0), **CLOSE)
    mus = np.pad(pi, ((0, 0), (0, 0), (0, 2)))
    hierarchical = hsr.expected_hsr(mdp, options, tasks, policies=mus, ties="options", seed=3)
    assert_allclose(hierarchical.toarray(), M.toarray(), **CLOSE)


def test_a_map_stays_as_it_was_when_tasks_and_given_policies_are_changed():
    mdp, options, tasks = two_goals()
    policies = [np.full((5, 4), 0.25) for _ in tasks]
    mus = [hsr.plan_over_options(hsr.option_model(mdp, options), task) for task in tasks]
    maps = [
        hsr.expected_sr(mdp, tasks),
        hsr.expected_hsr(mdp, options, tasks),
        hsr.expected_sr(mdp, tasks, policies=policies),
        hsr.expected_hsr(mdp, options, tasks, policies=mus),
    ]
    before = [M.rows(range(5)) for M in maps]
    for array in (*policies, *mus):
        array[:] = np.eye(array.shape[1])[0]
    policies.clear()
    tasks.pop()
    for M, old in zip(maps, before, strict=True):
        assert_array_equal(M.rows(range(5)), old)


@cases(
    "spoil, complaint",
    {
        "too few": (lambda good: good[:1], "policies has 1 entries; there are 2 tasks"),
        "iterator": (iter, "policies is of type list_iterator; it must be a list of arrays"),
        "scalar": (lambda good: np.array(1.0), "policies is of type ndarray; it must be a list"),
        "none": (lambda good: [good[0], None], r"policies\[1\] is None"),
        "text": (lambda good: "no", r"policies\[0\]: .* cannot be read as"),
    },
)
def test_lists_of_policies_that_do_not_fit_are_refused(spoil, complaint):
    mdp, options, tasks = two_goals()
    policies = [hsr.greedy_policy(mdp, task) for task in tasks]
    plans = [np.pad(policy, ((0, 0), (0, 2))) for policy in policies]
    with raises(complaint):
        hsr.expected_sr(mdp, tasks, policies=spoil(policies))
    with raises(complaint):
        hsr.expected_hsr(mdp, options, tasks, policies=spoil(plans))


def test_policies_that_are_no_distributions_are_refused():
    mdp, options, tasks = two_goals()
    for n_choices, make in ((4, hsr.expected_sr), (6, partial(hsr.expected_hsr, options=options))):
        good = np.eye(n_choices)[np.zeros(5, dtype=int)]
        assert_refused(
            lambda bad, make=make, good=good: make(mdp=mdp, tasks=tasks, policies=[good, bad]),
            "bad",
            bad_distributions((5, n_choices)),
            r"policies\[1\]: ",
        )


def test_a_given_plan_may_not_choose_what_is_not_available():
    mdp, options, tasks = two_goals()
    mu = np.zeros((5, 6))
    mu[:, 4] = 1.0  # the first option cannot begin where it ends
    with raises(r"policies\[0\]: mu\[0, 4\] is 1, but choice 4 is not available in state 0"):
        hsr.expected_hsr(mdp, options, tasks, policies=[mu, mu])
