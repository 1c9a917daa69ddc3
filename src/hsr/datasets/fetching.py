"""Fetch the original files of a data set with Pooch, from a pinned commit, checked by SHA-256."""

import os
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from hsr._base.errors import InputError
from hsr._base.extras import needs

HOST = "https://raw.githubusercontent.com"
FOLDER = "HSR_DATA_DIR"


@dataclass(frozen=True)
class Source:
    """Where a data set comes from.

    Attributes
    ----------
    title, citation, licence : str
        What the data are, what to cite, and under which licence they are.
    repository, commit : str
        The GitHub repository (owner/name) and the commit.
    files : dict
        The SHA-256 of each file, by its path in the repository.
    """

    title: str
    citation: str
    licence: str
    repository: str
    commit: str
    files: dict[str, str]

    @property
    def address(self) -> str:
        """The address under which all files lie."""
        return f"{HOST}/{self.repository}/{self.commit}"

    def __str__(self) -> str:
        return (
            f"{self.title}\nCite: {self.citation}\nLicence: {self.licence}\n"
            f"Source: github.com/{self.repository}, commit {self.commit[:7]}"
        )


@cache
def source_of(name: str) -> Source:
    """Return the source of a data set.

    >>> source_of("wmaze").repository
    'nelpy/example-data'
    """
    text = files("hsr.datasets").joinpath("sources.toml").read_text(encoding="utf-8")
    return Source(**tomllib.loads(text)[name])


def fetch(name: str) -> dict[str, Path]:
    """Return the local files of a data set by their names, fetched if they are not there.

    They are kept in ``$HSR_DATA_DIR/owner/name``, or in Pooch's cache.

    Parameters
    ----------
    name : str
        The name of the data set.

    Raises
    ------
    InputError
        If a file cannot be fetched or is not the one that is pinned. The message has the address
        and says where to put the file.
    """
    needs("data", f"hsr.datasets.{name}")
    import pooch

    source = source_of(name)
    folder = Path(os.environ.get(FOLDER) or pooch.os_cache("hsr") / "data") / source.repository
    store = pooch.create(
        path=folder,
        base_url="",
        registry={path: f"sha256:{digest}" for path, digest in source.files.items()},
        urls={path: f"{source.address}/{quote(path)}" for path in source.files},
    )
    found = {}
    for path, digest in source.files.items():
        try:
            found[Path(path).name] = Path(store.fetch(path))
        except (OSError, ValueError) as error:  # no network, no permission, or another SHA-256
            reached = not isinstance(error, OSError)
            reason = "its SHA-256 differs" if reached else type(error).__name__
            raise InputError(
                f"{store.get_url(path)} could not be fetched ({reason}); put the file with the "
                f"SHA-256 {digest} at {folder / path}, or set {FOLDER} to a folder that has it "
                f"at {source.repository}/{path}"
            ) from None
    return found
