"""Rate maps: spikes of each cell per time spent in each bin."""

import warnings
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import expm_multiply
from scipy.spatial.distance import cdist

from hsr._base.arrays import FloatArray
from hsr._base.errors import HSRWarning, InputError, short_repr
from hsr._base.extras import needs
from hsr._base.memory import check_fits
from hsr._base.validation import check_choice, check_not_negative, is_list, read_numbers
from hsr.adapters.positions.tracked import TrackedMDP
from hsr.adapters.positions.values import check_tracked

_SQUARE_NEIGHBOURS = 4.0
_NAMED = 5  # how many cells a warning names
_FORMS = (
    "it must hold the spike times of each cell: a dictionary, a list of arrays, "
    "or a TsGroup of pynapple"
)


def rate_maps(
    spikes: Any, mdp: TrackedMDP, smooth: float | None = None, *, smooth_along: str = "paths"
) -> Any:
    """Return the rate map of each cell: spikes in each bin per time spent there.

    Smoothing is applied to the spikes and to the time separately, before they are divided. Bins
    without any time are nan, also after smoothing.

    Parameters
    ----------
    spikes : mapping or sequence of arrays, or TsGroup of pynapple
        Spike times of each cell, in units of the recording's t.
    mdp : TrackedMDP
        The recording, as `from_positions` returns it. Frames that do not count are left out, with
        their spikes and their time.
    smooth : float, optional
        Standard deviation of the smoothing, in units of xy. No smoothing by default.
    smooth_along : {"paths", "plane"}
        "paths" smooths by diffusion through open passages. In an open arena this is a Gaussian, and
        it never crosses a wall. "plane" smooths by a Gaussian of the Euclidean distance, which
        ignores walls.

    Returns
    -------
    xarray.DataArray
        With the dimensions of pynapple's tuning curves: ``unit``, then x and y, or ``bin`` where
        bins are not rectangles. Spikes per second if t is in seconds, per frame if there was no t.

    Raises
    ------
    InputError
        If spikes cannot be read, all lie outside of the recording, or `smooth` is larger than the
        arena.

    Warns
    -----
    HSRWarning
        If spikes lie before or after the recording, or cells have no spikes in it. The rates of
        such cells are 0.

    See Also
    --------
    field_measures : the usual measures of rate maps.

    Examples
    --------
    Twelve frames of a tenth of a second on a track of three bins. The cell fires in the last one.

    >>> import numpy as np, hsr
    >>> x = np.array([0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 1, 0]) + 0.5
    >>> xy = np.stack([x, np.full(12, 0.5)], axis=1)
    >>> mdp = hsr.from_positions(xy, np.arange(12) / 10, bin_size=1.0, extent=(0, 3, 0, 1))
    >>> rates = hsr.animals.rate_maps({"cell": [0.6, 0.7, 0.8]}, mdp)
    >>> rates.dims, rates.sel(unit="cell").values.ravel().round(6).tolist()
    (('unit', 'x', 'y'), [0.0, 0.0, 7.5])
    """
    needs("xarray", "rate_maps")
    check_choice(smooth_along, ("paths", "plane"), "smooth_along")
    width = 0.0 if smooth is None else _read_width(smooth, check_tracked(mdp))
    units, counts = count_spikes(spikes, mdp)
    kept = np.flatnonzero(mdp.frames >= 0)
    entries = (np.ones(kept.size), (kept, mdp.frames[kept]))
    frame_is_in = sparse.csr_array(entries, shape=(mdp.t.size, mdp.n_states))
    n_spikes = np.asarray((counts @ frame_is_in).todense())
    # Spikes and time are smoothed before they are divided, so that rates stay unbiased in bins with
    # little time.
    both = np.concatenate([n_spikes, mdp.occupancy[None]])
    if width:
        both = _smoothed(both, mdp, width, smooth_along)
    time = np.where(mdp.occupancy > 0.0, both[-1], np.nan)
    rates = mdp.to_grid(both[:-1] / time)
    return rates.assign_coords(unit=unit_names(units)).rename("rate")


def _read_width(smooth: Any, mdp: TrackedMDP) -> float:
    width = check_not_negative(smooth, "smooth")
    longest = float(np.ptp(mdp.centres, axis=0).max()) + mdp.bin_spacing
    if width > longest:
        raise InputError(
            f"smooth is {short_repr(smooth)}, and the arena is {longest:.6g} long; it is a "
            "standard deviation in units of xy, and must be smaller"
        )
    return width


def _smoothed(values: FloatArray, mdp: TrackedMDP, width: float, along: str) -> FloatArray:
    """Return values of states (K, S), smoothed."""
    if along == "plane":
        check_fits(16 * mdp.n_states**2, "Gaussian weights", "larger bins")
        return values @ np.exp(-0.5 * (cdist(mdp.centres, mdp.centres) / width) ** 2)
    # Rounding errors can be negative, and rates must not be.
    smoothed = expm_multiply(_diffusion(mdp, width), values.T).T
    return np.maximum(smoothed, 0.0)


def _diffusion(mdp: TrackedMDP, width: float) -> sparse.csr_array:
    """Return the generator of a diffusion that spreads each point to a variance of width^2.

    On a square lattice of spacing h, moves to each neighbour at the rate width^2 / (2 h^2) during
    one unit of time have this variance along x and along y. Bins with six neighbours need two
    thirds of this rate.
    """
    passages = mdp.passages().tocoo()
    begin, end = passages.coords
    lengths = np.hypot(*(mdp.centres[end] - mdp.centres[begin]).T)
    neighbours = float(np.median(np.bincount(begin, minlength=mdp.n_states)))
    slower = min(1.0, _SQUARE_NEIGHBOURS / max(neighbours, 1.0))
    rate = slower * width**2 / (2.0 * lengths**2)
    moves = sparse.csr_array((rate, (begin, end)), shape=passages.shape)
    return sparse.csr_array(moves - sparse.diags_array(moves.sum(axis=1)))


def unit_names(units: tuple[Hashable, ...]) -> np.ndarray:
    """Return names of units as an array of integers, of strings, or otherwise of objects."""
    for kind in (str, (int, np.integer)):
        if all(isinstance(unit, kind) for unit in units):
            return np.array(units, dtype=None if units else np.int64)
    names = np.empty(len(units), dtype=object)
    names[:] = units
    return names


def count_spikes(spikes: Any, mdp: TrackedMDP) -> tuple[tuple[Hashable, ...], sparse.csr_array]:
    """Return the spikes of each cell in each frame of a recording.

    A spike belongs to the nearest frame, if that is at most one frame interval away.

    Parameters
    ----------
    spikes : mapping or sequence of arrays, or TsGroup of pynapple
        Spike times of each cell, in units of the recording's t.
    mdp : TrackedMDP
        The recording, with times.

    Returns
    -------
    units : tuple
        Names of the cells.
    counts : sparse array of shape (C, F)
        Number of spikes of each cell in each frame. Frames that do not count have none.

    Raises
    ------
    InputError
        If times are not numbers, or no spike of any cell lies in the recording.

    Warns
    -----
    HSRWarning
        If spikes lie before or after the recording, or cells have no spikes in it.
    """
    check_tracked(mdp)
    units, trains = _read_trains(spikes)
    n_frames = mdp.t.size
    # Boundaries between frames lie halfway between their times.
    middles = (mdp.t[1:] + mdp.t[:-1]) / 2.0
    rows, columns = [], []
    outside = 0
    for unit, times in enumerate(trains):
        frame = np.searchsorted(middles, times, side="right")
        near = np.abs(times - mdp.t[frame]) <= mdp.dt
        outside += int(((times < mdp.t[0] - mdp.dt) | (times > mdp.t[-1] + mdp.dt)).sum())
        counted = near & (mdp.frames[frame] >= 0)
        columns.append(frame[counted])
        rows.append(np.full(int(counted.sum()), unit))
    entries = np.concatenate(rows), np.concatenate(columns)
    counts = sparse.csr_array((np.ones(entries[0].size), entries), shape=(len(units), n_frames))
    counts.sum_duplicates()
    _warn_of(units, trains, counts, outside, mdp)
    return units, counts


def _read_trains(spikes: Any) -> tuple[tuple[Hashable, ...], list[FloatArray]]:
    """Return the names of cells and their spike times, sorted."""
    if isinstance(spikes, Mapping):
        named = list(spikes.items())
    elif hasattr(spikes, "keys") and hasattr(spikes, "__getitem__"):  # pynapple
        named = [(key, spikes[key]) for key in spikes.keys()]  # noqa: SIM118
    elif is_list(spikes):
        named = list(enumerate(spikes))
    else:
        raise InputError(f"spikes is {short_repr(spikes)}; {_FORMS}")
    if not named:
        raise InputError(f"spikes is empty; {_FORMS}")
    trains = []
    for unit, given in named:
        times = np.asarray(getattr(given, "t", given))
        unreadable = f"the spikes of cell {short_repr(unit)} cannot be read as times; {_FORMS}"
        train = read_numbers(times, unreadable) if times.size else np.zeros(0)
        if train.ndim != 1 or not np.isfinite(train).all():
            raise InputError(
                f"the spikes of cell {short_repr(unit)} have shape {train.shape}; "
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
        times = np.concatenate(trains)
        raise InputError(
            f"all {total} spikes lie outside of the recording, {reach}; "
            f"they reach from {times.min():.6g} to {times.max():.6g}"
        )
    if outside:
        warnings.warn(
            f"{outside:,} of {total:,} spikes lie outside of the recording, {reach}",
            HSRWarning,
            stacklevel=4,
        )
    silent = np.flatnonzero(counts.sum(axis=1) == 0)
    if silent.size:
        named = ", ".join(short_repr(units[cell]) for cell in silent[:_NAMED])
        more = ", ..." if silent.size > _NAMED else ""
        warnings.warn(
            f"{silent.size} of {len(units)} cells have no spikes in frames that count: "
            f"{named}{more}",
            HSRWarning,
            stacklevel=4,
        )
