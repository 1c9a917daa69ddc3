"""What the system tells about a process: whether it lives, since when, and how busy it was."""

import os
import platform
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

_PROC = Path("/proc")
_ENDED = b"ZX"  # states of a process that has ended and was not yet removed


class ProcessStatus(NamedTuple):
    """Two times of a process, in ticks of the system.

    Attributes
    ----------
    started : int
        When it was started, counted from the start of the machine. Together with its number this
        identifies a process, because numbers are used again.
    busy : int
        Processor time that it has used so far.
    """

    started: int
    busy: int


def status_of(pid: int) -> ProcessStatus | None:
    """Return the status of a living process. Return None if it has ended or there is no /proc.

    Examples
    --------
    >>> import os
    >>> status_of(os.getpid()) == status_of(0)
    False
    """
    try:
        text = (_PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return None
    fields = text.rpartition(b")")[2].split()  # the name before may contain anything
    if fields[0] in _ENDED:
        return None
    return ProcessStatus(started=int(fields[19]), busy=int(fields[11]) + int(fields[12]))


def lives(pid: int, started: int) -> bool:
    """Return whether the process that had this number and start is alive on this machine."""
    if (_PROC / "self").exists():
        status = status_of(pid)
        return status is not None and status.started == started
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


@cache
def this_machine() -> str:
    """Return a name of all processes that this process can look up by their numbers.

    Containers may share a host name and not their process numbers. After a restart of the machine
    all numbers mean other processes. Both give another name.
    """
    parts = [platform.node()]
    with suppress(OSError):
        parts.append((_PROC / "sys/kernel/random/boot_id").read_text().strip())
    with suppress(OSError):
        parts.append(os.readlink(_PROC / "self/ns/pid"))
    return " ".join(parts)
