"""Processor and linear algebra libraries of this machine."""

import platform
from pathlib import Path
from typing import Any


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
