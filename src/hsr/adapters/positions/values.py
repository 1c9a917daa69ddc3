"""Read values of states, such as firing rates, given over states or on the grid of bins."""

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError, short_repr
from hsr._base.validation import read_numbers
from hsr.adapters.positions.tracked import TrackedMDP


class StateValues(NamedTuple):
    """Values of states for one or several units, such as firing rates.

    Attributes
    ----------
    values : float array of shape (K, S)
        Of each unit in each state, nan where it is not known.
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


def check_tracked(mdp: Any) -> TrackedMDP:
    """Return an MDP of `from_positions`, or raise `InputError`."""
    if not isinstance(mdp, TrackedMDP):
        raise InputError(f"mdp is {short_repr(mdp)}; it must be an MDP made by hsr.from_positions")
    return mdp


def read_values(
    values: Any, mdp: TrackedMDP, *, signed: bool = False, name: str = "rates"
) -> StateValues:
    """Return values of states, whether they were given over states or on the grid.

    Parameters
    ----------
    values : Any
        An array of shape (S,), (K, S), (x, y) or (K, x, y), or a DataArray like that of
        `rate_maps`.
    mdp : TrackedMDP
        The MDP with the bins.
    signed : bool
        Whether negative values are allowed.
    name : str
        The name of the argument, for messages.
    """
    forms = f"it must have shape ({check_tracked(mdp).n_states},) or (any, {mdp.n_states})"
    if mdp.bin_edges is not None:
        n_x, n_y = (edges.size - 1 for edges in mdp.bin_edges)
        forms += f", or a grid of shape ({n_x}, {n_y}) or (any, {n_x}, {n_y})"
    if hasattr(values, "mdp_fingerprint"):  # a map, whose rows are not its fields
        forms += "; fields are columns of a map: M.columns(states).T holds one per row"
        raise InputError(f"{name} is {short_repr(values)}; {forms}")
    array, units = _named(values, mdp)
    numbers = read_numbers(array, f"{name} cannot be read as numbers; {forms}")
    if not numbers.size:
        raise InputError(f"{name} has shape {numbers.shape}; {forms}")
    if numbers.ndim in (1, 2) and numbers.shape[-1] == mdp.n_states:
        single = numbers.ndim == 1
    elif mdp.bin_edges is not None and numbers.ndim in (2, 3) and numbers.shape[-2:] == (n_x, n_y):
        single = numbers.ndim == 2
        numbers = numbers[(..., *mdp.grid_cells())]
    else:
        raise InputError(f"{name} has shape {numbers.shape}; {forms}")
    if np.isinf(numbers).any():
        raise InputError(f"{name} has infinite entries; unknown ones must be nan")
    if not signed and (numbers < 0.0).any():
        raise InputError(
            f"the smallest rate is {np.nanmin(numbers):.6g}; rates are not negative. Measure a "
            "vector v with signs, such as an eigenvector, as two fields: np.maximum(v, 0) and "
            "np.maximum(-v, 0); grid_score also takes v itself"
        )
    numbers = np.atleast_2d(numbers)
    if units is None or len(units) != numbers.shape[0]:
        units = tuple(range(numbers.shape[0]))
    return StateValues(numbers, units, single)


def _named(values: Any, mdp: TrackedMDP) -> tuple[Any, tuple[Hashable, ...] | None]:
    """Return the numbers of a DataArray in the order (unit, x, y) and the names of its units."""
    if not (hasattr(values, "dims") and hasattr(values, "coords")):
        return values, None
    last = mdp.coordinates if mdp.bin_edges is not None else ("bin",)
    if set(last) <= set(values.dims):
        values = values.transpose(..., *last)
    if "unit" not in values.coords:
        return values.values, None
    units = np.atleast_1d(values.coords["unit"].values)
    return values.values, tuple(units.tolist())
