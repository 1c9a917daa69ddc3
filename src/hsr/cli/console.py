"""How the command `hsr` prints lines and lists."""

import codecs
import os
import re
import sys
from collections.abc import Iterable
from io import TextIOWrapper
from typing import Any, TextIO


def prepare_streams() -> None:
    """Let everything be printed: into a stream that is closed, or that has another encoding.

    What goes to a closed stream is lost. Characters that a stream cannot encode are written by
    their numbers, and lines of boxes as - and |.
    """
    codecs.register_error("hsr", _by_number)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # as after `hsr ... >&-`
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="hsr")


def _by_number(error: UnicodeError) -> tuple[str, int]:
    r"""Return what is written for characters that cannot be encoded, as an error handler does.

    >>> _by_number(UnicodeEncodeError("ascii", "a\u2500\u2502\xe9", 1, 4, ""))
    ('-|\\xe9', 4)
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    said = error.object[error.start : error.end]
    lines = said.replace("\u2502", "|").translate(dict.fromkeys(range(0x2500, 0x2580), "-"))
    return lines.encode("ascii", "backslashreplace").decode(), error.end


def say(line: str, file: TextIO | None = None, *, styled: bool = False) -> None:
    """Print one line in the encoding of the stream, with control characters by their numbers.

    Texts may come from the store of somebody else, and a terminal obeys such characters. A line
    that is `styled` keeps them, for its colours.
    """
    stream = sys.stdout if file is None else file
    encoding = stream.encoding or "utf-8"
    if not styled:
        line = re.sub(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]", lambda found: ascii(found[0])[1:-1], line)
    stream.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")
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
