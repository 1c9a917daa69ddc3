"""Where requests are computed: three pools of threads, and the places of one socket in each."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from hsr.toolkit import Cancellation

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
        self._unfinished: dict[Future[Any], Cancellation] = {}

    def submit(
        self, pool: PoolName, work: Callable[[], T], cancellation: Cancellation | None = None
    ) -> Future[T]:
        """Start some work, or queue it. A future that is cancelled in the queue never starts.

        Work that has started is ended by its `cancellation`.
        """
        own = cancellation or Cancellation()

        def run() -> T:
            with own.block():
                return work()

        future = self._pools[pool].submit(run)
        self._unfinished[future] = own
        future.add_done_callback(lambda done: self._unfinished.pop(done, None))
        return future

    def end(self, patience: float = 0.5) -> bool:
        """Stop all pools, and return whether their work ended within `patience` seconds.

        Agents stop at once. Exact computations that have started run to their end.
        """
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
        for cancellation in list(self._unfinished.values()):
            cancellation.cancel()
        return not wait(list(self._unfinished), patience).not_done


class SocketPlaces:
    """The places of one socket in the pools.

    A socket has fewer places than a pool has threads, so that it cannot make others wait. A place
    is free again when its thread is. It must not be free earlier: exact computations run to their
    end, and a page gives up a request at every edit of a maze. (`anyio.CapacityLimiter` frees a
    place when the caller gives up. With it, 30 edits in 1.5 seconds left 30 computations running.)
    """

    def __init__(self, pools: ThreadPools) -> None:
        self._pools = pools
        self._free = {name: asyncio.Semaphore(quota.per_socket) for name, quota in QUOTAS.items()}

    async def run(self, pool: PoolName, work: Callable[[], T]) -> T:
        """Return the result of some work.

        Cancelling ends agents that have started. It drops the result of other work.
        """
        free, loop = self._free[pool], asyncio.get_running_loop()
        await free.acquire()
        cancellation = Cancellation()
        future = self._pools.submit(pool, work, cancellation)

        def release(_: Future[T]) -> None:
            with suppress(RuntimeError):  # the loop may be closed when abandoned work ends
                loop.call_soon_threadsafe(free.release)

        future.add_done_callback(release)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            cancellation.cancel()
            raise
