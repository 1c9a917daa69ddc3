"""Horizons: planted decay is recovered, closed forms are met, and predictions meet measurements."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import hsr
from tests.cases import raises


def corridor(n, discount):
    return hsr.grid_mdp(hsr.GridLayout.from_text("." * n), discount=discount)


def map_of(entries):
    return hsr.PredictiveMap(entries.shape, lambda x: entries @ x, lambda y: entries.T @ y)


@pytest.mark.parametrize("length", [0.7, 3.0, 40.0])
def test_a_planted_decay_is_recovered(length):
    layout = hsr.load_layout("four_rooms")
    mdp = hsr.grid_mdp(layout)
    d = np.stack([layout.distances_from(s) for s in range(mdp.n_states)])
    entries = 2.5 * np.exp(-d / length)
    for M in (entries, map_of(entries)):
        found = hsr.horizon(M, mdp)
        assert_allclose([found.length, *found.interval, found.r2], [length] * 3 + [1.0])
        assert_allclose(found.of_states, length)
        assert_allclose(found.log_visits, np.log(2.5) - found.distances / length)
    assert float(found) == found.length
    assert len(repr(found)) < 200
    assert found.positive == 1.0
    assert hsr.horizon(entries, mdp, states=[5, 7]).of_states.shape == (2,)


def test_entries_without_a_logarithm_are_left_out_and_counted():
    mdp = corridor(30, 0.9)
    d = np.abs(np.subtract.outer(np.arange(30), np.arange(30)))
    entries = np.where(d <= 10, np.exp(-d / 4.0), 0.0)
    found = hsr.horizon(entries, mdp)
    assert_allclose(found.length, 4.0)
    assert_allclose(found.positive, ((d > 0) & (d <= 10)).sum() / (d > 0).sum())
    with raises(r"M has shape \(6, 6\); it must have shape \(7, 7\)"):
        hsr.horizon(hsr.successor_representation(corridor(6, 0.9)), corridor(7, 0.9))
    with raises("nearest is 0.5; it must be an integer"):
        hsr.horizon(np.eye(7), corridor(7, 0.9), nearest=0.5)
    with raises("no row of the map has positive visits at three distances"):
        hsr.horizon(np.eye(30), mdp)


def test_states_that_differ_give_an_interval():
    mdp = corridor(40, 0.9)
    d = np.abs(np.subtract.outer(np.arange(40), np.arange(40)))
    rates = np.linspace(0.2, 0.4, 40)
    found = hsr.horizon(np.exp(-rates[:, None] * d), mdp)
    assert_allclose(found.length, 1.0 / 0.3)
    # The t interval of 40 equally spaced numbers, from a table: 2.0227 standard errors.
    half = 2.0227 * rates.std(ddof=1) / np.sqrt(40)
    assert_allclose(found.interval, [1.0 / (0.3 + half), 1.0 / (0.3 - half)], rtol=1e-4)


@pytest.mark.parametrize("discount", [0.8, 0.95, 0.99])
def test_the_random_walk_in_a_corridor_has_its_closed_form(discount):
    # The SR of an endless corridor is M(d) ~ r^d with r + 1/r = 2 (1 - g (1 - q)) / (g q), and q is
    # a half: two of four actions move.
    half = (1.0 - discount * 0.5) / (discount * 0.5)
    r = half - np.sqrt(half**2 - 1.0)
    mdp = corridor(401, discount)
    found = hsr.horizon(hsr.successor_representation(mdp), mdp, states=[200])
    assert_allclose(found.length, -1.0 / np.log(r), rtol=2e-2)  # the walls are 200 steps away
    assert_allclose(hsr.predicted_horizon(mdp), -1.0 / np.log(r), rtol=5e-3)


def test_the_flat_map_is_diffusive_and_the_hierarchical_one_ballistic():
    discounts = (0.9, 0.99)
    flat, ballistic = [], []
    for discount in discounts:
        mdp = corridor(4001, discount)
        flat.append(hsr.predicted_horizon(mdp))
        model = hsr.option_model(mdp, hsr.point_options(mdp, targets=[0, 4000]))
        ballistic.append(hsr.predicted_horizon(model))
    assert_allclose(flat[1] / flat[0], np.sqrt(10), rtol=5e-2)
    assert 9.0 < ballistic[1] / ballistic[0] < 10.5
    assert_allclose(ballistic, [-1.0 / np.log(g) for g in discounts], rtol=0.05)


def test_predictions_meet_measurements_in_mazes():
    for seed in range(5):
        layout = hsr.random_maze(21, seed=seed)
        mdp = hsr.grid_mdp(layout, discount=0.98)
        flat = hsr.horizon(hsr.successor_representation(mdp), mdp).length
        assert_allclose(hsr.predicted_horizon(mdp), flat, rtol=0.1)
        model = hsr.option_model(mdp, hsr.eigenoptions(mdp, n_options=16))
        M = hsr.hierarchical_sr(model, hsr.uniform_policy(model))
        assert 0.4 < hsr.horizon(M, mdp).length / hsr.predicted_horizon(model) < 1.3


def test_a_matched_discount_gives_the_wanted_horizon():
    layout = hsr.random_maze(21, seed=3)
    for length in (1.0, 4.0, 30.0):
        discount = hsr.representation.matched_discount(hsr.grid_mdp(layout), length)
        assert_allclose(hsr.predicted_horizon(hsr.grid_mdp(layout, discount=discount)), length)
    discount = hsr.representation.matched_discount(hsr.grid_mdp(layout), 5.0)
    mdp = hsr.grid_mdp(layout, discount=discount)
    assert_allclose(hsr.horizon(hsr.successor_representation(mdp), mdp).length, 5.0, rtol=0.1)
    with raises("length is -1; a horizon must be positive"):
        hsr.representation.matched_discount(mdp, -1.0)


def test_a_world_with_chance_is_predicted_as_its_closed_form():
    # With slip e, an intended move happens with probability 1 - e + e / 4, and q changes with it.
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("." * 201), discount=0.95, slip=0.4)
    q = 1.0 - np.mean([mdp.transition_of(a).diagonal().mean() for a in range(mdp.n_actions)])
    rate = np.arccosh((1.0 / 0.95 - 1.0 + q) / q)
    assert_allclose(hsr.predicted_horizon(mdp), 1.0 / rate)
    model = hsr.option_model(mdp, None)
    assert_allclose(hsr.predicted_horizon(model), 1.0 / rate)
    assert hsr.predicted_horizon(corridor(9, 0.0)) == 0.0
    with raises("no choice leads to another state"):
        hsr.predicted_horizon(hsr.FiniteMDP(np.eye(3)[:, None], discount=0.9))


def test_a_policy_with_other_sums_is_named_as_it_was_given():
    mdp = corridor(3, 0.9)
    half = np.full((3, mdp.n_actions), 0.5 / mdp.n_actions)
    with raises(r"mu\[0\] sums to 0.5"):
        hsr.predicted_horizon(mdp, half)
    with raises(r"mu\[0\] sums to 0.5"):
        hsr.bellman_sweeps(mdp, half, sweeps=1)
