"""Reads which trial each frame belongs to."""

import warnings
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import HSRWarning, InputError
from hsr._base.shown import shown
from hsr._base.validation import as_array, read_numbers

_FORMS = "one label per frame, or the beginning and end of each trial, of shape (trials, 2)"
_ENDS = (("start", "end"), ("start_time", "stop_time"))  # of pynapple, and of a table of NWB


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
            if ends[0].ndim != 1 or ends[0].shape != ends[1].shape or not ends[0].size:
                raise InputError(f"trials has no {first} and {last} of any trial")
            return _within(_numbers(np.stack(ends, axis=1), origin), times, closed=True)
    raw = as_array(getattr(trials, "values", trials), "trials", _FORMS)
    if raw.shape == times.shape:
        return _of_labels(raw)
    if raw.ndim == 2 and raw.shape[1] == 2 and raw.shape[0]:
        pairs = _numbers(raw, origin)
        if not timed:
            _check_frames(pairs, times.size)
        return _within(pairs, times, closed=False)
    raise InputError(
        f"trials has shape {raw.shape}; it must be {_FORMS}, and there are {times.size} frames"
    )


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


def _check_frames(pairs: FloatArray, n_frames: int) -> None:
    """Raise `InputError` if trials, given by numbers of frames, leave the recording."""
    if pairs.min() < 0 or pairs.max() > n_frames:
        hint = _labels_instead(pairs, n_frames)
        raise InputError(
            f"trials reach from frame {pairs.min():.10g} to {pairs.max():.10g}, "
            f"and there are {n_frames} frames{hint}"
        )


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
            f"trials[{wrong[0]}] is {shown(pairs[wrong[0]].tolist())}; "
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
