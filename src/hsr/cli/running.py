"""The commands that run experiments: run and reproduce."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import tyro

from hsr.cli.arguments import (
    Changes,
    NewStore,
    OfSettings,
    Preset,
    Scheduler,
    Seeds,
    Workers,
    Worlds,
    report_of,
)
from hsr.cli.changes import changes_of, say_drawing, say_notes
from hsr.cli.console import number_of, say
from hsr.cli.experiments import Report
from hsr.cli.listing import runs_in_words

if TYPE_CHECKING:
    from hsr._base.declaration import Spec
    from hsr.paper.engine import Summary
    from hsr.paper.experiment import Experiment


@dataclass(frozen=True, kw_only=True)
class Run(OfSettings):
    """Run an experiment, store the results and draw the figure of what was run.

    Runs that are already stored are not run again. If the command is killed or interrupted, run it
    again to resume. Change settings by name, such as --set agent.learning_rate=0.05, or with a TOML
    file. A maze of your own is a text file: --set world.layout=my_maze.txt. An experiment of your
    own is a Python file that defines EXPERIMENT.
    """

    experiment: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="EXPERIMENT|FILE.py")]
    """Name of an experiment, as `hsr list` prints it, or a Python file."""
    no_controls: bool = False
    """Leave out the controls, which ask the same question under other settings."""
    workers: Workers = None
    scheduler: Scheduler = None
    store: NewStore = Path("store")

    def __call__(self) -> int:
        """Run what is not stored, draw the figure and print a summary."""
        from hsr._base.extras import needs
        from hsr.paper import catalogue
        from hsr.paper.holdings import chosen_in
        from hsr.paper.report import Section
        from hsr.paper.runner import own_verdicts, result_of, run_all
        from hsr.paper.store import Store
        from hsr.plots import save_figure

        experiment, changes = catalogue.find(self.experiment), changes_of(self)
        setting = catalogue.setting_of(experiment, self.preset, changes)
        controls = not self.no_controls
        say_notes(experiment, setting, self.preset, changes)
        for extra in experiment.extras:
            needs(extra, f"hsr run {experiment.name}")
        _say_plan([(experiment, setting)], controls=controls)
        store = Store(self.store)
        done, (number,) = run_all(
            [(experiment, setting)],
            store,
            self.preset,
            controls=controls,
            workers=self.workers,
            scheduler=self.scheduler,
        )
        code = say_summary(done, self.store)
        if code:
            return code
        say_drawing(1, 1, experiment.name)
        (holding,) = chosen_in(store, [number]).shown
        result = result_of(experiment, holding.variants, store)
        assert result is not None, "every run of the figure has just been stored"
        for sentence in own_verdicts(experiment, result.evidence):
            say(sentence)
        path = report_of(self.store) / f"{Section(holding, result).file_name}.png"
        say(f"wrote: {save_figure(result.figure, path)}")
        return 0


@dataclass(frozen=True, kw_only=True)
class Reproduce:
    """Run every experiment of the paper, then write the report.

    If the command is killed or interrupted, run it again to resume. Each changed field is changed
    in all experiments that have it.
    """

    preset: Preset = "smoke"
    set: Changes = ()
    worlds: Worlds = None
    seeds: Seeds = None
    workers: Workers = None
    scheduler: Scheduler = None
    store: NewStore = Path("store")

    def __call__(self) -> int:
        """Run what is not stored, write the report and print its path."""
        from hsr.paper import catalogue
        from hsr.paper.runner import run_all
        from hsr.paper.store import Store

        names = ("preset", "set", "worlds", "seeds")
        changes = changes_of(OfSettings(**{name: getattr(self, name) for name in names}))
        settings = [
            (one, setting) for one, setting, _ in catalogue.settings_of(self.preset, changes)
        ]
        _say_plan(settings, controls=True)
        store = Store(self.store)
        done, numbers = run_all(
            settings, store, self.preset, workers=self.workers, scheduler=self.scheduler
        )
        code = say_summary(done, self.store)
        if done.interrupted:
            return code
        return max(Report(store=self.store, setting=() if done.failed else tuple(numbers))(), code)


def _say_plan(settings: "list[tuple[Experiment, Spec]]", *, controls: bool) -> None:
    """Print how many runs are asked for, before anything is run."""
    from hsr.paper.runner import counted_runs

    counts = [counted_runs(*one, controls=controls) for one in settings]
    said = runs_in_words(sum(n for n, _ in counts), sum(n for _, n in counts))
    say(said, file=sys.stderr)


def say_summary(done: "Summary", folder: Path, file: TextIO | None = None) -> int:
    """Print what the engine did, and return the exit code."""
    n_failed = sum(len(one.seeds) for one in done.failed)
    finished = f"{number_of(done.done, 'run')} finished, {done.skipped:,} already stored"
    say(f"{finished}, {n_failed:,} failed, in {done.seconds:.1f} s: {folder}", file=file)
    if done.interrupted:
        say("hsr: interrupted; run the same command again to resume", file=sys.stderr)
        return 130
    return 1 if done.failed else 0
