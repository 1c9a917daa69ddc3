"""`Tally`: what has happened so far in a run, told to whoever listens."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from hsr.paper.engine.job import Job
from hsr.paper.engine.plan import Task
from hsr.paper.engine.progress import Show
from hsr.toolkit import escape_control


class Failure(NamedTuple):
    """Seeds of a job that left no record, and why."""

    job: Job
    seeds: tuple[int, ...]
    error: str


@dataclass(frozen=True)
class Event:
    """Something that happened to seeds of a job.

    Parameters
    ----------
    kind : {"done", "skipped", "died", "failed"}
        "skipped": the store had the records before the work began. "died": the worker was lost, and
        the seeds are tried again.
    job : Job
        The job.
    seeds : tuple of int
        The seeds it happened to.
    error : str
        Why, for "died" and "failed"; without control characters other than line ends.
    """

    kind: Literal["done", "skipped", "died", "failed"]
    job: Job
    seeds: tuple[int, ...]
    error: str = ""


@dataclass
class Tally:
    """Counts of a run while it goes on; each change is shown and handed to the listener."""

    show: Show
    listener: Callable[[Event], None] | None
    done: int = 0
    skipped: int = 0
    failed: list[Failure] = field(default_factory=list)

    def note_done(self, task: Task, seed: int) -> None:
        """Count a run whose record is in the store."""
        self.done += 1
        self._tell(Event("done", task.job, (seed,)))

    def note_skipped(self, task: Task, seeds: tuple[int, ...]) -> None:
        """Count runs that somebody else has put into the store meanwhile."""
        if seeds:
            self.skipped += len(seeds)
            self._tell(Event("skipped", task.job, seeds))

    def note_died(self, task: Task, seeds: tuple[int, ...], error: str) -> None:
        """Tell that a worker was lost and that its seeds are tried again."""
        self._tell(Event("died", task.job, seeds, escape_control(error, keep="\n")))

    def note_failed(self, task: Task, seeds: tuple[int, ...], error: str) -> None:
        """Keep seeds that will have no record, and why."""
        text = escape_control(error.strip(), keep="\n")
        self.failed.append(Failure(task.job, seeds, text))
        self._tell(Event("failed", task.job, seeds, text))

    def tick(self, note: str = "") -> None:
        """Show the counts as they are."""
        self.show(
            self.done + self.skipped, sum(len(failure.seeds) for failure in self.failed), note
        )

    def _tell(self, event: Event) -> None:
        seeds = ", ".join(map(str, event.seeds))
        self.tick(
            f"{event.job.experiment}, seeds {seeds:.80}: {event.error.splitlines()[-1]:.200}"
            if event.error
            else ""
        )
        if self.listener is not None:
            self.listener(event)
