"""Refuse an array that does not fit in memory, before it is allocated."""

import os
import sys
from pathlib import Path

from hsr._base.errors import TooLargeError


def available_bytes() -> int:
    """Return the bytes of memory that are available without swapping.

    If that is not known, it is the total memory of the machine.
    """
    return min(_of_machine(), _of_control_group())


def _of_machine() -> int:
    """Return the memory that Linux reports as available, or the total memory on macOS.

    Windows never promises more memory than it has, so there NumPy's own `MemoryError` is enough.
    """
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return 1024 * next(
            int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")
        )
    except (OSError, StopIteration):
        if not hasattr(os, "sysconf"):
            return sys.maxsize
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _of_control_group(folder: Path = Path("/sys/fs/cgroup")) -> int:
    """Return what a container or a cluster job has left, or a huge number without a limit."""
    try:
        most, used = (
            (folder / name).read_text(encoding="ascii").strip()
            for name in ("memory.max", "memory.current")
        )
        return int(most) - int(used)
    except (OSError, ValueError):
        return sys.maxsize


def check_fits(n_bytes: int, what: str, instead: str) -> None:
    """Raise `TooLargeError` if something needs more memory than is available.

    Requests below 64 MiB are not checked.

    Parameters
    ----------
    n_bytes : int
        The bytes that it needs.
    what : str
        What needs them, for the message.
    instead : str
        What to do instead, for the message.

    Examples
    --------
    >>> check_fits(2**70, "the dense map", "use .rows(states)")
    Traceback (most recent call last):
    hsr._base.errors.TooLargeError: the dense map needs 1,180,591,620,717,411,303,424 bytes ...
    """
    if n_bytes < 2**26:
        return
    available = available_bytes()
    if n_bytes > available:
        raise TooLargeError(
            f"{what} needs {n_bytes:,} bytes ({n_bytes / 2**30:.1f} GiB) "
            f"and {available:,} are available; {instead}"
        )
