"""The theory's functions against maps of long corridors, which are lines, and simple limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm
from studies.when_hierarchy_pays import (
    EXPERIMENT,
    at_best_discount,
    boundary,
    choices_of,
    line_maps,
    maze_of,
    predicted_reach,
    run,
)

import hsr

LENGTH = 301
MIDDLE = 150


@pytest.fixture(scope="module")
def corridor():
    return hsr.grid_mdp(hsr.GridLayout.from_text("." * LENGTH), discount=0.9)


def test_choices_are_counted_with_their_lengths(corridor):
    lengths, probabilities = choices_of(corridor)
    assert lengths.tolist() == [0, 1]
    moves = 2 * (LENGTH - 1) / (4 * LENGTH)
    assert_allclose(probabilities, [1.0 - moves, moves])
    model = hsr.option_model(corridor, hsr.point_options(corridor, targets=[0]))
    lengths, probabilities = choices_of(model)
    assert lengths[-1] == LENGTH - 1
    assert_allclose(probabilities.sum(), 1.0)


@pytest.mark.parametrize("k", [1, 3, 40, 10**6])
def test_the_flat_line_is_an_endless_corridor(corridor, k):
    (profile,) = line_maps(([0, 1], np.array([0.5, 0.5])), 0.9, [k])
    row = hsr.bellman_sweeps(corridor, sweeps=k).rows(MIDDLE)
    assert_allclose(profile[:100], row[MIDDLE : MIDDLE + 100], atol=1e-12)


def test_the_line_with_runs_is_a_corridor_whose_options_run_straight(corridor):
    # From every state, options run 12 steps to the right or left: a policy for each remainder
    # would be needed, so that the ends are asked for by hand, from the middle outwards.
    lengths, probabilities = np.array([0, 1, 12]), np.array([0.3, 0.3, 0.4])
    g, n = 0.9, 801
    M = np.zeros((2, n))
    past = [np.zeros(n)]
    at = np.zeros(n)
    at[n // 2] = 1.0
    for k in range(1, 61):
        now = np.zeros(n)
        for length, p in zip(lengths, probabilities, strict=True):
            t = max(1, length)
            for j in range(min(k, t)):
                step = j if length else 0
                now += p * g**j * 0.5 * (np.roll(at, step) + np.roll(at, -step))
            if k >= t:
                old = past[k - t]
                now += p * g**t * 0.5 * (np.roll(old, length) + np.roll(old, -length))
        past.append(now)
    M = line_maps((lengths, probabilities), g, [5, 60])
    for row, k in zip(M, (5, 60), strict=True):
        assert_allclose(row[:300], past[k][n // 2 : n // 2 + 300], atol=1e-12)


def test_reach_is_the_product_of_right_steps():
    profile = np.array([1.0, 0.5, 0.25, 0.125])
    first, second = norm.cdf(0.75 / (np.sqrt(2) * 0.5)), norm.cdf(0.375 / (np.sqrt(2) * 0.5))
    assert_allclose(predicted_reach(profile, 0.5, np.array([1])), first)
    expected = (first + first * second) / 2
    assert_allclose(predicted_reach(profile, 0.5, np.array([1, 2])), expected)


@pytest.mark.parametrize("sigma", [1e-3, 1e-6])
def test_the_boundary_is_where_the_contrast_of_a_line_falls_to_the_noise(sigma):
    # The closed form drops what grows slower than the exponent: within a factor of two.
    d = 200
    k = int(boundary(sigma) * d**2)
    (profile,) = line_maps(([0, 1], np.array([0.5, 0.5])), 1.0 - 1e-9, [k])
    contrast = (profile[:-2] - profile[2:]) / profile[0]
    assert 0.5 < np.flatnonzero(contrast > sigma).max() / d < 1.5


def test_discounts_are_chosen_in_other_mazes_of_the_same_size():
    values = np.zeros((60, 1, 1, 3))
    world = np.arange(60)
    # In every second turn the second discount is best, and in the others the third one.
    half, size = world // 15 % 2, world // 5 % 3
    values[half == 0, ..., 1], values[half == 1, ..., 2] = 1.0, 1.0
    values[half == 0, ..., 2], values[half == 1, ..., 1] = 0.25, 0.75
    found = at_best_discount(values)[:, 0, 0]
    assert_allclose(found[half == 0], 0.25)
    assert_allclose(found[half == 1], 0.75)
    values[size == 1] = [2.0, 0.0, 0.0]  # another size has another best discount
    assert_allclose(at_best_discount(values)[size == 1], 2.0)
    assert_allclose(at_best_discount(values)[(half == 0) & (size != 1)], 0.25)


def test_families_and_sizes_take_turns():
    mazes = [maze_of(world) for world in range(30)]
    assert len({maze.name for maze in mazes}) == 30
    assert sorted({maze.n_rows for maze in mazes}) == [11, 15, 21]


def test_exact_maps_lead_everywhere_and_noise_costs_goals():
    condition = EXPERIMENT.conditions(EXPERIMENT.setting("smoke", {}))["SR"]
    found = run(condition, 0)
    reached = found["reached"][0]
    assert (reached[-1, 0] == 1.0).all()
    assert (reached[-1, -1] < 0.5).all()
    assert_allclose(found["predicted_horizon"][0, :4], found["horizon"][0, :4], rtol=0.1)
    assert np.abs(found["predicted"][0, :, :6].max(-1) - reached[:, :6].max(-1)).mean() < 0.1
