"""Values of any kind as the text of a message."""

from math import log10
from typing import Any

_MOST_DIGITS = 40


def shown(value: Any, most: int = 80) -> str:
    """Return `repr` of a value, cut to `most` characters.

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
    >>> shown("four rooms"), shown(10**5000), shown([10**5000])
    ("'four rooms'", 'an integer of about 5001 digits', 'a list')
    """
    if isinstance(value, int) and abs(value) >= 10**_MOST_DIGITS:
        return f"an integer of about {int(value.bit_length() * log10(2.0)) + 1} digits"
    try:
        return repr(value)[:most]
    except Exception:
        kind = type(value).__name__
        return f"{'an' if kind[:1] in 'aeiouAEIOU' else 'a'} {kind}"
