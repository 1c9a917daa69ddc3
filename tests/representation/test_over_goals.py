"""Expected maps over many goals at once, against the maps of single goals and their policies."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from hsr.representation import over_goals, over_goals_by_factors
from tests.cases import raises
from tests.oracles.views import check_views
from tests.strategies import assert_refused, bad_counts

TIGHT = {"rtol": 1e-12, "atol": 1e-13}


def one_way_streets(n_states, seed):
    """Return an MDP in which every state can be reached, but moves cannot be reversed."""
    rng = np.random.default_rng(seed)
    successors = rng.integers(n_states, size=(n_states, 3))
    successors[:, 0] = (np.arange(n_states) + 1) % n_states
    return hsr.FiniteMDP.from_successors(successors, discount=0.85)


def random_outcomes(n_states, seed):
    """Return an MDP with three outcomes per action, and a last state that is never left."""
    rng = np.random.default_rng(seed)
    P = np.zeros((n_states, 3, n_states))
    for s in range(n_states - 1):
        for a in range(3):
            P[s, a, rng.choice(n_states, 3, replace=False)] = rng.dirichlet(np.ones(3))
    P[-1, :, -1] = 1.0
    return hsr.FiniteMDP(P, discount=0.95)


DETERMINISTIC = {
    "rooms": lambda: hsr.grid_mdp(hsr.room_grid(2, 3), discount=0.9),
    "maze": lambda: hsr.grid_mdp(hsr.random_maze(9, seed=1), discount=0.95),
    "one-way streets": lambda: one_way_streets(30, seed=0),
}
STOCHASTIC = {
    "slipping rooms": lambda: hsr.grid_mdp(hsr.room_grid(2, 3), discount=0.9, slip=0.1),
    "slipping maze": lambda: hsr.grid_mdp(hsr.random_maze(7, seed=1), discount=0.99, slip=0.3),
    "random outcomes": lambda: random_outcomes(25, seed=0),
}


@cache
def mdp_of(name):
    return (DETERMINISTIC | STOCHASTIC)[name]()


def slowly(mdp, tasks, options=None, **how):
    """Return an expected map from policies that are given, one goal after another."""
    split = {key: how[key] for key in ("ties", "seed") if key in how}
    if options is None:
        policies = [hsr.greedy_policy(mdp, task, **split) for task in tasks]
        return hsr.expected_sr(mdp, tasks, policies=policies, **how).toarray()
    model = hsr.option_model(mdp, options)
    plans = [hsr.plan_over_options(model, task, **split) for task in tasks]
    return hsr.expected_hsr(mdp, options, tasks, policies=plans, **how).toarray()


def check_mean_over_goals(mdp, options=None, tasks=None, **how):
    """Assert that every view of an expected map is that of the mean over single goals."""
    tasks = tasks or hsr.goal_tasks(mdp)
    M = (
        hsr.expected_sr(mdp, tasks, **how)
        if options is None
        else hsr.expected_hsr(mdp, options, tasks, **how)
    )
    check_views(M, slowly(mdp, tasks, options, **how), [2, 0, 2], **TIGHT)


@pytest.mark.parametrize("name", [*DETERMINISTIC, *STOCHASTIC])
@pytest.mark.parametrize("goal", ["ends", "continues"])
@pytest.mark.parametrize("ties", ["uniform", "first", "random"])
def test_every_view_of_an_expected_sr_is_the_mean_over_goals(name, ties, goal, monkeypatch):
    monkeypatch.setattr(over_goals_by_factors, "_GOALS_AT_ONCE", 5)
    mdp = mdp_of(name)
    tasks = hsr.goal_tasks(mdp)[::3] + hsr.goal_tasks(mdp)[:2]  # some goals twice
    check_mean_over_goals(mdp, None, tasks, ties=ties, goal=goal, seed=4)


@pytest.mark.parametrize("name", DETERMINISTIC)
@pytest.mark.parametrize("stopping_state", ["counted_once", "counted_twice"])
@pytest.mark.parametrize("ties", ["uniform", "options", "primitives", "random"])
def test_every_view_of_an_expected_hsr_is_the_mean_over_goals(name, ties, stopping_state):
    mdp = mdp_of(name)
    options, tasks = hsr.point_options(mdp, [1, 7, mdp.n_states - 1]), hsr.goal_tasks(mdp)[::3]
    check_mean_over_goals(mdp, options, tasks, ties=ties, stopping_state=stopping_state, seed=4)


@pytest.mark.parametrize("ties", ["uniform", "options", "primitives", "random"])
def test_every_view_of_an_expected_hsr_of_a_stochastic_mdp_is_the_mean_over_goals(ties):
    """Near the ends of options some plans choose them; for other goals they are ruled out."""
    mdp = mdp_of("slipping rooms")
    options, tasks = hsr.point_options(mdp, [1, 30]), hsr.goal_tasks(mdp)[::4]
    model = hsr.option_model(mdp, options)
    chosen = [hsr.plan_over_options(model, task)[:, 4:] for task in tasks]
    some = [np.delete(mu, task.goal, axis=0).any() for mu, task in zip(chosen, tasks, strict=True)]
    assert 0 < sum(some) < len(tasks)
    check_mean_over_goals(mdp, options, tasks, ties=ties, stopping_state="counted_twice", seed=4)


def test_options_with_random_policies_are_chosen_where_they_lose_nothing():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....\n....\n...."), discount=0.9)
    policy = np.tile([0.0, 0.5, 0.5, 0.0], (2, 12, 1))  # right or down
    stop = np.stack([np.arange(12) % 4 == 3, np.full(12, 0.3)])
    check_mean_over_goals(mdp, hsr.OptionSet(policy, stop, np.ones((2, 12), bool)))


def test_values_too_small_to_be_compared_are_refused():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("." * 120), discount=1e-3, slip=0.1)
    with pytest.raises(hsr.InputError, match="so far from the goal that its value is below"):
        hsr.expected_sr(mdp).toarray()


@pytest.mark.parametrize("discount", [0.0, 0.99999])
def test_the_smallest_and_the_largest_discount_give_the_same_maps(discount):
    """Values hardly differ, or are all zero."""
    layout = hsr.GridLayout.from_text("....\n...#\n....")
    mdp = hsr.grid_mdp(layout, discount=discount, slip=0.2)
    tasks = hsr.goal_tasks(mdp)[::40] + hsr.goal_tasks(mdp)[:2]
    M, expected = hsr.expected_sr(mdp, tasks).toarray(), slowly(mdp, tasks)
    assert_allclose(M, expected, rtol=1e-12 / (1.0 - discount), atol=1e-13)


def test_options_begin_only_where_they_may():
    mdp = mdp_of("rooms")
    full = hsr.point_options(mdp, [1, 7])
    some = full.initiation & (np.arange(mdp.n_states) % 2 == 0)
    check_mean_over_goals(mdp, hsr.OptionSet(full.policy, full.termination, some))


def test_where_a_goal_cannot_be_reached_the_map_is_still_the_mean_over_goals():
    check_mean_over_goals(hsr.FiniteMDP.from_successors([[1, 1], [2, 0], [2, 2]], discount=0.9))


def test_a_map_that_needs_more_room_than_was_made_at_first_gets_it(monkeypatch):
    mdp = mdp_of("maze")
    expected = hsr.expected_sr(mdp).toarray()
    monkeypatch.setattr(over_goals, "_ROOM", 2)
    assert_array_equal(hsr.expected_sr(mdp).toarray(), expected)


@pytest.mark.parametrize("name", ["rooms", "slipping rooms"])
def test_the_number_of_threads_changes_no_bit(name, monkeypatch):
    mdp = mdp_of(name)
    M = hsr.expected_hsr(mdp, hsr.point_options(mdp, [1, 7]))
    x = np.random.default_rng(0).random(mdp.n_states)
    monkeypatch.setattr(over_goals, "_GOALS_PER_SUM", 3)
    monkeypatch.setattr(over_goals_by_factors, "_GOALS_AT_ONCE", 3)
    views = []
    for threads in ("1", "3"):
        monkeypatch.setenv("NUMBA_NUM_THREADS", threads)
        views.append([M.toarray(), M.rows([0, 4]), M @ x, x @ M])
    for alone, together in zip(*views, strict=True):
        assert_array_equal(alone, together)


# A sample of goals


def test_a_sample_of_all_goals_is_exact():
    mdp = mdp_of("rooms")
    M = hsr.expected_sr(mdp, goals=mdp.n_states, seed=5)
    assert_array_equal(M.toarray(), hsr.expected_sr(mdp).toarray())
    assert not M.standard_error(np.ones(mdp.n_states)).any()


@pytest.mark.parametrize("slip", [0.0, 0.2])
def test_the_standard_error_is_that_of_a_sample_without_replacement(slip):
    mdp = hsr.grid_mdp(hsr.room_grid(2, 2), discount=0.9, slip=slip)
    M = hsr.expected_sr(mdp, goals=6, seed=1)
    goals = np.sort(np.random.default_rng(1).choice(mdp.n_states, 6, replace=False))
    x = np.random.default_rng(0).random(mdp.n_states)
    each = [hsr.expected_sr(mdp, [hsr.GoalTask(None, int(goal))]) @ x for goal in goals]
    assert_allclose(M @ x, np.mean(each, axis=0), **TIGHT)
    s = np.std(each, axis=0, ddof=1)
    assert_allclose(
        M.standard_error(x), s * np.sqrt((1 - 6 / mdp.n_states) / 6), rtol=1e-6, atol=1e-9
    )


def test_intervals_of_samples_contain_the_mean_over_every_goal():
    mdp = mdp_of("maze")
    x = np.random.default_rng(0).random(mdp.n_states)
    exact = hsr.expected_sr(mdp) @ x
    inside = []
    for seed in range(40):
        M = hsr.expected_sr(mdp, goals=20, seed=seed)
        inside.append(np.abs(M @ x - exact) < 2.1 * M.standard_error(x))
    assert 0.88 < np.mean(inside) < 0.99  # 95 % for normal means


def test_samples_that_cannot_be_drawn_are_refused():
    mdp = mdp_of("rooms")
    bad = bad_counts(most=mdp.n_states)
    assert_refused(lambda goals: hsr.expected_sr(mdp, goals=goals), "goals", bad)
    assert_refused(lambda goals: hsr.expected_hsr(mdp, None, goals=goals), "goals", bad)
    with raises("tasks and goals cannot both be given"):
        hsr.expected_sr(mdp, hsr.goal_tasks(mdp), goals=3)
    assert np.isinf(hsr.expected_sr(mdp, goals=1).standard_error(np.ones(40))).all()
