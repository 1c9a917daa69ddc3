"""Read tables of pose trackers, as DeepLabCut and LightningPose write them, and their files."""

from os import PathLike, fspath
from pathlib import Path
from typing import Any

from hsr._base.errors import InputError, short_repr
from hsr._base.extras import needs

# The level of each name, and the fewest levels of a table that has it. Three levels are scorer,
# keypoint and coordinate.
_LEVELS = {"individual": (-3, 4), "keypoint": (-2, 2)}
_HEADERS = {"scorer": 3, "individuals": 4, "bodyparts": 2}  # lines of a header, by its words


def read_table(path: str | PathLike[str]) -> Any:
    """Return the data frame of a CSV file, or raise `InputError` that says how to read others.

    Parameters
    ----------
    path : str or path
        A CSV file with one row per frame, plain or with the header of a pose tracker.
    """
    file = Path(fspath(path))
    if file.suffix.lower() != ".csv":
        raise InputError(
            f"xy is the file {file.name!r}; from_positions reads CSV files. For files of "
            "DeepLabCut, LightningPose, SLEAP and NWB give it "
            "movement.io.load_dataset(file, source_software=..., fps=...)"
        )
    if not file.is_file():
        raise InputError(f"xy is {short_repr(fspath(path))}; there is no such file")
    needs("pandas", "from_positions of a file")
    import pandas  # type: ignore[import-untyped]

    with file.open(encoding="utf-8") as lines:
        first = [next(lines, "").split(",")[0].strip() for _ in range(2)]
    header = max((_HEADERS.get(word, 0) for word in first), default=0)
    if not header:
        return pandas.read_csv(file)
    return pandas.read_csv(file, header=list(range(header)), index_col=0)


def is_tracker_table(table: Any) -> bool:
    """Return whether a data frame has columns of several levels, as trackers write them."""
    return getattr(getattr(table, "columns", None), "nlevels", 1) > 1


def point_of(table: Any, keypoint: Any, individual: Any) -> Any:
    """Return the columns of one keypoint of one animal: x, y, and likelihood if there is one.

    Parameters
    ----------
    table : DataFrame
        Its columns have two to four levels: scorer, individual, keypoint, coordinate.
    keypoint, individual : str or None
        What to take. Needed if there are several.
    """
    if table.columns.nlevels > 4 or not {"x", "y"} <= set(table.columns.get_level_values(-1)):
        raise InputError(
            f"xy has columns of {table.columns.nlevels} levels, such as "
            f"{short_repr(table.columns[0])}; they must be scorer, individual, keypoint and "
            "coordinate, of which the first two may be absent, and the last one x and y"
        )
    for name, wanted in (("individual", individual), ("keypoint", keypoint)):
        level, fewest = _LEVELS[name]
        known = _words(table, level) if table.columns.nlevels >= fewest else []
        if wanted is not None and wanted not in known:
            held = f"xy has the {name}s {', '.join(map(repr, known))}" if known else "xy has none"
            raise InputError(f"{name} is {short_repr(wanted)}; {held}")
        if wanted is None and len(known) > 1:
            raise InputError(f"xy has the {name}s {', '.join(map(repr, known))}; say {name}=...")
        if wanted is not None:
            table = table.loc[:, table.columns.get_level_values(level) == wanted]
    scorers = _words(table, 0) if table.columns.nlevels > 2 else []
    if len(scorers) > 1:
        raise InputError(f"xy has the scorers {', '.join(map(repr, scorers))}; choose one: xy[...]")
    return table.set_axis(table.columns.get_level_values(-1), axis=1)


def _words(table: Any, level: int) -> list[Any]:
    return list(dict.fromkeys(table.columns.get_level_values(level)))
