"""A damaged, cut off, foreign or newer file gives one error, and a file is never half written."""

import hashlib
import io
import json
import os
import pickle
import re
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
import xarray
from numpy.testing import assert_array_equal

import hsr
from hsr._base import durable
from hsr.files import netcdf, npz
from tests.cases import cases, raises

MDP = hsr.grid_mdp(hsr.GridLayout.from_text("..\n.."), discount=0.9)
SLIPPING = hsr.grid_mdp(hsr.GridLayout.from_text(".."), discount=0.9, slip=0.2)
M = hsr.successor_representation(MDP)
THINGS = {
    "options": hsr.point_options(MDP, [0]),
    "map": M,
    "basis": hsr.NMFBasis(2).fit(M),
    "mdp": SLIPPING,
}
formats = pytest.mark.parametrize("suffix", [".npz", ".nc"])


def written(thing, folder, suffix):
    path = folder / f"thing{suffix}"
    hsr.save(thing, path)
    return path


def state_of(thing):
    """Return all that a thing holds, as bytes: what two loaded twins must share."""
    if isinstance(thing, hsr.PredictiveMap):
        return pickle.dumps((thing.toarray(), thing.made_for, thing.discount))
    return pickle.dumps(thing)


@formats
@pytest.mark.parametrize("kind", THINGS)
def test_a_flipped_bit_is_found_wherever_it_matters(kind, suffix, tmp_path):
    path = written(THINGS[kind], tmp_path, suffix)
    whole_bytes, intact = path.read_bytes(), state_of(hsr.load(path))
    places = range(0, len(whole_bytes), 5)
    harmless = 0
    for place in places:
        damaged = bytearray(whole_bytes)
        damaged[place] ^= 1 << (place % 8)
        path.write_bytes(damaged)
        try:
            back = hsr.load(path)
        except hsr.InputError:
            continue
        assert state_of(back) == intact  # a date of the zip, or padding: nothing of the thing
        harmless += 1
    assert harmless < 0.4 * len(places)


@formats
def test_a_flipped_bit_in_the_numbers_is_told_as_such(suffix, tmp_path):
    path = written(M, tmp_path, suffix)
    data = path.read_bytes()
    place = data.index(M.toarray().astype("<f8" if suffix == ".npz" else ">f8").tobytes())
    path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
    with raises(r"damaged|not those that were written"):
        hsr.load(path)


@formats
@pytest.mark.parametrize("kind", THINGS)
def test_a_file_that_was_cut_off_is_refused_at_every_length(kind, suffix, tmp_path):
    path = written(THINGS[kind], tmp_path, suffix)
    data = path.read_bytes()
    for length in range(0, len(data), 7):
        path.write_bytes(data[:length])
        with raises("cannot be loaded"):
            hsr.load(path)


def dims_of(name, array):
    return [f"{name}{k}" for k in range(array.ndim)]


def header_of(kind="map", arrays=None, **changes):
    arrays = arrays or {}
    header = {"format": "hsr", "format_version": 1, "hsr_version": "x", "kind": kind}
    header |= {"settings": {}, "made_for": None, "discount": None} | changes
    header["arrays"] = {
        name: {"dims": dims_of(name, array), "dtype": array.dtype.name, "shape": array.shape}
        for name, array in arrays.items()
    }
    text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
    header["sha256"] = hashlib.sha256(
        text + b"".join(arrays[name].tobytes() for name in sorted(arrays))
    ).hexdigest()
    return header


def forged(path, header, arrays=None):
    """Write a file by hand whose sum is right, so that only its sense can be wrong."""
    arrays = arrays or {}
    text = header if isinstance(header, str) else json.dumps(header)
    if path.suffix == ".npz":
        np.savez(path, header=np.array(text.encode()), **arrays)
    else:
        plain = {n: a.astype(np.int8) if a.dtype == bool else a for n, a in arrays.items()}
        variables = {name: (dims_of(name, array), array) for name, array in plain.items()}
        xarray.Dataset(variables, attrs={"header": text}).to_netcdf(path, engine="scipy")
    return path


ONE = np.ones((1, 1))
MARK = "0" * 32
OUTCOMES = {
    "outcomes": np.ones((1, 2), dtype=np.int32),
    "next_state": np.zeros(2, dtype=np.int32),
    "probability": np.ones(2),
}
LABELLED = {"labels": None, "index_types": ["int32"]}
FITTED = {"n_iter_": 1, "converged_": True, "reconstruction_err_": 0.0}
NMF = {
    "class": "NMFBasis",
    "parameters": hsr.NMFBasis().get_params(),
    "fitted": FITTED,
    "feature_names": None,
}
NMF_ARRAYS = {
    "features_": np.ones((3, 2)),
    "components_": np.ones((2, 3)),
    "scale_": np.ones(2),
    "objective_": np.ones(1),
}
OPTIONS = {
    "policy": np.zeros((1, 2), dtype=np.int32),
    "termination": np.ones((1, 2)),
    "initiation": np.ones((1, 2), dtype=bool),
}
MDP_HEADER = {"kind": "mdp", "discount": 0.5, "settings": LABELLED}


def outcomes(**changes):
    return OUTCOMES | {name: np.array(a, OUTCOMES[name].dtype) for name, a in changes.items()}


def nmf(**changes):
    return {"kind": "basis", "settings": NMF | changes}


SENSELESS = {
    "newer": (
        {"format_version": 2, "hsr_version": "9.9"}, {},
        "it has format 2, written by hsr '9.9'; this is hsr",
    ),
    "no version": ({"format_version": None}, {}, "its header is damaged"),
    "older than the first": ({"format_version": 0}, {}, "its header is damaged"),
    "mark of no kind": ({"made_for": 7}, {}, "its header is damaged"),
    "discount of no kind": ({"discount": "0.9"}, {}, "its header is damaged"),
    "unknown kind": (
        {"kind": "pickle"}, {},
        "it holds a 'pickle', which is none of map, options, basis, mdp",
    ),
    "mark that is none": ({"made_for": "abc"}, {"visits": ONE}, "made_for is 'abc'"),
    "discount of one": (
        {"discount": 1.0}, {"visits": ONE}, "discount is 1.0; it must lie in [0, 1)",
    ),
    "map without entries": ({}, {}, "it has no array 'visits' of 2 axes"),
    "map of integers": (
        {}, {"visits": ONE.astype(np.int32)},
        "it has no array 'visits' of 2 axes and type float64",
    ),
    "map that is not square": ({}, {"visits": np.ones((1, 2))}, "not square"),
    "options without names": ({"kind": "options"}, OPTIONS, "it has no list of names"),
    "options that stop too often": (
        {"kind": "options", "settings": {"names": ["a"]}},
        OPTIONS | {"termination": np.full((1, 2), 2.0)}, "termination[0, 0] is 2",
    ),
    "options without a policy": ({"kind": "options"}, {}, "it has no array 'policy'"),
    "mdp without discount": (
        MDP_HEADER | {"made_for": MARK, "discount": None}, OUTCOMES, "it has no discount",
    ),
    "mdp of another mark": (
        MDP_HEADER | {"made_for": MARK}, OUTCOMES, "and says that it is '00000000",
    ),
    "next state out of range": (
        MDP_HEADER, outcomes(next_state=[0, 2]), "it has a next state out of 0..1",
    ),
    "next state below zero": (
        MDP_HEADER, outcomes(next_state=[0, -1]), "it has a next state out of 0..1",
    ),
    "outcomes that do not add up": (
        MDP_HEADER, outcomes(outcomes=[[1, 2]]), "its outcomes do not add up",
    ),
    "negative outcomes": (
        MDP_HEADER, outcomes(outcomes=[[3, -1]]), "its outcomes do not add up",
    ),
    "probabilities above one": (MDP_HEADER, outcomes(probability=[2.0, 2.0]), "sums to 2"),
    "basis of a mark that is none": (nmf() | {"made_for": "abc"}, NMF_ARRAYS, "made_for is 'abc'"),
    "basis of no class": (nmf(**{"class": "os.system"}), NMF_ARRAYS, "of class 'os.system'"),
    "basis of other parameters": (nmf(parameters={}), NMF_ARRAYS, "other parameters"),
    "basis without numbers": (nmf(fitted={}), NMF_ARRAYS, "it has no int n_iter_"),
    "basis of odd shapes": (
        nmf(), NMF_ARRAYS | {"scale_": np.ones(5)}, "does not fit the others",
    ),
}  # fmt: skip


@formats
@cases("changes, arrays, words", SENSELESS)
def test_sense_is_checked_even_where_the_sum_is_right(changes, arrays, words, suffix, tmp_path):
    path = forged(tmp_path / f"forged{suffix}", header_of(arrays=arrays, **changes), arrays)
    with raises(re.escape(words)) as caught:
        hsr.load(path)
    assert str(path) in str(caught.value)


@formats
def test_files_written_by_the_description_without_hsr_load(suffix, tmp_path):
    path = tmp_path / f"good{suffix}"
    arrays = {"visits": np.array([[1.0, 0.5], [0.25, 2.0]])}
    forged(path, header_of(arrays=arrays, discount=0.5), arrays)
    assert_array_equal(hsr.load(path).toarray(), arrays["visits"])
    assert hsr.load(str(path)).discount == 0.5
    forged(path, header_of("basis", NMF_ARRAYS, settings=NMF), NMF_ARRAYS)
    assert isinstance(hsr.load(path), hsr.NMFBasis)
    forged(path, header_of("options", OPTIONS, settings={"names": ["a"]}), OPTIONS)
    assert len(hsr.load(path)) == 1


@formats
@pytest.mark.parametrize(
    "text", ["", "no json", "[]", "{}", '{"format": "else"}', "[" * 100_000, "1" * 10_000]
)
def test_what_hsr_did_not_write_is_foreign(text, suffix, tmp_path):
    with raises(r"hsr\.save did not write it"):
        hsr.load(forged(tmp_path / f"foreign{suffix}", text))


def test_a_byte_that_is_neither_true_nor_false_is_refused(tmp_path):
    header = header_of("options", OPTIONS, settings={"names": ["a"]})
    # Nonzero is true to NumPy, and the checksum would be right.
    odd = OPTIONS | {"initiation": np.full((1, 2), 2, dtype=np.int8)}
    with raises("it has booleans other than 0 and 1"):
        hsr.load(forged(tmp_path / "odd.nc", header, odd))


def test_files_of_others_are_foreign(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.ones(3))
    np.savez_compressed(tmp_path / "b.npz", header=np.array(b"{}"))
    np.save(tmp_path / "c.npy", np.ones(3))
    os.rename(tmp_path / "c.npy", tmp_path / "c.npz")
    xarray.Dataset({"x": ("t", np.ones(3))}).to_netcdf(tmp_path / "d.nc", engine="scipy")
    (tmp_path / "e.nc").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    (tmp_path / "f.npz").write_bytes(pickle.dumps(THINGS["options"]))
    (tmp_path / "g.nc").write_text("text\n")
    for path in sorted(tmp_path.iterdir()):
        with raises(r"did not write it|it is damaged, or no .* file|compressed"):
            hsr.load(path)


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "folder.npz").mkdir()
    with raises("there is no file"):
        hsr.load(tmp_path / "folder.npz")
    with raises("cannot be written: this is a folder"):
        hsr.save(M, tmp_path / "folder.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.npz"]


class Dangerous:
    def __reduce__(self):
        return Path.touch, (Path("/tmp/hsr-was-unpickled"),)


def test_nothing_is_unpickled(tmp_path):
    arrays = {"visits": np.array([[Dangerous()]], dtype=object)}
    header = header_of(arrays={"visits": ONE})
    for name, content in (
        ("header", {"header": arrays["visits"]}),
        ("array", {"header": np.array(json.dumps(header).encode())}),
    ):
        path = tmp_path / f"{name}.npz"
        np.savez(path, **content, **arrays)
        with pytest.raises(hsr.InputError):
            hsr.load(path)
    assert not Path("/tmp/hsr-was-unpickled").exists()


def member(shape, dtype="<f8", data=b"", order=False):
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        file, {"descr": dtype, "fortran_order": order, "shape": shape}
    )
    return file.getvalue() + data


ABSURD = {
    "a shape beyond all memory": member((10**9, 10**9)),
    "a shape that overflows": member((2**62, 2**62)),
    "a negative shape": member((-1, -8)),
    "more than there is": member((1, 1), data=bytes(7)),
    "less than there is": member((1, 1), data=bytes(16)),
    "columns first": member((1, 1), data=bytes(8), order=True),
    "another type": member((1, 1), "<f4", bytes(4)),
    "the other byte order": member((1, 1), ">f8", bytes(8)),
    "a long header": np.lib.format.magic(1, 0) + b"\xff\xff" + b" " * 65535,
    "another version": np.lib.format.magic(3, 0) + bytes(100),
}


def check_refused_within(path, n_bytes):
    """Assert that a file is refused before this many bytes of memory are taken."""
    tracemalloc.start()
    try:
        with pytest.raises(hsr.InputError):
            hsr.load(path)
        assert tracemalloc.get_traced_memory()[1] < n_bytes
    finally:
        tracemalloc.stop()


@cases("data", ABSURD)
def test_an_absurd_array_in_an_npz_is_refused_before_memory_is_taken(data, tmp_path):
    path = tmp_path / "absurd.npz"
    header = header_of(arrays={"visits": ONE})
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "header.npy", member((), f"|S{len(json.dumps(header))}", json.dumps(header).encode())
        )
        archive.writestr("visits.npy", data)
    check_refused_within(path, 2**22)


def test_a_zip_bomb_is_refused_before_it_grows(tmp_path):
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.npy", bytes(2**24))
    with raises(r"it is compressed, which hsr\.save never does"):
        hsr.load(path)


def test_a_zip_that_lies_about_its_sizes_is_refused(tmp_path):
    path = written(M, tmp_path, ".npz")
    data = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("visits.npy")
    # Compressed size and full size in the directory at the end.
    place = data.rindex(info.file_size.to_bytes(4, "little") * 2)
    path.write_bytes(data[:place] + (10**9).to_bytes(4, "little") * 2 + data[place + 8 :])
    with raises("it says that it holds more bytes than it has"):
        hsr.load(path)


def test_an_absurd_dimension_in_netcdf_is_refused_before_memory_is_taken(tmp_path):
    path = written(M, tmp_path, ".nc")
    data = path.read_bytes()
    place = data.index(b"state\x00\x00\x00") + 8
    assert data[place : place + 4] == (4).to_bytes(4, "big")
    for size in (2**31 - 1, 10**6, 5):
        path.write_bytes(data[:place] + size.to_bytes(4, "big") + data[place + 4 :])
        check_refused_within(path, 2**24)


def test_a_file_that_would_not_fit_is_refused(tmp_path, monkeypatch):
    for suffix, module in ((".npz", npz), (".nc", netcdf)):
        path = written(M, tmp_path, suffix)

        def refuse(n_bytes, what, instead, path=path):
            assert path.stat().st_size >= n_bytes >= 8 * 16
            raise hsr.TooLargeError(f"{what}: {instead}")

        monkeypatch.setattr(module, "check_fits", refuse)
        with pytest.raises(hsr.TooLargeError, match=f"what thing{suffix} holds"):
            hsr.load(path)


@formats
@pytest.mark.parametrize("fails_at", ["writing", "fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    fails_at, suffix, tmp_path, monkeypatch
):
    path = written(M, tmp_path, suffix)
    before = path.read_bytes()

    def fail(*_):
        raise OSError(28, "No space left on device")

    if fails_at == "writing":
        monkeypatch.setattr(npz if suffix == ".npz" else netcdf, "write", fail)
    else:
        monkeypatch.setattr(durable.os, fails_at, fail)
    with raises("cannot be written: No space left on device"):
        hsr.save(THINGS["basis"], path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert [left.name for left in tmp_path.iterdir()] == [path.name]


def test_an_interrupt_passes_and_leaves_nothing(tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(npz, "write", interrupt)
    with pytest.raises(KeyboardInterrupt):
        hsr.save(M, tmp_path / "map.npz")
    assert list(tmp_path.iterdir()) == []
