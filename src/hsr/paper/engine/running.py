"""`run`: many jobs into one store, on any engine, until they are done or a signal arrives."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from hsr import InputError
from hsr.paper.engine.cluster import SECONDS_WITHOUT_WORKERS, run_on_cluster
from hsr.paper.engine.job import Job, Task, remaining
from hsr.paper.engine.local import run_locally
from hsr.paper.engine.mixture import refuse_mixture
from hsr.paper.engine.progress import Event, Failure, Progress, display
from hsr.paper.engine.watch import Limits
from hsr.paper.store import Store
from hsr.toolkit import check_choice, check_count, check_not_negative, check_number

BUILT_IN = ("local", "dask")


class Engine(Protocol):
    """The interface of an engine: a function that runs tasks until all are done or `stop` is set.

    It puts every record into the store,
    then reports it (`Progress.note_done`, `note_failed`), and calls `Progress.refresh` now and then
    to show that it is alive. It decides where and in which order it works. The records must be
    those of `records_of`. `run_task` does all of this for one task in this process. Seeds that have
    neither a record nor a report in the end count as failed.
    """

    def __call__(
        self,
        tasks: Sequence[Task],
        store: Store,
        progress: Progress,
        stop: threading.Event,
        *,
        workers: int,
    ) -> None:
        """Run every task, with up to `workers` of them at a time."""


@dataclass(frozen=True)
class Summary:
    """The result of a call of `run`.

    Parameters
    ----------
    done : int
        Runs that this call has stored.
    skipped : int
        Runs that were in the store already, or that another process has stored meanwhile.
    failed : list of Failure
        Seeds without a record, each group with its job and the text of the error.
    seconds : float
        Duration of the call.
    interrupted : bool
        Whether a signal ended it early. The same call again resumes.
    """

    done: int
    skipped: int
    failed: list[Failure]
    seconds: float
    interrupted: bool


def run(
    jobs: Iterable[Job],
    store: Store,
    *,
    engine: str = "local",
    workers: int | None = None,
    scheduler: str | None = None,
    patience: float | None = None,
    worker_timeout: float | None = None,
    run_timeout: float | None = None,
    mix: bool = False,
    progress: str = "auto",
    on_event: Callable[[Event], None] | None = None,
) -> Summary:
    """Run every job, and store each record as soon as it is computed.

    Runs that are in the store are not done again, so the same call resumes after a kill. A job that
    fails is reported, and the others continue. SIGINT and SIGTERM end the call within a few
    seconds. The content of the store at the end depends neither on the engine nor on the number of
    workers nor on the order of jobs. Temporary files that killed processes left in the store are
    removed first.

    Several calls may work on one store at the same time, also on several machines that share its
    folder. Each job is then run by one of them, and all return when every run is stored. If one of
    them is killed, the others take over its jobs.

    Parameters
    ----------
    jobs : iterable of Job
        The work.
    store : Store
        Where records go.
    engine : {"local", "dask"}
        Processes on this machine, or an existing Dask cluster.
    workers : int, optional
        Number of processes of the local engine. The default is the
        number of cores that this process may use.
    scheduler : str, optional
        Address of the cluster's scheduler, such as ``tcp://10.0.0.1:8786``. Only for "dask".
    patience : float, optional
        Seconds that the cluster may be without any worker before the call gives up, by default 60.
        If its workers do nothing for as long, what is missing is submitted again. Only for "dask".
    worker_timeout : float, optional
        Seconds after which a worker without any sign of life is killed, by default 60. Its job is
        tried once more by a new worker. Only for "local".
    run_timeout : float, optional
        Seconds after which a worker that has finished no run is killed in the same way. By default
        a run may take any time. The seeds of a job may finish together: allow enough time for all
        of them. Only for "local".
    mix : bool
        Whether to add runs to those of the same experiment that another version or other sources
        of hsr made. By default the call refuses before it starts.
    progress : {"auto", "none"}
        A bar on a terminal and plain lines elsewhere, on the error stream; or nothing.
    on_event : callable, optional
        Called with every `Event`, in this process.

    Returns
    -------
    Summary

    Raises
    ------
    InputError
        If an argument does not fit, the cluster cannot be reached or has no workers, a worker has
        another version or other sources of hsr, or the store holds runs of the same experiment that
        other code made.
    StoreError
        If the store takes no records.

    Examples
    --------
    >>> import tempfile
    >>> run([], Store(tempfile.mkdtemp()), progress="none").done
    0
    """
    began = time.monotonic()
    options = check_options(
        engine,
        workers=workers,
        scheduler=scheduler,
        patience=patience,
        worker_timeout=worker_timeout,
        run_timeout=run_timeout,
    )
    with stop_requests() as stop:
        store.tidy()
        tasks, stored = remaining(jobs, store)
        if not mix:
            refuse_mixture(tasks, store)
        total = stored + sum(len(task.seeds) for task in tasks)
        with display(progress, total=total, stored=stored) as show:
            counts = Progress(show, on_event)
            if tasks and scheduler:
                run_on_cluster(
                    tasks, store, counts, stop, scheduler=scheduler, patience=options.patience
                )
            elif tasks:
                limits = options.limits
                run_locally(tasks, store, counts, stop, workers=options.workers, limits=limits)
        seconds = time.monotonic() - began
        return Summary(counts.done, stored + counts.skipped, counts.failed, seconds, stop.is_set())


class Options(NamedTuple):
    """The options of `run` after they were checked, with defaults where none was given.

    Attributes
    ----------
    workers : int
        Number of processes.
    patience : float
        Seconds that a cluster may be without workers.
    limits : Limits
        Seconds after which a worker counts as hung.
    """

    workers: int
    patience: float
    limits: Limits


def check_options(
    engine: str = "local",
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    patience: float | None = None,
    worker_timeout: float | None = None,
    run_timeout: float | None = None,
) -> Options:
    """Check the options of `run` before any work is done.

    Parameters
    ----------
    engine, workers, scheduler, patience, worker_timeout, run_timeout
        As in `run`.

    Returns
    -------
    Options
        A named tuple of the number of workers, the patience and the limits of time.

    Raises
    ------
    InputError
        If the options do not fit together.

    Examples
    --------
    >>> options = check_options("local", workers=2, run_timeout=3600)
    >>> options.workers, options.limits
    (2, Limits(worker_timeout=60.0, run_timeout=3600.0))
    """
    check_choice(engine, BUILT_IN, "engine")
    if engine == "dask" and workers is not None:
        raise InputError("workers is for the local engine; a cluster has the workers it has")
    if engine != "dask" and scheduler is not None:
        raise InputError(f"scheduler is for engine='dask'; the {engine} engine has none")
    if engine != "dask" and patience is not None:
        raise InputError(
            f"patience is for engine='dask'; the {engine} engine starts its own workers"
        )
    if engine == "dask" and not scheduler:
        raise InputError(
            "engine='dask' needs the address of a scheduler, such as 'tcp://10.0.0.1:8786'"
        )
    timeouts = {"worker_timeout": worker_timeout, "run_timeout": run_timeout}
    given = {name: value for name, value in timeouts.items() if value is not None}
    if given and engine != "local":
        raise InputError(
            f"{min(given)} is for the local engine; the {engine} engine watches its own workers"
        )
    return Options(
        len(os.sched_getaffinity(0)) if workers is None else check_count(workers, "workers"),
        SECONDS_WITHOUT_WORKERS if patience is None else check_not_negative(patience, "patience"),
        Limits(**{name: _check_timeout(value, name) for name, value in given.items()}),
    )


def _check_timeout(value: float, name: str) -> float:
    seconds = check_number(value, name)
    if seconds <= 0.0:
        raise InputError(f"{name} is {seconds:g}; it must be a positive number of seconds")
    return seconds


@contextmanager
def stop_requests() -> Iterator[threading.Event]:
    """Yield an event that SIGINT and SIGTERM set inside the block, between two steps of the work.

    The former handlers come back after the block. A signal that the process ignores stays ignored,
    as `nohup` and shells without job control ask for. Outside the main thread, where Python handles
    no signals, the event is never set.
    """
    stop = threading.Event()
    former = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:
                former[number] = signal.signal(number, lambda number, frame: stop.set())
    try:
        yield stop
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
