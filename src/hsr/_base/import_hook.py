"""Do something as soon as another package is imported, without importing it.

If the package is not loaded, a finder waits at the front of `sys.meta_path` for its import, lets
the usual finders load it, does its work and removes itself. Asking whether the package exists
(`importlib.util.find_spec`) does not trigger it, and a failed import leaves it waiting.

Finder and loader are plain classes. Importing `importlib.abc`, which defines their interfaces,
would take longer than importing all of `hsr`.
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
    """Call `work` once: now if `package` is loaded, otherwise right after it is imported.

    Parameters
    ----------
    package : str
        The name of a top-level package.
    work : callable
        What to do, without arguments.

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
    """Finds one package as the other finders do, and adds the work to its loader."""

    def __init__(self, package: str, work: Callable[[], None]) -> None:
        self.package = package
        self.work = work

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        """Return the spec that the finders behind this one find, with the work added."""
        if fullname != self.package:
            return None
        # Finders in front of this one have been asked already. Asking them again would never end if
        # two hooks wait for the same package.
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
    """Loads a package with its own loader, restores that loader, and then does the work."""

    def __init__(self, loader: "Loader", waiting: _Waiting) -> None:
        self.loader = loader
        self.waiting = waiting

    def __getattr__(self, name: str) -> Any:
        """Return other attributes of the loader, such as `get_source`."""
        return getattr(self.loader, name)

    def create_module(self, spec: "ModuleSpec") -> "ModuleType | None":
        return self.loader.create_module(spec)

    def exec_module(self, module: "ModuleType") -> None:
        """Execute the module, and do the work only if that raises no error."""
        assert module.__spec__ is not None
        module.__loader__ = module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        if self.waiting in sys.meta_path:
            sys.meta_path.remove(self.waiting)
            self.waiting.work()
