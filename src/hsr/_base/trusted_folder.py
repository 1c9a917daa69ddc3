"""Folders that only their owner can change, for files that are executed when they are read."""

import os
import stat
from pathlib import Path

_WRITABLE = stat.S_IWGRP | stat.S_IWOTH


def make_private(folder: Path) -> None:
    """Make a folder, and its parent, that only the present user can enter."""
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def fault_of(folder: Path) -> str | None:
    """Return why another user could put files into a folder or replace it, or None.

    The folder must belong to the present user, and nobody else may write to it. Its parent may also
    belong to the system. If others can write to the parent, it must have the sticky bit, as
    ``/tmp`` has, so that they cannot replace the folder.

    Parameters
    ----------
    folder : Path
        An existing folder.

    Raises
    ------
    OSError
        If the folder or its parent cannot be examined.
    """
    user = os.geteuid()
    own, parent = folder.stat(), folder.parent.stat()
    if own.st_uid != user:
        return f"{str(folder)!r} belongs to another user (uid {own.st_uid})"
    if parent.st_uid not in (user, 0):
        return f"{str(folder.parent)!r} belongs to another user (uid {parent.st_uid})"
    if own.st_mode & _WRITABLE:
        return f"other users can write to {str(folder)!r}"
    if parent.st_mode & _WRITABLE and not parent.st_mode & stat.S_ISVTX:
        return f"other users can write to {str(folder.parent)!r}"
    return None
