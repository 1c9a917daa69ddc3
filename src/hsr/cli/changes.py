"""The changes of a setting that a command line gives, and what is said about them."""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from hsr.cli.arguments import OfSettings
from hsr.cli.console import say

if TYPE_CHECKING:
    from hsr._base.declaration import Spec
    from hsr.paper.experiment import Experiment

SAMPLE = ("worlds", "seeds")


def changes_of(command: OfSettings) -> dict[str, Any]:
    """Return the changed fields of a command line, by their dotted paths.

    A file is read first. Repeated --set options are joined and take precedence over the file, and
    --worlds and --seeds over both.
    """
    from hsr.paper.changes import read_change, read_file

    given = {name: getattr(command, name) for name in SAMPLE}
    return {
        **(read_file(command.config) if command.config else {}),
        **dict(map(read_change, joined(command.set))),
        **{name: number for name, number in given.items() if number is not None},
    }


def joined(groups: Iterable[Iterable[str]]) -> list[str]:
    """Return the values of an option that may be repeated, one after another.

    >>> joined((("a=1", "b=2"), ("c=3",)))
    ['a=1', 'b=2', 'c=3']
    """
    return [value for group in groups for value in group]


def say_notes(
    experiment: "Experiment", setting: "Spec", preset: str, changes: dict[str, Any]
) -> None:
    """Print what a setting has less of than its preset, and which changes no run depends on."""
    from hsr.paper.catalogue import without_effect

    notes = [
        f"no run of {experiment.name} depends on {path}; it can only change how runs are analysed"
        for path in without_effect(experiment, preset, changes)
    ]
    usual, found = (getattr(one, "worlds", 0) for one in (experiment.presets[preset], setting))
    if found < usual and "worlds" not in changes:
        notes.append(f"only {found} worlds qualify in this maze; the preset has {usual}")
    for name, why in experiment.left_out(setting).items():
        notes.append(f"the control {name!r} is left out: {why}")
    for note in notes:
        say(f"hsr: note: {note}", file=sys.stderr)


def say_drawing(number: int, total: int, name: str) -> None:
    """Print which figure is being drawn."""
    say(f"drawing {number} of {total}: {name}", file=sys.stderr)
