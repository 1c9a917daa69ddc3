"""Rate maps: where cells fire, per time spent there."""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import expm_multiply
from scipy.spatial.distance import cdist

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.extras import needs
from hsr._base.memory import check_fits
from hsr._base.shown import shown
from hsr._base.validation import check_choice, check_number
from hsr.adapters.positions.tracked import TrackedMDP
from hsr.animals.firing import check_tracked, passages_of, unit_names
from hsr.animals.spikes import count_spikes

SMOOTHING = {
    "paths": "by diffusion through open passages, which never crosses a wall",
    "plane": "by a Gaussian of the straight distance, across walls too",
}
_SQUARE_NEIGHBOURS = 4.0


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
        The world of the recording, from `from_positions`. Spikes in frames that do not count are
        left out, as is the time of these frames.
    smooth : float, optional
        Standard deviation of the smoothing, in units of xy. No smoothing by default.
    smooth_along : {"paths", "plane"}
        "paths" smooths by diffusion through open passages. In an open arena this is a Gaussian, and
        it never crosses a wall. "plane" smooths by a Gaussian of the straight distance, across
        walls too.

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
    field_measures : what laboratories compute of rate maps.

    Examples
    --------
    Twelve frames of a tenth of a second on a track of three bins. The cell fires in the last one.

    >>> import numpy as np, hsr
    >>> x = np.array([0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 1, 0]) + 0.5
    >>> xy = np.stack([x, np.full(12, 0.5)], axis=1)
    >>> mdp = hsr.from_positions(xy, np.arange(12) / 10, bins=1.0, extent=(0, 3, 0, 1))
    >>> rates = hsr.rate_maps({"cell": [0.6, 0.7, 0.8]}, mdp)
    >>> rates.dims, rates.sel(unit="cell").values.ravel().round(6).tolist()
    (('unit', 'x', 'y'), [0.0, 0.0, 7.5])
    """
    needs("xarray", "rate_maps")
    check_choice(smooth_along, tuple(SMOOTHING), "smooth_along")
    width = 0.0 if smooth is None else _read_width(smooth, check_tracked(mdp))
    counted = count_spikes(spikes, mdp)
    kept = np.flatnonzero(mdp.frames >= 0)
    entries = (np.ones(kept.size), (kept, mdp.frames[kept]))
    frame_is_in = sparse.csr_array(entries, shape=(mdp.t.size, mdp.n_states))
    n_spikes = np.asarray((counted.counts @ frame_is_in).todense())
    both = np.concatenate([n_spikes, mdp.occupancy[None]])
    if width:
        both = _smoothed(both, mdp, width, smooth_along)
    time = np.where(mdp.occupancy > 0.0, both[-1], np.nan)
    rates = mdp.to_grid(both[:-1] / time)
    return rates.assign_coords(unit=unit_names(counted.units)).rename("rate")


def _read_width(smooth: Any, mdp: TrackedMDP) -> float:
    width = check_number(smooth, "smooth")
    if width < 0.0:
        raise InputError(f"smooth is {shown(smooth)}; it must not be negative")
    longest = float(np.ptp(mdp.centres, axis=0).max()) + mdp.bin_spacing
    if width > longest:
        raise InputError(
            f"smooth is {shown(smooth)}, and the arena is {longest:.6g} long; it is a standard "
            "deviation in units of xy, and must be smaller"
        )
    return width


def _smoothed(values: FloatArray, mdp: TrackedMDP, width: float, along: str) -> FloatArray:
    """Return values of states (K, S), smoothed."""
    if along == "plane":
        check_fits(16 * mdp.n_states**2, "Gaussian weights", "larger bins")
        return values @ np.exp(-0.5 * (cdist(mdp.centres, mdp.centres) / width) ** 2)
    smoothed = expm_multiply(_diffusion(mdp, width), values.T).T
    return np.maximum(smoothed, 0.0)


def _diffusion(mdp: TrackedMDP, width: float) -> sparse.csr_array:
    """Return the generator of a diffusion that spreads each point to a variance of width^2.

    On a square lattice of spacing h, moves to each neighbour at the rate width^2 / (2 h^2) during
    one unit of time have this variance along x and along y. Bins with six neighbours need two
    thirds of this rate.
    """
    passages = passages_of(mdp).tocoo()
    begin, end = passages.coords
    lengths = np.hypot(*(mdp.centres[end] - mdp.centres[begin]).T)
    neighbours = float(np.median(np.bincount(begin, minlength=mdp.n_states)))
    slower = min(1.0, _SQUARE_NEIGHBOURS / max(neighbours, 1.0))
    rate = slower * width**2 / (2.0 * lengths**2)
    moves = sparse.csr_array((rate, (begin, end)), shape=passages.shape)
    return sparse.csr_array(moves - sparse.diags_array(moves.sum(axis=1)))
