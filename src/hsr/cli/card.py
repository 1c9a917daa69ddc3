"""`hsr card`: the report card of an agent, a representation or an option method of your own."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from hsr.cli.console import say


@dataclass(frozen=True)
class CardOf:
    """Take an agent, a representation or an option method of your own through a fixed suite.

    It meets one-hot, RW-SR, SR and HSR rows in the same mazes, each at the rates that suit it in
    other mazes. One page is written: a profile, a table of effects with intervals, and what could
    not be told.
    """

    thing: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="FILE.py:NAME")]
    """A function of an MDP that returns a matrix, a PredictiveMap or an OptionSet, or an agent with
    begin, act and learn. The file is run."""
    out: Annotated[Path, tyro.conf.arg(metavar="DIR")] = Path()
    """Folder of the page. By default this one."""
    mazes: Annotated[int, tyro.conf.arg(metavar="N")] = 200
    """Number of mazes."""

    def __call__(self) -> int:
        """Print the scores, write the page and print its path."""
        from hsr.paper.card import card, load_thing

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
