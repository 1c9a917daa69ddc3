"""The commands that report results: ledger, report and card."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from hsr.cli.arguments import (
    NO_DEFAULT,
    Flag,
    OldStore,
    Settings,
    report_of,
    say_analysis,
    say_drawing,
)
from hsr.cli.console import say

if TYPE_CHECKING:
    from hsr.experiments.ledger_file import Row
    from hsr.experiments.stored import StoredSetting


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """Print what the runs of a store say about each claim, statement by statement.

    The store knows its settings. Claims of experiments that were not run are left out. A verdict is
    over worlds: too few worlds decide nothing.
    """

    store: OldStore = Path("store")
    setting: Settings = ()
    json: Flag = False
    """Print every number of every comparison as JSON, for scripts."""

    def __call__(self) -> int:
        """Print each claim, with a line per statement."""
        from hsr.experiments.ledger_file import as_json
        from hsr.experiments.store import Store
        from hsr.experiments.store.sources import in_words
        from hsr.experiments.stored import chosen_in, ledger_of

        store = Store(self.store, create=False)
        shown, others = chosen_in(store, self.setting)
        rows, made_by = ledger_of(store, shown, say_analysis)
        if self.json:
            for line in as_json(rows).splitlines():
                say(line)
        else:
            say_statements(rows)
        say_settings(shown, others)
        say(f"made by: {in_words(made_by)}", file=sys.stderr)
        return 0


@dataclass(frozen=True, kw_only=True)
class Report:
    """Write the report of a store: one HTML file with the ledger and every figure.

    The figures are also written as files of their own. The store knows its settings. Experiments
    that were not run are left out.
    """

    store: OldStore = Path("store")
    setting: Settings = ()
    file: Annotated[
        tuple[str, ...], tyro.conf.arg(metavar="[FILE.py ...]", help_behavior_hint=NO_DEFAULT)
    ] = ()
    """Files of your own experiments, which draw their figures. They are run."""
    open: Flag = False
    """Open the report in the browser."""

    def __call__(self) -> int:
        """Write the report and print its path."""
        from hsr.experiments import catalogue, report
        from hsr.experiments.store import Store

        store, own = Store(self.store, create=False), list(map(catalogue.find, self.file))
        contents = report.contents_of(store, self.setting, own=own, on_figure=say_drawing)
        say("writing the report and its figures", file=sys.stderr)
        path = report.write_report(contents, report_of(self.store))
        say(f"wrote: {path}")
        say_settings([one.stored for one in contents.sections], contents.others)
        say(f"made by: {contents.rests_on}", file=sys.stderr)
        if self.open:
            import webbrowser

            webbrowser.open(path.resolve().as_uri())
        return 0


@dataclass(frozen=True)
class CardOf:
    """Take an agent, a representation or an option method of your own through a fixed suite.

    It meets one-hot, RW-SR, SR and HSR rows in the same mazes, each at the rates that suit it in
    other mazes. One page is written: a profile, a table of effects with intervals, and what could
    not be told.
    """

    thing: Annotated[
        tyro.conf.Positional[str],
        tyro.conf.arg(
            metavar="FILE.py:NAME",
            help="A function of an MDP that returns a matrix, a PredictiveMap or an OptionSet, or "
            "an agent with begin, act and learn. The file is run.",
        ),
    ]
    out: Annotated[Path, tyro.conf.arg(metavar="DIR")] = Path()
    """Folder of the page."""
    mazes: Annotated[int, tyro.conf.arg(metavar="N")] = 200
    """Number of mazes."""

    def __call__(self) -> int:
        """Print the scores, write the page and print its path."""
        from hsr.experiments.card import card, load_thing

        thing, name = load_thing(self.thing)
        found = card(thing, name=name, mazes=self.mazes, progress=True)
        for line in repr(found).splitlines():
            say(line)
        for row in found.effects:
            if row["verdict"] in ("better", "worse"):
                low, high = row["interval"]
                say(
                    f"{row['verdict']} than {row['against']} in {row['test']}: "
                    f"{row['difference']:+.3f} [{low:+.3f}, {high:+.3f}]"
                )
        say(f"wrote: {found.save(self.out)}")
        return 0


def say_statements(rows: "Sequence[Row]", *, short: bool = False) -> None:
    """Print each claim with the verdicts on its statements, those that are undecided in short."""
    from hsr.experiments.summary import Summary, parts_of, sentence_of, short_sentences

    if Summary(rows).banner:
        say(Summary(rows).banner)
    for row in rows:
        parts = parts_of(row)
        parts += " hold" if parts.endswith("parts") else ""
        say(f"{row['claim']}{f' ({parts})' if parts else ''}: {row['text']}")
        lines = short_sentences(row) if short else map(sentence_of, row["statements"])
        for line in lines:
            say(f"    {line}")


def say_settings(shown: "Iterable[StoredSetting]", others: "Iterable[StoredSetting]") -> None:
    """Print which settings were read, and which others can be chosen by their numbers."""
    for one in shown:
        say(f"setting {one}", file=sys.stderr)
    for one in others:
        say(f"not shown (--setting {one.row.number}): setting {one}", file=sys.stderr)
