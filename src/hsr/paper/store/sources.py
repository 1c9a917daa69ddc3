"""Which code makes a run: the version of hsr, and a hash of the sources that compute runs.

Two commits often share a version. A version therefore does not say which code made a run, and a
hash of the sources does.
"""

import hashlib
import platform
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import metadata
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from hsr import __version__
from hsr._base.machine import blas_libraries, cpu_model

# Code that only shows or reads runs, or that no experiment uses. A run cannot depend on it.
LEFT_OUT = (
    "adapters", "animals", "cli", "envs", "files", "lab", "plots", "paper/engine", "paper/store",
    "paper/card", "paper/templates", "paper/closest.toml", "paper/demo.py", "paper/holdings.py",
    "paper/ledger_file.py", "paper/panels.py", "paper/pictures.py", "paper/rendering.py",
    "paper/report.py", "paper/runner.py", "paper/summary.py",
    "paper/sweep.py", "paper/tables.py",
)  # fmt: skip
_ENDINGS = (".py", ".toml", ".txt")
_DIGITS = 12
_PACKAGES = ("numpy", "scipy", "numba", "scikit-learn")


@cache
def source_hash() -> str:
    """Return the hash of the sources that compute runs, as 12 hexadecimal digits.

    It is the SHA-256 over the relative paths and the bytes of the modules and named mazes of the
    installed package. Left out is what no run depends on (`LEFT_OUT`), such as the command line and
    the report. The files are read once in each process.

    Examples
    --------
    >>> len(source_hash())
    12
    """
    sha = hashlib.sha256()
    for path, file in _sources(files("hsr"), ""):
        sha.update(hashlib.sha256(path.encode()).digest())
        sha.update(hashlib.sha256(file.read_bytes()).digest())
    return sha.hexdigest()[:_DIGITS]


def _sources(folder: Traversable, before: str) -> Iterator[tuple[str, Traversable]]:
    """Yield the relative path and the file of every source that may change a run, in order."""
    for one in sorted(folder.iterdir(), key=lambda one: one.name):
        path = f"{before}{one.name}"
        if one.name == "__pycache__" or path in LEFT_OUT:
            continue
        if one.name.endswith(_ENDINGS):
            yield path, one
        elif one.is_dir():
            yield from _sources(one, f"{path}/")


def source_version(file: str | Path = "") -> str:
    """Return what a run of this process is made by, such as "hsr 0.1.0, sources 0123456789ab".

    Parameters
    ----------
    file : path, optional
        A file of one's own that defines the experiment. Its name is added, and the hash of it and
        of the files beside it that it imports.
    """
    own = f"hsr {__version__}, sources {source_hash()}"
    if not file:
        return own
    digest = hashlib.sha256(b"".join(_with_imports(Path(file), {}).values())).hexdigest()
    return f"{own}, {Path(file).name} {digest[:_DIGITS]}"


def _with_imports(path: Path, known: dict[Path, bytes]) -> dict[Path, bytes]:
    """Add the text of a file to those that are known, and of files beside it that it imports."""
    known[path] = path.read_bytes()
    for module in re.findall(rb"^\s*(?:from|import) (\w+)", known[path], re.MULTILINE):
        other = path.with_name(f"{module.decode()}.py")
        if other not in known and other.is_file():
            _with_imports(other, known)
    return known


def in_words(counts: Mapping[str, int]) -> str:
    """Return how many runs were made by which code.

    Examples
    --------
    >>> in_words({"hsr 0.1.0, sources 0123456789ab": 1200})
    '1,200 runs by hsr 0.1.0, sources 0123456789ab'
    """
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return "; ".join(f"{n:,} {'run' if n == 1 else 'runs'} by {code}" for code, n in ordered)


def provenance() -> dict[str, Any]:
    """Return what results may depend on besides their settings: versions, sources and machine.

    Examples
    --------
    >>> sorted(provenance())
    ['blas', 'cpu', 'sources', 'system', 'versions']
    """
    packages = {name: metadata.version(name) for name in _PACKAGES}
    return {
        "versions": {"hsr": __version__, "python": platform.python_version(), **packages},
        "sources": source_hash(),
        # results are computed with one thread, whatever the process has
        "blas": [{**one, "num_threads": 1} for one in blas_libraries()],
        "cpu": cpu_model(),
        "system": platform.platform(),
    }
