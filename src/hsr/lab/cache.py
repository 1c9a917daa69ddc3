"""`Cache`: values that are computed once per key, for any number of threads."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, TypeVar

from hsr.toolkit import Cancelled

T = TypeVar("T")


class Cache(Generic[T]):
    """At most `size` values by key; the least recently used value is dropped first.

    A thread that asks for a value while another thread computes it waits for that computation.
    (`functools.lru_cache` would compute the value in both threads.)

    Parameters
    ----------
    size : int
        How many values are kept.

    Examples
    --------
    >>> cache = Cache(size=1)
    >>> cache.get("a", lambda: 1), cache.get("a", lambda: 2)
    (1, 1)
    >>> cache.get("b", lambda: 3), cache.find("a")
    (3, None)
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, Future[T]] = OrderedDict()

    def get(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the value of a key, computed now if it is missing. A failure is not kept.

        If another thread computes the value and is cancelled, this thread begins again.
        """
        while True:
            value, missing = self._entry(key)
            if missing:
                self._fill(key, value, compute)
            try:
                return value.result()
            except Cancelled:
                if missing:
                    raise

    def _entry(self, key: Hashable) -> tuple[Future[T], bool]:
        """Return the place of a value, and whether it is new, so that the caller has to fill it."""
        with self._lock:
            value = self._values.get(key)
            missing = value is None
            if value is None:
                value = self._values[key] = Future()
                while len(self._values) > self._size:
                    self._values.popitem(last=False)
            else:
                self._values.move_to_end(key)
        return value, missing

    def _fill(self, key: Hashable, value: Future[T], compute: Callable[[], T]) -> None:
        try:
            value.set_result(compute())
        except BaseException as error:
            with self._lock:
                if self._values.get(key) is value:
                    del self._values[key]
            value.set_exception(error)

    def find(self, key: Hashable) -> T | None:
        """Return the value of a key, or None if it is not kept."""
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
        try:
            return None if value is None else value.result()
        except Cancelled:
            return None

    def __len__(self) -> int:
        return len(self._values)
