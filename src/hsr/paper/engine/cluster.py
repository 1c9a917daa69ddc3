"""The cluster engine: the same tasks on an existing Dask cluster, the same records in the store."""

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Event
from typing import Any

from hsr import InputError
from hsr.paper.engine.cluster_watch import ClusterWatch, LostWork
from hsr.paper.engine.connection import close, connect, connect_again
from hsr.paper.engine.job import Task
from hsr.paper.engine.progress import Progress
from hsr.paper.engine.queue import TaskQueue
from hsr.paper.engine.work import concerns_every_run, error_text, records_of
from hsr.paper.store import Record, Store, StoreError, made_by
from hsr.toolkit import escape_control

SECONDS_WITHOUT_WORKERS = 60.0
_SECONDS_BETWEEN_LOOKS = 0.1
_MOST_LOSSES = 3  # in a row, with no task finished in between


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

    If the scheduler is restarted, the connection breaks or the cluster stands still, tasks that are
    not finished are submitted again through a new client. If that happens several times in a row
    without any task finished, or no scheduler answers, they are reported as failed.

    Every task that no other driver of the store works on is submitted at once, because only the
    scheduler knows which worker is free. Other drivers of the store therefore wait for this one.

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
        Seconds that the cluster may be without any worker, or without working on anything.

    Raises
    ------
    InputError
        If `distributed` is not installed, nobody answers at the address, no worker joins, or one
        has another version or other sources of hsr.
    StoreError
        If the store takes no records.
    """
    queue = TaskQueue(tasks, store, progress)
    try:
        while queue.waiting and not stop.is_set():
            if mine := list(iter(queue.next, None)):
                run_begun(mine, queue, stop, scheduler=scheduler, patience=patience)
                queue.close()  # tasks that failed are not being worked on any more
            else:
                queue.say_waiting()
                progress.refresh()
                stop.wait(_SECONDS_BETWEEN_LOOKS)
    finally:
        queue.close()


def run_begun(
    tasks: Sequence[Task], queue: TaskQueue, stop: Event, *, scheduler: str, patience: float
) -> None:
    """Run tasks that were taken from the queue, as `run_on_cluster` does."""
    store, progress = queue.store, queue.progress
    client, losses = connect(scheduler), 0
    while client is not None:
        try:
            watch = ClusterWatch(client, scheduler, patience)
            submitted = Submission(client, tasks)
            submitted.collect(queue, stop, watch)
            return
        except LostWork as error:
            why = str(error)
        finally:
            close(client)
        left = list(submitted.waiting.values())
        losses = losses + 1 if len(left) == len(tasks) else 1
        tasks = _not_stored(left, store, progress)
        try:
            if losses > _MOST_LOSSES:
                raise LostWork(f"{why} ({losses} times in a row)")
            progress.refresh(f"the cluster lost the work: {why}; submitting it again")
            client = connect_again(scheduler, progress, stop)
        except LostWork as error:
            for task in tasks:
                progress.note_failed(task, task.seeds, f"the cluster lost the work: {error}")
            return


class Submission:
    """Tasks that were submitted through one client, and the answers that have arrived."""

    def __init__(self, client: Any, tasks: Sequence[Task]) -> None:
        self.client = client
        self.answers: SimpleQueue[tuple[Any, Any]] = SimpleQueue()
        self.waiting = {
            client.submit(compute, task, made_by(), pure=False, retries=1): task for task in tasks
        }
        for future in self.waiting:
            client.loop.add_callback(_bring, future, self.answers)

    def collect(self, queue: TaskQueue, stop: Event, watch: ClusterWatch) -> None:
        """Keep the answers as they arrive, until all are there, or `stop` is set, or work is lost.

        Raises
        ------
        LostWork
            If some tasks must be submitted again. They are those in `waiting`.
        """
        while self.waiting and not stop.wait(_SECONDS_BETWEEN_LOOKS):
            lost = None
            while not self.answers.empty():
                future, answer = self.answers.get()
                if isinstance(answer, LostWork):
                    lost = answer
                else:
                    task = self.waiting.pop(future)
                    keep(task, answer, queue.store, queue.progress)
                    queue.release(task)
                    watch.note_answer()
            queue.progress.refresh()
            queue.touch()
            if lost is not None:
                raise lost
            watch.check(queue.progress)
        self.client.cancel(list(self.waiting))


async def _bring(future: Any, answers: SimpleQueue[tuple[Any, Any]]) -> None:
    """Put the result of a future, or what became of it, into a queue. Runs in the client's loop.

    `distributed.as_completed` forgets a future if the connection breaks while its result is on the
    way, and so never returns.
    """
    try:
        answer = await future.result()
    except BaseException as error:  # everything that prevents a result
        failed = future.status == "error"  # else it was cancelled, or could not be fetched
        text = f"{type(error).__name__}: {error}".splitlines()[0]
        answer = error if failed else LostWork(text)
    answers.put((future, answer))


def _not_stored(tasks: Sequence[Task], store: Store, progress: Progress) -> list[Task]:
    """Return what is left of tasks. Runs that another process has stored are reported."""
    left = []
    for task in tasks:
        missing = task.missing(store)
        progress.note_skipped(task, tuple(seed for seed in task.seeds if seed not in missing))
        if missing:
            left.append(Task(task.job, missing))
    return left


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

    If Dask gave the task up, the answer is an exception.
    """
    if isinstance(answer, OtherVersion):
        host, other = (escape_control(text) for text in (answer.host, answer.made_by))
        raise InputError(
            f"a worker of the cluster, on {host}, has {other}, and this process has {made_by()}; "
            "both must have the same version and the same sources"
        )
    if not isinstance(answer, Answer):
        why = f"the cluster lost the work: {type(answer).__name__}: {answer}"
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
