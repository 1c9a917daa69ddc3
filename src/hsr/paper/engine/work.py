"""What a process does with a task: call its function and store the records."""

import traceback
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from threading import Event
from typing import Any

from threadpoolctl import threadpool_limits

from hsr import HSRError
from hsr.paper.engine.job import Task
from hsr.paper.engine.progress import Progress
from hsr.paper.store import Record, Store, StoreError, made_by

_LONGEST_ERROR = 10_000


class WorkError(HSRError):
    """A job's function did not return the records that its job asked for."""


def records_of(task: Task) -> Iterator[Record]:
    """Call the function of a task and yield its records, one per seed.

    BLAS is limited to one thread for the rest of the process, not only for this call. In a process
    that works on several tasks at once, the first to end would lift the limit of the others.

    Parameters
    ----------
    task : Task
        The work.

    Yields
    ------
    Record

    Raises
    ------
    HSRError
        If the function returns anything but one record per seed of the task, or the sources of this
        process are not those of the process that made the task.
    """
    if task.made_by != made_by():
        raise WorkError(
            f"this worker has {made_by()}, and the run was started by {task.made_by}; "
            "if the sources were changed meanwhile, run the same command again"
        )
    job = task.job
    module, name = job.work.split(":")
    function = getattr(import_module(module), name)
    import_module("scipy.linalg.blas")  # SciPy has its own BLAS; loaded later, it had no limit
    threadpool_limits(limits=1)
    expected: dict[str | None, int] = {job.keys[seed]: seed for seed in task.seeds}
    for record in function(job.setting, task.seeds):
        key = record.key if isinstance(record, Record) else None
        if expected.pop(key, None) is None:
            raise WorkError(
                f"{job.work} gave a record that was not asked for, or twice: {record!r:.200}"
            )
        yield record
    if expected:
        raise WorkError(f"{job.work} gave no record for the seeds {sorted(expected.values())}")


def outcomes_of(task: Task, store: Store) -> Iterator[tuple[str, Any]]:
    """Run a task, store its records, and yield what happened.

    Yields
    ------
    ("skipped", seeds)
        Another process has stored these runs meanwhile.
    ("done", seed)
        The record of this seed is in the store.
    ("failed", error)
        The work raised an exception, and the rest of the task is lost.
    ("store", error)
        The store takes no records, as on a full disk.
    """
    seeds = task.missing(store)
    if len(seeds) < len(task.seeds):
        yield "skipped", tuple(seed for seed in task.seeds if seed not in seeds)
    try:
        for record in records_of(replace(task, seeds=seeds)) if seeds else ():
            store.put(record)
            yield "done", record.seed
    except (GeneratorExit, KeyboardInterrupt):
        raise
    except StoreError as error:
        yield "store" if concerns_every_run(error) else "failed", str(error)
    except BaseException:  # work may raise anything, also SystemExit
        yield "failed", error_text()


def run_task(task: Task, store: Store, progress: Progress, stop: Event) -> None:
    """Run one task in this process, until it is done or `stop` is set.

    This is a complete engine for one task. Runs that are in the store by now are skipped. Every
    record is stored before it is reported. If the work raises an exception, the task is reported as
    failed and the call returns.

    Parameters
    ----------
    task : Task
        The work.
    store : Store
        Where its records go.
    progress : Progress
        Is notified of every event.
    stop : threading.Event
        Is checked after each record.

    Raises
    ------
    StoreError
        If the store takes no records.
    """
    left = set(task.seeds)
    for what, value in outcomes_of(task, store):
        match what:
            case "skipped":
                left.difference_update(value)
                progress.note_skipped(task, value)
            case "done":
                left.discard(value)
                progress.note_done(task, value)
                if stop.is_set():
                    return
            case "failed":
                progress.note_failed(task, tuple(sorted(left)), value)
            case "store":
                raise StoreError(value)


def error_text() -> str:
    """Return the exception that is being handled with its traceback, shortened to its end."""
    return traceback.format_exc()[-_LONGEST_ERROR:]


def concerns_every_run(error: StoreError) -> bool:
    """Return whether no record can be stored (a full disk), not only this one (it differs)."""
    return isinstance(error.__cause__, OSError)
