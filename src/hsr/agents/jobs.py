"""Many independent runs on the cores of one process.

Kernels run without the interpreter's lock, so threads keep the cores busy and share what all runs
read. Each run has its own random generator and its own arrays. The number of threads decides when a
run is done, never what it does.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from hsr._base.threads import one_thread

Job = TypeVar("Job")
Result = TypeVar("Result")


def run_all(
    work: Callable[[Job], Result], jobs: Sequence[Job], *, workers: int, progress: bool, title: str
) -> list[Result]:
    """Return ``[work(job) for job in jobs]``, computed by several threads.

    The first error cancels the jobs that have not begun.

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

    Examples
    --------
    >>> run_all(lambda n: n * n, [1, 2, 3], workers=2, progress=False, title="squares")
    [1, 4, 9]
    """
    with one_thread(), ThreadPoolExecutor(min(workers, len(jobs))) as pool:
        futures = [pool.submit(work, job) for job in jobs]
        try:
            if not progress:
                return [future.result() for future in futures]
            from rich.progress import track

            return [future.result() for future in track(futures, description=title)]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
