"""Refuse an allocation that cannot fit, before it is tried."""

import os
import sys
from pathlib import Path

from hsr._base.errors import TooLargeError


def available_bytes() -> int:
    """Return the bytes of memory that can be had without swapping (the machine's whole memory where
    unknown).
    """
    return min(_of_machine(), _of_control_group())


def _of_machine() -> int:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return 1024 * next(
            int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")
        )
    except (OSError, StopIteration):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _of_control_group(folder: Path = Path("/sys/fs/cgroup")) -> int:
    """Return what a container or a cluster's job has left; there is no limit where it says nothing."""
    try:
        most, used = (
            (folder / name).read_text(encoding="ascii").strip()
            for name in ("memory.max", "memory.current")
        )
        return int(most) - int(used)
    except (OSError, ValueError):
        return sys.maxsize


def check_fits(n_bytes: int, what: str, instead: str) -> None:
    """Raise `TooLargeError` when `what` needs more memory than there is; small requests are not
    looked at.
    """
    if n_bytes < 2**26:
        return
    available = available_bytes()
    if n_bytes > available:
        raise TooLargeError(
            f"{what} needs {n_bytes:,} bytes ({n_bytes / 2**30:.1f} GiB) and {available:,} are available; {instead}"
        )
