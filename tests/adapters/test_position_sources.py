"""Positions from pandas, xarray and pynapple give the MDP of the plain arrays.

Files of NWB and of other formats are in test_recordings_page.py.
"""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import hsr
from tests.cases import cases, raises

T = np.arange(900) / 30.0
XY = 5.0 + 4.0 * np.stack([np.cos(1.3 * T), np.sin(2.1 * T)], axis=1)
TRIALS = np.array([[2.0, 11.0], [15.0, 29.0]])
DATES = np.datetime64("2024-05-01T12:00:00") + (T * 1e9).round().astype("timedelta64[ns]")


def table(**more):
    return pd.DataFrame({"x": XY[:, 0], "y": XY[:, 1]} | more)


def array(coordinate="time", **coords):
    return xr.DataArray(XY, dims=("time", "space"), coords={coordinate: ("time", T)} | coords)


def assert_same_world(mdp, trials=None):
    expected = hsr.from_positions(XY, T, n_bins=5, trials=trials)
    assert mdp.labels == expected.labels
    np.testing.assert_array_equal(mdp.counts, expected.counts)
    np.testing.assert_allclose(mdp.occupancy, expected.occupancy, rtol=1e-6)


PLAIN = {
    "float32": (XY.astype(np.float32), T),
    "column t": (table(t=T), None),
    "column time": (table(time=T), None),
    "index time": (table().set_index(pd.Index(T, name="time")), None),
    "index of dates": (table().set_index(pd.DatetimeIndex(DATES)), None),
    "index of durations": (table().set_index(pd.to_timedelta(T, unit="s")), None),
    "dates": (XY, DATES),
    "DataArray": (array(), None),
    "DataArray, t": (array("t"), None),
    "DataArray, turned": (array().T, None),
    "Dataset": (xr.Dataset({"x": ("time", XY[:, 0]), "y": ("time", XY[:, 1])}, {"time": T}), None),
}


@cases("xy, t", PLAIN)
def test_positions_of_pandas_and_xarray_are_read_with_their_times(xy, t):
    mdp = hsr.from_positions(xy, t, n_bins=5)
    assert_same_world(mdp)
    assert mdp.dt == pytest.approx(1 / 30)


SURE = np.where(np.arange(900) % 30, 0.95, 0.2)
KNOWN = np.where(SURE[:, None] > 0.9, XY, np.nan)


def poses(keypoints=("nose", "tail"), individuals=("mouse",)):
    """Return a dataset as movement makes it: the nose of the last animal walks along XY."""
    shape = (900, 2, len(keypoints), len(individuals))
    position = np.random.default_rng(0).uniform(0, 10, shape)
    position[:, :, 0, -1] = XY
    confidence = np.ones((900, *shape[2:]))
    confidence[:, 0, -1] = SURE
    dims = ("time", "space", "keypoints", "individuals")
    return xr.Dataset(
        {"position": (dims, position), "confidence": (("time", *dims[2:]), confidence)},
        {"time": T, "space": ["x", "y"], "keypoints": [*keypoints], "individuals": [*individuals]},
    )


TWO = poses(individuals=("a", "b"))


def tracked(levels=("scorer", "bodyparts", "coords"), animals=1):
    """Return a table as DeepLabCut writes it: the nose of the last animal walks along XY."""
    points = {}
    for animal in "ab"[:animals]:
        for part in ("nose", "tail"):
            walks = part == "nose" and animal == "ab"[animals - 1]
            for k, coordinate in enumerate(("x", "y", "likelihood")):
                column = np.column_stack([XY, SURE])[:, k] if walks else np.ones(900)
                named = {"scorer": "DLC", "individuals": animal, "bodyparts": part}
                points[tuple(({**named, "coords": coordinate})[level] for level in levels)] = column
    return pd.DataFrame(points, columns=pd.MultiIndex.from_tuples(points, names=levels)).set_index(
        pd.Index(T, name="time")
    )


FOUR = tracked(("scorer", "individuals", "bodyparts", "coords"), animals=2)

UNSURE = {
    "DeepLabCut": (tracked(), {"keypoint": "nose"}),
    "two levels": (tracked(("bodyparts", "coords")), {"keypoint": "nose"}),
    "several animals": (FOUR, {"keypoint": "nose", "individual": "b"}),
    "one animal": (poses(), {"keypoint": "nose"}),
    "two animals": (TWO, {"keypoint": "nose", "individual": "b"}),
    "one point": (poses(keypoints=("nose",)), {}),
    "likelihood": (table(likelihood=SURE, time=T), {}),
    "confidence": (table(confidence=SURE, time=T), {}),
}


@cases("xy, asked", UNSURE)
def test_positions_that_the_tracker_is_not_sure_of_are_missing(xy, asked):
    mdp = hsr.from_positions(xy, n_bins=5, **asked)
    expected = hsr.from_positions(KNOWN, T, n_bins=5)
    np.testing.assert_array_equal(mdp.counts, expected.counts)
    assert (mdp.report.unsure, mdp.report.missing) == (30, 0)
    assert "frames with too low a confidence: 30" in str(mdp.report)
    assert_same_world(hsr.from_positions(xy, n_bins=5, confidence=0, **asked))


def test_many_positions_that_nobody_is_sure_of_are_warned_of():
    doubtful = table(likelihood=np.where(np.arange(900) % 3, 1.0, 0.5), time=T)
    with pytest.warns(hsr.HSRWarning, match="33% of the positions have a confidence below 0.9"):
        hsr.from_positions(doubtful, n_bins=2)


def test_a_column_of_trials_is_used():
    trial = np.where(T < 15.0, "first", "second")
    assert_same_world(hsr.from_positions(table(trial=trial, time=T), n_bins=5), trial)


def test_coordinates_keep_their_names():
    named = pd.DataFrame(XY, columns=["east", "north"])
    for given, names in (
        (named, ("east", "north")),
        (pd.DataFrame(XY), ("x", "y")),
        (array(space=["east", "north"]), ("east", "north")),
        (XY, ("x", "y")),
    ):
        mdp = hsr.from_positions(given, n_bins=5)
        assert mdp.to_grid(mdp.occupancy).dims == names


@cases(
    "table, asked, header",
    {
        "plain": (table(time=T, likelihood=SURE), {}, {"index": False}),
        "DeepLabCut": (tracked(), {"keypoint": "nose", "t": T}, {}),
        "several animals": (FOUR, {"keypoint": "nose", "individual": "b", "t": T}, {}),
    },
)
def test_csv_files_are_read_by_name(table, asked, header, tmp_path):
    file = tmp_path / "mouse.csv"
    table.reset_index(drop=True).to_csv(file, **header)
    expected = hsr.from_positions(KNOWN, T, n_bins=5)
    for name in (file, str(file)):
        np.testing.assert_array_equal(
            hsr.from_positions(name, n_bins=5, **asked).counts, expected.counts
        )


REFUSED = {
    "several points": (poses(), {}, "xy has the keypoints 'nose', 'tail'; say keypoint="),
    "another animal": (
        TWO,
        {"keypoint": "nose", "individual": "c"},
        "individual is 'c'; xy has the individuals 'a', 'b'",
    ),
    "several points of a table": (tracked(), {}, "keypoints 'nose', 'tail'; say keypoint="),
    "another point": (tracked(), {"keypoint": "ear"}, "keypoint is 'ear'; xy has the keypoints"),
    "no animals": (tracked(), {"keypoint": "nose", "individual": "b"}, "individual is 'b'; xy has"),
    "no file": ("nowhere.csv", {}, "there is no such file"),
    "a file of another kind": ("mouse.h5", {}, "load_dataset"),
    "no points": (XY, {"keypoint": "nose"}, "keypoint is 'nose'; it is for datasets of movement"),
    "other columns": (pd.DataFrame({"a": T, "b": T, "c": T}), {}, "columns 'a', 'b', 'c'"),
    "other variables": (xr.Dataset({"speed": ("time", T)}), {}, "a Dataset that holds speed"),
}


@cases("xy, asked, words", REFUSED)
def test_objects_that_hold_no_positions_are_refused(xy, asked, words):
    with raises(words):
        hsr.from_positions(xy, n_bins=5, **asked)


INSIDE = TRIALS + np.array([0.0, 1e-9])  # so that the end of a trial belongs to it
ENDS = {
    "table of NWB": (
        pd.DataFrame({"start_time": TRIALS[:, 0], "stop_time": TRIALS[:, 1]}),
        INSIDE,
    ),
    "table": (pd.DataFrame({"start": TRIALS[:, 0], "end": TRIALS[:, 1]}), INSIDE),
    "durations": ((TRIALS * 1e9).astype("timedelta64[ns]"), TRIALS),
}


@cases("trials, pairs", ENDS)
def test_trials_are_read_from_tables(trials, pairs):
    assert_same_world(hsr.from_positions(XY, T, n_bins=5, trials=trials), pairs)


@pytest.fixture(scope="module")
def nap():
    return pytest.importorskip("pynapple")


def one_cell_per_state(nap, mdp, frame):
    """Return cells that fire once in each frame that the animal spends in their state."""
    trains = {k: nap.Ts(T[mdp.frames == k]) for k in range(mdp.n_states)}
    return nap.TsGroup(trains, time_support=frame.time_support)


def test_frames_of_pynapple_bring_their_times(nap):
    assert_same_world(hsr.from_positions(nap.TsdFrame(t=T, d=XY), n_bins=5))
    more = nap.TsdFrame(t=T, d=np.column_stack([T, XY[:, ::-1]]), columns=["speed", "y", "x"])
    assert_same_world(hsr.from_positions(more, n_bins=5))
    epochs = nap.IntervalSet(start=TRIALS[:, 0], end=TRIALS[:, 1])
    assert_same_world(hsr.from_positions(more, n_bins=5, trials=epochs), INSIDE)
    with raises("it must be a TsdFrame with two columns"):
        hsr.from_positions(nap.Tsd(t=T, d=T))


def test_grids_are_tuning_curves_of_pynapple(nap):
    frame = nap.TsdFrame(t=T, d=XY, columns=["x", "y"])
    mdp = hsr.from_positions(frame, n_bins=5)
    M = hsr.successor_representation(mdp, mdp.behaviour())
    fields = mdp.to_grid(M.toarray().T)
    spikes = one_cell_per_state(nap, mdp, frame)
    curves = nap.compute_tuning_curves(spikes, frame, bins=list(mdp.bin_edges))
    assert fields.dims == curves.dims == ("unit", "x", "y")
    assert list(fields.coords) == list(curves.coords)
    for name in ("x", "y"):
        np.testing.assert_allclose(fields[name], curves[name])
        np.testing.assert_array_equal(np.isnan(fields).all(name), np.isnan(curves).all(name))
    np.testing.assert_array_equal(fields.attrs["occupancy"], curves.attrs["occupancy"])
    np.testing.assert_allclose(fields.attrs["fs"], curves.attrs["fs"])
    for ours, theirs in zip(fields.attrs["bin_edges"], curves.attrs["bin_edges"], strict=True):
        np.testing.assert_array_equal(ours, theirs)
    rates = mdp.to_grid(np.eye(mdp.n_states) * 30.0)  # one spike in each frame
    np.testing.assert_allclose(rates, curves, rtol=1e-6)
