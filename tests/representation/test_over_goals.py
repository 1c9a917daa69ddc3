"""Expected maps by substitution, against the maps of single goals, which are computed otherwise."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from hsr.representation import over_goals
from tests.cases import raises

TIGHT = {"rtol": 1e-12, "atol": 1e-13}


def one_way_streets(n_states, seed):
    """Return a world in which every state can be reached, though not by the way back."""
    rng = np.random.default_rng(seed)
    successors = rng.integers(n_states, size=(n_states, 3))
    successors[:, 0] = (np.arange(n_states) + 1) % n_states
    return hsr.FiniteMDP.from_successors(successors, discount=0.85)


WORLDS = {
    "rooms": hsr.grid_mdp(hsr.room_grid(2, 3), discount=0.9),
    "maze": hsr.grid_mdp(hsr.random_maze(9, seed=1), discount=0.95),
    "one-way streets": one_way_streets(30, seed=0),
}
worlds = pytest.mark.parametrize("mdp", WORLDS.values(), ids=WORLDS)


def slowly(mdp, tasks, options=None, **how):
    """Return an expected map from policies that are given, one goal after another."""
    split = {key: how[key] for key in ("ties", "seed") if key in how}
    if options is None:
        policies = [hsr.greedy_policy(mdp, task, **split) for task in tasks]
        return hsr.expected_sr(mdp, tasks, policies=policies, **how).toarray()
    model = hsr.option_model(mdp, options)
    plans = [hsr.plan_over_options(model, task, **split) for task in tasks]
    return hsr.expected_hsr(mdp, options, tasks, policies=plans, **how).toarray()


def check_views(M, expected):
    """Compare every view of a map with its dense array."""
    x = np.random.default_rng(0).random((expected.shape[0], 2))
    assert_allclose(M.toarray(), expected, **TIGHT)
    assert_allclose(M.rows([3, 0, 3]), expected[[3, 0, 3]], **TIGHT)
    assert_allclose(M.columns([2, 5]), expected[:, [2, 5]], **TIGHT)
    assert_allclose(M @ x, expected @ x, **TIGHT)
    assert_allclose(M.T @ x, expected.T @ x, **TIGHT)


@worlds
@pytest.mark.parametrize("goal", ["ends", "continues"])
@pytest.mark.parametrize("ties", ["uniform", "first", "random"])
def test_every_view_of_an_expected_sr_is_the_mean_over_goals(mdp, ties, goal):
    tasks = hsr.goal_tasks(mdp)[::3] + hsr.goal_tasks(mdp)[:2]  # some goals twice
    how = {"ties": ties, "goal": goal, "seed": 4}
    check_views(hsr.expected_sr(mdp, tasks, **how), slowly(mdp, tasks, **how))


@worlds
@pytest.mark.parametrize("stopping_state", ["counted_once", "counted_twice"])
@pytest.mark.parametrize("ties", ["uniform", "options", "primitives", "random"])
def test_every_view_of_an_expected_hsr_is_the_mean_over_goals(mdp, ties, stopping_state):
    options = hsr.point_options(mdp, [1, 7, mdp.n_states - 1])
    tasks = hsr.goal_tasks(mdp)[::3]
    how = {"ties": ties, "stopping_state": stopping_state, "seed": 4}
    check_views(hsr.expected_hsr(mdp, options, tasks, **how), slowly(mdp, tasks, options, **how))


def test_options_begin_only_where_they_may():
    mdp = WORLDS["rooms"]
    full = hsr.point_options(mdp, [1, 7])
    some = full.initiation & (np.arange(mdp.n_states) % 2 == 0)
    options = hsr.OptionSet(full.policy, full.termination, some)
    tasks = hsr.goal_tasks(mdp)
    check_views(hsr.expected_hsr(mdp, options, tasks), slowly(mdp, tasks, options))


def test_where_a_goal_cannot_be_reached_the_map_is_still_the_mean_over_goals():
    mdp = hsr.FiniteMDP.from_successors([[1, 1], [2, 0], [2, 2]], discount=0.9)
    tasks = hsr.goal_tasks(mdp)
    assert_allclose(hsr.expected_sr(mdp, tasks).toarray(), slowly(mdp, tasks), **TIGHT)


def test_a_map_that_needs_more_room_than_was_made_at_first_gets_it(monkeypatch):
    mdp = WORLDS["maze"]
    expected = hsr.expected_sr(mdp).toarray()
    monkeypatch.setattr(over_goals, "_ROOM", 2)
    assert_array_equal(hsr.expected_sr(mdp).toarray(), expected)


def test_the_number_of_threads_changes_no_bit(monkeypatch):
    mdp = WORLDS["rooms"]
    M = hsr.expected_hsr(mdp, hsr.point_options(mdp, [1, 7]))
    x = np.random.default_rng(0).random(mdp.n_states)
    monkeypatch.setattr(over_goals, "_GOALS_PER_SUM", 3)
    shown = []
    for threads in ("1", "3"):
        monkeypatch.setenv("NUMBA_NUM_THREADS", threads)
        shown.append([M.toarray(), M.rows([0, 4]), M @ x, x @ M])
    for one, other in zip(*shown, strict=True):
        assert_array_equal(one, other)


# A sample of goals


def test_a_sample_of_all_goals_is_exact():
    mdp = WORLDS["rooms"]
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
    mdp = WORLDS["maze"]
    x = np.random.default_rng(0).random(mdp.n_states)
    exact = hsr.expected_sr(mdp) @ x
    inside = []
    for seed in range(40):
        M = hsr.expected_sr(mdp, goals=20, seed=seed)
        inside.append(np.abs(M @ x - exact) < 2.1 * M.standard_error(x))
    assert 0.88 < np.mean(inside) < 0.99  # 95 % for normal means


def test_samples_that_cannot_be_drawn_are_refused():
    mdp = WORLDS["rooms"]
    with raises("goals is 41; there are 40 states to draw them from"):
        hsr.expected_sr(mdp, goals=41)
    with raises("goals is 0; it must be an integer of at least 1"):
        hsr.expected_hsr(mdp, hsr.point_options(mdp, [1]), goals=0)
    with raises("tasks and goals cannot both be given"):
        hsr.expected_sr(mdp, hsr.goal_tasks(mdp), goals=3)
    assert np.isinf(hsr.expected_sr(mdp, goals=1).standard_error(np.ones(40))).all()
