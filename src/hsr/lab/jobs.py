"""Where the work is done: a few threads in three lanes, so that slow work never stands in front of
quick work.

- `quick`: reading maps, looking into kept runs, writing scripts;
- `maps`: options, spectra and rows;
- `long`: whole maps, bases, training, exploring.

A socket uses fewer threads of a lane than the lane has, so that it cannot keep another waiting.
Compiled work cannot be stopped; when it is given up its result is dropped, and its place is free
again once it ends.
"""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

T = TypeVar("T")
Task = tuple[Future[Any], Callable[[], Any]]


@dataclass(frozen=True)
class Lane:
    """How many threads a kind of work has, and how many of them one socket may use."""

    threads: int
    of_socket: int


LANES = {"quick": Lane(2, 1), "maps": Lane(4, 2), "long": Lane(4, 2)}
LANE_OF = {
    **dict.fromkeys(("presets", "maze", "check", "path", "values", "python"), "quick"),
    **dict.fromkeys(("world", "rows"), "maps"),
    **dict.fromkeys(("matrix", "basis", "train", "explore"), "long"),
}


class Crew(Generic[T]):
    """Some threads that do what is handed to them, in order; they never keep the program from
    ending.
    """

    def __init__(self, n_threads: int, name: str) -> None:
        self._tasks: SimpleQueue[Task | None] = SimpleQueue()
        self._threads = [
            threading.Thread(target=self._work, name=f"lab-{name}-{i}", daemon=True)
            for i in range(n_threads)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Hand over some work; a future that is cancelled before its turn is left out."""
        future: Future[T] = Future()
        self._tasks.put((future, work))
        return future

    def end(self, deadline: float) -> bool:
        """Let the threads go once they have done what is in work, and return whether they went
        before the deadline.
        """
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            future, work = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)
            del task, future, work  # a waiting thread holds on to nothing


class Crews:
    """The threads of a server, by lane."""

    def __init__(self) -> None:
        self._crews: dict[str, Crew[Any]] = {
            name: Crew(lane.threads, name) for name, lane in LANES.items()
        }

    def submit(self, lane: str, work: Callable[[], T]) -> Future[T]:
        """Hand over some work to a lane."""
        return self._crews[lane].submit(work)

    def end(self, patience: float = 0.5) -> bool:
        """Let all threads go, and return whether they went; those that are at work cannot be
        stopped.
        """
        deadline = time.monotonic() + patience
        went = [crew.end(deadline) for crew in self._crews.values()]
        return all(went)


class Places:
    """The places that one socket has in each lane."""

    def __init__(self, crews: Crews) -> None:
        self._crews = crews
        self._free = {name: asyncio.Semaphore(lane.of_socket) for name, lane in LANES.items()}

    async def run(self, lane: str, work: Callable[[], T]) -> T:
        """Return what the work returns; cancelling gives it up, and its place is free when its
        thread is.
        """
        free, loop = self._free[lane], asyncio.get_running_loop()
        await free.acquire()
        future = self._crews.submit(lane, work)

        def release(_: Future[T]) -> None:
            with suppress(
                RuntimeError
            ):  # the loop may be gone when work ends that nobody waits for
                loop.call_soon_threadsafe(free.release)

        future.add_done_callback(release)
        return await asyncio.wrap_future(future)
