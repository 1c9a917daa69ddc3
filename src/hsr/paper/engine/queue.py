"""`TaskQueue`: the tasks of a driver that are not begun, shared with other drivers of a store."""

import time
from collections import deque
from collections.abc import Sequence

from hsr.paper.engine.job import Task
from hsr.paper.engine.progress import Progress
from hsr.paper.store import Store
from hsr.paper.store.lease import Leases

SECONDS_BETWEEN_TRIES = 0.5


class TaskQueue:
    """Tasks that wait, and the leases of those that this driver has begun.

    A task that another driver works on is put back to the end of the queue, and is tried again
    later. By then its runs are usually stored.

    Parameters
    ----------
    tasks : sequence of Task
        The work, in any order.
    store : Store
        Where records go.
    progress : Progress
        Is notified of runs that another driver has stored.
    """

    def __init__(self, tasks: Sequence[Task], store: Store, progress: Progress) -> None:
        self.waiting = deque(tasks)
        self.store, self.progress = store, progress
        self.leases = Leases(store.folder / "leases")
        self._next_try = 0.0
        self._user_knows = False

    def next(self) -> Task | None:
        """Return a task that no other driver works on, without the runs that are stored by now."""
        if time.monotonic() < self._next_try:
            return None
        for _ in range(len(self.waiting)):
            task = self.waiting.popleft()
            if not self.leases.take(task.job.lease):
                self.waiting.append(task)
                continue
            left = task.missing(self.store)
            stored = tuple(seed for seed in task.seeds if seed not in left)
            self.progress.note_skipped(task, stored)
            if left:
                return Task(task.job, left)
            self.release(task)
        if self.waiting:
            self._next_try = time.monotonic() + SECONDS_BETWEEN_TRIES
        return None

    def release(self, task: Task) -> None:
        """Note that this driver does not work on a task any more."""
        self.leases.release(task.job.lease)

    def say_waiting(self) -> None:
        """Say once that the rest of the work is being done by others."""
        if self.waiting and not self._user_knows:
            self._user_knows = True
            holder = self.leases.holder(self.waiting[0].job.lease)
            n = len(self.waiting)
            self.progress.refresh(
                f"waiting for {n} {'job' if n == 1 else 'jobs'} that {holder} is running"
            )

    def touch(self) -> None:
        """Show other drivers that this one is alive. Call this often."""
        self.leases.touch()

    def close(self) -> None:
        """Give back every lease. The queue can be used again."""
        self.leases.close()
