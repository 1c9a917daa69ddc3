"""A worker process of the local engine: takes tasks from a pipe and stores their records.

It sends ``("ready", None)`` once, then for each task the outcomes of `work.outcomes_of` and
``("over", None)``.
"""

import ctypes
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

from hsr.paper.engine.work import outcomes_of
from hsr.paper.store import Store

_PR_SET_PDEATHSIG = 1
_SECONDS_BETWEEN_LOOKS = 0.5


def work_for(driver: int, pipe: Connection, folder: Path) -> None:
    """Work on the tasks that come through the pipe until it closes or the driver ends."""
    die_with(driver)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    store = Store(folder)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        pipe.send(("ready", None))
        while True:
            for outcome in outcomes_of(pipe.recv(), store):
                pipe.send(outcome)
            pipe.send(("over", None))


def die_with(driver: int) -> None:
    """End this process soon after its parent, the process `driver`, has ended.

    On Linux the kernel does this, even while compiled code holds the interpreter's lock. On every
    system a thread also watches the parent: a process whose parent has ended gets another one.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    threading.Thread(target=_watch, args=(driver,), name="watch-driver", daemon=True).start()


def _watch(driver: int) -> None:
    while os.getppid() == driver:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    os._exit(1)
