"""`run`: many jobs into one store, in this process or on a Dask cluster."""

import logging
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from hsr import InputError
from hsr._base.compilation import seconds_compiling
from hsr._base.threads import check_workers, one_thread
from hsr.experiments.engine.job import Job
from hsr.experiments.engine.progress import Progress, Show, display
from hsr.experiments.engine.work import compute, error_text, records_of
from hsr.experiments.store import Record, Store, StoreError
from hsr.experiments.store.sources import in_words

MOST_KILLS = 3  # workers that a run may kill before it counts as failed
_SECONDS_BETWEEN_LOOKS = 0.5
_OF_CLUSTER = {
    # A death is reported at once, because `_run_on_dask` finds out which run it was.
    "distributed.scheduler.allowed-failures": 0,
    # Compiled code may keep a worker from answering for as long as it likes.
    "distributed.scheduler.worker-ttl": None,
}
_SECONDS_TO_CONNECT = 10.0


class Failure(NamedTuple):
    """Seeds of a job that have no record, and the text of the error."""

    job: Job
    seeds: tuple[int, ...]
    error: str


@dataclass(frozen=True)
class Summary:
    """The result of a call of `run`.

    Parameters
    ----------
    done : int
        Runs that this call has stored.
    skipped : int
        Runs that were in the store already.
    failed : list of Failure
        Seeds without a record, each group with its job and the text of the error.
    seconds : float
        Duration of the call.
    interrupted : bool
        Whether Ctrl-C ended it early. The same call again resumes.
    seconds_of : mapping of str to list of float
        By experiment, the duration of each run that this call has stored.
    """

    done: int
    skipped: int
    failed: list[Failure]
    seconds: float
    interrupted: bool
    seconds_of: Mapping[str, list[float]] = field(default_factory=dict)


def run(
    jobs: Iterable[Job],
    store: Store,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    quiet: bool = False,
    note: str = "",
) -> Summary:
    """Run every job, and store each run as soon as it arrives.

    Runs that are in the store are not done again, so the same call resumes after a kill. Those that
    are damaged or that other code made are. A job that fails is reported, and the others continue.
    Dask repeats what a worker was doing when it died; a run that kills its worker three times has
    failed. What is in the store at the end depends neither on the number of workers nor on the
    order of jobs.

    Parameters
    ----------
    jobs : iterable of Job
        The work.
    store : Store
        Where records go.
    workers : int, optional
        Number of processes on this machine, by default one for each core. One worker is this
        process. A script that asks for more needs ``if __name__ == "__main__":``, as with
        `multiprocessing`.
    scheduler : str, optional
        Address of the scheduler of a Dask cluster, such as ``tcp://10.0.0.1:8786``, whose workers
        are used instead.
    quiet : bool
        Whether to show no progress.
    note : str
        Shown before the first run.

    Returns
    -------
    Summary

    Raises
    ------
    InputError
        If an argument does not fit, another process is adding runs to the store, the cluster cannot
        be reached or is lost, or a worker has another version or other sources of hsr.
    StoreError
        If the store takes no records.

    Examples
    --------
    >>> import tempfile
    >>> run([], Store(tempfile.mkdtemp()), quiet=True).done
    0
    """
    began = time.monotonic()
    if workers is not None and scheduler is not None:
        raise InputError("workers and scheduler are both given; a cluster has the workers it has")
    n_workers = check_workers(workers)
    with store.driving():
        tasks, stored, notes = remaining(jobs, store)
        planned = Counter[str]()
        for task in tasks:
            planned[task.kind] += len(task.seeds)
        progress = Progress(planned, stored)
        several = scheduler is not None or min(n_workers, len(tasks)) > 1
        interrupted = False
        with display(progress, quiet=quiet) as show:
            driver = _Driver(store, progress, show)
            for line in (note, *notes):
                show(line)
            try:
                if tasks and several:
                    with _client(min(n_workers, len(tasks)), scheduler) as client:
                        _run_on_dask(tasks, client, driver)
                else:
                    _run_here(tasks, driver)
            except KeyboardInterrupt:
                interrupted = True
    seconds = time.monotonic() - began
    n_done = sum(map(len, driver.seconds_of.values()))
    return Summary(n_done, stored, driver.failed, seconds, interrupted, driver.seconds_of)


def remaining(jobs: Iterable[Job], store: Store) -> tuple[list[Job], int, list[str]]:
    """Return the jobs that are left, how many runs are stored, and what has to be said about it.

    A run that several jobs ask for is counted once.
    """
    jobs = list(jobs)
    maker = {key: job.source_version for job in jobs for key in job.keys.values()}
    found = store.sources_of(maker)
    others = Counter(code for key, code in found.items() if code != maker[key])
    good = {key for key, code in found.items() if code == maker[key]}
    damaged = set(store.damaged(good))
    notes = []
    if others:
        notes.append(
            f"{in_words(others)}, which is not the code of this process: they are run again. Use "
            "another store to keep both"
        )
    if damaged:
        n = len(damaged)
        notes.append(f"{n:,} stored {'run is' if n == 1 else 'runs are'} damaged and run again")
    seen = good - damaged
    stored, tasks = len(seen), []
    for job in jobs:
        seeds = [seed for seed, key in job.keys.items() if key not in seen]
        seen.update(job.keys.values())
        if seeds:
            tasks.append(job.of(seeds))
    return tasks, stored, notes


@dataclass
class _Driver:
    """Keeps what arrives, counts it and shows it."""

    store: Store
    progress: Progress
    show: Show
    failed: list[Failure] = field(default_factory=list)
    seconds_of: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    warned: set[str] = field(default_factory=set)

    def keep(self, job: Job, records: Sequence[Record], compiling: float) -> None:
        self.store.put_all(records)
        seconds = [one.seconds for one in records]
        self.seconds_of[job.experiment] += seconds
        self.progress.add(job.kind, len(records), sum(seconds), compiling=compiling)
        self.show("")

    def fail(self, job: Job, seeds: Iterable[int], error: str) -> None:
        one = Failure(job, tuple(sorted(seeds)), error.strip())
        self.failed.append(one)
        self.progress.fail(job.kind, len(one.seeds))
        worlds, last = ", ".join(map(str, one.seeds)), one.error.splitlines()[-1]
        self.show(f"{job.experiment}, world {worlds:.80}: {last:.200}")

    def warn(self, job: Job, warnings: Iterable[str]) -> None:
        """Show each warning of an experiment once, although every job repeats it."""
        for line in (f"warning: {job.experiment}: {warning}" for warning in warnings):
            if line not in self.warned:
                self.warned.add(line)
                self.show(line)


def _run_here(jobs: Iterable[Job], driver: _Driver) -> None:
    """Run jobs in this process, one after another."""
    with one_thread():
        for job in jobs:
            left, before = set(job.seeds), seconds_compiling()
            try:
                for record in records_of(job):
                    compiling, before = seconds_compiling() - before, seconds_compiling()
                    driver.keep(job, [record], compiling)
                    left.remove(record.seed)
            except StoreError:
                raise
            except Exception:  # work may raise anything
                driver.fail(job, left, error_text())


@contextmanager
def local_cluster(n_workers: int) -> Iterator[Any]:
    """Start a cluster of Dask on this machine, for as long as the block lasts."""
    import dask

    distributed: Any = import_module("distributed")  # it has no types
    with (
        dask.config.set(_OF_CLUSTER),
        distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            memory_limit=0,
            dashboard_address="127.0.0.1:0",  # without one, Dask would take port 8787
            silence_logs=logging.CRITICAL,
            preload="hsr.experiments.engine.preload",
        ) as cluster,
    ):
        yield cluster


@contextmanager
def _client(n_workers: int, scheduler: str | None) -> Iterator[Any]:
    """Connect to a cluster of Dask: the one at an address, or one of our own for as long."""
    distributed: Any = import_module("distributed")
    with ExitStack() as stack:
        cluster = scheduler or stack.enter_context(local_cluster(n_workers))
        try:
            client = distributed.Client(cluster, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
        except (OSError, ValueError, TypeError, RuntimeError, ImportError) as error:
            raise InputError(f"no Dask scheduler answers at {scheduler!r}: {error}") from None
        yield stack.enter_context(client)


def _run_on_dask(jobs: Sequence[Job], client: Any, driver: _Driver) -> None:
    """Run jobs on the workers of a cluster.

    If a worker dies, Dask names every job that it had been given, of which one may be to blame.
    Their runs are then repeated one by one, with nothing else under way.
    """
    from distributed import KilledWorker

    arrived: SimpleQueue[Any] = SimpleQueue()
    waiting: dict[Any, Job] = {}
    suspects: list[Job] = []
    kills = Counter[str]()

    def submit(job: Job) -> None:
        future = client.submit(compute, job, job.source_version, pure=False)
        waiting[future] = job
        future.add_done_callback(arrived.put)

    for job in jobs:
        submit(job)
    while waiting or suspects:
        alone = not waiting
        if alone:
            submit(suspects.pop(0))
        future = _next(arrived, client, driver)
        job = waiting.pop(future)
        try:
            answer = future.result()
        except KilledWorker as death:
            for seed, key in job.keys.items():
                kills[key] += death.allowed_failures + 1
                if alone and kills[key] >= MOST_KILLS:
                    driver.fail(job, [seed], f"the run has killed its worker {kills[key]} times")
                else:
                    suspects.append(job.of([seed]))
            continue
        except ImportError as lacking:
            raise InputError(f"a worker of the cluster cannot import hsr: {lacking}") from None
        driver.keep(job, answer.records, answer.compiling)
        driver.warn(job, answer.warnings)
        if answer.error:
            left = set(job.seeds) - {record.seed for record in answer.records}
            driver.fail(job, left, answer.error)


def _next(arrived: "SimpleQueue[Any]", client: Any, driver: _Driver) -> Any:
    """Return the next future that is finished, and say once if there is no worker."""
    said = False
    while True:
        try:
            future = arrived.get(timeout=_SECONDS_BETWEEN_LOOKS)
        except Empty:
            n_workers = len(client.scheduler_info().get("workers", ()))
            driver.show("" if n_workers or said else "waiting for a worker")
            said = not n_workers
            continue
        if future.cancelled():
            raise InputError(
                "the connection to the scheduler was lost; run the same command again to resume"
            )
        return future
