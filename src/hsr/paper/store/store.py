"""`Store`: a folder of finished runs, one checksummed file each."""

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Container, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from hsr import InputError, __version__
from hsr.paper.store.index import Entry, up_to_date_index, up_to_date_makers
from hsr.paper.store.record import SCHEMA, Record, check_name
from hsr.paper.store.run_file import (
    DamagedRunError,
    RunFile,
    StoreError,
    read_run,
    results_of,
    write_run,
)
from hsr.toolkit import TEMPORARY, make_folder, read_regular, remove_dead, write_whole

_MOST_BYTES = 2**16  # of store.json
_ENDING = ".run"


class Fault(NamedTuple):
    """Something wrong in a store.

    Attributes
    ----------
    key : str
        Key of the run, empty for a file that is no run.
    path : Path
        The file.
    message : str
        What is wrong with it.
    """

    key: str
    path: Path
    message: str


class Store:
    """Finished runs in a folder.

    ::

        folder/store.json               schema, and the version that made the folder
        folder/runs/ab/abcdef....run    one run, by its key
        folder/index.json               a cache of what is stored; it may be deleted at any time
        folder/made_by.json             a cache of which code made what; it may be deleted, too
        folder/leases/                  which jobs are being run; it exists only meanwhile

    A file is complete or absent, even if its writer is killed. Any number of processes may write
    and read at the same time. There are no locks to wait for.

    Parameters
    ----------
    folder : path
        The folder.
    create : bool
        Whether to make the store if the folder is empty or does not exist.

    Raises
    ------
    StoreError
        If the folder holds something else, or a store of another schema.

    Examples
    --------
    >>> import tempfile
    >>> store = Store(tempfile.mkdtemp())
    >>> key = store.put(Record("demo", {"rate": 0.1}, seed=0, arrays={"steps": [3, 2]}))
    >>> key in store, store.get(key).arrays["steps"].tolist()
    (True, [3, 2])
    """

    def __init__(self, folder: str | os.PathLike[str], *, create: bool = True) -> None:
        self.folder = Path(folder)
        self._runs = self.folder / "runs"
        about = self.folder / "store.json"
        if not os.path.exists(about):
            self._make(about, create)
        try:
            schema = json.loads(read_regular(about, _MOST_BYTES))["schema"]
        except OSError as error:
            raise StoreError(
                f"the store {str(self.folder)!r} cannot be opened: {error.strerror}"
            ) from None
        except InputError as error:
            raise StoreError(f"{str(about)!r} cannot be read: {error}") from None
        except (ValueError, KeyError, TypeError):
            raise StoreError(f"{str(about)!r} is damaged; it must say {_about()!r}") from None
        if schema != SCHEMA:
            raise StoreError(
                f"the store {str(self.folder)!r} has schema {schema!r:.20}; "
                f"this version reads schema {SCHEMA}"
            )

    def _make(self, about: Path, create: bool) -> None:
        where = repr(str(self.folder))
        if not create:
            raise StoreError(f"{where} is not a store of runs: it has no store.json")
        with self._writing("make the store"):
            make_folder(self.folder)
            foreign = [name for name in os.listdir(self.folder) if not TEMPORARY.fullmatch(name)]
            if os.path.exists(about):  # another process made it since we looked
                return
            if foreign:
                raise StoreError(
                    f"{where} is not empty and not a store of runs: "
                    f"it has {min(foreign)!r} and no store.json"
                )
            write_whole(about, _about().encode("ascii"))

    def __repr__(self) -> str:
        return f"Store({str(self.folder)!r})"

    def put(self, record: Record) -> str:
        """Store a record and return its key. When this returns, the run is on the disk.

        The same results may be put again. Other results for a stored run are refused, because they
        mean that the run is not determined by its setting and seed. A damaged file is replaced.
        """
        key = record.key
        path = self.path_of(key)
        stored = self._sha256_of(key)
        if stored is not None:
            if stored == hashlib.sha256(results_of(record)).hexdigest():
                return key
            raise StoreError(
                f"run {key} is already in {str(self.folder)!r} with other results; discard it first"
            )
        with self._writing(f"write run {key}"):
            make_folder(path.parent)
            write_whole(path, write_run(record))
        return key

    def get(self, key: str) -> Record:
        """Return the record of a key. Raise `StoreError` if it is missing or damaged."""
        return self._sound(key).record

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and _is_key(key) and os.path.isfile(self.path_of(key))

    def __len__(self) -> int:
        return len(self.keys())

    def keys(self) -> list[str]:
        """Return the keys of all runs, sorted."""
        return sorted(self._run_paths())

    def records(self, experiment: str | None = None) -> Iterator[Record]:
        """Yield the records of one experiment, or of all, in the order of their keys."""
        if experiment is not None:
            check_name(experiment, "experiment")
        for key, entry in self.index().items():
            if experiment in (None, entry.experiment):
                yield self.get(key)

    def index(self) -> dict[str, Entry]:
        """Return an `Entry` for every run, by key. Raise `StoreError` if a run is damaged.

        A copy is kept in index.json, so that only runs that are new since the last call are read.
        """
        return up_to_date_index(self.folder / "index.json", self._run_paths(), self._sound)

    def makers(self, among: Container[str] | None = None) -> Counter[tuple[str, str]]:
        """Return how many runs there are of which experiment, made by which code.

        A copy is kept in made_by.json, and only the ends of new files are read, so that this is
        fast. Damaged runs are left out.

        Parameters
        ----------
        among : container of str, optional
            Keys of the runs to count. By default all are counted.

        Returns
        -------
        Counter
            Numbers of runs by experiment and `Record.made_by`.
        """
        rows = up_to_date_makers(self.folder / "made_by.json", self._run_paths())
        return Counter(maker for key, maker in rows.items() if among is None or key in among)

    def path_of(self, key: str) -> Path:
        """Return the path at which the run of a key is stored, or would be."""
        if not isinstance(key, str) or not _is_key(key):
            raise InputError(f"the key is {key!r:.80}; it must be 64 hexadecimal digits")
        return self._runs / key[:2] / f"{key}{_ENDING}"

    def verify(self) -> list[Fault]:
        """Read everything and return damaged runs and files that do not belong here."""
        faults = []
        for folder, name in sorted(self._files()):
            path = Path(folder, name)
            if TEMPORARY.fullmatch(name):
                continue
            if not self._is_run(folder, name):
                faults.append(Fault("", path, f"{str(path)!r} is not a run of this store"))
                continue
            try:
                self._read(path.stem)
            except StoreError as error:
                faults.append(Fault(path.stem, path, str(error)))
        return faults

    def discard(self, key: str) -> None:
        """Remove a run, whether or not it is damaged or exists."""
        with self._writing(f"remove run {key}"):
            self.path_of(key).unlink(missing_ok=True)

    def tidy(self) -> int:
        """Remove temporary files of processes that died while writing, and return their number."""
        beside = ((str(self.folder), name) for name in os.listdir(self.folder))
        return sum(
            remove_dead(Path(folder, name))
            for folder, name in (*self._files(), *beside)
            if TEMPORARY.fullmatch(name)
        )

    def _sound(self, key: str) -> RunFile:
        """Return a run for use. If it is damaged, the message says how to do it again."""
        try:
            return self._read(key)
        except DamagedRunError as error:
            raise DamagedRunError(
                f"{error}; `hsr run` and `hsr reproduce` do such runs again with --repair"
            ) from None

    def _read(self, key: str) -> RunFile:
        path = self.path_of(key)
        try:
            data = read_regular(path)
        except FileNotFoundError:
            raise StoreError(f"the store {str(self.folder)!r} has no run {key}") from None
        except OSError as error:
            raise StoreError(f"{str(path)!r} cannot be read: {error.strerror}") from None
        except InputError as error:
            raise DamagedRunError(f"{str(path)!r} is damaged: {error}") from None
        return read_run(data, key=key, path=str(path))

    def _sha256_of(self, key: str) -> str | None:
        """Return the checksum of a run's results, or None if the run is missing or damaged."""
        try:
            return self._read(key).sha256 if key in self else None
        except StoreError:
            return None

    def _files(self) -> Iterator[tuple[str, str]]:
        """Yield folder and name of every file below runs/. There are many, so these are texts."""
        for folder, _, names in os.walk(self._runs, onerror=self._refuse):
            yield from ((folder, name) for name in names)

    def _run_paths(self) -> dict[str, str]:
        """Return the path of every run, by its key."""
        return {
            name.removesuffix(_ENDING): f"{folder}{os.sep}{name}"
            for folder, name in self._files()
            if self._is_run(folder, name)
        }

    def _refuse(self, error: OSError) -> None:
        """Raise an error for a folder that cannot be listed. A new store has no runs/ yet."""
        if not isinstance(error, FileNotFoundError):
            raise StoreError(
                f"the store {str(self.folder)!r} cannot be listed: {error.strerror}"
            ) from None

    def _is_run(self, folder: str, name: str) -> bool:
        """Return whether a file has the name of a run and is where that run belongs."""
        return (
            name.endswith(_ENDING)
            and _is_key(name.removesuffix(_ENDING))
            and folder == f"{self._runs}{os.sep}{name[:2]}"
        )

    @contextmanager
    def _writing(self, what: str) -> Iterator[None]:
        """Turn a system error, such as a full disk, into a `StoreError`."""
        try:
            yield
        except OSError as error:
            raise StoreError(
                f"cannot {what} in {str(self.folder)!r}: {error.strerror}; "
                "what was stored before is untouched"
            ) from error


def _about() -> str:
    return json.dumps({"made_by": f"hsr {__version__}", "schema": SCHEMA})


def _is_key(key: str) -> bool:
    return re.fullmatch("[0-9a-f]{64}", key, re.ASCII) is not None
