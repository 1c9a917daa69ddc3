"""All measures of rate maps in one table."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.extras import needs
from hsr.adapters.positions.tracked import TrackedMDP
from hsr.animals.border import BORDER_THRESHOLD, border_scores, has_borders
from hsr.animals.fields import MIN_BINS, THRESHOLD, Field, bin_areas, find_fields, read_limits
from hsr.animals.firing import check_tracked, read_firing, unit_names, visited
from hsr.animals.gridness import grid_scores, has_even_bins
from hsr.animals.information import mean_rate, spatial_information
from hsr.animals.travel import Travel


def field_measures(
    rates: Any, mdp: TrackedMDP, threshold: float = THRESHOLD, *, min_bins: int = MIN_BINS
) -> Any:
    """Return the usual measures of rate maps, one row per unit.

    Laboratories differ in how they compute them. Each variable says in ``attrs["method"]`` how it
    was computed here, and the functions below explain it.

    Parameters
    ----------
    rates : array, or DataArray of `rate_maps`
        Rates over states, (S,) or (K, S), or on the grid, (x, y) or (K, x, y). Columns of a map are
        fields too: ``M.columns(states).T``.
    mdp : TrackedMDP
        The world of the recording, from `from_positions`.
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
        and for scores that need rectangular bins where bins are not.

    See Also
    --------
    place_fields : each field of each unit, with its centre.
    spatial_information, border_score, grid_score : single measures.

    Examples
    --------
    >>> import numpy as np, hsr
    >>> xy = np.stack([np.arange(8) + 0.5, np.full(8, 0.5)], axis=1)
    >>> mdp = hsr.from_positions(xy, bins=1.0, extent=(0, 8, 0, 1))
    >>> table = hsr.field_measures(np.array([0, 1, 2, 4, 0, 3, 3, 0]), mdp, min_bins=2)
    >>> table["fields"].values, table["peak"].values, table["field_area"].values
    (array([2]), array([4.]), array([3.]))
    """
    needs("xarray", "field_measures")
    from xarray import Dataset

    firing = read_firing(rates, check_tracked(mdp))
    limits = read_limits(threshold, min_bins)
    values = firing.values
    found = find_fields(values, mdp, *limits)
    skaggs = "Skaggs and others 1993, {}"
    rule = f"connected bins of at least {limits[0]:g} of the peak, {limits[1]} bins or more"
    largest = f"field with the highest peak; fields are {rule}"
    columns: dict[str, tuple[Any, str]] = {
        "peak": ([_peak(one) for one in values], "highest rate of all bins"),
        "mean": ([mean_rate(one, visited(mdp)) for one in values], "mean rate over time"),
        "information_per_spike": (
            spatial_information(values, mdp),
            skaggs.format("bits per spike"),
        ),
        "information_per_second": (
            spatial_information(values, mdp, per="second"),
            skaggs.format("bits per second"),
        ),
        "fields": ([len(many) for many in found], rule),
        **{name: (numbers, largest) for name, numbers in _of_largest(found, mdp).items()},
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


def _of_largest(found: list[Sequence[Field]], mdp: TrackedMDP) -> dict[str, list[float]]:
    """Return size, area and skew of the first field of each unit, nan where there is none."""
    travel, areas = Travel.of(mdp), bin_areas(mdp)
    first = [many[0] if many else None for many in found]
    return {
        "field_bins": [np.nan if field is None else float(field.states.size) for field in first],
        "field_area": [
            np.nan if field is None else float(areas[field.states].sum()) for field in first
        ],
        "skew": [
            np.nan if field is None else travel.skew(field.states, field.rates) for field in first
        ],
    }


def _border(values: FloatArray, mdp: TrackedMDP, min_bins: int) -> Any:
    if not has_borders(mdp):
        return np.full(len(values), np.nan)
    return border_scores(find_fields(values, mdp, BORDER_THRESHOLD, min_bins, 0.0), mdp)
