"""Text that is safe to show in a terminal."""


def escape_control(text: str, *, keep: str = "") -> str:
    r"""Return the text with control characters and lone surrogates written as escapes.

    Names of files, and error messages are shown to the user only in this form,
    so that none of them can move the cursor or change colours.

    Parameters
    ----------
    text : str
        Any text.
    keep : str
        Control characters that stay as they are. For text of several lines: ``keep="\n"``.

    Examples
    --------
    >>> escape_control("red: \x1b[31m\n")
    'red: \\x1b[31m\\n'
    >>> escape_control("two\nlines", keep="\n")
    'two\nlines'
    """
    return "".join(
        c if c.isprintable() or c in keep else c.encode("unicode_escape").decode("ascii")
        for c in text
    )
