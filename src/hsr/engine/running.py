"""`run`: many jobs into one store, on whichever engine."""

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from hsr._base.errors import InputError
from hsr._base.validation import check_choice, check_count
from hsr.engine.cluster import run_there
from hsr.engine.interrupt import stop_requests
from hsr.engine.job import Job
from hsr.engine.local import run_here
from hsr.engine.plan import plan
from hsr.engine.progress import progress_as
from hsr.engine.tally import Event, Failure, Tally
from hsr.results import Store


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
    progress: str = "auto",
    on_event: Callable[[Event], None] | None = None,
) -> Summary:
    """Run every job, and keep each record as soon as it is there.

    Runs whose records the store holds are not done again, so the same call after a kill goes on where the last one stopped. A
    job that fails is reported and the others go on. SIGINT and SIGTERM end the call within a few seconds. Neither the engine
    nor the number of workers nor the order of jobs changes what is in the store at the end.

    Parameters
    ----------
    jobs : iterable of Job
        The work.
    store : Store
        Where records go.
    engine : {"local", "dask"}
        Processes on this machine, or a Dask cluster that exists.
    workers : int, optional
        Processes of the local engine; as many as this process may use cores, unless told otherwise.
    scheduler : str, optional
        Address of the cluster's scheduler, such as "tcp://10.0.0.1:8786"; for "dask", and only for it.
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
        If an argument does not fit, or the cluster cannot be reached.
    StoreError
        If a record cannot be kept.
    """
    began = time.monotonic()
    check_choice(engine, ("local", "dask"), "engine")
    if engine == "dask" and workers is not None:
        raise InputError("workers is for the local engine; a cluster has the workers it has")
    if engine == "local" and scheduler is not None:
        raise InputError("scheduler is for engine='dask'; the local engine has none")
    if engine == "dask" and not scheduler:
        raise InputError("engine='dask' needs the address of a scheduler, such as 'tcp://10.0.0.1:8786'")
    processes = len(os.sched_getaffinity(0)) if workers is None else check_count(workers, "workers")
    with stop_requests() as stop:
        left = plan(jobs, store)
        with progress_as(progress, total=left.to_do + left.there, there=left.there) as show:
            tally = Tally(show, on_event)
            if left.tasks and scheduler:
                run_there(left.tasks, store, tally, stop, scheduler=scheduler)
            elif left.tasks:
                run_here(left.tasks, store, tally, stop, workers=processes)
        seconds = time.monotonic() - began
        return Summary(tally.done, left.there + tally.skipped, tally.failed, seconds, stop.is_set())
