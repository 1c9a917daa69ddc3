"""Many independent runs on the cores of one process.

Kernels run without the interpreter's lock, so threads keep the cores busy and share what all runs
read. Each run has its own random generator and its own arrays. The number of threads decides when a
run is done, never what it does. The thread that called only waits, so that Ctrl-C reaches it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Any, TypeVar

from hsr._base.cancelling import Cancelled, run_loop, stop_flag, stopped_by
from hsr._base.threads import one_thread

Job = TypeVar("Job")
Result = TypeVar("Result")
_SECONDS_BETWEEN_LOOKS = 0.5


class CallingThread:
    """Lets jobs call a function in the thread that waits for them.

    Users expect their callbacks there: one call at a time, free to draw, print and interrupt.

    Parameters
    ----------
    answer : callable
        The function.
    """

    def __init__(self, answer: Callable[[Any], Any]) -> None:
        self._answer = answer
        self._lock = Lock()  # no question is asked after the last was answered
        self._closed = False
        self._mail: SimpleQueue[tuple[Any, Future[Any]] | Future[Any]] = SimpleQueue()

    def ask(self, question: Any) -> Any:
        """Return ``answer(question)``; called by a job, which waits."""
        reply: Future[Any] = Future()
        with self._lock:
            if self._closed:
                raise Cancelled("the question will not be answered")
            self._mail.put((question, reply))
        return reply.result()

    def finished(self, jobs: Sequence["Future[Result]"]) -> Iterator["Future[Result]"]:
        """Yield jobs as they finish, and answer questions in between."""
        for job in jobs:
            job.add_done_callback(self._mail.put)
        n_left = len(jobs)
        while n_left:
            try:
                letter = self._mail.get(timeout=_SECONDS_BETWEEN_LOOKS)
            except Empty:
                continue
            if isinstance(letter, Future):
                n_left -= 1
                yield letter
            else:
                question, reply = letter
                try:
                    reply.set_result(self._answer(question))
                except BaseException:
                    reply.set_exception(Cancelled("the question will not be answered"))
                    raise

    def close(self) -> None:
        """End the jobs that wait for an answer, and those that ask later."""
        with self._lock:
            self._closed = True
        while not self._mail.empty():
            letter = self._mail.get()
            if not isinstance(letter, Future):
                letter[1].set_exception(Cancelled("the question will not be answered"))


def run_all(
    work: Callable[[Job], Result],
    jobs: Sequence[Job],
    *,
    workers: int,
    progress: bool,
    title: str,
    caller: CallingThread | None = None,
) -> list[Result]:
    """Return ``[work(job) for job in jobs]``, computed by several threads.

    The first error, or Ctrl-C, cancels all other jobs: those that have not begun, those that ask
    the calling thread, and the loops of those that run.

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
        What jobs ask while this thread waits for them.

    Examples
    --------
    >>> run_all(lambda n: n * n, [1, 2, 3], workers=2, progress=False, title="squares")
    [1, 4, 9]
    """
    flag = stop_flag()  # that of the work around this one, if there is any

    def run(job: Job) -> Result:
        with stopped_by(flag):
            return work(job)

    with one_thread(), ThreadPoolExecutor(min(workers, len(jobs))) as pool:
        try:
            futures = [pool.submit(run, job) for job in jobs]
            finished: Iterable[Future[Result]] = (
                futures if caller is None else caller.finished(futures)
            )
            if progress:
                from rich.progress import track

                finished = track(finished, description=title, total=len(futures))
            for future in finished:
                wait_for(future)
            return [future.result() for future in futures]
        except BaseException:
            flag[0] = 1
            if caller is not None:
                caller.close()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def run_alone(loop: Callable[..., Any], *arguments: Any) -> Any:
    """Return ``loop(flag, *arguments)`` of a compiled loop, computed by another thread.

    Parameters
    ----------
    loop : callable
        A kernel that returns as soon as its flag is set.
    arguments
        Its other arguments.
    """
    flag = stop_flag()

    def run() -> Any:
        with stopped_by(flag):
            return run_loop(loop, *arguments)

    with ThreadPoolExecutor(1) as pool:
        try:
            return wait_for(pool.submit(run))
        except BaseException:
            flag[0] = 1
            raise


def wait_for(future: "Future[Result]") -> Result:
    """Return the result of a job when it is done.

    A signal that comes just before a thread begins to wait is noticed only when it wakes up. This
    thread therefore wakes up now and then, so that no Ctrl-C is lost.
    """
    while not future.done():
        wait([future], timeout=_SECONDS_BETWEEN_LOOKS)
    return future.result()
