"""The commands that run experiments: run and reproduce."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from hsr.cli.arguments import (
    Engine,
    Mix,
    NewStore,
    OfSettings,
    Scheduler,
    StoreOutput,
    Workers,
    output_of,
)
from hsr.cli.changes import changes_of, say_drawing, say_notes
from hsr.cli.console import number_of, say
from hsr.cli.experiments import Report

if TYPE_CHECKING:
    from hsr.paper.engine import Job, Summary
    from hsr.paper.store import Store

Patience = Annotated[
    float | None,
    tyro.conf.arg(
        metavar="SECONDS",
        help="How long a cluster may have no workers before the run gives up. By default 60 "
        "seconds.",
    ),
]
WorkerTimeout = Annotated[
    float | None,
    tyro.conf.arg(
        metavar="SECONDS",
        help="Kill a local worker that shows no sign of life for so long, and try its job once "
        "more. By default 60 seconds.",
    ),
]
RunTimeout = Annotated[
    float | None,
    tyro.conf.arg(
        metavar="SECONDS",
        help="Kill a local worker that finishes no run for so long, and try its job once more. By "
        "default a run may take any time.",
    ),
]
Repair = Annotated[
    bool,
    tyro.conf.arg(
        help="Check every file of the store first, and run damaged ones again. Files that are no "
        "runs are named and left alone."
    ),
]
_DRY_RUN = "Only check the settings, and print how many runs are left to do and are stored."
_ENGINE = ("engine", "workers", "scheduler", "patience", "worker_timeout", "run_timeout")


@dataclass(frozen=True, kw_only=True)
class _Running(OfSettings):
    """The options that say where and how runs are made."""

    store: NewStore = Path("store")
    out: StoreOutput = None
    engine: Engine = "local"
    scheduler: Scheduler = None
    patience: Patience = None
    workers: Workers = None
    worker_timeout: WorkerTimeout = None
    run_timeout: RunTimeout = None
    mix: Mix = False
    repair: Repair = False
    dry_run: Annotated[bool, tyro.conf.arg(help=_DRY_RUN)] = False


@dataclass(frozen=True, kw_only=True)
class Run(_Running):
    """Run an experiment, store the results and draw the figure of what was run.

    Runs that are already stored are not run again. If the command is killed or interrupted, run it
    again to resume. Several such commands on one store share the work. Change settings by name,
    such as --set agent.learning_rate=0.05, or with a TOML file. A maze of your own is a text file:
    --set world.layout=my_maze.txt.
    """

    experiment: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="EXPERIMENT")]
    """Name of an experiment, as `hsr list` prints it."""
    no_figure: bool = False
    """Do not draw the figure."""

    def __call__(self) -> int:
        """Run what is not stored, draw the figure and print a summary."""
        from hsr.paper import catalogue, engine
        from hsr.paper.report import Section
        from hsr.paper.runner import jobs_of, own_verdicts, result_of
        from hsr.paper.store import Store
        from hsr.plots import save_figure
        from hsr.toolkit import needs

        experiment, changes = catalogue.find(self.experiment), changes_of(self)
        setting = catalogue.setting_of(experiment, self.preset, changes)
        jobs = jobs_of(experiment, setting)
        options: dict[str, Any] = {name: getattr(self, name) for name in _ENGINE}
        engine.check_options(**options)
        say_notes(experiment, setting, self, changes)
        if self.dry_run and not self.store.exists():
            return say_count(jobs, self.store)
        for extra in () if self.dry_run else experiment.extras:
            needs(extra, f"hsr run {experiment.name}")
        store = Store(self.store, create=not self.dry_run)
        if self.repair:
            _repair(store)
        if self.dry_run:
            return say_count(jobs, self.store)
        done = engine.run(jobs, store, mix=self.mix, **options)
        code = _say_summary(done, self.store)
        if code or self.no_figure:
            return code
        say_drawing(1, 1, experiment.name)
        result = result_of(experiment, setting, store)
        assert result is not None, "every run of the figure has just been stored"
        drawn = Section(experiment, self.preset, setting, result, changes)
        folder = output_of(self.out, self.store)
        for sentence in own_verdicts(result.evidence):
            say(sentence)
        say(f"wrote: {save_figure(result.figure, folder / f'{drawn.file_name}.png')}")
        return 0


@dataclass(frozen=True, kw_only=True)
class Reproduce(_Running):
    """Run every experiment of the paper, then write the report.

    If the command is killed or interrupted, run it again to resume. Each changed field is changed
    in all experiments that have it.
    """

    def __call__(self) -> int:
        """Run what is not stored, write the report and print its path."""
        from hsr.paper import catalogue, engine
        from hsr.paper.runner import jobs_of
        from hsr.paper.store import Store

        settings = catalogue.settings_of(self.preset, changes_of(self))
        jobs = [job for one, setting, _ in settings for job in jobs_of(one, setting)]
        options: dict[str, Any] = {name: getattr(self, name) for name in _ENGINE}
        engine.check_options(**options)
        if self.dry_run and not self.store.exists():
            return say_count(jobs, self.store)
        store = Store(self.store, create=not self.dry_run)
        if self.repair:
            _repair(store)
        if self.dry_run:
            return say_count(jobs, self.store)
        done = engine.run(jobs, store, mix=self.mix, **options)
        code = _say_summary(done, self.store)
        if done.interrupted:
            return code
        names = ("store", "preset", "set", "config", "worlds", "seeds", "out")
        again = Report(**{name: getattr(self, name) for name in names})
        return max(again(), code)


def count(jobs: "list[Job]", folder: Path) -> tuple[int, int]:
    """Return how many runs are left to do and how many are stored. No store is created."""
    from hsr.paper.engine import estimate
    from hsr.paper.runner import n_runs
    from hsr.paper.store import Store

    if not folder.exists():
        return n_runs(jobs), 0
    return estimate(jobs, Store(folder, create=False))


def say_count(jobs: "list[Job]", folder: Path) -> int:
    """Print how many runs are left to do and how many are stored."""
    to_do, stored = count(jobs, folder)
    say(f"{number_of(to_do, 'run')} to do, {stored:,} stored")
    return 0


def _repair(store: "Store") -> None:
    """Remove damaged runs, so that they are done again, and name files that are no runs."""
    for fault in store.verify():
        if fault.key:
            say(f"damaged and run again: {fault.message}", file=sys.stderr)
            store.discard(fault.key)
        else:
            say(f"left alone: {fault.message}", file=sys.stderr)


def _say_summary(done: "Summary", folder: Path) -> int:
    """Print what the engine did, and return the exit code."""
    finished = f"{number_of(done.done, 'run')} finished, {done.skipped:,} already stored"
    say(f"{finished}, {len(done.failed):,} failed, in {done.seconds:.1f} s: {folder}")
    if done.interrupted:
        say("hsr: interrupted; run the same command again to resume", file=sys.stderr)
        return 130
    return 1 if done.failed else 0
