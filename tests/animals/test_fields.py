"""Place fields: known blobs, walls between them, and their skew along travel."""

from functools import cache

import numpy as np
import pytest

import hsr
from hsr.animals import place_fields
from tests.animals.arenas import hexagons, open_arena, ring
from tests.cases import cases

SKEW_OF_124 = -114 / 343 / (26 / 49) ** 1.5  # of weights 1, 2, 4 at -2, -1, 0


@cache
def arena():
    return open_arena(12)


def blobs():
    rates = np.zeros((12, 12))
    rates[1:4, 1:3] = 5.0
    rates[2, 1] = 10.0
    rates[7:9, 6:11] = 6.0
    rates[9, 11] = 8.0  # touches the second at a corner
    rates[5, 5] = 1.9  # below 20 %
    return rates


def test_known_blobs_are_found_and_measured():
    fields = place_fields(blobs(), arena())
    assert fields["bins"].values.tolist() == [6, 10]
    np.testing.assert_allclose(fields["peak"], [10.0, 6.0])
    np.testing.assert_allclose(fields["area"], [6.0, 10.0])
    # 1, 2, 3 twice, with one bin of double weight: x = (12 + 2) / 7, y = (9 + 1) / 7
    np.testing.assert_allclose(fields["centre_x"], [2.0, 7.5])
    np.testing.assert_allclose(fields["centre_y"], [10 / 7, 8.0])
    assert (fields["peak_x"].values[0], fields["peak_y"].values[0]) == (2.0, 1.0)
    field_of = fields.attrs["field_of"][0].reshape(12, 12)
    np.testing.assert_array_equal(field_of == 0, (blobs() >= 5) & (np.arange(12) < 4))
    np.testing.assert_array_equal(field_of == 1, blobs() == 6.0)


@cases(
    ("settings", "bins"),
    {
        "one bin is enough": ({"min_bins": 1}, [6, 1, 10]),
        "many bins": ({"min_bins": 7}, [10]),
        "high threshold": ({"threshold": 0.6}, [10]),
        "the peak alone": ({"threshold": 1.0, "min_bins": 1}, [1]),
        "low threshold": ({"threshold": 0.19, "min_bins": 1}, [6, 1, 10, 1]),
        "high peaks": ({"min_peak": 7.0, "min_bins": 1}, [6, 1]),
    },
)
def test_threshold_and_sizes_decide_what_is_a_field(settings, bins):
    assert place_fields(blobs(), arena(), **settings)["bins"].values.tolist() == bins


def test_a_wall_separates_fields():
    beside = np.zeros((6, 4))
    beside[2:4] = 1.0
    wall = [[(2.5, -0.5), (2.5, 2.6)]]  # one passage is open
    assert place_fields(beside, open_arena(6, 4))["bins"].values.tolist() == [8]
    assert place_fields(beside, open_arena(6, 4, walls=wall))["bins"].values.tolist() == [8]
    beside[2:4, 3] = 0.0
    walled = place_fields(beside, open_arena(6, 4, walls=wall))
    assert walled["bins"].values.tolist() == [3, 3]


def test_fields_of_many_units_are_in_order_and_named():
    rates = arena().to_grid(np.stack([blobs().ravel(), np.zeros(144), blobs().ravel()]))
    fields = place_fields(rates.assign_coords(unit=["a", "b", "c"]), arena())
    assert fields["unit"].values.tolist() == ["a", "a", "c", "c"]
    assert fields["field"].values.tolist() == [0, 1, 2, 3]


def test_areas_of_hexagons_are_known_and_those_of_centres_are_not():
    mdp = hexagons(5)
    area = place_fields(np.ones(mdp.n_states), mdp)["area"].values[0]
    assert area == pytest.approx(mdp.n_states * np.sqrt(3) / 2)
    mdp = ring()
    assert np.isnan(place_fields(np.ones(12), mdp)["area"].values[0])


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("timed", [{"discount": 0.5}, {"tau": 1 / np.log(2)}])
def test_columns_of_the_sr_of_a_directed_ring_extend_backwards(backwards, timed):
    """The column of t is discount^k at the bin k steps before t, times a constant."""
    mdp = ring(backwards=backwards, **timed)
    assert mdp.discount == pytest.approx(0.5)
    columns = hsr.successor_representation(mdp, mdp.behaviour()).columns([4, 7]).T
    fields = place_fields(columns, mdp)
    assert fields["bins"].values.tolist() == [3, 3]
    np.testing.assert_allclose(fields["skew"], SKEW_OF_124, rtol=1e-9)


def test_a_field_that_extends_forwards_has_the_opposite_skew():
    mdp = ring(discount=0.5)
    column = hsr.successor_representation(mdp, mdp.behaviour()).columns(5)
    mirrored = column[(10 - np.arange(12)) % 12]  # around state 5
    assert place_fields(mirrored, mdp)["skew"].values[0] == pytest.approx(-SKEW_OF_124)


def test_there_and_back_the_two_directions_cancel():
    xy = np.stack([np.abs(np.arange(41) % 20 - 10), np.zeros(41)], axis=1)
    mdp = hsr.from_positions(xy, bin_size=1.0, extent=(-0.5, 10.5, -0.5, 0.5))
    skew = place_fields(np.array([0, 0, 0, 1, 2, 4, 0, 0, 0, 0, 0.0]), mdp)["skew"]
    assert skew.values[0] == pytest.approx(0.0, abs=1e-12)


@cases(
    "rates",
    {
        "the whole track": np.ones(12),
        "cut by the beginning": np.eye(12)[0] + np.eye(12)[1],
        "cut by the end": np.eye(12)[10] + np.eye(12)[11],
    },
)
def test_without_a_pass_through_the_whole_field_there_is_no_skew(rates):
    fields = place_fields(rates, ring(laps=1), min_bins=2)
    assert np.isnan(fields["skew"].values).tolist() == [True]
