"""A worker's lifeline: no worker outlives its driver, however the driver ends and whatever the
worker is doing.
"""

import ctypes
import os
import signal
import sys
import threading
import time

_PR_SET_PDEATHSIG = 1
_SECONDS_BETWEEN_LOOKS = 0.5


def die_with(driver: int) -> None:
    """End this process soon after the process `driver`, its parent, has ended.

    On Linux the kernel does it, even while compiled code holds the interpreter's lock. Everywhere a
    thread looks after the parent: a process whose parent has ended is given another one.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    threading.Thread(target=_watch, args=(driver,), name="lifeline", daemon=True).start()


def _watch(driver: int) -> None:
    while os.getppid() == driver:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    os._exit(1)
