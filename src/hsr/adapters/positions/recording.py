"""Reads positions, times and trials from NumPy, pandas, xarray or pynapple."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.shown import shown
from hsr._base.validation import read_numbers

_FORMS = "it must hold the positions of the frames, of shape (frames, 2)"


@dataclass(frozen=True)
class Recording:
    """Positions over time, checked.

    Attributes
    ----------
    xy : float array of shape (F, 2)
        Position in each frame, nan where it is missing.
    t : float array of shape (F,)
        Time of each frame. The number of the frame if no times were given.
    dt : float
        Time between frames: the median of the differences.
    trial : int array of shape (F,)
        The trial of each frame, -1 between trials.
    names : (str, str)
        What the two coordinates are called.
    """

    xy: FloatArray
    t: FloatArray
    dt: float
    trial: IntArray
    names: tuple[str, str]


def read_recording(xy: Any, t: Any, trials: Any) -> Recording:
    """Return a recording, or raise `InputError` that says what is wrong with it.

    Parameters
    ----------
    xy, t, trials : Any
        As `from_positions` takes them.
    """
    columns, own_times, epochs, names = _columns(xy)
    positions = read_numbers(columns, f"xy cannot be read as numbers; {_FORMS}")
    if positions.ndim != 2 or positions.shape[1] != 2 or not positions.shape[0]:
        turned = positions.ndim == 2 and positions.shape[0] == 2
        hint = "; is it xy.T that you mean?" if turned else ""
        raise InputError(f"xy has shape {positions.shape}; {_FORMS}{hint}")
    positions = np.array(positions, dtype=np.float64)
    if np.isinf(positions).any():
        frame = int(np.flatnonzero(np.isinf(positions).any(axis=1))[0])
        raise InputError(f"xy[{frame}] is infinite; missing positions must be nan")
    missing = np.isnan(positions).any(axis=1)
    if missing.all():
        raise InputError(f"all {missing.size} positions are nan; at least one must be a number")
    positions[missing] = np.nan
    times = _read_times(own_times if t is None else t, positions.shape[0])
    dt = float(np.median(np.diff(times))) if times.size > 1 else 1.0
    timed = t is not None or own_times is not None
    trial = read_trials(epochs if trials is None else trials, times, timed=timed)
    return Recording(positions, times, dt, trial, names)


def _columns(xy: Any) -> tuple[Any, Any, Any, tuple[str, str]]:
    """Return positions, times, epochs and names of the coordinates, whatever `xy` is.

    Objects of other packages are recognised by their attributes, so that none is imported.
    """
    if hasattr(xy, "time_support") and hasattr(xy, "columns"):  # pynapple
        return np.asarray(xy.values), np.asarray(xy.t), xy.time_support, _two_names(xy.columns)
    if hasattr(xy, "time_support"):
        raise InputError(
            f"xy is a {type(xy).__name__} of pynapple; it must be a TsdFrame with two columns"
        )
    if hasattr(xy, "data_vars"):  # an xarray Dataset
        if not {"x", "y"} <= set(xy.data_vars):
            held = ", ".join(map(str, xy.data_vars)) or "nothing"
            raise InputError(f"xy is a Dataset that holds {held}; it must hold x and y")
        return np.stack([xy["x"].values, xy["y"].values], axis=1), _coordinate(xy), None, ("x", "y")
    if hasattr(xy, "dims") and hasattr(xy, "coords"):  # an xarray DataArray
        last = xy.coords[xy.dims[-1]].values if xy.dims[-1] in xy.coords else ("x", "y")
        return xy.values, _coordinate(xy), None, _two_names(last)
    if hasattr(xy, "itertuples"):  # a data frame
        times = next((xy[name].to_numpy() for name in ("t", "time") if name in xy.columns), None)
        if times is None and xy.index.name in ("t", "time"):
            times = xy.index.to_numpy()
        rest = [name for name in xy.columns if name not in ("t", "time")]
        named = ["x", "y"] if {"x", "y"} <= set(rest) else rest
        if len(named) != 2:
            raise InputError(
                f"xy has the columns {', '.join(map(repr, xy.columns))}; "
                "it must have the columns x and y, or two columns"
            )
        return xy[named].to_numpy(), times, None, _two_names(named)
    return xy, None, None, ("x", "y")


def _two_names(names: Any) -> tuple[str, str]:
    words = tuple(str(name) for name in names)
    plain = (
        len(words) != 2 or words[0] == words[1] or not all(word.isidentifier() for word in words)
    )
    return ("x", "y") if plain else (words[0], words[1])


def _coordinate(array: Any) -> Any:
    """Return the times of an xarray object, or None if it has none."""
    return next((array[name].values for name in ("time", "t") if name in array.coords), None)


def _read_times(t: Any, n_frames: int) -> FloatArray:
    """Return one time per frame in seconds, or in what unit they were given."""
    if t is None:
        return np.arange(n_frames, dtype=np.float64)
    raw = np.asarray(getattr(t, "values", t))
    if raw.dtype.kind in "mM":
        if raw.ndim == 1 and raw.size and not np.isnat(raw).any():
            raw = (raw - raw[0]) / np.timedelta64(1, "s")
        else:
            raise InputError("t has missing times; every frame must have one")
    times = read_numbers(raw, "t cannot be read as numbers; it must have one time per frame")
    if times.shape != (n_frames,):
        raise InputError(f"t has shape {times.shape}; it must have shape ({n_frames},), like xy")
    if not np.isfinite(times).all():
        frame = int(np.flatnonzero(~np.isfinite(times))[0])
        raise InputError(f"t[{frame}] is {times[frame]}; every frame must have a finite time")
    wrong = np.flatnonzero(np.diff(times) <= 0.0)
    if wrong.size:
        frame = int(wrong[0])
        raise InputError(
            f"t[{frame + 1}] is {times[frame + 1]:.10g} and t[{frame}] is {times[frame]:.10g}; "
            "times must increase from frame to frame"
        )
    return np.array(times)


def read_trials(trials: Any, times: FloatArray, *, timed: bool) -> IntArray:
    """Return the trial of each frame, -1 between trials.

    Parameters
    ----------
    trials : Any
        A label per frame, or the beginning and end of each trial.
    times : float array of shape (F,)
        The time of each frame.
    timed : bool
        Whether trials are given by times. By numbers of frames otherwise.
    """
    if trials is None:
        return np.zeros(times.size, dtype=np.int64)
    if hasattr(trials, "start") and hasattr(trials, "end"):  # pynapple's IntervalSet
        pairs = np.stack([np.asarray(trials.start), np.asarray(trials.end)], axis=1)
        return _within(pairs, times, closed=True)
    raw = np.asarray(getattr(trials, "values", trials))
    if raw.ndim == 1 and raw.shape == times.shape:
        return _of_labels(raw)
    if raw.ndim == 2 and raw.shape[1] == 2 and raw.shape[0]:
        pairs = read_numbers(raw, "trials cannot be read as numbers")
        return _within(pairs, times, closed=False, frames=not timed)
    raise InputError(
        f"trials has shape {raw.shape}; it must have one label per frame, shape ({times.size},), "
        "or the beginning and end of each trial, shape (trials, 2)"
    )


def _of_labels(labels: Any) -> IntArray:
    """Return numbered trials of labels per frame. A trial is a run of equal labels.

    Frames without a label, nan or None, are between trials.
    """
    absent = labels != labels
    if labels.dtype.kind == "O":
        absent |= np.array([label is None for label in labels])
    new = np.ones(labels.size, dtype=bool)
    new[1:] = (labels[1:] != labels[:-1]) | (absent[1:] != absent[:-1])
    number = np.cumsum(new & ~absent) - 1
    return np.where(absent, -1, number)


def _within(
    pairs: FloatArray, times: FloatArray, *, closed: bool, frames: bool = False
) -> IntArray:
    """Return which interval each time lies in, -1 outside of all."""
    what = "first and last + 1 frame" if frames else "beginning and end"
    if not np.isfinite(pairs).all() or (pairs[:, 1] <= pairs[:, 0]).any():
        wrong = int(np.flatnonzero(~(pairs[:, 1] > pairs[:, 0]))[0])
        raise InputError(
            f"trials[{wrong}] is {shown(pairs[wrong].tolist())}; it must be the {what} of a trial"
        )
    if (pairs[1:, 0] < pairs[:-1, 1]).any():
        wrong = int(np.flatnonzero(pairs[1:, 0] < pairs[:-1, 1])[0])
        raise InputError(
            f"trials[{wrong + 1}] begins at {pairs[wrong + 1, 0]:.10g}, before the end of "
            f"trials[{wrong}]; trials must be in order and must not overlap"
        )
    if frames and (pairs[-1, 1] > times.size or pairs[0, 0] < 0):
        lengths = pairs[:, 1] - pairs[:, 0]
        hint = ""
        if lengths.sum() == times.size:
            hint = (
                "; their lengths add up to the number of frames, so give one label per frame: "
                "np.repeat(np.arange(len(trials)), trials[:, 1] - trials[:, 0])"
            )
        raise InputError(
            f"trials reach from frame {pairs[0, 0]:.10g} to {pairs[-1, 1]:.10g}, "
            f"and there are {times.size} frames{hint}"
        )
    number = np.searchsorted(pairs[:, 0], times, side="right") - 1
    last = pairs[number, 1]
    inside = (number >= 0) & ((times <= last) if closed else (times < last))
    if not inside.any():
        raise InputError(
            f"no frame lies in a trial: trials reach from {pairs[0, 0]:.10g} to "
            f"{pairs[-1, 1]:.10g}, and times from {times[0]:.10g} to {times[-1]:.10g}"
        )
    return np.where(inside, number, -1)
