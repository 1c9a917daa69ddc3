"""Records: one canonical text, one key and one digest for one run."""

import copy
import hashlib
import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hsr
from hsr.paper.store import Record, Store, canonical, run_key
from hsr.paper.store.record import DEEPEST
from tests.paper.store.store_parts import a_record, deep, same

LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.sampled_from([0, 1, 0.0, 1.0, False, True, "", "1", "1.0", "\x7f", "\\u007f"]),
)
VALUES = st.recursive(
    LEAVES,
    lambda part: (
        st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=3), part, max_size=3)
    ),
)
SETTINGS = st.dictionaries(st.text(max_size=4), VALUES, max_size=4)


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
    text = (
        b'{"experiment":"demo","schema":1,"seed":3,'
        b'"setting":{"a":[1,1.0,true,null,"\\u00fc"],"rate":1e-05}}'
    )
    setting = {"rate": 1e-5, "a": (1, 1.0, True, None, "ü")}
    assert run_key("demo", setting, 3) == hashlib.sha256(text).hexdigest()


def test_canonical_text_can_be_shown_as_it_is():
    assert canonical({"x": "\x7f\x1b\n\u202e"}) == rb'{"x":"\u007f\u001b\n\u202e"}'
    assert canonical({"x": r"\u007f"}) == rb'{"x":"\\u007f"}'


def test_types_are_distinguished_and_subclasses_are_not():
    assert len({canonical({"x": value}) for value in (1, 1.0, True, "1", None, [1], {"1": 1})}) == 7
    assert canonical({"x": np.float64(0.1)}) == canonical({"x": 0.1})
    assert canonical({"x": -0.0}) == canonical({"x": 0.0}) == b'{"x":0.0}'
    assert canonical({"x": (1, 2)}) == canonical({"x": [1, 2]})


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


NAMES = ["", "..", "../x", "a/b", "a\\b", "a b", "A", "é", "a\n", "a\x00", "\x1b[2J", "a.b", "٣"]


@pytest.mark.parametrize("name", [*NAMES, None, 3])
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
        assert (other.key, other.digest()) == (record.key, record.digest())
        assert other.seconds == record.seconds
        assert not other.arrays["steps"].flags.writeable


def test_the_digest_sees_everything_but_the_time():
    def digest(experiment="demo", rate=0.1, seed=0, name="x", array=(1, 2), seconds=0.0):
        return Record(experiment, {"rate": rate}, seed, {name: np.array(array)}, seconds).digest()

    assert digest(seconds=5.0) == digest()
    arrays = ((1, 3), (1.0, 2.0), ((1, 2),), np.zeros(2, int), np.zeros(2))
    others = [digest("other"), digest(rate=0.2), digest(seed=1), digest(name="y")]
    assert len({digest(), *others, *(digest(array=one) for one in arrays)}) == 10
