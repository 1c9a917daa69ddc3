"""`hsr table`: the runs of an experiment as a tidy table, for other programs."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from hsr import InputError
from hsr.cli.arguments import OldStore, output_of
from hsr.cli.changes import joined
from hsr.cli.console import number_of, say

if TYPE_CHECKING:
    from hsr.paper.tables import Results


@dataclass(frozen=True)
class Table:
    """Write the runs of an experiment as a tidy table, one row per number.

    The columns are experiment, the settings that differ between runs, agent, world, seed, task,
    episode and steps, or what the experiment measures instead. Without the name of an experiment,
    print what the store holds.
    """

    experiment: Annotated[
        tyro.conf.Positional[str | None], tyro.conf.arg(metavar="[EXPERIMENT]")
    ] = None
    """Name of an experiment, as `hsr list` prints it."""
    format: Literal["csv", "parquet"] | None = None
    """By default that of --out, else csv."""
    out: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """The file to write, or - to print CSV. By default EXPERIMENT.csv or .parquet in the folder
    report of the store."""
    what: Annotated[tuple[str, ...], tyro.conf.arg(metavar="[ARRAY ...]")] = ()
    """Which arrays of the runs to write. By default the main one, such as steps."""
    preset: Annotated[str | None, tyro.conf.arg(metavar="NAME")] = None
    """Take the runs of this preset, without its controls. By default all runs in the store."""
    set: Annotated[
        tuple[tuple[str, ...], ...],
        tyro.conf.UseAppendAction,
        tyro.conf.arg(metavar="[KEY=VALUE ...]"),
    ] = ()
    """Take the runs with these settings, such as agent.epsilon=0.2."""
    store: OldStore = Path("store")

    def __call__(self) -> int:
        """Write the table and print its path and size."""
        from hsr.paper import load
        from hsr.paper.changes import read_change

        results = load(self.store)
        if self.experiment is None:
            for line in (*repr(results).splitlines(), rests_on(results)):
                say(line)
            return 0
        format, path = self._target()
        changes = dict(map(read_change, joined(self.set)))
        chosen = results.select(self.experiment, preset=self.preset, settings=changes)
        if path is None:
            chosen.write(sys.stdout.buffer, self.what, format=format)
        else:
            n_rows = chosen.save(path, self.what, format=format)
            say(f"wrote: {path}, {number_of(n_rows, 'row')}")
        say(rests_on(chosen), file=sys.stderr)
        return 0

    def _target(self) -> tuple[str, Path | None]:
        """Return the format, and the path of the file or None for the standard output."""
        if str(self.out) == "-":
            if self.format == "parquet":
                raise InputError("--out is -; only CSV can be printed")
            return "csv", None
        suffix = "" if self.out is None else self.out.suffix[1:]
        format = self.format or (suffix if suffix in ("csv", "parquet") else "csv")
        return format, self.out or output_of(None, self.store) / f"{self.experiment}.{format}"


def rests_on(results: "Results") -> str:
    """Return a line that says which code made the runs."""
    from hsr.paper.store.sources import in_words

    return f"rests on: {in_words(results.made_by)}"
