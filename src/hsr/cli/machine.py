"""The facts that `hsr doctor` reports: packages, processor, BLAS, memory, cache and plugins."""

import os
import platform
from collections.abc import Callable
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

from hsr import __version__
from hsr.toolkit import EXTRAS

DISTRIBUTION = "hsr-rl"
REQUIRED = (
    "numpy", "scipy", "numba", "llvmlite", "scikit-learn", "threadpoolctl", "tyro", "rich",
    "packaging",
)  # fmt: skip
_VECTORS = ("sse2", "sse4.2", "avx", "avx2", "fma", "avx512f", "neon", "sve")


def describe() -> dict[str, Any]:
    """Return every fact by name. A fact that a broken package hides is replaced by its error."""
    return {fact.__name__: _value_or_error(fact) for fact in FACTS}


def versions() -> dict[str, str | None]:
    """Return the versions of hsr, Python, the system and each required package."""
    about = {"hsr": __version__, "python": platform.python_version(), "system": platform.platform()}
    return {**about, **{name: version_of(name) for name in REQUIRED}}


def optional() -> dict[str, dict[str, str | None]]:
    """Return the versions of the packages of each extra."""
    return {extra: {name: version_of(name) for name in names} for extra, names in EXTRAS.items()}


def processor() -> dict[str, Any]:
    """Return model, cores, usable cores, and the vector instructions that Numba compiles for."""
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
    """Return the loaded BLAS libraries: name, version, architecture and number of threads."""
    from hsr.toolkit import blas_libraries

    return blas_libraries()


def memory() -> dict[str, int]:
    """Return the total and the available bytes of this machine."""
    from hsr.toolkit import available_bytes

    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"total": total, "available": available_bytes()}


def cache() -> dict[str, Any]:
    """Return the folder of compiled code (None if none can be written), and what is in it."""
    from hsr.toolkit import cache_folder

    own = cache_folder()
    sizes = [] if own is None else _sizes(own)
    others = [] if own is None else [one for one in own.parent.glob("numba-*") if one != own]
    return {
        "folder": None if own is None else str(own),
        "files": len(sizes),
        "bytes": sum(sizes),
        "other_folders": len(others),
        "other_bytes": sum(sum(_sizes(folder)) for folder in others),
    }


def plugins() -> list[dict[str, Any]]:
    """Return the functions that other packages offer, by entry point."""
    from hsr.toolkit import plugins

    return [asdict(plugin) for plugin in plugins.installed()]


FACTS: tuple[Callable[[], Any], ...] = (versions, optional, processor, blas, memory, cache, plugins)


def version_of(package: str) -> str | None:
    """Return the version of an installed package, or None."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _sizes(folder: Path) -> list[int]:
    """Return the bytes of each file. Another process may remove files meanwhile."""
    sizes = []
    for path in folder.rglob("*"):
        try:
            sizes += [path.stat().st_size] if path.is_file() else []
        except OSError:
            continue
    return sizes


def _value_or_error(fact: Callable[[], Any]) -> Any:
    try:
        return fact()
    except Exception as error:  # a broken package may raise anything
        return {"error": f"{type(error).__name__}: {error}"}
