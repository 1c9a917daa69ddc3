"""The local engine: a small pool of processes on this machine that survives the death of each."""

from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from threading import Event
from typing import Any, cast

from hsr.paper.engine.job import Task
from hsr.paper.engine.progress import Progress
from hsr.paper.engine.queue import TaskQueue
from hsr.paper.engine.spawning import Worker, end_of, start_worker
from hsr.paper.engine.watch import Limits, Stopwatch
from hsr.paper.store import Store, StoreError

_SECONDS_BETWEEN_LOOKS = 0.2
_NO_START = "no worker could start"


def run_locally(
    tasks: Sequence[Task],
    store: Store,
    progress: Progress,
    stop: Event,
    *,
    workers: int,
    limits: Limits,
) -> None:
    """Run every task in worker processes of this machine, until all are done or `stop` is set.

    Workers are spawned, so that none inherits threads or locks. Each has its own pipe to the
    driver, and a pipe that closes early means that its worker died. (The pools of the standard
    library give up all their work when one process dies.) A worker that died is replaced, and its
    unfinished seeds are tried once more in the new process. A worker that hangs is killed, and is
    then treated as one that died. Workers write records to the store themselves. Only heartbeats
    and the outcomes of `work.outcomes_of` are sent to the driver.

    The driver takes a lease of each task that it sends. A task that another driver works on is put
    back to the end of the queue.

    Parameters
    ----------
    tasks : sequence of Task
        The work, in any order.
    store : Store
        Where workers put records.
    progress : Progress
        Is notified of every event.
    stop : threading.Event
        Ends the run early: no more tasks are sent, and the workers are killed.
    workers : int
        Maximal number of processes at a time.
    limits : Limits
        When a worker counts as hung.

    Raises
    ------
    StoreError
        If the store takes no records.
    """
    pool = Pool(tasks, store, progress, limits)
    try:
        while pool.busy() and not stop.is_set():
            pool.fill(workers)
            pool.receive()
            pool.kill_hung()
            pool.queue.touch()
            progress.refresh()
    finally:
        pool.close()


class Pool:
    """Worker processes, and the tasks that were not yet sent to any of them."""

    def __init__(
        self, tasks: Sequence[Task], store: Store, progress: Progress, limits: Limits
    ) -> None:
        self.queue = TaskQueue(tasks, store, progress)
        self.workers: list[Worker] = []
        self.store, self.progress, self.limits = store, progress, limits
        self.stopwatch = Stopwatch()
        self.any_ready = False

    def busy(self) -> bool:
        """Return whether a task is waiting or being worked on."""
        return bool(self.queue.waiting) or not self.all_idle()

    def all_idle(self) -> bool:
        """Return whether no task is being worked on."""
        return all(worker.idle for worker in self.workers)

    def fill(self, most: int) -> None:
        """Give tasks to idle workers, and start as many workers as there are tasks for."""
        for worker in self.workers:
            if worker.idle:
                self.give_task(worker)
        while len(self.workers) < most and (task := self.queue.next()):
            self.start(task, second_try=False)
        if self.all_idle():
            self.queue.say_waiting()

    def start(self, task: Task, *, second_try: bool) -> None:
        """Start a worker. It is sent its task when it is ready."""
        worker = start_worker(self.store.folder, task, self.limits, second_try=second_try)
        self.workers.append(worker)

    def receive(self) -> None:
        """Wait a moment for messages of the workers and act on them."""
        by_pipe = {worker.pipe: worker for worker in self.workers}
        for pipe in wait(list(by_pipe), _SECONDS_BETWEEN_LOOKS):
            worker = by_pipe[cast(Connection, pipe)]
            try:
                what, value = worker.pipe.recv()
            except (EOFError, OSError):
                self.replace(worker)
            else:
                worker.watch.heard()
                self.handle(worker, what, value)

    def handle(self, worker: Worker, what: str, value: Any) -> None:
        """Act on one message of a worker."""
        match what:
            case "ready":
                worker.ready = self.any_ready = True
                self.send_task(worker)
            case "done":
                worker.unfinished.discard(value)
                worker.watch.progressed()
                self.progress.note_done(worker.task, value)
            case "skipped":
                worker.unfinished.difference_update(value)
                self.progress.note_skipped(worker.task, value)
            case "failed":
                self.progress.note_failed(worker.task, tuple(sorted(worker.unfinished)), value)
                worker.unfinished.clear()
            case "store":
                raise StoreError(value)
            case "over":
                self.queue.release(worker.task)
                self.give_task(worker)

    def give_task(self, worker: Worker) -> None:
        """Send a worker the next task. It is idle if there is none."""
        task = self.queue.next()
        worker.idle = task is None
        if task is not None:
            worker.task, worker.second_try, worker.unfinished = task, False, set(task.seeds)
            self.send_task(worker)

    def send_task(self, worker: Worker) -> None:
        """Send a worker its task. If it has just died, its closed pipe is noticed next time."""
        worker.watch.progressed()
        with suppress(OSError):
            worker.pipe.send(worker.task)

    def kill_hung(self) -> None:
        """Kill every worker that shows no life or finishes no run, and replace it."""
        seconds = self.stopwatch.lap()
        for worker in list(self.workers):
            fault = worker.watch.fault(seconds, working=worker.ready and not worker.idle)
            if fault:
                worker.process.kill()
                self.replace(worker, fault)

    def replace(self, worker: Worker, fault: str = "") -> None:
        """Remove a worker that died, or was killed for a fault.

        Its unfinished seeds are tried again, or reported as failed the second time.
        """
        self.workers.remove(worker)
        pid, how = worker.pid, end_of(worker)
        task = Task(worker.task.job, tuple(sorted(worker.unfinished)))
        left = task.missing(self.store)
        for seed in task.seeds:
            if seed not in left:  # stored, but the worker died before it could say so
                self.progress.note_done(task, seed)
        if left and not worker.second_try:
            why = f"worker {pid} was killed because {fault}" if fault else f"worker died ({how})"
            self.progress.note_died(task, left, f"{why}; trying again")
            self.start(Task(task.job, left), second_try=True)
            return
        if left:
            why = "worker died twice" if worker.ready else _NO_START
            why = f"{why} ({f'worker {pid} was killed because {fault}' if fault else how})"
            self.progress.note_failed(task, left, why)
            if not self.any_ready:
                self.give_up()
        if not worker.idle:
            self.queue.release(task)

    def give_up(self) -> None:
        """Report all waiting tasks as failed: where no worker has ever started, none will."""
        while self.queue.waiting:
            task = self.queue.waiting.popleft()
            self.progress.note_failed(task, task.seeds, _NO_START)

    def close(self) -> None:
        """Kill every worker, busy or idle. Stored runs are safe, and nothing else matters."""
        for worker in self.workers:
            worker.process.kill()
        for worker in self.workers:
            end_of(worker)
        self.queue.close()
