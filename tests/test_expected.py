"""Expected maps: the mean of single-task maps, each made by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hsr
from tests.oracles.dense_options import dense_hsr
from tests.oracles.random_options import option_models

CLOSE = {"rtol": 1e-10, "atol": 1e-10}  # as for single maps; a mean adds nothing


def some_tasks(data, mdp):
    """Draw one to three tasks; the same goal may come twice, and then counts twice."""
    goals = data.draw(st.lists(st.integers(0, mdp.n_states - 1), min_size=1, max_size=3))
    return [hsr.GoalTask(start=None, goal=goal) for goal in goals]


@pytest.mark.parametrize("ties", ["uniform", "first", "random"])
@given(data=st.data())
def test_expected_sr_is_the_mean_of_the_tasks_own_inverses(ties, data):
    mdp = data.draw(option_models()).mdp
    tasks, total = some_tasks(data, mdp), 0.0
    for task in tasks:
        P = np.einsum("sa,sat->st", hsr.greedy_policy(mdp, task, ties=ties, seed=2), mdp.toarray())
        P[task.goal] = 0.0
        total = total + np.linalg.inv(np.eye(mdp.n_states) - mdp.discount * P)
    M = hsr.expected_sr(mdp, tasks, ties=ties, seed=2)
    np.testing.assert_allclose(M.toarray(), total / len(tasks), **CLOSE)


@pytest.mark.parametrize("stopping_state", ["counted_once", "counted_twice"])
@pytest.mark.parametrize("ties", ["uniform", "options", "primitives", "random"])
@settings(max_examples=25)
@given(data=st.data())
def test_expected_hsr_is_the_mean_of_the_tasks_own_dense_maps(ties, stopping_state, data):
    model = data.draw(option_models(with_task=False))
    mdp, primitives = model.mdp, model.n_primitives > 0
    tasks, total = some_tasks(data, mdp), 0.0
    for task in tasks:
        mu = hsr.plan_over_options(model, task, ties=ties, seed=2)
        twice = stopping_state == "counted_twice"
        total = total + dense_hsr(mdp, model.options, mu, primitives=primitives, goal=task.goal, twice=twice)
    how = {"primitives": primitives, "ties": ties, "stopping_state": stopping_state, "seed": 2}
    M = hsr.expected_hsr(mdp, model.options, tasks, **how)
    np.testing.assert_allclose(M.toarray(), total / len(tasks), **CLOSE)


@given(data=st.data())
def test_every_view_of_an_expected_map_shows_the_same_numbers(data):
    model = data.draw(option_models(with_task=False))
    tasks, n = some_tasks(data, model.mdp), model.mdp.n_states
    x = np.linspace(-1.0, 2.0, 2 * n).reshape(n, 2)
    primitives = model.n_primitives > 0
    for M in (hsr.expected_sr(model.mdp, tasks), hsr.expected_hsr(model.mdp, model.options, tasks, primitives=primitives)):
        dense = M.toarray()
        np.testing.assert_allclose(M.rows([0, n - 1]), dense[[0, n - 1]], **CLOSE)
        np.testing.assert_allclose(M.columns([n - 1]), dense[:, [n - 1]], **CLOSE)
        np.testing.assert_allclose(M @ x, dense @ x, **CLOSE)
        np.testing.assert_allclose(x.T @ M, x.T @ dense, **CLOSE)
        np.testing.assert_allclose(M.T.toarray(), dense.T, **CLOSE)


def test_over_every_goal_of_the_four_rooms_each_goal_is_worth_the_discount_to_its_distance():
    """A single map has g^d in its goal's column; the mean over all goals holds a 104th of it, plus visits on the way."""
    layout = hsr.load_layout("four_rooms")
    mdp = hsr.grid_mdp(layout, discount=0.9)
    tasks = hsr.every_goal(mdp)
    assert [task.goal for task in tasks] == list(range(104))
    distance = np.stack([layout.distances_from(s) for s in range(104)])
    for M in (hsr.expected_sr(mdp, tasks), hsr.expected_hsr(mdp, hsr.eigenoptions(mdp, 8), tasks)):
        dense = M.toarray()
        # From s a task of distance d fills a row with 1 + g + ... + g^d = (1 - g^(d + 1)) / (1 - g).
        np.testing.assert_allclose(dense.sum(axis=1), ((1 - 0.9 ** (distance + 1)) / 0.1).mean(axis=1), rtol=1e-12)
        np.testing.assert_allclose(np.diag(dense), 1.0, rtol=1e-12)
        assert (dense >= 0.9**distance / 104 - 1e-15).all()


def test_primitives_preferred_the_expected_hsr_is_the_expected_sr():
    mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    tasks = hsr.every_goal(mdp)[::5]
    hierarchical = hsr.expected_hsr(mdp, hsr.eigenoptions(mdp, 4), tasks, ties="primitives")
    np.testing.assert_allclose(hierarchical.toarray(), hsr.expected_sr(mdp, tasks).toarray(), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("kind", ["sr", "hsr"])
def test_a_map_stays_as_it_was_when_the_list_of_tasks_is_changed(kind):
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.9)
    tasks = hsr.every_goal(mdp)
    M = hsr.expected_sr(mdp, tasks) if kind == "sr" else hsr.expected_hsr(mdp, hsr.point_options(mdp, [0, 4]), tasks)
    before = M.rows(0)
    tasks.pop()
    np.testing.assert_array_equal(M.rows(0), before)


@pytest.mark.parametrize("ties", ["uniform", "random"])
def test_lazy_rows_of_random_ties_are_rows_of_the_same_map(ties):
    mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    tasks, options = hsr.every_goal(mdp)[:20], hsr.eigenoptions(mdp, 4)
    for M in (hsr.expected_sr(mdp, tasks, ties=ties, seed=1), hsr.expected_hsr(mdp, options, tasks, ties=ties, seed=1)):
        np.testing.assert_allclose(M.rows(range(104)), M.toarray(), rtol=1e-12, atol=1e-15)


def test_no_tasks_are_refused():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("..."), discount=0.9)
    for make in (lambda: hsr.expected_sr(mdp, []), lambda: hsr.expected_hsr(mdp, hsr.point_options(mdp, [0]), [])):
        with pytest.raises(hsr.HSRError, match="tasks is empty"):
            make()


def test_a_state_without_any_choice_is_refused_when_the_map_is_made():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("..."), discount=0.9)
    options = hsr.point_options(mdp, [2])
    with pytest.raises(hsr.HSRError, match="no choice is available in state 2"):
        hsr.expected_hsr(mdp, options, hsr.every_goal(mdp), primitives=False)
