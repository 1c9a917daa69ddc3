"""The cluster engine: the same tasks on an existing Dask cluster, the same records in the store."""

import asyncio
import platform
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from threading import Event
from typing import Any

from hsr import InputError
from hsr.paper.engine.job import Task
from hsr.paper.engine.progress import Progress
from hsr.paper.engine.work import concerns_every_run, error_text, records_of
from hsr.paper.store import Record, Store, StoreError, made_by
from hsr.toolkit import escape_control, needs

SECONDS_WITHOUT_WORKERS = 60.0
_SECONDS_TO_CONNECT = 10.0
_SECONDS_TO_CLOSE = 2.0
_SECONDS_TO_ANSWER = 2.0
_SECONDS_WITHOUT_ANSWER = 15.0
_SECONDS_BETWEEN_LOOKS = 0.1
_SECONDS_BETWEEN_QUESTIONS = 0.5


@dataclass(frozen=True)
class Answer:
    """The records of a task, and the error that ended it, if any."""

    records: list[Record]
    error: str = ""


@dataclass(frozen=True)
class OtherVersion:
    """The answer of a worker whose version or sources of hsr differ from the driver's."""

    made_by: str
    host: str


def run_on_cluster(
    tasks: Sequence[Task],
    store: Store,
    progress: Progress,
    stop: Event,
    *,
    scheduler: str,
    patience: float,
) -> None:
    """Run every task on the workers of a cluster, until all are done or `stop` is set.

    A cluster need not share a disk with the driver. Its workers therefore send the records of a
    task back when the task ends, and only the driver writes. A driver that dies loses the tasks
    that are running and nothing else. The scheduler moves the tasks of a worker that died to
    another one. A worker with another version or other sources of hsr computes nothing: its
    records might differ.

    Parameters
    ----------
    tasks : sequence of Task
        The work, in any order.
    store : Store
        Where this process puts the records.
    progress : Progress
        Is notified of every event.
    stop : threading.Event
        Ends the run early: waiting tasks are cancelled, and running ones are not waited for.
    scheduler : str
        Address of the cluster's scheduler.
    patience : float
        Seconds that the cluster may be without any worker.

    Raises
    ------
    InputError
        If `distributed` is not installed, nobody answers at the address, no worker joins, or one
        has another version or other sources of hsr.
    StoreError
        If the store takes no records.
    """
    client = connect(scheduler)
    try:
        watch = ClusterWatch(client, scheduler, patience)
        waiting = {
            client.submit(compute, task, made_by(), pure=False, retries=1): task for task in tasks
        }
        answers = _distributed().as_completed(
            waiting, loop=client.loop, with_results=True, raise_errors=False
        )
        while waiting and not stop.wait(_SECONDS_BETWEEN_LOOKS):
            for future, answer in answers.next_batch(block=False):
                keep(waiting.pop(future), answer, store, progress)
            progress.refresh()
            watch.check(progress)
            if watch.is_lost:
                why = "the cluster lost the work: its scheduler does not answer"
                for task in waiting.values():
                    progress.note_failed(task, task.seeds, why)
                return
        client.cancel(list(waiting))
    finally:
        client.close(timeout=_SECONDS_TO_CLOSE)


def connect(scheduler: str) -> Any:
    """Return a client of the scheduler at an address, or raise `InputError`.

    A client that fails to connect leaves a thread behind, which may delay the next one. A plain
    connection is therefore tried first.
    """
    distributed = _distributed()
    try:
        with ThreadPoolExecutor(1) as thread:  # a notebook has an event loop in its own thread
            thread.submit(asyncio.run, _try_connection(scheduler)).result()
        return distributed.Client(scheduler, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError, RuntimeError, ImportError) as error:
        reason = escape_control(str(error), keep="\n")
        raise InputError(f"no Dask scheduler answers at {scheduler!r}: {reason}") from None


async def _try_connection(scheduler: str) -> None:
    secrets = _distributed().Security().get_connection_args("client")
    connecting = import_module("distributed.comm").connect(
        scheduler, timeout=_SECONDS_TO_CONNECT, **secrets
    )
    await (await connecting).close()


def _distributed() -> Any:
    """Return the package `distributed`, which is large and optional."""
    needs("cluster", "engine='dask'")
    return import_module("distributed")


def compute(task: Task, driver: str) -> Answer | OtherVersion:
    """Return the records of a task that a driver has sent, if both have the same code.

    This runs on the cluster. Workers of before there were hashes compare the text with their
    version, so that they refuse, too.
    """
    if driver != made_by():
        return OtherVersion(made_by(), platform.node())
    records: list[Record] = []
    try:
        records.extend(records_of(task))
    except BaseException:  # work may raise anything, also SystemExit
        return Answer(records, error_text())
    return Answer(records)


def keep(task: Task, answer: Any, store: Store, progress: Progress) -> None:
    """Store the records that came back from the cluster, and report what is missing.

    If Dask lost the task, the answer is an exception or a tuple of its type, value and traceback.
    """
    if isinstance(answer, OtherVersion):
        host, other = (escape_control(text) for text in (answer.host, answer.made_by))
        raise InputError(
            f"a worker of the cluster, on {host}, has {other}, and this process has {made_by()}; "
            "both must have the same version and the same sources"
        )
    if not isinstance(answer, Answer):
        error = answer[1] if isinstance(answer, tuple) else answer
        why = f"the cluster lost the work: {type(error).__name__}: {error}"
        progress.note_failed(task, task.seeds, why)
        return
    for record in answer.records:
        try:
            store.put(record)
        except StoreError as error:
            if concerns_every_run(error):
                raise
            progress.note_failed(task, (record.seed,), str(error))
        else:
            progress.note_done(task, record.seed)
    if answer.error:
        returned = {record.seed for record in answer.records}
        left = tuple(seed for seed in task.seeds if seed not in returned)
        progress.note_failed(task, left, answer.error)


class ClusterWatch:
    """Watches whether a cluster has workers and its scheduler answers.

    Parameters
    ----------
    client : distributed.Client
        A client of the cluster.
    scheduler : str
        Its address, for messages.
    patience : float
        Seconds that the cluster may be without any worker, at the beginning or later.
    """

    def __init__(self, client: Any, scheduler: str, patience: float) -> None:
        self.client, self.scheduler, self.patience = client, scheduler, patience
        self.asked = self.had_workers = self.answered = time.monotonic()
        self.user_knows = False

    @property
    def is_lost(self) -> bool:
        """Whether the scheduler has not answered for so long that it counts as gone."""
        return time.monotonic() - self.answered > _SECONDS_WITHOUT_ANSWER

    def check(self, progress: Progress) -> None:
        """Note once that there are no workers; raise `InputError` if that lasts too long."""
        now = time.monotonic()
        if now - self.asked < _SECONDS_BETWEEN_QUESTIONS:
            return
        self.asked = now
        if self._has_workers():
            self.had_workers, self.user_knows = now, False
        elif now - self.had_workers > self.patience:
            raise InputError(
                f"the cluster at {self.scheduler!r} has had no worker for {self.patience:g} s; "
                f"start some with 'dask worker {self.scheduler}' and run this again: "
                "finished runs are kept"
            )
        elif not self.user_knows:
            self.user_knows = True
            progress.refresh(
                f"the cluster at {self.scheduler} has no worker; "
                f"waiting up to {self.patience:g} s for one"
            )

    def _has_workers(self) -> bool:
        """Return whether there is a worker. Without an answer, assume that there is."""
        try:
            answer = self.client.sync(
                _ask_for_workers, self.client, callback_timeout=_SECONDS_TO_ANSWER
            )
        except OSError:  # no answer, or none in time
            return True
        if answer is None:
            return True
        self.answered = time.monotonic()
        return bool(answer)


async def _ask_for_workers(client: Any) -> bool | None:
    """Ask the scheduler, or return None if the client has lost it. Runs in the client's loop."""
    return bool(await client.nthreads()) if client.status == "running" else None
