"""A request to stop: Ctrl-C or a polite kill, noticed between two steps instead of in the middle of
one.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stop_requests() -> Iterator[threading.Event]:
    """Yield an event that SIGINT and SIGTERM set inside the block; the former handlers come back
    after it.

    A signal that the process ignores stays ignored, as `nohup` and shells without job control ask
    for. Outside the main thread, where Python handles no signals, the event is never set.
    """
    asked = threading.Event()

    def ask(number: int, frame: FrameType | None) -> None:
        asked.set()

    former = {}
    if threading.current_thread() is threading.main_thread():
        heard = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        former = {number: signal.signal(number, ask) for number in heard}
    try:
        yield asked
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
