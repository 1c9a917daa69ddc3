"""Options that several commands share, each with its help text."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

_CREATED = "It is created if it does not exist."

Count = Annotated[int, tyro.conf.arg(metavar="N")]
Preset = Annotated[
    str,
    tyro.conf.arg(
        metavar="NAME",
        help="smoke: a small version, to see that everything works; "
        "paper: the paper's own numbers.",
    ),
]
NewStore = Annotated[Path, tyro.conf.arg(metavar="DIR", help=f"Folder of the results. {_CREATED}")]
OldStore = Annotated[Path, tyro.conf.arg(metavar="DIR", help="Folder of the results.")]
FigureFolder = Annotated[
    Path, tyro.conf.arg(metavar="DIR", help=f"Folder for the figure, as PNG and SVG. {_CREATED}")
]
StoreOutput = Annotated[
    Path | None,
    tyro.conf.arg(
        metavar="DIR",
        help="Folder for figures and reports. By default the folder report of the store.",
    ),
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
Engine = Annotated[
    str,
    tyro.conf.arg(
        metavar="NAME",
        help="local: processes on this machine; dask: a running cluster.",
    ),
]
Scheduler = Annotated[
    str | None,
    tyro.conf.arg(
        metavar="ADDRESS", help="Address of the scheduler of the cluster, for --engine dask."
    ),
]
Workers = Annotated[
    int | None,
    tyro.conf.arg(metavar="N", help="Number of processes. By default one for each core."),
]
Mix = Annotated[
    bool,
    tyro.conf.arg(
        help="Add to runs of the same experiment that another version or other sources of hsr "
        "made. By default that is refused."
    ),
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


@dataclass(frozen=True, kw_only=True)
class OfSettings:
    """The options that say which settings of an experiment are meant."""

    preset: Preset = "smoke"
    set: Changes = ()
    config: Config = None
    worlds: Worlds = None
    seeds: Seeds = None


def output_of(out: Path | None, store: Path) -> Path:
    """Return the folder for figures and reports, by default one that stands in the store.

    >>> output_of(None, Path("mine")).as_posix()
    'mine/report'
    """
    return store / "report" if out is None else out
