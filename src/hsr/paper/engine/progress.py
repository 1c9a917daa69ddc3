"""How far a run is: a live bar on a terminal, a plain line now and then elsewhere.

Each form is a block that gives a function ``show(done, failed, note)``: runs done and failed so
far, and perhaps something to say. It is called often, also when nothing has changed. Everything
goes to the error stream, so that results can be piped.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, TextIO

from hsr._base.escaping import escape_control
from hsr._base.validation import check_choice

if TYPE_CHECKING:
    from rich.console import Console

Show = Callable[[int, int, str], None]
Clock = Callable[[], float]
SECONDS_BETWEEN_LINES = 5.0


def progress_as(word: str, *, total: int, there: int) -> AbstractContextManager[Show]:
    """Return the form of progress that fits: "auto" looks at the error stream, "none" shows
    nothing.

    Parameters
    ----------
    word : {"auto", "none"}
        What was asked for.
    total : int
        All runs.
    there : int
        Those of them that an earlier run has left.
    """
    if check_choice(word, ("auto", "none"), "progress") == "none":
        return silence()
    if sys.stderr.isatty():
        from rich.console import Console

        return bar(Console(stderr=True), total=total, there=there)
    return lines(sys.stderr, total=total, there=there)


@contextmanager
def silence() -> Iterator[Show]:
    """Show nothing."""
    yield lambda done, failed, note: None


@contextmanager
def bar(
    console: "Console", *, total: int, there: int, clock: Clock = time.monotonic
) -> Iterator[Show]:
    """Draw one live line: runs, rate, time left, failures. Notes scroll by above it."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.text import Text

    columns = (
        TextColumn("runs"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[words]}", markup=False),
    )
    began = clock()
    with Progress(*columns, console=console) as live:
        row = live.add_task("", total=total, completed=there, words="")

        def show(done: int, failed: int, note: str) -> None:
            if note:
                live.console.print(Text(escape_control(note, keep="\n")))
            words = pace(done, failed, total - there, clock() - began)
            live.update(row, completed=there + done + failed, words=words)

        yield show


@contextmanager
def lines(
    stream: TextIO, *, total: int, there: int, clock: Clock = time.monotonic
) -> Iterator[Show]:
    """Write a line every few seconds, each note as it comes, and a last line."""
    began = clock()
    last = began
    state = (0, 0)

    def write() -> None:
        done, failed = state
        words = pace(done, failed, total - there, clock() - began)
        stream.write(f"{there + done + failed}/{total} runs {words}\n")
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
    >>> pace(1, 2, 93, 60.0)
    '1.0/min, 1:30:00 left, 2 failed'
    >>> pace(0, 0, 93, 60.0)
    ''
    """
    words = []
    if done and seconds > 0.0:
        rate = done / seconds
        words.append(f"{rate:.1f}/s" if rate >= 1.0 else f"{60.0 * rate:.1f}/min")
        left = round((wanted - done - failed) / rate)
        if left > 0:
            words.append(f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02} left")
    if failed:
        words.append(f"{failed} failed")
    return ", ".join(words)
