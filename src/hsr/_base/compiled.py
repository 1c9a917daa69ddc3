"""Numba's `njit` with a cache that is never stale.

Numba checks only the file of the function that it loads. A change in a *called* function therefore
leaves outdated machine code behind. Here each module of kernels has a folder whose name is a hash
of its source and of the sources that it imports, of the versions and of Numba's settings, so that a
change starts a new folder for the modules that it concerns. A cache file that cannot be read, for
example after a kill, counts as absent. If no folder can be written, functions are compiled for the
present process only. So they are if other users could write to the folder, because to load machine
code is to execute it.

The folders are in `$HSR_CACHE_DIR`, else `$XDG_CACHE_HOME/hsr`, else `~/.cache/hsr`. With
`NUMBA_DISABLE_JIT=1` the functions stay plain Python. They then give the same results, slowly.
"""

import hashlib
import os
import re
import stat
import warnings
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

from hsr._base.errors import HSRWarning, InputError

_PACKAGE = Path(__file__).resolve().parent.parent
# The modules whose code may become part of a kernel: those below it, all imported by this form.
_IMPORT = re.compile(r"^from hsr\.(_base|kernels)\.(\w+) import", re.MULTILINE)
_WITHOUT_EFFECT = ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS")
# Half of a small function's compilation is for callers other than kernels: a C function pointer,
# which nobody takes, and the interpreter.
_NO_POINTER = {"no_cfunc_wrapper": True}
_FOR_KERNELS = {"no_cfunc_wrapper": True, "no_cpython_wrapper": True}


@cache
def cache_folder() -> Path | None:
    """Return the folder in which compiled code is kept, or None if there is none to be used."""
    try:
        home = os.environ.get("HSR_CACHE_DIR")
        usual = os.environ.get("XDG_CACHE_HOME")
        folder = Path(home) if home else Path(usual or Path.home() / ".cache") / "hsr"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            status = folder.stat()
    except (OSError, RuntimeError):  # Path.home() raises RuntimeError where there is no home
        return None
    # Windows has neither user numbers nor these modes, and keeps a home to its owner by itself.
    if hasattr(os, "geteuid") and (
        status.st_uid != os.geteuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    ):
        warnings.warn(
            f"compiled code is not cached: other users can write to {str(folder)!r}, and this "
            "process would execute what is in it; set HSR_CACHE_DIR to a folder that only you can "
            "write to",
            HSRWarning,
            stacklevel=2,
        )
        return None
    return folder


def module_key(source: Path) -> str:
    """Return the hash of everything that the machine code of a module depends on."""
    digest = hashlib.sha256()
    for path in sorted(_sources(source)):
        digest.update(path.name.encode() + path.read_bytes())
    settings = sorted(
        (name, text)
        for name, text in os.environ.items()
        if name.startswith("NUMBA_") and name not in _WITHOUT_EFFECT
    )
    # Numba's own key has its version and the processor.
    digest.update(repr((llvmlite.__version__, np.__version__, settings)).encode())
    return digest.hexdigest()[:16]


def _sources(source: Path) -> set[Path]:
    """Return a source and all sources below it that it imports, directly or not."""
    found, waiting = {_PACKAGE / "_base" / "compiled.py"}, {source}
    while waiting:
        found |= waiting
        texts = [path.read_text(encoding="utf-8") for path in waiting]
        named = {_PACKAGE / a / f"{b}.py" for text in texts for a, b in _IMPORT.findall(text)}
        waiting = named - found
    return found


class _Cache(FunctionCache):  # type: ignore[misc]
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
    """Compile a function of a user into a value that kernels take as an argument.

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
    folder = cache_folder() if hasattr(dispatcher, "enable_caching") else None
    if folder is None:
        return dispatcher
    source = Path(function.__code__.co_filename)
    former = config.CACHE_DIR
    config.CACHE_DIR = str(folder / f"{source.stem}-{_key_once(source)}")
    try:
        dispatcher._cache = _Cache(function)
    finally:
        config.CACHE_DIR = former
    return dispatcher


_key_once = cache(module_key)  # several kernels are in one module
