"""`Results`: the runs of a store as tables for pandas and arrays with named axes for xarray."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hsr import InputError
from hsr.experiments import catalogue
from hsr.experiments.axes import Axes
from hsr.experiments.store import Record, ResultTable, Store, StoreError

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped]
    import xarray

_LINE_WIDTH, _CELL_WIDTH = 100, 30  # characters of a printed summary
_COLUMNS = ("experiment", "control", "setting", "agent", "world")
_WIDE: dict[str, Any] = {"i": np.int64, "u": np.int64, "f": np.float64}


class Run(NamedTuple):
    """A stored run: which part of which setting it is, by the number of the setting."""

    number: int
    experiment: str
    control: str
    agent: str
    world: int
    setting: str
    key: str


class Results:
    """Stored runs, chosen by experiment and setting. Arrays are read when a table is made.

    Make it with `hsr.experiments.load`. It prints what it holds.

    Examples
    --------
    >>> import tempfile
    >>> store = Store(tempfile.mkdtemp())
    >>> for world in range(2):
    ...     record = Record("demo", {"rate": 0.1}, world, {"steps": [[5, 4], [6, 3]]})
    ...     _ = store.put(record)
    >>> len(Results(store).to_pandas())
    8
    """

    def __init__(self, store: Store, runs: Sequence[Run] | None = None) -> None:
        self.store = store
        self.runs = [Run(*row) for row in store.named_runs()] if runs is None else list(runs)
        if not self.runs:
            raise StoreError(
                f"the store {str(store.folder)!r} has no runs; make some with: "
                f"hsr run EXPERIMENT --store {store.folder}"
            )

    def __len__(self) -> int:
        return len({run.key for run in self.runs})

    def __repr__(self) -> str:
        tables = [
            own.dropna(axis=1, how="all").to_string(
                na_rep="", line_width=_LINE_WIDTH, max_colwidth=_CELL_WIDTH
            )
            for _, own in self.summary.groupby(level="experiment", sort=False)
        ]
        head = f"Results of {str(self.store.folder)!r}: {len(self):,} runs"
        return "\n".join([head, *tables])

    @property
    def summary(self) -> "pandas.DataFrame":
        """What there is: the settings by their numbers, with their agents, worlds and runs.

        Further columns are the fields that differ between settings of the same experiment. Runs
        that are part of no setting have the number 0.
        """
        import pandas

        table = pandas.DataFrame(self.runs)
        groups = table.assign(
            runs=table["key"].where(table["control"] == ""),
            of_controls=table["key"].where(table["control"] != ""),
        ).groupby(["number", "experiment"])
        counts = groups[["agent", "world", "runs", "of_controls"]].nunique()
        differences: dict[int, dict[str, Any]] = {}
        for experiment in {run.experiment for run in self.runs}:
            settings = {
                row.number: {"preset": row.preset, **row.setting}
                for row in self.store.settings()
                if row.experiment == experiment and (row.number, experiment) in counts.index
            }
            own = _differing(list(settings.values())) if settings else ()
            differences |= dict(zip(settings, own, strict=True))
        rows = [differences.get(number, {}) for number, _ in counts.index]
        fields = pandas.DataFrame(rows, index=counts.index, dtype=object)
        also = {name: f"{name} of the setting" for name in counts}
        return counts.join(fields.rename(columns=also))

    def select(
        self,
        experiment: str | None = None,
        *,
        setting: int | None = None,
        agent: str | None = None,
    ) -> "Results":
        """Return some of the runs.

        Parameters
        ----------
        experiment : str, optional
            Name of an experiment.
        setting : int, optional
            Number of a setting, as `summary` and `hsr ledger` show it.
        agent : str, optional
            Name of an agent.

        Raises
        ------
        InputError
            If there are none. The message says what there is.
        """
        wanted = {"experiment": experiment, "number": setting, "agent": agent}
        runs = self.runs
        for name, value in wanted.items():
            if value is not None:
                there = sorted({getattr(run, name) for run in runs})
                runs = [run for run in runs if getattr(run, name) == value]
                if not runs:
                    what = "setting" if name == "number" else name
                    raise InputError(
                        f"{str(self.store.folder)!r} has no runs of {what} {value!r:.60}; "
                        f"there are {', '.join(map(str, there))}"
                    )
        return Results(self.store, runs)

    def to_pandas(self, *arrays: str, controls: bool = False) -> "pandas.DataFrame":
        """Return a tidy table: one row per number, one column per thing that tells rows apart.

        The columns are experiment, the settings that differ between the runs, agent, world, the
        axes of the arrays (such as seed, task and episode), and the arrays. Everything is numbered
        from 0. World w has the seeds ``1000 w, 1000 w + 1, ...`` of `hsr.train`, which are 0, 1 and
        so on in its rows.

        Parameters
        ----------
        *arrays : str
            Arrays with the same axes. By default the first one that the experiment declares, such
            as "steps", and all others that have its axes and shape.
        controls : bool
            Whether to add the runs of controls, with a column ``control`` that is empty for all
            others.
        """
        import pandas

        found = self._datasets(arrays, controls=controls)
        frames = [data.to_dataframe().reset_index().assign(**about) for about, data in found]
        table = pandas.concat(frames, ignore_index=True)
        last = ["agent", *found[0][1].dims, *found[0][1].data_vars]
        return table[[*(name for name in table if name not in last), *last]]

    def to_xarray(self, *arrays: str, controls: bool = False) -> "xarray.Dataset":
        """Return arrays with named dimensions: agent, world, and the axes of the arrays.

        Settings that differ are coordinates along the agent. If an agent has several settings, the
        first dimension is ``setting``, and agent is a coordinate along it. Where a run is missing,
        numbers are NaN. ``.to_netcdf(path)`` writes the file.

        Parameters
        ----------
        *arrays, controls
            As in `to_pandas`.
        """
        import xarray

        found = self._datasets(arrays, controls=controls)
        agents = [about["agent"] for about, _ in found]
        first = "agent" if len(set(agents)) == len(agents) else "setting"
        whole = xarray.concat([data for _, data in found], dim=first, join="outer")
        names = dict.fromkeys(name for about, _ in found for name in about)
        return whole.assign_coords(
            {name: (first, [about[name] for about, _ in found]) for name in names}
        )

    def _datasets(
        self, arrays: Sequence[str], *, controls: bool
    ) -> "list[tuple[dict[str, Any], xarray.Dataset]]":
        """Return what tells the runs of one setting of an agent apart, and their arrays."""
        groups: dict[tuple[str, str, str, str], dict[int, str]] = {}
        for run in self.runs:
            if controls or not run.control:
                name = (run.experiment, run.control, run.agent, run.setting)
                groups.setdefault(name, {})[run.world] = run.key
        if not groups:
            raise InputError("all of these runs are controls; ask for them with controls=True")
        tables = {
            name: ResultTable(self.store.get_all(keys.values()).values())
            for name, keys in groups.items()
        }
        axes = {name: self._axes_of(name) for name in {run.experiment for run in self.runs}}
        wanted = arrays or _usual(tables, axes)
        found = []
        columns = _differing([json.loads(setting) for *_, setting in groups])
        for (name, table), about in zip(tables.items(), columns, strict=True):
            experiment, control, agent, _ = name
            data = _dataset(table, wanted, axes[experiment], about)
            if data is not None:
                words = {"control": control} if controls else {}
                found.append(({"experiment": experiment, **words, **about, "agent": agent}, data))
        if not found:
            there = {one for table in tables.values() for row in table for one in row.arrays}
            raise InputError(
                f"no run has an array {wanted[0]!r:.60}; there are {', '.join(sorted(there))}"
            )
        return found

    def _axes_of(self, experiment: str) -> Axes:
        """Return the axes of an experiment of hsr, or those that the store has for another one."""
        rows = [row for row in self.store.settings() if row.experiment == experiment]
        if rows and rows[-1].file:
            return Axes({array: tuple(names) for array, names in rows[-1].axes.items()})
        known = catalogue.built_in(experiment)
        return Axes({}) if known is None else known.axes


def _usual(tables: dict[Any, ResultTable], axes: dict[str, Axes]) -> list[str]:
    """Return the first array that an experiment declares, and all others of its axes and shape."""
    example: Record = next(iter(next(iter(tables.values()))))
    of = axes[example.experiment]
    first = next((name for name in of.names if name in example.arrays), min(example.arrays))
    named = {name: (of.of(name, x.ndim), x.shape) for name, x in example.arrays.items()}
    return [first, *(x for x in named if named[x] == named[first] and x != first)]


def _dataset(
    table: ResultTable, arrays: Sequence[str], axes: Axes, about: dict[str, Any]
) -> "xarray.Dataset | None":
    """Return arrays of runs of one setting, with the world as the first dimension.

    What is known `about` the setting needs columns of its own.
    """
    import xarray

    example: Record = next(iter(table))
    # Stored numbers are as small as they can be, and sums of those would overflow.
    found = {
        name: array.astype(_WIDE.get(array.dtype.kind, array.dtype))
        for name in arrays
        if name in example.arrays
        for array in [table.array(name)]
    }
    if not found:
        return None
    names = {name: axes.of(name, array.ndim - 1) for name, array in found.items()}
    if len(set(names.values())) > 1:
        words = "; ".join(f"{name}: {', '.join(own)}" for name, own in names.items())
        raise InputError(f"a table holds arrays with the same axes, and these differ ({words})")
    if len({array.shape for array in found.values()}) > 1:
        words = "; ".join(f"{name}: {array.shape[1:]}" for name, array in found.items())
        raise InputError(f"a table holds arrays of the same shape, and these differ ({words})")
    (first, *_) = found.values()
    columns = [*names[next(iter(names))], *found]
    taken = [*_COLUMNS, *about, *columns]
    twice = next((name for name in columns if taken.count(name) > 1), None)
    if twice is not None:
        raise InputError(
            f"a table of {table.experiment} has two columns named {twice!r:.60}; its axes, arrays "
            f"and settings, and {', '.join(_COLUMNS)} need different names"
        )
    along = axes.coordinates(example.setting, example.arrays)
    coords = {
        axis: np.asarray(along[axis] if axis in along else range(size))[:size]
        for axis, size in zip(names[next(iter(names))], first.shape[1:], strict=True)
    }
    return xarray.Dataset(
        {name: (("world", *names[name]), array) for name, array in found.items()},
        coords={"world": list(table.seeds), **coords},
    )


def _differing(settings: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return those fields of settings that differ between them, by their dotted paths.

    Lists are written as JSON. Of fields that have the same last name and the same values, such as
    ``options.kind`` and ``drawn_for.kind``, the one with the shortest path stands for all.

    >>> _differing([{"rate": 0.1, "n": {"goals": [1]}}, {"rate": 0.1, "n": {"goals": [1, 2]}}])
    [{'n.goals': '[1]'}, {'n.goals': '[1, 2]'}]
    """
    import pandas

    flat = pandas.json_normalize(list(settings)).map(
        lambda value: json.dumps(value) if isinstance(value, list) else value
    )
    kept: dict[str, list[Any]] = {}
    for path in sorted(flat.columns, key=lambda path: (len(path), path)):
        values = flat[path].tolist()
        last = path.rpartition(".")[2]
        same = any(one.rpartition(".")[2] == last and kept[one] == values for one in kept)
        if flat[path].nunique(dropna=False) > 1 and not same:
            kept[path] = values
    paths = [path for path in flat.columns if path in kept]  # pandas makes no rows of no columns
    return [{path: kept[path][k] for path in paths} for k in range(len(settings))]
