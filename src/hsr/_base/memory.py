"""Refuse an allocation that cannot fit, before it is tried."""

import os

from hsr._base.errors import TooLargeError


def available_bytes() -> int:
    """Return the bytes of memory that can be had without swapping (the machine's whole memory where unknown)."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def check_fits(n_bytes: int, what: str, instead: str) -> None:
    """Raise `TooLargeError` when `what` needs more memory than there is; small requests are not looked at."""
    if n_bytes < 2**26:
        return
    available = available_bytes()
    if n_bytes > available:
        raise TooLargeError(
            f"{what} needs {n_bytes:,} bytes ({n_bytes / 2**30:.1f} GiB) and {available:,} are available; {instead}"
        )
