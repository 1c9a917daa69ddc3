"""Spatial information, by hand on two bins."""

import numpy as np
import pytest

import hsr
from hsr.animals import spatial_information
from tests.animals.arenas import hexagons, open_arena
from tests.cases import cases


def two_bins():
    """Return a recording with one frame in the first bin and three in the second."""
    xy = [[0, 0], [1, 0], [1, 0], [1, 0]]
    return hsr.from_positions(xy, bin_size=1.0, extent=(-0.5, 1.5, -0.5, 0.5))


@cases(
    ("rates", "per_spike", "per_second"),
    {
        "one bin": ([4.0, 0.0], 2.0, 2.0),  # mean 1; 1/4 * 4 * log2(4)
        "other bin": ([0.0, 4.0], np.log2(4 / 3), 3 * np.log2(4 / 3)),
        "both": (  # mean 3; 1/4 * 2 * log2(2) + 3/4 * 2/3 * log2(2/3)
            [6.0, 2.0],
            0.5 + 0.5 * np.log2(2 / 3),
            1.5 + 1.5 * np.log2(2 / 3),
        ),
        "flat": ([5.0, 5.0], 0.0, 0.0),
        "silent": ([0.0, 0.0], np.nan, np.nan),
        "unknown": ([np.nan, 3.0], 0.0, 0.0),
        "nothing known": ([np.nan, np.nan], np.nan, np.nan),
    },
)
def test_information_is_that_of_the_formula(rates, per_spike, per_second):
    for per, bits in (("spike", per_spike), ("second", per_second)):
        information = spatial_information(rates, two_bins(), per=per)
        assert information == pytest.approx(bits, nan_ok=True)


def test_all_forms_of_rates_give_the_same():
    mdp = open_arena(4, 3)
    values = np.random.default_rng(0).random((2, 12))
    grid = mdp.to_grid(values)
    expected = spatial_information(values, mdp)
    assert expected.shape == (2,)
    forms = (grid, grid.values, grid.transpose("y", "x", "unit"), grid.rename(unit="cell"))
    for form in forms:
        np.testing.assert_allclose(spatial_information(form, mdp), expected)
    for single in (values[1], grid[1], grid.values[1]):
        assert spatial_information(single, mdp) == pytest.approx(expected[1])
    hexagonal = hexagons(3)
    bins = hexagonal.to_grid(values[:, :9])
    np.testing.assert_allclose(
        spatial_information(bins, hexagonal),
        spatial_information(values[:, :9], hexagonal),
    )
