"""Which code makes a run: the version of hsr, and a hash of the sources that compute runs.

Two commits often share a version. A version therefore does not say which code made a run, and a
hash of the sources does.
"""

import ast
import hashlib
import platform
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib import metadata
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from hsr import __version__

# Code that only shows, stores or schedules runs. No run depends on it.
LEFT_OUT = (
    "cli", "lab", "plots", "paper/demo.py", "paper/figures", "experiments/engine",
    "experiments/store", "experiments/card", "experiments/templates", "experiments/contrast.py",
    "experiments/durations.py", "experiments/ledger.py", "experiments/ledger_file.py",
    "experiments/panels.py", "experiments/rendering.py", "experiments/report.py",
    "experiments/runner.py", "experiments/stored.py", "experiments/summary.py",
    "experiments/sweep.py", "experiments/sweep_figure.py", "experiments/tables.py",
)  # fmt: skip
# Packages that no built-in experiment imports. An experiment in a file of yours may use them.
NOT_BUILT_IN = ("adapters", "animals", "datasets", "deep", "envs", "files")
_ENDINGS = (".py", ".toml", ".txt")
_DIGITS = 12
_PACKAGES = ("numpy", "scipy", "numba", "scikit-learn")
# In a class body, these annotations decide whether a name is a field and how it is passed.
_MEANT = {"ClassVar", "InitVar", "KW_ONLY"}


@cache
def source_hash() -> str:
    """Return the hash of the sources that compute built-in experiments, as 12 hexadecimal digits.

    It is the SHA-256 over the syntax trees of the modules of hsr and over its data files, such as
    the named mazes. Formatting, comments, docstrings and annotations do not change it (see
    `meaning`). All of hsr counts except `LEFT_OUT` and `NOT_BUILT_IN`. The files are read once in
    each process.

    Examples
    --------
    >>> len(source_hash())
    12
    """
    sources = _sources(files("hsr"), "", (*LEFT_OUT, *NOT_BUILT_IN))
    return _digest((path, _meaning_of(file)) for path, file in sources)


def source_version(file: str | Path = "") -> str:
    """Return what a run of this process is made by, such as "hsr 0.1.0, sources 0123456789ab".

    Parameters
    ----------
    file : path, optional
        The file of an experiment that is not built in. Its name is added, with the hash of the
        file, of the files in the same folder that it imports, and of `NOT_BUILT_IN`.
    """
    own = f"hsr {__version__}, sources {source_hash()}"
    if not file:
        return own
    return f"{own}, {Path(file).name} {_file_hash(Path(file))}"


def _file_hash(path: Path) -> str:
    read = _with_imports(path, {})
    own = [(one.name, content) for one, content in read.items()]
    return _digest([*own, ("hsr", _others_hash().encode())])


@cache
def _others_hash() -> str:
    """Return the hash of `NOT_BUILT_IN`."""
    return _digest(
        (source, _meaning_of(file))
        for package in NOT_BUILT_IN
        for source, file in _sources(files("hsr") / package, f"{package}/")
    )


def _digest(sources: Iterable[tuple[str, bytes]]) -> str:
    """Return the hash of files, given by their paths and by what counts of them."""
    sha = hashlib.sha256()
    for path, content in sources:
        sha.update(hashlib.sha256(path.encode()).digest())
        sha.update(hashlib.sha256(content).digest())
    return sha.hexdigest()[:_DIGITS]


def _sources(
    folder: Traversable, before: str, left_out: Sequence[str] = ()
) -> Iterator[tuple[str, Traversable]]:
    """Yield the relative path and the file of every source that may change a run, in order."""
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        path = f"{before}{item.name}"
        if item.name == "__pycache__" or path in left_out:
            continue
        if item.name.endswith(_ENDINGS):
            yield path, item
        elif item.is_dir():
            yield from _sources(item, f"{path}/", left_out)


def _meaning_of(file: Traversable) -> bytes:
    content = file.read_bytes()
    return meaning(content) if file.name.endswith(".py") else content


@lru_cache(maxsize=256)
def meaning(source: bytes) -> bytes:
    r"""Return the syntax tree of a module as text, without what cannot change a result.

    Positions, comments, docstrings and annotations are left out. An annotated name in a class body
    stays, because it is a field of a dataclass or a named tuple; only its type is left out. The
    text is the same for all versions of Python.

    Examples
    --------
    >>> meaning(b"def f(x: int): return x + 1") == meaning(b"def f(x):\n    return x+1  # next")
    True
    """
    parts: list[str] = []
    _write(ast.parse(source), parts)
    return "".join(parts).encode()


def _write(node: Any, parts: list[str], *, in_class: bool = False) -> None:
    """Add a node to the text of a tree. Empty fields are left out: versions differ in them."""
    if isinstance(node, list):
        parts.append("[")
        for item in node:
            if isinstance(item, ast.AnnAssign) and not in_class:
                if item.value:
                    _write(ast.Assign([item.target], item.value), parts)
            elif not _is_text(item):
                _write(item, parts)
        parts.append("]")
    elif isinstance(node, ast.AST):
        parts.append(f"{type(node).__name__}(")
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns"):
                words = re.findall(r"\w+", ast.unparse(value)) if value else ()
                parts += sorted(_MEANT.intersection(words))
            elif value is not None and value != []:
                parts.append(f"{name}=")
                _write(value, parts, in_class=isinstance(node, ast.ClassDef))
        parts.append(")")
    else:
        parts.append(repr(node))


def _is_text(statement: Any) -> bool:
    """Return whether a statement is only a string, as docstrings are."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _with_imports(path: Path, known: dict[Path, bytes]) -> dict[Path, bytes]:
    """Add what counts of a file to what is known, and of files next to it that it imports."""
    source = path.read_bytes()
    known[path] = meaning(source)
    for module in re.findall(rb"^\s*(?:from|import) (\w+)", source, re.MULTILINE):
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
        "blas": [{**one, "num_threads": 1} for one in _blas_libraries()],
        "cpu": _cpu_model(),
        "system": platform.platform(),
    }


def _cpu_model() -> str:
    """Return the name of the processor, as the system gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def _blas_libraries() -> list[dict[str, Any]]:
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
