"""Long work in blocks and threads: one thread pool, Ctrl-C between blocks, BLAS in one thread.

Python handles a signal between two instructions of its own, and a compiled kernel has none. Kernels
that may run for long therefore do a block of steps per call (`blocks`), and Python looks for a
signal in between. Kernels run without the interpreter's lock, so that threads keep the cores busy
and share what all of them read. Each job has its own random generator and its own arrays, so that
results do not depend on the number of threads.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for_futures
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from queue import Empty, SimpleQueue
from threading import Event, get_ident
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

from hsr._base.errors import HSRError
from hsr._base.validation import check_count

Job = TypeVar("Job")
Result = TypeVar("Result")
BLOCK = 100_000  # steps of a kernel between two looks for a signal
_SECONDS_BETWEEN_LOOKS = 0.5
_CANCELLED: ContextVar[Event | None] = ContextVar("cancelled", default=None)


class Cancelled(HSRError):
    """The job was cancelled, and has no result."""


@cache
def _controller() -> ThreadpoolController:
    """Return the controller of all BLAS libraries. Finding them is slow, so it is done once."""
    import scipy.linalg.blas  # noqa: F401 - loads SciPy's own BLAS, so that the controller sees it

    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit the BLAS of NumPy and SciPy to one thread inside the block.

    The number of threads decides the order in which sums are added up, and with it their last bits.
    The previous limit is restored afterwards.

    Examples
    --------
    >>> import numpy as np
    >>> with one_thread():
    ...     product = np.ones((2, 2)) @ np.ones(2)
    >>> product
    array([2., 2.])
    """
    with _controller().limit(limits=1):
        yield


def usable_cores() -> int:
    """Return the number of cores that this process may use.

    A container or a cluster job may have fewer than the machine. Where the system cannot say which,
    as on macOS and Windows, it is the number of cores of the machine.
    """
    if hasattr(os, "process_cpu_count"):  # from Python 3.13
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def numba_cores() -> int:
    """Return the usable cores, or fewer if the environment variable NUMBA_NUM_THREADS says so."""
    usable = usable_cores()
    limit = os.environ.get("NUMBA_NUM_THREADS", "")
    return max(1, min(usable, int(limit))) if limit.isdigit() else usable


def check_workers(workers: int | None) -> int:
    """Return the number of threads: by default one for each core that this process may use."""
    return usable_cores() if workers is None else check_count(workers, "workers")


def check_not_cancelled() -> None:
    """Raise `Cancelled` if the job of this thread was cancelled."""
    event = _CANCELLED.get()
    if event is not None and event.is_set():
        raise Cancelled("the work was cancelled")


def blocks(n: int, size: int = 0) -> Iterator[slice]:
    """Yield slices of at most `size`, by default `BLOCK`, that make up ``range(n)``.

    Between two of them Ctrl-C is noticed, in the main thread and in the threads of `run_all`.

    Examples
    --------
    >>> list(blocks(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    size = size or BLOCK
    for first in range(0, n, size):
        check_not_cancelled()
        yield slice(first, min(n, first + size))


def with_progress(steps: Any, progress: bool, title: str) -> Iterable[Any]:
    """Return the steps, with a progress bar around them if that is asked for."""
    if not progress:
        return steps
    from rich.progress import track

    return track(steps, description=title, total=len(steps))


class CallingThread:
    """Lets jobs call a function in the thread that waits for them.

    Users expect their callbacks there: one call at a time, free to draw, print and interrupt.

    Parameters
    ----------
    function : callable
        The function of one argument.
    """

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function, self._thread = function, get_ident()
        self._mail: SimpleQueue[tuple[Any, Future[Any]] | None] = SimpleQueue()

    def call(self, argument: Any) -> Any:
        """Return ``function(argument)``; called by a job, which waits for the answer."""
        if get_ident() == self._thread:
            return self._function(argument)
        reply: Future[Any] = Future()
        self._mail.put((argument, reply))
        while True:
            check_not_cancelled()
            with suppress(TimeoutError):
                return reply.result(timeout=_SECONDS_BETWEEN_LOOKS)

    def answer_until(self, job: "Future[Any]") -> None:
        """Answer calls until a job is done."""
        job.add_done_callback(lambda _: self._mail.put(None))
        while not job.done():
            with suppress(Empty):
                letter = self._mail.get(timeout=_SECONDS_BETWEEN_LOOKS)
                if letter is not None:
                    argument, reply = letter
                    reply.set_result(self._function(argument))


@contextmanager
def thread_pool(
    workers: int, caller: CallingThread | None = None, *, progress: bool = False, title: str = ""
) -> Iterator[Callable[[Callable[..., Any], Sequence[Any]], list[Any]]]:
    """Give a function ``run(work, jobs)`` that returns the results of jobs in their order.

    With one worker, this thread does the jobs. With more, the first error, or Ctrl-C, cancels all
    other jobs: those that have not begun, and at their next block those that run.

    Parameters
    ----------
    workers : int
        Number of threads.
    caller : CallingThread, optional
        What jobs call while this thread waits for them.
    progress, title
        Whether to show a progress bar over jobs, and the text in front of it.
    """
    if workers == 1:
        yield lambda work, jobs: [work(job) for job in with_progress(jobs, progress, title)]
        return
    cancelled = Event()

    def in_thread(work: Callable[[Job], Result], job: Job) -> Result:
        _CANCELLED.set(cancelled)
        return work(job)

    with ThreadPoolExecutor(workers) as pool:

        def run(work: Callable[[Job], Result], jobs: Sequence[Job]) -> list[Result]:
            futures = [pool.submit(in_thread, work, job) for job in jobs]
            for future in with_progress(futures, progress, title):
                if caller is not None:
                    caller.answer_until(future)
                # A signal that comes just before a thread begins to wait is noticed only when it
                # wakes up. So this thread wakes up now and then.
                while not future.done():
                    check_not_cancelled()
                    wait_for_futures([future], timeout=_SECONDS_BETWEEN_LOOKS)
                future.result()  # an error of this job cancels the later ones
            return [future.result() for future in futures]

        try:
            yield run
        except BaseException:
            cancelled.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def run_all(
    work: Callable[[Job], Result],
    jobs: Sequence[Job],
    *,
    workers: int,
    progress: bool = False,
    title: str = "",
    caller: CallingThread | None = None,
) -> list[Result]:
    """Return ``[work(job) for job in jobs]``, computed by several threads.

    Parameters
    ----------
    work : callable
        What to do with one job. It must not depend on other jobs.
    jobs : sequence
        The jobs. Results have the same order.
    workers : int
        The most threads that run at a time.
    progress : bool
        Whether to show a progress bar.
    title : str
        The text in front of the bar.
    caller : CallingThread, optional
        What jobs call while this thread waits for them.

    Examples
    --------
    >>> run_all(lambda n: n * n, [1, 2, 3], workers=2)
    [1, 4, 9]
    """
    workers = max(1, min(workers, len(jobs)))
    with one_thread(), thread_pool(workers, caller, progress=progress, title=title) as run:
        return run(work, jobs)


def in_order(
    work: Callable[[Job], Result], jobs: Sequence[Job], *, progress: bool, title: str = "goals"
) -> Iterator[Result]:
    """Yield the results of all jobs in order, a few at a time, computed on all cores."""
    at_once = 2 * numba_cores()
    with thread_pool(numba_cores()) as run:
        for first in with_progress(range(0, len(jobs), at_once), progress, title):
            yield from run(work, jobs[first : first + at_once])
