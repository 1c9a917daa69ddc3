"""Finds positions and times in objects of pandas, xarray and pynapple.

Objects are recognised by their attributes, so that none of these packages is imported.
"""

from typing import Any, NamedTuple

import numpy as np

from hsr._base.errors import InputError

_TIMES = ("t", "time", "Time (s)")  # the last is the name that pynapple gives to an index


class Source(NamedTuple):
    """What an object holds, not checked yet."""

    xy: Any
    t: Any = None
    epochs: Any = None
    names: tuple[str, str] = ("x", "y")


def find_columns(xy: Any) -> Source:
    """Return the positions, times and epochs that an object holds.

    Parameters
    ----------
    xy : Any
        An array, a data frame, an xarray object, or a TsdFrame of pynapple.
    """
    if hasattr(xy, "time_support"):
        return _of_pynapple(xy)
    if hasattr(xy, "data_vars"):
        return _of_dataset(xy)
    if hasattr(xy, "dims") and hasattr(xy, "coords"):
        return _of_data_array(xy)
    if hasattr(xy, "itertuples"):
        return _of_data_frame(xy)
    return Source(xy)


def _of_pynapple(xy: Any) -> Source:
    if not hasattr(xy, "columns"):
        raise InputError(
            f"xy is a {type(xy).__name__} of pynapple; it must be a TsdFrame with two columns"
        )
    columns = _chosen(list(xy.columns))
    values = np.asarray(xy.values)[:, [list(xy.columns).index(name) for name in columns]]
    return Source(values, np.asarray(xy.t), xy.time_support, _names(columns))


def _of_dataset(xy: Any) -> Source:
    if not {"x", "y"} <= set(xy.data_vars):
        held = ", ".join(map(str, xy.data_vars)) or "nothing"
        raise InputError(f"xy is a Dataset that holds {held}; it must hold x and y")
    if xy["x"].shape != xy["y"].shape or xy["x"].ndim != 1:
        raise InputError(
            f"x has shape {xy['x'].shape} and y has shape {xy['y'].shape}; "
            "both must have one value per frame"
        )
    return Source(np.stack([xy["x"].values, xy["y"].values], axis=1), _coordinate(xy))


def _of_data_array(xy: Any) -> Source:
    first = [dim for dim in xy.dims if dim in _TIMES]
    turned = xy.transpose(*first, ...) if first else xy
    last = turned.dims[-1] if turned.dims else None
    names = turned.coords[last].values if last in turned.coords else ()
    return Source(turned.values, _coordinate(turned), names=_names(names))


def _of_data_frame(xy: Any) -> Source:
    times = next((xy[name].to_numpy() for name in _TIMES if name in xy.columns), None)
    if times is None and (xy.index.name in _TIMES or xy.index.dtype.kind in "mMf"):
        times = xy.index.to_numpy()
    chosen = _chosen([name for name in xy.columns if name not in _TIMES])
    return Source(xy[chosen].to_numpy(), times, names=_names(chosen))


def _chosen(columns: list[Any]) -> list[Any]:
    """Return x and y if they are there, else the only two columns."""
    chosen = ["x", "y"] if "x" in columns and "y" in columns else columns
    if len(chosen) != 2 or len(set(chosen)) != 2:
        raise InputError(
            f"xy has the columns {', '.join(map(repr, columns)) or 'nothing'}; "
            "it must have the columns x and y, or two columns"
        )
    return chosen


def _names(names: Any) -> tuple[str, str]:
    """Return what coordinates are called, x and y if that is no name of a dimension."""
    words = tuple(str(name) for name in names)
    if len(words) == 2 and len(set(words)) == 2 and all(word.isidentifier() for word in words):
        return words[0], words[1]
    return "x", "y"


def _coordinate(array: Any) -> Any:
    """Return the times of an xarray object, or None if it has none."""
    return next((array[name].values for name in _TIMES if name in array.coords), None)
