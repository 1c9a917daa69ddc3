"""Values of states as pictures of the arena."""

import numpy as np
import pytest

import hsr
from tests.cases import cases, raises

XY = np.random.default_rng(0).normal(0.0, 0.03, (3000, 2)).cumsum(axis=0) % 1.0

SIX = (np.stack(np.indices((6, 6)), axis=-1).reshape(-1, 2) + 0.5) / 6.0


def world(**asked):
    return hsr.from_positions(XY, np.arange(3000) / 25.0, max_speed=5.0, shortest=0, **asked)


@pytest.fixture(scope="module")
def squares():
    return world(n_bins=6)


def test_values_lie_in_their_bins(squares):
    grid = squares.to_grid(np.arange(squares.n_states))
    assert grid.dims == ("x", "y")
    for state, (x, y) in enumerate(squares.centres):
        assert grid.sel(x=x, y=y, method="nearest") == state
    assert np.isfinite(grid).sum() == squares.n_states
    frames = np.histogram2d(*XY[squares.frames >= 0].T, bins=squares.bin_edges)[0]
    np.testing.assert_array_equal(grid.attrs["occupancy"], frames)
    assert grid.attrs["fs"] == pytest.approx(25.0)


@cases(
    "asked",
    {
        "hexagonal": {"n_bins": 6, "bin_shape": "hexagonal"},
        "centres": {"centres": np.random.default_rng(1).normal(SIX, 0.02)},
    },
)
def test_bins_that_are_no_rectangles_are_listed(asked):
    mdp = world(**asked)
    grid = mdp.to_grid(mdp.occupancy)
    assert grid.dims == ("bin",)
    np.testing.assert_array_equal(np.stack([grid.x, grid.y], axis=1), mdp.centres)
    np.testing.assert_allclose(grid.attrs["occupancy"] / grid.attrs["fs"], mdp.occupancy)


def test_values_of_other_shapes_are_refused(squares):
    n = squares.n_states
    for values in (np.ones(n + 1), np.ones((n, 2)), np.ones((1, 1, n)), 3.0):
        with raises(rf"values has shape .*; it must have shape \({n},\) or"):
            squares.to_grid(values)
