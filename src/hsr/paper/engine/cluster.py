"""The cluster engine: the same tasks on a Dask cluster that exists, the same records in the same
store.

A cluster need not share a disk with the driver, so its workers send the records of a task back and
the driver alone writes. They are kept when the task ends; a driver that dies loses the tasks that
are under way, and no more. The scheduler moves the tasks of a worker that died to another one. A
worker with another version of hsr begins no task: its records might differ.
"""

import asyncio
import platform
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from threading import Event
from typing import Any

from hsr._base.errors import InputError
from hsr._base.escaping import escape_control
from hsr._base.version import __version__
from hsr.paper.engine.cluster_watch import Crew
from hsr.paper.engine.plan import Task
from hsr.paper.engine.tally import Tally
from hsr.paper.engine.work import concerns_every_run, error_text, records_of
from hsr.paper.store import Record, Store, StoreError
from hsr.toolkit import needs

_SECONDS_TO_CONNECT = 10.0
_SECONDS_TO_CLOSE = 2.0
_SECONDS_BETWEEN_LOOKS = 0.1


@dataclass(frozen=True)
class Answer:
    """The records of a task, and the error that ended it, if one did."""

    records: list[Record]
    error: str = ""


@dataclass(frozen=True)
class Stranger:
    """What a worker answers that was sent a task by another version of hsr than its own."""

    version: str
    host: str


def run_there(
    tasks: Sequence[Task],
    store: Store,
    tally: Tally,
    stop: Event,
    *,
    scheduler: str,
    patience: float,
) -> None:
    """Run every task on the workers of a cluster, until all are done or `stop` is set.

    Parameters
    ----------
    tasks : sequence of Task
        The work, in any order.
    store : Store
        Where this process puts the records.
    tally : Tally
        Hears of everything that happens.
    stop : Event
        Ends the run early: tasks that wait are cancelled, and the answers of others are not waited
        for.
    scheduler : str
        The address of the cluster's scheduler.
    patience : float
        Seconds that the cluster may be without any worker.

    Raises
    ------
    InputError
        If `distributed` is not installed, nobody answers at the address, no worker joins, or one
        has another version of hsr.
    StoreError
        If a record cannot be kept.
    """
    client = connect(scheduler)
    try:
        crew = Crew(client, scheduler, patience)
        waiting = {
            client.submit(attempt, task, __version__, pure=False, retries=1): task for task in tasks
        }
        answers = _distributed().as_completed(
            waiting, loop=client.loop, with_results=True, raise_errors=False
        )
        while waiting and not stop.wait(_SECONDS_BETWEEN_LOOKS):
            for future, answer in answers.next_batch(block=False):
                keep(waiting.pop(future), answer, store, tally)
            tally.tick()
            crew.look(tally)
            if crew.is_lost:
                for task in waiting.values():
                    tally.note_failed(
                        task, task.seeds, "the cluster lost the work: its scheduler does not answer"
                    )
                return
        client.cancel(list(waiting))
    finally:
        client.close(timeout=_SECONDS_TO_CLOSE)


def connect(scheduler: str) -> Any:
    """Return a client of the scheduler at an address, or say that there is none.

    A client that fails to connect leaves a thread behind, which may hold up the next one; so the
    address is tried first.
    """
    distributed = _distributed()
    try:
        with ThreadPoolExecutor(
            1
        ) as beside:  # a notebook has an event loop in its own thread already
            beside.submit(asyncio.run, _knock(scheduler)).result()
        return distributed.Client(scheduler, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
    except (
        OSError,
        ValueError,
        TypeError,
        RuntimeError,
        ImportError,
    ) as error:  # nobody there, or not an address
        reason = escape_control(str(error), keep="\n")
        raise InputError(f"no Dask scheduler answers at {scheduler!r}: {reason}") from None


async def _knock(scheduler: str) -> None:
    distributed = _distributed()
    secrets = distributed.Security().get_connection_args("client")
    await (
        await import_module("distributed.comm").connect(
            scheduler, timeout=_SECONDS_TO_CONNECT, **secrets
        )
    ).close()


def _distributed() -> Any:
    """Return the package, which is large and need not be there."""
    needs("cluster", "engine='dask'")
    return import_module("distributed")


def attempt(task: Task, version: str) -> Answer | Stranger:
    """Return what became of a task that a driver of some version has sent. Runs on the cluster."""
    if version != __version__:
        return Stranger(__version__, platform.node())
    records: list[Record] = []
    try:
        records.extend(records_of(task))
    except BaseException:  # whatever the work raises, SystemExit too, is an answer
        return Answer(records, error_text())
    return Answer(records)


def keep(task: Task, answer: Any, store: Store, tally: Tally) -> None:
    """Put what came back from the cluster into the store; news of a loss comes as an error, or as
    its type, value and trace.
    """
    if isinstance(answer, Stranger):
        raise InputError(
            f"a worker of the cluster, on {escape_control(answer.host)}, "
            f"has hsr {escape_control(answer.version)}, and this process has hsr {__version__}; both must have the same version"
        )
    if not isinstance(answer, Answer):
        error = answer[1] if isinstance(answer, tuple) else answer
        tally.note_failed(
            task, task.seeds, f"the cluster lost the work: {type(error).__name__}: {error}"
        )
        return
    for record in answer.records:
        try:
            store.put(record)
        except StoreError as error:
            if concerns_every_run(error):
                raise
            tally.note_failed(task, (record.seed,), str(error))
        else:
            tally.note_done(task, record.seed)
    if answer.error:
        kept = {record.seed for record in answer.records}
        tally.note_failed(
            task, tuple(seed for seed in task.seeds if seed not in kept), answer.error
        )
