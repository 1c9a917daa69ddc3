"""Attacks through files: pipes, devices, huge files, and foreign files in a store."""

import os
from pathlib import Path

import pytest

import hsr
from hsr import cli
from hsr._base.regular_file import read_regular
from hsr.paper.changes import read_file
from hsr.paper.ledger_file import read_json
from hsr.paper.store import Record, Store, StoreError
from tests.cases import cases, raises

UNSIZED = Path("/proc/self/stat")  # a regular file of 0 bytes that holds more


@pytest.fixture
def pipe(tmp_path):
    """A named pipe that nobody writes to."""
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


@pytest.fixture
def huge(tmp_path):
    """A file of 1 TiB without any data on the disk."""
    with open(tmp_path / "huge", "wb") as file:
        file.truncate(2**40)
    return tmp_path / "huge"


@pytest.fixture
def store(tmp_path):
    """A store with one run."""
    store = Store(tmp_path / "store")
    store.put(Record("demo", {"rate": 0.1}, seed=0, arrays={"steps": [3, 2]}))
    return store


READERS = {
    "settings": read_file,
    "ledger": read_json,
    "maze": hsr.GridLayout.from_file,
}


@cases("read", READERS)
def test_a_pipe_is_refused_at_once(read, pipe):
    with raises("this is a named pipe, not a regular file"):
        read(pipe)


@cases("read", READERS)
def test_a_device_is_refused_at_once(read):
    with raises("this is a device, not a regular file"):
        read(Path("/dev/zero"))


@cases("read", READERS)
def test_a_huge_file_is_refused_before_it_is_read(read, huge):
    with raises("bytes"):
        read(huge)


@pytest.mark.skipif(not UNSIZED.exists(), reason="there is no /proc")
def test_nothing_beyond_the_stated_size_of_a_file_is_read():
    assert UNSIZED.read_bytes()
    assert read_regular(UNSIZED) == b""
    with raises("the layout is empty"):
        hsr.GridLayout.from_file(UNSIZED)


def test_an_empty_file_is_no_object(tmp_path):
    (tmp_path / "map.npz").touch()
    with raises("it is empty"):
        hsr.load(tmp_path / "map.npz")


def test_a_pipe_for_the_settings_of_a_command_is_refused(pipe, tmp_path, capfd):
    words = ["run", "online_transfer", "--config", str(pipe), "--store", str(tmp_path / "s")]
    assert cli.main(words) == 2
    assert "a named pipe" in capfd.readouterr().err


def test_a_pipe_for_a_store_is_refused(store, pipe):
    os.replace(pipe, store.path)
    for create in (False, True):
        with pytest.raises(StoreError, match=r"runs\.sqlite"):
            Store(store.folder, create=create)


@pytest.mark.parametrize("name", ["seeds", "worlds", "control_worlds", "first_world"])
def test_a_count_of_runs_beyond_all_memory_is_refused(name, tmp_path, capfd):
    words = ["--set", f"{name}=100000000000", "--store", str(tmp_path / "store")]
    assert cli.main(["run", "online_transfer", *words]) == 2
    assert f"{name} is 100000000000; input should be less than" in capfd.readouterr().err


@cases("init", {"nndsvda": "nndsvda", "random": "random"})
def test_a_number_of_parts_beyond_all_memory_is_refused(init):
    with pytest.raises(hsr.toolkit.TooLargeError, match="a factorisation into 1,000,000,000 parts"):
        hsr.NMFBasis(10**9, init=init).fit([[1.0, 0.0], [0.0, 1.0]])
