"""Read positions, times and trials from arrays, tables and objects of other packages.

Objects of pandas, xarray, movement, pynapple and pynwb are recognised by their attributes, so that
none of these packages is imported.
"""

import warnings
from dataclasses import dataclass
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import HSRWarning, InputError, short_repr
from hsr._base.validation import as_array, read_numbers
from hsr.adapters.positions.tracker_tables import is_tracker_table, point_of, read_table

_TIMES = ("t", "time", "Time (s)")  # the last is the name that pynapple gives to an index
_SURE = ("likelihood", "confidence")
_FORMS = "it must hold the positions of the frames, of shape (frames, 2)"
_OF_TRIALS = "one label per frame, or the beginning and end of each trial, of shape (trials, 2)"
_ENDS = (("start", "end"), ("start_time", "stop_time"))  # of pynapple, and of a table of NWB
_MANY_UNSURE = 0.2


class Source(NamedTuple):
    """The columns of a recording, before they are checked."""

    xy: Any
    t: Any = None
    trials: Any = None
    confidence: Any = None
    names: tuple[str, str] = ("x", "y")


@dataclass(frozen=True)
class Recording:
    """Positions over time, checked.

    Attributes
    ----------
    xy : float array of shape (F, 2)
        Position in each frame, nan where it is missing or not sure enough.
    t : float array of shape (F,)
        Time of each frame. The number of the frame if no times were given.
    dt : float
        Time between frames: the median of the differences.
    timed : bool
        Whether times were given.
    trial : int array of shape (F,)
        The trial of each frame, -1 between trials.
    unsure : int
        Frames with a position whose confidence is too low.
    names : (str, str)
        What the two coordinates are called.
    """

    xy: FloatArray
    t: FloatArray
    dt: float
    timed: bool
    trial: IntArray
    unsure: int
    names: tuple[str, str]


def read_recording(
    xy: Any, t: Any, trials: Any, keypoint: Any, individual: Any, confidence: float
) -> Recording:
    """Return a recording, or raise `InputError` that says what is wrong with it.

    Parameters
    ----------
    xy, t, trials, keypoint, individual, confidence : Any
        As `from_positions` takes them.
    """
    source = _find_columns(xy, keypoint, individual)
    positions = _read_positions(source.xy)
    unsure = _unsure(source.confidence, positions, confidence)
    positions[unsure] = np.nan
    raw = source.t if t is None else t
    times, origin = _read_times(raw, positions.shape[0])
    dt = float(np.median(np.diff(times))) if times.size > 1 else 1.0
    given = source.trials if trials is None else trials
    trial = read_trials(given, times, timed=raw is not None, origin=origin)
    n_unsure = int(unsure.sum())
    return Recording(positions, times, dt, raw is not None, trial, n_unsure, source.names)


def _find_columns(xy: Any, keypoint: Any, individual: Any) -> Source:
    """Return the positions, times, trials and confidences that an object holds."""
    if isinstance(xy, str | PathLike):
        xy = read_table(xy)
    if hasattr(xy, "data_vars") and "position" in xy.data_vars:
        return _of_poses(xy, keypoint, individual)
    if is_tracker_table(xy):
        return _of_data_frame(point_of(xy, keypoint, individual))
    for name, value in (("keypoint", keypoint), ("individual", individual)):
        if value is not None:
            raise InputError(
                f"{name} is {short_repr(value)}; it is for datasets of movement and tables of "
                "DeepLabCut only"
            )
    if hasattr(xy, "time_support"):
        return _of_pynapple(xy)
    if hasattr(xy, "get_timestamps"):  # a SpatialSeries of pynwb, or a series of poses
        sure = getattr(xy, "confidence", None)
        return Source(np.asarray(xy.get_data_in_units()), xy.get_timestamps(), confidence=sure)
    if hasattr(xy, "data_vars"):
        if not {"x", "y"} <= set(xy.data_vars):
            held = ", ".join(map(str, xy.data_vars)) or "nothing"
            raise InputError(
                f"xy is a Dataset that holds {held}; it must hold x and y, or position"
            )
        xy = xy[[name for name in ("x", "y", *_SURE) if name in xy]].to_dataframe()
    if hasattr(xy, "dims") and hasattr(xy, "coords"):
        return _of_data_array(xy)
    return _of_data_frame(xy) if hasattr(xy, "itertuples") else Source(xy)


def _of_poses(poses: Any, keypoint: Any, individual: Any) -> Source:
    """Return one point of one animal from a dataset of poses, as movement makes them."""
    for name, wanted in (("keypoint", keypoint), ("individual", individual)):
        dim = next((dim for dim in poses.position.dims if str(dim).startswith(name)), None)
        if dim is None:
            continue
        known = poses[dim].values.tolist()
        if wanted is None and len(known) > 1:
            raise InputError(f"xy has the {dim} {', '.join(map(repr, known))}; say {name}=...")
        if wanted is not None and wanted not in known:
            raise InputError(
                f"{name} is {short_repr(wanted)}; xy has the {dim} {', '.join(map(repr, known))}"
            )
        poses = poses.sel({dim: known[0] if wanted is None else wanted})
    plane = poses.position.sel(space=["x", "y"])
    sure = poses["confidence"].values if "confidence" in poses else None
    return _of_data_array(plane)._replace(confidence=sure)


def _of_pynapple(xy: Any) -> Source:
    if not hasattr(xy, "columns"):
        raise InputError(
            f"xy is a {type(xy).__name__} of pynapple; it must be a TsdFrame with two columns"
        )
    columns = _chosen(list(xy.columns))
    values = np.asarray(xy.values)[:, [list(xy.columns).index(name) for name in columns]]
    return Source(values, np.asarray(xy.t), xy.time_support, names=_names(columns))


def _of_data_array(xy: Any) -> Source:
    first = [dim for dim in xy.dims if dim in _TIMES]
    turned = xy.transpose(*first, ...) if first else xy
    last = turned.dims[-1] if turned.dims else None
    names = turned.coords[last].values if last in turned.coords else ()
    times = next((turned[name].values for name in _TIMES if name in turned.coords), None)
    return Source(turned.values, times, names=_names(names))


def _of_data_frame(xy: Any) -> Source:
    times = next((xy[name].to_numpy() for name in _TIMES if name in xy.columns), None)
    if times is None and (xy.index.name in _TIMES or xy.index.dtype.kind in "mMf"):
        times = xy.index.to_numpy()
    trials, sure = (
        next((xy[name].to_numpy() for name in names if name in xy.columns), None)
        for names in (("trial", "trials"), _SURE)
    )
    special = {*_TIMES, *_SURE, "trial", "trials"}
    chosen = _chosen([name for name in xy.columns if name not in special])
    return Source(xy[chosen].to_numpy(), times, trials, sure, _names(chosen))


def _chosen(columns: list[Any]) -> list[Any]:
    """Return x and y if they are there, else the only two columns."""
    chosen = ["x", "y"] if "x" in columns and "y" in columns else columns
    if len(chosen) != 2 or len(set(chosen)) != 2:
        raise InputError(
            f"xy has the columns {', '.join(map(repr, columns)) or 'nothing'}; it must have the "
            "columns x and y, or two columns"
        )
    return chosen


def _names(names: Any) -> tuple[str, str]:
    """Return what coordinates are called, x and y if that is no name of a dimension."""
    words = tuple(str(name) for name in names)
    if len(words) == 2 and len(set(words)) == 2 and all(word.isidentifier() for word in words):
        return words[0], words[1]
    return "x", "y"


def _read_positions(columns: Any) -> FloatArray:
    """Return positions in which a missing frame is nan in both columns."""
    given = read_numbers(columns, f"xy cannot be read as numbers; {_FORMS}")
    if given.ndim != 2 or given.shape[1] != 2 or not given.shape[0]:
        turned = given.ndim == 2 and given.shape[0] == 2
        hint = "; is it xy.T that you mean?" if turned else ""
        raise InputError(f"xy has shape {given.shape}; {_FORMS}{hint}")
    if np.isinf(given).any():
        frame = int(np.flatnonzero(np.isinf(given).any(axis=1))[0])
        raise InputError(f"xy[{frame}] is infinite; missing positions must be nan")
    missing = np.isnan(given).any(axis=1)
    if missing.all():
        raise InputError(f"all {missing.size} positions are nan; at least one must be a number")
    positions = np.array(given, dtype=np.float64)
    positions[missing] = np.nan
    return positions


def _unsure(given: Any, positions: FloatArray, least: float) -> np.ndarray:
    """Return which positions the tracker is not sure of. An unknown confidence counts as enough."""
    there = np.isfinite(positions[:, 0])
    if given is None:
        return np.zeros(there.size, dtype=bool)
    sure = read_numbers(given, "the confidences cannot be read as numbers")
    if sure.shape != there.shape:
        raise InputError(f"confidences have shape {sure.shape}; there are {there.size} frames")
    unsure = there & (sure < least)
    if (unsure | ~there).all():
        raise InputError(f"no position has a confidence of {least:g}; choose another confidence=")
    if unsure.sum() > _MANY_UNSURE * there.sum():
        warnings.warn(
            f"{unsure.sum() / there.sum():.0%} of the positions have a confidence below {least:g} "
            "and count as missing; confidence= sets another limit",
            HSRWarning,
            stacklevel=4,
        )
    return np.asarray(unsure)


def _read_times(t: Any, n_frames: int) -> tuple[FloatArray, Any]:
    """Return one time per frame, and the date that is time 0 if they were given as dates.

    Dates and durations become seconds. Numbers stay in the unit in which they were given.
    """
    if t is None:
        return np.arange(n_frames, dtype=np.float64), None
    raw = as_array(getattr(t, "values", t), "t", "one time per frame")
    if raw.shape != (n_frames,):
        raise InputError(f"t has shape {raw.shape}; it must have shape ({n_frames},), like xy")
    origin = raw[0] if raw.dtype.kind == "M" else None
    if raw.dtype.kind in "mM":
        raw = (raw if origin is None else raw - origin) / np.timedelta64(1, "s")
    times = read_numbers(raw, "t cannot be read as numbers; it must have one time per frame")
    wrong = np.flatnonzero(~np.isfinite(times))
    if wrong.size:
        raise InputError(f"t[{wrong[0]}] is {times[wrong[0]]}; every frame must have a finite time")
    wrong = np.flatnonzero(np.diff(times) <= 0.0)
    if wrong.size:
        frame = int(wrong[0])
        raise InputError(
            f"t[{frame + 1}] is {times[frame + 1]:.10g} and t[{frame}] is {times[frame]:.10g}; "
            "times must increase from frame to frame"
        )
    return np.array(times), origin


def read_trials(trials: Any, times: FloatArray, *, timed: bool, origin: Any = None) -> IntArray:
    """Return the trial of each frame, -1 between trials.

    Parameters
    ----------
    trials : Any
        None, a label per frame, or the beginning and end of each trial.
    times : float array of shape (F,)
        The time of each frame.
    timed : bool
        Whether trials are given by times. By numbers of frames otherwise.
    origin : datetime64, optional
        The date at time 0, where times were given as dates.
    """
    if trials is None:
        return np.zeros(times.size, dtype=np.int64)
    for first, last in _ENDS:
        if hasattr(trials, first) and hasattr(trials, last):
            ends = [np.asarray(getattr(trials, name)) for name in (first, last)]
            if not ends[0].size:
                raise InputError(f"trials has no {first} and {last} of any trial")
            return _within(_numbers(np.stack(ends, axis=1), origin), times, closed=True)
    raw = as_array(getattr(trials, "values", trials), "trials", _OF_TRIALS)
    if raw.shape == times.shape:
        return _of_labels(raw)
    if raw.ndim != 2 or raw.shape[1] != 2 or not raw.shape[0]:
        raise InputError(
            f"trials has shape {raw.shape}; it must be {_OF_TRIALS}, "
            f"and there are {times.size} frames"
        )
    pairs = _numbers(raw, origin)
    if not timed and (pairs.min() < 0 or pairs.max() > times.size):
        raise InputError(
            f"trials reach from frame {pairs.min():.10g} to {pairs.max():.10g}, "
            f"and there are {times.size} frames{_labels_instead(pairs, times.size)}"
        )
    return _within(pairs, times, closed=False)


def _numbers(pairs: np.ndarray, origin: Any) -> FloatArray:
    """Return the ends of trials as numbers. Dates and durations become seconds."""
    if pairs.dtype.kind == "M" and origin is not None:
        pairs = pairs - origin
    if pairs.dtype.kind == "m":
        pairs = pairs / np.timedelta64(1, "s")
    return read_numbers(pairs, "trials cannot be read as numbers")


def _of_labels(labels: np.ndarray) -> IntArray:
    """Return numbered trials of labels per frame. A trial is a run of equal labels.

    Frames without a label, nan or None, are between trials.
    """
    if labels.dtype.kind == "O":
        labels = np.array([np.nan if label is None else label for label in labels], dtype=object)
    absent = np.asarray(labels != labels, dtype=bool)
    new = np.ones(labels.size, dtype=bool)
    new[1:] = (labels[1:] != labels[:-1]) | (absent[1:] != absent[:-1])
    if absent.all():
        raise InputError("trials has no label in any frame")
    return np.where(absent, -1, np.cumsum(new & ~absent) - 1)


def _labels_instead(pairs: FloatArray, n_frames: int) -> str:
    """Return what to do if trials are numbers of frames in a longer recording."""
    if (pairs[:, 1] - pairs[:, 0]).sum() != n_frames:
        return ""
    return (
        "; their lengths add up to the number of frames, so give one label per frame: "
        "np.repeat(np.arange(len(trials)), trials[:, 1] - trials[:, 0])"
    )


def _within(pairs: FloatArray, times: FloatArray, *, closed: bool) -> IntArray:
    """Return which interval each time lies in, -1 outside of all."""
    wrong = np.flatnonzero(~(np.isfinite(pairs).all(axis=1) & (pairs[:, 0] < pairs[:, 1])))
    if wrong.size:
        raise InputError(
            f"trials[{wrong[0]}] is {short_repr(pairs[wrong[0]].tolist())}; "
            "it must be the beginning and the end of a trial"
        )
    wrong = np.flatnonzero(pairs[1:, 0] < pairs[:-1, 1])
    if wrong.size:
        raise InputError(
            f"trials[{wrong[0] + 1}] begins at {pairs[wrong[0] + 1, 0]:.10g}, before the end of "
            f"trials[{wrong[0]}]; trials must be in order and must not overlap"
        )
    number = np.searchsorted(pairs[:, 0], times, side="right") - 1
    last = pairs[number, 1]
    inside = (number >= 0) & ((times <= last) if closed else (times < last))
    reach = (
        f"trials reach from {pairs[0, 0]:.10g} to {pairs[-1, 1]:.10g}, "
        f"and times from {times[0]:.10g} to {times[-1]:.10g}"
        f"{_labels_instead(pairs, times.size)}"
    )
    if not inside.any():
        raise InputError(f"no frame lies in a trial: {reach}")
    empty = len(pairs) - np.unique(number[inside]).size
    if empty:
        warnings.warn(
            f"{empty:,} of {len(pairs):,} trials hold no frame: {reach}", HSRWarning, stacklevel=5
        )
    return np.where(inside, number, -1)
