"""The commands around a store of results: list, run, reproduce, ledger and report."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from hsr import InputError
from hsr.cli.arguments import (
    Engine,
    NewStore,
    OldStore,
    Output,
    Preset,
    ReadingName,
    Scheduler,
    Seeds,
    Workers,
    Worlds,
)
from hsr.cli.console import number_of, say

if TYPE_CHECKING:
    from hsr.paper.engine import Job, Summary

_SAMPLE = ("worlds", "seeds")


@dataclass(frozen=True)
class List:
    """List the experiments with their figures, and how many runs and worlds each preset has.

    A run is one agent in one world, with all its seeds.
    """

    store: OldStore = Path("store")
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
                sample = {name: getattr(setting, name, None) for name in _SAMPLE}
                presets[preset] = {"runs": to_do + stored, "stored": stored, **sample}
            about = {name: getattr(experiment, name) for name in ("name", "figure", "title")}
            rows.append({**about, "presets": presets})
        if self.json:
            say(json.dumps(rows))
            return 0
        for row in rows:
            say(f"{row['name']:<20} Figure {row['figure']:<8} {row['title']}")
            for preset, count in row["presets"].items():
                runs = number_of(count["runs"], "run")
                of = " x ".join(
                    number_of(count[name], name[:-1]) for name in _SAMPLE if count[name]
                )
                say(f"    {preset:<8} {runs:>12}, {count['stored']:,} stored  {of}".rstrip())
        return 0


@dataclass(frozen=True)
class Run:
    """Run an experiment and store the results. Runs that are already stored are not run again.

    If the command is killed or interrupted, run it again to resume. Change settings by name, such
    as --set agent.learning_rate=0.05, or with a TOML file.
    """

    experiment: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="EXPERIMENT")]
    """Name of an experiment, as `hsr list` prints it."""
    preset: Preset = "smoke"
    set: Annotated[tuple[str, ...], tyro.conf.arg(metavar="[KEY=VALUE ...]")] = ()
    """Fields to change, such as agent.learning_rate=0.05."""
    config: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """A TOML file with fields to change. --set takes precedence."""
    worlds: Worlds = None
    seeds: Seeds = None
    reading: ReadingName = "default"
    store: NewStore = Path("store")
    engine: Engine = "local"
    scheduler: Scheduler = None
    patience: Annotated[float | None, tyro.conf.arg(metavar="SECONDS")] = None
    """How long a cluster may have no workers before the run gives up. By default 60 seconds."""
    workers: Workers = None
    repair: bool = False
    """Check every file of the store first, and run damaged ones again."""
    dry_run: bool = False
    """Only print how many runs are left to do, and how many are stored."""

    def __call__(self) -> int:
        """Run what is not stored and print a summary."""
        from hsr.paper import catalogue, engine
        from hsr.paper.runner import jobs_of
        from hsr.paper.setting import read_change, read_file
        from hsr.paper.store import Store

        experiment = catalogue.find(self.experiment)
        changes = {
            **(read_file(self.config) if self.config else {}),
            **dict(map(read_change, self.set)),
            **_sample(self),
        }
        setting = catalogue.setting_of(experiment, self.preset, changes, self.reading)
        jobs = jobs_of(experiment, setting)
        names = ("engine", "workers", "scheduler", "patience")
        options: dict[str, Any] = {name: getattr(self, name) for name in names}
        engine.check_options(**options)
        if self.dry_run and not self.store.exists():
            return _say_count(jobs, self.store)
        store = Store(self.store)
        for fault in store.verify() if self.repair else ():
            say(f"damaged and run again: {fault.message}", file=sys.stderr)
            store.discard(fault.key)
        if self.dry_run:
            return _say_count(jobs, self.store)
        return _say_summary(engine.run(jobs, store, **options), self.store)


@dataclass(frozen=True)
class Reproduce:
    """Run every experiment of the paper, then write the report.

    If the command is killed or interrupted, run it again to resume.
    """

    preset: Preset = "smoke"
    worlds: Worlds = None
    seeds: Seeds = None
    reading: ReadingName = "default"
    store: NewStore = Path("store")
    workers: Workers = None

    def __call__(self) -> int:
        """Run what is not stored, write the report and print its path."""
        from hsr.paper import catalogue, engine
        from hsr.paper.runner import jobs_of
        from hsr.paper.store import Store

        settings = catalogue.settings_of(self.preset, _sample(self), self.reading)
        jobs = [job for one, setting, _ in settings for job in jobs_of(one, setting)]
        engine.check_options(workers=self.workers)
        done = engine.run(jobs, Store(self.store), workers=self.workers)
        code = _say_summary(done, self.store)
        if done.interrupted:
            return code
        names = ("store", "preset", "worlds", "seeds", "reading")
        again = Report(**{name: getattr(self, name) for name in names})
        return max(again(), code)


@dataclass(frozen=True)
class Ledger:
    """Print what the runs of a store say about every claim: the verdict and its numbers.

    A verdict is over worlds. Too few worlds decide nothing.
    """

    preset: Preset = "smoke"
    worlds: Worlds = None
    seeds: Seeds = None
    reading: ReadingName = "default"
    store: OldStore = Path("store")
    json: bool = False
    """Print every number of every comparison as JSON, for scripts."""

    def __call__(self) -> int:
        """Print a line per claim."""
        from hsr.paper.ledger_file import NO_EVIDENCE, as_json
        from hsr.paper.runner import ledger_of
        from hsr.paper.store import Store
        from hsr.paper.summary import Summary, at_rates, numbers_of

        rows = ledger_of(Store(self.store, create=False), self.preset, _sample(self), self.reading)
        if all(row["verdict"] == NO_EVIDENCE for row in rows):
            raise InputError(
                f"{self.store} has all runs of no experiment at preset {self.preset!r}; "
                "run `hsr reproduce` or `hsr run` first"
            )
        if self.json:
            for line in as_json(rows).splitlines():
                say(line)
            return 0
        if Summary(rows).banner:
            say(Summary(rows).banner)
        names = max(len(row["claim"]) for row in rows)
        for row in rows:
            words = "; ".join(filter(None, (numbers_of(row), at_rates(row))))
            say(f"{row['verdict']:<15} {row['claim']:<{names}}  {words}".rstrip())
        return 0


@dataclass(frozen=True)
class Report:
    """Write the report of a store: one HTML file with the ledger and every figure.

    The figures are also written as files of their own.
    """

    store: OldStore = Path("store")
    preset: Preset = "smoke"
    worlds: Worlds = None
    seeds: Seeds = None
    reading: ReadingName = "default"
    out: Output = Path("out")
    open: bool = False
    """Open the report in the browser."""

    def __call__(self) -> int:
        """Write the report and print its path."""
        from hsr.paper import report
        from hsr.paper.store import Store

        store = Store(self.store, create=False)
        path = report.write_report(store, self.preset, self.out, _sample(self), self.reading)
        say(f"wrote: {path}")
        if self.open:
            import webbrowser

            webbrowser.open(path.resolve().as_uri())
        return 0


def _sample(command: Run | Reproduce | Ledger | Report) -> dict[str, int]:
    """Return the numbers of worlds and seeds that a command line gives."""
    given = {name: getattr(command, name) for name in _SAMPLE}
    return {name: number for name, number in given.items() if number is not None}


def _count(jobs: "list[Job]", folder: Path) -> tuple[int, int]:
    """Return how many runs are left to do and how many are stored. No store is created."""
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
    """Print what the engine did, and return the exit code."""
    finished = f"{number_of(done.done, 'run')} finished, {done.skipped:,} already stored"
    say(f"{finished}, {len(done.failed):,} failed, in {done.seconds:.1f} s: {folder}")
    if done.interrupted:
        say("hsr: interrupted; run the same command again to resume", file=sys.stderr)
        return 130
    return 1 if done.failed else 0
