"""A watch over the workers of the local engine: which of them hang."""

import math
import time
from typing import NamedTuple

from hsr.paper.store.process import status_of

SECONDS_WITHOUT_LIFE = 60.0
MUTE_FACTOR = 10  # how much longer a busy worker may send no heartbeat
_LONGEST_LOOK = 1.0
_BEATS_IN_TIME = 4  # heartbeats within the time after which a worker counts as hung
_MOST_SECONDS_BETWEEN_BEATS = 5.0


class Limits(NamedTuple):
    """How long a worker may show no life, and how long it may finish no run, in seconds."""

    worker_timeout: float = SECONDS_WITHOUT_LIFE
    run_timeout: float = math.inf

    @property
    def seconds_between_beats(self) -> float:
        """How often a worker should send a heartbeat."""
        return min(_MOST_SECONDS_BETWEEN_BEATS, self.worker_timeout / _BEATS_IN_TIME)


class Stopwatch:
    """Measures the time in which the driver itself was running.

    If the whole machine sleeps, or the driver is stopped with its workers, no worker can be heard
    for a long time. A gap between two looks therefore counts as one second at most.
    """

    def __init__(self) -> None:
        self._last = time.monotonic()

    def lap(self) -> float:
        """Return the seconds since the last call, without gaps."""
        now = time.monotonic()
        elapsed, self._last = now - self._last, now
        return min(elapsed, _LONGEST_LOOK)


class Watch:
    """How long one worker has shown no life and has finished no run.

    Heartbeats and processor time are signs of life. Compiled code that holds the lock of the
    interpreter keeps the thread of the heartbeat from running, and may be at work all the same. It
    is given `MUTE_FACTOR` times as long. Where the processor time of a process cannot be read, only
    heartbeats count.

    Parameters
    ----------
    pid : int
        The process of the worker.
    limits : Limits
        The longest times.
    """

    def __init__(self, pid: int, limits: Limits) -> None:
        self.pid, self.limits = pid, limits
        self.still = self.mute = self.unfinished = 0.0
        self._busy = 0

    def heard(self) -> None:
        """Note a message of the worker."""
        self.still = self.mute = 0.0

    def progressed(self) -> None:
        """Note that the worker has begun a task or finished a run."""
        self.unfinished = 0.0

    def fault(self, seconds: float, *, working: bool) -> str:
        """Let some time pass, and return what is wrong with the worker, if anything."""
        self.still += seconds
        self.mute += seconds
        self.unfinished = self.unfinished + seconds if working else 0.0
        if self.still > self.limits.seconds_between_beats and self._was_busy():
            self.still = 0.0
        if self.still > self.limits.worker_timeout:
            return f"it showed no sign of life for {self.still:.0f} s"
        if self.mute > self.limits.worker_timeout * MUTE_FACTOR:
            return f"it was busy and sent no heartbeat for {self.mute:.0f} s"
        if self.unfinished > self.limits.run_timeout:
            return f"it finished no run for {self.unfinished:.0f} s"
        return ""

    def _was_busy(self) -> bool:
        """Return whether the process has used processor time since the last call."""
        status = status_of(self.pid)
        before, self._busy = self._busy, status.busy if status else self._busy
        return self._busy > before
