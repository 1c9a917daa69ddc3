"""Work that ends while it is in progress, when another part of it fails or by Ctrl-C.

Python handles a signal between two instructions of its own, and a compiled loop has none. The
loops of the learners therefore run in other threads (`hsr._base.jobs`), and the thread that called
waits for them. Each loop reads the flag of its work at every step, and returns at once when the
flag is set. What it has learned until then is discarded, so that the flag never changes a result.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from hsr._base.arrays import IntArray
from hsr._base.errors import HSRError


class Cancelled(HSRError):
    """The work was cancelled, and has no result."""


_FLAG: ContextVar[IntArray] = ContextVar("flag")


def stop_flag() -> IntArray:
    """Return the flag of the work that this thread does, of shape (1,); a new one for new work."""
    return _FLAG.get(np.zeros(1, dtype=np.int64))


@contextmanager
def stopped_by(flag: IntArray) -> Iterator[None]:
    """Let a flag end what this thread does inside the block."""
    token = _FLAG.set(flag)
    try:
        yield
    finally:
        _FLAG.reset(token)


def check_not_cancelled() -> None:
    """Raise `Cancelled` if the work of this thread was cancelled; for loops in Python."""
    if stop_flag()[0]:
        raise Cancelled("the work was cancelled")


def run_loop(loop: Callable[..., Any], *arguments: Any) -> Any:
    """Return ``loop(flag, *arguments)``, or raise `Cancelled` if the flag was set meanwhile."""
    result = loop(stop_flag(), *arguments)
    check_not_cancelled()
    return result
