"""The commands around a store of results: list experiments, run one or all of them, report, and
pack a store into one file.
"""

import json
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from hsr.cli.console import duration, number_of, say, size_of

if TYPE_CHECKING:
    from hsr.paper.costs import Cost
    from hsr.paper.engine import Job, Summary


@dataclass(frozen=True)
class List:
    """List the experiments: their figures, what they ask, and of each preset the runs, the time and
    the size.
    """

    json: bool = False
    """Print the list as JSON, for scripts; seconds are those of one core."""

    def __call__(self) -> int:
        """Print a line per experiment, and one for each of its presets."""
        from hsr.paper import catalogue, costs

        rows: list[dict[str, Any]] = []
        for experiment in map(catalogue.find, catalogue.names()):
            presets = {}
            for preset, setting in experiment.presets.items():
                runs = sum(map(len, costs.seeds_of(experiment, setting).values()))
                presets[preset] = {
                    "runs": runs,
                    **costs.of_runs(runs, costs.cost_of(experiment.name, preset)),
                }
            rows.append(
                {
                    "name": experiment.name,
                    "figure": experiment.figure,
                    "title": experiment.title,
                    "presets": presets,
                }
            )
        for line in (
            [json.dumps(rows)] if self.json else [line for row in rows for line in _lines_of(row)]
        ):
            say(line)
        return 0


@dataclass(frozen=True)
class Run:
    """Run an experiment into a store of results; what is there already is not run again.

    A killed or interrupted call goes on where it stopped when it is given again. Settings are
    changed by name, such as --set agent.learning_rate=0.05, or by a TOML file.
    """

    experiment: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="EXPERIMENT")]
    """One of `hsr list`."""
    preset: str = "smoke"
    """smoke: small, to see that all works; paper: the paper's own numbers."""
    set: Annotated[tuple[str, ...], tyro.conf.arg(metavar="[KEY=VALUE ...]")] = ()
    """Fields to change, such as agent.learning_rate=0.05."""
    config: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """A TOML file with fields to change; --set goes over it."""
    seeds: Annotated[int | None, tyro.conf.arg(metavar="N")] = None
    """Number of seeds, counted from 0."""
    store: Annotated[Path, tyro.conf.arg(metavar="DIR")] = Path("store")
    """Folder of the results; it is made if it does not exist."""
    engine: str = "local"
    """local: processes on this machine; dask: a cluster that is running; or the name of a plugin."""
    scheduler: str | None = None
    """Address of the cluster's scheduler, for --engine dask."""
    patience: Annotated[float | None, tyro.conf.arg(metavar="SECONDS")] = None
    """How long a cluster may be without workers before the run gives up; by default 60 seconds."""
    workers: int | None = None
    """Processes; by default one per core."""
    repair: bool = False
    """Check every file of the store first, and run again what is damaged."""
    dry_run: bool = False
    """Only say how many runs there are to do, how long they will take and how many bytes they will fill."""

    def __call__(self) -> int:
        """Run what is missing and say what came of it."""
        from hsr.paper import catalogue, costs, engine
        from hsr.paper import runner as conduct
        from hsr.paper.setting import read_change, read_file
        from hsr.paper.store import Store

        experiment = catalogue.find(self.experiment)
        changes = {
            **(read_file(self.config) if self.config else {}),
            **dict(map(read_change, self.set)),
        }
        if self.seeds is not None:
            changes["seeds"] = self.seeds
        jobs = conduct.jobs_of(experiment, experiment.setting(self.preset, changes))
        options: dict[str, Any] = {
            "engine": self.engine,
            "workers": self.workers,
            "scheduler": self.scheduler,
            "patience": self.patience,
        }
        engine.check_options(**options)
        if self.dry_run and not self.store.exists():
            with tempfile.TemporaryDirectory() as empty:
                return _say_cost(jobs, Path(empty), costs.cost_of(experiment.name, self.preset))
        store = Store(self.store)
        for fault in store.verify() if self.repair else ():
            say(f"damaged, will be run again: {fault.message}", file=sys.stderr)
            store.discard(fault.key)
        if self.dry_run:
            return _say_cost(jobs, self.store, costs.cost_of(experiment.name, self.preset))
        return _say_summary(engine.run(jobs, store, **options), self.store)


@dataclass(frozen=True)
class Reproduce:
    """Run every experiment of the paper, then write the report; goes on where it was stopped."""

    preset: str = "smoke"
    """smoke: small, to see that all works; paper: the paper's own numbers."""
    store: Annotated[Path, tyro.conf.arg(metavar="DIR")] = Path("store")
    """Folder of the results; it is made if it does not exist."""
    workers: int | None = None
    """Processes; by default one per core."""

    def __call__(self) -> int:
        """Run what is missing, write the report and say where it is."""
        from hsr.paper import catalogue, engine
        from hsr.paper import runner as conduct
        from hsr.paper.store import Store

        experiments = [catalogue.find(name) for name in catalogue.names()]
        jobs = [
            job for one in experiments for job in conduct.jobs_of(one, one.setting(self.preset, {}))
        ]
        engine.check_options(workers=self.workers)
        done = engine.run(jobs, Store(self.store), workers=self.workers)
        code = _say_summary(done, self.store)
        return (
            code if done.interrupted else max(Report(store=self.store, preset=self.preset)(), code)
        )


@dataclass(frozen=True)
class Compact:
    """Write a whole store as one Parquet file, with a manifest of versions, machine and time beside
    it.
    """

    store: Annotated[Path, tyro.conf.arg(metavar="DIR")] = Path("store")
    """Folder of the results."""
    out: Annotated[Path, tyro.conf.arg(metavar="FILE")] = Path("out/results.parquet")
    """The file to write."""

    def __call__(self) -> int:
        """Write the file and say where it is."""
        from hsr.paper.store import Store, compact

        self.out.parent.mkdir(parents=True, exist_ok=True)
        say(f"look at: {self.out} and {compact(Store(self.store, create=False), self.out)}")
        return 0


@dataclass(frozen=True)
class Report:
    """Write the report of a store, one HTML file with the ledger and every figure, and the figures
    beside it.
    """

    store: Annotated[Path, tyro.conf.arg(metavar="DIR")] = Path("store")
    """Folder of the results."""
    preset: str = "smoke"
    """Which preset's runs are reported."""
    out: Annotated[Path, tyro.conf.arg(metavar="DIR")] = Path("out")
    """Folder for the report and the figures; it is made if it does not exist."""
    open: bool = False
    """Open the report in the browser."""

    def __call__(self) -> int:
        """Write the report and say where it is."""
        from hsr.paper import report
        from hsr.paper.store import Store

        path = report.write_report(Store(self.store, create=False), self.preset, self.out)
        say(f"look at: {path}")
        if self.open:
            import webbrowser

            webbrowser.open(path.resolve().as_uri())
        return 0


def _say_cost(jobs: "list[Job]", folder: Path, usual: "Cost | None") -> int:
    from hsr.paper import runner as conduct
    from hsr.paper.store import Store

    cost = conduct.expected_cost(jobs, Store(folder), usual)
    say(f"{number_of(cost['runs'], 'run')} to do, {cost['there']} there; {_cost_in_words(cost)}")
    return 0


def _say_summary(done: "Summary", folder: Path) -> int:
    """Say what a call of the engine came to, and return the exit code."""
    counts = f"{number_of(done.done, 'run')} done, {done.skipped} were there, {len(done.failed)} jobs failed"
    say(f"{counts}, in {done.seconds:.1f} s: {folder}")
    if done.interrupted:
        say("hsr: interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    return 1 if done.failed else 0


def _lines_of(row: Mapping[str, Any]) -> list[str]:
    """Return an experiment of the list as lines: what it is, and its presets below."""
    lines = [f"{row['name']:<20} Figure {row['figure']:<8} {row['title']}"]
    for preset, cost in row["presets"].items():
        lines.append(
            f"    {preset:<8} {number_of(cost['runs'], 'run'):>12}, {_cost_in_words(cost)}"
        )
    return lines


def _cost_in_words(cost: Mapping[str, Any]) -> str:
    if cost["seconds"] is None:
        return "time and size not measured"
    return f"about {duration(cost['seconds'])} of one core and {size_of(cost['bytes'])}"
