"""Measure a ratio: medians of several timings of both sides, in one process, one BLAS thread."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from hsr._base.threads import one_thread


def median_seconds(
    work: Callable[[], Any], *, repetitions: int = 5, at_least: float = 0.1
) -> float:
    """Return the median time of one call; short calls are timed in batches of at least 100 ms,
    after one for warming up.
    """
    with one_thread():
        batch, begin = 0, time.perf_counter()
        while batch == 0 or time.perf_counter() - begin < at_least:
            work()
            batch += 1
        times = []
        for _ in range(repetitions):
            begin = time.perf_counter()
            for _ in range(batch):
                work()
            times.append((time.perf_counter() - begin) / batch)
    return float(np.median(times))


def least_cpu_seconds(work: Callable[[], Any], *, repetitions: int = 3) -> float:
    """Return the least processor time of one call, of all threads together, after one call for
    warming up. Unlike the time on the clock it hardly depends on what else the machine does.
    """
    times = []
    with one_thread():
        work()
        for _ in range(repetitions):
            begin = time.process_time()
            work()
            times.append(time.process_time() - begin)
    return min(times)


def row(
    name: str,
    ours: float,
    peer: float,
    *,
    target: float | None,
    error: float | None = None,
    note: str = "",
) -> dict[str, Any]:
    """Return one comparison; `ratio` says how many times faster ours is."""
    times = {"ours_s": ours, "peer_s": peer, "ratio": peer / ours}
    return {"name": name, **times, "target": target, "error": error, "note": note}
