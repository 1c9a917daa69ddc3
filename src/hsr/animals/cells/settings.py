"""Settings of models of place fields: the values that are tried for each."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hsr._base.errors import InputError
from hsr._base.shown import shown
from hsr._base.validation import check_count, check_discount, check_number, is_list
from hsr.animals.cells.arena import Arena

CONTINUOUS = ("discount", "width")
_N_DISCOUNTS = 7
_N_WIDTHS = 13


def usual_settings(arena: Arena) -> dict[str, tuple[Any, ...]]:
    """Return the values that are tried for each setting.

    Horizons 1 / (1 - discount) reach from 0.4 to 6 times that of the world, and widths from 1 to 4
    distances between neighbouring states.

    Parameters
    ----------
    arena : Arena
        The world.
    """
    n = arena.mdp.n_states
    horizons = np.geomspace(0.4, 6.0, _N_DISCOUNTS) / (1.0 - arena.mdp.discount)
    return {
        "discount": tuple(1.0 - 1.0 / max(1.05, step) for step in horizons.tolist()),
        "n_options": tuple(k for k in (4, 16) if k < n) or (1,),
        "n_parts": tuple(k for k in (8, 16, 32) if k < n) or (1,),
        "width": tuple(np.geomspace(1.0, 4.0, _N_WIDTHS) * arena.spacing),
    }


def between_values(values: Mapping[str, Sequence[Any]]) -> dict[str, tuple[Any, ...]]:
    """Return values halfway between those of each continuous setting.

    Between two widths it is the geometric mean, and between two discounts that of their horizons.

    Parameters
    ----------
    values : mapping of str to sequences
        Values of each setting, as of `usual_settings`.

    Examples
    --------
    >>> between_values({"width": (1.0, 4.0), "discount": (0.5, 0.98), "n_options": (4, 16)})
    {'width': (2.0,), 'discount': (0.9,), 'n_options': (4, 16)}
    """
    found = {name: tuple(tried) for name, tried in values.items()}
    if len(found.get("width", ())) > 1:
        found["width"] = _halfway(found["width"])
    if len(found.get("discount", ())) > 1:
        horizons = _halfway([1.0 / (1.0 - discount) for discount in found["discount"]])
        found["discount"] = tuple(round(1.0 - 1.0 / horizon, 12) for horizon in horizons)
    return found


def _halfway(values: Sequence[float]) -> tuple[float, ...]:
    ordered = np.sort(np.array(values))
    return tuple(float(mean) for mean in np.sqrt(ordered[1:] * ordered[:-1]))


def read_settings(settings: Any, arena: Arena) -> dict[str, tuple[Any, ...]]:
    """Return the values to try for each setting, with those of the user, or raise `InputError`."""
    usual = usual_settings(arena)
    if settings is None:
        return usual
    if not isinstance(settings, Mapping) or not set(settings) <= set(usual):
        known = ", ".join(map(repr, usual))
        raise InputError(
            f"settings is {shown(settings)}; it must be a dictionary with keys among {known}"
        )
    checks: dict[str, Callable[[Any, str], Any]] = {
        "discount": lambda value, _: check_discount(value),
        "n_options": check_count,
        "n_parts": check_count,
        "width": _check_width,
    }
    for name, values in settings.items():
        if not is_list(values) or not len(values):
            raise InputError(
                f"settings[{name!r}] is {shown(values)}; it must be a list of values to try"
            )
        read = {checks[name](value, f"settings[{name!r}]") for value in values}
        usual[name] = tuple(sorted(read))
    return usual


def _check_width(value: Any, name: str) -> float:
    width = check_number(value, name)
    if width <= 0.0:
        raise InputError(f"{name} has {shown(value)}; widths must be positive")
    return width
