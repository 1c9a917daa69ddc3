"""What a worker does with a task, in whichever process it lives: find the function, call it, check
what comes.
"""

import traceback
from collections.abc import Iterator
from importlib import import_module

from threadpoolctl import threadpool_limits

from hsr import HSRError
from hsr.paper.engine.plan import Task
from hsr.paper.store import Record, StoreError

_LONGEST_ERROR = 10_000


class WorkError(HSRError):
    """A job's function did not give the records that its job asked for."""


def records_of(task: Task) -> Iterator[Record]:
    """Yield the records of a task, one per seed, as the function gives them.

    Dense algebra is limited to one thread for the rest of the process, not for the call alone: in a
    process that works on several tasks at once, the first to end would lift the limit of the
    others.
    """
    job = task.job
    module, name = job.work.split(":")
    function = getattr(import_module(module), name)
    import_module(
        "scipy.linalg.blas"
    )  # SciPy's own library of algebra; one that is loaded later would know of no limit
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


def error_text() -> str:
    """Return the error that is being handled, with the way it took through the work; the end of it,
    if it is very long.
    """
    return traceback.format_exc()[-_LONGEST_ERROR:]


def concerns_every_run(error: StoreError) -> bool:
    """Return whether no record can be kept, as on a full disk, rather than this one, which differs
    from its stored twin.
    """
    return isinstance(error.__cause__, OSError)
