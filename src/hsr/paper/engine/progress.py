"""How far a run is: counts and events, and their display as a live bar or as plain lines."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, TextIO

from hsr.paper.engine.job import Job, Task
from hsr.toolkit import check_choice, escape_control

if TYPE_CHECKING:
    from rich.console import Console

Show = Callable[[int, int, str], None]
Clock = Callable[[], float]
SECONDS_BETWEEN_LINES = 5.0
LEAST_DONE = 0.05  # share of the runs before which the time left is not estimated


class Failure(NamedTuple):
    """Seeds of a job that have no record, and the text of the error.

    Attributes
    ----------
    job : Job
        The job.
    seeds : tuple of int
        The seeds that failed.
    error : str
        Why, without control characters other than line ends.
    """

    job: Job
    seeds: tuple[int, ...]
    error: str


@dataclass(frozen=True)
class Event:
    """Something that happened to seeds of a job.

    Parameters
    ----------
    kind : {"done", "skipped", "died", "failed"}
        "skipped": the records were in the store before the work began. "died": the worker was lost,
        and the seeds are tried again.
    job : Job
        The job.
    seeds : tuple of int
        The seeds it happened to.
    error : str
        Why, for "died" and "failed", without control characters other than line ends.
    """

    kind: Literal["done", "skipped", "died", "failed"]
    job: Job
    seeds: tuple[int, ...]
    error: str = ""


@dataclass
class Progress:
    """Counts of a run. An engine reports here what happens to its tasks.

    Each report is shown to the user and passed to the listener.

    Parameters
    ----------
    show : callable
        Called as ``show(done, failed, note)``.
    listener : callable or None
        Called with every `Event`.
    done, skipped : int
        Runs that were stored by this call, and by another process meanwhile.
    failed : list of Failure
        Seeds without a record.

    Examples
    --------
    >>> task = Task(Job("package.module:function", "demo", {}, range(3)), (0, 1, 2))
    >>> progress = Progress(lambda done, failed, note: print(done, failed, note or "-"), None)
    >>> progress.note_done(task, 0)
    1 0 -
    >>> progress.note_failed(task, (1, 2), "ValueError: no goal")
    1 2 demo, seeds 1, 2: ValueError: no goal
    """

    show: Show
    listener: Callable[[Event], None] | None
    done: int = 0
    skipped: int = 0
    failed: list[Failure] = field(default_factory=list)

    def note_done(self, task: Task, seed: int) -> None:
        """Count a run whose record is in the store."""
        self.done += 1
        self._note(Event("done", task.job, (seed,)))

    def note_skipped(self, task: Task, seeds: tuple[int, ...]) -> None:
        """Count runs that another process has stored meanwhile."""
        if seeds:
            self.skipped += len(seeds)
            self._note(Event("skipped", task.job, seeds))

    def note_died(self, task: Task, seeds: tuple[int, ...], error: str) -> None:
        """Report that a worker was lost and that its seeds are tried again."""
        self._note(Event("died", task.job, seeds, escape_control(error, keep="\n")))

    def note_failed(self, task: Task, seeds: tuple[int, ...], error: str) -> None:
        """Count seeds that will have no record, and keep the error."""
        text = escape_control(error.strip(), keep="\n")
        self.failed.append(Failure(task.job, seeds, text))
        self._note(Event("failed", task.job, seeds, text))

    def refresh(self, note: str = "") -> None:
        """Show the counts as they are now. An engine calls this to show that it is alive."""
        self.show(self.done + self.skipped, sum(len(one.seeds) for one in self.failed), note)

    def _note(self, event: Event) -> None:
        note = ""
        if event.error:
            seeds, error = ", ".join(map(str, event.seeds)), event.error.splitlines()[-1]
            note = f"{event.job.experiment}, seeds {seeds:.80}: {error:.200}"
        self.refresh(note)
        if self.listener is not None:
            self.listener(event)


def display(kind: str, *, total: int, stored: int) -> AbstractContextManager[Show]:
    """Return the display of a run as a block that gives ``show(done, failed, note)``.

    `show` is called often, also when nothing has changed. Everything goes to the error stream, so
    that results can be piped.

    Parameters
    ----------
    kind : {"auto", "none"}
        "auto" is a bar on a terminal and lines elsewhere. "none" shows nothing.
    total : int
        Number of all runs.
    stored : int
        Number of those that were in the store before.
    """
    if check_choice(kind, ("auto", "none"), "progress") == "none":
        return nullcontext(lambda done, failed, note: None)
    if sys.stderr.isatty():
        from rich.console import Console

        return bar(Console(stderr=True), total=total, stored=stored)
    return lines(sys.stderr, total=total, stored=stored)


@contextmanager
def bar(
    console: "Console", *, total: int, stored: int, clock: Clock = time.monotonic
) -> Iterator[Show]:
    """Draw one live line with runs, rate, time left and failures. Notes appear above it."""
    from rich import progress
    from rich.text import Text

    columns = (
        progress.TextColumn("runs"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TextColumn("{task.fields[words]}", markup=False),
    )
    began = clock()
    with progress.Progress(*columns, console=console) as live:
        row = live.add_task("", total=total, completed=stored, words="")

        def show(done: int, failed: int, note: str) -> None:
            if note:
                live.console.print(Text(escape_control(note, keep="\n")))
            words = pace(done, failed, total - stored, clock() - began)
            live.update(row, completed=stored + done + failed, words=words)

        yield show


@contextmanager
def lines(
    stream: TextIO, *, total: int, stored: int, clock: Clock = time.monotonic
) -> Iterator[Show]:
    """Write a line every few seconds, each note at once, and a last line."""
    began = last = clock()
    state = (0, 0)

    def write() -> None:
        words = pace(*state, total - stored, clock() - began)
        stream.write(f"{stored + sum(state)}/{total} runs {words}\n")
        stream.flush()

    def show(done: int, failed: int, note: str) -> None:
        nonlocal last, state
        state = (done, failed)
        if note:
            stream.write(escape_control(note, keep="\n") + "\n")
        if clock() - last >= SECONDS_BETWEEN_LINES:
            last = clock()
            write()

    try:
        yield show
    finally:
        write()


def pace(done: int, failed: int, wanted: int, seconds: float) -> str:
    """Return rate, time left and failures in words.

    >>> pace(10, 0, 40, 5.0)
    '2.0/s, 0:00:15 left'
    >>> pace(1, 2, 20, 60.0)
    '1.0/min, 0:17:00 left, 2 failed'
    >>> pace(0, 0, 93, 60.0)
    ''

    The first runs wait for compilation, so there is no estimate before 5 % are done.

    >>> pace(1, 0, 40, 5.0)
    '12.0/min'
    """
    words = []
    if done and seconds > 0.0:
        rate = done / seconds
        words.append(f"{rate:.1f}/s" if rate >= 1.0 else f"{60.0 * rate:.1f}/min")
        left = round((wanted - done - failed) / rate)
        if left > 0 and done + failed >= LEAST_DONE * wanted:
            words.append(f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02} left")
    if failed:
        words.append(f"{failed} failed")
    return ", ".join(words)
