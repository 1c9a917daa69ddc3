"""`grid_score`: the hexagonal symmetry of rate maps."""

from typing import Any

import numpy as np
from scipy.fft import fftshift, irfft2, rfft2
from scipy.ndimage import map_coordinates

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr.adapters.positions.tracked import TrackedMDP
from hsr.adapters.positions.values import read_values

MIN_OVERLAP = 20  # bins that two shifted maps must share, as in Sargolini and others
_CENTRAL = 0.2  # mean correlation at which the central peak ends
_ANGLE = 3  # degrees between samples of a ring
_EVEN = 1e-6  # by how much sides of bins may differ
_TINY = 1e-12  # relative variance below which a map is constant


def grid_score(rates: Any, mdp: TrackedMDP) -> Any:
    """Return the hexagonal symmetry of the firing of units, from -2 to 2.

    This is the measure of Sargolini and others [sargolini2006], with the maximum over ring sizes of
    Langston and others [langston2010]:

    1. The autocorrelogram holds, for each shift, the Pearson correlation of the map with the
       shifted map, over the bins that both share. Shifts with fewer than 20 such bins are left out.
    2. The central peak is left out. It reaches to where the mean over all angles falls below 0.2 or
       has its first minimum.
    3. The ring around it is correlated with itself turned by 30, 60, 90, 120 and 150 degrees. The
       score of the ring is min(r60, r120) - max(r30, r90, r150).
    4. The outer radius of the ring goes from twice the inner one in steps of half a bin, as far as
       the autocorrelogram is known in all directions. The grid score is the highest score of these
       rings.

    Deformed grids are not corrected. The maximum over rings biases scores upwards; compare them
    with those of shuffled spikes. Smooth the maps first.

    Parameters
    ----------
    rates : array, or DataArray of `rate_maps`
        Rates over states, (S,) or (K, S), or on the grid, (x, y) or (K, x, y). Values may be
        negative, such as those of eigenvectors.
    mdp : TrackedMDP
        The recording, as `from_positions` returns it, with rectangular bins of equal size.

    Returns
    -------
    float or float array of shape (K,)
        nan if the autocorrelogram ends before its central peak does. That is so for constant maps,
        for waves with half a period along each side of the arena, and for maps with a single field
        in a corner that are zero elsewhere, such as parts of NMF: where the shared bins of two
        shifted maps are all zero, they have no correlation. None of these maps is a grid.

    Raises
    ------
    InputError
        If bins are hexagons, given centres, or rectangles of different sizes.

    Examples
    --------
    >>> import numpy as np, hsr
    >>> rng = np.random.default_rng(0)
    >>> walk = np.cumsum(rng.normal(size=(40_000, 2)), axis=0)
    >>> xy = np.abs((walk / 10 + 1) % 4 - 2) / 2  # a walk that the walls reflect
    >>> mdp = hsr.from_positions(xy, n_bins=30, extent=(0, 1, 0, 1))
    >>> angles = np.deg2rad([0, 60, 120])
    >>> waves = np.stack([np.cos(angles), np.sin(angles)])
    >>> rates = 3 + np.cos(2 * np.pi / 0.35 * mdp.centres @ waves).sum(axis=1)
    >>> hsr.animals.grid_score(rates, mdp) > 1.0
    True
    """
    firing = read_values(rates, mdp, signed=True)
    if not has_even_bins(mdp):
        raise InputError(
            f"bins are {mdp.bin_kind}; the grid score needs rectangular bins of equal size"
        )
    return firing.give(grid_scores(firing.values, mdp))


def has_even_bins(mdp: TrackedMDP) -> bool:
    """Return whether the bins are rectangles of equal size."""
    return mdp.bin_edges is not None and all(
        np.ptp(np.diff(edges)) <= _EVEN * np.diff(edges).mean() for edges in mdp.bin_edges
    )


def grid_scores(values: FloatArray, mdp: TrackedMDP) -> list[float]:
    """Return the grid score of each unit from its rates over states, (K, S)."""
    assert mdp.bin_edges is not None
    sides = np.array([np.diff(edges).mean() for edges in mdp.bin_edges])
    grids = mdp.on_grid(values)
    return [_score(_rings(correlogram, sides)) for correlogram in autocorrelograms(grids)]


def autocorrelograms(rates: FloatArray) -> FloatArray:
    """Return the correlation of maps with shifted copies of themselves, (K, 2 x - 1, 2 y - 1).

    Parameters
    ----------
    rates : float array of shape (K, x, y)
        The maps, nan where they are not known.
    """
    known = np.isfinite(rates)
    ones = known.astype(np.float64)
    size = np.maximum(ones.sum(axis=(1, 2), keepdims=True), 1.0)
    mean = np.where(known, rates, 0.0).sum(axis=(1, 2), keepdims=True) / size
    # Correlations do not depend on the mean. Subtracting it makes the sums below more precise.
    a = np.where(known, rates - mean, 0.0)
    shape = tuple(2 * side - 1 for side in rates.shape[1:])
    f_ones, f_a, f_square = (rfft2(array, shape) for array in (ones, a, a**2))

    def shifted(left: Any, right: Any) -> FloatArray:
        """Return the sum over shared bins, for each shift."""
        return np.asarray(fftshift(irfft2(left * right.conj(), shape), axes=(1, 2)))

    n, both = np.rint(shifted(f_ones, f_ones)), shifted(f_a, f_a)
    left, square = shifted(f_a, f_ones), shifted(f_square, f_ones)
    # A shift by -d swaps the two maps, so the other sums are mirror images.
    right, right_square = left[:, ::-1, ::-1], square[:, ::-1, ::-1]
    spread = (n * square - left**2) * (n * right_square - right**2)
    total = (a**2).sum(axis=(1, 2), keepdims=True)
    enough = (n >= MIN_OVERLAP) & (spread > (_TINY * n * total) ** 2)
    enough &= total > _TINY * size * mean**2
    r = np.full(n.shape, np.nan)
    r[enough] = (n * both - left * right)[enough] / np.sqrt(spread[enough])
    return r


def _rings(correlogram: FloatArray, sides: FloatArray) -> FloatArray:
    """Return an autocorrelogram on circles around its middle, (radii, angles).

    Radii are multiples of half a bin, as far as all angles are known.
    """
    middle = (np.array(correlogram.shape) - 1) / 2.0
    step = sides.min() / 2.0
    radii = step * np.arange(1, int((middle * sides).min() / step) + 1)
    angles = np.deg2rad(np.arange(0, 360, _ANGLE))
    at = [
        middle[k] + radii[:, None] * turn(angles) / sides[k]
        for k, turn in enumerate((np.cos, np.sin))
    ]
    rings: FloatArray = map_coordinates(correlogram, at, order=1, cval=np.nan)
    gaps = np.flatnonzero(np.isnan(rings).any(axis=1))
    return rings[: gaps[0]] if gaps.size else rings


def _score(rings: FloatArray) -> float:
    """Return the highest score of rings with different outer radii, nan if there is none."""
    mean = rings.mean(axis=1)
    outside = np.flatnonzero((np.diff(mean) >= 0.0) | (mean[:-1] < _CENTRAL))
    if not outside.size:
        return np.nan
    inner = int(outside[0])
    scores = ring_scores(rings, inner)
    scores = scores[min(inner + 1, scores.size - 1) :]
    return float(np.nanmax(scores)) if np.isfinite(scores).any() else np.nan


def ring_scores(rings: FloatArray, inner: int) -> FloatArray:
    """Return min(r60, r120) - max(r30, r90, r150) of the rings from one radius to each larger one.

    Circles are weighted by their lengths, so that each part of a ring counts by its area.

    Parameters
    ----------
    rings : float array of shape (radii, angles)
        An autocorrelogram on circles. Radii are multiples of the first.
    inner : int
        Number of the first circle of the ring.
    """
    circles = rings[inner:]
    lengths = np.arange(inner, len(rings)) + 1.0

    def over_ring(of_circle: FloatArray) -> FloatArray:
        return np.asarray(np.cumsum(lengths * of_circle) / np.cumsum(lengths))

    mean = over_ring(circles.mean(axis=1))
    together = {
        angle: over_ring((circles * np.roll(circles, angle // _ANGLE, axis=1)).mean(axis=1))
        for angle in (0, 30, 60, 90, 120, 150)
    }
    variance = together[0] - mean**2
    variance = np.where(variance > _TINY, variance, np.nan)
    r = {angle: (product - mean**2) / variance for angle, product in together.items()}
    return np.minimum(r[60], r[120]) - np.maximum(np.maximum(r[30], r[90]), r[150])
