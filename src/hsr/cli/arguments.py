"""Options that several commands share, each with its help text."""

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
Output = Annotated[
    Path, tyro.conf.arg(metavar="DIR", help=f"Folder for the figures and the report. {_CREATED}")
]
Engine = Annotated[
    str,
    tyro.conf.arg(
        metavar="NAME",
        help="local: processes on this machine; dask: a running cluster; or the name of a plugin.",
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
Worlds = Annotated[
    int | None,
    tyro.conf.arg(
        metavar="N",
        help="Number of worlds: starts, goals and signs of eigenvectors. By default the preset's.",
    ),
]
ReadingName = Annotated[
    str,
    tyro.conf.arg(
        metavar="READING",
        help="How the paper is read where it leaves a choice: default, closest (the reading under "
        "which most claims hold at once), or changes such as signs=svd,ties=options.",
    ),
]
Seeds = Annotated[
    int | None,
    tyro.conf.arg(metavar="N", help="Number of seeds in each world. By default the preset's."),
]
