"""Border and grid scores on synthetic maps, and all measures in one table."""

from functools import cache

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

import hsr
from hsr.animals import border_score, field_measures, grid_score, place_fields, spatial_information
from hsr.animals.gridness import autocorrelograms, ring_scores
from tests.animals.arenas import open_arena
from tests.cases import cases, raises

TURNS = {"as it is": np.asarray, "a quarter": np.rot90, "mirrored": np.flipud}


@cache
def arena(size):
    return open_arena(size)


def bins_of(*filled):
    grid = np.zeros((5, 5))
    for where in filled:
        grid[where] = 2.0
    return grid


@cases("turn", TURNS)
@cases(
    ("rates", "score"),
    {
        "one side": (bins_of(0), 1.0),
        "the middle": (bins_of((2, 2)), -1.0),
        # c = 1. d: three of ten bins are one bin away, and two is the most: 3/10/2.
        "two rows": (bins_of(slice(0, 2)), 0.85 / 1.15),
        # c = 3/5, d = 0
        "a part of a side": (bins_of((0, slice(1, 4))), 1.0),
        # c = 3/5. d: three bins at 0, three at 1: 1/2/2
        "a block": (bins_of((slice(0, 2), slice(1, 4))), 0.35 / 0.85),
        # c = 1 of the first field. d over both: one of six bins is two away, 1/6
        "side and middle": (bins_of(0, (2, 2)), (1 - 1 / 6) / (1 + 1 / 6)),
        "everywhere": (bins_of(slice(None)), (1 - 10 / 50) / (1 + 10 / 50)),
    },
)
def test_border_scores_by_hand(rates, score, turn):
    assert border_score(turn(rates), arena(5), min_bins=1) == pytest.approx(score)
    assert border_score(7.0 * turn(rates), arena(5), min_bins=1) == pytest.approx(score)


def test_distances_are_weighted_by_rates():
    """Ten spikes along a side and three one bin away, where two bins are the most: d = 3/13/2."""
    rates = bins_of(0)
    rates[1, 1:4] = 1.0
    assert border_score(rates, arena(5)) == pytest.approx((1 - 3 / 26) / (1 + 3 / 26))


def lattice(angles, spacing, turn=0.0, offset=(0.3, 0.1)):
    """Return bumps on a hexagonal (0, 60, 120) or a square (0, 90) lattice, on the 30 x 30 bins."""
    radians = np.deg2rad(np.array(angles) + turn)
    waves = np.stack([np.cos(radians), np.sin(radians)]) * 2 * np.pi / spacing
    bumps = np.cos((arena(30).centres + np.array(offset)) @ waves).sum(axis=1)
    return np.maximum(0.0, bumps).reshape(30, 30)


@pytest.mark.parametrize("spacing", [6.0, 8.0, 11.0])
@pytest.mark.parametrize("turn", [0.0, 11.0])
def test_hexagons_have_high_grid_scores_and_squares_low_ones(spacing, turn):
    assert grid_score(lattice((0, 60, 120), spacing, turn), arena(30)) > 1.2
    assert grid_score(lattice((0, 90), spacing, turn), arena(30)) < -0.3


def test_grid_scores_of_noise_scatter_around_zero():
    """The maximum over rings leaves a bias of about a tenth."""
    rng = np.random.default_rng(0)
    noise = np.stack([gaussian_filter(rng.normal(size=(30, 30)), 1.5) for _ in range(60)])
    scores = grid_score(noise, arena(30))
    assert np.isfinite(scores).all()
    assert abs(scores.mean()) < 0.2
    assert np.median(np.abs(scores)) < 0.35


@cases("turn", TURNS)
def test_grid_scores_do_not_depend_on_direction_sign_and_unit(turn):
    rates = lattice((0, 60, 120), 8.0, turn=7.0)
    expected = grid_score(rates, arena(30))
    assert grid_score(1e3 * turn(rates), arena(30)) == pytest.approx(expected, abs=1e-6)
    assert grid_score(-turn(rates) + 5.0, arena(30)) == pytest.approx(expected, abs=1e-6)


def test_the_shape_of_bins_does_not_matter():
    """The same firing in bins of half the width along y."""
    half = hsr.from_positions(
        np.stack([arena(30).centres[:, 0], arena(30).centres[:, 1]], axis=1)[
            np.repeat(arena(30).frames, 2)
        ]
        + np.tile([[0.0, -0.2], [0.0, 0.2]], (900, 1)),
        edges=(np.arange(31) - 0.5, np.arange(61) / 2 - 0.5),
        walls=[[(99, 99), (99, 98)]],
        max_speed=99.0,
        shortest=0,
    )
    rates = lattice((0, 60, 120), 8.0)
    doubled = grid_score(np.repeat(rates, 2, axis=1), half)
    assert doubled == pytest.approx(grid_score(rates, arena(30)), abs=0.1)


@cases(
    "rates",
    {
        "zero": np.zeros(900),
        "flat": np.full(900, 0.1),
        "rounded": np.arange(1.0, 901.0) * 0.1 / np.arange(1.0, 901.0),
        "unknown": np.full(900, np.nan),
    },
)
def test_constant_maps_have_no_grid_score(rates):
    assert np.isnan(grid_score(rates, arena(30)))


def test_maps_without_a_ring_have_no_grid_score():
    x, y = arena(30).centres.T
    corner = np.maximum(0.0, 1.0 - np.hypot(x, y) / 10.0)
    long_wave = np.cos(np.pi * x / 29.0) + np.cos(np.pi * y / 29.0)
    assert np.isnan(grid_score([corner, long_wave], arena(30))).all()


def test_vectors_with_signs_are_measured_as_two_fields():
    v = np.sin(arena(30).centres[:, 0])
    with raises(r"np.maximum\(v, 0\) and np.maximum\(-v, 0\)"):
        field_measures(v, arena(30))
    assert field_measures([np.maximum(v, 0), np.maximum(-v, 0)], arena(30))["fields"].min() > 1


def test_the_autocorrelogram_is_pearsons_correlation_of_shifted_maps():
    rng = np.random.default_rng(1)
    a = 50.0 + rng.random((9, 7))
    a[rng.random((9, 7)) < 0.2] = np.nan
    found = autocorrelograms(a[None])[0]
    for dx in range(-8, 9):
        for dy in range(-6, 7):
            left = a[max(dx, 0) : 9 + min(dx, 0), max(dy, 0) : 7 + min(dy, 0)]
            right = a[max(-dx, 0) : 9 + min(-dx, 0), max(-dy, 0) : 7 + min(-dy, 0)]
            both = np.isfinite(left) & np.isfinite(right)
            expected = np.corrcoef(left[both], right[both])[0, 1] if both.sum() >= 20 else np.nan
            assert found[8 + dx, 6 + dy] == pytest.approx(expected, abs=1e-9, nan_ok=True)


@cases(
    ("waves", "score"),
    {
        # r(angle) = cos(waves * angle)
        "six": (6, 1.0 - -1.0),
        "four": (4, -0.5 - 1.0),
        "three": (3, -1.0 - 0.0),
        "two": (2, -0.5 - 0.5),
    },
)
def test_rings_of_waves_have_scores_by_hand(waves, score):
    angles = np.deg2rad(np.arange(0, 360, 3))
    rings = 0.3 + np.arange(1, 6)[:, None] * np.cos(waves * angles)
    np.testing.assert_allclose(ring_scores(rings, 2), score, atol=1e-9)
    assert ring_scores(rings, 2).shape == (3,)


def test_the_table_holds_what_the_functions_return():
    rng = np.random.default_rng(2)
    rates = gaussian_filter(rng.random((4, 30, 30)), (0, 2, 2))
    rates[3] = 0.0
    named = arena(30).to_grid(rates.reshape(4, 900)).assign_coords(unit=list("abcd"))
    table = field_measures(named, arena(30), 0.9)
    assert table["unit"].values.tolist() == list("abcd")
    np.testing.assert_allclose(table["peak"], rates.max(axis=(1, 2)))
    np.testing.assert_allclose(table["mean"], rates.mean(axis=(1, 2)))  # evenly visited
    np.testing.assert_array_equal(
        table["information_per_spike"], spatial_information(rates, arena(30))
    )
    np.testing.assert_array_equal(
        table["information_per_second"], spatial_information(rates, arena(30), per="second")
    )
    np.testing.assert_array_equal(table["border_score"], border_score(rates, arena(30)))
    np.testing.assert_array_equal(table["grid_score"], grid_score(rates, arena(30)))
    fields = place_fields(rates, arena(30), 0.9)
    for unit in range(4):
        mine = fields["unit"].values == unit
        assert table["fields"].values[unit] == mine.sum()
        for name, column in (("field_bins", "bins"), ("field_area", "area"), ("skew", "skew")):
            expected = fields[column].values[mine][0] if mine.any() else np.nan
            np.testing.assert_array_equal(table[name].values[unit], expected)
    assert all(table[name].attrs["method"] for name in table.data_vars)
