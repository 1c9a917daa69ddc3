"""Runs as rows: one row per number, in batches, so that large stores need little memory."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hsr import InputError
from hsr.paper import catalogue
from hsr.paper.axes import Axes
from hsr.paper.store import Record, Store
from hsr.paper.tables.settings import Plain, differing

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-untyped]

BATCH_ROWS = 2**17
OF_RUNS = ("experiment", "agent", "world")


class Run(NamedTuple):
    """A stored run: its key, the names of experiment and condition, its setting and world.

    `fields` are the fields of the setting by their dotted paths. Runs of one setting share the
    number `group`.
    """

    key: str
    experiment: str
    agent: str | None
    fields: dict[str, Any]
    group: int
    world: int


@dataclass(frozen=True, eq=False)
class Tidy:
    """A tidy table of some arrays of stored runs, which are read when the rows are asked for.

    Parameters
    ----------
    store : Store
        The store.
    runs : sequence of Run
        The runs, in the order of the rows.
    measures : tuple of str
        The arrays, which all have the same axes.
    axes : tuple of str
        The axes, one column each.
    settings : dict of str to list
        The columns of settings, one value per run.
    schema : pyarrow.Schema
        Names and types of the columns.
    """

    store: Store
    runs: Sequence[Run]
    measures: tuple[str, ...]
    axes: tuple[str, ...]
    settings: dict[str, list[Plain]]
    schema: "pyarrow.Schema"

    def batches(self, sha: Any = None) -> Iterator["pyarrow.RecordBatch"]:
        """Yield the rows of several runs at a time. `sha` takes in the digests of the runs."""
        sha = hashlib.sha256() if sha is None else sha
        first, blocks, n_rows = 0, [], 0
        for i, run in enumerate(self.runs):
            record = self.store.get(run.key)
            sha.update(bytes.fromhex(record.digest()))
            blocks.append(self._columns_of(record))
            n_rows += len(blocks[-1][0])
            if n_rows >= BATCH_ROWS or i == len(self.runs) - 1:
                yield self._batch(first, blocks)
                first, blocks, n_rows = i + 1, [], 0

    def table(self) -> "pyarrow.Table":
        """Return all rows."""
        import pyarrow

        return pyarrow.Table.from_batches(self.batches(), self.schema)

    def coordinates_of(self, record: Record) -> list[np.ndarray]:
        """Return the values along each axis of a run that has the first measure."""
        known = axes_of(record.experiment)
        shape = record.arrays[self.measures[0]].shape
        for name in self.measures:
            array = record.arrays.get(name)
            if array is None:
                continue
            if known.of(name, array.ndim) != self.axes or array.shape != shape:
                raise InputError(
                    f"{name} of run {record.key} has shape {array.shape} and the axes "
                    f"{known.of(name, array.ndim)}; the table has {self.axes} of shape {shape}"
                )
        along = known.coordinates(record.setting, record.arrays)
        return [
            np.asarray(along[axis] if axis in along else range(size))[:size]
            for axis, size in zip(self.axes, shape, strict=True)
        ]

    def _columns_of(self, record: Record) -> list[Any]:
        """Return the columns of axes and measures of a run; nulls for a measure that it lacks."""
        import pyarrow

        if self.measures[0] not in record.arrays:
            return [pyarrow.nulls(0)] * (len(self.axes) + len(self.measures))
        along = self.coordinates_of(record)
        columns: list[Any] = [one.ravel() for one in np.meshgrid(*along, indexing="ij")]
        n_rows = int(np.prod([len(values) for values in along]))
        for name in self.measures:
            array = record.arrays.get(name)
            columns.append(pyarrow.nulls(n_rows) if array is None else array.ravel())
        return columns

    def _batch(self, first: int, blocks: list[list[Any]]) -> "pyarrow.RecordBatch":
        """Return the rows of consecutive runs, the first of them by its number."""
        import pyarrow

        runs = self.runs[first : first + len(blocks)]
        which = np.repeat(np.arange(len(blocks)), [len(block[0]) for block in blocks])
        of_runs: dict[str, list[Any]] = {
            name: [getattr(run, name) for run in runs] for name in OF_RUNS
        }
        of_runs |= {
            path: values[first : first + len(blocks)] for path, values in self.settings.items()
        }
        names = (*self.axes, *self.measures)
        columns = []
        for field in self.schema:
            if field.name in of_runs:
                column = pyarrow.array(of_runs[field.name], field.type).take(pyarrow.array(which))
            else:
                at = names.index(field.name)
                parts = [pyarrow.array(block[at]).cast(field.type) for block in blocks]
                column = pyarrow.concat_arrays(parts)
            columns.append(column)
        return pyarrow.RecordBatch.from_arrays(columns, schema=self.schema)


def tidy(store: Store, runs: Sequence[Run], what: Sequence[str]) -> Tidy:
    """Return the table of some arrays.

    Parameters
    ----------
    store : Store
        The store.
    runs : sequence of Run
        The runs to choose from. Those that do not have the first array are left out.
    what : sequence of str
        Names of arrays with the same axes. If empty, the first array that the experiment declares,
        with all others that have its axes.

    Raises
    ------
    InputError
        If no run has the array, or the arrays have different axes.
    """
    import pyarrow

    examples = _examples(store, runs)
    measures = tuple(what) or _usual(examples)
    lacking = [name for name in measures if not any(name in x.arrays for x in examples.values())]
    if lacking:
        names = sorted({run.experiment for run in runs})
        known = sorted({name for record in examples.values() for name in record.arrays})
        raise InputError(
            f"no run of {', '.join(names)} has an array {lacking[0]!r:.60}; "
            f"there are {', '.join(known)}"
        )
    runs = [run for run in runs if measures[0] in examples[run.group].arrays]
    example = examples[runs[0].group]
    along = axes_of(example.experiment).coordinates(example.setting, example.arrays)
    measures = tuple(name for name in measures if name in example.arrays)
    axes = _common_axes(example, measures)
    settings = _columns_of_settings(runs, {*OF_RUNS, *axes, *measures})
    fields = {
        "experiment": pyarrow.string(),
        **{path: _type_of(values) for path, values in settings.items()},
        "agent": pyarrow.string(),
        "world": pyarrow.int64(),
        **{axis: _kind(np.asarray(along.get(axis, [0]))) for axis in axes},
        **{name: _kind(example.arrays[name]) for name in measures},
    }
    return Tidy(store, runs, measures, axes, settings, pyarrow.schema(list(fields.items())))


def axes_of(experiment: str) -> Axes:
    """Return the axes of an experiment; those of one that is not in the catalogue have no names."""
    return catalogue.find(experiment).work.axes if experiment in catalogue.all_names() else Axes({})


def _examples(store: Store, runs: Sequence[Run]) -> dict[int, Record]:
    """Return the first run of each setting, by the number of the setting."""
    first = {run.group: run.key for run in reversed(runs)}
    return {group: store.get(key) for group, key in sorted(first.items())}


def _usual(examples: Mapping[int, Record]) -> tuple[str, ...]:
    """Return the first array that an experiment declares, and all others with its axes."""
    records = list(examples.values())
    usual = []
    for experiment in sorted({record.experiment for record in records}):
        own = [record for record in records if record.experiment == experiment]
        known, arrays = axes_of(experiment), own[0].arrays
        declared = [name for name in known.names if any(name in one.arrays for one in own)]
        first = declared[0] if declared else next(iter(arrays))
        arrays = next(one.arrays for one in own if first in one.arrays)
        axes = known.of(first, arrays[first].ndim)
        order = dict.fromkeys([*declared, *arrays])
        alike = [x for x in order if x in arrays and known.of(x, arrays[x].ndim) == axes]
        usual.append((experiment, tuple(alike)))
    if len({names for _, names in usual}) > 1:
        words = "; ".join(f"{experiment}: {', '.join(names)}" for experiment, names in usual)
        raise InputError(
            f"the runs are of experiments that measure different things ({words}); "
            "select one experiment, or say which array the table shows"
        )
    return usual[0][1]


def _common_axes(example: Record, measures: Sequence[str]) -> tuple[str, ...]:
    known = axes_of(example.experiment)
    axes = {name: known.of(name, example.arrays[name].ndim) for name in measures}
    for name, own in axes.items():
        if own != axes[measures[0]]:
            raise InputError(
                f"{measures[0]} has the axes {axes[measures[0]]} and {name} {own}; "
                "a table holds arrays with the same axes"
            )
    return axes[measures[0]]


def _columns_of_settings(runs: Sequence[Run], taken: set[str]) -> dict[str, list[Plain]]:
    """Return the settings that differ, one value per run, under names that are not taken."""
    settings = {run.group: run.fields for run in runs}
    place = {group: i for i, group in enumerate(settings)}
    return {
        f"setting.{path}" if path in taken else path: [values[place[run.group]] for run in runs]
        for path, values in differing(list(settings.values())).items()
    }


def _kind(values: np.ndarray) -> "pyarrow.DataType":
    import pyarrow

    types = {"b": pyarrow.bool_(), "f": pyarrow.float64(), "U": pyarrow.string()}
    return types.get(values.dtype.kind, pyarrow.int64())


def _type_of(values: Sequence[Plain]) -> "pyarrow.DataType":
    import pyarrow

    present = [value for value in values if value is not None]
    types = {bool: pyarrow.bool_(), int: pyarrow.int64(), float: pyarrow.float64()}
    return types.get(type(present[0]), pyarrow.string())
