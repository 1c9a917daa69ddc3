"""A list of what is stored, kept so that a large store need not be read to find a few runs.

It is a cache and nothing more. Every entry carries the stamp of the file it was read from (time,
size, inode); an entry whose file changed is read again, and a list whose checksum does not fit is
thrown away. A folder that cannot be written to is listed all the same.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from hsr.paper.store.record import SCHEMA, written
from hsr.paper.store.run_file import RunFile, StoreError
from hsr.toolkit import write_whole


class Entry(NamedTuple):
    """One run as the index knows it.

    Attributes
    ----------
    experiment, setting, seed, seconds : as in `Record`
    size : bytes of the file
    sha256 : checksum of its results
    """

    experiment: str
    setting: dict[str, Any]
    seed: int
    seconds: float
    size: int
    sha256: str


def bring_up_to_date(
    cache: Path, paths: Iterable[Path], read: Callable[[str], RunFile]
) -> dict[str, Entry]:
    """Return the entry of every run, from the cache where its stamp still fits and from the file
    elsewhere.

    Parameters
    ----------
    cache : where the index is kept between calls
    paths : the files of the runs, named by their keys
    read : gives the run of a key; what it raises for a damaged file is passed on
    """
    known = _load(cache)
    current: dict[str, list[Any]] = {}
    for path in paths:
        key, stamp = path.stem, _stamp(path)
        row = known.get(key)
        current[key] = row if row and row[0] == stamp else [stamp, *_entry(read(key))]
    if current != known:
        with suppress(OSError):
            _save(cache, current)
    return {key: Entry(*row[1:]) for key, row in sorted(current.items())}


def _entry(run: RunFile) -> Entry:
    record = run.record
    return Entry(
        record.experiment, dict(record.setting), record.seed, record.seconds, run.size, run.sha256
    )


def _stamp(path: Path) -> list[int]:
    try:
        status = os.stat(path)
    except OSError as error:
        raise StoreError(f"{str(path)!r} cannot be read: {error.strerror}") from None
    return [status.st_mtime_ns, status.st_size, status.st_ino]


def _save(cache: Path, rows: dict[str, list[Any]]) -> None:
    text = written(rows)
    about = written({"schema": SCHEMA, "sha256": hashlib.sha256(text).hexdigest()})
    write_whole(cache, about + b"\n" + text)


def _load(cache: Path) -> dict[str, list[Any]]:
    """Return the rows of the last index, or none at all if anything about it is wrong."""
    with suppress(OSError, ValueError):
        first, text = cache.read_bytes().split(b"\n", 1)
        if json.loads(first) == {"schema": SCHEMA, "sha256": hashlib.sha256(text).hexdigest()}:
            rows: dict[str, list[Any]] = json.loads(text)
            return rows
    return {}
