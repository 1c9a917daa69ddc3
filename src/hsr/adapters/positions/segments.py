"""Cuts a recording where nobody knows what the animal did."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.ndimage import median_filter

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr.adapters.positions.recording import Recording

GLITCH_FRAMES = 3
_MANY = 5.0  # times the 99th percentile of speeds that no animal exceeds
_LATE = 1.9  # frame intervals after which a frame is missing
_NEAR = 2.25  # bins that a move to a neighbouring bin can be long, from corner to corner


@dataclass(frozen=True)
class Pieces:
    """Frames with a known bin, and the pieces that they form.

    Attributes
    ----------
    frames : int array of shape (n,)
        Frames that are kept, in order.
    begins : bool array of shape (n,)
        Whether a new piece begins at the frame.
    glitch : bool array of shape (F,)
        Which frames of the recording are glitches.
    jumps, gaps, bridged : int
        As in `PositionsReport`.
    """

    frames: IntArray
    begins: BoolArray
    glitch: BoolArray
    jumps: int
    gaps: int
    bridged: int


def usual_limit(recording: Recording) -> float:
    """Return a speed that the animal never reaches: five times its 99th percentile.

    Glitches are removed by a running median over five frames, so that many of them do not raise
    the limit.
    """
    frames = np.flatnonzero(_counts(recording))
    xy = median_filter(recording.xy[frames], size=(2 * GLITCH_FRAMES - 1, 1), mode="nearest")
    together = (np.diff(frames) == 1) & (np.diff(recording.trial[frames]) == 0)
    speed = (_lengths(xy)[1:] / np.diff(recording.t[frames]))[together]
    fast = float(np.quantile(speed, 0.99)) if speed.size else 0.0
    return _MANY * fast if fast > 0.0 else np.inf


def find_glitches(recording: Recording, max_speed: float, spacing: float = 0.0) -> BoolArray:
    """Return which frames are glitches of the tracker, of shape (F,).

    They are pieces of fewer than three frames between two jumps. Once these are left out, so are
    pieces of fewer than three frames between a jump and missing frames, or the end of a trial.

    Parameters
    ----------
    recording : Recording
        The recording.
    max_speed : float
        The fastest that the animal can move.
    spacing : float
        Distance between bins. Shorter jumps are no jumps.
    """
    glitch = np.zeros(recording.t.size, dtype=bool)
    for join in (np.logical_and, np.logical_or):
        frames = np.flatnonzero(_counts(recording) & ~glitch)
        jump, absent, new_trial = _cuts(recording, frames, max_speed, spacing)
        if not jump.any():
            break
        first = np.flatnonzero(jump | absent | new_trial)
        length = np.diff(first, append=frames.size)
        by_jumps = join(jump[first], np.append(jump[first[1:]], False))
        glitch[frames[np.repeat((length < GLITCH_FRAMES) & by_jumps, length)]] = True
    return glitch


def cut(
    recording: Recording, bins: IntArray, max_speed: float, spacing: float, *, bridge: bool
) -> Pieces:
    """Return the pieces of a recording.

    A new piece begins at a new trial, after missing frames, and after a jump: a move that is faster
    than `max_speed` and too long to end in a neighbouring bin. Glitches are left out, like missing
    frames.

    Parameters
    ----------
    recording : Recording
        The recording.
    bins : int array of shape (F,)
        The bin of each frame, -1 where it has none.
    max_speed : float
        The fastest that the animal can move.
    spacing : float
        Distance between bins.
    bridge : bool
        Whether missing frames are skipped where the animal reappears within one bin's distance.
    """
    glitch = find_glitches(recording, max_speed, spacing)
    frames = np.flatnonzero(_counts(recording) & ~glitch & (bins >= 0))
    jump, absent, new_trial = _cuts(recording, frames, max_speed, _NEAR * spacing)
    nearby = absent & (_lengths(recording.xy[frames]) <= spacing) & bridge
    gap = absent & ~nearby
    counted = (int(which.sum()) for which in (jump, gap, nearby))
    return Pieces(frames, new_trial | jump | gap, glitch, *counted)


def _counts(recording: Recording) -> BoolArray:
    """Return which frames have a position and belong to a trial."""
    return np.isfinite(recording.xy[:, 0]) & (recording.trial >= 0)


def _cuts(
    recording: Recording, frames: IntArray, max_speed: float, least: float
) -> tuple[BoolArray, BoolArray, BoolArray]:
    """Return before which frames there was a jump, frames are missing, and a trial begins.

    Each frame has at most one of them. The first frame begins a trial. Moves up to the length
    `least` are no jumps.
    """
    new_trial = _change(recording.trial[frames])
    elapsed = np.diff(recording.t[frames], prepend=-np.inf)
    absent = (np.diff(frames, prepend=0) > 1) | (elapsed > _LATE * recording.dt)
    absent &= ~new_trial
    length = _lengths(recording.xy[frames])
    jump = (length > max_speed * elapsed) & (length > least) & ~new_trial & ~absent
    return jump, absent, new_trial


def _change(values: Any) -> BoolArray:
    """Return where values differ from the one before. The first one does."""
    changed = np.ones(values.size, dtype=bool)
    changed[1:] = values[1:] != values[:-1]
    return changed


def _lengths(xy: FloatArray) -> FloatArray:
    """Return the distance moved since the frame before, 0 for the first."""
    return np.hypot(*np.diff(xy, axis=0, prepend=xy[:1]).T)
