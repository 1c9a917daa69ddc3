"""Measures of rate maps: spatial information, border score, and a table of all measures."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray
from hsr._base.errors import InputError
from hsr._base.extras import needs
from hsr._base.validation import check_choice
from hsr.adapters.positions.tracked import TrackedMDP
from hsr.adapters.positions.values import read_values
from hsr.animals.fields import (
    MIN_BINS,
    THRESHOLD,
    Field,
    Travel,
    bin_areas,
    find_fields,
    read_limits,
)
from hsr.animals.gridness import grid_scores, has_even_bins
from hsr.animals.rates import unit_names

BORDER_THRESHOLD = 0.3


def field_measures(
    rates: Any, mdp: TrackedMDP, threshold: float = THRESHOLD, *, min_bins: int = MIN_BINS
) -> Any:
    """Return the usual measures of rate maps, one row per unit.

    Laboratories compute them in different ways. ``attrs["method"]`` of each variable says how it
    was computed here, and the functions below give the details.

    Parameters
    ----------
    rates : array, or DataArray of `rate_maps`
        Rates over states, (S,) or (K, S), or on the grid, (x, y) or (K, x, y). Columns of a map are
        fields too: ``M.columns(states).T``. Vectors with signs, such as eigenvectors, are two
        fields each: ``np.maximum(v, 0)`` and ``np.maximum(-v, 0)``.
    mdp : TrackedMDP
        The recording, as `from_positions` returns it.
    threshold : float in (0, 1]
        Fraction of the highest rate that bins of a field must reach. The border score has its own
        threshold of 0.3.
    min_bins : int
        Smaller fields do not count.

    Returns
    -------
    xarray.Dataset
        Along ``unit``: ``peak`` and ``mean`` (rates), ``information_per_spike`` and
        ``information_per_second`` (bits), ``fields`` (their number), ``field_bins``, ``field_area``
        and ``skew`` (of the field with the highest peak), ``border_score`` and ``grid_score``.
        Entries are nan where a measure is not defined: for units that never fire, without fields,
        for scores that need rectangular bins where bins are not, and for grid scores of maps
        without a ring (see `grid_score`).

    See Also
    --------
    place_fields : each field of each unit, with its centre.
    spatial_information, border_score, grid_score : single measures.

    Examples
    --------
    >>> import numpy as np, hsr
    >>> xy = np.stack([np.arange(8) + 0.5, np.full(8, 0.5)], axis=1)
    >>> mdp = hsr.from_positions(xy, bin_size=1.0, extent=(0, 8, 0, 1))
    >>> table = hsr.animals.field_measures(np.array([0, 1, 2, 4, 0, 3, 3, 0]), mdp, min_bins=2)
    >>> table["fields"].values, table["peak"].values, table["field_area"].values
    (array([2]), array([4.]), array([3.]))
    """
    needs("xarray", "field_measures")
    from xarray import Dataset

    firing = read_values(rates, mdp)
    limits = read_limits(threshold, min_bins)
    values = firing.values
    fields = find_fields(values, mdp, *limits)
    skaggs = "Skaggs and others 1993, {}"
    rule = f"connected bins of at least {limits[0]:g} of the peak, {limits[1]} bins or more"
    largest = f"field with the highest peak; fields are {rule}"
    columns: dict[str, tuple[Any, str]] = {
        "peak": ([_peak(of_unit) for of_unit in values], "highest rate of all bins"),
        "mean": ([mean_rate(of_unit, _share(mdp)) for of_unit in values], "mean rate over time"),
        "information_per_spike": (
            spatial_information(values, mdp),
            skaggs.format("bits per spike"),
        ),
        "information_per_second": (
            spatial_information(values, mdp, per="second"),
            skaggs.format("bits per second"),
        ),
        "fields": ([len(of_unit) for of_unit in fields], rule),
        **{name: (numbers, largest) for name, numbers in _of_largest(fields, mdp).items()},
        "border_score": (
            _border(values, mdp, limits[1]),
            f"Solstad and others 2008, threshold {BORDER_THRESHOLD:g}",
        ),
        "grid_score": (
            grid_scores(values, mdp) if has_even_bins(mdp) else np.full(len(values), np.nan),
            "Sargolini and others 2006, maximum over rings of Langston and others 2010",
        ),
    }
    return Dataset(
        {name: ("unit", column, {"method": how}) for name, (column, how) in columns.items()},
        coords={"unit": unit_names(firing.units)},
    )


def _peak(rates: FloatArray) -> float:
    return float(np.nanmax(rates)) if np.isfinite(rates).any() else np.nan


def _of_largest(fields: list[Sequence[Field]], mdp: TrackedMDP) -> dict[str, FloatArray]:
    """Return size, area and skew of the first field of each unit, nan where there is none."""
    travel, areas = Travel.of(mdp), bin_areas(mdp)
    table = np.full((3, len(fields)), np.nan)
    for unit, of_unit in enumerate(fields):
        for field in of_unit[:1]:
            area, skew = areas[field.states].sum(), travel.skew(field.states, field.rates)
            table[:, unit] = field.states.size, area, skew
    return dict(zip(("field_bins", "field_area", "skew"), table, strict=True))


def _border(values: FloatArray, mdp: TrackedMDP, min_bins: int) -> Any:
    if not has_borders(mdp):
        return np.full(len(values), np.nan)
    return border_scores(find_fields(values, mdp, BORDER_THRESHOLD, min_bins, 0.0), mdp)


def spatial_information(rates: Any, mdp: TrackedMDP, per: str = "spike") -> Any:
    """Return the information about the animal's position per spike, or per second of firing.

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
        The recording, as `from_positions` returns it.
    per : {"spike", "second"}
        Which of the two. Seconds stand for the unit of the recording's t.

    Returns
    -------
    float or float array of shape (K,)
        nan if a unit never fires.

    Examples
    --------
    A cell that fires in one of two equally visited bins has one bit per spike.

    >>> import numpy as np, hsr
    >>> xy = np.array([[0.5, 0.5], [1.5, 0.5]])
    >>> mdp = hsr.from_positions(xy, bin_size=1.0, extent=(0, 2, 0, 1))
    >>> hsr.animals.spatial_information(np.array([8.0, 0.0]), mdp)
    1.0
    >>> hsr.animals.spatial_information(np.array([8.0, 0.0]), mdp, per="second")
    4.0
    """
    check_choice(per, ("spike", "second"), "per")
    firing = read_values(rates, mdp)
    return firing.give([_information(of_unit, _share(mdp), per) for of_unit in firing.values])


def _share(mdp: TrackedMDP) -> FloatArray:
    """Return the fraction of time in each state."""
    share: FloatArray = mdp.occupancy / mdp.occupancy.sum()
    return share


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


def border_score(
    rates: Any,
    mdp: TrackedMDP,
    threshold: float = BORDER_THRESHOLD,
    *,
    min_bins: int = MIN_BINS,
) -> Any:
    """Return the border score of units in a rectangular arena, from -1 to 1.

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
        The recording, as `from_positions` returns it, with rectangular bins.
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
    >>> mdp = hsr.from_positions(xy, bin_size=1.0, extent=(-0.5, 4.5, -0.5, 4.5))
    >>> wall, middle = np.zeros((5, 5)), np.zeros((5, 5))
    >>> wall[0], middle[2, 2] = 1, 1
    >>> hsr.animals.border_score(wall, mdp), hsr.animals.border_score(middle, mdp, min_bins=1)
    (1.0, -1.0)
    """
    firing = read_values(rates, mdp)
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
    return [_score(of_unit, sides, distance) for of_unit in fields]


def _sides(mdp: TrackedMDP) -> tuple[list[BoolArray], FloatArray]:
    """Return which states lie along each side, and the distance of each state to the nearest side.

    Distances are divided by the largest possible distance.
    """
    sides = []
    for cells in mdp.grid_cells():
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
