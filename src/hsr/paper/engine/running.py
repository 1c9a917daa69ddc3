"""`run`: many jobs into one store, on whichever engine."""

import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from hsr import HSRError, InputError
from hsr._base.plugins import ENGINES, check_call, choose, load
from hsr.paper.engine.cluster import run_there
from hsr.paper.engine.cluster_watch import SECONDS_WITHOUT_WORKERS
from hsr.paper.engine.interrupt import stop_requests
from hsr.paper.engine.job import Job
from hsr.paper.engine.local import run_here
from hsr.paper.engine.plan import Task, missing, plan
from hsr.paper.engine.progress import progress_as
from hsr.paper.engine.tally import Event, Failure, Tally
from hsr.paper.engine.work import error_text
from hsr.paper.store import Store
from hsr.toolkit import check_count, check_not_negative

BUILT_IN = ("local", "dask")


class Engine(Protocol):
    """What a plugin in the group `hsr.engines` is: a function that works on tasks until all are
    done or `stop` is set.

    It puts every record into the store, then tells the tally (`Tally.note_done`, `note_failed`),
    and shows that it is alive by `Tally.tick`. Where and in which order it works is its own affair,
    so long as the records are those of `records_of`. `perform` does all of this for one task in
    this process. Seeds of which there is neither a record nor a word in the end count as failed.
    """

    def __call__(
        self,
        tasks: Sequence[Task],
        store: Store,
        tally: Tally,
        stop: threading.Event,
        *,
        workers: int,
    ) -> None:
        """Work on every task; `workers` is how many pieces of work may go on at a time."""


@dataclass(frozen=True)
class Summary:
    """What a call of `run` came to.

    Parameters
    ----------
    done : int
        Runs that this call has put into the store.
    skipped : int
        Runs that were there already.
    failed : list of Failure
        Seeds that left no record, each group with its job and the text of the error.
    seconds : float
        How long the call took.
    interrupted : bool
        Whether a signal ended it early; the same call again goes on where it stopped.
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
    progress: str = "auto",
    on_event: Callable[[Event], None] | None = None,
) -> Summary:
    """Run every job, and keep each record as soon as it is there.

    Runs whose records the store holds are not done again, so the same call after a kill goes on
    where the last one stopped. A job that fails is reported and the others go on. SIGINT and
    SIGTERM end the call within a few seconds. Neither the engine nor the number of workers nor the
    order of jobs changes what is in the store at the end. Temporary files that killed writers left
    in the store are removed first; those of living ones are not.

    Parameters
    ----------
    jobs : iterable of Job
        The work.
    store : Store
        Where records go.
    engine : {"local", "dask"}, or the name of a plugin
        Processes on this machine, or a Dask cluster that exists.
    workers : int, optional
        Processes of the local engine, or what a plugin makes of it; as many as this process may use
        cores, unless told otherwise.
    scheduler : str, optional
        Address of the cluster's scheduler, such as "tcp://10.0.0.1:8786"; for "dask", and only for
        it.
    patience : float, optional
        Seconds that the cluster may be without any worker before the call gives up, 60 unless told
        otherwise; for "dask".
    progress : {"auto", "none"}
        A bar on a terminal and plain lines elsewhere, on the error stream; or nothing.
    on_event : callable, optional
        Is told of every `Event`, in this process.

    Returns
    -------
    Summary

    Raises
    ------
    InputError
        If an argument does not fit, the cluster cannot be reached or has no workers, or a worker
        has another version of hsr.
    StoreError
        If a record cannot be kept.
    """
    began = time.monotonic()
    processes, seconds_without_workers = check_options(
        engine, workers=workers, scheduler=scheduler, patience=patience
    )
    with stop_requests() as stop:
        store.tidy()
        left = plan(jobs, store)
        with progress_as(progress, total=left.to_do + left.there, there=left.there) as show:
            tally = Tally(show, on_event)
            if left.tasks and scheduler:
                run_there(
                    left.tasks,
                    store,
                    tally,
                    stop,
                    scheduler=scheduler,
                    patience=seconds_without_workers,
                )
            elif left.tasks:
                why = f"the engine {engine!r} ended without them"
                try:
                    engine_of(engine)(left.tasks, store, tally, stop, workers=processes)
                except (Exception, SystemExit) as error:  # code from elsewhere may raise anything
                    if engine in BUILT_IN or isinstance(error, HSRError):
                        raise
                    why = error_text()
                if engine not in BUILT_IN and not stop.is_set():
                    _note_forgotten(left.tasks, store, tally, why)
        seconds = time.monotonic() - began
        return Summary(tally.done, left.there + tally.skipped, tally.failed, seconds, stop.is_set())


def check_options(
    engine: str = "local",
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    patience: float | None = None,
) -> tuple[int, float]:
    """Return processes and patience as numbers, or refuse options of `run` that do not fit
    together, before any work.
    """
    engine_of(engine)
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
    return (
        len(os.sched_getaffinity(0)) if workers is None else check_count(workers, "workers"),
        SECONDS_WITHOUT_WORKERS if patience is None else check_not_negative(patience, "patience"),
    )


def engine_of(name: str) -> Engine:
    """Return the engine of a name, or raise `InputError`; the cluster is one that `run` calls by
    itself.
    """
    plugin = choose(ENGINES, name, BUILT_IN, "engine")
    if plugin is None:
        return run_here
    function = load(plugin)
    check_call(function, str(plugin), "tasks", "store", "tally", "stop", workers=1)
    return cast(Engine, function)


def _note_forgotten(tasks: Sequence[Task], store: Store, tally: Tally, why: str) -> None:
    """Count seeds as failed that an engine has left without a record and without a word."""
    told = {one.job.keys[seed] for one in tally.failed for seed in one.seeds}
    for task in tasks:
        left = tuple(seed for seed in missing(task, store) if task.job.keys[seed] not in told)
        if left:
            tally.note_failed(task, left, why)
