"""The local engine: a small pool of processes on this machine that survives the death of each."""

import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from threading import Event
from types import ModuleType
from typing import Any, cast

from hsr.paper.engine.job import Task
from hsr.paper.engine.progress import Progress
from hsr.paper.engine.worker import work_for
from hsr.paper.store import Store, StoreError

_SECONDS_BETWEEN_LOOKS = 0.2
_SECONDS_TO_DIE = 2.0
_ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
_NO_START = "no worker could start"


@dataclass(eq=False)
class Worker:
    """A process, the driver's end of its pipe, and the task that it was given last."""

    process: SpawnProcess
    pipe: Connection
    task: Task
    second_try: bool
    unfinished: set[int]  # seeds of the task without an outcome so far
    ready: bool = False
    idle: bool = False


def run_locally(
    tasks: Sequence[Task], store: Store, progress: Progress, stop: Event, *, workers: int
) -> None:
    """Run every task in worker processes of this machine, until all are done or `stop` is set.

    Workers are spawned, so that none inherits threads or locks. Each has its own pipe to the
    driver, and a pipe that closes early means that its worker died. (The pools of the standard
    library give up all their work when one process dies.) A worker that died is replaced, and its
    unfinished seeds are tried once more in the new process. Workers write records to the store
    themselves. Only the outcomes of `work.outcomes_of` are sent to the driver.

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

    Raises
    ------
    StoreError
        If the store takes no records.
    """
    pool = Pool(tasks, store, progress)
    try:
        while pool.busy() and not stop.is_set():
            pool.fill(workers)
            pool.receive()
            progress.refresh()
    finally:
        pool.close()


class Pool:
    """Worker processes, and the tasks that were not yet sent to any of them."""

    def __init__(self, tasks: Sequence[Task], store: Store, progress: Progress) -> None:
        self.waiting = deque(tasks)
        self.workers: list[Worker] = []
        self.store, self.progress = store, progress
        self.any_ready = False

    def busy(self) -> bool:
        """Return whether a task is waiting or being worked on."""
        return bool(self.waiting) or not all(worker.idle for worker in self.workers)

    def fill(self, most: int) -> None:
        """Start as many workers as there are tasks for."""
        while self.waiting and len(self.workers) < most:
            self.start(self.waiting.popleft(), second_try=False)

    def start(self, task: Task, *, second_try: bool) -> None:
        """Start a worker. It is sent its task when it is ready."""
        spawn = multiprocessing.get_context("spawn")
        pipe, far_end = spawn.Pipe()
        arguments = (os.getpid(), far_end, self.store.folder.absolute())
        process = spawn.Process(target=work_for, args=arguments, name="hsr-worker", daemon=True)
        with _inherited_by_workers():
            process.start()
        far_end.close()
        self.workers.append(Worker(process, pipe, task, second_try, set(task.seeds)))

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
                self.handle(worker, what, value)

    def handle(self, worker: Worker, what: str, value: Any) -> None:
        """Act on one message of a worker."""
        match what:
            case "ready":
                worker.ready = self.any_ready = True
                self.send_task(worker)
            case "done":
                worker.unfinished.discard(value)
                self.progress.note_done(worker.task, value)
            case "skipped":
                worker.unfinished.difference_update(value)
                self.progress.note_skipped(worker.task, value)
            case "failed":
                self.progress.note_failed(worker.task, tuple(sorted(worker.unfinished)), value)
                worker.unfinished.clear()
            case "store":
                raise StoreError(value)
            case "over" if self.waiting:
                worker.task, worker.second_try = self.waiting.popleft(), False
                worker.unfinished = set(worker.task.seeds)
                self.send_task(worker)
            case "over":
                worker.idle = True

    def send_task(self, worker: Worker) -> None:
        """Send a worker its task. If it has just died, its closed pipe is noticed next time."""
        with suppress(OSError):
            worker.pipe.send(worker.task)

    def replace(self, worker: Worker) -> None:
        """Remove a worker that died. Try its unfinished seeds again, or report them as failed."""
        self.workers.remove(worker)
        how = _end_of(worker)
        task = Task(worker.task.job, tuple(sorted(worker.unfinished)))
        left = task.missing(self.store)
        for seed in task.seeds:
            if seed not in left:  # stored, but the worker died before it could say so
                self.progress.note_done(task, seed)
        if left and not worker.second_try:
            self.progress.note_died(task, left, f"worker died ({how}); trying again")
            self.start(Task(task.job, left), second_try=True)
        elif left:
            why = "worker died twice" if worker.ready else _NO_START
            self.progress.note_failed(task, left, f"{why} ({how})")
            if not self.any_ready:
                self.give_up()

    def give_up(self) -> None:
        """Report all waiting tasks as failed: where no worker has ever started, none will."""
        while self.waiting:
            task = self.waiting.popleft()
            self.progress.note_failed(task, task.seeds, _NO_START)

    def close(self) -> None:
        """Kill every worker, busy or idle. Stored runs are safe, and nothing else matters."""
        for worker in self.workers:
            worker.process.kill()
        for worker in self.workers:
            _end_of(worker)


def _end_of(worker: Worker) -> str:
    """Release a worker that has died or is about to, and return how it ended."""
    worker.process.join(_SECONDS_TO_DIE)
    if worker.process.is_alive():  # its pipe is closed, so it is of no use
        worker.process.kill()
        worker.process.join()
    code = worker.process.exitcode or 0
    worker.process.close()
    worker.pipe.close()
    return f"exit status {code}" if code >= 0 else f"signal {-code}, {signal.strsignal(-code)}"


@contextmanager
def _inherited_by_workers() -> Iterator[None]:
    """Set what a process that starts in the block inherits.

    BLAS has one thread. Ctrl-C is blocked until the worker can ignore it. The main module is empty:
    work is imported by name, so the script that called `run` is not run again and needs no guard.
    """
    former = {name: os.environ.get(name) for name in _ONE_THREAD}
    # starting the tracker unblocks Ctrl-C, so it must not start inside the block
    resource_tracker.ensure_running()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    main = sys.modules["__main__"]
    os.environ.update(_ONE_THREAD)
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
        for name, value in former.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
