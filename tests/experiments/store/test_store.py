"""Records and the store: one key per run, the same bytes back, damage named, no half runs."""

import io
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import zipfile
from contextlib import closing, suppress
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import hsr
from hsr.experiments import load
from hsr.experiments.store import (
    Record,
    ResultTable,
    RunOfSetting,
    SettingRow,
    Store,
    StoreError,
    provenance,
    run_key,
    source_hash,
    source_version,
    sources,
)
from tests.cases import raises
from tests.waiting import soon


def record(seed=0, **setting):
    arrays = {"steps": np.arange(6).reshape(2, 3) + seed, "names": np.array(["a", "bc"])}
    return Record("demo", setting or {"rate": 0.1}, seed, arrays, seconds=1.5)


def execute(store, query, *values):
    """Change the file behind the back of the store."""
    with closing(sqlite3.connect(store.path, isolation_level=None)) as db:
        db.execute(query, values)


# Records.

DTYPES = st.sampled_from(["bool", "int8", "uint16", ">i4", "int64", "float32", ">f8", "U3"])
ARRAYS = DTYPES.flatmap(lambda kind: hnp.arrays(kind, hnp.array_shapes(min_dims=0, min_side=0)))


@given(st.dictionaries(st.text("abc_", min_size=1), ARRAYS, min_size=1, max_size=3))
def test_arrays_come_back_from_a_row_as_they_were(arrays):
    one = Record("demo", {}, 0, arrays)
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        back = store.get(store.put(one))
    assert back.key == one.key
    assert back.digest() == one.digest()
    for name, array in arrays.items():
        found = back.arrays[name]
        np.testing.assert_array_equal(found, array)
        assert found.dtype == array.dtype.newbyteorder("<")
        assert not found.flags.writeable


def test_a_key_depends_on_experiment_setting_and_seed_alone():
    key = run_key("demo", {"a": 1, "b": [2, None]}, 3)
    assert key == Record("demo", {"b": (2, None), "a": 1}, 3, {"x": [1]}).key
    others = [("demos", {"a": 1, "b": [2, None]}, 3), ("demo", {"a": 1, "b": [2, None]}, 4)]
    others += [("demo", {"a": value, "b": [2, None]}, 3) for value in (1.0, True, "1", 2)]
    assert len({key, *(run_key(*other) for other in others)}) == 7


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"experiment": "a/b"}, "it must be one or more of a-z, 0-9 and _"),
        ({"setting": {"x": np.inf}}, "it must be JSON"),
        ({"seed": 0.5}, "seed is 0.5"),
        ({"arrays": {}}, "at least one array"),
        ({"arrays": {"x": np.array([None])}}, r"arrays\['x'\] has type object"),
        ({"arrays": {"x": np.ma.array([1.0])}}, "has type masked array"),
    ],
)
def test_records_that_cannot_be_stored_are_refused(fields, message):
    usual = {"experiment": "demo", "setting": {}, "seed": 0, "arrays": {"x": [1]}}
    with raises(message):
        Record(**{**usual, **fields})


# The store.


def test_a_run_comes_back_with_everything(store):
    one = replace(record(3), source_version="hsr 9, sources 1")
    assert store.put(one) == one.key
    again = Store(store.folder, create=False)
    back = again.get(one.key)
    assert back.digest() == one.digest()
    assert (back.setting, back.seed, back.seconds, back.source_version) == (
        {"rate": 0.1}, 3, 1.5, "hsr 9, sources 1",
    )  # fmt: skip
    assert one.key in again
    assert "x" not in again
    assert (again.keys(), len(again)) == ([one.key], 1)
    assert again.sources_of([one.key, "x"]) == {one.key: "hsr 9, sources 1"}


def test_the_same_results_may_be_put_again_and_others_of_the_same_code_not(store):
    store.put(record())
    store.put(replace(record(), seconds=99.0))
    assert store.get(record().key).seconds == 1.5
    other = replace(record(), arrays={"steps": np.zeros(2)})
    with pytest.raises(StoreError, match="with other results of the same code"):
        store.put(other)
    assert store.get(record().key).digest() == record().digest()
    store.put(replace(other, source_version="hsr 9"))
    assert store.get(record().key).digest() == other.digest()


@pytest.mark.parametrize(
    "change",
    [
        "arrays = substr(arrays, 1, length(arrays) - 1)",
        "arrays = zeroblob(length(arrays))",
        "setting = '{\"rate\":0.2}'",
        "world = 7",
        "experiment = 'other'",
        "sources = 'hsr 9'",
        "seconds = 2.5",
        "checksum = ''",
        "arrays = 'text'",
        "setting = x'ff'",
        "sources = CAST(x'ff41' AS TEXT)",
    ],
)
def test_every_change_of_a_row_is_recognised_and_named(store, change):
    keys = [store.put(record(seed)) for seed in range(3)]
    execute(store, f"UPDATE runs SET {change} WHERE key = ?", keys[1])
    with pytest.raises(StoreError, match=r"is damaged in .*runs\.sqlite': its checksum does not"):
        store.get(keys[1])
    assert store.damaged() == [keys[1]]
    assert store.get(keys[0]).digest() == record(0).digest()
    store.put(record(1))
    assert store.damaged() == []


def no_text(length):
    """Return an array of many texts without a letter, as a file that has no byte for them."""
    stream, about = io.BytesIO(), {"descr": "<U0", "fortran_order": False, "shape": (length,)}
    with zipfile.ZipFile(stream, "w") as archive, archive.open("x.npy", "w") as member:
        np.lib.format.write_array_header_1_0(member, about)
    return stream.getvalue()


def saved(save, array):
    stream = io.BytesIO()
    save(stream, x=array)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (saved(np.savez, np.array([print], dtype=object)), "allow_pickle=False"),
        (saved(np.savez_compressed, np.zeros(10**7)), "it is compressed, which hsr never does"),
        (saved(np.savez, np.array([1j])), "has type complex128"),
        (no_text(2**40), "has type <U0"),
        (b"", "File is not a zip file"),
    ],
    ids=["pickled", "compressed", "complex", "memory", "empty"],
)
def test_arrays_that_no_record_has_are_never_read(store, arrays, message):
    """A row whose checksum fits may come from anybody."""
    from hsr.experiments.store.rows import _checksum

    key = store.put(record())
    checksum = _checksum(key, 1.5, source_version(), arrays)
    execute(store, "UPDATE runs SET arrays = ?, checksum = ?", arrays, checksum)
    with pytest.raises(StoreError, match=f"run {key} of .* cannot be read: .*{message}"):
        store.get(key)


FOREVER = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT"


@pytest.mark.parametrize(
    "query",
    [
        f"DROP TABLE parts; CREATE VIEW parts AS {FOREVER} n AS number, '' AS control, "
        "'' AS agent, '' AS key FROM c",
        "DROP TABLE parts; CREATE VIRTUAL TABLE parts USING rtree(number, control, agent)",
        "ALTER TABLE settings ADD COLUMN more BLOB AS (zeroblob(1000000000))",
        "CREATE TRIGGER t AFTER INSERT ON settings BEGIN DELETE FROM runs; END",
        "CREATE TRIGGER t AFTER INSERT ON RUNS BEGIN DELETE FROM runs; END",
    ],
    ids=["endless", "virtual", "computed", "trigger", "trigger in capitals"],
)
def test_a_store_has_only_tables_that_hold_what_was_written(store, query):
    """In the store of somebody else, SQL may compute what is read, or act when a run is added."""
    with closing(sqlite3.connect(store.path)) as db:
        db.executescript(query)
    with pytest.raises(StoreError, match="is damaged: its tables are not those of a store"):
        Store(store.folder, create=False)


def test_several_rows_are_stored_together_or_not_at_all(store):
    store.put(record(1))
    other = Record("demo", {"rate": 0.1}, 1, {"steps": [0]})
    with pytest.raises(StoreError, match="with other results"):
        store.put_all([record(0), other])
    assert store.keys() == [record(1).key]


def test_a_folder_without_a_store_is_refused_and_left_alone(tmp_path):
    with pytest.raises(StoreError, match=r"is not a store of runs: it has no runs\.sqlite"):
        Store(tmp_path, create=False)
    assert list(tmp_path.iterdir()) == []
    with raises("folder is None; it must be the path of a store"):
        load(None)
    with pytest.raises(StoreError, match=r"cannot be used|is not a store"):  # from Python 3.14
        load("a" * 5000)
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be used"):
        Store(tmp_path / "file" / "store")


def test_a_file_that_is_no_database_or_of_another_version_is_named(store):
    execute(store, "PRAGMA user_version = 7")
    with pytest.raises(StoreError, match=r"has version 7; this hsr reads version 2"):
        Store(store.folder)
    store.path.write_bytes(b"x" * 5000)
    with pytest.raises(StoreError, match=r"runs\.sqlite' is damaged: file is not a database"):
        Store(store.folder)


def test_a_damaged_page_is_named(store):
    store.put_all(record(seed) for seed in range(200))
    data = bytearray(store.path.read_bytes())
    data[4096 * 3 : 4096 * 12] = b"\xff" * (4096 * 9)
    store.path.write_bytes(data)
    with pytest.raises(StoreError, match="is damaged: database disk image is malformed"):
        store.damaged()


COLUMNS = [
    *product(["runs"], ["key", "experiment", "setting", "world", "seconds", "sources", "arrays"]),
    *product(["settings"], ["preset", "setting", "controls", "file", "changes", "ledger"]),
    *product(["parts"], ["number", "control", "agent", "key"]),
]


def everything_in(store):
    """Return all that a store says. Experiments without code have only this."""
    repr(load(store.folder))
    digests = [
        one.digest() for one in store.get_all(key for *_, key in store.named_runs()).values()
    ]
    return store.settings(), store.named_runs(), store.counts(), store.sources_in(1), digests


@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_two_changed_bytes_of_any_value_are_noticed_and_repaired(store, table, column):
    key = store.put(record(3))
    setting = SettingRow(0, "demo", "smoke", {"n": 12}, file="a.py", axes={"x": ["y"]}, ledger=[])
    own = [RunOfSetting("slip", "SR", key)]
    store.register(setting._replace(changes={"n": 12}), own)
    everything_in(store)
    with closing(sqlite3.connect(store.path)) as db:
        ((old,),) = db.execute(f"SELECT {column} FROM {table}").fetchall()
    data = bytearray(str(old).encode() if isinstance(old, int | float | str) else old)
    data[0], data[-1] = data[0] ^ 1, data[-1] ^ 0x82
    kind = "BLOB" if isinstance(old, bytes) else "TEXT"
    for damage, what in (("CAST(? AS " + kind + ")", bytes(data)), ("?", b"\xff"), ("?", 10**18)):
        with closing(sqlite3.connect(store.path)) as db:
            db.execute(f"UPDATE {table} SET {column} = {damage}", (what,))
            db.commit()
        with pytest.raises(StoreError, match="damaged"):
            everything_in(store)
    store.register(setting, own)
    store.put(record(3))
    _, named, counts, *_ = everything_in(store)
    assert ([key for *_, key in named], list(counts.values())) == ([key], [(1, 1)])


def test_a_run_that_lost_its_key_and_its_name_is_noticed_and_removed(store):
    """What it says has no key either, and nothing is not equal to nothing."""
    keys = [store.put(record(seed)) for seed in range(2)]
    execute(store, "UPDATE runs SET key = NULL, experiment = '' WHERE world = 1")
    with pytest.raises(StoreError, match="is damaged"):
        repr(load(store.folder))
    store.register(SettingRow(0, "demo", "smoke", {}), [])
    assert store.keys() == keys[:1]


@pytest.mark.parametrize("offset", [63, 64])
def test_an_index_that_does_not_fit_the_runs_is_noticed_and_repaired(store, offset):
    """A key in it is changed, or leads to another run: its row number follows the key."""
    keys = [store.put(record(seed)) for seed in range(3)]
    data = bytearray(store.path.read_bytes())
    (place,) = (one.start() for one in re.finditer(keys[1].encode(), data) if data[one.end()] == 2)
    data[place + offset] ^= 1
    store.path.write_bytes(data)
    for ask in (store.named_runs, store.counts, lambda: store.get(keys[1])):
        with pytest.raises(StoreError):
            ask()
    store.register(SettingRow(0, "demo", "smoke", {}), [RunOfSetting("", "SR", k) for k in keys])
    assert store.counts() == {1: (3, 3)}
    assert store.get(keys[1]).digest() == record(1).digest()


READ = {
    "settings": Store.settings,
    "named_runs": Store.named_runs,
    "counts": Store.counts,
    "sources_in": lambda store: store.sources_in(1),
    "records": lambda store: [one.digest() for one in store.records()],
    "load": lambda store: repr(load(store.folder)),
}


def test_two_changed_bytes_of_the_file_change_no_answer_and_end_in_no_other_error(store):
    """Whatever reads a store returns what it did before, or says that the store is damaged."""
    keys = [store.put(record(seed)) for seed in range(4)]
    store.register(SettingRow(0, "demo", "smoke", {}), [RunOfSetting("", "SR", k) for k in keys])
    expected = {name: read(store) for name, read in READ.items()}
    data, rng = store.path.read_bytes(), np.random.default_rng(0)
    for _ in range(200):
        changed = bytearray(data)
        for place in rng.integers(0, len(data), 2):
            changed[place] ^= int(rng.integers(1, 256))
        store.path.write_bytes(changed)
        for name, read in READ.items():
            with suppress(StoreError):
                assert read(Store(store.folder, create=False)) == expected[name]
        with suppress(StoreError):
            Store(store.folder, create=False).damaged()


def test_others_read_while_one_process_writes(store):
    store.put(record(0))
    with store.driving():
        store.put(record(1))
        assert len(Store(store.folder, create=False)) == 2
        with raises("another process is adding runs"), store.driving():
            pass


@pytest.mark.parametrize("attempt", range(2))
def test_a_kill_leaves_complete_runs_and_releases_the_store(tmp_path, attempt):
    """A process that writes for ever is killed at any moment."""
    script = (
        "import sys, numpy as np\nfrom hsr.experiments.store import Record, Store\n"
        "store = Store(sys.argv[1])\n"
        "with store.driving():\n"
        "    for seed in range(10**6):\n"
        "        store.put(Record('demo', {}, seed, {'x': np.full(20000, seed)}))\n"
    )
    folder = tmp_path / "store"
    environment = {**os.environ, "PYTHONPATH": str(Path(hsr.__file__).parents[1])}
    with subprocess.Popen([sys.executable, "-c", script, str(folder)], env=environment) as writer:
        assert soon(lambda: (folder / "runs.sqlite").exists() and len(Store(folder)) > 5)
        writer.send_signal(signal.SIGKILL)
    store = Store(folder, create=False)
    seeds = sorted(one.seed for one in store.records())
    assert seeds == list(range(len(seeds)))
    with store.driving():
        store.put(record())
    assert store.damaged() == []


# What a store knows about settings.


def test_a_store_knows_its_settings_and_a_repeated_one_becomes_the_latest(store):
    first = SettingRow(0, "demo", "smoke", {"worlds": 2})
    second = first._replace(setting={"worlds": 3})
    assert store.register(first, [RunOfSetting("", "SR", "k1"), RunOfSetting("x", "SR", "k2")]) == 1
    assert store.register(second, [RunOfSetting("", "SR", "k1")]) == 2
    assert store.register(first, [RunOfSetting("", "HSR", "k3")]) == 3
    assert [one.number for one in store.settings()] == [2, 3]
    assert store.settings()[1] == first._replace(number=3)
    with closing(sqlite3.connect(store.path)) as db:
        parts = db.execute("SELECT * FROM parts ORDER BY number").fetchall()
    assert parts == [(2, "", "SR", "k1"), (3, "", "HSR", "k3")]


def test_plain_sql_reads_a_store(store):
    key = store.put(record(4))
    store.register(SettingRow(0, "demo", "smoke", {}), [RunOfSetting("", "SR", key)])
    with closing(sqlite3.connect(store.path)) as db:
        ((agent, world, setting, arrays),) = db.execute(
            "SELECT agent, world, setting, arrays FROM agents WHERE control = ''"
        )
    assert (agent, world, json.loads(setting)) == ("SR", 4, {"rate": 0.1})
    with np.load(io.BytesIO(arrays), allow_pickle=False) as found:
        np.testing.assert_array_equal(found["steps"], record(4).arrays["steps"])


# Tables of one experiment, for analyses.


def test_parts_may_be_found_by_reading_and_writing_the_store_itself(store, monkeypatch):
    monkeypatch.setattr("hsr.experiments.store.store._SECONDS_TO_WAIT", 0.01)
    parts = (RunOfSetting("", "SR", store.put(record(seed))) for seed in range(2))
    store.register(SettingRow(0, "demo", "smoke", {}), parts)
    assert len(store.named_runs()) == 2


def test_a_table_has_one_order_whatever_the_order_of_its_runs():
    records = [record(seed, rate=rate) for rate in (0.2, 0.1) for seed in (1, 0)]
    table = ResultTable(records)
    assert table.digest() == ResultTable(reversed(records)).digest()
    assert (table.settings, table.seeds) == ([{"rate": 0.1}, {"rate": 0.2}], (0, 1))
    chosen = table.of({"rate": 0.2}).array("steps")
    np.testing.assert_array_equal(chosen, [record(s).arrays["steps"] for s in (0, 1)])
    assert table.of({"rate": 0.1}).digest() == ResultTable(records[2:]).digest()
    assert len(ResultTable([*records, records[0]])) == 4


def test_what_a_table_does_not_have_is_refused():
    table, other = ResultTable([record()]), Record("other", {}, 0, {"x": [1]})
    uneven = ResultTable([*table, Record("demo", {}, 9, {"steps": [1]})])
    for ask, message in (
        (lambda: table.of({"rate": 1}), "no run has the setting"),
        (lambda: table.array("x"), "has no array 'x'; it has names, steps"),
        (lambda: ResultTable([*table, other]), "the records are of demo, other"),
        (lambda: uneven.array("steps"), "has the shapes"),
    ):
        with raises(message):
            ask()


# Which code makes a run.


@pytest.fixture
def hashed(tmp_path, monkeypatch):
    """Return the hash of the sources after some files were written."""
    monkeypatch.setattr(sources, "files", lambda package: tmp_path)

    def write_and_hash(files):
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        source_hash.cache_clear()
        return source_hash()

    yield write_and_hash
    source_hash.cache_clear()


def test_the_hash_of_the_sources_is_that_of_the_code_that_computes_runs(hashed):
    first = hashed({"a.py": "1", "cli/b.py": "1", "grids/maze.txt": "1", "note.md": "1"})
    assert hashed({"cli/b.py": "2", "note.md": "2", "animals/c.py": "3"}) == first
    assert first in source_version()
    assert first == provenance()["sources"]
    second = hashed({"a.py": "2"})
    assert hashed({"grids/maze.txt": "2"}) not in (first, second)


CODE = """
import numpy as np
from dataclasses import dataclass

LIMIT = 3

@dataclass
class Rule:
    rate: float = 0.1

def update(x, rate, *, scale, most=9):
    return min(x * (1 - rate) + np.sqrt(scale), most)
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import numpy as np\n", "import numpy as np  # arrays\n\n\n"),
        ("class Rule:\n", 'class Rule:\n    "A rule."\n'),
        ("most=9):\n", 'most=9):\n    "Return the mean."\n'),
        ("LIMIT = 3", "LIMIT: int = 3"),
        ("x, rate, *, scale, most=9)", "x: int, rate: float, *, scale: int, most: int = 9) -> int"),
        ("rate: float", "rate: int"),
        ("    return min(\n", "    size: int\n    return min("),
        ("x * (1 - rate) + np.sqrt(scale)", "(x * (1 - rate)) + np.sqrt(\n        scale)"),
    ],
)
def test_formatting_comments_docstrings_and_annotations_change_no_hash(old, new, hashed):
    assert hashed({"a.py": CODE}) == hashed({"a.py": CODE.replace(old, new)})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 3", "LIMIT = 3.0"),
        ("import numpy as np", "import scipy as np"),
        (" + ", " - "),
        ("rate: float = 0.1", "rates: float = 0.1"),
        ("rate: float = 0.1", "rate = 0.1"),
        ("rate: float = 0.1", "rate: ClassVar[float] = 0.1"),
        ("scale, most=9", "scale=9, most"),
        ("@dataclass\n", ""),
    ],
)
def test_a_change_of_what_the_code_does_changes_the_hash(old, new, hashed):
    assert hashed({"a.py": CODE}) != hashed({"a.py": CODE.replace(old, new)})


def test_built_in_experiments_import_no_package_that_the_hash_leaves_out():
    package = Path(sources.__file__).parents[2]
    left_out = {package / path for path in sources.LEFT_OUT}
    left_out |= {package / path for path in sources.NOT_BUILT_IN}
    for path in package.rglob("*.py"):
        if left_out.isdisjoint([path, *path.parents]) and path != package / "__init__.py":
            imported = re.findall(r"^(?:from|import) hsr\.(\w+)", path.read_text(), re.M)
            assert not set(imported) & set(sources.NOT_BUILT_IN), path


def test_an_experiment_in_a_file_depends_on_what_it_imports(tmp_path):
    own, rules = tmp_path / "mine.py", tmp_path / "rules.py"
    own.write_text("import rules\n")
    rules.write_text("RATE = 1\n")
    first = source_version(own)
    rules.write_text("RATE = 1  # of learning\n")
    assert source_version(own) == first
    rules.write_text("RATE = 2\n")
    assert source_version(own) != first
