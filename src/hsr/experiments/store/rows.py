"""Rows of a store: its tables, what is written into them, and whether a row has changed.

Every run has a checksum over all of its row, and every setting one over its row and its parts. The
index of the runs is compared with their table.
"""

import hashlib
import io
import json
import re
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hsr import InputError
from hsr.experiments.store.record import Record, keys_of

TABLES = """
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
NAMED = "SELECT rowid, key, experiment, setting, world FROM runs"
PARTS_OF_NONE = "FROM parts WHERE number NOT IN (SELECT number FROM settings)"
PARTS = "SELECT control, agent, key FROM parts WHERE number = ? ORDER BY control, agent, key"


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


def texts_of(row: SettingRow) -> tuple[Any, ...]:
    """Return the columns of a setting except its number and checksum."""
    more = (json.dumps(one, allow_nan=False) for one in row[6:])
    return (*row[1:3], json.dumps(row.setting, allow_nan=False), int(row.controls), row.file, *more)


def row_of(texts: Iterable[Any], number: int) -> SettingRow:
    """Return the setting whose columns `texts_of` returned.

    Raises
    ------
    InputError
        If they were not written by `texts_of`, although their checksum fits.
    """
    name, preset, setting, controls, file, *others = texts
    try:
        found = SettingRow(
            number,
            name,
            preset,
            json.loads(setting),
            bool(controls),
            file,
            *map(json.loads, others),
        )
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(f"it cannot be read as JSON: {error}") from None
    texts_only = dict.fromkeys(("experiment", "preset", "file"), str)
    kinds = {**texts_only, "setting": dict, "changes": dict, "axes": dict, "ledger": list | None}
    for column, kind in kinds.items():
        value = getattr(found, column)
        if not isinstance(value, kind):
            raise InputError(f"its {column} is {value!r:.40}")
    for names in found.axes.values():
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise InputError(f"its axes have the names {names!r:.40}")
    return found


def digest_of(texts: Iterable[Any], runs: Iterable[Any]) -> str:
    """Return the checksum of a setting and of its runs, which are sorted."""
    text = json.dumps([list(texts), list(runs)], default=repr)  # damaged ones may be bytes
    return hashlib.sha256(text.encode()).hexdigest()


def settings_in(db: sqlite3.Connection) -> list[tuple[tuple[Any, ...], bool]]:
    """Return the columns of each setting, its number last, and whether they are unchanged."""
    found = []
    for number, *texts, checksum in db.execute("SELECT * FROM settings ORDER BY number").fetchall():
        own = db.execute(PARTS, (number,)).fetchall()
        found.append(((*texts, number), checksum == digest_of(texts, own)))
    return found


def written(record: Record) -> tuple[Any, ...]:
    """Return a run as a row of the table; equal runs have equal bytes."""
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **record.arrays)
    about, arrays = (record.key, float(record.seconds), record.source_version), stream.getvalue()
    named = (record.key, record.experiment, record.canonical_setting, record.seed)
    return (*named, *about[1:], _checksum(*about, arrays), arrays)


def is_sound(row: sqlite3.Row) -> bool:
    """Return whether nothing has changed since a row was written."""
    key, arrays = row["key"], row["arrays"]
    if not is_key(key, row["experiment"], row["setting"], row["world"]):
        return False
    if not isinstance(arrays, bytes):
        return False
    return bool(row["checksum"] == _checksum(key, row["seconds"], row["sources"], arrays))


def is_key(key: Any, experiment: Any, setting: Any, world: Any) -> bool:
    """Return whether a key is that of a run. A damaged row may have nothing in all four places."""
    try:
        return bool(key == keys_of(experiment, setting, [world])[0])
    except (InputError, TypeError):
        return False


def index_fits(db: sqlite3.Connection) -> bool:
    """Return whether the index of the keys leads to every run, and to nothing else."""
    by_index, by_table = (
        db.execute(f"SELECT key, rowid FROM runs {how} ORDER BY key").fetchall()
        for how in ("INDEXED BY sqlite_autoindex_runs_1", "NOT INDEXED")
    )
    return by_index == by_table


@cache
def expected_schema() -> list[Any]:
    """Return what `schema_in` returns for a new store."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(TABLES)
        return schema_in(db)


def schema_in(db: sqlite3.Connection) -> list[Any]:
    """Return everything that belongs to the tables of a store, as SQL without comments.

    In a store of somebody else, a view that takes forever, a computed column or a trigger may stand
    in the place of a table.
    """
    query = (
        "SELECT type, name, sql FROM sqlite_master WHERE tbl_name COLLATE NOCASE IN "
        "('runs', 'settings', 'parts') ORDER BY type, name"
    )
    return [
        (kind, name, "".join(re.sub("--.*", "", sql or "").split()))
        for kind, name, sql in db.execute(query)
    ]


def text_of(stored: bytes) -> str:
    """Return a stored text; what is not UTF-8 can be read and named, and fits no checksum."""
    return stored.decode("utf-8", "backslashreplace")


def _checksum(key: str, seconds: float, sources: str, arrays: bytes) -> str:
    return hashlib.sha256(f"{key} {seconds!r} {sources}\n".encode() + arrays).hexdigest()
