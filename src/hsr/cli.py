"""The command `hsr`: parse, call, print.

Each command is a small record of its options; its docstrings are the help text, and calling it does the work and
returns the exit code. Nothing heavy is imported before a command needs it, so that `hsr --help` answers at once.

Exit codes: 0 done, 1 a run failed or a target was missed, 2 wrong usage or input, 130 interrupted.
"""

import io
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import tyro

from hsr._base.errors import HSRError, InputError
from hsr._base.printable import printable
from hsr._base.version import __version__

if TYPE_CHECKING:
    from hsr.mdp import GridLayout

_DESCRIPTION = """Hierarchical predictive maps for reinforcement learning.

Start with `hsr demo`; `hsr COMMAND --help` explains a command, `hsr --version` prints the version."""


@dataclass(frozen=True)
class Maze:
    """Draw a map in the terminal and report its size, rooms, bottlenecks and distances."""

    layout: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="NAME_OR_FILE")]
    """A built-in map, such as four_rooms, or a text file: '#' wall, '.' open, 'S' start, '1' to '9' goals."""
    json: bool = False
    """Print the report as JSON, for scripts."""

    def __call__(self) -> int:
        """Print the map and its report."""
        layout = _find_layout(self.layout)
        report = _describe(layout)
        for line in [json.dumps(report)] if self.json else [*layout.to_text().splitlines(), "", *_in_words(report)]:
            _say(line)
        return 0


@dataclass(frozen=True)
class Demo:
    """Compute the predictive maps of a small maze and draw them as figures, in a few seconds."""

    out: Annotated[Path, tyro.conf.arg(metavar="DIR")] = Path("out")
    """Folder for the figures; it is made if it does not exist."""

    def __call__(self) -> int:
        """Draw the figures and say where they are."""
        from hsr.experiments.predictive_maps.figure import draw_demo

        for path in draw_demo(self.out):
            _say(f"look at: {path}")
        return 0


@dataclass(frozen=True)
class Bench:
    """Time hsr against other ways to compute the same thing and print how many times faster it is.

    Needs a clone of the source repository. Exits with 1 if any ratio is below its target.
    """

    names: Annotated[tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="[NAMES ...]")] = ()
    """Benchmarks to run, by file name without '.py'; all of them if none is given."""
    json: bool = False
    """Print the measurements as JSON, for scripts."""
    quick: bool = False
    """Use small problems: shows that everything runs, says little about speed."""

    def __call__(self) -> int:
        """Run the benchmarks one after another and print their ratios."""
        rows = []
        chosen = _find_benchmarks(self.names)
        for number, (name, run) in enumerate(chosen.items(), start=1):
            _say(f"[{number}/{len(chosen)}] {name}", file=sys.stderr)
            rows += [{**row, "met": _is_met(row)} for row in run(quick=self.quick)]
        if self.json:
            _say(json.dumps(rows, default=float))
        else:
            _print_ratios(rows)
        return 0 if all(row["met"] for row in rows) else 1


@dataclass(frozen=True)
class List:
    """List the experiments: their figures, what they ask, and how many runs each preset has."""

    json: bool = False
    """Print the list as JSON, for scripts."""

    def __call__(self) -> int:
        """Print one line per experiment."""
        from hsr.experiments import catalogue

        rows: list[dict[str, Any]] = []
        for name in catalogue.names():
            one = catalogue.find(name)
            runs = {preset: sum(len(seeds) for *_, seeds in one.runs(setting)) for preset, setting in one.presets.items()}
            rows.append({"name": name, "figure": one.figure, "title": one.title, "runs": runs})
        for line in [json.dumps(rows)] if self.json else map(_line_of, rows):
            _say(line)
        return 0


@dataclass(frozen=True)
class Run:
    """Run an experiment into a store of results; what is there already is not run again.

    A killed or interrupted call goes on where it stopped when it is given again. Settings are changed by name, such as
    --set agent.learning_rate=0.05, or by a TOML file.
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
    """local: processes on this machine; dask: a cluster that is running."""
    scheduler: str | None = None
    """Address of the cluster's scheduler, for --engine dask."""
    workers: int | None = None
    """Processes; by default one per core."""
    repair: bool = False
    """Check every file of the store first, and run again what is damaged."""
    dry_run: bool = False
    """Only say how many runs there are to do, how long they will take and how many bytes they will fill."""

    def __call__(self) -> int:
        """Run what is missing and say what came of it."""
        from hsr import engine
        from hsr.experiments import catalogue, conduct
        from hsr.experiments.setting import read_change, read_file
        from hsr.results import Store

        experiment = catalogue.find(self.experiment)
        changes = {**(read_file(self.config) if self.config else {}), **dict(map(read_change, self.set))}
        if self.seeds is not None:
            changes["seeds"] = self.seeds
        jobs = conduct.jobs_of(experiment, experiment.setting(self.preset, changes))
        store = Store(self.store)
        for fault in store.verify() if self.repair else ():
            _say(f"damaged, will be run again: {fault.message}", file=sys.stderr)
            store.discard(fault.key)
        if self.dry_run:
            _say(_cost_in_words(conduct.expected_cost(jobs, store)))
            return 0
        done = engine.run(jobs, store, engine=self.engine, workers=self.workers, scheduler=self.scheduler)
        counts = f"{done.done} runs done, {done.skipped} were there, {len(done.failed)} jobs failed"
        _say(f"{counts}, in {done.seconds:.1f} s: {self.store}")
        if done.interrupted:
            _say("hsr: interrupted; the same command goes on from here", file=sys.stderr)
            return 130
        return 1 if done.failed else 0


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
        from hsr import engine
        from hsr.experiments import catalogue, conduct
        from hsr.results import Store

        experiments = [catalogue.find(name) for name in catalogue.names()]
        jobs = [job for one in experiments for job in conduct.jobs_of(one, one.setting(self.preset, {}))]
        done = engine.run(jobs, Store(self.store), workers=self.workers)
        _say(f"{done.done} runs done, {done.skipped} were there, {len(done.failed)} jobs failed, in {done.seconds:.1f} s")
        if done.interrupted:
            _say("hsr: interrupted; the same command goes on from here", file=sys.stderr)
            return 130
        return max(Report(store=self.store, preset=self.preset)(), 1 if done.failed else 0)


@dataclass(frozen=True)
class Compact:
    """Write a whole store as one Parquet file, with a manifest of versions, machine and time beside it."""

    store: Annotated[Path, tyro.conf.arg(metavar="DIR")] = Path("store")
    """Folder of the results."""
    out: Annotated[Path, tyro.conf.arg(metavar="FILE")] = Path("out/results.parquet")
    """The file to write."""

    def __call__(self) -> int:
        """Write the file and say where it is."""
        from hsr.results import Store, compact

        self.out.parent.mkdir(parents=True, exist_ok=True)
        _say(f"look at: {self.out} and {compact(Store(self.store, create=False), self.out)}")
        return 0


@dataclass(frozen=True)
class Report:
    """Write the report of a store, one HTML file with the ledger and every figure, and the figures beside it."""

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
        from hsr.experiments import report
        from hsr.results import Store

        path = report.write_report(Store(self.store, create=False), self.preset, self.out)
        _say(f"look at: {path}")
        if self.open:
            import webbrowser

            webbrowser.open(path.resolve().as_uri())
        return 0


_Command = (
    Annotated[Maze, tyro.conf.subcommand("maze")]
    | Annotated[Demo, tyro.conf.subcommand("demo")]
    | Annotated[Bench, tyro.conf.subcommand("bench")]
    | Annotated[List, tyro.conf.subcommand("list")]
    | Annotated[Run, tyro.conf.subcommand("run")]
    | Annotated[Reproduce, tyro.conf.subcommand("reproduce")]
    | Annotated[Report, tyro.conf.subcommand("report")]
    | Annotated[Compact, tyro.conf.subcommand("compact")]
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (by default the process's own) and return the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: _say(f"hsr: warning: {message}", file=sys.stderr)
            return _run(arguments)
    except KeyboardInterrupt:
        _say("hsr: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader has gone (`hsr ... | head`): leave nothing for the interpreter to flush into the closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (HSRError, OSError) as error:
        _say(f"hsr: error: {error}", file=sys.stderr)
        return 2


def _run(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        _say(f"hsr {__version__}")
        return 0
    return _parse(arguments)()


def _parse(arguments: list[str]) -> Callable[[], int]:
    """Return the command with its options, or exit with 2; what was mistyped is echoed without control characters."""
    said = io.StringIO()
    try:
        with redirect_stderr(said):
            command: Callable[[], int] = tyro.cli(
                _Command,
                prog="hsr",
                description=_DESCRIPTION,
                args=arguments,
                config=(tyro.conf.FlagCreatePairsOff,),
            )
    except SystemExit:
        for line in said.getvalue().splitlines():
            _say(line, file=sys.stderr)
        raise
    return command


def _find_layout(name_or_file: str) -> "GridLayout":
    from hsr.mdp import GridLayout, layout_names, load_layout

    if name_or_file in layout_names():
        return load_layout(name_or_file)
    if not Path(name_or_file).exists():
        raise InputError(
            f"{name_or_file!r} is neither a file nor a built-in map; the built-in maps are {', '.join(layout_names())}"
        )
    return GridLayout.from_file(name_or_file)


def _describe(layout: "GridLayout") -> dict[str, Any]:
    """Return the report of a map as plain numbers, lists and words; cells are [row, column]."""

    def cell(state: int) -> list[int]:
        return [int(i) for i in layout.cell_of(state)]

    from_start = None if layout.start is None else layout.distances_from(layout.start)
    return {
        "name": layout.name,
        "rows": int(layout.n_rows),
        "columns": int(layout.n_cols),
        "states": int(layout.n_states),
        "rooms": [len(room) for room in layout.rooms],
        "bottlenecks": [cell(state) for state in layout.bottlenecks],
        "parts": len(layout.parts),
        "diameter": int(layout.diameter()),
        "start": None if layout.start is None else cell(layout.start),
        "goals": [
            {"cell": cell(goal), "distance": None if from_start is None else int(from_start[goal])} for goal in layout.goals
        ],
    }


def _in_words(report: dict[str, Any]) -> list[str]:
    """Return the report of a map as lines to read."""
    goals = [
        _cell(goal["cell"]) + ("" if goal["distance"] is None else f", {goal['distance']} steps from the start")
        for goal in report["goals"]
    ]
    entries = [
        ("name", report["name"]),
        ("size", f"{report['rows']} x {report['columns']} cells, {report['states']} states"),
        ("rooms", _counted(report["rooms"], "of {} states")),
        ("bottlenecks", _counted(map(_cell, report["bottlenecks"]), "at {}")),
        ("parts", report["parts"]),
        ("diameter", f"{report['diameter']} steps"),
        ("start", "not marked" if report["start"] is None else _cell(report["start"])),
        *((f"goal {number}", goal) for number, goal in enumerate(goals, start=1)),
    ]
    return [f"{key:<12} {value}" for key, value in entries]


def _cell(row_and_column: list[int]) -> str:
    return f"({row_and_column[0]}, {row_and_column[1]})"


def _counted(items: Iterable[Any], pattern: str, most: int = 8) -> str:
    """Return how many items there are, and the first few of them."""
    words = [str(item) for item in items]
    shown = ", ".join(words[:most]) + (", ..." if len(words) > most else "")
    return f"{len(words)} {pattern.format(shown)}" if words else "0"


def _line_of(row: dict[str, Any]) -> str:
    runs = ", ".join(f"{number} {preset}" for preset, number in row["runs"].items())
    return f"{row['name']:<20} Figure {row['figure']:<6} {row['title']} (runs: {runs})"


def _cost_in_words(cost: Mapping[str, Any]) -> str:
    if cost["seconds"] is None:
        return f"{cost['runs']} runs to do, {cost['there']} there; time and size are known once a run of it is in the store"
    size = f"{cost['bytes'] / 1e6:.1f} MB"
    return f"{cost['runs']} runs to do, {cost['there']} there; about {cost['seconds']:g} s of one core and {size}"


def _find_benchmarks(names: Sequence[str]) -> dict[str, Callable[..., list[dict[str, Any]]]]:
    """Return the `run` functions of the chosen benchmarks of this clone, by name."""
    folder = _clone() / "benchmarks"
    known = sorted(path.stem for path in folder.glob("*.py") if not path.name.startswith("_"))
    if not known:
        raise InputError("hsr bench needs a clone of the source repository: its benchmarks are not in the package")
    for name in names:
        if name not in known:
            raise InputError(f"there is no benchmark {name!r}; there are {', '.join(known)}")
    sys.path.insert(0, str(folder.parent))
    return {name: import_module(f"benchmarks.{name}").run for name in names or known}


def _clone() -> Path:
    return Path(__file__).resolve().parents[2]


def _is_met(row: dict[str, Any]) -> bool:
    return row["target"] is None or bool(row["ratio"] >= row["target"])


def _print_ratios(rows: list[dict[str, Any]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE)
    for title in ("benchmark", "ours", "peer", "ratio", "target", "error", "", "note"):
        table.add_column(title, no_wrap=title != "note", justify="left" if title in ("benchmark", "", "note") else "right")
    for row in rows:
        mark = Text("pass", "green") if row["met"] else Text("miss", "bold red")
        cells = [
            str(row["name"]),
            _seconds(row["ours_s"]),
            _seconds(row["peer_s"]),
            _ratio(row["ratio"]),
            "-" if row["target"] is None else _ratio(row["target"]),
            "-" if row["error"] is None else f"{row['error']:.0e}",
        ]
        table.add_row(*(Text(printable(cell)) for cell in cells), mark, Text(printable(str(row["note"] or ""))))
    console = Console()
    if not console.is_terminal:
        console = Console(width=160)
    console.print(table)


def _seconds(value: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-6:.3g} µs"


def _ratio(value: float) -> str:
    return f"{value:,.0f}x" if value >= 100.0 else f"{value:.3g}x"


def _say(line: str, file: TextIO | None = None) -> None:
    """Print one line; everything that `hsr` prints passes here or through the table above."""
    print(printable(line), file=file, flush=True)
