"""The border score of rate maps."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray
from hsr._base.errors import InputError
from hsr.adapters.positions.tracked import TrackedMDP
from hsr.animals.fields import MIN_BINS, Field, find_fields, read_limits
from hsr.animals.firing import check_tracked, grid_cells, read_firing

BORDER_THRESHOLD = 0.3


def border_score(
    rates: Any,
    mdp: TrackedMDP,
    threshold: float = BORDER_THRESHOLD,
    *,
    min_bins: int = MIN_BINS,
) -> Any:
    """Return how much units fire along a wall of a rectangular arena, from -1 to 1.

    This is the measure of Solstad and others [solstad2008]. Fields are connected bins with at least
    `threshold` times the highest rate. Let c be the largest fraction of the bins along one of the
    four sides that a single field covers. Let d be the distance to the nearest side, averaged over
    all bins of all fields with their rates as weights, and divided by the largest distance that is
    possible. The score is (c - d) / (c + d): 1 for a line of bins along a whole side, -1 for a
    small field in the middle.

    The sides are the outermost rows and columns of bins that are states. Distances are measured
    from the centres of these bins. Bins of a side that were never visited do not count. Walls
    inside the arena do not count either.

    Parameters
    ----------
    rates : array, or DataArray of `rate_maps`
        Rates over states, (S,) or (K, S), or on the grid, (x, y) or (K, x, y).
    mdp : TrackedMDP
        The world of the recording, from `from_positions`, with rectangular bins.
    threshold : float in (0, 1]
        Fraction of the highest rate that bins of a field must reach.
    min_bins : int
        Smaller fields do not count. Solstad and others required 200 square centimetres, which are
        eight bins of 5 cm.

    Returns
    -------
    float or float array of shape (K,)
        nan if a unit has no field.

    Raises
    ------
    InputError
        If bins are hexagons or given centres, or the arena is one bin wide.

    Examples
    --------
    >>> import numpy as np, hsr
    >>> xy = np.array([(x, 4 - y if x % 2 else y) for x in range(5) for y in range(5)])
    >>> mdp = hsr.from_positions(xy, bins=1.0, extent=(-0.5, 4.5, -0.5, 4.5))
    >>> wall, middle = np.zeros((5, 5)), np.zeros((5, 5))
    >>> wall[0], middle[2, 2] = 1, 1
    >>> hsr.border_score(wall, mdp), hsr.border_score(middle, mdp, min_bins=1)
    (1.0, -1.0)
    """
    firing = read_firing(rates, check_tracked(mdp))
    limits = read_limits(threshold, min_bins)
    if not has_borders(mdp):
        raise InputError(
            f"bins are {mdp.bin_kind} and {mdp.n_states} in number; the border score needs "
            "rectangular bins, at least two along x and along y"
        )
    return firing.give(border_scores(find_fields(firing.values, mdp, *limits), mdp))


def has_borders(mdp: TrackedMDP) -> bool:
    """Return whether the bins are rectangles, at least two along x and along y."""
    return mdp.bin_edges is not None and bool((np.ptp(mdp.centres, axis=0) > 0.0).all())


def border_scores(fields: Sequence[Sequence[Field]], mdp: TrackedMDP) -> list[float]:
    """Return the border score of each unit from its fields."""
    sides, distance = _sides(mdp)
    return [_score(many, sides, distance) for many in fields]


def _sides(mdp: TrackedMDP) -> tuple[list[BoolArray], FloatArray]:
    """Return which states lie along each side, and how far each state lies from the nearest one.

    The distance is divided by the largest one that is possible.
    """
    sides = []
    for cells in grid_cells(mdp):
        sides += [cells == cells.min(), cells == cells.max()]
    low, high = mdp.centres.min(axis=0), mdp.centres.max(axis=0)
    distance = np.minimum(mdp.centres - low, high - mdp.centres).min(axis=1)
    seen = mdp.occupancy > 0.0
    return [side & seen for side in sides], distance / ((high - low).min() / 2.0)


def _score(fields: Sequence[Field], sides: list[BoolArray], distance: FloatArray) -> float:
    if not fields:
        return np.nan
    covered = max(
        side[field.states].sum() / max(side.sum(), 1) for field in fields for side in sides
    )
    states = np.concatenate([field.states for field in fields])
    d = float(np.average(distance[states], weights=np.concatenate([f.rates for f in fields])))
    return float((covered - d) / (covered + d)) if covered + d > 0.0 else np.nan
