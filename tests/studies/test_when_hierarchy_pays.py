"""The theory against maps of long corridors, which are lines, and simple limits; the worlds."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse.csgraph import connected_components, shortest_path
from scipy.stats import norm
from when_hierarchy_pays import EXPERIMENT
from when_runs import (
    DISCOUNTS,
    LIMITS,
    RATES,
    SAMPLED_DISCOUNTS,
    SIGMAS,
    SWEEPS,
    _read,
    at_an_end,
    at_best,
    run,
    settings_of,
)
from when_tables import crossing
from when_theory import (
    boundary,
    choices_of,
    line_maps,
    predicted_reach,
    slipping_line_maps,
    slipping_reach,
)
from when_worlds import GRAPHS, halves, world_of

import hsr
from tests.studies.planting import planted, words

LENGTH = 301
MIDDLE = 150
SITES = 1024
SHARES = "reached", "direct"
FLAT = np.array([0, 1]), np.array([[0.5, 0.5], [0.0, 0.0]])


@pytest.fixture(scope="module")
def corridor():
    return hsr.grid_mdp(hsr.GridLayout.from_text("." * LENGTH), discount=0.9)


def test_choices_are_counted_with_their_lengths(corridor):
    lengths, (actions, options) = choices_of(corridor)
    assert lengths.tolist() == [0, 1]
    moves = 2 * (LENGTH - 1) / (4 * LENGTH)
    assert_allclose(actions, [1.0 - moves, moves])
    assert not options.any()
    model = hsr.option_model(corridor, hsr.point_options(corridor, targets=[0]))
    lengths, (actions, options) = choices_of(model)
    assert lengths[-1] == LENGTH - 1
    assert_allclose(options.sum(), 0.2 * (LENGTH - 1) / LENGTH)  # none can begin at its end
    assert_allclose(actions.sum() + options.sum(), 1.0)


@pytest.mark.parametrize("k", [1, 3, 40, 1000])
def test_the_flat_line_is_an_endless_corridor(corridor, k):
    ((profile,),) = line_maps(FLAT, [0.9], [k], SITES)
    row = hsr.bellman_sweeps(corridor, sweeps=k).rows(MIDDLE)
    assert_allclose(profile[:100], row[MIDDLE : MIDDLE + 100], atol=1e-12)


def test_the_line_with_runs_is_a_walk_whose_long_moves_take_their_time():
    lengths, probabilities = np.array([0, 1, 12]), np.array([[0.3, 0.3, 0.0], [0.0, 0.0, 0.4]])
    g, n = 0.9, 801
    past = [np.zeros(n)]
    at = np.zeros(n)
    at[n // 2] = 1.0
    for k in range(1, 61):
        now = np.zeros(n)
        for length, p in zip(lengths, probabilities.sum(axis=0), strict=True):
            t = max(1, length)
            for j in range(min(k, t)):
                step = j if length else 0
                now += p * g**j * 0.5 * (np.roll(at, step) + np.roll(at, -step))
            if k >= t:
                old = past[k - t]
                now += p * g**t * 0.5 * (np.roll(old, length) + np.roll(old, -length))
        past.append(now)
    M = line_maps((lengths, probabilities), [0.5, g], [5, 60], SITES)[:, 1]
    for row, k in zip(M, (5, 60), strict=True):
        assert_allclose(row[:300], past[k][n // 2 : n // 2 + 300], atol=1e-12)


def test_a_line_that_does_not_slip_is_the_line():
    choices = np.array([0, 1, 5, 12]), np.array([[0.3, 0.2, 0.0, 0.0], [0.1, 0.1, 0.1, 0.2]])
    discounts, sweeps = [0.8, 1.0], [1, 7, 90]
    found = slipping_line_maps(choices, 0.0, discounts, sweeps, SITES)
    assert_allclose(found, line_maps(choices, discounts, sweeps, SITES), atol=1e-12)


def test_slip_leaves_the_random_walk_as_it_is_and_makes_options_slower():
    found = slipping_line_maps(FLAT, 0.2, [0.9], [50], SITES)
    assert_allclose(found, line_maps(FLAT, [0.9], [50], SITES), atol=1e-12)
    # A single run to the right end of a corridor, against its exact model in a world that slips.
    slip, length = 0.2, 20
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("." * LENGTH), discount=0.9, slip=slip)
    model = hsr.option_model(mdp, hsr.point_options(mdp, targets=[MIDDLE + length]))
    columns = [MIDDLE - 5, MIDDLE, MIDDLE + 5, MIDDLE + 15]
    run_to_end = model.occupancy(model.n_choices - 1).columns(columns)[MIDDLE]
    # On the line, all choices are such runs to either side; before the end, none has chosen again.
    runs = np.array([0, 1, length]), np.array([[1e-12, 1e-12, 0.0], [0.0, 0.0, 1.0]])
    ((profile,),) = slipping_line_maps(runs, slip, [0.9], [400], SITES)
    beyond = profile[length + 5]  # what is chosen at an end leads back over it
    both_sides = run_to_end[1]
    assert_allclose(profile[0], both_sides, rtol=0.02)
    assert_allclose(profile[5], (run_to_end[2] + run_to_end[0]) / 2, rtol=0.02)
    assert beyond < profile[15]


def _horizon_of_runs(far, discount, sweeps, first, last):
    """Measure the horizon of a line on which four of five choices run far."""
    lengths, share = np.array([0, 1, far]), 0.8
    choices = lengths, np.array([[(1 - share) / 2, (1 - share) / 2, 0.0], [0.0, 0.0, share]])
    ((profile,),) = line_maps(choices, [discount], [sweeps], 2048)
    return (last - first) / np.log(profile[first] / profile[last])


def test_runs_are_ballistic_up_to_their_length():
    length = _horizon_of_runs(10, 0.5, 60, 20, 40)
    assert_allclose(1.0 / length, np.log(2.0) + np.log(2.0 / 0.8) / 10, rtol=0.03)


def test_runs_diffuse_in_strides_beyond_their_length():
    found = _horizon_of_runs(20, 0.998, 6000, 200, 400)
    assert_allclose(found, np.sqrt(20 / (2 * 0.002)), rtol=0.03)


@pytest.mark.parametrize("discount", [0.3, 0.5, 0.8])
def test_visits_on_a_tree_fall_by_the_root_of_a_quadratic(discount):
    branches, levels = 2, 12
    nodes = np.arange(branches**levels - 1)
    before = np.maximum((nodes - 1) // branches, 0)
    after = branches * nodes[:, None] + 1 + np.arange(branches)
    inside = np.where(after < nodes.size, after, nodes[:, None])
    tree = hsr.FiniteMDP.from_successors(np.column_stack([before, inside]), discount)
    to_root = hsr.successor_representation(tree).columns(0)
    depth = [2**k - 1 for k in range(2, 6)]  # far from the ends
    p = discount / (branches + 1.0)
    roots = np.roots([p * branches, -1.0, p])
    assert_allclose(to_root[depth[1:]] / to_root[depth[:-1]], roots.min(), rtol=1e-3)


def test_reach_is_the_product_of_right_steps():
    profile = np.array([1.0, 0.5, 0.25, 0.125])
    first, second = norm.cdf(0.75 / (np.sqrt(2) * 0.5)), norm.cdf(0.375 / (np.sqrt(2) * 0.5))
    assert_allclose(predicted_reach(profile, 0.5, np.array([1])), first)
    expected = (first + first * second) / 2
    assert_allclose(predicted_reach(profile, 0.5, np.array([1, 2])), expected)


def test_reach_while_slipping_is_reach_without_slip_in_the_limit():
    profile = np.exp(-np.arange(30) / 4.0)
    distances = np.array([1, 4, 9])
    how = {"q": 0.5, "limit": 200, "lines": 20_000}
    firm = slipping_reach(profile, 0.05, distances, slip=0.0, **how)
    assert_allclose(firm, predicted_reach(profile, 0.05, distances), atol=0.01)
    assert slipping_reach(profile, 0.05, distances, slip=0.2, **how) > firm + 0.05


@pytest.mark.parametrize("sigma", [1e-3, 1e-6])
def test_the_boundary_is_where_the_contrast_of_a_line_falls_to_the_noise(sigma):
    # The closed form drops what grows slower than the exponent: within a factor of two.
    d = 100
    k = int(boundary(sigma) * d**2)
    ((profile,),) = line_maps(FLAT, [1.0], [k], SITES)
    contrast = (profile[:-2] - profile[2:]) / profile[0]
    assert 0.5 < np.flatnonzero(contrast > sigma).max() / d < 1.5


def test_discounts_are_chosen_in_other_mazes_of_the_same_size():
    values = np.zeros((60, 1, 1, 3))
    size, half = halves("mazes", 60)
    # In every second turn the second discount is best, and in the others the third one.
    values[half == 0, ..., 1], values[half == 1, ..., 2] = 1.0, 1.0
    values[half == 0, ..., 2], values[half == 1, ..., 1] = 0.25, 0.75
    found = at_best(values, "mazes")[:, 0, 0]
    assert_allclose(found[half == 0], 0.25)
    assert_allclose(found[half == 1], 0.75)
    lists = {"discount": (0.5, 0.9, 1.0)}
    assert not at_an_end(values, "mazes", lists)["discount"].any()
    values[size == 1] = [2.0, 0.0, 0.0]  # another size has another best discount
    assert_allclose(at_best(values, "mazes")[size == 1], 2.0)
    assert_allclose(at_best(values, "mazes")[(half == 0) & (size != 1)], 0.25)
    assert at_an_end(values, "mazes", lists)["discount"].all()


def test_an_end_of_a_list_is_none_where_nothing_lies_beyond():
    lists = {"discount": (0.5, 0.8, 0.9), "rate": (0.1, 0.5, 1.0)}
    values = np.zeros((4, 1, 1, 3, 3))

    def ends():
        found = at_an_end(values.reshape(4, 1, 1, 9), "graphs", lists)
        return [name for name, end in found.items() if end.all()]

    values[..., 1, 2] = 1.0
    assert ends() == []
    values[..., 2, 2] = 1.004  # hardly better
    assert ends() == []
    values[..., 2, 1] = 2.0
    assert ends() == ["discount"]
    values[..., 0, 0] = 3.0
    assert ends() == ["discount", "rate"]


@pytest.mark.parametrize(("kind", "world"), [("mazes", 10), ("large", 5), ("graphs", 0)])
def test_options_of_larger_discounts_end_in_the_same_states(kind, world):
    mdp = world_of(kind, world)
    last, beyond = (
        hsr.option_model(mdp, hsr.eigenoptions(mdp, n_options=16, discount=discount)).tables.end
        for discount in (LIMITS["options"], 0.99999)
    )
    assert_allclose((last != beyond).mean(), 0.0, atol=1e-3)


@pytest.mark.parametrize(("kind", "n"), [("mazes", 30), ("graphs", 6)])
def test_worlds_are_different_and_connected(kind, n):
    worlds = [world_of(kind, world) for world in range(n)]
    assert len({world.fingerprint for world in worlds}) == n
    for world in worlds:
        assert connected_components(hsr.MarkovChain.from_policy(world).matrix)[0] == 1


def test_graphs_are_what_they_are_called():
    labyrinth, communities, random = (world_of("graphs", world) for world in range(len(GRAPHS)))
    degree = [
        np.sort((world.successors != np.arange(world.n_states)[:, None]).sum(axis=1))
        for world in (labyrinth, communities, random)
    ]
    assert degree[0].sum() == 2 * (labyrinth.n_states - 1)  # a tree
    assert (degree[0] == 1).sum() == 64
    assert (degree[0] == 3).sum() == 62  # without the root, which has two
    # Worlds have their own numbers, so that the swap of ends is asked for with the same one.
    wide = [
        shortest_path(hsr.MarkovChain.from_policy(world).matrix, unweighted=True).max()
        for world in (communities, random)
    ]
    assert wide[0] > 2 * wide[1]


@cache
def _found(name, world=0):
    condition = EXPERIMENT.conditions(EXPERIMENT.setting("smoke", {}))[name]
    return run(condition, world)


def test_exact_maps_lead_everywhere_and_noise_costs_goals():
    found = _found("SR")
    reached = found["reached"][0]
    assert (reached[-1, 0] == 1.0).all()
    assert (reached[-1, -1] < 0.5).all()
    assert_allclose(found["predicted_horizon"][0, 1:5], found["horizon"][0, 1:5], rtol=0.1)
    assert np.abs(found["predicted"][0, :, :6].max(-1) - reached[:, :6].max(-1)).mean() < 0.1


def test_slip_helps_an_agent_out_of_loops():
    at = 0, SWEEPS.index(0.03), SIGMAS.index(1e-4)
    firm, slipping = (_found(name)["reached"][at].max() for name in ("SR", "SR, slip 0.1"))
    assert firm < slipping < firm + 0.1


def test_samples_teach():
    reached = _found("SR, samples")["reached"][0]
    assert reached.shape == (6, len(SIGMAS), len(RATES) * len(SAMPLED_DISCOUNTS))
    assert reached[3, 0].max() > reached[0, 0].max() + 0.3
    assert np.isnan(reached[4:]).all()


def test_agents_that_follow_options_need_a_map_to_find_all_goals():
    at = 0, SWEEPS.index(0.03), SIGMAS.index(1e-4)
    hierarchical, flat, alone = (
        {name: _found(f"{one}, read by options", 2)[name][at].max() for name in SHARES}
        for one in ("HSR", "SR", "no map")
    )
    by_actions = _found("SR", 2)["reached"][at].max()
    assert alone["reached"] < min(flat["reached"], hierarchical["reached"])
    assert by_actions < flat["reached"]
    for one in (hierarchical, flat, alone):
        assert 0.3 < one["direct"] / one["reached"] <= 1.0


def test_place_cells_fire_equally_often():
    rng = np.random.default_rng(0)
    columns = np.array([[1.0, 0.5], [0.5, 0.0], [0.0, 0.0]])
    counts = _read(columns, np.array([0, 1]), 1e-3, np.zeros((3, 2)), "spikes", rng)
    assert_allclose(counts.sum(axis=0), 1e6, rtol=0.01)
    assert_allclose(counts[0, 0] / counts[1, 0], 2.0, rtol=0.02)
    assert (counts[2] == 0.0).all()


def some_numbers(ahead="SR"):
    """Made-up runs in which one map leads to half of the goals, and all others to fewer."""

    def arrays_of(name, condition, world):
        rng = np.random.default_rng((world, len(name)))
        settings = np.prod([len(one) for one in settings_of(condition).values()])
        level = 0.5 if name.startswith(ahead) else 0.4
        reached = level + 0.01 * rng.random((1, len(SWEEPS), len(SIGMAS), settings))
        lengths = rng.uniform(1.0, 9.0, (1, len(DISCOUNTS) - 1))
        one = np.ones(1)
        return {
            "reached": reached,
            "direct": reached - 0.1,
            "predicted": reached + 0.05,
            "horizon": lengths,
            "predicted_horizon": 2.0 * lengths,
            "diameter": 30.0 * one,
            "q": 0.5 * one,
            "choices": (4.0 if condition.options == "none" else 20.0) * one,
            "states": 100.0 * one,
        }

    return planted(EXPERIMENT, arrays_of, worlds=24)


def test_claims_say_which_map_is_ahead():
    flat, hierarchical = (words(EXPERIMENT, some_numbers(name)) for name in ("SR", "HSR"))
    assert flat.keys() == {one.id for one in EXPERIMENT.claims}
    assert flat["when-few-updates"] == flat["when-slip"] == "opposite"
    assert hierarchical["when-few-updates"] == hierarchical["when-slip"] == "reproduced"
    assert flat["when-price"] == flat["when-samples"] == "reproduced"
    assert hierarchical["when-price"] == hierarchical["when-samples"] == "opposite"


def test_tables_have_the_numbers():
    lines = EXPERIMENT.tables(some_numbers("HSR")).splitlines()
    assert sum("0.50 at 0.9," in line for line in lines) == 2  # measured over predicted horizons
    (row,) = (line for line in lines if line.startswith("| HSR, slip 0.1 | 50"))
    assert "| +9.9 [" in row or "| +10.0 [" in row


def test_curves_cross_between_two_numbers_of_sweeps():
    assert_allclose(crossing(np.array([1, 1, 1, -1, -1, -1])), np.sqrt(0.03 * 0.1))
    assert_allclose(crossing(np.array([-1, 1, 3, -1, 0, -1])), 0.03 * (0.1 / 0.03) ** 0.75)
    assert np.isnan(crossing(np.array([1, 1, 1, 1, 1, 1])))
