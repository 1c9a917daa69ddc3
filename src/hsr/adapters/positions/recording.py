"""A recording: positions over time, read from what the caller has and checked."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.validation import as_array, read_numbers
from hsr.adapters.positions.sources import find_columns
from hsr.adapters.positions.trials import read_trials

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
    source = find_columns(xy)
    positions = _read_positions(source.xy)
    raw = source.t if t is None else t
    times, origin = _read_times(raw, positions.shape[0])
    dt = float(np.median(np.diff(times))) if times.size > 1 else 1.0
    intervals = source.epochs if trials is None else trials
    trial = read_trials(intervals, times, timed=raw is not None, origin=origin)
    return Recording(positions, times, dt, trial, source.names)


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


def _read_times(t: Any, n_frames: int) -> tuple[FloatArray, Any]:
    """Return one time per frame, and the date that is time 0 if they were given as dates.

    Dates and durations become seconds. Numbers stay in the unit in which they were given.
    """
    if t is None:
        return np.arange(n_frames, dtype=np.float64), None
    raw = as_array(getattr(t, "values", t), "t", "one time per frame")
    if raw.shape != (n_frames,):
        raise InputError(f"t has shape {raw.shape}; it must have shape ({n_frames},), like xy")
    origin = None
    if raw.dtype.kind in "mM":
        if np.isnat(raw).any():
            raise InputError("t has missing times; every frame must have one")
        origin = raw[0] if raw.dtype.kind == "M" else None
        raw = (raw if origin is None else raw - origin) / np.timedelta64(1, "s")
    times = read_numbers(raw, "t cannot be read as numbers; it must have one time per frame")
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
    return np.array(times), origin
