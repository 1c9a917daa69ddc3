"""Expected maps: the mean of single-task maps, each made by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from tests.cases import cases, raises
from tests.oracles.dense_options import dense_hsr
from tests.oracles.random_options import option_models
from tests.strategies import assert_refused, bad_distributions

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
        if ties == "uniform":
            assert_allclose(pi[task.goal], 1.0 / mdp.n_actions)
        P = np.einsum("sa,sat->st", pi, mdp.toarray())
        if goal == "ends":
            P[task.goal] = 0.0
        total = total + np.linalg.inv(np.eye(n) - mdp.discount * P)
    M = hsr.expected_sr(mdp, tasks, ties=ties, goal=goal, seed=2)
    assert_allclose(M.toarray(), total / len(tasks), **CLOSE)
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
    if goal == "continues" and not twice:
        assert_allclose(M @ np.ones(mdp.n_states), 1.0 / (1.0 - mdp.discount), rtol=1e-9)


def check_views(M, n):
    """Check that rows, columns, products and the transpose agree with the dense map."""
    x, dense = np.linspace(-1.0, 2.0, 2 * n).reshape(n, 2), M.toarray()
    assert_allclose(M.rows([0, n - 1]), dense[[0, n - 1]], **CLOSE)
    assert_allclose(M.columns([n - 1]), dense[:, [n - 1]], **CLOSE)
    assert_allclose(M @ x, dense @ x, **CLOSE)
    assert_allclose(x.T @ M, x.T @ dense, **CLOSE)
    assert_allclose(M.T.toarray(), dense.T, **CLOSE)


@goals_end_or_not
@given(data=st.data())
def test_every_view_of_an_expected_map_shows_the_same_numbers(goal, data):
    model = data.draw(option_models(with_task=False))
    tasks, n = some_tasks(data, model.mdp), model.mdp.n_states
    how = {"goal": goal, "primitives": model.n_primitives > 0}
    check_views(hsr.expected_sr(model.mdp, tasks, goal=goal), n)
    check_views(hsr.expected_hsr(model.mdp, model.options, tasks, **how), n)


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


@pytest.mark.parametrize("kind", ["sr", "hsr"])
def test_a_map_stays_as_it_was_when_the_list_of_tasks_is_changed(kind):
    mdp, options, tasks = two_goals()
    M = hsr.expected_sr(mdp, tasks) if kind == "sr" else hsr.expected_hsr(mdp, options, tasks)
    before = M.rows(0)
    tasks.pop()
    assert_array_equal(M.rows(0), before)


@pytest.mark.parametrize("ties", ["uniform", "random"])
def test_lazy_rows_of_random_ties_are_rows_of_the_same_map(ties):
    mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    tasks, options = hsr.goal_tasks(mdp)[:20], hsr.eigenoptions(mdp, 4)
    for M in (
        hsr.expected_sr(mdp, tasks, ties=ties, seed=1),
        hsr.expected_hsr(mdp, options, tasks, ties=ties, seed=1),
    ):
        assert_allclose(M.rows(range(104)), M.toarray(), rtol=1e-12, atol=1e-15)


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
    for make in (
        lambda: hsr.expected_sr(mdp, tasks, goal="stays"),
        lambda: hsr.expected_hsr(mdp, options, tasks, goal="stays"),
    ):
        with raises("goal is 'stays'; it must be one of 'ends', 'continues'"):
            make()


# Policies given by the caller


@given(data=st.data())
def test_given_the_planned_policies_the_expected_maps_are_the_planned_ones(data):
    model = data.draw(option_models(with_task=False))
    mdp, tasks, primitives = model.mdp, some_tasks(data, model.mdp), model.n_primitives > 0
    policies = [hsr.greedy_policy(mdp, task) for task in tasks]
    assert_allclose(
        hsr.expected_sr(mdp, tasks, policies=policies).toarray(),
        hsr.expected_sr(mdp, tasks).toarray(),
        **CLOSE,
    )
    plans = [hsr.plan_over_options(model, task) for task in tasks]
    for given_plans in (plans, np.array(plans)):
        M = hsr.expected_hsr(mdp, model.options, tasks, primitives=primitives, policies=given_plans)
        planned = hsr.expected_hsr(mdp, model.options, tasks, primitives=primitives)
        assert_allclose(M.toarray(), planned.toarray(), **CLOSE)


def test_each_task_is_followed_by_its_own_policy_whatever_the_ties_and_the_seed():
    mdp, options, tasks = two_goals()
    pi = np.random.default_rng(0).dirichlet(np.ones(4), size=(2, 5))
    M = hsr.expected_sr(mdp, tasks, policies=pi, ties="random", seed=3)
    maps = [
        hsr.successor_representation(mdp, pi[k], task=task).toarray()
        for k, task in enumerate(tasks)
    ]
    assert_allclose(M.toarray(), np.mean(maps, axis=0), **CLOSE)
    mus = [np.pad(pi[k], ((0, 0), (0, 2))) for k in range(2)]
    hierarchical = hsr.expected_hsr(mdp, options, tasks, policies=mus, ties="options", seed=3)
    assert_allclose(hierarchical.toarray(), M.toarray(), **CLOSE)


def test_a_map_stays_as_it_was_when_the_given_policies_are_changed():
    mdp, options, tasks = two_goals()
    policies = [np.full((5, 4), 0.25) for _ in tasks]
    mus = [hsr.plan_over_options(hsr.option_model(mdp, options), task) for task in tasks]
    maps = [
        hsr.expected_sr(mdp, tasks, policies=policies),
        hsr.expected_hsr(mdp, options, tasks, policies=mus),
    ]
    before = [M.toarray() for M in maps]
    for array in (*policies, *mus):
        array[:] = np.eye(array.shape[1])[0]
    policies.clear()
    for M, old in zip(maps, before, strict=True):
        assert_array_equal(M.toarray(), old)


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
    plans = [hsr.plan_over_options(hsr.option_model(mdp, options), task) for task in tasks]
    with raises(complaint):
        hsr.expected_sr(mdp, tasks, policies=spoil(policies))
    with raises(complaint):
        hsr.expected_hsr(mdp, options, tasks, policies=spoil(plans))


def test_policies_that_are_no_distributions_are_refused():
    mdp, options, tasks = two_goals()

    def expected_sr(bad):
        return hsr.expected_sr(mdp, tasks, policies=[np.full((5, 4), 0.25), bad])

    def expected_hsr(bad):
        plans = [hsr.plan_over_options(hsr.option_model(mdp, options), tasks[0]), bad]
        return hsr.expected_hsr(mdp, options, tasks, policies=plans)

    named = r"policies\[1\]: "
    assert_refused(expected_sr, "bad", bad_distributions((5, 4)), named)
    assert_refused(expected_hsr, "bad", bad_distributions((5, 6)), named)


def test_a_given_plan_may_not_choose_what_is_not_available():
    mdp, options, tasks = two_goals()
    mu = np.zeros((5, 6))
    mu[:, 4] = 1.0  # the first option cannot begin where it ends
    with raises(r"policies\[0\]: mu\[0, 4\] is 1, but choice 4 is not available in state 0"):
        hsr.expected_hsr(mdp, options, tasks, policies=[mu, mu])
