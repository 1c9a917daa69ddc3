"""What there is here: packages, processor, linear algebra, memory, the cache of compiled code,
plugins; as plain data.

A part that cannot be told, because a package it needs is broken, tells its error instead: `hsr
doctor` is asked when things are broken.
"""

import os
import platform
from collections.abc import Callable
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

from hsr import __version__
from hsr.toolkit import EXTRAS

REQUIRED = (
    "numpy", "scipy", "numba", "llvmlite", "scikit-learn", "threadpoolctl", "tyro", "rich", "packaging",
)  # fmt: skip
_VECTORS = ("sse2", "sse4.2", "avx", "avx2", "fma", "avx512f", "neon", "sve")


def describe() -> dict[str, Any]:
    """Return every part by name."""
    parts: dict[str, Callable[[], Any]] = {
        "versions": versions,
        "optional": optional,
        "processor": processor,
        "blas": blas,
        "memory": memory,
        "cache": cache,
        "plugins": plugins,
    }
    return {name: _told(part) for name, part in parts.items()}


def versions() -> dict[str, str | None]:
    """Return the versions of hsr, Python, the system and each package that hsr needs; None for one
    that is missing.
    """
    about = {"hsr": __version__, "python": platform.python_version(), "system": platform.platform()}
    return {**about, **{name: version_of(name) for name in REQUIRED}}


def optional() -> dict[str, dict[str, str | None]]:
    """Return for each extra the versions of its packages; None for one that is missing."""
    return {extra: {name: version_of(name) for name in names} for extra, names in EXTRAS.items()}


def processor() -> dict[str, Any]:
    """Return model, cores, the cores that this process may use, and the vector instructions that
    Numba compiles for.
    """
    import llvmlite.binding as llvm

    from hsr.toolkit import cpu_model

    chosen = os.environ.get("NUMBA_CPU_FEATURES")
    features = llvm.get_host_cpu_features().flatten() if chosen is None else chosen
    present = {feature[1:] for feature in features.split(",") if feature.startswith("+")}
    return {
        "model": cpu_model(),
        "cores": os.cpu_count(),
        "usable": len(os.sched_getaffinity(0)),
        "vectors": [name for name in _VECTORS if name in present],
    }


def blas() -> list[dict[str, Any]]:
    """Return the loaded libraries of linear algebra: which one, version, architecture, threads."""
    from hsr.toolkit import blas_libraries

    return blas_libraries()


def memory() -> dict[str, int]:
    """Return the bytes of this machine, and those that can be had now."""
    from hsr.toolkit import available_bytes

    return {
        "total": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "available": available_bytes(),
    }


def cache() -> dict[str, Any]:
    """Return the folder of compiled code (None if none can be written), its files and bytes, and
    those of other versions.
    """
    from hsr.toolkit import cache_folder

    own = cache_folder()
    if own is None:
        return {"folder": None, "files": 0, "bytes": 0, "other_folders": 0, "other_bytes": 0}
    others = [folder for folder in own.parent.glob("numba-*") if folder != own]
    sizes = _sizes(own)
    return {
        "folder": str(own),
        "files": len(sizes),
        "bytes": sum(sizes),
        "other_folders": len(others),
        "other_bytes": sum(sum(_sizes(folder)) for folder in others),
    }


def plugins() -> list[dict[str, Any]]:
    """Return what other packages have added, by entry point."""
    from hsr.toolkit import plugins

    return [asdict(plugin) for plugin in plugins.installed()]


def version_of(package: str) -> str | None:
    """Return the version of an installed package, or None."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _sizes(folder: Path) -> list[int]:
    """Return the bytes of each file; one that another process removes meanwhile is left out."""
    sizes = []
    for path in folder.rglob("*"):
        try:
            sizes += [path.stat().st_size] if path.is_file() else []
        except OSError:
            continue
    return sizes


def _told(part: Callable[[], Any]) -> Any:
    try:
        return part()
    except Exception as error:  # a broken package may raise anything
        return {"error": f"{type(error).__name__}: {error}"}
