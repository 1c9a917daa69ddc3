"""`Job` and `Task`: work as plain data that can be sent to any process, and what of it is left."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hsr import InputError
from hsr.paper.store import Store, canonical, made_by
from hsr.paper.store.record import check_seed, keys_of

_PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True)
class Job:
    """Runs that share a setting, one per seed.

    A worker calls the function as ``function(setting, seeds)`` with those seeds that are not in the
    store. The function yields (or returns) one `Record` per seed, in any order. Each record is
    stored as soon as it is yielded, so a function that yields loses least when it is killed.

    Parameters
    ----------
    work : str
        The function, as "package.module:function". Only workers import it.
    experiment : str
        Name of the experiment that the records belong to.
    setting : dict
        First argument of the function, with JSON values. The job keeps a copy in canonical form,
        so that every engine passes the same values.
    seeds : iterable of int
        One run each; all different.

    Attributes
    ----------
    keys : dict of int to str
        The key of each seed's run in a store, computed once.

    Raises
    ------
    InputError
        If an argument is not of this form.

    Examples
    --------
    >>> job = Job("package.module:function", "predictive_maps", {"discount": 0.9}, range(3))
    >>> job.seeds, len(job.keys[0])
    ((0, 1, 2), 64)
    """

    work: str
    experiment: str
    setting: dict[str, Any]
    seeds: tuple[int, ...]
    keys: Mapping[int, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.work, str) or not _PATH.fullmatch(self.work):
            raise InputError(
                f"work is {self.work!r:.120}; it must name a function as 'package.module:function'"
            )
        if self.work.startswith("__main__:"):
            raise InputError(
                f"work is {self.work!r}; workers cannot import functions of a script: "
                "put it into a module"
            )
        seeds, text = _check_seeds(self.seeds), canonical(self.setting)
        keys = dict(zip(seeds, keys_of(self.experiment, text, seeds), strict=True))
        vars(self).update(setting=json.loads(text), seeds=seeds, keys=keys)

    @property
    def lease(self) -> str:
        """The name of the job's lease: the key of its first run."""
        return self.keys[self.seeds[0]]


@dataclass(frozen=True)
class Task:
    """Those seeds of a job that one worker has to run.

    Parameters
    ----------
    job : Job
        The job.
    seeds : tuple of int
        Some of its seeds.
    made_by : str
        The version and the sources of the process that asks for the runs. Other code computes
        nothing: its records might differ.

    Examples
    --------
    >>> Task(Job("package.module:function", "demo", {}, range(20)), (3, 4)).seeds
    (3, 4)
    """

    job: Job
    seeds: tuple[int, ...]
    made_by: str = field(default_factory=made_by, repr=False)

    def missing(self, store: Store) -> tuple[int, ...]:
        """Return the seeds whose records are not in the store now."""
        return tuple(seed for seed in self.seeds if self.job.keys[seed] not in store)


def remaining(jobs: Iterable[Job], store: Store) -> tuple[list[Task], int]:
    """Return the tasks that are left, and how many runs of the jobs are stored.

    A run that several jobs ask for is counted once.
    """
    stored = set(store.keys())
    seen: set[str] = set()
    tasks = []
    for job in jobs:
        new = {seed: key for seed, key in job.keys.items() if key not in seen}
        seen.update(new.values())
        if seeds := tuple(seed for seed, key in new.items() if key not in stored):
            tasks.append(Task(job, seeds))
    return tasks, len(seen & stored)


def estimate(jobs: Iterable[Job], store: Store) -> tuple[int, int]:
    """Return how many runs are missing in a store, and how many it holds.

    Parameters
    ----------
    jobs : iterable of Job
        The jobs that would be run.
    store : Store
        Where their records would go. It is only read.

    Returns
    -------
    missing, stored : int

    Examples
    --------
    >>> import tempfile
    >>> job = Job("package.module:function", "demo", {"rate": 0.1}, range(3))
    >>> estimate([job], Store(tempfile.mkdtemp()))
    (3, 0)
    """
    tasks, stored = remaining(jobs, store)
    return sum(len(task.seeds) for task in tasks), stored


def _check_seeds(seeds: Any) -> tuple[int, ...]:
    if isinstance(seeds, (str, bytes)) or not isinstance(seeds, Iterable):
        raise InputError(
            f"seeds is {seeds!r:.80}; it must be a list of integers, such as range(20)"
        )
    numbers = tuple(check_seed(seed) for seed in seeds)
    if not numbers:
        raise InputError("seeds is empty; there must be at least one")
    if len(set(numbers)) < len(numbers):
        raise InputError(f"seeds is {numbers!r:.80}; a repeated seed is the same run again")
    return numbers
