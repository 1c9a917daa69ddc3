"""Files that are there whole or not at all, whatever dies in between.

A file is written under a temporary name in its own folder, synced, renamed over its name, and the
folder is synced. The writer holds a lock on the temporary, which the system lets go when the writer
dies: a temporary that can be locked has no owner and may be removed.
"""

import fcntl
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

TEMPORARY = re.compile(r"\..+\.[0-9a-f]{16}\.tmp")


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Give a file to write; it takes the place of `path` when the block ends well, and vanishes
    when it does not.
    """
    temporary, file = _open_locked(path)
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    sync_folder(path.parent)


def _open_locked(path: Path) -> tuple[Path, BinaryIO]:
    """Return a new temporary for `path`, locked; another one if it was taken for dead before the
    lock was had.
    """
    while True:
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
        file = open(temporary, "xb")  # noqa: SIM115 - the caller closes it
        with suppress(
            OSError
        ):  # some network file systems have no locks; there no temporary is taken for dead
            fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file.fileno()).st_nlink:
            return temporary, file
        file.close()


def write_whole(path: Path, data: bytes) -> None:
    """Write a whole file, so that at no moment there is half of it."""
    with replacing(path) as file:
        file.write(data)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, and sync the entry in each of them."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Ask for the names in a folder to be on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_dead(temporary: Path) -> bool:
    """Remove a temporary that no living process is writing; return whether it was."""
    try:
        with open(temporary, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            temporary.unlink()
    except OSError:
        return False
    return True
