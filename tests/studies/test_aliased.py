"""The study about aliased worlds: views, noise, what it runs, and planted effects."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm
from studies.aliased import (
    EXPERIMENT,
    NOISE,
    POWER,
    RATES,
    AliasedWorld,
    features_of,
    recognised,
    repeated_rooms,
    views_of,
)

import hsr
from tests.studies.planting import arrays_in, planted, words


@pytest.fixture(scope="module")
def world():
    return AliasedWorld(2, (3, 3), 0.9, 0)


def test_views_counted_by_hand_in_a_ring_a_corridor_and_two_equal_rooms():
    ring = hsr.GridLayout.from_text("...\n.#.\n...")
    assert len(set(views_of(ring))) == 8  # four corners and four sides, each in its own direction
    corridor = views_of(hsr.GridLayout.from_text("....."))
    assert len(set(corridor)) == 3  # two ends, and the same view between them
    assert len(set(corridor[1:4])) == 1
    walls = np.zeros((2, 5), dtype=bool)
    walls[:, 2] = True
    views = views_of(hsr.GridLayout(walls))
    assert_array_equal(views[:2], views[2:4])  # upper left and upper right of both rooms
    assert_array_equal(views[4:6], views[6:])
    assert len(set(views)) == 4


def test_rooms_are_equal_but_for_their_doors():
    layout = repeated_rooms(3, (3, 4), np.random.default_rng(0))
    assert layout.n_states == 9 * 12 + 12
    assert len(layout.parts) == 1
    closed = layout.walls.copy()
    closed[::4], closed[:, ::5] = True, True
    assert (closed == np.pad(np.tile(closed[1:5, 1:6], (3, 3)), ((1, 0), (1, 0)), "edge"))[
        1:, 1:
    ].all()
    assert (closed != layout.walls).sum() == 12


def test_goals_look_the_same_in_different_rooms(world):
    first, second = (task.goal for task in world.tasks)
    assert world.views[first] == world.views[second]
    room = [tuple((world.layout.cells[s] - 1) // 4) for s in (world.start, first, second)]
    assert len(set(room)) == 3
    assert_array_equal(world.fewest, world.layout.distances_from(world.start)[[first, second]])
    assert_array_equal(world.indicator.argmax(axis=1), world.views)


def test_two_points_are_recognised_as_often_as_the_gaussian_tail_says():
    phi = np.array([[1.0, 0.5, 0.0], [0.2, 0.5, 0.6]])  # at distance 1
    noise = np.array([0.1, 0.5, 2.0])
    draws = np.random.default_rng(0).standard_normal((20_000, 2))
    found = recognised(phi, np.array([0, 0]), noise, draws)
    assert_allclose(found, norm.cdf(0.5 / noise), atol=0.01)  # 4 standard errors


def test_the_nearest_of_many_states_is_found_as_by_brute_force():
    rng = np.random.default_rng(1)
    phi, views = rng.random((6, 4)), np.array([0, 0, 1, 1, 1, 2])
    x = phi + 0.3 * rng.standard_normal((5000, 6, 4))
    distance = ((x[:, :, None] - phi) ** 2).sum(axis=-1)
    distance[:, views[:, None] != views] = np.inf
    alias = (distance.argmin(axis=-1) == np.arange(6))[:, :5].mean()
    found = recognised(phi, views, np.array([0.3]), rng.standard_normal((5000, 6)))
    assert_allclose(found, alias, atol=0.02)


def test_states_with_equal_features_are_recognised_by_chance():
    views = np.array([0, 0, 1, 1, 1])
    draws = np.random.default_rng(0).standard_normal((2000, 5))
    found = recognised(np.eye(2)[views], views, np.array([1e-3]), draws)
    assert_allclose(found, 2 / 5, atol=0.02)  # one of each view


def test_bases_have_their_sizes_and_the_same_power(world):
    n = world.layout.n_states
    of_name = EXPERIMENT.conditions(EXPERIMENT.presets["smoke"])
    sizes = {"SVD K": 8, "SVD K unscaled": 8, "SVD N": n, "NMF K": 8, "NMF N": n, "NMF 2N": 2 * n}
    for basis, size in sizes.items():
        phi = features_of(of_name[f"SR, {basis}"], world)
        assert phi.shape == (n, size)
        assert_allclose((phi**2).sum(axis=1).mean(), 1.0)
    rows = world.map_of("SR") @ world.map_of("SR").T
    full = features_of(of_name["SR, SVD N"], world)
    assert_allclose(full @ full.T, rows / rows.diagonal().mean(), atol=1e-12)
    seen = world.map_of("HSR of views").sum(axis=1)
    assert_allclose(seen, world.map_of("HSR").sum(axis=1))


def test_a_record_has_what_its_axes_say():
    arrays = arrays_in(EXPERIMENT, "HSR, NMF 2N", 3)
    axes = EXPERIMENT.axes
    assert {name: len(axes.names[name]) for name in arrays} == {
        name: one.ndim for name, one in arrays.items()
    }
    along = axes.coordinates({}, arrays)
    assert arrays["apart"].shape == (2, len(along["power"]), len(along["noise"]))
    assert arrays["lost"].shape == (2, len(along["rate"]), 2, 4)
    assert (arrays["lost"] >= 0).all()
    worlds = {seeds for _, seeds in EXPERIMENT.runs(EXPERIMENT.presets["smoke"])}
    assert worlds == {(0, 1, 2, 3, 4)}  # three to score, two to choose the rate


def some_numbers(over_complete=0.9, best=0.3):
    """Return numbers with known fractions told apart, and steps lost at the rate `best`."""
    rng = np.random.default_rng(0)

    def arrays_of(name, condition, world):
        large = name.endswith("NMF 2N")
        shape = (condition.seeds, len(POWER), len(NOISE))
        steps = np.full((condition.seeds, len(RATES), 2, condition.episodes), 90.0)
        steps[:, RATES.index(best)] = 20 if large else 50
        level = over_complete if large else 0.5
        return {
            "apart": level + rng.normal(scale=0.01, size=shape),
            "lost": steps + rng.normal(size=steps.shape),
        }

    return planted(EXPERIMENT, arrays_of, worlds=12)


@pytest.mark.parametrize(("over_complete", "word"), [(0.9, "holds"), (0.3, "the other way")])
def test_planted_effects_are_found(over_complete, word):
    numbers = some_numbers(over_complete)
    assert set(numbers.rate.values()) == {0.3}
    assert words(EXPERIMENT, numbers) == {
        "aliased-apart": word,
        "aliased-apart-expected": word,
        "aliased-complete": word,
        "aliased-transfer": "holds",
        "aliased-transfer-expected": "holds",
        "aliased-rates": "holds",
    }


def test_a_best_rate_at_the_end_of_its_list_is_said():
    assert words(EXPERIMENT, some_numbers(best=RATES[-1]))["aliased-rates"] == "does not hold"
