"""Text of several lines that is safe to show: what a run says of itself never drives the terminal."""

from hsr._base import escaping as of_line


def printable(text: str) -> str:
    r"""Return the text with control characters and lone surrogates written as escapes; lines stay
    lines.

    >>> printable("red: \x1b[31m")
    'red: \\x1b[31m'
    """
    return "\n".join(of_line.printable(line) for line in text.split("\n"))
