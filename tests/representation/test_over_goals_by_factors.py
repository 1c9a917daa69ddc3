"""Expected maps in worlds with randomness, against the maps of single goals and their policies."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from hsr.representation import over_goals_by_factors
from tests.representation.test_over_goals import check_views, slowly


def random_world(n_states, seed):
    """Return a world with three outcomes per action, and a last state that is never left."""
    rng = np.random.default_rng(seed)
    P = np.zeros((n_states, 3, n_states))
    for s in range(n_states - 1):
        for a in range(3):
            P[s, a, rng.choice(n_states, 3, replace=False)] = rng.dirichlet(np.ones(3))
    P[-1, :, -1] = 1.0
    return hsr.FiniteMDP(P, discount=0.95)


WORLDS = {
    "slipping rooms": hsr.grid_mdp(hsr.room_grid(2, 3), discount=0.9, slip=0.1),
    "slipping maze": hsr.grid_mdp(hsr.random_maze(7, seed=1), discount=0.99, slip=0.3),
    "random world": random_world(25, seed=0),
}
worlds = pytest.mark.parametrize("mdp", WORLDS.values(), ids=WORLDS)


@worlds
@pytest.mark.parametrize("goal", ["ends", "continues"])
@pytest.mark.parametrize("ties", ["uniform", "first", "random"])
def test_every_view_of_an_expected_sr_is_the_mean_over_goals(mdp, ties, goal, monkeypatch):
    monkeypatch.setattr(over_goals_by_factors, "_GOALS_AT_ONCE", 5)
    tasks = hsr.goal_tasks(mdp)[::3] + hsr.goal_tasks(mdp)[:2]  # some goals twice
    how = {"ties": ties, "goal": goal, "seed": 4}
    check_views(hsr.expected_sr(mdp, tasks, **how), slowly(mdp, tasks, **how))


@pytest.mark.parametrize("ties", ["uniform", "options", "primitives", "random"])
def test_every_view_of_an_expected_hsr_is_the_mean_over_goals(ties):
    """Near the ends of options some plans choose them; for other goals they are ruled out."""
    mdp = WORLDS["slipping rooms"]
    options, tasks = hsr.point_options(mdp, [1, 30]), hsr.goal_tasks(mdp)[::4]
    model = hsr.option_model(mdp, options)
    chosen = [hsr.plan_over_options(model, task)[:, 4:] for task in tasks]
    some = [np.delete(mu, task.goal, axis=0).any() for mu, task in zip(chosen, tasks, strict=True)]
    assert 0 < sum(some) < len(tasks)
    how = {"ties": ties, "stopping_state": "counted_twice", "seed": 4}
    check_views(hsr.expected_hsr(mdp, options, tasks, **how), slowly(mdp, tasks, options, **how))


def test_options_with_random_policies_are_chosen_where_they_lose_nothing():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....\n....\n...."), discount=0.9)
    policy = np.tile([0.0, 0.5, 0.5, 0.0], (2, 12, 1))  # right or down
    stop = np.stack([np.arange(12) % 4 == 3, np.full(12, 0.3)])
    options = hsr.OptionSet(policy, stop, np.ones((2, 12), bool))
    tasks = hsr.goal_tasks(mdp)
    check_views(hsr.expected_hsr(mdp, options, tasks), slowly(mdp, tasks, options))


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


def test_the_number_of_threads_changes_no_bit(monkeypatch):
    mdp = WORLDS["slipping rooms"]
    M = hsr.expected_sr(mdp)
    x = np.random.default_rng(0).random(mdp.n_states)
    monkeypatch.setattr(over_goals_by_factors, "_GOALS_AT_ONCE", 3)
    shown = []
    for threads in ("1", "3"):
        monkeypatch.setenv("NUMBA_NUM_THREADS", threads)
        shown.append([M.toarray(), M.rows([0, 4]), M @ x, x @ M])
    for one, other in zip(*shown, strict=True):
        assert_array_equal(one, other)
