"""`hsr compare`: two settings of an experiment, or two stores, in one figure and one table."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from hsr import InputError
from hsr.cli.arguments import Changes, OldStore, Preset, ReadingName, StoreOutput, output_of
from hsr.cli.changes import joined
from hsr.cli.console import say

if TYPE_CHECKING:
    from hsr.paper.comparing import Compared, Side

_HEAD = ("agent", "measure", "first", "second", "difference [95 %]", "d_z [95 %]", "p", "worlds")


@dataclass(frozen=True)
class Compare:
    """Compare two settings of an experiment, or the same experiment in two stores.

    The worlds that both sides hold are paired, and each gives one difference. Write one figure with
    the curves of both sides and a point for each world, and print each effect with its interval.
    Examples: `hsr compare online_transfer --against agent.epsilon=0.2`, and
    `hsr compare store_a store_b online_transfer`.
    """

    what: Annotated[
        tyro.conf.Positional[tuple[str, ...]],
        tyro.conf.arg(metavar="[STORE_A STORE_B] EXPERIMENT"),
    ]
    """Name of an experiment, as `hsr list` prints it, after two stores if two are compared."""
    set: Changes = ()
    against: Annotated[
        tuple[tuple[str, ...], ...],
        tyro.conf.UseAppendAction,
        tyro.conf.arg(metavar="[KEY=VALUE ...]"),
    ] = ()
    """Fields of the second side that differ from the first, such as agent.epsilon=0.2."""
    preset: Preset = "smoke"
    reading: ReadingName = "default"
    store: OldStore = Path("store")
    out: StoreOutput = None
    json: bool = False
    """Print the table as JSON, for scripts, and draw no figure."""

    def __call__(self) -> int:
        """Print the table, write the figure and print its paths."""
        from hsr.paper.comparing import compared, draw_compared
        from hsr.plots import save_figure

        one, other = self._sides()
        found = compared(one, other)
        if self.json:
            made_by = dict(zip(("first", "second"), found.made_by, strict=True))
            labels = {"first": one.label, "second": other.label}
            say(json.dumps({**labels, "made_by": made_by, "rows": found.rows}))
            return 0
        for line in _lines(found):
            say(line)
        figure = draw_compared(found, one.experiment)
        for ending in ("png", "svg"):
            path = output_of(self.out, one.store.folder) / f"compare_{one.experiment.name}.{ending}"
            say(f"wrote: {save_figure(figure, path)}")
        return 0

    def _sides(self) -> "tuple[Side, Side]":
        from hsr.paper.changes import read_change
        from hsr.paper.comparing import labelled, side_of
        from hsr.paper.store import Store

        if len(self.what) not in (1, 3):
            raise InputError(
                f"{' '.join(self.what)!r:.80} is {len(self.what)} words; "
                "name an experiment, or two stores and an experiment"
            )
        *folders, experiment = self.what
        first, second = folders or (self.store, self.store)
        changes = dict(map(read_change, joined(self.set)))
        against = {**changes, **dict(map(read_change, joined(self.against)))}
        return labelled(
            side_of(Store(first, create=False), experiment, self.preset, changes, self.reading),
            side_of(Store(second, create=False), experiment, self.preset, against, self.reading),
        )


def _lines(found: "Compared") -> list[str]:
    """Return the table as lines of text, with what is needed to read it."""
    from hsr.paper.store.sources import in_words

    rows = [_HEAD, *map(_cells, found.rows)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_HEAD))]
    lines = [f"first: {found.labels[0]}", f"second: {found.labels[1]}", ""]
    lines += [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    lines.append("")
    lines.append(
        "Difference: first minus second, paired over worlds. d_z: mean over standard deviation "
        "of the differences. p: Student's t over worlds, corrected by Holm over the table."
    )
    n = max(row["worlds"] for row in found.rows)
    if 2.0 ** (1 - n) >= 0.05:
        lines.append(f"No test of {n} worlds can be significant. Use more worlds.")
    if found.same_runs:
        lines.append(f"The same runs on both sides: {', '.join(found.same_runs)}.")
    if not found.same_worlds:
        lines.append(
            "The settings draw different worlds. Pairs share a number, but no start and goals."
        )
    for side, code in zip(("first", "second"), found.made_by, strict=True):
        lines.append(f"The {side} side rests on {in_words(code)}.")
    return lines


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        row["agent"],
        row["measure"],
        f"{row['first']:.4g}",
        f"{row['second']:.4g}",
        _with_interval(row["difference"], row["difference_interval"]),
        _with_interval(row["effect"], row["effect_interval"]),
        f"{row['p_corrected']:.2g}",
        f"{row['worlds']} x {row['seeds']}",
    )


def _with_interval(value: float, ends: list[float]) -> str:
    return f"{value:.3g} [{ends[0]:.3g}, {ends[1]:.3g}]"
