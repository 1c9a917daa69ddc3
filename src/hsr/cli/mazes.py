"""The commands about one maze: maze, demo and lab."""

import json
import sys
import tempfile
import webbrowser
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from hsr import InputError
from hsr._base.durable import write_text
from hsr.cli.arguments import NO_DEFAULT, FigureFolder, Flag
from hsr.cli.console import counted, say

if TYPE_CHECKING:
    from hsr.grids import GridLayout

OneFile = Annotated[Path | None, tyro.conf.arg(metavar="FILE", help_behavior_hint=NO_DEFAULT)]


@dataclass(frozen=True)
class Maze:
    """Draw a maze in the terminal and report its size, rooms, bottlenecks and distances."""

    layout: Annotated[
        tyro.conf.Positional[str],
        tyro.conf.arg(
            metavar="NAME_OR_FILE",
            help="A built-in maze such as four_rooms, or a text file. '#' is a wall, '.' an open "
            "cell, 'S' the start, and '1' to '9' are goals.",
        ),
    ]
    json: Flag = False
    """Print the report as JSON, for scripts."""

    def __call__(self) -> int:
        """Print the maze and its report."""
        layout = find_layout(self.layout)
        report = _describe(layout)
        if self.json:
            say(json.dumps(report))
            return 0
        for line in [*layout.to_text().splitlines(), "", *_in_words(report)]:
            say(line)
        return 0


@dataclass(frozen=True)
class Demo:
    """Compute the predictive maps of a maze and draw them as one figure.

    The four rooms take a few seconds, and longer the first time, while code is compiled.
    """

    layout: Annotated[
        tyro.conf.Positional[str],
        tyro.conf.arg(
            metavar="[NAME_OR_FILE]", help="A built-in maze such as loop, or a text file."
        ),
    ] = "four_rooms"
    out: FigureFolder = Path("out")

    def __call__(self) -> int:
        """Draw the figures, printing each step and then their paths."""
        from hsr.paper.demo import draw_demo

        find_layout(self.layout)
        if self.out.exists() and not self.out.is_dir():
            raise InputError(f"--out is {str(self.out)!r}, which is not a folder")
        for path in draw_demo(self.out, self.layout, partial(say, file=sys.stderr)):
            say(f"wrote: {path}")
        return 0


@dataclass(frozen=True)
class Lab:
    """Open an interactive page in the browser: draw a maze, see its maps, watch agents learn.

    The page is one file that computes by itself. It can be passed on or put on a web server.
    """

    layout: Annotated[
        tyro.conf.Positional[str],
        tyro.conf.arg(
            metavar="[NAME_OR_FILE]", help="A built-in maze such as loop, or a text file."
        ),
    ] = "four_rooms"
    map: OneFile = None
    """A map of this maze, written by hsr.save, shown next to the exact ones."""
    task: OneFile = None
    """A RewardTask of this maze, written by hsr.save, whose rewards are drawn."""
    out: OneFile = None
    """Write the page to this file and open nothing."""

    def __call__(self) -> int:
        """Write the page, and open it unless --out names its file."""
        import hsr
        from hsr.lab.page import page_with

        if self.out is not None and self.out.exists() and not self.out.is_file():
            raise InputError(f"--out is {str(self.out)!r}, which is not a file")
        layout, discount, maps = find_layout(self.layout), None, {}
        if self.map is not None:
            M = hsr.load(self.map)
            if not isinstance(M, hsr.PredictiveMap):
                raise InputError(
                    f"{self.map} holds {type(M).__name__}; the lab shows files of maps"
                )
            discount = 0.9 if M.discount is None else M.discount
            maps = {self.map.stem: hsr.load(self.map, hsr.grid_mdp(layout, discount=discount))}
        code = {name: f"hsr.load({str(self.map)!r}, mdp)" for name in maps}
        task = None if self.task is None else hsr.load(self.task)
        page = page_with(layout, discount, maps, code, task=task)
        path = self.out or Path(tempfile.mkdtemp(prefix="hsr-"), "lab.html")
        try:
            write_text(path, page)
        except OSError as error:
            raise InputError(f"--out is {str(path)!r}; it cannot be written: {error}") from None
        say(f"wrote: {path}")
        if self.out is None and not webbrowser.open(path.resolve().as_uri()):
            say("no browser could be started; open the file yourself")
        return 0


def find_layout(name_or_file: str) -> "GridLayout":
    """Return a built-in maze, or that of a text file."""
    from hsr.grids import GridLayout, layout_names, load_layout

    if name_or_file in layout_names():
        return load_layout(name_or_file)
    if not Path(name_or_file).exists():
        close = get_close_matches(name_or_file, layout_names(), n=1)
        hint = f"did you mean {close[0]}? The" if close else "the"
        raise InputError(
            f"{name_or_file!r} is neither a file nor a built-in maze; "
            f"{hint} built-in mazes are {', '.join(layout_names())}"
        )
    return GridLayout.from_file(name_or_file)


def _describe(layout: "GridLayout") -> dict[str, Any]:
    """Return the report of a maze as plain data. Cells are [row, column]."""

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
            {"cell": cell(goal), "distance": None if from_start is None else int(from_start[goal])}
            for goal in layout.goals
        ],
    }


def _in_words(report: dict[str, Any]) -> list[str]:
    """Return the report of a maze as lines of text."""
    goals = [
        _cell(goal["cell"])
        + ("" if goal["distance"] is None else f", {goal['distance']} steps from the start")
        for goal in report["goals"]
    ]
    entries = [
        ("name", report["name"]),
        ("size", f"{report['rows']} x {report['columns']} cells, {report['states']} states"),
        ("rooms", counted(report["rooms"], "of {} states")),
        ("bottlenecks", counted(map(_cell, report["bottlenecks"]), "at {}")),
        ("parts", report["parts"]),
        ("diameter", f"{report['diameter']} steps"),
        ("start", "not marked" if report["start"] is None else _cell(report["start"])),
        *((f"goal {number}", goal) for number, goal in enumerate(goals, start=1)),
    ]
    return [f"{key:<12} {value}" for key, value in entries]


def _cell(row_and_column: list[int]) -> str:
    return f"({row_and_column[0]}, {row_and_column[1]})"
