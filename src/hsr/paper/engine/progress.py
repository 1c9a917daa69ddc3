"""How far a run is: a live bar on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hsr.toolkit import escape_control

Show = Callable[[int, int, str], None]
SECONDS_BETWEEN_LINES = 5.0
LEAST_DONE = 0.05  # share of the runs before which the time left is not estimated


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
    began = last = time.monotonic()
    state = (0, 0)

    def words() -> str:
        return pace(*state, total - stored, time.monotonic() - began)

    def write(text: str) -> None:
        sys.stderr.write(escape_control(text) + "\n")
        sys.stderr.flush()

    def show_line(done: int, failed: int, note: str) -> None:
        nonlocal last, state
        state = (done, failed)
        if note:
            write(note)
        if time.monotonic() - last >= SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            write(f"{stored + sum(state)}/{total} runs {words()}")

    if quiet:
        yield lambda done, failed, note: None
    elif not sys.stderr.isatty():
        try:
            yield show_line
        finally:
            write(f"{stored + sum(state)}/{total} runs {words()}".rstrip())
    else:
        from rich import progress
        from rich.console import Console
        from rich.text import Text

        columns = (
            progress.TextColumn("runs"),
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            progress.TextColumn("{task.fields[words]}", markup=False),
        )
        with progress.Progress(*columns, console=Console(stderr=True)) as live:
            row = live.add_task("", total=total, completed=stored, words="")

            def show_bar(done: int, failed: int, note: str) -> None:
                nonlocal state
                state = (done, failed)
                if note:
                    live.console.print(Text(escape_control(note)))
                live.update(row, completed=stored + done + failed, words=words())

            yield show_bar


def pace(done: int, failed: int, wanted: int, seconds: float) -> str:
    """Return rate, time left and failures in words.

    >>> pace(10, 0, 40, 5.0)
    '2.0/s, 0:00:15 left'
    >>> pace(1, 2, 20, 60.0)
    '1.0/min, 0:17:00 left, 2 failed'

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
