"""Work of expected maps on all cores, with results in a fixed order."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from hsr._base.machine import usable_cores


def cores() -> int:
    """Return how many threads to use: the usable cores, or fewer if NUMBA_NUM_THREADS says so."""
    usable = usable_cores()
    limit = os.environ.get("NUMBA_NUM_THREADS", "")
    return max(1, min(usable, int(limit))) if limit.isdigit() else usable


@contextmanager
def threads() -> Iterator[Callable[..., list[Any]]]:
    """Give a function that does jobs on all cores and returns their results in order."""
    if cores() == 1:
        yield lambda work, jobs: [work(job) for job in jobs]
        return
    with ThreadPoolExecutor(cores()) as pool:
        yield lambda work, jobs: list(pool.map(work, jobs))


def in_order(work: Callable[[Any], Any], jobs: Iterable[Any], *, progress: bool) -> Iterator[Any]:
    """Yield the results of all jobs in order, a few at a time, computed by all threads."""
    jobs = list(jobs)
    at_once = 2 * cores()
    with threads() as run:
        for first in with_progress(range(0, len(jobs), at_once), progress):
            yield from run(work, jobs[first : first + at_once])


def parts(n: int, size: int) -> list[slice]:
    """Return slices of at most `size` that make up ``range(n)``."""
    return [slice(first, min(n, first + size)) for first in range(0, n, size)]


def with_progress(steps: Any, progress: bool) -> Iterable[Any]:
    """Return the steps, with a progress bar around them if that is asked for."""
    if not progress:
        return steps
    from rich.progress import track

    return track(steps, description="goals", total=len(steps))
