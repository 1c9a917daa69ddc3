"""A worker process of the local engine: takes tasks from a pipe and stores their records.

It sends ``("ready", None)`` once, then for each task the outcomes of `work.outcomes_of` and
``("over", None)``, and ``("beat", None)`` again and again to show that it is alive.
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
from typing import Any

from hsr.paper.engine.work import outcomes_of
from hsr.paper.store import Store

_PR_SET_PDEATHSIG = 1
_SECONDS_BETWEEN_LOOKS = 0.5


class Sender:
    """The worker's end of the pipe, for several threads that send."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe, self._lock = pipe, threading.Lock()

    def send(self, what: str, value: Any = None) -> None:
        """Send a message as a whole."""
        with self._lock:
            self._pipe.send((what, value))


def work_for(driver: int, pipe: Connection, folder: Path, seconds_between_beats: float) -> None:
    """Work on the tasks that come through the pipe until it closes or the driver ends.

    Parameters
    ----------
    driver : int
        The process of the driver.
    pipe : Connection
        The worker's end of the pipe.
    folder : Path
        The folder of the store.
    seconds_between_beats : float
        How often the worker shows that it is alive. A thread of its own does this, which runs while
        compiled code works, because that code gives up the lock of the interpreter.
    """
    die_with(driver)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    store, sender = Store(folder), Sender(pipe)
    beating = threading.Thread(
        target=_beat, args=(sender, seconds_between_beats), name="heartbeat", daemon=True
    )
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        sender.send("ready")
        beating.start()
        while True:
            for what, value in outcomes_of(pipe.recv(), store):
                sender.send(what, value)
            sender.send("over")


def _beat(sender: Sender, seconds: float) -> None:
    with suppress(OSError):
        while True:
            time.sleep(seconds)
            sender.send("beat")


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
