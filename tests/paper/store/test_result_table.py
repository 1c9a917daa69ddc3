"""Tables do not depend on the order of arrival, and are the same after Parquet."""

import errno
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hsr
from hsr.paper.store import (
    Record,
    ResultTable,
    Store,
    StoreError,
    canonical,
    compact,
    manifest,
    parquet,
)
from hsr.paper.store.record import digest_of


def run(rate=0.1, seed=0, experiment="demo", seconds=0.0, **arrays):
    return Record(
        experiment,
        {"rate": rate, "agent": {"kind": "sr"}},
        seed,
        arrays or {"steps": [seed, 7]},
        seconds,
    )


RUNS = [run(rate, seed) for rate in (0.1, 0.2, 1) for seed in (0, 1, 10)]
KINDS = {
    "bool": np.array([[True], [False]]),
    "integer": np.arange(3, dtype=np.uint8),
    "real": np.array([np.nan, -0.0, np.inf], np.float32),
    "empty": np.zeros((2, 0, 3)),
    "scalar": np.float64(2.5),
    "text": np.array(["ü", "", "日本語"]),
    "big_endian": np.arange(4, dtype=">f8"),
}

TABLE = ResultTable(RUNS)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.parquet"


# --- tables


@given(st.permutations(RUNS), st.lists(st.floats(0, 1e6), min_size=len(RUNS), max_size=len(RUNS)))
def test_neither_the_order_of_arrival_nor_the_time_leaves_a_trace(records, seconds):
    table = ResultTable(
        [run(r.setting["rate"], r.seed, seconds=s) for r, s in zip(records, seconds, strict=True)]
    )
    assert [record.key for record in table] == [record.key for record in TABLE]
    assert table.digest() == TABLE.digest()


def test_the_digest_changes_with_every_run():
    digests = {ResultTable(RUNS[:i] + RUNS[i + 1 :]).digest() for i in range(len(RUNS))}
    digests |= {
        ResultTable([*RUNS[:i], run(0.3, i), *RUNS[i + 1 :]]).digest() for i in range(len(RUNS))
    }
    changed = run(RUNS[4].setting["rate"], RUNS[4].seed, steps=[RUNS[4].seed, 8])
    digests |= {ResultTable([*RUNS[:4], changed, *RUNS[5:]]).digest(), TABLE.digest()}
    assert len(digests) == 2 * len(RUNS) + 2


def test_settings_come_once_in_canonical_order_and_seeds_as_numbers():
    table = ResultTable(reversed(RUNS))
    assert table.experiment == "demo"
    assert [setting["rate"] for setting in table.settings] == [0.1, 0.2, 1]
    assert table.seeds == (0, 1, 10)
    assert [record.seed for record in table][:3] == [0, 1, 10]
    assert len(table) == 9
    assert repr(table) == "ResultTable('demo', 9 runs, 3 settings)"


def test_select_takes_the_runs_of_a_setting():
    table = TABLE
    for setting in table.settings:
        chosen = table.select(**setting)
        assert chosen.settings == [setting]
        assert chosen.seeds == (0, 1, 10)
    assert len(table.select()) == len(table.select(agent={"kind": "sr"})) == 9
    assert table.select(rate=0.2).array("steps").tolist() == [[0, 7], [1, 7], [10, 7]]


def test_select_knows_fields_that_python_would_take_for_its_own():
    record = Record("demo", {"self": 1, "two words": 2}, 0, {"x": [1]})
    assert len(ResultTable([record]).select(**{"self": 1, "two words": 2})) == 1


def test_runs_without_the_field_are_not_selected():
    table = ResultTable(
        [Record("demo", {"a": 1}, 0, {"x": [1]}), Record("demo", {"b": 1}, 0, {"x": [2]})]
    )
    assert table.select(a=1).array("x").tolist() == [[1]]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"rat": 0.1}, "no setting has the field 'rat'; there are 'agent', 'rate'"),
        ({"rate": 0.5}, "no run has 'rate' = 0.5; there are 0.1, 0.2, 1$"),
        ({"rate": 1.0}, "no run has 'rate' = 1.0"),
        ({"rate": True}, "no run has 'rate' = True"),
        ({"rate": None}, "no run has 'rate' = None"),
        ({"rate": np.zeros(1)}, "is a ndarray"),
    ],
)
def test_a_selection_of_nothing_says_what_there_is(fields, why):
    with pytest.raises(hsr.InputError, match=why):
        TABLE.select(**fields)


def test_arrays_are_stacked_in_the_order_of_the_table():
    table = ResultTable([run(seed=seed, x=np.full((2, 3), seed)) for seed in (2, 0, 1)])
    assert table.array("x").shape == (3, 2, 3)
    assert table.array("x")[:, 0, 0].tolist() == [0, 1, 2]
    words = ResultTable(
        [run(seed=seed, x=np.array(word)) for seed, word in enumerate(["ok", "diverged"])]
    )
    assert words.array("x").tolist() == ["ok", "diverged"]


@pytest.mark.parametrize(
    "other", [np.zeros(4), np.zeros((3, 1)), np.zeros(3, int), np.array(["a", "b", "c"])]
)
def test_the_run_whose_array_differs_is_named(other):
    table = ResultTable(
        [run(seed=0, x=np.zeros(3)), run(seed=1, x=np.zeros(3)), run(seed=2, x=other)]
    )
    run_2 = r'^x of the run of \{"agent":\{"kind":"sr"\},"rate":0.1\} with seed 2'
    with pytest.raises(hsr.InputError, match=f"{run_2} has shape"):
        table.array("x")


def test_the_run_whose_array_is_missing_is_named():
    table = ResultTable([run(seed=0, x=[1], y=[1]), run(seed=1, x=[1])])
    with pytest.raises(hsr.InputError, match="with seed 1 has no array 'y'; it has x"):
        table.array("y")


def test_tables_of_nothing_of_two_experiments_and_of_a_run_twice_are_refused():
    with pytest.raises(hsr.InputError, match="no records"):
        ResultTable([])
    with pytest.raises(hsr.InputError, match="of demo, other; a table holds one experiment"):
        ResultTable([run(), run(experiment="other")])
    with pytest.raises(hsr.InputError, match="with seed 1 is given twice"):
        ResultTable([run(seed=0), run(seed=1), run(seed=1, seconds=3.0)])


def test_a_table_cannot_be_changed():
    with pytest.raises(AttributeError, match="read-only"):
        TABLE._records = ()


# --- Parquet


def test_every_kind_of_array_comes_back_from_parquet(path):
    table = ResultTable([run(seed=seed, seconds=0.5, **KINDS) for seed in range(2)])
    table.to_parquet(path)
    after = ResultTable.from_parquet(path)
    assert after.digest() == table.digest()
    for one, other in zip(table, after, strict=True):
        assert (one.key, one.setting, one.seconds) == (other.key, other.setting, other.seconds)
        for name, array in one.arrays.items():
            read = other.arrays[name]
            assert (read.dtype, read.shape) == (array.dtype, array.shape)
            assert read.tobytes() == array.tobytes()


def test_other_programs_read_the_file_without_this_library(path):
    TABLE.to_parquet(path)
    table = pyarrow.parquet.read_table(path)
    assert tuple(table.column_names) == parquet.COLUMNS
    assert table.num_rows == len(RUNS)
    for row, record in zip(table.to_pylist(), TABLE, strict=True):
        assert (row["key"], row["seed"]) == (record.key, record.seed)
        assert row["setting"].encode() == canonical(record.setting)
        values = np.frombuffer(row["values"], row["dtype"]).reshape(row["shape"])
        assert values.tolist() == record.arrays[row["array"]].tolist() == [record.seed, 7]


def test_arrow_and_parquet_are_the_same_table(path):
    table = ResultTable([run(**KINDS)])
    table.to_parquet(path)
    assert pyarrow.parquet.read_table(path).equals(table.to_arrow())
    assert table.to_arrow().num_rows == len(KINDS)


def test_many_groups_of_rows_are_one_file(path, monkeypatch):
    monkeypatch.setattr(parquet, "GROUP_BYTES", 40)
    TABLE.to_parquet(path)
    assert pyarrow.parquet.ParquetFile(path).num_row_groups == 3
    assert ResultTable.from_parquet(path).digest() == TABLE.digest()


def test_no_damaged_byte_of_a_parquet_file_changes_a_result(path):
    table = ResultTable(RUNS[:2])
    table.to_parquet(path)
    whole = path.read_bytes()
    refusals, places = [], range(0, len(whole), 3)
    for at in places:
        data = bytearray(whole)
        data[at] ^= 0x10
        path.write_bytes(data)
        try:
            assert ResultTable.from_parquet(path).digest() == table.digest()
        except StoreError as error:  # other bytes hold statistics, which change no result
            refusals.append(str(error))
    assert len(refusals) > len(places) / 4
    assert all(str(path) in refusal for refusal in refusals)
    for n in (0, 3, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:n])
        with pytest.raises(StoreError, match="cannot be read"):
            ResultTable.from_parquet(path)


def unchanged(rows):
    """Leave the rows as they are."""


def rewritten(path, change, metadata=None):
    """Write rows back, changed, under the metadata of the file or other metadata."""
    kept = pyarrow.parquet.ParquetFile(path).metadata.metadata
    rows = pyarrow.parquet.read_table(path).to_pylist()
    change(rows)
    table = pyarrow.Table.from_pylist(rows, schema=parquet._schema())
    kept = {key: value for key, value in kept.items() if key.startswith(b"hsr_")}
    pyarrow.parquet.write_table(table.replace_schema_metadata({**kept, **(metadata or {})}), path)


@pytest.mark.parametrize(
    ("change", "metadata", "why"),
    [
        (lambda rows: rows.pop(), {}, "its 8 runs do not have the digest"),
        (lambda rows: rows.reverse(), {}, "do not have the digest"),
        (lambda rows: rows[0].update(values=b"\0" * 16), {}, "do not have the digest"),
        (lambda rows: rows[0].update(seed=5), {}, "says that it is run"),
        (lambda rows: rows[0].update(setting="{"), {}, "does not hold records"),
        (lambda rows: rows[0].update(dtype="O"), {}, "does not hold records"),
        (lambda rows: rows[0].update(shape=[7]), {}, "does not hold records"),
        (unchanged, {b"hsr_schema": b"2"}, "was made by schema '2'; this version reads schema 1"),
    ],
)
def test_a_file_that_was_meddled_with_is_refused(path, change, metadata, why):
    TABLE.to_parquet(path)
    rewritten(path, unchanged)
    assert ResultTable.from_parquet(path).digest() == TABLE.digest()
    rewritten(path, change, metadata)
    with pytest.raises(StoreError, match=why):
        ResultTable.from_parquet(path)


def test_files_of_others_are_refused(tmp_path, path):
    pyarrow.parquet.write_table(pyarrow.table({"x": [1]}), path)
    with pytest.raises(StoreError, match="not one of records"):
        ResultTable.from_parquet(path)
    with pytest.raises(StoreError, match="cannot be read"):
        ResultTable.from_parquet(tmp_path / "absent.parquet")


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(StoreError, match=r"cannot write .*absent.*No such file"):
        TABLE.to_parquet(tmp_path / "absent" / "x.parquet")


def test_a_full_disk_is_named_and_the_old_file_stays(tmp_path, monkeypatch, path):
    TABLE.to_parquet(path)
    before = path.read_bytes()

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match=r"cannot write .*x\.parquet.*No space left"):
        ResultTable(RUNS[:2]).to_parquet(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.parquet"]
    assert path.read_bytes() == before


# --- compact


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "store")
    for name in ("two", "one"):
        for seed in (1, 0):
            store.put(run(seed=seed, experiment=name, seconds=2.0, **KINDS))
    return store


def test_a_compacted_store_holds_every_run_and_says_what_made_it(store, tmp_path):
    path = compact(store, tmp_path / "all.parquet")
    assert path == tmp_path / "all.manifest.json"
    about = json.loads(path.read_text())
    expected = {"file": "all.parquet", "runs": 4, "seconds": 8.0, "schema": 1}
    assert expected.items() <= about.items()
    tables = {name: ResultTable(store.records(name)) for name in ("one", "two")}
    assert about["digest"] == digest_of([*tables["one"], *tables["two"]])
    assert {"hsr", "numpy", "scipy", "numba", "python"} <= about["versions"].keys()
    assert about["versions"]["numpy"] == np.__version__
    assert about["versions"]["python"] == platform.python_version() == sys.version.split()[0]
    assert about["cpu"]
    known = {"openblas", "mkl", "blis", "flexiblas", "accelerate"}
    assert {library["internal_api"] for library in about["blas"]} <= known
    for name, table in tables.items():
        read = ResultTable.from_parquet(tmp_path / "all.parquet", name)
        assert read.digest() == table.digest()
    with pytest.raises(hsr.InputError, match="has no runs of three; it has one, two"):
        ResultTable.from_parquet(tmp_path / "all.parquet", "three")
    with pytest.raises(hsr.InputError, match="of one, two; a table holds one"):
        ResultTable.from_parquet(tmp_path / "all.parquet")


def test_compacting_again_gives_the_same_file(store, tmp_path):
    compact(store, tmp_path / "a.parquet")
    (store.folder / "index.json").unlink()
    compact(store, tmp_path / "b.parquet")
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_a_damaged_run_is_not_compacted_and_the_old_file_stays(store, tmp_path):
    compact(store, tmp_path / "all.parquet")
    before = (tmp_path / "all.parquet").read_bytes()
    path = store.path_of(store.keys()[2])
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(StoreError, match=path.name):
        compact(store, tmp_path / "all.parquet")
    assert (tmp_path / "all.parquet").read_bytes() == before
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [
        "all.manifest.json",
        "all.parquet",
        "store",
    ]


def test_an_empty_store_is_compacted_to_an_empty_file(tmp_path, path):
    about = compact(Store(tmp_path / "store"), path)
    assert json.loads(about.read_text())["runs"] == 0
    assert parquet.read_parquet(path) == []


def test_a_name_that_is_not_of_a_parquet_file_is_refused(store, tmp_path):
    with pytest.raises(hsr.InputError, match=r"must end in \.parquet"):
        compact(store, tmp_path / "all.csv")


@pytest.fixture
def elsewhere(tmp_path):
    """A package in a folder of its own."""
    package = tmp_path / "hsr"
    package.mkdir()
    (package / "__init__.py").write_text("")
    return package


def test_the_commit_is_that_of_the_whole_package():
    assert Path(hsr.__file__).parent == manifest._SOURCE


def test_outside_a_repository_and_without_git_there_is_no_commit(elsewhere, monkeypatch):
    assert manifest._commit(elsewhere) is None
    monkeypatch.setenv("PATH", "")
    assert manifest._commit(elsewhere) is None


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_the_commit_is_that_of_the_package_and_of_no_repository_around_it(elsewhere):
    def git(*words):
        settings = ("user.name=x", "user.email=x@example.org", "commit.gpgsign=false")
        options = [word for setting in settings for word in ("-c", setting)]
        command = ["git", "-C", elsewhere.parent, *options, *words]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    git("init", "--quiet")
    git("commit", "--quiet", "--allow-empty", "--message", "a project of someone else")
    assert manifest._commit(elsewhere) is None
    git("add", "hsr")
    git("commit", "--quiet", "--message", "ours")
    assert manifest._commit(elsewhere) == git("rev-parse", "HEAD")
    (elsewhere / "__init__.py").write_text("changed = True")
    assert manifest._commit(elsewhere) == git("rev-parse", "HEAD") + "+"
