"""Options that several commands share, and the changes of settings that they describe."""

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from hsr.cli.console import say

if TYPE_CHECKING:
    from hsr._base.declaration import Spec
    from hsr.experiments.experiment import Experiment

SAMPLE = ("worlds", "seeds")

# After an option without a value of its own, whose help says what happens without it.
NO_DEFAULT = ""
Flag = Annotated[bool, tyro.conf.arg(help_behavior_hint=NO_DEFAULT)]

_CREATED = "It is created if it does not exist."

_PRESETS = (
    "smoke: few worlds and short episodes, to see in minutes that everything works; too small to "
    "judge the paper. paper: the paper's own numbers, which take up to 15 minutes on two cores."
)
Preset = Annotated[str, tyro.conf.arg(metavar="NAME", help=_PRESETS)]
AnyPreset = Annotated[
    str | None,
    tyro.conf.arg(
        metavar="NAME",
        help=f"{_PRESETS} By default smoke; in a file of your own the whole setting.",
        help_behavior_hint=NO_DEFAULT,
    ),
]
NewStore = Annotated[Path, tyro.conf.arg(metavar="DIR", help=f"Folder of the results. {_CREATED}")]
OldStore = Annotated[Path, tyro.conf.arg(metavar="DIR", help="Folder of the results.")]
FigureFolder = Annotated[
    Path, tyro.conf.arg(metavar="DIR", help=f"Folder for the figure, as PNG and SVG. {_CREATED}")
]
Changes = Annotated[
    tuple[tuple[str, ...], ...],
    tyro.conf.UseAppendAction,
    tyro.conf.arg(
        metavar="[KEY=VALUE ...]",
        help="Fields to change, such as agent.learning_rate=0.05. `hsr list EXPERIMENT` prints "
        "them all.",
    ),
]
Config = Annotated[
    Path | None,
    tyro.conf.arg(
        metavar="FILE",
        help="A TOML file with fields to change, as `hsr list EXPERIMENT --toml` prints it. --set "
        "takes precedence.",
        help_behavior_hint=NO_DEFAULT,
    ),
]
Scheduler = Annotated[
    str | None,
    tyro.conf.arg(
        metavar="ADDRESS",
        help="Use the workers of a Dask cluster, by the address of its scheduler.",
        help_behavior_hint=NO_DEFAULT,
    ),
]
Workers = Annotated[
    int | None,
    tyro.conf.arg(
        metavar="N",
        help="Number of processes. By default one for each core.",
        help_behavior_hint=NO_DEFAULT,
    ),
]
Worlds = Annotated[
    int | None,
    tyro.conf.arg(
        metavar="N",
        help="Number of worlds: starts, goals and signs of eigenvectors. By default the preset's.",
        help_behavior_hint=NO_DEFAULT,
    ),
]
Seeds = Annotated[
    int | None,
    tyro.conf.arg(
        metavar="N",
        help="Number of seeds per world. By default the preset's.",
        help_behavior_hint=NO_DEFAULT,
    ),
]
Settings = Annotated[
    tuple[int, ...],
    tyro.conf.arg(
        metavar="[N ...]",
        help="Numbers of settings in the store. By default the latest of each experiment.",
        help_behavior_hint=NO_DEFAULT,
    ),
]


@dataclass(frozen=True, kw_only=True)
class OfSettings:
    """The options that say which settings of an experiment are meant."""

    preset: AnyPreset = None
    set: Changes = ()
    config: Config = None
    worlds: Worlds = None
    seeds: Seeds = None


def report_of(store: Path) -> Path:
    """Return the folder for the figures and the report of a store.

    >>> report_of(Path("mine")).as_posix()
    'mine/report'
    """
    return store / "report"


def changes_of(command: OfSettings) -> dict[str, Any]:
    """Return the changed fields of a command line, by their dotted paths.

    A file is read first. Repeated --set options are joined and take precedence over the file, and
    --worlds and --seeds over both.
    """
    from hsr.experiments.changes import read_change, read_file

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
    """Warn about missing worlds and variants that cannot be run."""
    notes = []
    usual, found = (getattr(one, "worlds", 0) for one in (experiment.presets[preset], setting))
    if found < usual and "worlds" not in changes:
        notes.append(f"only {found} worlds qualify in this maze; the preset has {usual}")
    for name, why in experiment.left_out(setting).items():
        notes.append(f"the variant {name!r} is left out: {why}")
    for note in notes:
        say(f"hsr: note: {note}", file=sys.stderr)


def say_analysis(number: int, total: int, name: str) -> None:
    """Print which setting is being analysed, if there are several."""
    if total > 1:
        say(f"analysing {number} of {total}: {name}", file=sys.stderr)


def say_drawing(number: int, total: int, name: str) -> None:
    """Print which figure is being drawn."""
    say(f"drawing {number} of {total}: {name}", file=sys.stderr)
