"""Records keep their identity, and the store keeps its runs: through crashes, damage, full disks and other writers."""

import copy
import errno
import hashlib
import json
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hsr
from hsr.results import Record, Store, StoreError, canonical, durable, run_key
from hsr.results.record import DEEPEST
from hsr.results.run_file import read_run, write_run

LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.sampled_from([0, 1, 0.0, 1.0, False, True, "", "1", "1.0", "\x7f", "\\u007f"]),
)
VALUES = st.recursive(LEAVES, lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=3), part, max_size=3))
SETTINGS = st.dictionaries(st.text(max_size=4), VALUES, max_size=4)

ARRAYS = {
    "truth": np.array([True, False]),
    "int8": np.array([-128, 127], np.int8),
    "uint64": np.array([0, 2**64 - 1], np.uint64),
    "float16": np.array([1.5, np.inf], np.float16),
    "float32": np.array([[1.5], [np.nan]], np.float32),
    "float64": np.array([-0.0, 5e-324, np.nan, -np.inf]),
    "empty": np.zeros((0, 3)),
    "empty_text": np.array([], dtype="U"),
    "scalar": np.array(7),
    "scalar_text": np.array("x"),
    "text": np.array(["", "ünï", "日本", "\U0001f400", "a\nb"]),
    "big_endian": np.arange(5, dtype=">i4"),
    "big_endian_text": np.array(["ab", "c"], dtype=">U2"),
    "strided": np.arange(24).reshape(4, 6)[::-2, ::3],
    "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "broadcast": np.broadcast_to(np.float64(2.5), (2, 2)),
}

WRITER = """
import sys
import numpy as np
from hsr.results import Record, Store

store = Store(sys.argv[1])
for i in map(int, sys.argv[2].split(",")):
    record = Record("kill", {"i": i}, seed=i, arrays={"x": np.arange(2000 + i)}, seconds=0.5)
    print(store.put(record), flush=True)
"""


def a_record(seed=0, **setting):
    return Record("demo", setting or {"rate": 0.1}, seed=seed, arrays={"steps": np.arange(3)}, seconds=2.0)


def damage(path, at=-20):
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def temporaries(folder):
    return [path for path in Path(folder).rglob("*") if path.name.endswith(".tmp")]


def python(code, *arguments):
    return [sys.executable, "-c", code, *map(str, arguments)]


# --- identity -------------------------------------------------------------------------------------------------------------


def same(a, b):
    """Whether two settings are the same value of the same types; -0.0 is 0.0."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


def turned(value):
    """The same value with the keys of every mapping in the opposite order."""
    if isinstance(value, dict):
        return {key: turned(part) for key, part in reversed(value.items())}
    return [turned(part) for part in value] if isinstance(value, list) else value


@given(SETTINGS)
def test_the_order_of_keys_does_not_matter(setting):
    assert canonical(turned(setting)) == canonical(setting)


@given(SETTINGS)
def test_canonical_text_reads_back_as_the_same_setting(setting):
    text = canonical(setting)
    assert same(json.loads(text), setting)
    assert canonical(json.loads(text)) == text
    assert text.isascii()
    assert text.decode().isprintable()


@given(SETTINGS, SETTINGS)
def test_two_settings_have_one_text_only_if_they_are_the_same(one, other):
    assert (canonical(one) == canonical(other)) == same(one, other)


@given(SETTINGS, st.data())
def test_every_changed_field_changes_the_key(setting, data):
    key = run_key("demo", setting, 3)
    name = data.draw(st.sampled_from(sorted(setting))) if setting else "new"
    other = {**setting, name: data.draw(VALUES)}
    assert (run_key("demo", other, 3) == key) == same(other, setting)
    assert run_key("demo_", setting, 3) != key
    assert run_key("demo", setting, 4) != key


def test_a_key_stays_what_it_is_from_version_to_version():
    text = b'{"experiment":"demo","schema":1,"seed":3,"setting":{"a":[1,1.0,true,null,"\\u00fc"],"rate":1e-05}}'
    setting = {"rate": 1e-5, "a": (1, 1.0, True, None, "ü")}
    assert run_key("demo", setting, 3) == hashlib.sha256(text).hexdigest()


def test_canonical_text_can_be_shown_as_it_is():
    assert canonical({"x": "\x7f\x1b\n\u202e"}) == rb'{"x":"\u007f\u001b\n\u202e"}'
    assert canonical({"x": r"\u007f"}) == rb'{"x":"\\u007f"}'


def test_types_are_told_apart_and_subclasses_are_not():
    assert len({canonical({"x": value}) for value in (1, 1.0, True, "1", None, [1], {"1": 1})}) == 7
    assert canonical({"x": np.float64(0.1)}) == canonical({"x": 0.1})
    assert canonical({"x": -0.0}) == canonical({"x": 0.0}) == b'{"x":0.0}'
    assert canonical({"x": (1, 2)}) == canonical({"x": [1, 2]})


def deep(levels):
    value = 0
    for _ in range(levels):
        value = [value]
    return {"x": value}


@pytest.mark.parametrize(
    ("setting", "where"),
    [
        ({"a": [1, float("nan")]}, r"setting\['a'\]\[1\] is nan"),
        ({"a": -np.inf}, r"setting\['a'\] is -inf"),
        ({"a": {"b": np.int64(1)}}, r"setting\['a'\]\['b'\] is a int64"),
        ({"a": np.zeros(2)}, "is a ndarray"),
        ({"a": b"x"}, "is a bytes"),
        ({"a": {1, 2}}, "is a set"),
        ({"a": {1: 2}}, r"setting\['a'\] has the key 1"),
        ({"a": 2**63}, "64 bits"),
        ({"a": 10**5000}, "64 bits"),
        (deep(DEEPEST), "nested"),
        ([("a", 1)], "must be a mapping"),
    ],
)
def test_a_setting_that_is_not_plain_data_is_refused_with_its_place(setting, where):
    with pytest.raises(hsr.InputError, match=where):
        canonical(setting)


def test_a_setting_that_contains_itself_is_refused():
    setting = {}
    setting["a"] = setting
    with pytest.raises(hsr.InputError, match="nested"):
        canonical(setting)


@pytest.mark.parametrize(
    "name", ["", "..", "../x", "a/b", "a\\b", "a b", "A", "é", "a\n", "a\x00", "\x1b[2J", "a.b", "٣", None, 3]
)
def test_names_cannot_leave_the_folder_or_reach_the_terminal(name, tmp_path):
    refusals = [
        lambda: Record(name, {}, seed=0, arrays={"x": [1]}),
        lambda: Record("demo", {}, seed=0, arrays={name: [1]}),
        lambda: run_key(name, {}, 0),
    ]
    if name is not None:
        refusals.append(lambda: list(Store(tmp_path).records(name)))
    for refused in refusals:
        with pytest.raises(hsr.InputError, match="a-z, 0-9 and _") as caught:
            refused()
        assert str(caught.value).isprintable()


@pytest.mark.parametrize("seed", [-1, 1.0, True, "0", None, 2**63])
def test_a_seed_that_is_none_is_refused(seed):
    with pytest.raises(hsr.InputError, match="seed is"):
        Record("demo", {}, seed=seed, arrays={"x": [1]})


@pytest.mark.parametrize(
    ("array", "why"),
    [
        (np.array([None, 1]), "type object"),
        (np.array([object()]), "type object"),
        (np.array([1j]), "type complex128"),
        (np.array(["2020-01-01"], "M8[D]"), "type datetime64"),
        (np.array([b"x"]), "type |S1"),
        (np.zeros(2, "i4,f8"), "must be bool"),
        (np.zeros(2, np.longdouble), "at most 64 bits"),
        (np.ma.masked_array([1, 2], [True, False]), "mask would be lost"),
        ([[1], [1, 2]], "ragged"),
    ],
)
def test_arrays_of_other_kinds_are_refused(array, why):
    with pytest.raises(hsr.InputError, match=why.replace("|", r"\|")):
        Record("demo", {}, seed=0, arrays={"x": array})


def test_a_record_without_arrays_or_with_a_wrong_time_is_refused():
    with pytest.raises(hsr.InputError, match="at least one array"):
        Record("demo", {}, seed=0, arrays={})
    with pytest.raises(hsr.InputError, match="seconds is -1"):
        Record("demo", {}, seed=0, arrays={"x": [1]}, seconds=-1)


def test_a_record_does_not_change_with_what_it_was_made_from():
    setting, array = {"a": [1]}, np.arange(3)
    record = Record("demo", setting, seed=0, arrays={"x": array})
    before = record.key, record.digest()
    setting["a"].append(2)
    array[0] = 9
    assert (record.key, record.digest()) == before
    with pytest.raises(ValueError, match="read-only"):
        record.arrays["x"][0] = 9
    with pytest.raises(AttributeError):
        record.seed = 1


def test_a_copy_or_one_from_another_process_is_as_good():
    record = a_record()
    for other in (copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
        assert (other.key, other.digest(), other.seconds) == (record.key, record.digest(), record.seconds)
        assert not other.arrays["steps"].flags.writeable


def test_the_digest_sees_everything_but_the_time():
    def digest(experiment="demo", rate=0.1, seed=0, name="x", array=(1, 2), seconds=0.0):
        return Record(experiment, {"rate": rate}, seed, {name: np.array(array)}, seconds).digest()

    assert digest(seconds=5.0) == digest()
    others = [
        digest("other"),
        digest(rate=0.2),
        digest(seed=1),
        digest(name="y"),
        digest(array=(1, 3)),
        digest(array=(1.0, 2.0)),
        digest(array=((1, 2),)),
        digest(array=np.zeros(2, int)),
        digest(array=np.zeros(2)),
    ]
    assert len({digest(), *others}) == 10


# --- the file of one run --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ARRAYS)
def test_every_kind_of_array_comes_back(name, tmp_path):
    store = Store(tmp_path)
    before = ARRAYS[name]
    after = store.get(store.put(Record("demo", {}, seed=0, arrays={"x": before}))).arrays["x"]
    assert after.shape == before.shape
    assert after.dtype == before.dtype.newbyteorder("<")
    assert after.tobytes() == np.array(before, dtype=after.dtype, order="C").tobytes()
    assert not after.flags.writeable


def test_a_whole_record_comes_back(tmp_path):
    store = Store(tmp_path)
    setting = {"b": {"x": [1, 1.0, None, True, "\ud800\x00"]}, "a": 1e300}
    record = Record("demo", setting, seed=2**63 - 1, arrays=ARRAYS, seconds=1.25)
    after = store.get(store.put(record))
    assert (after.experiment, after.seed, after.seconds) == ("demo", 2**63 - 1, 1.25)
    assert same(after.setting, setting)
    assert list(after.arrays) == sorted(ARRAYS)
    assert (after.key, after.digest()) == (record.key, record.digest())


def test_the_deepest_setting_comes_back(tmp_path):
    store = Store(tmp_path)
    record = Record("demo", deep(DEEPEST - 1), seed=0, arrays={"x": [1]})
    assert store.get(store.put(record)).setting == record.setting
    assert list(store.index()) == [record.key]


def test_the_bytes_depend_on_nothing_but_the_record():
    one = Record("demo", {"a": 1, "b": 2}, seed=0, arrays={"x": np.arange(3), "y": np.eye(2)}, seconds=1.0)
    other = Record("demo", {"b": 2, "a": 1}, seed=0, arrays={"y": np.eye(2).T, "x": np.arange(3, dtype=">i8")}, seconds=1.0)
    assert write_run(one) == write_run(other)


def test_every_flipped_bit_is_detected_and_named():
    record = Record("demo", {"a": 1}, seed=0, arrays={"x": np.arange(2, dtype=np.int8)}, seconds=0.5)
    whole = write_run(record)
    assert read_run(whole, key=record.key, path="some.run").record.digest() == record.digest()
    for bit in range(8 * len(whole)):
        data = bytearray(whole)
        data[bit // 8] ^= 1 << bit % 8
        with pytest.raises(StoreError, match=r"^'some\.run' (is damaged|was made by schema)"):
            read_run(bytes(data), key=record.key, path="some.run")


def test_every_truncation_and_addition_is_detected_and_named():
    record = a_record()
    whole = write_run(record)
    for data in (*(whole[:n] for n in range(len(whole))), whole + b"\0", whole + whole):
        with pytest.raises(StoreError, match=r"^'some\.run' is damaged"):
            read_run(data, key=record.key, path="some.run")


def with_results(results):
    """A file whose checksums fit whatever stands in it."""
    sums = f"{hashlib.sha256(results).hexdigest()} {len(results)} {hashlib.sha256(b'{}').hexdigest()} 2"
    return f"hsr-run 1 {sums}\n".encode() + results + b"{}"


@pytest.mark.parametrize("results", [b"", b"{}\n", b"[]\n", b'{"arrays":["x"]}\n', b'{"arrays":[],"identity":{}}\n', b"\xff\n"])
def test_nonsense_with_the_right_checksums_is_refused(results):
    with pytest.raises(StoreError, match="cannot be read as a run"):
        read_run(with_results(results), key="0" * 64, path="some.run")


def test_a_pickle_is_not_opened(tmp_path):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "sprung"),)

    path = tmp_path / "x.npy"
    np.save(path, np.array([Trap()], dtype=object), allow_pickle=True)
    outline = b'{"arrays":["x"],"identity":{"experiment":"demo","schema":1,"seed":0,"setting":{}}}\n'
    with pytest.raises(StoreError, match="cannot be read as a run"):
        read_run(with_results(outline + path.read_bytes()), key=run_key("demo", {}, 0), path="some.run")
    assert not (tmp_path / "sprung").exists()


def test_bytes_behind_the_last_array_are_refused():
    record = a_record()
    results = write_run(record).split(b"\n", 1)[1][: -len(b'{"seconds":2.0}')]
    with pytest.raises(StoreError, match="left over"):
        read_run(with_results(results + b"x"), key=record.key, path="some.run")


def test_another_schema_is_refused_plainly():
    record = a_record()
    data = write_run(record).replace(b"hsr-run 1 ", b"hsr-run 2 ", 1)
    with pytest.raises(StoreError, match=r"'some\.run' was made by schema 2; this version reads schema 1"):
        read_run(data, key=record.key, path="some.run")


# --- the folder -----------------------------------------------------------------------------------------------------------


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


def test_records_of_one_experiment(tmp_path):
    store = Store(tmp_path)
    for name in ("one", "two"):
        store.put(Record(name, {}, seed=0, arrays={"x": [1]}))
    assert [record.experiment for record in store.records("two")] == ["two"]
    assert list(store.records("three")) == []


@pytest.mark.parametrize("key", ["", "../../etc/passwd", "A" * 64, "0" * 63, "0" * 64 + "\n", "/" * 64, None, 7])
def test_a_key_that_is_none_is_never_looked_up(key, tmp_path):
    store = Store(tmp_path)
    assert key not in store
    for look in (store.get, store.discard, store.path_of):
        with pytest.raises(hsr.InputError, match="64 hexadecimal digits"):
            look(key)


def test_the_same_results_may_be_put_again_and_others_may_not(tmp_path):
    store = Store(tmp_path)
    key = store.put(a_record())
    before = store.path_of(key).stat().st_mtime_ns, store.path_of(key).read_bytes()
    again = Record("demo", {"rate": 0.1}, seed=0, arrays={"steps": np.arange(3)}, seconds=99.0)
    assert store.put(again) == key
    assert (store.path_of(key).stat().st_mtime_ns, store.path_of(key).read_bytes()) == before
    other = Record("demo", {"rate": 0.1}, seed=0, arrays={"steps": np.arange(4)})
    with pytest.raises(StoreError, match="with other results; discard it first"):
        store.put(other)
    store.discard(key)
    store.discard(key)
    assert key not in store
    store.put(other)
    assert store.get(key).digest() == other.digest()


def test_damage_is_found_named_and_mended(tmp_path):
    store = Store(tmp_path)
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
    assert {fault.key for fault in faults if "not the one it is named after" in fault.message} == {keys[2]}
    for record in records:
        store.put(record)
    assert store.verify() == []
    assert [store.get(record.key).digest() for record in records] == [record.digest() for record in records]


def test_files_that_do_not_belong_there_are_reported_and_not_read(tmp_path):
    store = Store(tmp_path)
    key = store.put(a_record())
    right = store.path_of(key)
    wrong = [tmp_path / "runs" / "zz" / right.name, right.with_suffix(".bak"), tmp_path / "runs" / "note.txt"]
    for path in wrong:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(right.read_bytes())
    assert {(fault.key, fault.path) for fault in store.verify()} == {("", path) for path in wrong}
    assert store.keys() == [key]


def test_a_folder_that_is_not_a_store_is_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(StoreError, match=r"not empty and not a store of runs: it has 'thesis\.tex'"):
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


# --- the index ------------------------------------------------------------------------------------------------------------


def index_is_right(store):
    found = store.index()
    assert list(found) == store.keys()
    for key, entry in found.items():
        record, data = store.get(key), store.path_of(key).read_bytes()
        known = (record.experiment, record.setting, record.seed, record.seconds, len(data), data.split()[2].decode())
        assert entry == known
    return found


def count_reads(store, monkeypatch):
    reads = []
    read = Store._read
    monkeypatch.setattr(Store, "_read", lambda self, key: reads.append(key) or read(self, key))
    store.index()
    monkeypatch.undo()
    return len(reads)


def test_the_index_reads_only_what_is_new(tmp_path, monkeypatch):
    store = Store(tmp_path)
    keys = [store.put(a_record(seed)) for seed in range(3)]
    assert count_reads(store, monkeypatch) == 3
    assert count_reads(store, monkeypatch) == 0
    store.put(a_record(3))
    store.discard(keys[0])
    assert count_reads(store, monkeypatch) == 1
    assert len(index_is_right(store)) == 3


@pytest.mark.parametrize("content", [None, b"", b"\n", b"{", b"[]\n[]", b"\xff\xfe\n{}", b'{"schema":1,"sha256":"0"}\n{}'])
def test_a_lost_or_broken_index_is_made_again(tmp_path, content):
    store = Store(tmp_path)
    for seed in range(2):
        store.put(a_record(seed))
    before = index_is_right(store)
    if content is None:
        (tmp_path / "index.json").unlink()
    else:
        (tmp_path / "index.json").write_bytes(content)
    assert index_is_right(store) == before


def test_no_flipped_byte_of_the_index_changes_what_it_says(tmp_path):
    store = Store(tmp_path)
    store.put(a_record())
    before = index_is_right(store)
    cache = tmp_path / "index.json"
    whole = cache.read_bytes()
    for at in range(len(whole)):
        data = bytearray(whole)
        data[at] ^= 1
        cache.write_bytes(data)
        assert store.index() == before


def test_a_run_that_was_replaced_is_indexed_anew(tmp_path):
    store = Store(tmp_path)
    key = store.put(a_record())
    store.index()
    store.discard(key)
    store.put(Record("demo", {"rate": 0.1}, seed=0, arrays={"steps": np.arange(3)[::-1]}))
    assert index_is_right(store) == store.index()


def test_a_damaged_run_is_named_by_the_index_too(tmp_path):
    store = Store(tmp_path)
    key = store.put(a_record())
    damage(store.path_of(key))
    with pytest.raises(StoreError, match=key):
        store.index()


# --- crashes, other writers, full disks -----------------------------------------------------------------------------------


def as_written(i):
    """The record that the writing processes put as number i."""
    return Record("kill", {"i": i}, seed=i, arrays={"x": np.arange(2000 + i)}, seconds=0.5)


def check_after_crashes(store, reported):
    """Every reported run is there, everything there is whole and right, and nothing of the dead is left behind."""
    assert store.verify() == []
    assert set(reported) <= set(store.keys())
    for found in store.records():
        assert found.digest() == as_written(found.seed).digest()
    store.tidy()
    assert temporaries(store.folder) == []


def test_a_dozen_kills_lose_nothing_that_was_reported(tmp_path):
    rng = np.random.default_rng(0)
    folder = tmp_path / "store"
    reported = []
    for kill in range(12):
        jobs = ",".join(map(str, range(1000 * kill, 1000 * kill + 1000)))
        with subprocess.Popen(python(WRITER, folder, jobs), stdout=subprocess.PIPE, text=True) as process:
            lines = [process.stdout.readline() for _ in range(rng.integers(0, 25))]
            for _ in range(rng.integers(0, 20_000)):  # some part of the next write goes by
                pass
            process.send_signal(signal.SIGKILL)
            lines += process.stdout.readlines()
        assert process.returncode == -signal.SIGKILL
        reported += [line.strip() for line in lines if line.endswith("\n")]
    assert len(reported) > 12
    check_after_crashes(Store(folder), reported)


@pytest.mark.parametrize("call", range(13))
@pytest.mark.parametrize("half", [False, True], ids=["before", "after"])
def test_a_death_at_each_step_of_the_first_two_writes_leaves_a_good_store(tmp_path, call, half):
    suicidal = f"""
import os, signal
count = 0
def mortal(name):
    step = getattr(os, name)
    def wrapped(*arguments):
        global count
        count += 1
        if count == {call + 1} and not {half}:
            os.kill(os.getpid(), signal.SIGKILL)
        result = step(*arguments)
        if count == {call + 1}:
            os.kill(os.getpid(), signal.SIGKILL)
        return result
    setattr(os, name, wrapped)
mortal("fsync")
mortal("replace")
"""
    folder = tmp_path / "store"
    done = subprocess.run(python(suicidal + WRITER, folder, "1,2"), capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL
    check_after_crashes(Store(folder), done.stdout.split())


def test_two_processes_make_and_fill_one_store_while_a_third_tidies(tmp_path):
    folder = tmp_path / "store"
    jobs = list(range(60))
    orders = [",".join(map(str, order)) for order in (jobs, jobs, jobs[::-1])]
    writers = [subprocess.Popen(python(WRITER, folder, order), stdout=subprocess.PIPE, text=True) for order in orders]
    while any(writer.poll() is None for writer in writers):
        if (folder / "store.json").exists():
            Store(folder).tidy()
    reported = [writer.communicate()[0].split() for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    assert [len(keys) for keys in reported] == [60, 60, 60]
    check_after_crashes(Store(folder), [key for keys in reported for key in keys])
    assert len(Store(folder)) == 60


def test_tidy_removes_what_the_dead_left_and_nothing_else(tmp_path):
    store = Store(tmp_path)
    key = store.put(a_record())
    dead = [store.path_of(key).with_name(f".{key}.run.0123456789abcdef.tmp"), tmp_path / ".store.json.0123456789abcdef.tmp"]
    for path in dead:
        path.write_bytes(b"half")
    mine = tmp_path / "notes.tmp"
    mine.write_bytes(b"")
    assert store.keys() == [key]
    assert store.verify() == []
    with durable.replacing(tmp_path / "alive") as file:
        assert store.tidy() == 2
        assert len(temporaries(tmp_path)) == 2
        file.write(b"written")
    assert (tmp_path / "alive").read_bytes() == b"written"
    assert temporaries(tmp_path) == [mine]
    assert key in store


def test_a_temporary_taken_for_dead_before_its_lock_is_made_again(tmp_path, monkeypatch):
    flock, taken = durable.fcntl.flock, []

    def late(file, how):
        if not taken:
            taken.append(Path(file.name))
            taken[0].unlink()
        flock(file, how)

    monkeypatch.setattr(durable.fcntl, "flock", late)
    durable.write_whole(tmp_path / "x", b"data")
    assert len(taken) == 1
    assert (tmp_path / "x").read_bytes() == b"data"


def refuse_with(number):
    def refuse(*arguments, **words):
        raise OSError(number, os.strerror(number))

    return refuse


@pytest.mark.parametrize(
    ("module", "name", "number"),
    [
        (os, "fsync", errno.ENOSPC),
        (os, "replace", errno.ENOSPC),
        (durable, "open", errno.ENOSPC),
        (durable, "open", errno.EROFS),
        (durable, "open", errno.EACCES),
    ],
)
def test_a_full_or_read_only_disk_gives_one_clear_error_and_a_readable_store(tmp_path, monkeypatch, module, name, number):
    store = Store(tmp_path / "store")
    key = store.put(a_record())
    monkeypatch.setattr(module, name, refuse_with(number), raising=False)
    with pytest.raises(StoreError) as caught:
        store.put(a_record(1))
    assert str(tmp_path / "store") in str(caught.value)
    assert os.strerror(number) in str(caught.value)
    with pytest.raises(StoreError, match="cannot make the store"):
        Store(tmp_path / "other")
    reader = Store(tmp_path / "store")
    assert [record.key for record in reader.records()] == reader.keys() == [key]
    assert list(reader.index()) == [key]
    assert reader.verify() == []
    monkeypatch.undo()
    assert temporaries(tmp_path) == []
    assert store.put(a_record(1)) in store


def test_a_write_that_ends_half_way_leaves_nothing(tmp_path):
    limited = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))\n"
    small_then_large = WRITER.replace("2000 + i", "100 * i")
    done = subprocess.run(python(limited + small_then_large, tmp_path, "1,50"), capture_output=True, text=True)
    assert len(done.stdout.split()) == 1
    assert "StoreError: cannot write run" in done.stderr
    assert os.strerror(errno.EFBIG) in done.stderr
    store = Store(tmp_path)
    assert (store.verify(), store.keys(), temporaries(tmp_path)) == ([], done.stdout.split(), [])


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes where it likes")
def test_a_folder_without_permission_to_write_is_read_all_the_same(tmp_path):
    store = Store(tmp_path / "store")
    key = store.put(a_record())
    folders = [path for path in tmp_path.rglob("*") if path.is_dir()]
    for folder in folders:
        folder.chmod(0o500)
    with pytest.raises(StoreError, match="Permission denied"):
        store.put(a_record(1))
    assert list(store.index()) == [key]
    for folder in folders:
        folder.chmod(0o700)


def test_a_folder_that_cannot_be_listed_is_not_taken_for_an_empty_one(tmp_path, monkeypatch):
    store = Store(tmp_path)
    store.put(a_record())
    monkeypatch.setattr(os, "scandir", refuse_with(errno.EIO))
    with pytest.raises(StoreError, match="cannot be listed"):
        store.keys()
