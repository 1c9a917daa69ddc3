"""The local engine: a small pool of processes on this machine, which survives the death of any of
them.

Workers are spawned, so that none inherits threads or locks, and each talks to the driver over its
own pipe: a pipe that closes early is a worker that died. (The pools of the standard library give up
all their work when one process dies.) A worker that died is replaced, and its unfinished seeds are
tried once more on the fresh one. Only the seeds of finished runs come back over the pipe; the
records themselves go from the worker into the store.
"""

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

from hsr.paper.engine.plan import Task, missing
from hsr.paper.engine.tally import Tally
from hsr.paper.engine.worker import serve
from hsr.paper.store import Store, StoreError

_SECONDS_BETWEEN_LOOKS = 0.2
_ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
_SECONDS_TO_DIE = 2.0
_NO_START = "no worker could start"


@dataclass(eq=False)
class Worker:
    """A process, the driver's end of its pipe, and what it was last given to do."""

    process: SpawnProcess
    pipe: Connection
    task: Task
    second_chance: bool
    unfinished: set[int]  # seeds of the task of which nothing was heard yet
    ready: bool = False
    idle: bool = False


def run_here(
    tasks: Sequence[Task], store: Store, tally: Tally, stop: Event, *, workers: int
) -> None:
    """Run every task on worker processes of this machine, until all are done or `stop` is set.

    Parameters
    ----------
    tasks : sequence of Task
        The work, in any order.
    store : Store
        Where workers put records.
    tally : Tally
        Hears of everything that happens.
    stop : Event
        Ends the run early: nothing more is handed out, and the workers are killed.
    workers : int
        Most processes at a time.

    Raises
    ------
    StoreError
        If a worker cannot keep a record: the other runs could not either.
    """
    pool = Pool(tasks, store, tally)
    try:
        while pool.busy() and not stop.is_set():
            pool.fill(workers)
            pool.listen()
            tally.tick()
    finally:
        pool.close()


class Pool:
    """Workers, and the tasks that none of them has yet."""

    def __init__(self, tasks: Sequence[Task], store: Store, tally: Tally) -> None:
        self.waiting = deque(tasks)
        self.workers: list[Worker] = []
        self.store, self.tally = store, tally
        self.any_ready = False

    def busy(self) -> bool:
        """Return whether a task is waiting or being worked on."""
        return bool(self.waiting) or not all(worker.idle for worker in self.workers)

    def fill(self, most: int) -> None:
        """Start as many workers as there are tasks for."""
        while self.waiting and len(self.workers) < most:
            self.start(self.waiting.popleft(), second_chance=False)

    def start(self, task: Task, *, second_chance: bool) -> None:
        """Start a worker; it is sent its task when it is ready."""
        spawn = multiprocessing.get_context("spawn")
        pipe, far_end = spawn.Pipe()
        told = (os.getpid(), far_end, self.store.folder.absolute())
        process = spawn.Process(target=serve, args=told, name="hsr-worker", daemon=True)
        with _handed_down():
            process.start()
        far_end.close()
        self.workers.append(Worker(process, pipe, task, second_chance, set(task.seeds)))

    def listen(self) -> None:
        """Hear what workers have to say, for a moment."""
        by_pipe = {worker.pipe: worker for worker in self.workers}
        for pipe in wait(list(by_pipe), _SECONDS_BETWEEN_LOOKS):
            worker = by_pipe[cast(Connection, pipe)]
            try:
                message = worker.pipe.recv()
            except (EOFError, OSError):
                self.replace(worker)
            else:
                self.hear(worker, message)

    def hear(self, worker: Worker, message: tuple[Any, ...]) -> None:
        """Act on one message of a worker."""
        match message:
            case ("ready",):
                worker.ready = self.any_ready = True
                self.hand_over(worker)
            case ("done", seed):
                worker.unfinished.discard(seed)
                self.tally.note_done(worker.task, seed)
            case ("skipped", seeds):
                worker.unfinished.difference_update(seeds)
                self.tally.note_skipped(worker.task, seeds)
            case ("failed", error):
                self.tally.note_failed(worker.task, tuple(sorted(worker.unfinished)), error)
                worker.unfinished.clear()
            case ("over",) if self.waiting:
                worker.task, worker.second_chance = self.waiting.popleft(), False
                worker.unfinished = set(worker.task.seeds)
                self.hand_over(worker)
            case ("over",):
                worker.idle = True
            case ("store", error):
                raise StoreError(error)

    def hand_over(self, worker: Worker) -> None:
        """Send a worker its task; one that has just died is found out by its pipe, at the next
        look.
        """
        with suppress(OSError):
            worker.pipe.send(worker.task)

    def replace(self, worker: Worker) -> None:
        """Take a worker that died out of the pool, and give what it left undone a second chance or
        up.
        """
        self.workers.remove(worker)
        how = _end_of(worker)
        job = worker.task.job
        left = missing(Task(job, tuple(sorted(worker.unfinished))), self.store)
        for seed in sorted(
            worker.unfinished.difference(left)
        ):  # in the store, and no time to say so
            self.tally.note_done(worker.task, seed)
        if left and not worker.second_chance:
            self.tally.note_died(worker.task, left, f"worker died ({how}); trying again")
            self.start(Task(job, left), second_chance=True)
        elif left:
            self.tally.note_failed(
                worker.task,
                left,
                f"worker died twice ({how})" if worker.ready else f"{_NO_START} ({how})",
            )
            if not self.any_ready:
                self.give_up()

    def give_up(self) -> None:
        """Fail what is waiting: where no worker has ever started, none will."""
        while self.waiting:
            task = self.waiting.popleft()
            self.tally.note_failed(task, task.seeds, _NO_START)

    def close(self) -> None:
        """Kill every worker, at work or idle; what is in the store is safe, and nothing else
        matters.
        """
        for worker in self.workers:
            worker.process.kill()
        for worker in self.workers:
            _end_of(worker)


def _end_of(worker: Worker) -> str:
    """Clear away a worker that has died or is about to, and say how it ended."""
    worker.process.join(_SECONDS_TO_DIE)
    if worker.process.is_alive():  # its pipe is closed, so it is of no use
        worker.process.kill()
        worker.process.join()
    code = worker.process.exitcode or 0
    worker.process.close()
    worker.pipe.close()
    return f"exit status {code}" if code >= 0 else f"signal {-code}, {signal.strsignal(-code)}"


@contextmanager
def _handed_down() -> Iterator[None]:
    """Set what a process that starts in the block inherits.

    That is one thread for algebra; no ear for Ctrl-C until the worker can ignore it; and an empty
    main module, as work comes from modules that are named: the script that called `run` is not run
    again, and needs no guard against it.
    """
    former = {name: os.environ.get(name) for name in _ONE_THREAD}
    # starting it lets Ctrl-C through again, so it must not start inside the block
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
