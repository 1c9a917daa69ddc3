"""Place fields: connected bins in which a unit fires, and their skew along the path."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.extras import needs
from hsr._base.validation import check_count, check_not_negative, check_number
from hsr.adapters.positions.tracked import TrackedMDP
from hsr.adapters.positions.values import read_values
from hsr.animals.rates import unit_names

THRESHOLD = 0.2
MIN_BINS = 3


@dataclass(frozen=True)
class Field:
    """One place field of a unit.

    Attributes
    ----------
    states : int array of shape (n,)
        Its bins.
    rates : float array of shape (n,)
        The rate in each of them.
    """

    states: IntArray
    rates: FloatArray

    @property
    def peak(self) -> float:
        """The highest rate."""
        return float(self.rates.max())

    @property
    def peak_state(self) -> int:
        """The bin with the highest rate."""
        return int(self.states[self.rates.argmax()])

    def centre(self, mdp: TrackedMDP) -> FloatArray:
        """Return its centre: the mean position of its bins, weighted by their rates."""
        centre: FloatArray = self.rates @ mdp.centres[self.states] / self.rates.sum()
        return centre


def place_fields(
    rates: Any,
    mdp: TrackedMDP,
    threshold: float = THRESHOLD,
    *,
    min_bins: int = MIN_BINS,
    min_peak: float = 0.0,
) -> Any:
    """Return the place fields of each unit as a table.

    A field is a set of bins that are connected by open passages, in each of which the rate is at
    least `threshold` times the unit's highest rate. Bins that only touch at a corner, or that are
    separated by a wall, are not connected. Laboratories use different thresholds and smallest
    sizes; report the ones that you used.

    Parameters
    ----------
    rates : array, or DataArray of `rate_maps`
        Rates over states, (S,) or (K, S), or on the grid, (x, y) or (K, x, y). Columns of a map are
        fields too: ``M.columns(states).T``.
    mdp : TrackedMDP
        The recording, as `from_positions` returns it.
    threshold : float in (0, 1]
        Fraction of the unit's highest rate that bins of a field must reach.
    min_bins : int
        Smaller fields do not count.
    min_peak : float
        Fields with a lower peak rate do not count.

    Returns
    -------
    xarray.Dataset
        One entry per field along ``field``, sorted by peak rate within each unit. The
        variables are ``unit``, ``peak`` (the highest rate), ``bins`` (its size), ``area`` (nan if
        bins were given by their centres), the centre weighted by rates and the position of the
        peak (``centre_x``, ``centre_y``, ``peak_x``, ``peak_y``), and ``skew`` (see below).
        ``attrs["field_of"]`` has shape (K, S) and holds the field of each unit in each state, -1
        where there is none.

    Notes
    -----
    The skew measures whether a field extends backwards or forwards along the path of the animal.
    Take each pass of the recorded path that enters the field, reaches its peak bin and leaves it
    again. Let u be the distance travelled since the first visit to the peak, negative before. The
    skew is the third standardised moment of u over all steps of these passes, weighted by the rate
    of their bins. It is negative if the field extends backwards, as fields on tracks do after
    experience [mehta2000] and as columns of the SR do under directed behaviour
    [stachenfeld2017]. If a track is run in both directions, give the spikes and the trials of one
    direction. The skew is nan if no pass goes through the whole field, or if the field is one bin
    long.

    Examples
    --------
    >>> import numpy as np, hsr
    >>> xy = np.stack([np.arange(8) + 0.5, np.full(8, 0.5)], axis=1)
    >>> mdp = hsr.from_positions(xy, bin_size=1.0, extent=(0, 8, 0, 1))
    >>> fields = hsr.animals.place_fields(np.array([0, 1, 2, 4, 0, 3, 3, 0]), mdp, min_bins=2)
    >>> fields["bins"].values, fields["peak"].values
    (array([3, 2]), array([4., 3.]))
    >>> fields["skew"].values.round(2)
    array([-0.86,  0.  ])
    """
    needs("xarray", "place_fields")
    from xarray import Dataset

    firing = read_values(rates, mdp)
    limits = read_limits(threshold, min_bins, min_peak)
    of_units = find_fields(firing.values, mdp, *limits)
    fields = [(unit, field) for unit, several in enumerate(of_units) for field in several]
    field_of = np.full((len(of_units), mdp.n_states), -1)
    for number, (unit, field) in enumerate(fields):
        field_of[unit, field.states] = number
    travel, areas = Travel.of(mdp), bin_areas(mdp)
    centres = np.array([field.centre(mdp) for _, field in fields]).reshape(-1, 2)
    peaks = mdp.centres[np.array([field.peak_state for _, field in fields], dtype=np.int64)]
    x, y = mdp.coordinates
    columns = {
        "unit": unit_names(tuple(firing.units[unit] for unit, _ in fields)),
        "peak": [field.peak for _, field in fields],
        "bins": np.array([field.states.size for _, field in fields], dtype=np.int64),
        "area": [float(areas[field.states].sum()) for _, field in fields],
        f"centre_{x}": centres[:, 0],
        f"centre_{y}": centres[:, 1],
        f"peak_{x}": peaks[:, 0],
        f"peak_{y}": peaks[:, 1],
        "skew": [travel.skew(field.states, field.rates) for _, field in fields],
    }
    return Dataset(
        {name: ("field", column) for name, column in columns.items()},
        coords={"field": np.arange(len(fields))},
        attrs={"field_of": field_of, "threshold": limits[0], "min_bins": limits[1]},
    )


def read_limits(threshold: Any, min_bins: Any, min_peak: Any = 0.0) -> tuple[float, int, float]:
    """Return threshold, smallest size and smallest peak of fields, or raise `InputError`."""
    fraction = check_number(threshold, "threshold")
    if not 0.0 < fraction <= 1.0:
        raise InputError(
            f"threshold is {short_repr(threshold)}; it is a fraction of the highest rate, in (0, 1]"
        )
    return fraction, check_count(min_bins, "min_bins"), check_not_negative(min_peak, "min_peak")


def find_fields(
    values: FloatArray, mdp: TrackedMDP, threshold: float, min_bins: int, min_peak: float
) -> list[Sequence[Field]]:
    """Return the fields of each unit, highest peak first, as `place_fields` defines them.

    Parameters
    ----------
    values : float array of shape (K, S)
        Rates, nan where they are not known.
    mdp : TrackedMDP
        The recording with the bins.
    threshold, min_bins, min_peak : float, int, float
        As in `place_fields`.
    """
    passages = mdp.passages()
    return [_fields(rates, passages, threshold, min_bins, min_peak) for rates in values]


def _fields(
    rates: FloatArray, passages: sparse.csr_array, threshold: float, min_bins: int, min_peak: float
) -> Sequence[Field]:
    known = np.nan_to_num(rates)
    if not known.max() > 0.0:
        return ()
    states = np.flatnonzero(known >= threshold * known.max())
    part = connected_components(passages[states][:, states], directed=False)[1]
    order = np.argsort(part, kind="stable")
    groups = np.split(states[order], np.flatnonzero(np.diff(part[order])) + 1)
    fields = [Field(group, known[group]) for group in groups if group.size >= min_bins]
    fields = [field for field in fields if field.peak >= min_peak]
    return sorted(fields, key=lambda field: -field.peak)


def bin_areas(mdp: TrackedMDP) -> FloatArray:
    """Return the area of each state's bin, nan where bins were given by their centres."""
    if mdp.bin_edges is not None:
        widths = [np.diff(edges) for edges in mdp.bin_edges]
        i, j = mdp.grid_cells()
        area: FloatArray = widths[0][i] * widths[1][j]
        return area
    hexagon = np.sqrt(3.0) / 2.0 * mdp.bin_spacing**2
    return np.full(mdp.n_states, hexagon if mdp.bin_kind == "hexagonal" else np.nan)


@dataclass(frozen=True)
class Travel:
    """The recorded path through bins, in pieces, without repeated bins.

    Attributes
    ----------
    path : int array of shape (n,)
        The state at each step.
    begins : bool array of shape (n,)
        Whether a new piece of the path begins here.
    way : float array of shape (n,)
        Distance travelled so far, between centres of bins.
    n_states : int
        Number of states.
    """

    path: IntArray
    begins: BoolArray
    way: FloatArray
    n_states: int

    @classmethod
    def of(cls, mdp: TrackedMDP) -> "Travel":
        """Return the path of a recording."""
        path = np.concatenate(mdp.paths)
        begins = np.zeros(path.size, dtype=bool)
        begins[np.cumsum([0] + [piece.size for piece in mdp.paths[:-1]])] = True
        moved = begins | (path != np.roll(path, 1))
        path, begins = path[moved], begins[moved]
        lengths = np.hypot(*np.diff(mdp.centres[path], axis=0, prepend=mdp.centres[path[:1]]).T)
        return cls(path, begins, np.cumsum(np.where(begins, 0.0, lengths)), mdp.n_states)

    def skew(self, states: IntArray, rates: FloatArray) -> float:
        """Return the skew of a field along the passes through it, as `place_fields` defines it.

        Parameters
        ----------
        states : int array of shape (n,)
            The bins of the field.
        rates : float array of shape (n,)
            The rate in each of them.
        """
        rate_of = np.zeros(self.n_states)
        rate_of[states] = rates
        step, entry = self._passes(rate_of > 0.0)
        if not step.size:
            return np.nan
        at_peak = self.path[step] == states[rates.argmax()]
        through, first = np.unique(entry[at_peak], return_index=True)
        peak_way = np.full(entry.max() + 1, np.nan)
        peak_way[through] = self.way[step[at_peak][first]]
        u = self.way[step] - peak_way[entry]
        counted = np.isfinite(u)
        return _skewness(u[counted], rate_of[self.path[step[counted]]])

    def _passes(self, member: BoolArray) -> tuple[IntArray, IntArray]:
        """Return the steps inside a set of states, and their passes, of complete passes only."""
        inside = member[self.path]
        before, after = np.roll(inside, 1), np.roll(inside, -1)
        ends = np.roll(self.begins, -1)
        enters, leaves = inside & (self.begins | ~before), inside & (ends | ~after)
        # A pass that is cut off by the recording would make the field look shorter on that side.
        whole = ~self.begins[enters] & ~ends[leaves]
        step = np.flatnonzero(inside)
        number = np.cumsum(enters)[step] - 1
        kept = whole[number] if step.size else np.zeros(0, dtype=bool)
        return step[kept], number[kept]


def _skewness(u: FloatArray, weights: FloatArray) -> float:
    """Return the third standardised moment of weighted numbers, nan if they are all equal."""
    if not weights.sum() > 0.0:
        return np.nan
    p = weights / weights.sum()
    from_mean = u - p @ u
    variance = float(p @ from_mean**2)
    if not variance > 1e-24 * float(np.abs(u).max(initial=0.0)) ** 2:
        return np.nan
    return float(p @ from_mean**3 / variance**1.5)
