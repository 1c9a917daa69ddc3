"""Spatial information of rate maps."""

from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.validation import check_choice
from hsr.adapters.positions.tracked import TrackedMDP
from hsr.animals.firing import check_tracked, read_firing, visited

PER = {"spike": "bits per spike", "second": "bits per second"}


def spatial_information(rates: Any, mdp: TrackedMDP, per: str = "spike") -> Any:
    """Return how much a spike, or a second of firing, tells about where the animal is.

    This is the measure of Skaggs and others [skaggs1993]. With the fraction p_s of time in bin s,
    the rate r_s there and the mean rate r = sum_s p_s r_s, it is

        sum_s p_s (r_s / r) log2(r_s / r)   bits per spike,
        sum_s p_s  r_s      log2(r_s / r)   bits per second.

    The fraction of time comes from ``mdp.occupancy``, without smoothing. The measure is biased
    upwards if there are few spikes; compare it with that of shuffled spikes.

    Parameters
    ----------
    rates : array, or DataArray of `rate_maps`
        Rates over states, (S,) or (K, S), or on the grid, (x, y) or (K, x, y). Bins that are nan do
        not count.
    mdp : TrackedMDP
        The world of the recording, from `from_positions`.
    per : {"spike", "second"}
        Which of the two. Seconds stand for the unit of the recording's t.

    Returns
    -------
    float or float array of shape (K,)
        nan if a unit never fires.

    Examples
    --------
    A cell that fires in one of two bins, where the animal is half of the time, tells one bit.

    >>> import numpy as np, hsr
    >>> xy = np.array([[0.5, 0.5], [1.5, 0.5]])
    >>> mdp = hsr.from_positions(xy, bins=1.0, extent=(0, 2, 0, 1))
    >>> hsr.spatial_information(np.array([8.0, 0.0]), mdp)
    1.0
    >>> hsr.spatial_information(np.array([8.0, 0.0]), mdp, per="second")
    4.0
    """
    check_choice(per, tuple(PER), "per")
    firing = read_firing(rates, check_tracked(mdp))
    return firing.give([_information(one, visited(mdp), per) for one in firing.values])


def mean_rate(rates: FloatArray, share: FloatArray) -> float:
    """Return the mean rate over time, nan if no rate is known."""
    known = np.isfinite(rates) & (share > 0.0)
    if not known.any():
        return np.nan
    return float(rates[known] @ share[known] / share[known].sum())


def _information(rates: FloatArray, share: FloatArray, per: str) -> float:
    mean = mean_rate(rates, share)
    if not mean > 0.0:
        return np.nan
    known = np.isfinite(rates) & (share > 0.0)
    p = share[known] / share[known].sum()
    relative = rates[known] / mean
    fires = relative > 0.0
    bits = max(0.0, float(p[fires] @ (relative[fires] * np.log2(relative[fires]))))
    return bits if per == "spike" else bits * mean
