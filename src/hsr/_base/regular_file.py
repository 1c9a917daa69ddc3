"""Read regular files only, and none that is larger than expected.

A named pipe or a device may block its reader for ever or never end. Some files of ``/proc`` claim
to be regular, with 0 bytes, and block too. Nothing beyond the stated size of a file is read.
"""

import os
import stat
from pathlib import Path

from hsr._base.errors import InputError, TooLargeError
from hsr._base.memory import check_fits

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe, not a regular file",
    stat.S_IFSOCK: "a socket, not a regular file",
    stat.S_IFCHR: "a device, not a regular file",
    stat.S_IFBLK: "a device, not a regular file",
}


def size_of(path: str | os.PathLike[str], most: int | None = None) -> int:
    """Return the size of a regular file in bytes, without opening it.

    Parameters
    ----------
    path : path
        The file.
    most : int, optional
        The largest size in bytes that is accepted.

    Raises
    ------
    InputError
        If it is no regular file. If it is too large, the error is a `TooLargeError`. The message
        does not name the file; the caller adds the path.
    OSError
        If there is no such file.
    """
    return _checked_size(os.stat(Path(path)), most)


def read_regular(path: str | os.PathLike[str], most: int | None = None) -> bytes:
    """Return the content of a regular file.

    Parameters
    ----------
    path, most
        As in `size_of`. Without `most`, the memory of the machine limits the size.

    Raises
    ------
    InputError, OSError
        As in `size_of`, or if the file cannot be read.

    Examples
    --------
    >>> read_regular("/dev/null")
    Traceback (most recent call last):
    hsr._base.errors.InputError: this is a device, not a regular file
    """
    size_of(path, most)
    # The path may name something else by now, which must not block either.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        size = _checked_size(os.fstat(descriptor), most)
        check_fits(2 * size, f"reading {Path(path).name}", "the file is too large")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(size)
    finally:
        os.close(descriptor)


def _checked_size(status: os.stat_result, most: int | None) -> int:
    kind = stat.S_IFMT(status.st_mode)
    if kind != stat.S_IFREG:
        raise InputError(f"this is {_KINDS.get(kind, 'not a regular file')}")
    if most is not None and status.st_size > most:
        raise TooLargeError(f"the file has {status.st_size:,} bytes; at most {most:,} are allowed")
    return status.st_size
