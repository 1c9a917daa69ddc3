"""Rate maps: spikes per time in each bin, and what smoothing may and may not do."""

from typing import NamedTuple

import numpy as np
import pytest

import hsr
from hsr.animals import rate_maps
from tests.animals.arenas import hexagons, open_arena, snake
from tests.cases import cases


class Recorded(NamedTuple):
    xy: np.ndarray
    t: np.ndarray
    edges: tuple
    spikes: dict
    mdp: hsr.FiniteMDP


@pytest.fixture(scope="module")
def recorded():
    """Return a walk in a square, two cells, and the bins."""
    rng = np.random.default_rng(3)
    xy = np.abs((np.cumsum(rng.normal(0.0, 0.03, (3000, 2)), axis=0) + 1) % 4 - 2) / 2
    t = 5.0 + np.arange(3000) / 20
    edges = (np.linspace(0, 1, 7), np.linspace(0, 1, 9))
    often, rarely = t[rng.random(3000) < xy[:, 0] / 2], np.sort(rng.choice(t, 40, replace=False))
    mdp = hsr.from_positions(xy, t, edges=edges, shortest=0)
    return Recorded(xy, t, edges, {"b": often, "a": rarely}, mdp)


def test_rates_are_two_histograms_divided(recorded):
    xy, t, edges, cells, mdp = recorded
    assert mdp.report.kept == 3000
    rates = rate_maps(cells, mdp)
    time = np.histogram2d(*xy.T, bins=edges)[0] * 0.05
    for unit, times in cells.items():
        spikes = np.histogram2d(*xy[np.searchsorted(t, times)].T, bins=edges)[0]
        with np.errstate(invalid="ignore"):
            np.testing.assert_allclose(rates.sel(unit=unit), spikes / time, rtol=1e-9)
    assert rates.dims == ("unit", "x", "y")
    assert list(rates["unit"].values) == ["b", "a"]


def test_rates_are_those_of_pynapple(recorded):
    nap = pytest.importorskip("pynapple")
    xy, t, edges, cells, mdp = recorded
    group = nap.TsGroup({k: nap.Ts(times) for k, times in enumerate(cells.values())})
    positions = nap.TsdFrame(t=t, d=xy, columns=["x", "y"])
    theirs = nap.compute_tuning_curves(group, positions, bins=edges, fs=20.0)
    ours = rate_maps(group, mdp)
    assert ours.dims == theirs.dims
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)
    for axis in ours.dims:
        np.testing.assert_allclose(ours[axis], theirs[axis])


def test_frames_that_do_not_count_give_neither_spikes_nor_time():
    trials = np.where(np.arange(4) < 2, 0.0, np.nan)
    mdp = hsr.from_positions(
        [[0, 0], [1, 0], [1, 0], [0, 0]], bin_size=1.0, extent=(-0.5, 1.5, -0.5, 0.5), trials=trials
    )
    rates = rate_maps([[0, 1, 2, 2, 3]], mdp)
    np.testing.assert_allclose(rates.values.ravel(), [1.0, 1.0])


def test_unvisited_cells_of_a_layout_stay_nan_when_smoothed():
    layout = hsr.GridLayout.from_text("...\n...")
    mdp = hsr.from_positions([[0.5, 0.5], [1.5, 0.5]], layout=layout)
    for smooth in (None, 1.0):
        rates = rate_maps({7: [0]}, mdp, smooth)
        np.testing.assert_array_equal(
            np.isfinite(rates.sel(unit=7)), [[True, False], [True, False], [False, False]]
        )


def spread(rates, mdp):
    """Return the mean and the covariance of positions, weighted by a map over states."""
    weights = rates / rates.sum()
    mean = weights @ mdp.centres
    return mean, (weights[:, None] * (mdp.centres - mean)).T @ (mdp.centres - mean)


@cases("arena", {"squares": lambda: open_arena(25), "hexagons": lambda: hexagons(25)})
@pytest.mark.parametrize("along", ["paths", "plane"])
def test_one_spike_spreads_to_the_variance_that_was_asked_for(arena, along):
    """Away from the walls of an arena that was visited evenly, whatever the bins."""
    mdp = arena()
    middle = int(np.hypot(*(mdp.centres - mdp.centres.mean(axis=0)).T).argmin())
    time = int(np.flatnonzero(mdp.frames == middle)[0])
    rates = rate_maps([[time]], mdp, 1.5, smooth_along=along)
    values = rates.values.ravel() if mdp.bin_edges is None else rates.values[0].reshape(-1)
    mean, covariance = spread(values, mdp)
    np.testing.assert_allclose(mean, mdp.centres[middle], atol=0.02)
    np.testing.assert_allclose(covariance, 1.5**2 * np.eye(2), atol=0.02 * 1.5**2)


def test_smoothing_along_paths_is_that_of_the_plane_in_an_open_arena():
    """At two bins' width the lattice is fine enough that both agree to a tenth of the peak."""
    mdp = open_arena(25)
    both = [rate_maps([[312, 313]], mdp, 2.0, smooth_along=a).values[0] for a in ("paths", "plane")]
    inner = (slice(6, -6), slice(6, -6))
    assert np.abs(both[0] - both[1])[inner].max() < 0.1 * both[1].max()


def test_smoothing_along_paths_keeps_spikes_and_crosses_no_wall():
    wall = [[(4.5, -1.0), (4.5, 8.5)]]
    xy = snake(10, 10)[:, ::-1]  # along x first, around the wall at the top
    xy = np.array([(x, y) for x, y in xy if x < 5] + [(x, y) for x, y in xy[::-1] if x >= 5])
    mdp = hsr.from_positions(
        xy, bin_size=1.0, extent=(-0.5, 9.5, -0.5, 9.5), walls=wall, skips="split", max_speed=99.0
    )
    assert mdp.n_states == 100
    beside = int(np.flatnonzero(mdp.frames == mdp.state_of((4, 2)))[0])
    leaks, keeps = (
        rate_maps([[beside]], mdp, 1.0, smooth_along=along).sel(unit=0)
        for along in ("plane", "paths")
    )
    assert float(leaks[5, 2]) > 0.4 * float(leaks[4, 2])
    assert float(keeps[5, 2]) < 1e-6 * float(keeps[4, 2])
    assert float(keeps.sum()) == pytest.approx(1.0)  # occupancy is one frame everywhere


def test_silent_cells_are_named_and_have_the_rate_zero(recorded):
    with pytest.warns(hsr.HSRWarning, match="1 of 2 cells have no spikes .* 'mute'"):
        rates = rate_maps({"mute": [], "loud": recorded.spikes["a"]}, recorded.mdp)
    assert float(np.nanmax(rates.sel(unit="mute"))) == 0.0
