"""A damaged, cut off, foreign or newer file gives one error, and a file is never half written."""

import io
import os
import pickle
import re
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import hsr
from hsr._base import durable
from hsr.files import container, saving
from hsr.files.objects import encode
from tests.cases import cases, raises

KINDS = ("options", "map", "basis", "mdp", "task", "agent", "run")


@cache
def thing_of(kind):
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("..\n.."), discount=0.9)
    if kind == "options":
        return hsr.point_options(mdp, [0])
    if kind == "mdp":
        return hsr.grid_mdp(hsr.GridLayout.from_text(".."), discount=0.9, slip=0.2)
    if kind == "task":
        return hsr.RewardTask(mdp, np.arange(64.0).reshape(4, 4, 4), terminal=[3])
    M = hsr.successor_representation(mdp)
    if kind == "agent":
        return hsr.GPI(M, pretraining=[hsr.GoalTask(0, 3)])
    if kind == "run":
        agent = hsr.Sarsa("norm", on="sr")
        return hsr.explore(mdp, agent, seeds=[0], steps=9, workers=1, keep_maps=True)
    return M if kind == "map" else hsr.NMFBasis(2).fit(M)


def written(thing, folder):
    path = folder / "thing.npz"
    hsr.save(thing, path)
    return path


def state_of(thing):
    """Return all that a thing holds, as what would be saved of it."""
    arrays = {}
    return encode(thing, "", arrays), {name: array.tobytes() for name, array in arrays.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_a_flipped_bit_is_found_wherever_it_matters(kind, tmp_path):
    path = written(thing_of(kind), tmp_path)
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


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_was_cut_off_is_refused_at_every_length(kind, tmp_path):
    path = written(thing_of(kind), tmp_path)
    data = path.read_bytes()
    for length in range(0, len(data), 7):
        path.write_bytes(data[:length])
        with raises("cannot be loaded"):
            hsr.load(path)


VISITS = {"array": "visits", "read_only": False}
MAP = {"visits": VISITS, "mdp_fingerprint": None, "discount": None}
OPTIONS = {"policy": VISITS, "termination": [[2.0]], "initiation": None}
MATRIX = {"data": [1.0, 1.0], "indices": [0, 7], "indptr": VISITS}
NAMES = ("pays", "one", "two", "none", "nan")
ODD = ("of_nan", "texts", "complex", "cube", "wide", "empty")
ARRAYS = {"visits": np.zeros((1, 1), dtype=int), "pays": np.array([0.0, 1.0])} | {
    "one": np.array([1]),
    "two": np.array([2]),
    "none": np.zeros(0, int),
    "nan": np.full(2, np.nan),
    "eye": np.eye(2),
    "of_nan": np.full((2, 2), np.nan),
    "texts": np.full((2, 2), "1"),
    "complex": np.eye(2) * 1j,
    "cube": np.ones((2, 2, 2)),
    "wide": np.ones((2, 3)),
    "empty": np.ones((0, 0)),
}
PAYS, ONE, TWO, NONE, NAN = ({"array": name, "read_only": True} for name in NAMES)
OF_NAN, TEXTS, COMPLEX, CUBE, WIDE, EMPTY = ({"array": name, "read_only": True} for name in ODD)
EYE = {"array": "eye", "read_only": False}
BASIS = dict.fromkeys(("n_states_", "n_features_in_", "n_components_"), 2) | {
    "features_": EYE,
    "components_": EYE,
    "scale_": [1.0, 1.0],
    "singular_values_": [1.0, 1.0],
}
TASK = {"reward": PAYS, "starts": ONE, "terminal": NONE, "mdp_fingerprint": "0" * 32}
SENSELESS = {
    "task that begins at its end": ("RewardTask", TASK | {"terminal": ONE}, None, "none of them t"),
    "task without a start": ("RewardTask", TASK | {"starts": NONE}, None, "starts must hold a"),
    "task that starts nowhere": ("RewardTask", TASK | {"starts": TWO}, None, "starts[0] is 2; it"),
    "task that pays no number": ("RewardTask", TASK | {"reward": NAN}, None, "finite numbers"),
    "task of no MDP": ("RewardTask", TASK | {"mdp_fingerprint": None}, None, "of an MDP"),
    "task that pays nothing": ("RewardTask", TASK | {"reward": []}, None, "it is damaged"),
    "unknown class": ("Popen", {}, None, "it holds a 'Popen', which is no class that hsr saves"),
    "discount of one": ("PredictiveMap", MAP | {"discount": 1.0}, None, "discount is 1.0; it must"),
    "fingerprint that is none": ("PredictiveMap", MAP, "abc", "mdp_fingerprint is"),
    "map of NaN": ("PredictiveMap", MAP | {"visits": OF_NAN}, None, "the map[0, 0] is nan"),
    "map of texts": ("PredictiveMap", MAP | {"visits": TEXTS}, None, "cannot be read as numbers"),
    "map of complex numbers": ("PredictiveMap", MAP | {"visits": COMPLEX}, None, "as numbers"),
    "map of three axes": ("PredictiveMap", MAP | {"visits": CUBE}, None, "has shape (2, 2, 2)"),
    "map that is not square": ("PredictiveMap", MAP | {"visits": WIDE}, None, "as many rows as"),
    "map of no states": ("PredictiveMap", MAP | {"visits": EMPTY}, None, "at least one"),
    "basis of NaN": ("SVDBasis", BASIS | {"features_": OF_NAN}, None, "features_[0, 0] is nan"),
    "basis of texts": ("SVDBasis", BASIS | {"components_": TEXTS}, None, "be read as numbers"),
    "basis of other states": ("SVDBasis", BASIS | {"n_states_": 3}, None, "has shape (2, 2)"),
    "basis of half a state": ("SVDBasis", BASIS | {"n_states_": 1.5}, None, "n_states_ is 1.5"),
    "basis without features": ("SVDBasis", {"n_states_": 2}, None, "its SVDBasis has no "),
    "basis of another class": (
        "SVDBasis",
        BASIS | {"__dict__": {"dict": []}},
        None,
        "no fit makes",
    ),
    "basis of no MDP": ("SVDBasis", BASIS | {"mdp_fingerprint_": "x"}, None, "mdp_fingerprint is"),
    "map without entries": ("PredictiveMap", {}, None, "it is damaged"),
    "options that stop too often": ("OptionSet", OPTIONS, None, "termination[0, 0] is 2"),
    "next state out of range": (
        "FiniteMDP",
        {"transition": [{"class": "csr_array", "fields": MATRIX}], "discount": 0.5, "labels": None},
        None,
        "it is damaged",
    ),
    "mdp of another fingerprint": (
        "FiniteMDP",
        {"successors": [[0]], "discount": 0.5, "labels": None},
        "0" * 32,
        "and says that it is '0000",
    ),
    "unknown setting": ("Sarsa", {"mood": 1}, None, "mood"),
}


@cases("kind, fields, made_for, words", SENSELESS)
def test_sense_is_checked_even_where_the_checksum_is_right(kind, fields, made_for, words, tmp_path):
    path = tmp_path / "forged.npz"
    with open(path, "wb") as file:
        written = {"class": kind, "fields": fields}
        container.write(file, written, ARRAYS, made_for)
    with raises(re.escape(words)) as caught:
        hsr.load(path)
    assert str(path) in str(caught.value)


def test_a_file_of_another_format_is_refused_with_its_version(tmp_path, monkeypatch):
    monkeypatch.setattr(container, "FORMAT_VERSION", 3)
    path = written(thing_of("map"), tmp_path)
    monkeypatch.undo()
    with raises("it has format 3, written by hsr '.*'; this is hsr .*, which reads format 4"):
        hsr.load(path)


def test_files_of_others_are_foreign(tmp_path):
    texts = ("", "no json", "[]", "{}", '{"format": "else"}', "[" * 100_000, "1" * 10_000)
    for number, text in enumerate(texts):
        np.savez(tmp_path / f"{number}.npz", header=np.array(text.encode()))
    np.savez(tmp_path / "a.npz", x=np.ones(3))
    for path in sorted(tmp_path.iterdir()):
        with raises(r"hsr\.save did not write it"):
            hsr.load(path)
    np.savez_compressed(tmp_path / "b.npz", header=np.array(b"{}"))
    np.save(tmp_path / "c.npy", np.ones(3))
    os.rename(tmp_path / "c.npy", tmp_path / "c.npz")
    (tmp_path / "f.npz").write_bytes(pickle.dumps(thing_of("options")))
    (tmp_path / "g.npz").write_text("text\n")
    for path in sorted(tmp_path.iterdir()):
        with raises(r"did not write it|it is damaged, or no .* file|compressed"):
            hsr.load(path)


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "folder.npz").mkdir()
    with raises("cannot be read: Is a directory"):
        hsr.load(tmp_path / "folder.npz")


class Dangerous:
    def __reduce__(self):
        return Path.touch, (Path("/tmp/hsr-was-unpickled"),)


def test_nothing_is_unpickled(tmp_path):
    danger, path = np.array([[Dangerous()]], dtype=object), written(thing_of("map"), tmp_path)
    with np.load(path) as file:
        header = file["header"]
    for content in (
        {"header": danger, "visits": thing_of("map").toarray()},
        {"header": header, "visits": danger},
    ):
        np.savez(path, **content)
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
    "more than there is": member((4, 4), data=bytes(7)),
    "another type": member((4, 4), "<f4", bytes(64)),
    "another shape": member((2, 8), data=bytes(128)),
    "a long header": np.lib.format.magic(1, 0) + b"\xff\xff" + b" " * 65535,
}


@cases("data", ABSURD)
def test_an_absurd_array_is_refused(data, tmp_path):
    path = written(thing_of("map"), tmp_path)
    with zipfile.ZipFile(path) as archive:
        header = archive.read("header.npy")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.npy", header)
        archive.writestr("visits.npy", data)
    with pytest.raises(hsr.InputError):
        hsr.load(path)


def test_a_zip_bomb_is_refused_before_it_grows(tmp_path):
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.npy", bytes(2**24))
    with raises(r"it is compressed, which hsr never does"):
        hsr.load(path)


def test_a_zip_that_lies_about_its_sizes_is_refused(tmp_path):
    path = written(thing_of("map"), tmp_path)
    data = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("visits.npy")
    # Compressed size and full size in the directory at the end.
    place = data.rindex(info.file_size.to_bytes(4, "little") * 2)
    path.write_bytes(data[:place] + (10**9).to_bytes(4, "little") * 2 + data[place + 8 :])
    with raises("it says that it holds more bytes than it has"):
        hsr.load(path)


@pytest.mark.parametrize("fails_at", ["writing", "fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(fails_at, tmp_path, monkeypatch):
    path = written(thing_of("map"), tmp_path)
    before = path.read_bytes()

    def fail(*_):
        raise OSError(28, "No space left on device")

    if fails_at == "writing":
        monkeypatch.setattr(saving, "write", fail)
    else:
        monkeypatch.setattr(durable.os, fails_at, fail)
    with raises("cannot be written: No space left on device"):
        hsr.save(thing_of("basis"), path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert [left.name for left in tmp_path.iterdir()] == [path.name]
