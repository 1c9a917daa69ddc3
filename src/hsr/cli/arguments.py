"""Options that several commands share, each with its help text."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

_CREATED = "It is created if it does not exist."

Preset = Annotated[
    str,
    tyro.conf.arg(
        metavar="NAME",
        help="smoke: few worlds and short episodes, to see in minutes that everything works; too "
        "small to judge the paper. paper: the paper's own numbers, which take hours.",
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
    ),
]
Scheduler = Annotated[
    str | None,
    tyro.conf.arg(
        metavar="ADDRESS",
        help="Use the workers of a Dask cluster, by the address of its scheduler.",
    ),
]
Workers = Annotated[
    int | None,
    tyro.conf.arg(metavar="N", help="Number of processes. By default one for each core."),
]
Worlds = Annotated[
    int | None,
    tyro.conf.arg(
        metavar="N",
        help="Number of worlds: starts, goals and signs of eigenvectors. By default the preset's.",
    ),
]
Seeds = Annotated[
    int | None,
    tyro.conf.arg(metavar="N", help="Number of seeds in each world. By default the preset's."),
]
Settings = Annotated[
    tuple[int, ...],
    tyro.conf.arg(
        metavar="[N ...]",
        help="Numbers of settings in the store. By default the latest of each experiment.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class OfSettings:
    """The options that say which settings of an experiment are meant."""

    preset: Preset = "smoke"
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
