"""Inherit from scikit-learn without importing it before it is needed.

The import takes more than a second, most of it for pandas and `scipy.stats`. To fit a basis to a
map and to train an agent with it takes none of this. A basis is therefore first derived from
`DeferredEstimator`. It is derived from scikit-learn's classes as soon as anyone imports
scikit-learn, or a
method that comes from there is used.
"""

from collections.abc import Iterator
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

_LOCK = Lock()


class DeferredEstimator:
    """Stand in for the base classes of scikit-learn until they are imported."""

    _class_options: dict[str, Any]

    def __init_subclass__(cls, **options: Any) -> None:
        """Keep the options of a class statement for scikit-learn."""
        super().__init_subclass__()
        cls._class_options = options

    def __getattr__(self, name: str) -> Any:
        """Return an attribute that comes from scikit-learn.

        What `fit` learns ends in an underscore, and never comes from there.
        """
        if name.endswith("_") and not name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        load_estimator()
        return getattr(self, name)

    if TYPE_CHECKING:

        def __sklearn_tags__(self) -> Any: ...

    def __repr__(self) -> str:
        load_estimator()
        return repr(self)

    def __dir__(self) -> list[str]:
        load_estimator()
        return dir(self)

    def __getstate__(self) -> Any:
        load_estimator()
        return self.__getstate__()

    def __setstate__(self, state: Any) -> None:
        load_estimator()
        self.__setstate__(state)


def load_estimator() -> None:
    """Import scikit-learn, and rebase subclasses of `DeferredEstimator` on its classes."""
    # Before the lock, for which another thread that imports scikit-learn may be waiting.
    from sklearn.utils import metadata_routing  # noqa: F401

    with _LOCK:
        estimator = _estimator()
        for first in DeferredEstimator.__subclasses__():
            first.__bases__ = tuple(
                estimator if base is DeferredEstimator else base for base in first.__bases__
            )
            for each in _with_subclasses(first):
                super(each, each).__init_subclass__(**each.__dict__["_class_options"])


@cache
def _estimator() -> type:
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.utils import metadata_routing

    class Estimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
        """A scikit-learn transformer whose data are called `M` and `states`."""

        # scikit-learn takes every argument that is not called X or y for metadata. It reads which
        # ones are not from plain dicts, which RUF012 would have us annotate.
        __metadata_request__fit = {"M": metadata_routing.UNUSED}  # noqa: RUF012
        __metadata_request__transform = {"states": metadata_routing.UNUSED}  # noqa: RUF012

    return Estimator


def _with_subclasses(cls: type[Any]) -> Iterator[type[Any]]:
    yield cls
    for each in type.__subclasses__(cls):
        yield from _with_subclasses(each)
