"""`Shelf`: things that are made once for each key, the least recently used put away when there are
too many.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, TypeVar

T = TypeVar("T")


class Shelf(Generic[T]):
    """At most `most` things by key, for any number of threads; whoever asks for one in the making
    waits for it.

    Examples
    --------
    >>> shelf = Shelf(most=1)
    >>> shelf.get("a", lambda: 1), shelf.get("a", lambda: 2)
    (1, 1)
    >>> shelf.get("b", lambda: 3), shelf.kept("a")
    (3, None)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._things: OrderedDict[Hashable, Future[T]] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what is kept under the key, made now if it is not there; what fails is not kept."""
        with self._lock:
            thing = self._things.get(key)
            mine = thing is None
            if thing is None:
                thing = self._things[key] = Future()
                while len(self._things) > self._most:
                    self._things.popitem(last=False)
            else:
                self._things.move_to_end(key)
        if mine:
            try:
                thing.set_result(make())
            except BaseException as error:
                with self._lock:
                    if self._things.get(key) is thing:
                        del self._things[key]
                thing.set_exception(error)
        return thing.result()

    def kept(self, key: Hashable) -> T | None:
        """Return what is kept under the key, None if nothing is."""
        with self._lock:
            thing = self._things.get(key)
            if thing is not None:
                self._things.move_to_end(key)
        return None if thing is None else thing.result()

    def __len__(self) -> int:
        return len(self._things)
