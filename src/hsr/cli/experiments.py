"""The commands around a store of results: list experiments, run one or all of them, report, and
pack a store into one file.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from hsr.cli.console import number_of, say

if TYPE_CHECKING:
    from hsr.paper.engine import Job, Summary


@dataclass(frozen=True)
class List:
    """List the experiments with their figures, and how many runs each preset has."""

    store: Annotated[Path, tyro.conf.arg(metavar="DIR")] = Path("store")
    """Folder of the results, in which stored runs are counted."""
    json: bool = False
    """Print the list as JSON, for scripts."""

    def __call__(self) -> int:
        """Print a line per experiment, and one for each of its presets."""
        from hsr.paper import catalogue
        from hsr.paper.runner import jobs_of

        rows: list[dict[str, Any]] = []
        for experiment in map(catalogue.find, catalogue.names()):
            presets = {}
            for preset, setting in experiment.presets.items():
                to_do, stored = _count(jobs_of(experiment, setting), self.store)
                presets[preset] = {"runs": to_do + stored, "stored": stored}
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
    """Only say how many runs there are to do, and how many are stored."""

    def __call__(self) -> int:
        """Run what is missing and say what came of it."""
        from hsr.paper import catalogue, engine
        from hsr.paper.runner import jobs_of
        from hsr.paper.setting import read_change, read_file
        from hsr.paper.store import Store

        experiment = catalogue.find(self.experiment)
        changes = {
            **(read_file(self.config) if self.config else {}),
            **dict(map(read_change, self.set)),
        }
        if self.seeds is not None:
            changes["seeds"] = self.seeds
        jobs = jobs_of(experiment, experiment.setting(self.preset, changes))
        options: dict[str, Any] = {
            "engine": self.engine,
            "workers": self.workers,
            "scheduler": self.scheduler,
            "patience": self.patience,
        }
        engine.check_options(**options)
        if self.dry_run and not self.store.exists():
            return _say_count(jobs, self.store)
        store = Store(self.store)
        for fault in store.verify() if self.repair else ():
            say(f"damaged, will be run again: {fault.message}", file=sys.stderr)
            store.discard(fault.key)
        if self.dry_run:
            return _say_count(jobs, self.store)
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
        from hsr.paper.runner import jobs_of
        from hsr.paper.store import Store

        experiments = [catalogue.find(name) for name in catalogue.names()]
        jobs = [job for one in experiments for job in jobs_of(one, one.setting(self.preset, {}))]
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


def _count(jobs: "list[Job]", folder: Path) -> tuple[int, int]:
    """Return how many runs there are to do, and how many are stored; no store is made."""
    from hsr.paper.engine import estimate
    from hsr.paper.runner import n_runs
    from hsr.paper.store import Store

    if not folder.exists():
        return n_runs(jobs), 0
    return estimate(jobs, Store(folder, create=False))


def _say_count(jobs: "list[Job]", folder: Path) -> int:
    to_do, stored = _count(jobs, folder)
    say(f"{number_of(to_do, 'run')} to do, {stored:,} stored")
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
    for preset, count in row["presets"].items():
        runs = number_of(count["runs"], "run")
        lines.append(f"    {preset:<8} {runs:>12}, {count['stored']:,} stored")
    return lines
