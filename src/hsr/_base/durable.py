"""Files that are complete or absent, even if the process is killed.

A file is written under a temporary name in its own folder, synced and renamed, and the folder is
synced. The writer holds a lock on the temporary file, which the system releases when the writer
dies. A temporary file that can be locked is therefore left over and may be removed.
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
    """Give a file to write that replaces `path` when the block ends without an error.

    If the block raises, the temporary file is removed and `path` stays as it was.

    Parameters
    ----------
    path : Path
        The file to write.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder) / "numbers.txt") as file:
    ...         _ = file.write(b"1 2 3")
    ...     (Path(folder) / "numbers.txt").read_text()
    '1 2 3'
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
    """Return a new temporary file for `path`, locked.

    Another process may remove it before it is locked. Then a new one is made.
    """
    while True:
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
        file = open(temporary, "xb")  # noqa: SIM115 - the caller closes it
        # Some network file systems have no locks. There no temporary file is removed.
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file.fileno()).st_nlink:
            return temporary, file
        file.close()


def write_whole(path: Path, data: bytes) -> None:
    """Write a file at once, so that no reader ever sees half of it.

    Parameters
    ----------
    path : Path
        The file to write. Its folder must exist.
    data : bytes
        Its whole content.
    """
    with replacing(path) as file:
        file.write(data)


def make_folder(folder: Path) -> None:
    """Make a folder and its parents, and sync the entry in each of them.

    Without the sync a crash of the machine could lose the folder and all files in it.
    """
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Ask the system to write the names in a folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_dead(temporary: Path) -> bool:
    """Remove a temporary file that no living process is writing. Return whether it was removed."""
    try:
        # Opening a named pipe must not wait for its other end.
        descriptor = os.open(temporary, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
        with open(descriptor, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            temporary.unlink()
    except OSError:
        return False
    return True
