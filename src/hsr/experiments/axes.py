"""`Axes`: what the axes of stored arrays are called, and which values stand along them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Coordinates = Callable[[Mapping[str, Any], Mapping[str, np.ndarray]], Mapping[str, Sequence[Any]]]


def _numbered(setting: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Axes:
    """The axes of the arrays of a kind of run.

    Parameters
    ----------
    names : mapping of str to tuple of str
        By array, the name of each of its axes. The first array is the one that tables show if no
        other is asked for.
    coordinates : callable
        ``coordinates(setting, arrays)`` returns the values along some axes of a run. All other axes
        are numbered from 0.

    Examples
    --------
    >>> axes = Axes({"steps": ("seed", "task", "episode"), "change": ("seed",)})
    >>> axes.of("steps", 3), axes.of("elsewhere", 2)
    (('seed', 'task', 'episode'), ('dim_0', 'dim_1'))
    """

    names: Mapping[str, tuple[str, ...]]
    coordinates: Coordinates = _numbered

    def of(self, array: str, ndim: int) -> tuple[str, ...]:
        """Return the axes of an array. Those of an unknown array are dim_0, dim_1 and so on."""
        known = self.names.get(array, ())
        return known if len(known) == ndim else tuple(f"dim_{i}" for i in range(ndim))
