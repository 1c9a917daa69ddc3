"""Runs of different code in one store: refused before a run starts."""

from collections import Counter
from collections.abc import Iterable

from hsr import InputError
from hsr.paper.engine.job import Task
from hsr.paper.store import Store, made_by
from hsr.paper.store.sources import in_words


def refuse_mixture(tasks: Iterable[Task], store: Store) -> None:
    """Refuse to add to runs of the same experiments that other code made.

    Parameters
    ----------
    tasks : iterable of Task
        What is left to run. If nothing is, nothing can be mixed.
    store : Store
        Where the records would go.

    Raises
    ------
    InputError
        If the store holds such runs. The message says how many, and which code made them.
    """
    wanted = {task.job.experiment for task in tasks}
    if not wanted:
        return
    own, others, mixed = made_by(), Counter[str](), set()
    for (experiment, code), n in store.makers().items():
        if experiment in wanted and code != own:
            others[code] += n
            mixed.add(experiment)
    if others:
        raise InputError(
            f"the store {str(store.folder)!r} holds runs of {', '.join(sorted(mixed))} that other "
            f"code made: {in_words(others)}; this is {own}. Use another store, or mix both with "
            "mix=True (--mix)"
        )
