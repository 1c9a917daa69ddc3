"""Which code makes a run: the version of hsr, and a hash of the sources that compute runs.

Two commits often share a version, and so do two copies of the package on different machines. A
version therefore does not say which code made a run, and a hash of the sources does.
"""

import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from hsr import __version__

# Code that only shows or reads runs, or that no experiment uses. A run cannot depend on it.
LEFT_OUT = (
    "adapters", "animals", "cli", "envs", "files", "kernels/poisson.py", "lab", "plots",
    "paper/tables", "paper/templates", "paper/claims.toml",
    "paper/own_claims.toml", "paper/demo.py", "paper/holdings.py", "paper/ledger_file.py",
    "paper/pictures.py", "paper/rendering.py", "paper/report.py", "paper/results_page.py",
    "paper/runner.py", "paper/summary.py",
)  # fmt: skip
_ONLY_DRAWS = ("figure.py", "panels.py")
_ENDINGS = (".py", ".pyc", ".toml", ".txt")
_DIGITS = 12


@cache
def source_hash() -> str:
    """Return the hash of the sources that compute runs, as 12 hexadecimal digits.

    It is the SHA-256 over the relative paths and the bytes of the modules and named mazes of the
    installed package. Left out are the command line, the lab, plots, figures, tables, reports,
    adapters, recordings, environments and saved files (`LEFT_OUT`): no run depends on them.
    Comments and docstrings of the other modules count. The files are read once in each process.

    Examples
    --------
    >>> len(source_hash())
    12
    """
    return hash_of(files("hsr"))


@cache
def whole_hash() -> str:
    """Return the hash of all sources, those that only draw included.

    >>> len(whole_hash())
    12
    """
    return hash_of(files("hsr"), whole=True)


def hash_of(package: Traversable, *, whole: bool = False) -> str:
    """Return the hash of the sources of a package in a folder or a zip file.

    Parameters
    ----------
    package : Traversable
        The package.
    whole : bool
        Whether code counts that no run depends on.
    """
    sha = hashlib.sha256()
    for path, file in _sources(package, "", whole=whole):
        sha.update(hashlib.sha256(path.encode()).digest())
        sha.update(hashlib.sha256(file.read_bytes()).digest())
    return sha.hexdigest()[:_DIGITS]


def _sources(folder: Traversable, before: str, *, whole: bool) -> Iterator[tuple[str, Traversable]]:
    """Yield the relative path and the file of every source that may change a run, in order."""
    for one in sorted(folder.iterdir(), key=lambda one: one.name):
        path = f"{before}{one.name}"
        if one.name == "__pycache__" or (path in LEFT_OUT and not whole):
            continue
        if one.name.endswith(_ENDINGS):
            if whole or not one.name.endswith(_ONLY_DRAWS):
                yield path, one
        elif one.is_dir():
            yield from _sources(one, f"{path}/", whole=whole)


def made_by() -> str:
    """Return what a run of this process is made by, such as "hsr 0.1.0, sources 0123456789ab"."""
    return f"hsr {__version__}, sources {source_hash()}"


def origin_of(counts: Mapping[str, int]) -> str:
    """Return a sentence that says which code made some runs.

    Examples
    --------
    >>> origin_of({"": 3})
    'Which code made them was not recorded.'
    >>> origin_of({"hsr 0.1.0, sources 0123456789ab": 3})
    'They were made by hsr 0.1.0, sources 0123456789ab.'
    """
    if len(counts) > 1:
        return f"Different code made them: {in_words(counts)}."
    (code,) = counts
    return f"They were made by {code}." if code else "Which code made them was not recorded."


def in_words(counts: Mapping[str, int]) -> str:
    """Return how many runs were made by which code. The empty text is code that is not known.

    Examples
    --------
    >>> in_words({"": 1, "hsr 0.1.0, sources 0123456789ab": 1200})
    '1,200 runs by hsr 0.1.0, sources 0123456789ab; 1 run by code that was not recorded'
    """
    ordered = sorted(counts.items(), key=lambda pair: (pair[0] == "", -pair[1], pair[0]))
    return "; ".join(
        f"{n:,} {'run' if n == 1 else 'runs'} by {code or 'code that was not recorded'}"
        for code, n in ordered
    )
