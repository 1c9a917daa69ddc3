"""Types of errors and warnings, and the text of values in their messages."""

from math import log10
from typing import Any

_MOST_DIGITS = 40


class HSRError(Exception):
    """Base of every error that `hsr` raises on purpose.

    The message says what was expected, what was given and where. Errors that a user can cause are
    raised before any work is done.

    Examples
    --------
    >>> import hsr
    >>> try:
    ...     hsr.load_layout("five_rooms")
    ... except hsr.HSRError as error:
    ...     print(type(error).__name__)
    InputError
    """


class InputError(HSRError, ValueError):
    """An argument does not have the form that its documentation asks for.

    It is also a `ValueError`, so that code that knows nothing of `hsr` catches it as usual.

    Examples
    --------
    >>> import hsr
    >>> hsr.FiniteMDP([[[0.5, 0.5]], [[0.0, 1.0]]], discount=1.5)
    Traceback (most recent call last):
    hsr._base.errors.InputError: discount is 1.5; it must lie in [0, 0.99999]
    """


class LayoutError(InputError):
    """A text cannot be read as the layout of a maze.

    Examples
    --------
    >>> import hsr
    >>> try:
    ...     hsr.GridLayout.from_text("###")
    ... except hsr.grids.LayoutError:
    ...     print("a layout has at least one open cell")
    a layout has at least one open cell
    """


class TooLargeError(InputError, MemoryError):
    """The result would not fit into the memory of this machine.

    The message gives the number of bytes and a way that needs fewer.

    Examples
    --------
    >>> import hsr
    >>> issubclass(hsr.toolkit.TooLargeError, MemoryError)
    True
    """


class HSRWarning(UserWarning):
    r"""Something valid but surprising, such as a layout whose open cells are not all connected.

    Examples
    --------
    >>> import warnings, hsr
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     layout = hsr.GridLayout.from_text("#####\n#.#.#\n#####")
    >>> [warning.category.__name__ for warning in caught]
    ['HSRWarning']
    """


def short_repr(value: Any, most: int = 80) -> str:
    """Return `repr` of a value in one line, cut to `most` characters.

    Python refuses to write integers of more than 4,300 digits, and the `repr` of a foreign object
    may fail in any way. A message about such a value must not fail with it.

    Parameters
    ----------
    value : Any
        What the caller gave.
    most : int
        The most characters.

    Examples
    --------
    >>> short_repr("four rooms"), short_repr(10**5000), short_repr([10**5000])
    ("'four rooms'", 'an integer of about 5001 digits', 'a list')
    """
    if isinstance(value, int) and abs(value) >= 10**_MOST_DIGITS:
        return f"an integer of about {int(value.bit_length() * log10(2.0)) + 1} digits"
    try:
        text = repr(value)
        return (" ".join(text.split()) if "\n" in text else text)[:most]
    except Exception:
        kind = type(value).__name__
        return f"{'an' if kind[:1] in 'aeiouAEIOU' else 'a'} {kind}"
