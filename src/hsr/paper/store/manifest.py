"""What results may depend on besides their settings: versions, commit, machine."""

import platform
import subprocess
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from hsr import __version__
from hsr.paper.store.sources import source_hash
from hsr.toolkit import blas_libraries, cpu_model

_PACKAGES = ("numpy", "scipy", "numba", "scikit-learn", "pyarrow")
_SOURCE = Path(__file__).parents[2]


def provenance() -> dict[str, Any]:
    """Return versions, commit, sources, linear algebra libraries, processor, system and time.

    Returns
    -------
    dict
        JSON values under "versions", "commit", "sources", "blas", "cpu", "system" and "time".

    Examples
    --------
    >>> sorted(provenance())
    ['blas', 'commit', 'cpu', 'sources', 'system', 'time', 'versions']
    """
    packages = {name: metadata.version(name) for name in _PACKAGES}
    return {
        "versions": {"hsr": __version__, "python": platform.python_version(), **packages},
        "commit": _commit(_SOURCE),
        "sources": source_hash(),
        "blas": [_without_threads(library) for library in blas_libraries()],
        "cpu": cpu_model(),
        "system": platform.platform(),
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _without_threads(library: dict[str, Any]) -> dict[str, Any]:
    """Leave out the number of threads: results are computed with one, whatever the process has."""
    return {name: value for name, value in library.items() if name != "num_threads"}


def _commit(package: Path) -> str | None:
    """Return the commit of a package's source, with "+" if files differ; None without git."""

    def git(*words: str) -> str:
        command = ["git", "-C", str(package), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30)
        return done.stdout.strip()

    try:
        # the repository of another project may contain the folder of this package
        git("ls-files", "--error-unmatch", "__init__.py")
        return git("rev-parse", "HEAD") + ("+" if git("status", "--porcelain", "--", ".") else "")
    except (OSError, subprocess.SubprocessError):
        return None
