"""The processes of the local engine: how a worker starts, and how it ends."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from types import ModuleType

from hsr.paper.engine.job import Task
from hsr.paper.engine.watch import Limits, Watch
from hsr.paper.engine.worker import work_for

_SECONDS_TO_DIE = 2.0
_ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}


@dataclass(eq=False)
class Worker:
    """A process, the driver's end of its pipe, and the task that it was given last."""

    process: SpawnProcess
    pipe: Connection
    task: Task
    second_try: bool
    unfinished: set[int]  # seeds of the task without an outcome so far
    watch: Watch
    ready: bool = False
    idle: bool = False

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self.watch.pid


def start_worker(folder: Path, task: Task, limits: Limits, *, second_try: bool) -> Worker:
    """Start a worker of the store in a folder. It has to be sent its task when it is ready."""
    spawn = multiprocessing.get_context("spawn")
    pipe, far_end = spawn.Pipe()
    arguments = (os.getpid(), far_end, folder.absolute(), limits.seconds_between_beats)
    process = spawn.Process(target=work_for, args=arguments, name="hsr-worker", daemon=True)
    with inherited_by_workers():
        process.start()
    far_end.close()
    watch = Watch(process.pid or 0, limits)
    return Worker(process, pipe, task, second_try, set(task.seeds), watch)


def end_of(worker: Worker) -> str:
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
def inherited_by_workers() -> Iterator[None]:
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
