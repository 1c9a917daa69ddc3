"""How far a run is: a live bar on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Show = Callable[[int, int, str], None]
SECONDS_BETWEEN_LINES = 5.0


@contextmanager
def display(total: int, stored: int, *, quiet: bool = False) -> Iterator[Show]:
    """Show how many runs are done, on the error stream, so that results can be piped.

    Parameters
    ----------
    total, stored : int
        Number of all runs, and of those that were in the store before.
    quiet : bool
        Whether to show nothing.

    Yields
    ------
    callable
        ``show(done, failed, note)``, which may be called often, also when nothing has changed.
    """
    if quiet:
        yield lambda done, failed, note: None
    else:
        with (_bar if sys.stderr.isatty() else _lines)(total, stored) as show:
            yield show


@contextmanager
def _lines(total: int, stored: int) -> Iterator[Show]:
    began = last = time.monotonic()
    line = ""

    def write(text: str) -> None:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def show(done: int, failed: int, note: str) -> None:
        nonlocal last, line
        now = time.monotonic()
        left = total - stored - done - failed
        line = f"{total - left}/{total} runs"
        # The first runs wait for compilation, and say nothing about the others.
        if left and done > max(1, total // 20):
            line += f", {left * (now - began) / done:.0f} s left"
        line += f", {failed} failed" if failed else ""
        if note:
            write(note)
        if now - last >= SECONDS_BETWEEN_LINES:
            last = now
            write(line)

    show(0, 0, "")
    try:
        yield show
    finally:
        write(line)


@contextmanager
def _bar(total: int, stored: int) -> Iterator[Show]:
    from rich import progress
    from rich.console import Console
    from rich.text import Text

    columns = ("runs", progress.BarColumn(), progress.MofNCompleteColumn())
    more = (progress.TimeRemainingColumn(), progress.TextColumn("{task.description}"))
    with progress.Progress(*columns, *more, console=Console(stderr=True)) as live:
        row = live.add_task("", total=total, completed=stored)

        def show(done: int, failed: int, note: str) -> None:
            if note:
                live.console.print(Text(note))
            words = f"{failed} failed" if failed else ""
            live.update(row, completed=stored + done + failed, description=words)

        yield show
