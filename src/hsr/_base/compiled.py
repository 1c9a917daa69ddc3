"""Numba's `njit` with a cache that is never stale and repairs itself.

Numba checks only the file of the function that it loads. A change in a *called* function therefore
leaves outdated machine code behind. Here the name of the cache folder is a hash of the sources of
all kernels, of the versions, of the processor and of Numba's settings, so that any change starts a
new folder. A cache file that cannot be read, for example after a kill, is deleted and compiled
again. If no folder can be written, functions are compiled for the present process only. So they are
if other users could write to the folder, because to load machine code is to execute it. Of several
processes that need one kernel, one compiles it, and the others wait and load it.

The folder is `$HSR_CACHE_DIR`, else `$XDG_CACHE_HOME/hsr`, else `~/.cache/hsr`. With
`NUMBA_DISABLE_JIT=1` the functions stay plain Python. They then give the same results, slowly.
"""

import fcntl
import hashlib
import os
import platform
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import config
from numba.core.caching import FunctionCache
from numba.core.compiler_lock import global_compiler_lock

from hsr._base.errors import HSRWarning, InputError
from hsr._base.trusted_folder import fault_of, make_private

_PACKAGE = Path(__file__).resolve().parent.parent
# Settings of Numba that never change machine code. All others are part of the key.
_WITHOUT_EFFECT = (
    "ALWAYS_WARN_UNINIT_VAR", "ANNOTATE", "CACHE_", "CHROME_TRACE", "COLOR_SCHEME", "CUDA_",
    "DEBUG_CACHE", "DEVELOPER_MODE", "DISABLE_CUDA", "DISABLE_PERFORMANCE_WARNINGS", "DUMP_",
    "ENABLE_CUDASIM", "FORCE_CUDA_CC", "FULL_TRACEBACKS", "FUNCTION_CACHE_SIZE", "GDB_BINARY",
    "HIGHLIGHT_DUMPS", "HTML", "LLVM_PASS_TIMINGS", "NUMBA_DEFAULT_NUM_THREADS",
    "NUMBA_NUM_THREADS", "PARALLEL_DIAGNOSTICS", "SHOW_HELP", "THREADING_LAYER", "TRACE",
)  # fmt: skip
# Nobody waits longer for another process that compiles. The largest kernel takes a quarter of it.
_LONGEST_WAIT = 60.0
# Half of a small function's compilation is for callers other than kernels: a C function pointer,
# which nobody takes, and the interpreter.
_NO_POINTER = {"no_cfunc_wrapper": True}
_FOR_KERNELS = {"no_cfunc_wrapper": True, "no_cpython_wrapper": True}


def cache_home() -> Path:
    """Return the folder under which compiled code is kept."""
    if own := os.environ.get("HSR_CACHE_DIR"):
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hsr"


@cache
def cache_key() -> str:
    """Return the hash of everything that machine code depends on."""
    digest = hashlib.sha256()
    names = ("compiled.py", "row_arithmetic.py", "stop_flag.py")
    base = [_PACKAGE / "_base" / name for name in names]
    for source in [*base, *sorted((_PACKAGE / "kernels").glob("*.py"))]:
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    versions = (numba.__version__, llvmlite.__version__, np.__version__, platform.python_version())
    digest.update(repr((versions, platform.machine(), _settings())).encode())
    return digest.hexdigest()[:20]


def _settings() -> list[tuple[str, Any]]:
    """Return the settings of Numba that can change machine code, from whatever source."""
    names = [name for name in dir(config) if name.isupper() and not name.startswith("_")]
    return [(name, getattr(config, name)) for name in names if not name.startswith(_WITHOUT_EFFECT)]


@cache
def cache_folder() -> Path | None:
    """Return the folder of this version's machine code, or None if none can be written.

    A folder that other users could write to is not used, and a warning says so.
    """
    try:
        folder = cache_home() / f"numba-{cache_key()}"
        make_private(folder)
        fault = fault_of(folder)
        if fault is None:
            with TemporaryFile(dir=folder):
                return folder
    except (OSError, RuntimeError):
        return None
    warnings.warn(
        f"compiled code is not cached: {fault}, and this process would execute what is in it; "
        "delete the folder, or set HSR_CACHE_DIR to a folder that only you can write to",
        HSRWarning,
        stacklevel=2,
    )
    return None


class SelfMendingCache(FunctionCache):  # type: ignore[misc]
    """Numba's cache of one function, in which an unreadable file counts as absent."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the cached machine code, or None and an empty cache if it is unreadable."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # an unreadable pickle may raise anything
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the machine code for later processes. If the disk is full, it is compiled again."""
        with suppress(OSError):
            super().save_overload(sig, data)


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a kernel on first use.

    The types of its arguments decide the machine code. Sums keep the order in which they are
    written. A kernel runs without the interpreter's lock, so that several kernels can use several
    cores from one process.
    """
    return _cached(function, numba.njit(nogil=True, **_NO_POINTER)(function))


def lean(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a kernel that makes no arrays, without reference counting.

    Numba counts the references to every array that a function is given. The atomic instructions for
    this cost more than a short step of a learning loop. A lean kernel works on the caller's arrays
    and leaves the counting to the caller.
    """
    return _cached(function, numba.njit(nogil=True, _nrt=False, **_NO_POINTER)(function))


def internal(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that makes no arrays and that only kernels call.

    A call from Python would crash, because it has no code for that. This saves half of its
    compilation. It is not cached, because the kernels that are cached contain it.
    """
    kernel: Callable[..., Any] = numba.njit(nogil=True, _nrt=False, **_FOR_KERNELS)(function)
    return kernel


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile an internal function that is copied into the kernels that call it.

    A call would pass each array as seven numbers. LLVM makes the copies. If Numba made them
    (``inline="always"``), it would infer the types of each copy and translate each one.
    """
    kernel: Callable[..., Any] = numba.njit(
        nogil=True, _nrt=False, forceinline=True, **_FOR_KERNELS
    )(function)
    return kernel


def first_class(
    function: Callable[..., Any], signature: str, guard: Callable[..., Any], whose: str
) -> Any:
    """Compile a function of a plugin into a value that kernels take as an argument.

    All functions of one signature have one type, so that a kernel is compiled once for all of them.
    The machine code is kept for the present process only, because the sources that it depends on
    are not known. Division by zero gives infinity, as in arrays, with Numba or without.

    Parameters
    ----------
    function : callable
        The function to compile.
    signature : str
        Its signature, in the notation of Numba.
    guard : callable
        ``guard(function)`` returns a function that never raises. A kernel would not notice an
        error.
    whose : str
        Who wrote the function, for the message if it cannot be compiled.
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
        name = f"{function.__module__}.{function.__qualname__}.lock"
        dispatcher.compile = _one_at_a_time(dispatcher.compile, folder / name)
    return dispatcher


def _one_at_a_time(compile_or_load: Callable[..., Any], lock: Path) -> Callable[..., Any]:
    """Let one process at a time compile a kernel, so that the next ones find it in the cache.

    Threads take Numba's own lock first. Otherwise one could wait for the kernel of another that
    waits for Numba.
    """

    def locked(signature: Any) -> Any:
        with global_compiler_lock, _holding(lock):
            return compile_or_load(signature)

    return locked


@contextmanager
def _holding(lock: Path) -> Iterator[None]:
    """Hold a lock if it can be had in time. The system releases it if this process dies."""
    try:
        file = open(lock, "ab")  # noqa: SIM115 - closed below, with or without the lock
    except OSError:
        yield
        return
    with file:
        last = time.monotonic() + _LONGEST_WAIT
        while not _taken(file) and time.monotonic() < last:
            time.sleep(0.02)
        yield


def _taken(file: Any) -> bool:
    """Return whether there is nothing to wait for: the lock is held here, or there are no locks."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # some network file systems have no locks
        return True
    return True
