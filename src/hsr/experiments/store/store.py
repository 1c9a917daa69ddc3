"""`Store`: finished runs in one SQLite file."""

import hashlib
import io
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hsr import InputError
from hsr.experiments.store.record import Record, StoreError, keys_of

FILE = "runs.sqlite"
_LOCK = "driver.lock"
_VERSION = 2  # of the tables; `PRAGMA user_version`
_SECONDS_TO_WAIT = 60.0  # for another process that reads or writes at this moment
_TABLES = """
CREATE TABLE IF NOT EXISTS runs (
    key TEXT PRIMARY KEY,
    experiment TEXT NOT NULL,
    setting TEXT NOT NULL,      -- of the run, as JSON
    world INTEGER NOT NULL,
    seconds REAL NOT NULL,
    sources TEXT NOT NULL,      -- version and hash of the code that made the run
    checksum TEXT NOT NULL,
    arrays BLOB NOT NULL        -- numpy.load reads them; all seeds of the world
);
CREATE TABLE IF NOT EXISTS settings (
    number INTEGER PRIMARY KEY,
    experiment TEXT NOT NULL,
    preset TEXT NOT NULL,
    setting TEXT NOT NULL,      -- of the experiment, as JSON
    controls INTEGER NOT NULL,  -- whether variants were asked for too
    file TEXT NOT NULL,         -- that defines the experiment, if hsr does not
    changes TEXT NOT NULL,      -- fields that differ from the preset, as JSON
    axes TEXT NOT NULL,         -- names of the axes of each array, as JSON
    ledger TEXT NOT NULL,       -- rows of the ledger as JSON, or null
    checksum TEXT NOT NULL,     -- of this row and its parts
    UNIQUE (experiment, preset, setting, controls, file)
);
CREATE TABLE IF NOT EXISTS parts (            -- which runs belong to a setting, and as what
    number INTEGER NOT NULL REFERENCES settings,
    control TEXT NOT NULL,      -- empty for the setting itself
    agent TEXT NOT NULL,
    key TEXT NOT NULL,
    PRIMARY KEY (number, control, agent, key)
) WITHOUT ROWID;
CREATE VIEW IF NOT EXISTS agents AS
    SELECT number, experiment, control, agent, world, seconds, sources, runs.setting, arrays
    FROM parts JOIN runs USING (key) ORDER BY number, control, agent, world;
"""

_PARTS = "SELECT control, agent, key FROM parts WHERE number = ? ORDER BY control, agent, key"


class SettingRow(NamedTuple):
    """A setting of an experiment whose runs were registered.

    Everything here is data: whoever reads a store runs no code of others.

    Attributes
    ----------
    number : int
        Its number in the store, from 1; later settings have larger numbers.
    experiment, preset : str
        Names.
    setting : dict
        All fields.
    controls : bool
        Whether the variants were asked for too.
    file : str
        The file that defines the experiment, empty if it is one of hsr. It is shown and never run.
    changes : dict
        The fields that differ from the preset, by their dotted paths.
    axes : dict of str to list of str
        What the axes of each array are called.
    ledger : list of dict, optional
        What the claims came to, as `hsr.experiments.ledger_file.rows_of` returned it.
    """

    number: int
    experiment: str
    preset: str
    setting: dict[str, Any]
    controls: bool = True
    file: str = ""
    changes: dict[str, Any] = {}  # noqa: RUF012 - never changed
    axes: dict[str, list[str]] = {}  # noqa: RUF012
    ledger: list[dict[str, Any]] | None = None


class RunOfSetting(NamedTuple):
    """A run of a setting: in which variant (empty for none), of which agent, and its key."""

    control: str
    agent: str
    key: str


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
        self.folder = Path(folder)
        self.path = self.folder / FILE
        self._uri = self.path.absolute().as_uri()
        if not self.path.is_file():
            if not create or self.path.exists():
                raise StoreError(f"{str(self.folder)!r} is not a store of runs: it has no {FILE}")
            with self._errors():
                self.folder.mkdir(parents=True, exist_ok=True)
        with self._connected(make=create) as db:
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version == 0 and create:
                db.executescript(
                    f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {_VERSION}; COMMIT"
                )
            elif version != _VERSION:
                raise StoreError(
                    f"{str(self.path)!r} has version {version}; this hsr reads version {_VERSION}"
                )

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
                row, old = _written(record), self._row(db, record.key)
                if old is None or not _is_sound(old) or old["sources"] != record.source_version:
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
        if not _is_sound(row):
            raise StoreError(
                f"a run of {row['experiment']} in world {row['world']} is damaged in "
                f"{str(self.path)!r}: its checksum does not fit. `hsr run` and `hsr reproduce` run "
                "it again"
            )
        try:  # pickled objects are never read
            with np.load(io.BytesIO(row["arrays"]), allow_pickle=False) as arrays:
                found = dict(arrays)
        except ValueError as error:
            raise StoreError(f"run {key} of {str(self.path)!r} cannot be read: {error}") from None
        setting = json.loads(row["setting"])
        return Record(
            row["experiment"], setting, row["world"], found, row["seconds"], row["sources"]
        )

    def __contains__(self, key: object) -> bool:
        return bool(self._select("SELECT 1 FROM runs WHERE key = ?", key))

    def __len__(self) -> int:
        ((n,),) = self._select("SELECT count(*) FROM runs")
        return int(n)

    def keys(self) -> list[str]:
        """Return the keys of all runs, sorted."""
        return [key for (key,) in self._select("SELECT key FROM runs ORDER BY key")]

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
            return [key for key, row in rows if row and not _is_sound(row)]

    def register(self, row: SettingRow, runs: Iterable[RunOfSetting]) -> int:
        """Note which runs a setting of an experiment has, and return the number of the setting.

        The number that is given is not used. A setting that is registered again becomes the latest,
        and settings that are damaged are removed.
        """
        own = sorted(set(runs))  # before the transaction, since finding them may read this store
        with self._connected() as db:
            db.execute("BEGIN IMMEDIATE")
            for (*_, number), is_sound in _settings_in(db):
                if not is_sound:
                    db.execute("DELETE FROM settings WHERE number = ?", (number,))
            values = (*_texts(row), _digest(_texts(row), own))
            query = f"REPLACE INTO settings VALUES (NULL{', ?' * len(values)})"
            new = db.execute(query, values).lastrowid
            db.execute("DELETE FROM parts WHERE number NOT IN (SELECT number FROM settings)")
            db.executemany(f"INSERT INTO parts VALUES ({new}, ?, ?, ?)", own)
            db.execute("COMMIT")
        assert new is not None
        return new

    def keep_ledger(self, number: int, rows: list[dict[str, Any]]) -> None:
        """Store what the claims of a setting came to, for readers who do not have its code."""
        (row,) = (one for one in self.settings() if one.number == number)
        texts = _texts(row._replace(ledger=rows))
        with self._connected() as db:
            db.execute("BEGIN IMMEDIATE")
            own = db.execute(_PARTS, (number,)).fetchall()
            db.execute(
                "UPDATE settings SET ledger = ?, checksum = ? WHERE number = ?",
                (texts[-1], _digest(texts, own), number),
            )
            db.execute("COMMIT")

    def settings(self) -> list[SettingRow]:
        """Return every setting that was registered, the latest last.

        Raises
        ------
        StoreError
            If one is damaged.
        """
        found = []
        with self._connected() as db:
            for (*texts, number), is_sound in _settings_in(db):
                if not is_sound:
                    raise StoreError(
                        f"setting {number} of {str(self.path)!r} is damaged: its checksum does not "
                        "fit. `hsr run` and `hsr reproduce` register it again"
                    )
                name, preset, setting, controls, file, *others = texts
                changes, axes, ledger = map(json.loads, others)
                row = (number, name, preset, json.loads(setting), bool(controls), file)
                found.append(SettingRow(*row, changes, axes, ledger))
        return found

    def counts(self) -> dict[int, tuple[int, int]]:
        """Return how many runs each setting has, and how many of them are stored."""
        rows = self._select(
            "SELECT number, count(DISTINCT parts.key), count(DISTINCT runs.key) "
            "FROM parts LEFT JOIN runs USING (key) GROUP BY number"
        )
        return {number: (n_runs, n_stored) for number, n_runs, n_stored in rows}

    def sources_in(self, number: int) -> dict[str, int]:
        """Return by which code the stored runs of a setting were made, with their numbers."""
        query = "SELECT sources, count(DISTINCT key) FROM parts JOIN runs USING (key) "
        return dict(self._select(query + "WHERE number = ? GROUP BY sources", number))

    def named_runs(self) -> list[tuple[int, str, str, str, int, str, str]]:
        """Return number, experiment, control, agent, world, setting and key of every stored run.

        A run that is part of several settings is returned for each of them, and one that is part of
        none with the number 0.
        """
        return self._select(
            "SELECT coalesce(number, 0), experiment, coalesce(control, ''), coalesce(agent, ''), "
            "world, setting, key FROM runs LEFT JOIN parts USING (key) "
            "ORDER BY number, control, experiment, agent, setting, world"
        )

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
            yield db

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Name the file in every error of the system or the database."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(
                error, sqlite3.OperationalError
            )
            cure = "; move it away and run the same command again" if damaged else ""
            raise StoreError(
                f"{str(self.path)!r} {'is damaged' if damaged else 'cannot be used'}: {error}{cure}"
            ) from error


def _texts(row: SettingRow) -> tuple[Any, ...]:
    """Return the columns of a setting except its number and checksum."""
    more = (json.dumps(one, allow_nan=False) for one in row[6:])
    return (*row[1:3], json.dumps(row.setting, allow_nan=False), int(row.controls), row.file, *more)


def _digest(texts: Iterable[Any], runs: Iterable[Any]) -> str:
    """Return the checksum of a setting and of its runs, which are sorted."""
    return hashlib.sha256(json.dumps([list(texts), list(runs)]).encode()).hexdigest()


def _settings_in(db: sqlite3.Connection) -> list[tuple[tuple[Any, ...], bool]]:
    """Return the columns of each setting, its number last, and whether they are unchanged."""
    found = []
    for number, *texts, checksum in db.execute("SELECT * FROM settings ORDER BY number").fetchall():
        own = db.execute(_PARTS, (number,)).fetchall()
        found.append(((*texts, number), checksum == _digest(texts, own)))
    return found


def _written(record: Record) -> tuple[Any, ...]:
    """Return a run as a row of the table; equal runs have equal bytes."""
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **record.arrays)
    about, arrays = (record.key, float(record.seconds), record.source_version), stream.getvalue()
    named = (record.key, record.experiment, record.canonical_setting, record.seed)
    return (*named, *about[1:], _checksum(*about, arrays), arrays)


def _is_sound(row: sqlite3.Row) -> bool:
    """Return whether nothing has changed since a row was written."""
    (key,) = keys_of(row["experiment"], row["setting"], [row["world"]])
    found = _checksum(key, row["seconds"], row["sources"], row["arrays"])
    return bool(row["key"] == key and row["checksum"] == found)


def _checksum(key: str, seconds: float, sources: str, arrays: bytes) -> str:
    return hashlib.sha256(f"{key} {seconds!r} {sources}\n".encode() + arrays).hexdigest()
