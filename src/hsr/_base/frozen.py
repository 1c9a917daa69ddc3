"""Objects that do not change after they are made."""

from typing import Any


class Frozen:
    """Base of data classes whose attributes are set once, by `_set`, and cannot be replaced.

    What was checked when the object was made therefore stays true.
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
