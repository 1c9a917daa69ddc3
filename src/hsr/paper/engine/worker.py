"""A worker process of the local engine: takes tasks from a pipe, puts records into the store, tells
what became of them.

What it says, in order: ``("ready",)`` once; for each task ``("skipped", seeds)`` if some runs are
there already, ``("done", seed)`` for each record that is in the store, ``("failed", error)`` if the
work broke, and ``("over",)``. ``("store", error)`` says that a record could not be kept.
"""

import signal
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

from hsr.paper.engine.lifeline import die_with
from hsr.paper.engine.plan import Task, missing
from hsr.paper.engine.work import concerns_every_run, error_text, records_of
from hsr.paper.store import Store, StoreError


def serve(driver: int, pipe: Connection, folder: Path) -> None:
    """Work on what comes through the pipe until it closes."""
    die_with(driver)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    store = Store(folder)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        pipe.send(("ready",))
        while True:
            work_on(pipe.recv(), pipe, store)
            pipe.send(("over",))


def work_on(task: Task, pipe: Connection, store: Store) -> None:
    """Run one task; every record is in the store before the driver hears of it."""
    seeds = missing(task, store)
    if len(seeds) < len(task.seeds):
        pipe.send(("skipped", tuple(seed for seed in task.seeds if seed not in seeds)))
    if not seeds:
        return
    try:
        for record in records_of(Task(task.job, seeds)):
            store.put(record)
            pipe.send(("done", record.seed))
    except StoreError as error:
        pipe.send(("store" if concerns_every_run(error) else "failed", str(error)))
    except BaseException:  # whatever the work raises, SystemExit too, is an answer
        pipe.send(("failed", error_text()))
