"""Do something as soon as another package is imported, without importing it.

`import hsr` must cost nothing to those who do not use Gymnasium, and yet ``gymnasium.make`` must
know the environments afterwards, in whatever order both are imported.
"""

import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any


def when_imported(package: str, work: Callable[[], None]) -> None:
    """Call `work` now if `package` is loaded, otherwise right after it is imported.

    Parameters
    ----------
    package : str
        The name of a top-level package. Only one piece of work can wait for it.
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
    """Finds one package as Python does, and works after its loader has executed it."""

    def __init__(self, package: str, work: Callable[[], None]) -> None:
        self.package = package
        self.work = work

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        # Who asks may only want to know whether the package exists, so the work waits for the
        # loader.
        spec = PathFinder.find_spec(name, path, target) if name == self.package else None
        if spec is not None and spec.loader is not None:
            loader: Any = spec.loader
            execute = loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                sys.meta_path.remove(self)
                self.work()

            loader.exec_module = exec_module
        return spec
