"""`hsr bench`: run the benchmarks of a clone and print their ratios as a table."""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import tyro

from hsr import InputError
from hsr.cli.console import say
from hsr.toolkit import escape_control


@dataclass(frozen=True)
class Bench:
    """Time hsr against other programs that compute the same, and print how many times faster it is.

    Needs a clone of the source repository. Exits with 1 if a ratio is below its target.
    """

    names: Annotated[
        tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="[NAME ...]")
    ] = ()
    """Benchmarks to run, by file name without '.py'. By default all of them."""
    json: bool = False
    """Print the measurements as JSON, for scripts."""
    quick: bool = False
    """Use small problems, to see that everything runs. Their ratios mean little."""

    def __call__(self) -> int:
        """Run the benchmarks one after another and print their ratios."""
        rows = []
        chosen = _find_benchmarks(self.names)
        for number, (name, run) in enumerate(chosen.items(), start=1):
            say(f"[{number}/{len(chosen)}] {name}", file=sys.stderr)
            rows += [{**row, "met": _is_met(row)} for row in run(quick=self.quick)]
        if self.json:
            say(json.dumps(rows, default=float))
        else:
            _print_ratios(rows)
        return 0 if all(row["met"] for row in rows) else 1


def _find_benchmarks(names: Sequence[str]) -> dict[str, Callable[..., list[dict[str, Any]]]]:
    """Return the `run` functions of the chosen benchmarks of this clone, by name."""
    folder = clone() / "benchmarks"
    known = sorted(path.stem for path in folder.glob("*.py") if not path.name.startswith("_"))
    if not known:
        raise InputError(
            "hsr bench needs a clone of the source repository; the package has no benchmarks"
        )
    for name in names:
        if name not in known:
            raise InputError(f"there is no benchmark {name!r}; there are {', '.join(known)}")
    sys.path.insert(0, str(folder.parent))
    return {name: import_module(f"benchmarks.{name}").run for name in names or known}


def clone() -> Path:
    """Return the folder of the source repository, if this package is part of one."""
    return Path(__file__).resolve().parents[3]


def _is_met(row: dict[str, Any]) -> bool:
    return row["target"] is None or bool(row["ratio"] >= row["target"])


def _print_ratios(rows: list[dict[str, Any]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE)
    for title in ("benchmark", "ours", "peer", "ratio", "target", "error", "", "note"):
        table.add_column(
            title,
            no_wrap=title != "note",
            justify="left" if title in ("benchmark", "", "note") else "right",
        )
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
        table.add_row(
            *(Text(escape_control(cell)) for cell in cells),
            mark,
            Text(escape_control(str(row["note"] or ""))),
        )
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
