"""The commands that run experiments: run, reproduce and sweep."""

import csv
import io
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import tyro

from hsr import InputError
from hsr._base.durable import write_text
from hsr.cli.arguments import (
    NO_DEFAULT,
    Changes,
    Flag,
    NewStore,
    OfSettings,
    Preset,
    Scheduler,
    Seeds,
    Workers,
    Worlds,
    changes_of,
    joined,
    report_of,
    say_drawing,
    say_notes,
)
from hsr.cli.console import number_of, say
from hsr.cli.experiments import Report, say_statements
from hsr.cli.listing import runs_in_words, time_in_words

if TYPE_CHECKING:
    from hsr._base.declaration import Spec
    from hsr.experiments.engine import Summary
    from hsr.experiments.experiment import Experiment
    from hsr.experiments.sweep import Row


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
    reading: Annotated[
        str,
        tyro.conf.arg(
            metavar="NAME",
            help="A reading of the paper by its name, as `hsr list EXPERIMENT` prints it. By "
            "default the reference reading.",
            help_behavior_hint=NO_DEFAULT,
        ),
    ] = ""
    no_controls: Flag = False
    """Leave out the variants, which ask the same question in other readings, mazes and tunings."""
    workers: Workers = None
    scheduler: Scheduler = None
    store: NewStore = Path("store")

    def __call__(self) -> int:
        """Run what is not stored, draw the figure and print a summary."""
        from hsr._base.extras import needs
        from hsr.experiments import catalogue
        from hsr.experiments.changes import as_file_name, preset_in_words
        from hsr.experiments.runner import changes_in, result_of, run_all, variants_of
        from hsr.experiments.store import Store
        from hsr.plots import save_figure

        experiment, changes = catalogue.find(self.experiment), changes_of(self)
        preset = self.preset or experiment.usual_preset
        if self.reading:
            changes = {**experiment.reading(self.reading), **changes}
        setting = catalogue.setting_of(experiment, preset, changes)
        controls = not (self.no_controls or self.reading)
        say_notes(experiment, setting, preset, changes)
        for extra in experiment.extras:
            needs(extra, f"hsr run {experiment.name}")
        asked = [(experiment, setting)]
        _say_plan(asked, preset, self.workers, controls=controls)
        store = Store(self.store)
        done, (number,) = run_all(
            asked,
            store,
            preset,
            controls=controls,
            workers=self.workers,
            scheduler=self.scheduler,
        )
        code = say_summary(done, self.store)
        if code:
            return code
        say_drawing(1, 1, experiment.name)
        variants = variants_of(experiment, setting, controls=controls)
        result = result_of(experiment, variants, store)
        assert result is not None, "every run of the figure has just been stored"
        store.keep_ledger(number, result.rows)
        named = as_file_name(
            [experiment.name, *preset_in_words(preset, experiment.source)],
            changes_in(experiment, preset, setting),
        )
        path = report_of(self.store) / f"{named}.png"
        say(f"wrote: {save_figure(result.figure, path)}")
        if result.statistics is not None:
            path = path.with_name(f"{path.stem}_statistics.png")
            say(f"wrote: {save_figure(result.statistics, path)}")
        say_statements(result.rows, short=True)
        own = f" --file {self.experiment}" if experiment.source else ""
        say(f"next: hsr ledger --store {self.store}, for all numbers, or")
        say(f"      hsr report --store {self.store}{own} --open")
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
        from hsr.experiments import catalogue
        from hsr.experiments.runner import run_all
        from hsr.experiments.store import Store

        names = ("preset", "set", "worlds", "seeds")
        changes = changes_of(OfSettings(**{name: getattr(self, name) for name in names}))
        settings = catalogue.settings_of(self.preset, changes)
        _say_plan(settings, self.preset, self.workers, controls=True)
        store = Store(self.store)
        done, numbers = run_all(
            settings, store, self.preset, workers=self.workers, scheduler=self.scheduler
        )
        code = say_summary(done, self.store)
        if done.interrupted:
            return code
        return max(Report(store=self.store, setting=() if done.failed else tuple(numbers))(), code)


def _say_plan(
    settings: "list[tuple[Experiment, Spec]]",
    preset: str,
    workers: int | None,
    *,
    controls: bool,
) -> None:
    """Print how many runs are asked for, and how long they take if that was measured before."""
    from hsr.experiments.durations import expected
    from hsr.experiments.runner import changes_in, counted_runs

    counts = [counted_runs(*one, controls=controls) for one in settings]
    said = runs_in_words(sum(n for n, _ in counts), sum(n for _, n in counts))
    seconds = [
        expected(experiment, preset, changes_in(experiment, preset, setting), sum(n), workers)
        for (experiment, setting), n in zip(settings, counts, strict=True)
    ]
    known = [one for one in seconds if one is not None]
    if len(known) == len(seconds):
        said += f", {time_in_words(sum(known))} if none is stored"
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


@dataclass(frozen=True, kw_only=True)
class Sweep(OfSettings):
    """Run an experiment at several values, and compare its agents at each of them.

    Agents are compared with the first one over the worlds that they share. The table is printed and
    written as CSV with a figure. Stored runs are not repeated. Example:
    `hsr sweep online_transfer --over agent.learning_rate=0.02,0.1,0.5 --agents SR,HSR`.
    """

    experiment: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="EXPERIMENT|FILE.py")]
    """Name of an experiment, as `hsr list` prints it, or a Python file."""
    over: Annotated[
        tuple[tuple[str, ...], ...],
        tyro.conf.UseAppendAction,
        tyro.conf.arg(metavar="KEY=V1,V2 [KEY=V1,V2 ...]"),
    ]
    """Fields and their values. Several fields are crossed."""
    agents: Annotated[
        str,
        tyro.conf.arg(
            metavar="A,B",
            help="Which agents to run, the reference first. The beginning of a name is enough. By "
            "default all.",
            help_behavior_hint=NO_DEFAULT,
        ),
    ] = ""
    measure: Annotated[
        str,
        tyro.conf.arg(
            metavar="A,B",
            help="Which arrays of the runs to compare by their means, such as change, the change "
            "of a learned map between two goals. By default the measures of the experiment.",
            help_behavior_hint=NO_DEFAULT,
        ),
    ] = ""
    workers: Workers = None
    scheduler: Scheduler = None
    store: NewStore = Path("store")
    json: Flag = False
    """Print the table as JSON, for scripts, and write no files."""

    def __call__(self) -> int:
        """Run what is not stored, print the table, and write it with its figure."""
        from hsr.experiments import catalogue, sweep
        from hsr.experiments.changes import as_file_name, preset_in_words
        from hsr.experiments.runner import look_in, register, run_all
        from hsr.experiments.store import Store
        from hsr.experiments.sweep_figure import draw_sweep
        from hsr.plots import save_figure

        experiment, changes = catalogue.find(self.experiment), changes_of(self)
        over = dict(map(sweep.read_over, joined(self.over)))
        if not over:
            raise InputError("--over is missing; give values, such as agent.epsilon=0.1,0.2")
        preset = self.preset or experiment.usual_preset
        points = sweep.points_of(experiment, preset, changes, over)
        wanted, measures = (
            [name.strip() for name in names.split(",") if name.strip()]
            for names in (self.agents, self.measure)
        )
        agents = sweep.chosen_agents(experiment, points[0], wanted)
        sweep.check_measures(experiment, measures)
        some = sweep.with_agents(experiment, agents)
        settings = [(some, point.setting) for point in points]
        _say_plan(settings, preset, self.workers, controls=False)
        store = Store(self.store)
        done, _ = run_all(
            settings,
            store,
            preset,
            controls=False,
            workers=self.workers,
            scheduler=self.scheduler,
        )
        for point in points:  # with all agents, so that earlier runs of others keep their names
            look = look_in(store, experiment)
            register(store, experiment, point.setting, preset, controls=False, look=look)
        code = say_summary(done, self.store, file=sys.stderr)
        if code:
            return code
        rows = sweep.rows_of(experiment, points, agents, store, measures)
        if self.json:
            say(json.dumps(rows))
            return 0
        for line in _lines(rows, list(over), agents):
            say(line)
        values = {key: "+".join(map(str, some)) for key, some in over.items()}
        of = [experiment.name, *preset_in_words(preset, experiment.source)]
        name = as_file_name(["sweep", *of, *measures], {**changes, **values})
        path = report_of(self.store) / f"{name}.png"
        say(f"wrote: {save_figure(draw_sweep(rows, list(over)), path)}")
        say(f"wrote: {_written(rows, path.with_name(f'{name}.csv'))}")
        return 0


def _lines(rows: "Sequence[Row]", keys: Sequence[str], agents: Sequence[str]) -> list[str]:
    """Return the table as lines of text, with what is needed to read it."""
    where = ["where"] if any(row["where"] for row in rows) else []
    lines = []
    for measure in dict.fromkeys(row["measure"] for row in rows):
        own = [row for row in rows if row["measure"] == measure]
        reference = next((row["against"] for row in own if "against" in row), "")
        head = [*keys, *where, "agent", "mean [95 %]"]
        head += [f"minus {reference} [95 %]", "d_z", "p"] if reference else []
        cells = [
            [
                *(str(row[key]) for key in (*keys, *where, "agent")),
                _with_interval(row["mean"], row["interval"]),
                *(_compared(row) if reference else ()),
            ]
            for row in own
        ]
        lines += ["", f"{measure}:", *_aligned([head, *cells])]
        lacking = [agent for agent in agents if agent not in {row["agent"] for row in own}]
        if lacking:
            lines.append(f"No runs in several worlds with {measure}: {', '.join(lacking)}.")
    n = max(row["worlds"] for row in rows)
    lines += [
        "",
        f"{n} worlds x {number_of(rows[0]['seeds'], 'seed')}. Intervals are over worlds. "
        "Differences are paired over worlds; p is Student's t, corrected by Holm over all tables.",
    ]
    if 2.0 ** (1 - n) >= 0.05:
        lines.append(f"No test of {n} worlds can be significant. Use more (--worlds).")
    return lines[1:]


def _aligned(table: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]


def _compared(row: "Row") -> tuple[str, str, str]:
    if "p" not in row:
        return "", "", ""
    difference = _with_interval(row["difference"], row["difference_interval"])
    return difference, f"{row['effect']:.2f}", f"{row['p_corrected']:.2g}"


def _with_interval(value: float, ends: Sequence[float]) -> str:
    return f"{value:.3g} [{ends[0]:.3g}, {ends[1]:.3g}]"


def _written(rows: "Sequence[Row]", path: Path) -> Path:
    """Write a table as CSV; the ends of an interval are two columns."""
    flat: list[dict[str, Any]] = []
    for row in rows:
        flat.append({})
        for name, value in row.items():
            both = name.endswith("interval")
            flat[-1] |= (
                {f"{name}_low": value[0], f"{name}_high": value[1]} if both else {name: value}
            )
    path.parent.mkdir(parents=True, exist_ok=True)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(dict.fromkeys(name for one in flat for name in one)))
    writer.writeheader()
    writer.writerows(flat)
    write_text(path, text.getvalue())
    return path
