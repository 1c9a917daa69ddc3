"""Planning over options, against dense value iteration over every choice."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from tests.oracles.dense_options import dense_plan
from tests.oracles.random_options import goals, option_models

TIES = ["uniform", "options", "primitives", "random"]


def task_of(model, data):
    """Return the task of a model, or draw one."""
    states = st.integers(0, model.mdp.n_states - 1)
    return model.task or hsr.GoalTask(start=None, goal=data.draw(states))


def uniform_over(best):
    return best / best.sum(axis=1, keepdims=True)


def tied(q, v, goal):
    """Return (surely best, surely not best) choices; values within a factor of 1e-9 tie, and all do
    where nothing comes.
    """
    # The oracle's inverses leave 1e-16 where there should be nothing.
    open_states = (v > 1e-14) & (np.arange(v.size) != goal)
    best = np.where(open_states[:, None], q >= v[:, None] * (1.0 - 1e-10), q > -np.inf)
    worse = np.where(open_states[:, None], q < v[:, None] * (1.0 - 1e-8), q == -np.inf)
    return best, worse


def check_plan(model, task, mu, ties="uniform"):
    """Assert that a plan is optimal; return (states without doubtful ties, best choices)."""
    q, v = dense_plan(model.mdp, model.options, task.goal, primitives=model.n_primitives > 0)
    best, worse = tied(q, v, task.goal)
    assert_array_equal(mu[worse], 0.0)
    decided = (best | worse).all(axis=1)
    if ties == "uniform":
        assert_allclose(mu[decided], uniform_over(best)[decided], rtol=1e-15)
    return decided, best


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("kind", ["jump", None], ids=["jumps", "any options"])
@given(data=st.data())
def test_plan_is_a_distribution_over_optimal_available_choices(kind, ties, data):
    model = data.draw(option_models(kind=kind, of_tasks=goals))
    task = task_of(model, data)
    mu = hsr.plan_over_options(model, task, ties=ties, seed=5)
    assert mu.shape == (model.mdp.n_states, model.n_choices)
    assert_allclose(mu.sum(axis=1), 1.0, rtol=1e-15)
    assert_array_equal(mu[~model.available.T], 0.0)
    check_plan(model, task, mu, ties)


@given(data=st.data())
def test_preferring_options_or_primitives_keeps_only_them_where_one_is_best(data):
    model = data.draw(option_models(primitives=True, of_tasks=goals))
    task = task_of(model, data)
    uniform = hsr.plan_over_options(model, task)
    is_option = np.arange(model.n_choices) >= model.n_primitives
    for ties, kept in (("options", is_option), ("primitives", ~is_option)):
        wanted = (uniform > 0.0) & kept
        expected = np.where(wanted.any(axis=1, keepdims=True), wanted, uniform > 0.0)
        mu = hsr.plan_over_options(model, task, ties=ties)
        assert_allclose(mu, uniform_over(expected), rtol=1e-15)


@given(data=st.data())
def test_random_ties_take_one_best_choice_and_are_repeated_by_their_seed(data):
    model = data.draw(option_models(of_tasks=goals))
    task = model.task or hsr.GoalTask(start=None, goal=0)
    uniform = hsr.plan_over_options(model, task)
    mu, again, own = (
        hsr.plan_over_options(model, task, ties="random", seed=seed)
        for seed in (1, 1, np.random.default_rng(1))
    )
    assert_array_equal(mu.max(axis=1), 1.0)
    assert_array_equal((mu > 0.0).sum(axis=1), 1)
    assert_array_equal(mu[uniform == 0.0], 0.0)
    assert_array_equal(mu, again)
    assert_array_equal(mu, own)


def test_random_ties_draw_every_best_choice_equally_often():
    """2000 seeds, 104 states: the share of each tied choice has a standard error of at most 0.012;
    5 of them is 0.06.
    """
    mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    task = hsr.GoalTask(start=None, goal=60)
    model = hsr.option_model(mdp, hsr.eigenoptions(mdp, 4), task=task)
    share = np.mean(
        [hsr.plan_over_options(model, task, ties="random", seed=seed) for seed in range(2000)],
        axis=0,
    )
    assert_allclose(share, hsr.plan_over_options(model, task), atol=0.06)


@given(data=st.data())
def test_a_plan_is_the_same_whether_or_not_the_model_knows_the_task(data):
    model = data.draw(option_models(with_task=True, of_tasks=goals))
    without = hsr.option_model(model.mdp, model.options, primitives=model.n_primitives > 0)
    assert_array_equal(
        hsr.plan_over_options(model, model.task), hsr.plan_over_options(without, model.task)
    )


@given(data=st.data())
def test_with_primitives_preferred_the_map_is_the_successor_representation_of_the_greedy_walk(data):
    model = data.draw(option_models(with_task=True, of_tasks=goals, primitives=True))
    mu = hsr.plan_over_options(model, model.task, ties="primitives")
    assert_array_equal(mu[:, model.n_primitives :], 0.0)
    greedy = hsr.greedy_policy(model.mdp, model.task)
    assert_allclose(mu[:, : model.n_primitives], greedy, rtol=1e-15)
    expected = hsr.successor_representation(model.mdp, greedy, task=model.task).toarray()
    assert_allclose(hsr.hierarchical_sr(model, mu).toarray(), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("slip", [0.0, 0.2])
@pytest.mark.parametrize(("primitives", "goal"), [(True, (3, 6)), (False, (11, 11))])
def test_plans_on_the_four_rooms_are_optimal_by_dense_value_iteration(slip, primitives, goal):
    layout = hsr.load_layout("four_rooms")
    mdp = hsr.grid_mdp(layout, discount=0.9, slip=slip)
    options = hsr.point_options(mdp, [*layout.bottlenecks, 0, 103])
    task = hsr.GoalTask(start=None, goal=layout.state_at(*goal))
    model = hsr.option_model(mdp, options, primitives=primitives)
    decided, best = check_plan(model, task, hsr.plan_over_options(model, task))
    assert decided.mean() > 0.6  # with slip, some detours are worth only 1e-9 less
    # Options are worth something here.
    assert best[:, model.n_primitives :].any(axis=1).mean() > 0.2


def test_at_discount_zero_only_choices_that_enter_the_goal_at_once_are_better():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.0)
    model = hsr.option_model(mdp, hsr.OptionSet([[1] * 5], [[0, 0, 0, 0, 1]]))
    for ties, last in {
        "uniform": [0, 0.5, 0, 0, 0.5],
        "options": [0, 0, 0, 0, 1],
        "primitives": [0, 1, 0, 0, 0],
    }.items():
        mu = hsr.plan_over_options(model, hsr.GoalTask(start=None, goal=4), ties=ties)
        assert_array_equal(mu[3], last)
        if ties == "uniform":
            assert_array_equal(mu[:3], 0.2)


N_FAR = 10_000


@pytest.mark.parametrize("primitives", [True, False])
def test_a_plan_walks_to_a_goal_so_far_away_that_its_value_is_zero(primitives):
    """0.9^10000 is below the least number of a computer; the plan is by whole steps."""
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("." * N_FAR), discount=0.9)
    task = hsr.GoalTask(start=0, goal=N_FAR - 1)
    ways = np.stack([np.full(N_FAR, 1), np.full(N_FAR, 3)])
    stops = np.zeros((2, N_FAR))
    stops[0, ::100] = stops[1, ::100] = 1.0
    stops[0, -1] = stops[1, 0] = 1.0
    model = hsr.option_model(mdp, hsr.OptionSet(ways, stops), primitives=primitives)
    mu = hsr.plan_over_options(model, task)
    towards = [1, 4] if primitives else [0]
    assert_array_equal(mu[:-1][:, towards], 1.0 / len(towards))
    assert mu[:-1].sum() == N_FAR - 1
    assert_array_equal(hsr.optimal_value(mdp, task)[:100], 0.0)


def test_where_the_goal_cannot_be_reached_all_available_choices_tie():
    with pytest.warns(hsr.HSRWarning, match="2 parts"):
        layout = hsr.GridLayout.from_text("..#..")
    mdp = hsr.grid_mdp(layout, discount=0.9)
    options = hsr.OptionSet([[1, 1, 1, 1]], [[0, 1, 0, 1]], [[True, False, True, False]])
    task = hsr.GoalTask(start=None, goal=0)
    mu = hsr.plan_over_options(hsr.option_model(mdp, options), task)
    assert_array_equal(mu[1], [0, 0, 0, 1, 0])
    assert_array_equal(mu[2], [0.2] * 5)
    assert_array_equal(mu[3], [0.25] * 4 + [0])
    assert_array_equal(mu[0], [0.2] * 5)


def test_a_goal_too_far_for_its_value_is_refused_unless_steps_are_counted():
    """0.1^400 underflows. An option that never stops makes planning compare values, not steps."""
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("." * 400), discount=0.1)
    task, left = hsr.GoalTask(start=None, goal=399), np.full((1, 400), 3)
    endless = hsr.option_model(mdp, hsr.OptionSet(left, np.zeros((1, 400))))
    with pytest.raises(hsr.InputError, match="state 0 is so far from the goal that its value is"):
        hsr.plan_over_options(endless, task)
    short = hsr.option_model(mdp, hsr.OptionSet(left, np.ones((1, 400))))
    assert_array_equal(hsr.plan_over_options(short, task)[:399, 1], 1.0)


def test_point_options_take_shortest_paths_even_where_nothing_later_counts():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.0)
    option = hsr.point_options(mdp, targets=[4])[0]
    assert_array_equal(option.policy[:4], 1)
