"""The file of one run: everything comes back, and every change of it is detected and named."""

import hashlib
import os

import numpy as np
import pytest

from hsr.paper.store import Record, StoreError, run_key
from hsr.paper.store.record import DEEPEST
from hsr.paper.store.run_file import read_run, results_of, write_run
from tests.paper.store.store_parts import a_record, deep, same

ARRAYS = {
    "bool": np.array([True, False]),
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


def read(data, key):
    return read_run(data, key=key, path="some.run")


@pytest.mark.parametrize("name", ARRAYS)
def test_every_kind_of_array_comes_back(name, store):
    before = ARRAYS[name]
    after = store.get(store.put(Record("demo", {}, seed=0, arrays={"x": before}))).arrays["x"]
    assert after.shape == before.shape
    assert after.dtype == before.dtype.newbyteorder("<")
    assert after.tobytes() == np.array(before, dtype=after.dtype, order="C").tobytes()
    assert not after.flags.writeable


def test_a_whole_record_comes_back(store):
    setting = {"b": {"x": [1, 1.0, None, True, "\ud800\x00"]}, "a": 1e300}
    record = Record("demo", setting, seed=2**63 - 1, arrays=ARRAYS, seconds=1.25)
    after = store.get(store.put(record))
    assert (after.experiment, after.seed, after.seconds) == ("demo", 2**63 - 1, 1.25)
    assert same(after.setting, setting)
    assert list(after.arrays) == sorted(ARRAYS)
    assert (after.key, after.digest()) == (record.key, record.digest())


def test_the_deepest_setting_comes_back(store):
    record = Record("demo", deep(DEEPEST - 1), seed=0, arrays={"x": [1]})
    assert store.get(store.put(record)).setting == record.setting
    assert list(store.index()) == [record.key]


def test_the_bytes_depend_on_nothing_but_the_record():
    arrays = {"x": np.arange(3), "y": np.eye(2)}
    turned = {"y": np.eye(2).T, "x": np.arange(3, dtype=">i8")}
    one = Record("demo", {"a": 1, "b": 2}, 0, arrays, seconds=1.0)
    assert write_run(one) == write_run(Record("demo", {"b": 2, "a": 1}, 0, turned, seconds=1.0))


def test_every_flipped_bit_is_detected_and_named():
    record = Record("demo", {"a": 1}, 0, {"x": np.arange(2, dtype=np.int8)}, seconds=0.5)
    whole = write_run(record)
    assert read(whole, record.key).record.digest() == record.digest()
    for bit in range(8 * len(whole)):
        data = bytearray(whole)
        data[bit // 8] ^= 1 << bit % 8
        with pytest.raises(StoreError, match=r"^'some\.run' (is damaged|was made by schema)"):
            read(bytes(data), record.key)


def test_every_truncation_and_addition_is_detected_and_named():
    record = a_record()
    whole = write_run(record)
    for data in (*(whole[:n] for n in range(len(whole))), whole + b"\0", whole + whole):
        with pytest.raises(StoreError, match=r"^'some\.run' is damaged"):
            read(data, record.key)


def with_results(results):
    """A file whose checksums fit whatever stands in it."""
    parts = (results, b"{}")
    sums = " ".join(f"{hashlib.sha256(part).hexdigest()} {len(part)}" for part in parts)
    return f"hsr-run 1 {sums}\n".encode() + results + b"{}"


@pytest.mark.parametrize(
    "results",
    [b"", b"{}\n", b"[]\n", b'{"arrays":["x"]}\n', b'{"arrays":[],"identity":{}}\n', b"\xff\n"],
)
def test_nonsense_with_the_right_checksums_is_refused(results):
    with pytest.raises(StoreError, match="cannot be read as a run"):
        read(with_results(results), "0" * 64)


def test_a_pickle_is_not_opened(tmp_path):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "sprung"),)

    path = tmp_path / "x.npy"
    np.save(path, np.array([Trap()], dtype=object), allow_pickle=True)
    outline = (
        b'{"arrays":["x"],"identity":{"experiment":"demo","schema":1,"seed":0,"setting":{}}}\n'
    )
    with pytest.raises(StoreError, match="cannot be read as a run"):
        read(with_results(outline + path.read_bytes()), run_key("demo", {}, 0))
    assert not (tmp_path / "sprung").exists()


def test_bytes_behind_the_last_array_are_refused():
    record = a_record()
    results = results_of(record)
    with pytest.raises(StoreError, match="left over"):
        read(with_results(results + b"x"), record.key)


def test_another_schema_is_refused_plainly():
    record = a_record()
    data = write_run(record).replace(b"hsr-run 1 ", b"hsr-run 2 ", 1)
    message = r"'some\.run' was made by schema 2; this version reads schema 1"
    with pytest.raises(StoreError, match=message):
        read(data, record.key)
