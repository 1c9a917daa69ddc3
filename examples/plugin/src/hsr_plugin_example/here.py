"""An engine without workers: every task in this process, one after another. It is good for a
debugger.
"""

from collections.abc import Sequence
from threading import Event

from hsr.paper.engine import Tally, Task, perform
from hsr.paper.store import Store


def run(tasks: Sequence[Task], store: Store, tally: Tally, stop: Event, *, workers: int) -> None:
    """Run the tasks in their order, until all are done or `stop` is set; there is one worker,
    whatever is asked for.
    """
    for task in tasks:
        if not stop.is_set():
            perform(task, store, tally, stop)
