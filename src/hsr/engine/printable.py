"""Text that is safe to show: what a run says of itself never drives the terminal."""


def printable(text: str) -> str:
    r"""Return the text with control characters and lone surrogates written as escapes; lines stay lines.

    >>> printable("red: \x1b[31m")
    'red: \\x1b[31m'
    """
    return "\n".join(
        "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in line) for line in text.split("\n")
    )
