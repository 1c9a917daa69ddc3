"""A whole store as one Parquet file, with a manifest of what made it."""

import json
import platform
import subprocess
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from hsr._base.durable import write_whole
from hsr._base.errors import InputError
from hsr._base.version import __version__
from hsr.paper.store.parquet import write_parquet
from hsr.paper.store.record import SCHEMA, canonical
from hsr.paper.store.run_file import StoreError
from hsr.paper.store.store import Store
from hsr.toolkit import blas_libraries, cpu_model


def compact(store: Store, path: str | Path) -> Path:
    """Write every record of a store to a Parquet file, and a manifest beside it; return the
    manifest's path.

    Records are sorted by experiment, setting and seed, so that the same results give the same
    digest. The file is read with `ResultTable.from_parquet`. The manifest of ``results.parquet`` is
    ``results.manifest.json``.
    """
    path = Path(path)
    if path.suffix != ".parquet":
        raise InputError(f"path is {str(path)!r}; its name must end in .parquet")
    entries = store.index()
    keys = sorted(
        entries,
        key=lambda key: (
            entries[key].experiment,
            canonical(entries[key].setting),
            entries[key].seed,
        ),
    )
    n_runs, digest = write_parquet(map(store.get, keys), path)
    seconds = sum(entry.seconds for entry in entries.values())
    manifest = {
        "file": path.name,
        "runs": n_runs,
        "seconds": seconds,
        "digest": digest,
        "schema": SCHEMA,
        **provenance(),
    }
    beside = path.with_suffix(".manifest.json")
    try:
        write_whole(beside, json.dumps(manifest, indent=2).encode("ascii") + b"\n")
    except OSError as error:
        raise StoreError(f"cannot write {str(beside)!r}: {error.strerror}") from error
    return beside


def provenance() -> dict[str, Any]:
    """Return what results may depend on besides their settings: versions, commit, linear algebra,
    processor, and the time.
    """
    packages = {
        name: metadata.version(name)
        for name in ("numpy", "scipy", "numba", "scikit-learn", "pyarrow")
    }
    return {
        "versions": {"hsr": __version__, "python": platform.python_version(), **packages},
        "commit": _commit(),
        "blas": blas_libraries(),
        "cpu": cpu_model(),
        "system": platform.platform(),
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _commit() -> str | None:
    """Return the commit of the source that is running, "+" behind it if files differ; None outside
    its repository.
    """
    package = Path(__file__).parents[1]
    try:
        _git(
            package, "ls-files", "--error-unmatch", "__init__.py"
        )  # another project's repository may lie around us
        commit = _git(package, "rev-parse", "HEAD").strip()
        return commit + ("+" if _git(package, "status", "--porcelain", "--", ".").strip() else "")
    except (OSError, subprocess.SubprocessError):
        return None


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *words], capture_output=True, text=True, check=True, timeout=30
    )
    return done.stdout
