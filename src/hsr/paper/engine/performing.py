"""One task, done here and now: what an engine needs that has no workers of its own."""

from threading import Event

from hsr.paper.engine.plan import Task, missing
from hsr.paper.engine.tally import Tally
from hsr.paper.engine.work import concerns_every_run, error_text, records_of
from hsr.paper.store import Store, StoreError


def perform(task: Task, store: Store, tally: Tally, stop: Event) -> None:
    """Run one task in this process, until it is done or `stop` is set.

    Runs that somebody else has put into the store meanwhile are skipped. Every record is in the
    store before the tally hears of it. A task that breaks is told as failed, and the caller goes on
    with the next.

    Parameters
    ----------
    task : Task
        The work.
    store : Store
        Where its records go.
    tally : Tally
        Hears of everything that happens.
    stop : Event
        Looked at after each record.

    Raises
    ------
    StoreError
        If a record cannot be kept: those of other tasks could not either.
    """
    seeds = missing(task, store)
    tally.note_skipped(task, tuple(seed for seed in task.seeds if seed not in seeds))
    left = set(seeds)
    try:
        for record in records_of(Task(task.job, seeds)) if seeds else ():
            store.put(record)
            left.discard(record.seed)
            tally.note_done(task, record.seed)
            if stop.is_set():
                return
    except StoreError as error:
        if concerns_every_run(error):
            raise
        tally.note_failed(task, tuple(sorted(left)), str(error))
    except Exception:  # whatever the work raises is an answer
        tally.note_failed(task, tuple(sorted(left)), error_text())
