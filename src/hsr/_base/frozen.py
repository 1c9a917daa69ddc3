"""`Frozen`: base of objects that cannot be changed after they are made."""

from typing import Any


class Frozen:
    """Base of data classes whose attributes are set once, by `_set`, and cannot be replaced.

    What was checked when the object was made therefore stays true.

    Examples
    --------
    >>> class Point(Frozen):
    ...     def __init__(self, x):
    ...         self._set(x=x)
    >>> Point(1).x
    1
    >>> Point(1).x = 2
    Traceback (most recent call last):
    AttributeError: Point.x cannot be set: the object is read-only; make a new one
    """

    def _set(self, **values: Any) -> None:
        """Set attributes, for constructors only."""
        vars(self).update(values)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(
            f"{type(self).__name__}.{name} cannot be set: the object is read-only; make a new one"
        )

    def __delattr__(self, name: str) -> None:
        raise AttributeError(
            f"{type(self).__name__}.{name} cannot be deleted: the object is read-only"
        )
