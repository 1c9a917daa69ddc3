"""Many independent runs on the cores of one process, in the order in which they were asked for.

Kernels run without the interpreter's lock, so threads keep the cores busy and share what all runs
read. Each run has its own random generator and its own arrays; the number of threads changes when a
run is done, never what it does.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from hsr._base.errors import InputError
from hsr._base.threads import one_thread
from hsr._base.validation import check_count

Job = TypeVar("Job")
Result = TypeVar("Result")


def check_seeds(seeds: Any) -> tuple[int, ...]:
    """Return the seeds as integers, all different."""
    if isinstance(seeds, (str, bytes)) or not isinstance(seeds, Iterable):
        raise InputError(
            f"seeds is {seeds!r:.80}; it must be a list of integers, such as range(20)"
        )
    numbers = tuple(check_count(seed, f"seeds[{i}]", least=0) for i, seed in enumerate(seeds))
    if not numbers:
        raise InputError("seeds is empty; there must be at least one")
    seen: dict[int, int] = {}
    for i, seed in enumerate(numbers):
        if seed in seen:
            raise InputError(
                f"seeds[{seen[seed]}] and seeds[{i}] are both {seed}; a repeated seed is the same run again"
            )
        seen[seed] = i
    return numbers


def check_workers(workers: int | None) -> int:
    """Return the number of threads: as many as this process may use cores, unless told otherwise."""
    return len(os.sched_getaffinity(0)) if workers is None else check_count(workers, "workers")


def run_all(
    work: Callable[[Job], Result], jobs: Sequence[Job], *, workers: int, progress: bool, title: str
) -> list[Result]:
    """Return ``[work(job) for job in jobs]``, several at a time; the first error ends what has not
    begun.
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
