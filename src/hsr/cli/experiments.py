"""The commands that read a store of results: ledger and report."""

import sys
from dataclasses import dataclass
from pathlib import Path

from hsr import InputError
from hsr.cli.arguments import OfSettings, OldStore, StoreOutput, output_of
from hsr.cli.changes import changes_of, say_drawing, say_drawn
from hsr.cli.console import say


@dataclass(frozen=True, kw_only=True)
class Ledger(OfSettings):
    """Print what the runs of a store say about every claim: the verdict and its numbers.

    A verdict is over worlds. Too few worlds decide nothing.
    """

    store: OldStore = Path("store")
    json: bool = False
    """Print every number of every comparison as JSON, for scripts."""

    def __call__(self) -> int:
        """Print a line per claim."""
        from hsr.paper.ledger_file import NO_EVIDENCE, as_json
        from hsr.paper.runner import ledger_of
        from hsr.paper.store import Store
        from hsr.paper.store.sources import in_words
        from hsr.paper.summary import Summary, at_rates, numbers_of

        store = Store(self.store, create=False)
        rows, made_by = ledger_of(store, self.preset, changes_of(self))
        if all(row["verdict"] == NO_EVIDENCE for row in rows):
            raise InputError(
                f"{self.store} has all runs of no experiment at preset {self.preset!r}; "
                "run `hsr reproduce` or `hsr run` first"
            )
        rests_on = f"rests on: {in_words(made_by)}"
        if self.json:
            for line in as_json(rows).splitlines():
                say(line)
            say(rests_on, file=sys.stderr)
            return 0
        if Summary(rows).banner:
            say(Summary(rows).banner)
        names = max(len(row["claim"]) for row in rows)
        for row in rows:
            words = "; ".join(filter(None, (numbers_of(row), at_rates(row))))
            say(f"{row['verdict']:<15} {row['claim']:<{names}}  {words}".rstrip())
        say(rests_on)
        return 0


@dataclass(frozen=True, kw_only=True)
class Report(OfSettings):
    """Write the report of a store: one HTML file with the ledger and every figure.

    The figures are also written as files of their own. The settings are those of the runs: what
    `hsr run` was given is given here, too. Other runs of the store are listed. Exits with 2 if the
    store has all runs of no experiment.
    """

    store: OldStore = Path("store")
    out: StoreOutput = None
    open: bool = False
    """Open the report in the browser."""

    def __call__(self) -> int:
        """Write the report and print its path."""
        from hsr.paper import report
        from hsr.paper.store import Store

        store = Store(self.store, create=False)
        out, changes = output_of(self.out, self.store), changes_of(self)
        contents = report.contents_of(store, self.preset, changes, say_drawing)
        if contents.is_empty:
            raise report.no_evidence(store, contents)
        say("writing the report and its figures", file=sys.stderr)
        path = report.write_contents(contents, out, say_drawn)
        say(f"wrote: {path}")
        say(f"rests on: {contents.rests_on}", file=sys.stderr)
        for line in contents.others:
            say(f"also in the store, not in the report: {line}", file=sys.stderr)
        if self.open:
            import webbrowser

            webbrowser.open(path.resolve().as_uri())
        return 0
