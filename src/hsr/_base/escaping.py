"""Text that is safe to show: no name and no error can drive the terminal."""


def printable(line: str) -> str:
    r"""Return one line with control characters and lone surrogates written as escapes.

    >>> printable("red: \x1b[31m")
    'red: \\x1b[31m'
    """
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in line
    )
