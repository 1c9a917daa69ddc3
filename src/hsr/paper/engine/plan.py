"""What is left to do: jobs, less the runs that the store already holds."""

from collections.abc import Iterable
from dataclasses import dataclass

from hsr.paper.engine.job import Job
from hsr.paper.store import Store


@dataclass(frozen=True)
class Task:
    """Those seeds of a job that one worker is to run."""

    job: Job
    seeds: tuple[int, ...]


@dataclass(frozen=True)
class Plan:
    """The tasks of a run, and how many of its runs were there before."""

    tasks: tuple[Task, ...]
    there: int

    @property
    def to_do(self) -> int:
        """Number of runs that are still to be done."""
        return sum(len(task.seeds) for task in self.tasks)


def plan(jobs: Iterable[Job], store: Store) -> Plan:
    """Return the work that is left; a run that several jobs ask for is planned once."""
    kept = set(store.keys())
    seen: set[str] = set()
    tasks = []
    for job in jobs:
        new = [(key, seed) for seed in job.seeds if (key := job.keys[seed]) not in seen]
        seen.update(key for key, _ in new)
        seeds = tuple(seed for key, seed in new if key not in kept)
        if seeds:
            tasks.append(Task(job, seeds))
    return Plan(tuple(tasks), len(seen & kept))


def estimate(jobs: Iterable[Job], store: Store) -> tuple[int, int]:
    """Return how many runs are to be done, and how many the store holds already.

    Parameters
    ----------
    jobs : iterable of Job
        What would be run.
    store : Store
        Where the records would go. It is only read.
    """
    found = plan(jobs, store)
    return found.to_do, found.there


def missing(task: Task, store: Store) -> tuple[int, ...]:
    """Return those seeds of a task whose records the store does not hold now."""
    return tuple(seed for seed in task.seeds if task.job.keys[seed] not in store)
