"""What goes wrong, as types.

Every error a user can cause is an `HSRError`, says what was expected, what came and where, and is
raised before any work is done. Bad input is also a `ValueError`, so that code that knows nothing of
`hsr` catches it as usual.
"""


class HSRError(Exception):
    """Base of every error that `hsr` raises on purpose."""


class InputError(HSRError, ValueError):
    """An argument does not satisfy what its documentation asks for."""


class MapError(InputError):
    """A map's text cannot be read as a grid of cells."""


class TooLargeError(InputError, MemoryError):
    """The answer would not fit into this machine's memory; the message gives the bytes and another
    way.
    """


class HSRWarning(UserWarning):
    """Something legal but surprising, such as a map in several parts."""
