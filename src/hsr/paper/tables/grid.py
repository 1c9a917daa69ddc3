"""A tidy table as an `xarray.Dataset`, with one dimension for each axis."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hsr.paper.store import Record
from hsr.paper.tables.tidy import Run, Tidy

if TYPE_CHECKING:
    import xarray


def dataset_of(tidy: Tidy) -> "xarray.Dataset":
    """Return the measures of a table as arrays.

    The dimensions are the agent, the world, and the axes of the measures. Settings that differ are
    coordinates along the agent. If an agent has several settings, the first dimension is `setting`
    instead, and the agent is a coordinate along it. Where a run is missing, numbers are NaN.
    """
    import xarray

    records = [tidy.store.get(run.key) for run in tidy.runs]
    held = [
        (run, record)
        for run, record in zip(tidy.runs, records, strict=True)
        if tidy.measures[0] in record.arrays
    ]
    first_of: dict[int, int] = {}
    for i, run in enumerate(tidy.runs):
        first_of.setdefault(run.group, i)
    agents = [tidy.runs[i].agent for i in first_of.values()]
    first = "agent" if len(set(agents)) == len(agents) else "setting"
    coords: dict[str, Any] = {"agent": (first, agents)}
    of_runs: dict[str, Sequence[Any]] = {
        "experiment": [run.experiment for run in tidy.runs],
        **tidy.settings,
    }
    for name, values in of_runs.items():
        coords[name] = (first, [values[i] for i in first_of.values()])
    along = {
        first: list(first_of),
        "world": sorted({run.world for run, _ in held}),
        **_axes(tidy, [record for _, record in held]),
    }
    coords |= {name: values for name, values in along.items() if name != first}
    arrays = {name: (tuple(along), _array(tidy, held, along, name)) for name in tidy.measures}
    return xarray.Dataset(arrays, coords=coords)


def _axes(tidy: Tidy, records: Sequence[Record]) -> dict[str, list[Any]]:
    """Return the values along each axis over all runs; numbers are sorted."""
    found: list[dict[Any, None]] = [{} for _ in tidy.axes]
    for record in records:
        for values, own in zip(found, tidy.coordinates_of(record), strict=True):
            values.update(dict.fromkeys(own.tolist()))
    return {
        axis: list(values) if any(isinstance(x, str) for x in values) else sorted(values)
        for axis, values in zip(tidy.axes, found, strict=True)
    }


def _array(
    tidy: Tidy, held: Sequence[tuple[Run, Record]], along: dict[str, list[Any]], name: str
) -> np.ndarray:
    """Return one measure of all runs: numbers that are missing are NaN, other values None."""
    place = [{value: i for i, value in enumerate(values)} for values in along.values()]
    shape = [len(values) for values in along.values()]
    kinds = {record.arrays[name].dtype.kind for _, record in held if name in record.arrays}
    whole = np.full(shape, None) if kinds & set("U") else np.full(shape, np.nan)
    filled = np.zeros(shape, bool)
    for run, record in held:
        if name not in record.arrays:
            continue
        own = [[run.group], [run.world], *(one.tolist() for one in tidy.coordinates_of(record))]
        index = np.ix_(*([at[x] for x in values] for at, values in zip(place, own, strict=True)))
        whole[index] = record.arrays[name]
        filled[index] = True
    if filled.all() and kinds <= set("iu"):
        return whole.astype(np.int64)
    return whole.astype(np.bool_) if filled.all() and kinds == {"b"} else whole
