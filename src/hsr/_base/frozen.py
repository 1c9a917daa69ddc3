"""Objects that do not change once they are made, so that what was checked at the door stays true."""

from typing import Any


class Frozen:
    """Base of data classes that set their attributes once, through `_set`, and refuse to have them
    replaced.
    """

    def _set(self, **values: Any) -> None:
        vars(self).update(values)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(
            f"{type(self).__name__}.{name} cannot be set: the object is read-only; make a new one"
        )

    def __delattr__(self, name: str) -> None:
        raise AttributeError(
            f"{type(self).__name__}.{name} cannot be deleted: the object is read-only"
        )
