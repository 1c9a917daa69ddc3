"""Read and replace regular files only.

A named pipe or a device may block its reader for ever or never end. Some files of ``/proc`` claim
to be regular, with 0 bytes, and block too. Nothing beyond the stated size of a file is read.
"""

import os
import stat

from hsr._base.errors import InputError, TooLargeError
from hsr._base.memory import check_fits

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe, not a regular file",
    stat.S_IFSOCK: "a socket, not a regular file",
    stat.S_IFCHR: "a device, not a regular file",
    stat.S_IFBLK: "a device, not a regular file",
}


def check_regular(path: str | os.PathLike[str]) -> int:
    """Return the size of a regular file in bytes, without opening it.

    Raises
    ------
    InputError
        If it is no regular file. The message does not name the file; the caller adds the path.
    OSError
        If there is no such file.
    """
    return _size(os.stat(path))


def read_regular(path: str | os.PathLike[str], most: int | None = None) -> bytes:
    """Return the content of a regular file.

    Parameters
    ----------
    path : path
        The file.
    most : int, optional
        The largest size in bytes that is accepted. Without it, the memory of the machine limits the
        size.

    Raises
    ------
    InputError
        If it is no regular file, or a `TooLargeError` if it is too large. The message does not name
        the file; the caller adds the path.
    OSError
        If there is no such file, or it cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> read_regular(tempfile.gettempdir())
    Traceback (most recent call last):
    hsr._base.errors.InputError: this is a folder
    """
    check_regular(path)
    # The path may name something else by now, which must not block either.
    with open(path, "rb", opener=_without_waiting) as file:
        size = _size(os.fstat(file.fileno()))
        if most is not None and size > most:
            raise TooLargeError(f"the file has {size:,} bytes; at most {most:,} are allowed")
        check_fits(2 * size, f"reading {os.fspath(path)}", "the file is too large")
        return file.read(size)


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # Windows has no such pipes


def _size(status: os.stat_result) -> int:
    kind = stat.S_IFMT(status.st_mode)
    if kind != stat.S_IFREG:
        raise InputError(f"this is {_KINDS.get(kind, 'not a regular file')}")
    return status.st_size
