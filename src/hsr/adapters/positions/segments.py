"""Cuts a recording where nobody knows what the animal did."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr.adapters.positions.recording import Recording

GLITCH_FRAMES = 3
_MANY = 5.0  # times the 99th percentile of speeds that no animal exceeds
_LATE = 1.9  # frame intervals after which a frame is missing


@dataclass(frozen=True)
class Pieces:
    """Frames with a known bin, and the pieces that they form.

    Attributes
    ----------
    frames : int array of shape (n,)
        Frames that are kept, in order.
    begins : bool array of shape (n,)
        Whether a new piece begins at the frame.
    jumps, gaps, bridged, glitches : int
        As in `PositionsReport`.
    """

    frames: IntArray
    begins: BoolArray
    jumps: int
    gaps: int
    bridged: int
    glitches: int


def usual_limit(recording: Recording) -> float:
    """Return a speed that the animal never reaches: five times its 99th percentile."""
    speed = _speeds(recording, np.arange(recording.t.size))[1:]
    speed = speed[np.isfinite(speed) & (np.diff(recording.trial) == 0)]
    fast = float(np.quantile(speed, 0.99)) if speed.size else 0.0
    return _MANY * fast if fast > 0.0 else np.inf


def cut(
    recording: Recording, bins: IntArray, max_speed: float, spacing: float, *, bridge: bool
) -> Pieces:
    """Return the pieces of a recording.

    A new piece begins at a new trial, after missing frames, and after a jump: a move that is both
    faster than `max_speed` and longer than a bin. Pieces of fewer than three frames that begin and
    end with a jump are glitches and are left out.

    Parameters
    ----------
    recording : Recording
        The recording.
    bins : int array of shape (F,)
        The bin of each frame, -1 where it has none.
    max_speed : float
        The fastest that the animal can move.
    spacing : float
        Distance between bins. Shorter jumps are no jumps.
    bridge : bool
        Whether missing frames are skipped where the animal reappears within one bin's distance.
    """
    frames = np.flatnonzero((bins >= 0) & (recording.trial >= 0))
    new_trial = _change(recording.trial[frames])
    jump = (_speeds(recording, frames) > max_speed) & (_lengths(recording, frames) > spacing)
    late = np.diff(recording.t[frames], prepend=recording.t[frames[:1]]) > _LATE * recording.dt
    absent = ((np.diff(frames, prepend=frames[:1]) > 1) | late) & ~new_trial
    nearby = absent & (_lengths(recording, frames) <= spacing) if bridge else absent & False
    jump &= ~new_trial & ~absent
    begins = new_trial | jump | (absent & ~nearby)
    begins[:1] = True
    kept = _without_glitches(begins, jump)
    return Pieces(
        frames[kept],
        _moved_begins(begins, kept),
        int(jump.sum()),
        int((absent & ~nearby).sum()),
        int(nearby.sum()),
        int((~kept).sum()),
    )


def _change(values: Any) -> BoolArray:
    changed = np.ones(values.size, dtype=bool)
    changed[1:] = values[1:] != values[:-1]
    return changed


def _lengths(recording: Recording, frames: IntArray) -> FloatArray:
    """Return the distance moved since the frame before, 0 for the first."""
    xy = recording.xy[frames]
    return np.hypot(*np.diff(xy, axis=0, prepend=xy[:1]).T)


def _speeds(recording: Recording, frames: IntArray) -> FloatArray:
    t = recording.t[frames]
    elapsed = np.diff(t, prepend=t[:1] - recording.dt)
    return _lengths(recording, frames) / elapsed


def _without_glitches(begins: BoolArray, jump: BoolArray) -> BoolArray:
    """Return which frames are no glitches."""
    first = np.flatnonzero(begins)
    length = np.diff(first, append=begins.size)
    ends_by_jump = np.append(jump[first[1:]], False)
    short = (length < GLITCH_FRAMES) & jump[first] & ends_by_jump
    return ~np.repeat(short, length)


def _moved_begins(begins: BoolArray, kept: BoolArray) -> BoolArray:
    """Return where pieces begin among the kept frames."""
    piece = np.cumsum(begins)[kept]
    return _change(piece)
