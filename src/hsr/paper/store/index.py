"""The index of a store: what is known of every run without reading its file again."""

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from hsr.paper.store.record import SCHEMA, written
from hsr.paper.store.run_file import RunFile, StoreError
from hsr.toolkit import read_regular, write_whole


class Entry(NamedTuple):
    """One run in the index of a store.

    Attributes
    ----------
    experiment, setting, seed, seconds
        As in `Record`.
    size : int
        Size of the file in bytes.
    sha256 : str
        Checksum of the results.
    """

    experiment: str
    setting: dict[str, Any]
    seed: int
    seconds: float
    size: int
    sha256: str


def up_to_date_index(
    cache: Path, paths: Iterable[Path], read: Callable[[str], RunFile]
) -> dict[str, Entry]:
    """Return the entry of every run, from the cache where it is still valid, else from the file.

    The index is only a cache. Each entry carries time, size and inode of the file that it was read
    from, and is read again if one of them has changed. A cache whose checksum does not fit is
    ignored. A cache that cannot be written is no error.

    Parameters
    ----------
    cache : Path
        The file that keeps the index between calls.
    paths : iterable of Path
        The files of the runs, named by their keys.
    read : callable
        Returns the run of a key. What it raises for a damaged file is passed on.
    """
    known = _load(cache)
    current: dict[str, list[Any]] = {}
    for path in paths:
        key, stamp = path.stem, _stamp(path)
        row = known.get(key)
        current[key] = row if row and row[0] == stamp else [stamp, *_entry(read(key))]
    if current != known:
        with suppress(OSError):
            text = written(current)
            write_whole(cache, _header(text) + b"\n" + text)
    return {key: Entry(*row[1:]) for key, row in sorted(current.items())}


def _entry(run: RunFile) -> Entry:
    one = run.record
    return Entry(one.experiment, dict(one.setting), one.seed, one.seconds, run.size, run.sha256)


def _stamp(path: Path) -> list[int]:
    try:
        status = os.stat(path)
    except OSError as error:
        raise StoreError(f"{str(path)!r} cannot be read: {error.strerror}") from None
    return [status.st_mtime_ns, status.st_size, status.st_ino]


def _header(text: bytes) -> bytes:
    return written({"schema": SCHEMA, "sha256": hashlib.sha256(text).hexdigest()})


def _load(cache: Path) -> dict[str, list[Any]]:
    """Return the rows of the last index, or none if anything about it is wrong."""
    with suppress(OSError, ValueError):
        header, text = read_regular(cache).split(b"\n", 1)
        if header == _header(text):
            rows: dict[str, list[Any]] = json.loads(text)
            return rows
    return {}
