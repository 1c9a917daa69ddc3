"""Firing of units over the bins of an arena: read in any form, and laid out on the grid."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.shown import shown
from hsr._base.validation import read_numbers
from hsr.adapters.positions.tracked import TrackedMDP
from hsr.representation.predictive_map import PredictiveMap


@dataclass(frozen=True)
class Firing:
    """Firing rates of units, checked.

    Attributes
    ----------
    values : float array of shape (K, S)
        Rate of each unit in each state, nan where it is not known.
    units : tuple
        What the units are called.
    single : bool
        Whether one unit was given without an axis for units.
    """

    values: FloatArray
    units: tuple[Hashable, ...]
    single: bool

    def give(self, numbers: Any) -> Any:
        """Return one number per unit as they were asked for: a float if one unit was given."""
        array = np.array(numbers, dtype=np.float64)
        return float(array[0]) if self.single else array


def unit_names(units: tuple[Hashable, ...]) -> np.ndarray:
    """Return names of units as an array: of integers or text if all are, of objects otherwise."""
    for kind in (str, (int, np.integer)):
        if all(isinstance(unit, kind) for unit in units):
            return np.array(units, dtype=None if units else np.int64)
    names = np.empty(len(units), dtype=object)
    names[:] = units
    return names


def check_tracked(mdp: Any) -> TrackedMDP:
    """Return a world with bins, or raise `InputError`."""
    if not isinstance(mdp, TrackedMDP):
        raise InputError(f"mdp is {shown(mdp)}; it must be a world made by hsr.from_positions")
    return mdp


def read_firing(
    rates: Any, mdp: TrackedMDP, *, signed: bool = False, name: str = "rates"
) -> Firing:
    """Return rates over states, whether they were given over states or on the grid.

    Parameters
    ----------
    rates : Any
        An array of shape (S,), (K, S), (x, y) or (K, x, y), or a DataArray like that of
        `rate_maps`.
    mdp : TrackedMDP
        The world with the bins.
    signed : bool
        Whether negative values are allowed.
    name : str
        The name of the argument, for messages.
    """
    forms = _forms(mdp)
    if isinstance(rates, PredictiveMap):
        raise InputError(
            f"{name} is {shown(rates)}; {forms}; fields are columns of a map: "
            "M.columns(states).T holds one per row"
        )
    array, units = _named(rates, mdp)
    values = read_numbers(array, f"{name} cannot be read as numbers; {forms}")
    single, values = _over_states(values, mdp, f"{name} has shape {values.shape}; {forms}")
    if np.isinf(values).any():
        raise InputError(f"{name} has infinite entries; unknown ones must be nan")
    if not signed and (values < 0.0).any():
        raise InputError(f"the smallest rate is {np.nanmin(values):.6g}; rates are not negative")
    if units is None or len(units) != values.shape[0]:
        units = tuple(range(values.shape[0]))
    return Firing(values, units, single)


def _forms(mdp: TrackedMDP) -> str:
    grid = ""
    if mdp.bin_edges is not None:
        n_x, n_y = (edges.size - 1 for edges in mdp.bin_edges)
        grid = f", or a grid of shape ({n_x}, {n_y}) or (any, {n_x}, {n_y})"
    return f"it must have shape ({mdp.n_states},) or (any, {mdp.n_states}){grid}"


def _named(rates: Any, mdp: TrackedMDP) -> tuple[Any, tuple[Hashable, ...] | None]:
    """Return the numbers of a DataArray in the order (unit, x, y) and the names of its units."""
    if not (hasattr(rates, "dims") and hasattr(rates, "coords")):
        return rates, None
    last = mdp.coordinates if mdp.bin_edges is not None else ("bin",)
    if set(last) <= set(rates.dims):
        rates = rates.transpose(..., *last)
    first = rates.dims[0] if rates.dims else None
    if rates.ndim > len(last) and first in rates.coords:
        return rates.values, tuple(rates.coords[first].values.tolist())
    if rates.ndim == len(last) and "unit" in rates.coords and not rates.coords["unit"].ndim:
        return rates.values, (rates.coords["unit"].item(),)
    return rates.values, None


def _over_states(values: FloatArray, mdp: TrackedMDP, complaint: str) -> tuple[bool, FloatArray]:
    """Return whether there is one unit, and the values of shape (K, S)."""
    if values.ndim in (1, 2) and values.size and values.shape[-1] == mdp.n_states:
        return values.ndim == 1, np.atleast_2d(values)
    if mdp.bin_edges is not None and values.ndim in (2, 3) and values.size:
        size = tuple(edges.size - 1 for edges in mdp.bin_edges)
        if values.shape[-2:] == size:
            i, j = grid_cells(mdp)
            return values.ndim == 2, values.reshape(-1, *size)[:, i, j]
    raise InputError(complaint)


def grid_cells(mdp: TrackedMDP) -> tuple[IntArray, IntArray]:
    """Return the numbers of each state's rectangle along x and along y."""
    assert mdp.bin_edges is not None
    i, j = (
        np.searchsorted(edges, mdp.centres[:, k], side="right") - 1
        for k, edges in enumerate(mdp.bin_edges)
    )
    return i, j


def on_grid(values: FloatArray, mdp: TrackedMDP) -> FloatArray:
    """Return values of states (S,) on all rectangles (x, y), nan where there is no state."""
    assert mdp.bin_edges is not None
    grid = np.full([edges.size - 1 for edges in mdp.bin_edges], np.nan)
    grid[grid_cells(mdp)] = values
    return grid


def passages_of(mdp: TrackedMDP) -> sparse.csr_array:
    """Return which states are connected by a move, as a symmetric matrix of ones, (S, S)."""
    steps = sparse.csr_array((mdp.n_states, mdp.n_states))
    for action in range(mdp.n_actions):
        steps = steps + mdp.transition_of(action)
    begin, end = (steps + steps.T).nonzero()
    moved = begin != end
    entries = (np.ones(int(moved.sum())), (begin[moved], end[moved]))
    return sparse.csr_array(entries, shape=steps.shape)


def visited(mdp: TrackedMDP) -> FloatArray:
    """Return the fraction of time in each state."""
    share: FloatArray = mdp.occupancy / mdp.occupancy.sum()
    return share
