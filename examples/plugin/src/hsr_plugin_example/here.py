"""An engine without workers: it runs every task in this process, which helps with a debugger."""

from collections.abc import Sequence
from threading import Event

from hsr.paper.engine import Progress, Task, run_task
from hsr.paper.store import Store


def run(
    tasks: Sequence[Task], store: Store, progress: Progress, stop: Event, *, workers: int
) -> None:
    """Run the tasks in order, until all are finished or `stop` is set. `workers` is ignored."""
    for task in tasks:
        if not stop.is_set():
            run_task(task, store, progress, stop)
