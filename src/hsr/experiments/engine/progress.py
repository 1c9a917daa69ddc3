"""How far long work is and how long it still takes: a bar on a terminal, lines elsewhere."""

import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

SECONDS_BETWEEN_LINES = 5.0
_FEWEST, _LEAST_SHARE = 2, 0.1  # of what is new, before the time left is shown


class Progress:
    """Counts what is done, and estimates how long the rest takes.

    Work of one kind, such as the runs of one agent in one setting, takes equally long; other kinds
    may take a hundred times as long. The rest is therefore weighted by the mean duration of each
    kind, and a kind of which nothing is done yet by the mean over the others. The time since work
    began, without the start of processes, then gives the time left. Seconds of compilation are
    counted apart, because in a new installation the first runs compile and the others do not.

    Parameters
    ----------
    planned : mapping of str to int
        By kind, how much is to be done.
    stored : int
        How much was there before.

    Examples
    --------
    >>> progress = Progress({"short": 10, "long": 10})
    >>> progress.add("short", 5, seconds=5.0, elapsed=8.0)  # processes took 3 seconds to start
    >>> progress.add("long", 1, seconds=9.0, elapsed=17.0)
    >>> progress.seconds_left(elapsed=17.0)
    86.0
    """

    def __init__(self, planned: Mapping[str, int], stored: int = 0) -> None:
        self.planned = dict(planned)
        self.total = stored + sum(self.planned.values())
        self.stored = stored
        self.failed = 0
        self._began = time.monotonic()
        self._done = Counter[str]()
        self._seconds = defaultdict[str, float](float)
        self._compiling = 0.0
        self._start: float | None = None  # of the first work

    @property
    def done(self) -> int:
        """How much is done, stored and failed."""
        return self.stored + self._done.total() + self.failed

    def add(
        self,
        kind: str,
        n: int,
        seconds: float,
        elapsed: float | None = None,
        *,
        compiling: float = 0.0,
    ) -> None:
        """Count work that is done, with the seconds that it took in its process.

        Seconds of compilation come on top. `elapsed` is the time since the beginning, by default
        that of the clock.
        """
        if self._start is None:
            self._start = max(self._elapsed(elapsed) - seconds - compiling, 0.0)
        self._compiling += compiling
        self._done[kind] += n
        self._seconds[kind] += seconds

    def fail(self, kind: str, n: int) -> None:
        """Count work that has failed and is not done again."""
        self.planned[kind] -= n
        self.failed += n

    def seconds_left(self, elapsed: float | None = None) -> float | None:
        """Return how long the rest takes, or None if too little is done to know."""
        n_new, n_done = sum(self.planned.values()), self._done.total()
        worked = sum(self._seconds.values())
        if self._start is None or n_done < max(_FEWEST, _LEAST_SHARE * n_new) or worked <= 0.0:
            return None
        mean = {kind: self._seconds[kind] / n for kind, n in self._done.items()}
        usual = sum(mean.values()) / len(mean)
        left = sum(
            max(n - self._done[kind], 0) * mean.get(kind, usual) for kind, n in self.planned.items()
        )
        return (self._elapsed(elapsed) - self._start) * left / (worked + self._compiling)

    def _elapsed(self, given: float | None) -> float:
        return time.monotonic() - self._began if given is None else given


Show = Callable[[str], None]


@contextmanager
def display(progress: Progress, *, quiet: bool = False) -> Iterator[Show]:
    """Show how far work is, on the error stream, so that results can be piped.

    Parameters
    ----------
    progress : Progress
        What is done, which the caller counts.
    quiet : bool
        Whether to show nothing.

    Yields
    ------
    callable
        ``show(note)``, which may be called often, also when nothing has changed. A note is printed
        unless it is empty.
    """
    if quiet:
        yield lambda note: None
    else:
        with (_bar if sys.stderr.isatty() else _lines)(progress) as show:
            yield show


@contextmanager
def _lines(progress: Progress) -> Iterator[Show]:
    last, written = time.monotonic(), ""

    def write(text: str) -> None:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def write_progress() -> None:
        nonlocal written
        text = f"{progress.done}/{progress.total} runs{_left(progress)}{_failed(progress)}"
        if text != written:
            written = text
            write(text)

    def show(note: str) -> None:
        nonlocal last
        if note:
            write(note)
        if time.monotonic() - last >= SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            write_progress()

    write_progress()
    try:
        yield show
    finally:
        write_progress()


@contextmanager
def _bar(progress: Progress) -> Iterator[Show]:
    from rich import progress as rich
    from rich.console import Console
    from rich.text import Text

    columns = ("runs", rich.BarColumn(), rich.MofNCompleteColumn(), rich.TimeElapsedColumn())
    words = rich.TextColumn("{task.description}")
    with rich.Progress(*columns, words, console=Console(stderr=True)) as live:
        row = live.add_task("", total=progress.total, completed=progress.stored)

        def show(note: str) -> None:
            if note:
                live.console.print(Text(note))
            said = f"{_left(progress)}{_failed(progress)}".removeprefix(", ")
            live.update(row, completed=progress.done, description=said)

        yield show


def _left(progress: Progress) -> str:
    """Return the time left in words; nothing before it is known, and at the end."""
    seconds = progress.seconds_left()
    return f", about {in_words(seconds)} left" if seconds else ""


def _failed(progress: Progress) -> str:
    return f", {progress.failed} failed" if progress.failed else ""


def in_words(seconds: float) -> str:
    """Return a duration with as many digits as an estimate has.

    >>> in_words(0.2), in_words(41.3), in_words(400.0), in_words(9000.0)
    ('1 s', '41 s', '7 min', '2.5 h')
    """
    if seconds < 100.0:
        return f"{max(seconds, 1.0):.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 6000.0 else f"{seconds / 3600.0:.1f} h"
