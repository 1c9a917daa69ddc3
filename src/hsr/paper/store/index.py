"""What is known of every run of a store without reading its file again.

There are two caches: the index, with an `Entry` for each run, and the makers, which only say which
code made each run of which experiment. The second is small and read before every command that runs.
"""

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from hsr.paper.store.record import SCHEMA, written
from hsr.paper.store.run_file import RunFile, StoreError, read_maker
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
    cache: Path, paths: Mapping[str, str], read: Callable[[str], RunFile]
) -> dict[str, Entry]:
    """Return the entry of every run, from the cache where it is still valid, else from the file.

    The index is only a cache. Each entry carries time, size and inode of the file that it was read
    from, and is read again if one of them has changed. A cache whose checksum does not fit is
    ignored. A cache that cannot be written is no error.

    Parameters
    ----------
    cache : Path
        The file that keeps the index between calls.
    paths : mapping
        The path of each run, by its key.
    read : callable
        Returns the run of a key. What it raises for a damaged file is passed on.
    """
    rows = _up_to_date(cache, paths, lambda key: _entry(read(key)))
    return {key: Entry(*row) for key, row in sorted(rows.items())}


def up_to_date_makers(cache: Path, paths: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return the experiment of every run and the code that made it, by key.

    Only the beginning and the end of new files are read. Damaged files are left out.

    Parameters
    ----------
    cache, paths
        As in `up_to_date_index`.
    """
    rows = _up_to_date(cache, paths, lambda key: _maker(paths[key]))
    return {key: (row[0], row[1]) for key, row in rows.items() if row}


def _up_to_date(
    cache: Path, paths: Mapping[str, str], read: Callable[[str], Sequence[Any]]
) -> dict[str, list[Any]]:
    """Return what was read from each file, now or before if the file has not changed since."""
    known = _load(cache)
    current: dict[str, list[Any]] = {}
    for key, path in paths.items():
        stamp, row = _stamp(path), known.get(key)
        current[key] = row if row and row[0] == stamp else [stamp, *read(key)]
    if current != known:
        with suppress(OSError):
            text = written(current)
            write_whole(cache, _header(text) + b"\n" + text)
    return {key: row[1:] for key, row in current.items()}


def _maker(path: str) -> tuple[str, ...]:
    """Return the experiment of a run and what made it, nothing if that cannot be read."""
    try:
        return read_maker(path)
    except StoreError:
        return ()


def _entry(run: RunFile) -> Entry:
    one = run.record
    return Entry(one.experiment, dict(one.setting), one.seed, one.seconds, run.size, run.sha256)


def _stamp(path: str) -> list[int]:
    try:
        status = os.stat(path)
    except OSError as error:
        raise StoreError(f"{path!r} cannot be read: {error.strerror}") from None
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
