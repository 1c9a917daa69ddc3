"""Worlds, noise, price and choices of the study, with simple limits and a corridor as answers."""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse.csgraph import connected_components
from when_hierarchy_pays import (
    CLAIMS,
    DIAGONAL,
    ENTRY,
    EXPERIMENT,
    FOLLOWED,
    LARGE,
    LARGE_64,
    MAIN,
    SAMPLES,
)
from when_maps import (
    DISCOUNTS,
    OPTION_DISCOUNTS,
    RATES,
    SAMPLED_DISCOUNTS,
    by_actions,
    maze_of,
    models_of,
    noisy,
    price,
    size_and_half,
)
from when_report import AT_COST, AT_ROUNDS, HIERARCHICAL, at_best, boundary, crossing

import hsr
from tests.cases import raises
from tests.studies.planting import arrays_in, planted

SIZES = (11, 15, 21)


def test_mazes_are_different_and_connected():
    mazes = [maze_of(SIZES, world) for world in range(30)]
    assert len({maze.fingerprint for maze in mazes}) == 30
    for maze in mazes:
        assert connected_components(hsr.MarkovChain.from_policy(maze).matrix)[0] == 1
    for sizes in (SIZES, (31, 41)):
        size, half = size_and_half(sizes, np.arange(10 * len(sizes)))
        assert np.bincount(2 * size + half).tolist() == [5] * 2 * len(sizes)


def test_a_round_over_options_updates_a_value_wherever_they_do_not_stop():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.9)
    model = hsr.option_model(mdp, hsr.point_options(mdp, targets=[0, 4]))
    assert_allclose(price([model]), (5 * 4 + 2 * 4) / (5 * 4))
    fewer = hsr.option_model(mdp, hsr.point_options(mdp, targets=[0]))
    assert_allclose(price([model, fewer]), (5 * 4 + 4) / (5 * 4))


def test_noise_has_its_units():
    goals, rng = np.arange(2), np.random.default_rng(0)
    columns = np.full((20_000, 2), 1e-3)
    columns[goals, goals] = 8.0
    draws = rng.standard_normal(columns.shape)
    sizes = {
        units: (noisy(columns, goals, 0.01, units, draws) - columns)[2:].std()
        for units in ("visits", "diagonal", "entry")
    }
    assert_allclose(list(sizes.values()), [0.01, 0.08, 1e-5], rtol=0.02)
    assert_allclose(
        np.log(noisy(columns, goals, 0.5, "entry", draws)), np.log(columns) + 0.5 * draws
    )


def test_all_units_agree_without_noise_and_others_are_refused():
    goals, draws = np.arange(3), np.ones((5, 3))
    columns = np.random.default_rng(0).random((5, 3))
    for units in ("visits", "diagonal", "entry"):
        assert_allclose(noisy(columns, goals, 0.0, units, draws), columns)
    with raises("units is 'steps'; it must be one of visits, diagonal, entry"):
        noisy(columns, goals, 0.0, "steps", draws)


def test_an_agent_without_noise_reaches_what_the_map_knows():
    n, k = 31, 9
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("." * n), discount=0.9)
    goals = np.array([0])
    columns = hsr.bellman_sweeps(mdp, sweeps=k).columns(goals)
    reader = hsr.option_model(mdp, None)
    (share,) = by_actions(reader, columns[None], goals)
    # A neighbour within k - 1 steps of the goal is known after k rounds.
    assert_allclose(share, k / (n - 1))


def test_settings_are_chosen_in_other_mazes_of_the_same_size():
    worlds = np.arange(60)
    size, half = size_and_half(SIZES, worlds)
    values = np.zeros((60, 1, 1, 1, 3, 1))
    # In one half the second discount is best, and in the other one the third.
    values[half == 0, ..., 1, 0], values[half == 1, ..., 2, 0] = 1.0, 1.0
    values[half == 0, ..., 2, 0], values[half == 1, ..., 1, 0] = 0.25, 0.75
    reached, chosen, at_end = at_best(values, SIZES, worlds)
    assert_allclose(reached[half == 0], 0.25)
    assert_allclose(reached[half == 1], 0.75)
    assert chosen[half == 0, 0, 0].tolist() == [[0, 2, 0]] * 30
    assert at_end[0, 0].tolist() == [False, True, False]
    values[size == 1] = np.array([2.0, 0.0, 0.0])[:, None]  # another size has another best discount
    reached, _, _ = at_best(values, SIZES, worlds)
    assert_allclose(reached[size == 1], 2.0)
    assert_allclose(reached[(half == 0) & (size != 1)], 0.25)


@pytest.mark.parametrize(
    ("place", "value", "ends"),
    [
        ((1, 2, 2), 1.0, (False, False, False)),
        ((4, 11, 2), 1.0, (False, False, False)),  # nothing lies beyond these discounts
        ((0, 2, 2), 0.004, (False, False, False)),  # hardly better
        ((0, 2, 4), 1.0, (True, False, True)),
        ((1, 0, 2), 1.0, (False, True, False)),
    ],
)
def test_an_end_of_a_list_counts_if_something_lies_beyond_it(place, value, ends):
    values = np.zeros((10, 1, 1, len(OPTION_DISCOUNTS), len(DISCOUNTS), len(RATES)))
    values[(..., *place)] = value
    *_, at_end = at_best(values, (11,), np.arange(10))
    assert tuple(at_end[0, 0].tolist()) == ends


# In a tree of 31 cells two modes are nearly equal, and 3 % of the ends still change.
@pytest.mark.parametrize(("sizes", "world", "differ"), [(SIZES, 10, 1e-3), ((31,), 0, 0.04)])
def test_options_of_larger_discounts_end_in_the_same_states(sizes, world, differ):
    mdp = maze_of(sizes, world)
    *_, last = models_of(SimpleNamespace(options="eigen", n_options=16), world, mdp)
    beyond = hsr.option_model(mdp, hsr.eigenoptions(mdp, n_options=16, discount=0.99999))
    assert_allclose((last.tables.end != beyond.tables.end).mean(), 0.0, atol=differ)


@pytest.mark.parametrize("sigma", [1e-3, 1e-6])
def test_the_boundary_is_where_the_contrast_of_a_corridor_falls_to_the_noise(sigma):
    # The closed form drops what grows slower than the exponent: within a factor of two.
    d, n = 60, 241
    k = int(boundary(sigma) * d**2)
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("." * n), discount=0.99999)
    profile = hsr.bellman_sweeps(mdp, sweeps=k).rows(n // 2)[n // 2 :]
    contrast = (profile[:-2] - profile[2:]) / profile[0]
    assert 0.5 < np.flatnonzero(contrast > sigma).max() / d < 1.5


def test_curves_cross_between_two_numbers_of_rounds():
    rounds = (0.003, 0.01, 0.03, 0.1)
    assert_allclose(crossing(rounds, np.array([1, 1, 1, -1])), np.sqrt(0.03 * 0.1))
    assert_allclose(crossing(rounds, np.array([-1, 1, 3, -1])), 0.03 * (0.1 / 0.03) ** 0.75)
    assert np.isnan(crossing(rounds, np.array([1, 1, 1, 1])))


@cache
def _found(name, world=0):
    return arrays_in(EXPERIMENT, name, world)


def test_exact_maps_lead_everywhere_and_noise_costs_goals():
    for name in (HIERARCHICAL, AT_COST, AT_ROUNDS):
        reached = _found(MAIN)[name][0].max(axis=(2, 3, 4))
        assert (reached[-1, 0] > 0.97).all()
        assert (reached[-1, -1] < reached[-1, 0]).all()
        assert (np.diff(reached[:, 0]) >= 0.0).all()


def test_the_flat_map_has_learned_more_at_equal_cost():
    found = _found(MAIN)
    at_cost, at_rounds = (found[name][0, :, 0].max(axis=(1, 2, 3)) for name in (AT_COST, AT_ROUNDS))
    assert (at_cost >= at_rounds).all()
    assert at_cost[0] > at_rounds[0] + 0.3


def test_noise_relative_to_the_diagonal_costs_the_flat_map_more():
    at = 0, 2, 4  # 0.03 L^2 rounds and a noise of 1e-4
    visits, diagonal = (_found(name)[AT_ROUNDS][at].max() for name in (MAIN, DIAGONAL))
    assert diagonal < visits


def test_agents_that_follow_options_reach_almost_all_goals_with_the_flat_map():
    found = _found(FOLLOWED, 2)
    assert found[AT_ROUNDS].shape == found[HIERARCHICAL].shape
    assert found[AT_ROUNDS].max() > 0.97
    assert found[AT_ROUNDS].max() > _found(MAIN, 2)[AT_ROUNDS][0, 2, 4].max()


def test_samples_teach_both_maps():
    found = _found(SAMPLES)
    assert found[HIERARCHICAL].shape == (
        1,
        1,
        1,
        len(OPTION_DISCOUNTS),
        len(SAMPLED_DISCOUNTS),
        len(RATES),
    )
    for name in (HIERARCHICAL, AT_COST):
        assert 0.2 < found[name].max() < 1.0
    np.testing.assert_array_equal(found[AT_COST], found[AT_ROUNDS])


def some_numbers(at_cost=0.45, at_rounds=0.35):
    """Made-up runs: goals of the flat map, while the hierarchical one leads to 0.4 of them."""
    level = {HIERARCHICAL: 0.4, AT_COST: at_cost, AT_ROUNDS: at_rounds}

    def arrays_of(name, condition, world):
        rng = np.random.default_rng((world, len(name)))
        shape = (1, len(condition.rounds), len(condition.sigmas), 3, 3, 3)
        arrays = {one: level[one] + 0.01 * rng.random(shape) for one in level}
        if condition.options == "betweenness":
            arrays[HIERARCHICAL] -= 0.1
        return {**arrays, "price": np.array([4.9]), "diagonal": np.array([[3.0, 1.2]])}

    return planted(EXPERIMENT, arrays_of, worlds=24)


def _as_claimed(**levels):
    """Return the claims whose every comparison comes out as claimed in made-up runs."""
    found = {}
    for one in EXPERIMENT.contrasts(some_numbers(**levels)):
        difference = (one.first.values - one.second.values).mean()
        bound = one.first.bound
        good = one.predicted * difference > bound if one.predicted else abs(difference) < bound
        found[one.claim] = found.get(one.claim, True) and good
    return {claim.removeprefix("when-") for claim, good in found.items() if good}


def test_claims_say_which_map_is_ahead():
    cost, rounds = (
        {"cost", "cost-diagonal", "cost-few", "large"},
        {"few-updates", "few-updates-diagonal"},
    )
    alike, always = {"logarithms", "exact", "read-out"}, {"kind-of-options"}
    assert _as_claimed(at_cost=0.45, at_rounds=0.35) == cost | rounds | always
    assert _as_claimed(at_cost=0.35, at_rounds=0.45) == {"converged"} | always
    assert _as_claimed(at_cost=0.4, at_rounds=0.4) == {"samples"} | alike | always
    assert len(CLAIMS) == len(cost | rounds | alike | always | {"converged", "samples"})


def test_fewer_large_mazes_are_run():
    numbers = some_numbers()
    assert [len(numbers[name].worlds) for name in (MAIN, LARGE, LARGE_64)] == [24, 8, 8]


def test_tables_begin_with_the_three_units_at_equal_cost_and_at_equal_rounds():
    first = EXPERIMENT.tables(some_numbers()).partition("\n\n")[0].splitlines()
    assert [line.split(" | ")[0].strip("| ") for line in first[2:]] == [MAIN, DIAGONAL, ENTRY]
    for line in first[2:]:
        cost, rounds = line.split(" | ")[4:6]
        assert_allclose([float(cost.split()[0]), float(rounds.split()[0])], [-5, 5], atol=0.3)


def test_the_picture_says_in_words_who_reaches_more_goals():
    figure = EXPERIMENT.drawn(some_numbers(), {})
    cost, rounds = ([text.get_text() for text in ax.texts] for ax in figure.axes[:2])
    assert cost == ["flat map: up to\n5 more goals in 100"]
    assert rounds == ["hierarchical map: up to\n5 more goals in 100"]
