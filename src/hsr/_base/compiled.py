"""`@compiled`, `@lean` and `@inlined`: Numba's `njit` with a cache that cannot go stale and mends
itself.

Numba checks only the file of the function it loads, so a change in a *callee* leaves stale machine
code behind. Here the cache folder's name is a hash of the sources of every kernel, of the versions
and of the processor; a change anywhere starts a new folder. A cache file that cannot be read (cut
short by a kill, say) is dropped and compiled anew. Where no folder can be written the functions are
compiled for this process alone.

The folder is `$HSR_CACHE_DIR`, else `$XDG_CACHE_HOME/hsr`, else `~/.cache/hsr`. With
`NUMBA_DISABLE_JIT=1` the functions stay plain Python and give the same results, slowly.
"""

import hashlib
import os
import platform
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import config
from numba.core.caching import FunctionCache

from hsr._base.errors import InputError

_PACKAGE = Path(__file__).resolve().parent.parent


def cache_home() -> Path:
    """Return the folder under which compiled code is kept."""
    if own := os.environ.get("HSR_CACHE_DIR"):
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hsr"


@cache
def cache_key() -> str:
    """Return the hash of everything that machine code depends on."""
    digest = hashlib.sha256()
    base = [_PACKAGE / "_base" / name for name in ("compiled.py", "row_arithmetic.py")]
    for source in [*base, *sorted((_PACKAGE / "kernels").glob("*.py"))]:
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    versions = (numba.__version__, llvmlite.__version__, np.__version__, platform.python_version())
    digest.update(
        repr((versions, platform.machine(), config.CPU_NAME, config.CPU_FEATURES)).encode()
    )
    return digest.hexdigest()[:20]


@cache
def cache_folder() -> Path | None:
    """Return the folder of this version's machine code, or None where none can be written (or there
    is no home).
    """
    try:
        folder = cache_home() / f"numba-{cache_key()}"
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            return folder
    except (OSError, RuntimeError):
        return None


class SelfMendingCache(FunctionCache):  # type: ignore[misc]
    """Numba's cache of one function, in which an unreadable file counts as no file."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the cached machine code, or None (and an emptied cache) when it cannot be read."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # an unreadable pickle may raise anything
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the machine code for later processes; a full or closed disk costs only the time to
        compile again.
        """
        with suppress(OSError):
            super().save_overload(sig, data)


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a kernel on first use; array arguments decide the machine code, and sums keep their
    written order.

    A kernel runs without the interpreter's lock, so that several of them keep several cores busy
    from one process.
    """
    return _cached(function, numba.njit(nogil=True)(function))


def lean(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a kernel that makes no arrays, without the bookkeeping of who owns one.

    Numba counts the owners of every array that a function is handed, by locked instructions that
    cost more than a short step of a learning loop. A lean kernel works on the caller's arrays and
    leaves the counting to the caller.
    """
    return _cached(function, numba.njit(nogil=True, _nrt=False)(function))


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a part of lean kernels: copied into its callers, because a call hands over each array
    as seven numbers.
    """
    return _cached(function, numba.njit(nogil=True, _nrt=False, inline="always")(function))


def first_class(
    function: Callable[..., Any], signature: str, guard: Callable[..., Any], whose: str
) -> Any:
    """Compile a function from elsewhere into a value that kernels take as an argument, and return
    it.

    All functions of one signature are values of one type, so that a kernel is compiled once for all
    of them. What comes is kept for this process alone: nothing is known of the sources it depends
    on. guard(function) must be a function that never raises, for a kernel does not hear of it.
    Division by zero gives infinity, as in arrays, with Numba or without.
    """
    if config.DISABLE_JIT:
        return np.errstate(all="ignore")(guard(function))
    try:
        return numba.cfunc(signature)(
            guard(
                numba.njit(signature, nogil=True, error_model="numpy", boundscheck=True)(function)
            )
        )
    except Exception as error:  # a compiler that meets code from elsewhere may raise anything
        raise InputError(
            f"{whose} cannot be compiled by Numba: {' '.join(str(error).split()):.400}"
        ) from error


def _cached(function: Callable[..., Any], dispatcher: Any) -> Callable[..., Any]:
    if not hasattr(dispatcher, "enable_caching"):
        return function
    folder = cache_folder()
    if folder is not None:
        former = config.CACHE_DIR
        config.CACHE_DIR = str(folder)
        try:
            dispatcher._cache = SelfMendingCache(dispatcher.py_func)
        finally:
            config.CACHE_DIR = former
    return dispatcher
