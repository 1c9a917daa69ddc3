"""How `hsr` prints: a line without control characters, counts and sizes in words."""

import sys
from collections.abc import Iterable
from typing import Any, TextIO

from hsr.toolkit import escape_control


def say(line: str, file: TextIO | None = None) -> None:
    """Print one line without control characters, in the encoding of the stream."""
    stream = sys.stdout if file is None else file
    encoding = stream.encoding or "utf-8"
    stream.write(escape_control(line).encode(encoding, "backslashreplace").decode(encoding) + "\n")
    stream.flush()


def counted(items: Iterable[Any], pattern: str, most: int = 8) -> str:
    """Return the number of items, and the first few of them.

    >>> counted([20, 25], "of {} states")
    '2 of 20, 25 states'
    """
    words = [str(item) for item in items]
    shown = ", ".join(words[:most]) + (", ..." if len(words) > most else "")
    return f"{len(words)} {pattern.format(shown)}" if words else "0"


def number_of(n: int, noun: str) -> str:
    """Return a number with its noun.

    >>> number_of(1, "run"), number_of(3000, "run")
    ('1 run', '3,000 runs')
    """
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def size_of(n_bytes: float) -> str:
    """Return a number of bytes, rounded.

    >>> size_of(123), size_of(23_456), size_of(7e9)
    ('123 B', '23 kB', '7 GB')
    """
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= size:
            return f"{_short(n_bytes / size)} {unit}"
    return f"{n_bytes:.0f} B"


def _short(number: float) -> str:
    return f"{number:.0f}" if number >= 10.0 else f"{number:.2g}"
