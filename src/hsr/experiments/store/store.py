"""`Store`: finished runs in one SQLite file."""

import io
import json
import os
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from hsr import InputError
from hsr._base.archive import check_sizes
from hsr._base.errors import short_repr
from hsr.experiments.store.record import Record, StoreError
from hsr.experiments.store.rows import (
    NAMED,
    PARTS,
    PARTS_OF_NONE,
    TABLES,
    RunOfSetting,
    SettingRow,
    digest_of,
    expected_schema,
    index_fits,
    is_key,
    is_sound,
    row_of,
    schema_in,
    settings_in,
    text_of,
    texts_of,
    written,
)

FILE = "runs.sqlite"
_LOCK = "driver.lock"
_VERSION = 2  # of the tables; `PRAGMA user_version`
_SECONDS_TO_WAIT = 60.0  # for another process that reads or writes at this moment
_WRONG_INDEX = "the index does not fit the table of runs"


class Store:
    """Finished runs in the file ``runs.sqlite`` of a folder.

    A run is stored as a whole or not at all, even if the process is killed. One process at a time
    adds runs; any number may read meanwhile. Every run has a checksum.

    Parameters
    ----------
    folder : path
        The folder.
    create : bool
        Whether to make the store if there is none.

    Raises
    ------
    StoreError
        If there is no store, or the file is damaged or of another version.

    Examples
    --------
    >>> import tempfile
    >>> store = Store(tempfile.mkdtemp())
    >>> key = store.put(Record("demo", {"rate": 0.1}, seed=0, arrays={"steps": [3, 2]}))
    >>> key in store, store.get(key).arrays["steps"].tolist()
    (True, [3, 2])
    """

    def __init__(self, folder: str | os.PathLike[str], *, create: bool = True) -> None:
        if not isinstance(folder, str | os.PathLike):
            raise InputError(f"folder is {short_repr(folder)}; it must be the path of a store")
        self.folder = Path(folder)
        self.path = self.folder / FILE
        self._uri = self.path.absolute().as_uri()
        with self._errors():
            if not self.path.is_file():
                if not create or self.path.exists():
                    raise StoreError(
                        f"{str(self.folder)!r} is not a store of runs: it has no {FILE}"
                    )
                self.folder.mkdir(parents=True, exist_ok=True)
        with self._connected(make=create) as db:
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version == 0 and create:
                db.executescript(
                    f"BEGIN IMMEDIATE; {TABLES} PRAGMA user_version = {_VERSION}; COMMIT"
                )
            elif version != _VERSION:
                raise StoreError(
                    f"{str(self.path)!r} has version {version}; this hsr reads version {_VERSION}"
                )
            if schema_in(db) != expected_schema():
                raise sqlite3.DatabaseError("its tables are not those of a store")

    def __repr__(self) -> str:
        return f"Store({str(self.folder)!r})"

    def put(self, record: Record) -> str:
        """Store a record and return its key. When this returns, the run is on the disk.

        The same results may be put again. Other results of the same code for a stored run are
        refused, because they mean that the run is not determined by its setting and seed. A run
        that other code made, or that is damaged, is replaced.
        """
        self.put_all([record])
        return record.key

    def put_all(self, records: Iterable[Record]) -> None:
        """Store several runs at once, as `put` does: all of them or none."""
        with self._connected() as db:
            db.execute("BEGIN IMMEDIATE")
            for record in records:
                row, old = written(record), self._row(db, record.key)
                if old is None or not is_sound(old) or old["sources"] != record.source_version:
                    db.execute("REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
                elif old["arrays"] != row[-1]:
                    raise StoreError(
                        f"a run of {record.experiment} in world {record.seed} is already in "
                        f"{str(self.folder)!r} with other results of the same code; its setting "
                        "and seed do not determine it"
                    )
            db.execute("COMMIT")

    def get(self, key: str) -> Record:
        """Return the record of a key. Raise `StoreError` if it is missing or damaged."""
        return self.get_all([key])[key]

    def get_all(self, keys: Iterable[str]) -> dict[str, Record]:
        """Return the records of keys. Raise `StoreError` if one is missing or damaged."""
        with self._connected() as db:
            return {key: self._record(key, self._row(db, key)) for key in keys}

    def _record(self, key: str, row: sqlite3.Row | None) -> Record:
        if row is None:
            raise StoreError(f"the store {str(self.folder)!r} has no run {key}")
        if not is_sound(row):
            raise self._damage(row["experiment"], row["world"])
        arrays = io.BytesIO(row["arrays"])
        try:
            check_sizes(arrays, len(row["arrays"]))
            with np.load(arrays, allow_pickle=False) as loaded:  # pickled objects are never read
                found = dict(loaded)
            setting = json.loads(row["setting"])
            return Record(
                row["experiment"], setting, row["world"], found, row["seconds"], row["sources"]
            )
        except Exception as error:  # a parser may find anything wrong
            raise StoreError(f"run {key} of {str(self.path)!r} cannot be read: {error}") from None

    def _damage(self, experiment: object, world: object) -> StoreError:
        return StoreError(
            f"a run of {experiment!s:.40} in world {world!s:.40} is damaged in {str(self.path)!r}: "
            "its checksum does not fit. `hsr run` and `hsr reproduce` run it again"
        )

    def __contains__(self, key: object) -> bool:
        return bool(self._select("SELECT 1 FROM runs WHERE key = ?", key))

    def __len__(self) -> int:
        ((n,),) = self._select("SELECT count(*) FROM runs")
        return int(n)

    def keys(self) -> list[str]:
        """Return the keys of all runs, sorted."""
        with self._connected() as db:
            _refuse_wrong_index(db)
            return [key for (key,) in db.execute("SELECT key FROM runs ORDER BY key").fetchall()]

    def records(self) -> Iterator[Record]:
        """Yield all records, in the order of their keys."""
        return map(self.get, self.keys())

    def sources_of(self, keys: Iterable[str]) -> dict[str, str]:
        """Return which code made each of those runs that are stored, by key."""
        # The keys are passed as one JSON text, because a query takes a limited number of values.
        query = "SELECT key, sources FROM runs WHERE key IN (SELECT value FROM json_each(?))"
        return dict(self._select(query, json.dumps(list(keys))))

    def damaged(self, keys: Iterable[str] | None = None) -> list[str]:
        """Read runs, by default all, and return the keys of those whose checksum does not fit."""
        with self._connected() as db:
            rows = ((key, self._row(db, key)) for key in (self.keys() if keys is None else keys))
            return [key for key, row in rows if row and not is_sound(row)]

    def register(self, row: SettingRow, runs: Iterable[RunOfSetting]) -> int:
        """Note which runs a setting of an experiment has, and return the number of the setting.

        The number that is given is not used. A setting that is registered again becomes the latest,
        and settings that are damaged are removed. So are runs whose keys do not fit, because
        running them again does not replace them.
        """
        own = sorted(set(runs))  # before the transaction, since finding them may read this store
        with self._connected() as db:
            db.execute("BEGIN IMMEDIATE")
            for (*_, number), unchanged in settings_in(db):
                if not unchanged:
                    db.execute("DELETE FROM settings WHERE number = ?", (number,))
            if not index_fits(db):
                db.execute("REINDEX runs")
            for place, key, *named in db.execute(NAMED).fetchall():
                if not is_key(key, *named):
                    db.execute("DELETE FROM runs WHERE rowid = ?", (place,))
            db.execute(f"DELETE {PARTS_OF_NONE}")
            values = (*texts_of(row), digest_of(texts_of(row), own))
            query = f"REPLACE INTO settings VALUES (NULL{', ?' * len(values)})"
            new = db.execute(query, values).lastrowid
            db.execute(f"DELETE {PARTS_OF_NONE}")
            db.executemany(f"INSERT INTO parts VALUES ({new}, ?, ?, ?)", own)
            db.execute("COMMIT")
        assert new is not None
        return new

    def keep_ledger(self, number: int, rows: list[dict[str, Any]]) -> None:
        """Store what the claims of a setting came to, for readers who do not have its code."""
        (row,) = (one for one in self.settings() if one.number == number)
        texts = texts_of(row._replace(ledger=rows))
        with self._connected() as db:
            db.execute("BEGIN IMMEDIATE")
            own = db.execute(PARTS, (number,)).fetchall()
            db.execute(
                "UPDATE settings SET ledger = ?, checksum = ? WHERE number = ?",
                (texts[-1], digest_of(texts, own), number),
            )
            db.execute("COMMIT")

    def settings(self) -> list[SettingRow]:
        """Return every setting that was registered, the latest last.

        Raises
        ------
        StoreError
            If one is damaged, or this version did not write it.
        """
        found = []
        with self._connected() as db:
            self._refuse_parts_of_none(db)
            for (*texts, number), unchanged in settings_in(db):
                if not unchanged:
                    raise StoreError(
                        f"setting {number} of {str(self.path)!r} is damaged: its checksum does not "
                        "fit. `hsr run` and `hsr reproduce` register it again"
                    )
                try:
                    found.append(row_of(texts, number))
                except InputError as error:
                    raise StoreError(
                        f"setting {number} of {str(self.path)!r} cannot be read: {error}"
                    ) from None
        return found

    def _refuse_parts_of_none(self, db: sqlite3.Connection) -> None:
        if db.execute(f"SELECT 1 {PARTS_OF_NONE}").fetchone():
            raise StoreError(
                f"{str(self.path)!r} is damaged: it has parts of no setting. `hsr run` and "
                "`hsr reproduce` remove them"
            )

    def counts(self) -> dict[int, tuple[int, int]]:
        """Return how many runs each setting has, and how many of them are stored.

        Raises
        ------
        StoreError
            If a setting is damaged.
        """
        self.settings()
        with self._connected() as db:
            _refuse_wrong_index(db)
            rows = db.execute(
                "SELECT number, count(DISTINCT parts.key), count(DISTINCT runs.key) "
                "FROM parts LEFT JOIN runs USING (key) GROUP BY number"
            ).fetchall()
        return {number: (n_runs, n_stored) for number, n_runs, n_stored in rows}

    def sources_in(self, number: int) -> dict[str, int]:
        """Return by which code the stored runs of a setting were made, with their numbers.

        Raises
        ------
        StoreError
            If one of these runs or a setting is damaged.
        """
        self.settings()
        query = "SELECT DISTINCT key FROM parts JOIN runs USING (key) WHERE number = ?"
        found = Counter[str]()
        with self._connected() as db:
            _refuse_wrong_index(db)
            for (key,) in db.execute(query, (number,)).fetchall():
                row = self._row(db, key)
                if row is not None and not is_sound(row):
                    raise self._damage(row["experiment"], row["world"])
                if row is not None:
                    found[row["sources"]] += 1
        return dict(found)

    def named_runs(self) -> list[tuple[int, str, str, str, int, str, str]]:
        """Return number, experiment, control, agent, world, setting and key of every stored run.

        A run that is part of several settings is returned for each of them, and one that is part of
        none with the number 0.

        Raises
        ------
        StoreError
            If the key of one does not fit, or a setting is damaged.
        """
        self.settings()  # refused if one is damaged
        with self._connected() as db:
            _refuse_wrong_index(db)
            found = db.execute(
                "SELECT coalesce(number, 0), experiment, coalesce(control, ''), "
                "coalesce(agent, ''), world, setting, key FROM runs LEFT JOIN parts USING (key) "
                "ORDER BY number, control, experiment, agent, setting, world"
            ).fetchall()
        for _, experiment, _, _, world, setting, key in found:
            if not is_key(key, experiment, setting, world):
                raise self._damage(experiment, world)
        return found

    @contextmanager
    def driving(self) -> Iterator[None]:
        """Be the one process that adds runs to the store, until the block ends.

        Raises
        ------
        InputError
            If another process is.
        """
        # The lock is a database of its own, so that others can read the runs meanwhile. The system
        # releases it if this process is killed.
        with closing(sqlite3.connect(self.folder / _LOCK, timeout=0, isolation_level=None)) as lock:
            try:
                lock.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError:
                raise InputError(
                    f"another process is adding runs to {str(self.folder)!r}; wait until it ends, "
                    "or use another --store"
                ) from None
            yield

    def _row(self, db: sqlite3.Connection, key: str) -> sqlite3.Row | None:
        cursor = db.cursor()
        cursor.row_factory = sqlite3.Row
        found: sqlite3.Row | None = cursor.execute(
            "SELECT * FROM runs WHERE key = ?", (key,)
        ).fetchone()
        if found is not None and found["key"] != key:
            raise sqlite3.DatabaseError(_WRONG_INDEX)
        return found

    def _select(self, query: str, *values: object) -> list[Any]:
        with self._connected() as db:
            return db.execute(query, values).fetchall()

    @contextmanager
    def _connected(self, *, make: bool = False) -> Iterator[sqlite3.Connection]:
        """Open the file for one operation, so that no handle outlives it."""
        where = f"{self._uri}?mode={'rwc' if make else 'rw'}"
        with (
            self._errors(),
            closing(
                sqlite3.connect(where, uri=True, timeout=_SECONDS_TO_WAIT, isolation_level=None)
            ) as db,
        ):
            db.text_factory = text_of  # damaged texts can be read and named
            db.execute("PRAGMA cell_size_check = ON")  # recognises more damage
            yield db

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Name the file in every error of the system or the database."""
        try:
            yield
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            damaged = isinstance(error, (sqlite3.DatabaseError, UnicodeDecodeError)) and (
                not isinstance(error, sqlite3.OperationalError)
            )
            cure = "; move it away and run the same command again" if damaged else ""
            raise StoreError(
                f"{str(self.path)!r} {'is damaged' if damaged else 'cannot be used'}: {error}{cure}"
            ) from error


def _refuse_wrong_index(db: sqlite3.Connection) -> None:
    if not index_fits(db):
        raise sqlite3.DatabaseError(_WRONG_INDEX)
