"""`Results`: the runs of a store as tables, for pandas, xarray and other programs."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from hsr import InputError
from hsr.paper import catalogue
from hsr.paper.store import Entry, Store, StoreError, canonical, provenance, run_keys
from hsr.paper.tables.naming import name_of, names_of, usual_fields
from hsr.paper.tables.settings import flattened
from hsr.paper.tables.tidy import Run, Tidy, axes_of, tidy
from hsr.toolkit import needs, replacing

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped]
    import pyarrow  # type: ignore[import-untyped]
    import xarray

FORMATS = ("csv", "parquet")
_COLUMNS = ("experiment", "runs", "agents", "worlds", "settings", "arrays")


class Results:
    """Stored runs, chosen by experiment and setting. Numbers are read when a table is made.

    Make it with `hsr.paper.load`. It prints what it holds.

    Examples
    --------
    >>> import tempfile
    >>> from hsr.paper.store import Record
    >>> store = Store(tempfile.mkdtemp())
    >>> for world in range(2):
    ...     record = Record("demo", {"rate": 0.1}, world, {"steps": [[5, 4], [6, 3]]})
    ...     _ = store.put(record)
    >>> Results(store).select("demo").to_arrow().num_rows
    8
    """

    def __init__(self, store: Store, runs: Sequence[Run] | None = None) -> None:
        self._store = store
        self._runs = None if runs is None else list(runs)

    @property
    def runs(self) -> list[Run]:
        """The runs, sorted by experiment, setting and world."""
        if self._runs is None:
            entries = self._store.index()
            if not entries:
                raise StoreError(
                    f"the store {str(self._store.folder)!r} has no runs; make some with: "
                    f"hsr run EXPERIMENT --store {self._store.folder}"
                )
            self._runs = _named(entries)
        return self._runs

    @property
    def experiments(self) -> list[str]:
        """The names of the experiments."""
        return sorted({run.experiment for run in self.runs})

    @property
    def made_by(self) -> Counter[str]:
        """How many of the runs were made by which version and sources; "" if not recorded."""
        keys = {run.key for run in self.runs}
        counts = Counter[str]()
        for (_, code), n in self._store.makers(keys).items():
            counts[code] += n
        return counts

    @property
    def summary(self) -> list[dict[str, Any]]:
        """What there is: runs, agents, worlds, settings and arrays of each experiment.

        ``pandas.DataFrame(results.summary)`` shows it as a table.
        """
        rows = []
        for name in self.experiments:
            runs = [run for run in self.runs if run.experiment == name]
            arrays = self._arrays_of(name, runs)
            values = (
                name,
                len(runs),
                len({run.agent for run in runs}),
                len({run.world for run in runs}),
                len({run.group for run in runs}),
                ", ".join(arrays),
            )
            rows.append(dict(zip(_COLUMNS, values, strict=True)))
        return rows

    def _arrays_of(self, experiment: str, runs: Sequence[Run]) -> list[str]:
        """Return the arrays of an experiment; those of one run of each agent are read."""
        examples = {run.agent: run.key for run in reversed(runs)}
        held = {name for key in examples.values() for name in self._store.get(key).arrays}
        declared = [name for name in axes_of(experiment).names if name in held]
        return [*declared, *sorted(held - set(declared))]

    def __len__(self) -> int:
        return len(self.runs)

    def __repr__(self) -> str:
        head = dict(zip(_COLUMNS, _COLUMNS, strict=True))
        lines = [f"Results of {str(self._store.folder)!r}: {len(self):,} runs"]
        lines += [
            f"  {row['experiment']:<20}"
            + "".join(f"{row[name]:>10}" for name in _COLUMNS[1:-1])
            + f"  {_shortened(row['arrays'])}"
            for row in (head, *self.summary)
        ]
        return "\n".join(lines)

    def select(
        self,
        experiment: str | None = None,
        *,
        preset: str | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> "Results":
        """Return the runs of an experiment, of a preset, or with some settings.

        Parameters
        ----------
        experiment : str, optional
            Name of the experiment. A preset needs one.
        preset : str, optional
            Take the runs that ``hsr run EXPERIMENT --preset PRESET`` makes without its controls,
            with `settings` changed. By default all runs whose settings have these values.
        settings : mapping, optional
            Values by dotted path, such as ``{"agent.epsilon": 0.2}``.

        Raises
        ------
        InputError
            If there are none. The message says what there is, or how to run them.
        """
        if preset is not None:
            return self._of_preset(experiment, preset, settings or {})
        runs = self.runs
        if experiment is not None:
            runs = [run for run in runs if run.experiment == experiment]
            if not runs:
                if experiment not in catalogue.all_names():
                    catalogue.find(experiment)
                raise InputError(
                    f"{str(self._store.folder)!r} has no runs of {experiment}; "
                    f"it has {', '.join(self.experiments)}. Run it with: "
                    f"hsr run {experiment} --store {self._store.folder}"
                )
        for path, value in (settings or {}).items():
            runs = _with_value(runs, path, value)
        return Results(self._store, runs)

    def _of_preset(self, name: str | None, preset: str, settings: Mapping[str, Any]) -> "Results":
        if name is None:
            raise InputError(f"preset is {preset!r:.60}; say of which experiment")
        experiment = catalogue.find(name)
        setting = catalogue.setting_of(experiment, preset, settings)
        wanted = {
            key for one, worlds in experiment.runs(setting) for key in run_keys(name, one, worlds)
        }
        runs = [run for run in self.runs if run.key in wanted]
        if not runs:
            changes = "".join(f" --set {path}={value}" for path, value in settings.items())
            raise InputError(
                f"{str(self._store.folder)!r} has none of the {len(wanted):,} runs; "
                "make them with: "
                f"hsr run {name} --preset {preset}{changes} --store {self._store.folder}"
            )
        worlds = sorted({run.world for run in runs})
        names = {
            run: name_of(key)
            for key, condition in reversed(list(experiment.conditions(setting).items()))
            for run in run_keys(name, condition.data(), worlds)
        }
        return Results(
            self._store, [run._replace(agent=names.get(run.key, run.agent)) for run in runs]
        )

    def tidy(self, what: str | Iterable[str] | None = None) -> Tidy:
        """Return the table without reading its rows; see `to_pandas`."""
        names = (what,) if isinstance(what, str) else tuple(what or ())
        return tidy(self._store, self.runs, names)

    def to_arrow(self, what: str | Iterable[str] | None = None) -> "pyarrow.Table":
        """Return a tidy `pyarrow.Table`; see `to_pandas`."""
        return self.tidy(what).table()

    def to_pandas(self, what: str | Iterable[str] | None = None) -> "pandas.DataFrame":
        """Return a tidy table: one row per number, one column per thing that tells rows apart.

        The columns are experiment, the settings that differ between the runs, agent, world, the
        axes of the arrays (such as seed, task and episode), and the arrays. Everything is numbered
        from 0. World w has the seeds ``1000 w, 1000 w + 1, ...`` of `hsr.train`, which are 0, 1 and
        so on in its rows. Columns are text, int64, float64 or bool.

        Parameters
        ----------
        what : str or iterable of str, optional
            Arrays with the same axes. By default the first array of the experiment, such as
            "steps", and all others that have its axes. `summary` lists them.
        """
        needs("pandas", "Results.to_pandas")
        return self.to_arrow(what).to_pandas()

    def to_xarray(self, what: str | Iterable[str] | None = None) -> "xarray.Dataset":
        """Return the arrays with named dimensions: agent, world, and the axes of the arrays.

        Settings that differ are coordinates along the agent. If an agent has several settings, the
        first dimension is ``setting``, and agent is a coordinate along it. Where a run is missing,
        numbers are NaN.

        Parameters
        ----------
        what : str or iterable of str, optional
            As in `to_pandas`.
        """
        needs("xarray", "Results.to_xarray")
        from hsr.paper.tables.grid import dataset_of

        return dataset_of(self.tidy(what))

    def write(
        self, file: BinaryIO, what: str | Iterable[str] | None = None, *, format: str = "csv"
    ) -> int:
        """Write the table of `to_pandas` in batches, and return the number of rows.

        Parameters
        ----------
        file : binary file
            Where to write.
        what : str or iterable of str, optional
            As in `to_pandas`.
        format : {"csv", "parquet"}
            A Parquet file also holds the digest of the runs, which code made them, and versions,
            commit and machine of this process, under the key "hsr" of its metadata.
        """
        import pyarrow.csv  # type: ignore[import-untyped]
        import pyarrow.parquet  # type: ignore[import-untyped]

        if format not in FORMATS:
            raise InputError(f"format is {format!r:.60}; it must be 'csv' or 'parquet'")
        table, sha, n_rows = self.tidy(what), hashlib.sha256(), 0
        options = pyarrow.csv.WriteOptions(quoting_style="needed")
        writer = (
            pyarrow.csv.CSVWriter(file, table.schema, write_options=options)
            if format == "csv"
            else pyarrow.parquet.ParquetWriter(file, table.schema, compression="zstd")
        )
        with writer:
            for batch in table.batches(sha):
                n_rows += batch.num_rows
                writer.write_batch(batch)
            if format == "parquet":
                of_runs = {"digest": sha.hexdigest(), "made_by": self.made_by}
                about = {"runs": len(table.runs), **of_runs, **provenance()}
                writer.add_key_value_metadata({"hsr": json.dumps(about)})
        return n_rows

    def save(
        self,
        path: str | Path,
        what: str | Iterable[str] | None = None,
        *,
        format: str | None = None,
    ) -> int:
        """Write the table into a file, and return the number of rows.

        An older file is replaced when the new one is complete. Missing folders are made.

        Parameters
        ----------
        path : path
            The file.
        what : str or iterable of str, optional
            As in `to_pandas`.
        format : {"csv", "parquet"}, optional
            By default the ending of the name.
        """
        path = Path(path)
        format = format or path.suffix[1:]
        if format not in FORMATS:
            raise InputError(f"path is {str(path)!r}; its name must end in .csv or .parquet")
        self.tidy(what)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as file:
                return self.write(file, what, format=format)
        except OSError as error:
            raise StoreError(f"cannot write {str(path)!r}: {error.strerror or error}") from error


def _shortened(words: str, longest: int = 50) -> str:
    return words if len(words) <= longest else words[:longest].rpartition(",")[0] + ", ..."


def _named(entries: Mapping[str, Entry]) -> list[Run]:
    """Return the runs of an index with the names of their conditions."""
    groups: dict[tuple[str, bytes], tuple[int, dict[str, Any]]] = {}
    order: list[tuple[str, bytes, int, str]] = []
    for key, entry in entries.items():
        text = canonical(entry.setting)
        groups.setdefault((entry.experiment, text), (len(groups), entry.setting))
        order.append((entry.experiment, text, entry.seed, key))
    agents: dict[int, str | None] = {}
    for experiment in {name for name, _ in groups}:
        own = [group for (name, _), group in groups.items() if name == experiment]
        found = names_of(experiment, [setting for _, setting in own])
        agents |= dict(zip([number for number, _ in own], found, strict=True))
    runs = []
    fields_of: dict[int, dict[str, Any]] = {}
    for experiment, text, world, key in sorted(order):
        number, setting = groups[experiment, text]
        fields = fields_of.setdefault(number, usual_fields(experiment) | flattened(setting))
        runs.append(Run(key, experiment, agents[number], fields, number, world))
    return runs


def _with_value(runs: Sequence[Run], path: str, value: Any) -> list[Run]:
    """Return the runs whose setting has a value; a number need not say that it is a float."""
    known = {run.group: run.fields for run in runs}
    values = {group: fields[path] for group, fields in known.items() if path in fields}
    if not values:
        raise _no_field(path, known.values())
    wanted = list(value) if isinstance(value, tuple) else value
    same = {
        group
        for group, own in values.items()
        if own == wanted and isinstance(own, bool) == isinstance(wanted, bool)
    }
    if not same:
        there = {canonical({"": own}): own for own in values.values()}.values()
        shown = ", ".join(f"{own!r:.60}" for own in list(there)[:12])
        raise InputError(f"no run has {path} = {value!r:.60}; there are {shown}")
    return [run for run in runs if run.group in same]


def _no_field(path: str, known: Iterable[Mapping[str, Any]]) -> InputError:
    from hsr.paper.setting import nearest

    return nearest(path, sorted({name for fields in known for name in fields}), "stored setting")
