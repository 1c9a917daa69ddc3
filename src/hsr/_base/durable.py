"""Write files atomically: a file is complete or absent, even if the process is killed.

A file is written under a temporary name in its own folder, synced to the disk and renamed.
"""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from hsr._base.errors import InputError


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Give a file to write that replaces `path` when the block ends without an error.

    If the block raises, the temporary file is removed and `path` stays as it was.

    Parameters
    ----------
    path : path
        The file to write. If it is a symbolic link, the file that it points to is written.

    Raises
    ------
    InputError
        If there is something other than a regular file at `path`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder) / "numbers.txt") as file:
    ...         _ = file.write(b"1 2 3")
    ...     (Path(folder) / "numbers.txt").read_text()
    '1 2 3'
    """
    target = check_output(path)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)  # after closing, because Windows renames no open file
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(target.parent)


def check_output(path: str | os.PathLike[str]) -> Path:
    """Return the file that is written for a path, after following symbolic links.

    Raises
    ------
    InputError
        If the path names something other than a regular file, which a rename would replace.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise InputError(f"{os.fspath(path)!r} cannot be written: it is not a regular file")
    return target


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file at once, so that no reader ever sees half of it.

    Parameters
    ----------
    path : path
        The file to write, as in `replacing`. Its folder must exist.
    data : bytes
        Its whole content.
    """
    with replacing(path) as file:
        file.write(data)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file at once, in UTF-8 and with the same line ends on every system."""
    write_whole(path, text.encode("utf-8"))


def _sync_folder(folder: Path) -> None:
    """Ask the system to write the names in a folder to the disk, where it can be asked."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows does not open folders
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
