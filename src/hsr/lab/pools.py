"""Where requests are computed: three pools of threads, and the places of one socket in each."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

T = TypeVar("T")
PoolName = Literal["quick", "exact", "long"]


@dataclass(frozen=True)
class Quota:
    """How many threads a pool has, and how many of them one socket may use."""

    threads: int
    per_socket: int


QUOTAS: dict[PoolName, Quota] = {
    "quick": Quota(2, 1),  # read mazes, look into kept runs, write scripts
    "exact": Quota(4, 2),  # options, spectra and rows
    "long": Quota(4, 2),  # whole matrices, bases, training, exploration
}


class ThreadPools:
    """The threads of a server, in pools by how long a request takes.

    A long request never delays a quick one, because they use different threads.
    """

    def __init__(self) -> None:
        self._pools = {
            name: ThreadPoolExecutor(quota.threads, f"lab-{name}") for name, quota in QUOTAS.items()
        }
        self._unfinished: set[Future[Any]] = set()

    def submit(self, pool: PoolName, work: Callable[[], T]) -> Future[T]:
        """Start some work, or queue it. A future that is cancelled in the queue never starts."""
        future = self._pools[pool].submit(work)
        self._unfinished.add(future)
        future.add_done_callback(self._unfinished.discard)
        return future

    def end(self, patience: float = 0.5) -> bool:
        """Stop all pools, and return whether their work ended within `patience` seconds.

        Work that has started cannot be stopped.
        """
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
        return not wait(list(self._unfinished), patience).not_done


class SocketPlaces:
    """The places of one socket in the pools.

    A socket has fewer places than a pool has threads, so that it cannot make others wait. A place
    is free again when its thread is. It must not be free earlier: compiled work cannot be stopped,
    and a page gives up a request at every edit of a maze. (`anyio.CapacityLimiter` frees a place
    when the caller gives up. With it, 30 edits in 1.5 seconds left 30 computations running.)
    """

    def __init__(self, pools: ThreadPools) -> None:
        self._pools = pools
        self._free = {name: asyncio.Semaphore(quota.per_socket) for name, quota in QUOTAS.items()}

    async def run(self, pool: PoolName, work: Callable[[], T]) -> T:
        """Return the result of some work. Cancelling drops the result of work that has started."""
        free, loop = self._free[pool], asyncio.get_running_loop()
        await free.acquire()
        future = self._pools.submit(pool, work)

        def release(_: Future[T]) -> None:
            with suppress(RuntimeError):  # the loop may be closed when abandoned work ends
                loop.call_soon_threadsafe(free.release)

        future.add_done_callback(release)
        return await asyncio.wrap_future(future)
