"""The store keeps its runs, reports what does not belong, and can always make its index again."""

import numpy as np
import pytest

import hsr
from hsr.paper.store import Record, Store, StoreError
from tests.paper.store.store_parts import a_record, damage


def test_what_is_put_is_there_and_what_is_not_is_not(tmp_path):
    store = Store(tmp_path / "deep" / "er")
    assert (store.keys(), len(store), store.verify(), store.tidy()) == ([], 0, [], 0)
    keys = [store.put(a_record(seed)) for seed in range(5)]
    assert store.keys() == sorted(keys)
    assert len(store) == 5
    assert all(key in store for key in keys)
    assert a_record(5).key not in store
    assert [record.key for record in Store(store.folder, create=False).records()] == sorted(keys)
    with pytest.raises(StoreError, match="has no run"):
        store.get(a_record(5).key)


def test_records_of_one_experiment(store):
    for name in ("one", "two"):
        store.put(Record(name, {}, seed=0, arrays={"x": [1]}))
    assert [record.experiment for record in store.records("two")] == ["two"]
    assert list(store.records("three")) == []


@pytest.mark.parametrize(
    "key", ["", "../../etc/passwd", "A" * 64, "0" * 63, "0" * 64 + "\n", "/" * 64, None, 7]
)
def test_a_key_that_is_none_is_never_looked_up(key, store):
    assert key not in store
    for look in (store.get, store.discard, store.path_of):
        with pytest.raises(hsr.InputError, match="64 hexadecimal digits"):
            look(key)


def test_the_same_results_may_be_put_again_and_others_may_not(store):
    key = store.put(a_record())
    path = store.path_of(key)
    before = path.stat().st_mtime_ns, path.read_bytes()
    again = Record("demo", {"rate": 0.1}, 0, {"steps": np.arange(3)}, seconds=99.0)
    assert store.put(again) == key
    assert (path.stat().st_mtime_ns, path.read_bytes()) == before
    other = Record("demo", {"rate": 0.1}, 0, {"steps": np.arange(4)})
    with pytest.raises(StoreError, match="with other results; discard it first"):
        store.put(other)
    store.discard(key)
    store.discard(key)
    assert key not in store
    store.put(other)
    assert store.get(key).digest() == other.digest()


def test_damage_is_found_named_and_mended(store):
    records = [a_record(seed) for seed in range(4)]
    keys = [store.put(record) for record in records]
    damage(store.path_of(keys[0]))
    store.path_of(keys[1]).write_bytes(b"")
    store.path_of(keys[2]).write_bytes(store.path_of(keys[3]).read_bytes())
    faults = store.verify()
    assert {fault.key for fault in faults} == set(keys[:3])
    for fault in faults:
        assert fault.path == store.path_of(fault.key)
        assert str(fault.path) in fault.message
        with pytest.raises(StoreError):
            store.get(fault.key)
    (moved,) = (fault for fault in faults if "not the one it is named after" in fault.message)
    assert moved.key == keys[2]
    for record in records:
        store.put(record)
    assert store.verify() == []
    assert all(store.get(record.key).digest() == record.digest() for record in records)


def test_files_that_do_not_belong_there_are_reported_and_not_read(store):
    key = store.put(a_record())
    right = store.path_of(key)
    wrong = [
        store.folder / "runs" / "zz" / right.name,
        right.with_suffix(".bak"),
        store.folder / "runs" / "note.txt",
    ]
    for path in wrong:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(right.read_bytes())
    assert {(fault.key, fault.path) for fault in store.verify()} == {("", path) for path in wrong}
    assert store.keys() == [key]


def test_a_folder_that_is_not_a_store_is_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(
        StoreError, match=r"not empty and not a store of runs: it has 'thesis\.tex'"
    ):
        Store(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(StoreError, match="is not a store of runs"):
        Store(tmp_path / "absent", create=False)
    assert not (tmp_path / "absent").exists()
    with pytest.raises(StoreError, match="cannot make the store"):
        Store(tmp_path / "thesis.tex" / "x")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"schema": 2}', "has schema 2; this version reads schema 1"),
        ('{"schema": "\\u001b[2J"}', "has schema"),
        ("{", "is damaged"),
        ("[]", "is damaged"),
        ("{}", "is damaged"),
        ("", "is damaged"),
    ],
)
def test_a_store_of_another_schema_or_damaged_is_refused(tmp_path, text, why):
    Store(tmp_path)
    (tmp_path / "store.json").write_text(text)
    with pytest.raises(StoreError, match=why) as caught:
        Store(tmp_path)
    assert str(caught.value).isprintable()
    assert (tmp_path / "store.json").read_text() == text


def index_is_right(store):
    found = store.index()
    assert list(found) == store.keys()
    for key, entry in found.items():
        record, data = store.get(key), store.path_of(key).read_bytes()
        of_record = (record.experiment, record.setting, record.seed, record.seconds)
        assert entry == (*of_record, len(data), data.split()[2].decode())
    return found


def count_reads(store, monkeypatch):
    reads = []
    read = Store._read
    monkeypatch.setattr(Store, "_read", lambda self, key: reads.append(key) or read(self, key))
    store.index()
    monkeypatch.undo()
    return len(reads)


def test_the_index_reads_only_what_is_new(store, monkeypatch):
    keys = [store.put(a_record(seed)) for seed in range(3)]
    assert count_reads(store, monkeypatch) == 3
    assert count_reads(store, monkeypatch) == 0
    store.put(a_record(3))
    store.discard(keys[0])
    assert count_reads(store, monkeypatch) == 1
    assert len(index_is_right(store)) == 3


@pytest.mark.parametrize(
    "content",
    [None, b"", b"\n", b"{", b"[]\n[]", b"\xff\xfe\n{}", b'{"schema":1,"sha256":"0"}\n{}'],
)
def test_a_lost_or_broken_index_is_made_again(store, content):
    for seed in range(2):
        store.put(a_record(seed))
    before = index_is_right(store)
    (store.folder / "index.json").unlink()
    if content is not None:
        (store.folder / "index.json").write_bytes(content)
    assert index_is_right(store) == before


def test_no_flipped_byte_of_the_index_changes_what_it_says(store):
    store.put(a_record())
    before = index_is_right(store)
    cache = store.folder / "index.json"
    whole = cache.read_bytes()
    for at in range(len(whole)):
        data = bytearray(whole)
        data[at] ^= 1
        cache.write_bytes(data)
        assert store.index() == before


def test_a_run_that_was_replaced_is_indexed_again(store):
    key = store.put(a_record())
    store.index()
    store.discard(key)
    store.put(Record("demo", {"rate": 0.1}, seed=0, arrays={"steps": np.arange(3)[::-1]}))
    assert index_is_right(store) == store.index()


def test_a_damaged_run_is_named_by_the_index_too(store):
    key = store.put(a_record())
    damage(store.path_of(key))
    with pytest.raises(StoreError, match=key):
        store.index()
