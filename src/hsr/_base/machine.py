"""Cores, processor and linear algebra libraries of this machine."""

import os
import platform
from pathlib import Path
from typing import Any


def usable_cores() -> int:
    """Return the number of cores that this process may use.

    A container or a cluster job may have fewer than the machine. Where the system cannot say which,
    as on macOS and Windows, it is the number of cores of the machine.
    """
    if hasattr(os, "process_cpu_count"):  # from Python 3.13
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cpu_model() -> str:
    """Return the name of the processor, as the system gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def blas_libraries() -> list[dict[str, Any]]:
    """Return name, version, architecture and number of threads of each BLAS that is loaded.

    They are sorted, because the order in which they are loaded differs between processes.
    """
    import scipy.linalg.blas  # noqa: F401 - loads SciPy's own BLAS, so that it is listed
    from threadpoolctl import threadpool_info

    fields = ("internal_api", "version", "architecture", "num_threads")
    libraries = [
        {name: library[name] for name in fields if name in library}
        for library in threadpool_info()
        if library["user_api"] == "blas"
    ]
    return sorted(libraries, key=repr)
