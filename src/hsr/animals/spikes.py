"""Spikes of cells, counted in the frames of a recording."""

import warnings
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from hsr._base.arrays import FloatArray
from hsr._base.errors import HSRWarning, InputError
from hsr._base.shown import shown
from hsr._base.validation import is_list, read_numbers
from hsr.adapters.positions.tracked import TrackedMDP

_NAMED = 5  # how many cells a warning names
_FORMS = (
    "it must hold the spike times of each cell: a dictionary, a list of arrays, "
    "or a TsGroup of pynapple"
)


@dataclass(frozen=True)
class SpikeCounts:
    """Spikes of each cell in each frame.

    Attributes
    ----------
    units : tuple
        What the cells are called.
    counts : sparse array of shape (C, F)
        Number of spikes of each cell in each frame of the recording. Frames that do not count have
        none.
    left_out : int array of shape (C,)
        Spikes of each cell in frames that do not count, or between frames.
    """

    units: tuple[Hashable, ...]
    counts: sparse.csr_array
    left_out: np.ndarray


def count_spikes(spikes: Any, mdp: TrackedMDP) -> SpikeCounts:
    """Return the spikes of each cell in each frame of a recording.

    A spike belongs to the nearest frame, if that is at most one frame interval away.

    Parameters
    ----------
    spikes : mapping or sequence of arrays, or TsGroup of pynapple
        Spike times of each cell, in units of the recording's t.
    mdp : TrackedMDP
        The world of the recording, made with times.

    Raises
    ------
    InputError
        If times are not numbers, or no spike of any cell lies in the recording.

    Warns
    -----
    HSRWarning
        If spikes lie before or after the recording, or cells have no spikes in it.
    """
    if not isinstance(mdp, TrackedMDP):
        raise InputError(f"mdp is {shown(mdp)}; it must be a world made by hsr.from_positions")
    units, trains = _read_trains(spikes)
    n_frames = mdp.t.size
    middles = (mdp.t[1:] + mdp.t[:-1]) / 2.0
    rows, columns = [], []
    left_out, outside = np.zeros(len(units), dtype=np.int64), 0
    for unit, times in enumerate(trains):
        frame = np.searchsorted(middles, times, side="right")
        near = np.abs(times - mdp.t[frame]) <= mdp.dt
        outside += int(((times < mdp.t[0] - mdp.dt) | (times > mdp.t[-1] + mdp.dt)).sum())
        counted = near & (mdp.frames[frame] >= 0)
        left_out[unit] = (~counted).sum()
        columns.append(frame[counted])
        rows.append(np.full(int(counted.sum()), unit))
    entries = np.concatenate(rows), np.concatenate(columns)
    counts = sparse.csr_array((np.ones(entries[0].size), entries), shape=(len(units), n_frames))
    counts.sum_duplicates()
    _warn_of(units, trains, counts, outside, mdp)
    return SpikeCounts(units, counts, left_out)


def _read_trains(spikes: Any) -> tuple[tuple[Hashable, ...], list[FloatArray]]:
    """Return the names of cells and their spike times, sorted."""
    if isinstance(spikes, Mapping):
        named = list(spikes.items())
    elif hasattr(spikes, "keys") and hasattr(spikes, "__getitem__"):  # pynapple
        named = [(key, spikes[key]) for key in spikes.keys()]  # noqa: SIM118
    elif is_list(spikes):
        named = list(enumerate(spikes))
    else:
        raise InputError(f"spikes is {shown(spikes)}; {_FORMS}")
    if not named:
        raise InputError(f"spikes is empty; {_FORMS}")
    trains = []
    for unit, given in named:
        times = np.asarray(getattr(given, "t", given))
        train = (
            times.astype(np.float64)
            if not times.size
            else read_numbers(
                times, f"the spikes of cell {shown(unit)} cannot be read as times; {_FORMS}"
            )
        )
        if train.ndim != 1 or not np.isfinite(train).all():
            raise InputError(
                f"the spikes of cell {shown(unit)} have shape {train.shape}; "
                "they must be a list of finite times"
            )
        trains.append(np.sort(train))
    return tuple(unit for unit, _ in named), trains


def _warn_of(
    units: tuple[Hashable, ...],
    trains: list[FloatArray],
    counts: sparse.csr_array,
    outside: int,
    mdp: TrackedMDP,
) -> None:
    """Warn of spikes that are not in the recording, and of cells that are silent in it."""
    total = sum(train.size for train in trains)
    reach = f"which reaches from t = {mdp.t[0]:.6g} to {mdp.t[-1]:.6g}"
    if total and outside == total:
        first, last = (f(train) for f in (min, max) for train in [np.concatenate(trains)])
        raise InputError(
            f"all {total} spikes lie outside of the recording, {reach}; "
            f"they reach from {first:.6g} to {last:.6g}"
        )
    if outside:
        warnings.warn(
            f"{outside:,} of {total:,} spikes lie outside of the recording, {reach}",
            HSRWarning,
            stacklevel=4,
        )
    silent = np.flatnonzero(counts.sum(axis=1) == 0)
    if silent.size:
        named = ", ".join(shown(units[cell]) for cell in silent[:_NAMED])
        more = ", ..." if silent.size > _NAMED else ""
        warnings.warn(
            f"{silent.size} of {len(units)} cells have no spikes in frames that count: "
            f"{named}{more}",
            HSRWarning,
            stacklevel=4,
        )
