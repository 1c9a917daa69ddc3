"""Work that can be ended while it is in progress, from another thread or by Ctrl-C.

Python handles a signal between two instructions of its own, and a compiled loop has none. The
loops of the learners therefore run in other threads (`hsr._base.jobs`), and the thread that called
waits for them. Each loop reads the flag of its `Cancellation` at every step, and returns at once
when the flag is set. What it has learned until then is discarded, so that the flag never changes a
result.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Any

import numpy as np

from hsr._base.errors import HSRError


class Cancelled(HSRError):
    """The work was cancelled, and has no result."""


class Cancellation:
    """Lets one thread end what another thread computes.

    Calls of `train`, `explore`, `learn_sr`, `learn_hsr`, `learn_options` and `learn_plans` in a
    `block` end with `Cancelled` soon after another thread has called `cancel`. So do expected maps
    and NMF, between two tasks or iterations. Other exact computations run to their end.

    Attributes
    ----------
    flag : int array of shape (1,)
        1 after `cancel`, otherwise 0. Compiled loops read it.

    Examples
    --------
    >>> import hsr
    >>> from threading import Timer
    >>> mdp, cancellation = hsr.grid_mdp("four_rooms", discount=0.9), Cancellation()
    >>> Timer(0.01, cancellation.cancel).start()
    >>> with cancellation.block():
    ...     M = hsr.learn_sr(mdp, steps=10**15)
    Traceback (most recent call last):
    hsr._base.cancelling.Cancelled: the work was cancelled
    """

    def __init__(self) -> None:
        self.flag = np.zeros(1, dtype=np.int64)
        self._lock = Lock()
        self._inner: set[Cancellation] = set()

    def cancel(self) -> None:
        """End the work of all blocks, from any thread. Blocks that begin later end at once."""
        with self._lock:
            self.flag[0] = 1
            inner = tuple(self._inner)
        for one in inner:
            one.cancel()

    @contextmanager
    def block(self) -> Iterator[None]:
        """Return a block of code, for ``with``, in which the work of this thread can be ended."""
        token = _CURRENT.set(self)
        try:
            yield
        finally:
            _CURRENT.reset(token)

    @contextmanager
    def _containing(self, inner: "Cancellation") -> Iterator[None]:
        """Cancel `inner` too if this is cancelled inside the block, or was before."""
        with self._lock:
            self._inner.add(inner)
        try:
            if self.flag[0]:
                inner.cancel()
            yield
        finally:
            with self._lock:
                self._inner.discard(inner)


_CURRENT: ContextVar[Cancellation] = ContextVar("cancellation")


def _current() -> Cancellation:
    """Return what can cancel the work of this thread."""
    return _CURRENT.get(None) or Cancellation()


@contextmanager
def cancelled_on_error() -> Iterator[Cancellation]:
    """Return a block of code, for ``with``, and what is cancelled if the block raises anything.

    It is cancelled with the work around it, too.
    """
    own = Cancellation()
    with _current()._containing(own):
        try:
            yield own
        except BaseException:
            own.cancel()
            raise


def check_not_cancelled() -> None:
    """Raise `Cancelled` if the work of this thread was cancelled; for loops in Python."""
    _raise_if_set(_current())


def run_loop(loop: Callable[..., Any], *arguments: Any) -> Any:
    """Return ``loop(flag, *arguments)``, or raise `Cancelled` if the flag was set meanwhile."""
    current = _current()
    result = loop(current.flag, *arguments)
    _raise_if_set(current)
    return result


def _raise_if_set(cancellation: Cancellation) -> None:
    if cancellation.flag[0]:
        raise Cancelled("the work was cancelled")
