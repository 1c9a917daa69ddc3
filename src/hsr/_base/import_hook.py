"""`when_imported`: do something as soon as another package is there, without importing it oneself.

If the package is loaded already the work is done at once. Otherwise a finder waits at the front of
`sys.meta_path` for the one import it is named after, lets the usual finders do it, does its work
when the package has been executed, and is gone. Asking whether the package exists
(`importlib.util.find_spec`) does not set it off, and an import that fails leaves it waiting.

Finder and loader are plain classes: `importlib.abc`, whose contracts they keep, would take longer
to import than all of `hsr`.
"""

import sys
from collections.abc import Callable, Sequence
from itertools import dropwhile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec
    from types import ModuleType


def when_imported(package: str, work: Callable[[], None]) -> None:
    """Call `work` now if `package` is loaded, else right after it has been imported, once.

    Examples
    --------
    >>> when_imported("sys", lambda: print("sys is there"))
    sys is there
    """
    if package in sys.modules:
        work()
    else:
        sys.meta_path.insert(0, _Waiting(package, work))


class _Waiting:
    """Finds one package as the other finders do, and puts the work behind its loader."""

    def __init__(self, package: str, work: Callable[[], None]) -> None:
        self.package = package
        self.work = work

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        if fullname != self.package:
            return None
        # Finders in front have been asked before; to ask them again would be endless where two wait
        # for one package.
        behind = list(dropwhile(lambda finder: finder is not self, sys.meta_path))[1:]
        spec = next(
            (
                spec
                for finder in behind
                if (spec := finder.find_spec(fullname, path, target)) is not None
            ),
            None,
        )
        if spec is not None and spec.loader is not None:
            spec.loader = _Announcing(spec.loader, self)  # type: ignore[assignment]
        return spec


class _Announcing:
    """Loads a package as its own loader does, gives it back its own loader, and then does the work."""

    def __init__(self, loader: "Loader", waiting: _Waiting) -> None:
        self.loader = loader
        self.waiting = waiting

    def __getattr__(self, name: str) -> Any:
        """Return what else loaders can do, such as `get_source`, for those who look at the package
        without importing it.
        """
        return getattr(self.loader, name)

    def create_module(self, spec: "ModuleSpec") -> "ModuleType | None":
        return self.loader.create_module(spec)

    def exec_module(self, module: "ModuleType") -> None:
        assert module.__spec__ is not None
        module.__loader__ = module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        if self.waiting in sys.meta_path:
            sys.meta_path.remove(self.waiting)
            self.waiting.work()
