"""The store keeps its runs through kills, full disks, missing rights and other writers."""

import errno
import os
import signal
import subprocess

import numpy as np
import pytest

from hsr._base import durable
from hsr.paper.store import Record, Store, StoreError
from tests.paper.store.store_parts import WRITER, a_record, python, temporaries


def as_written(i):
    """The record that the writing processes put as number i."""
    return Record("kill", {"i": i}, seed=i, arrays={"x": np.arange(2000 + i)}, seconds=0.5)


def check_after_crashes(store, reported):
    """Every reported run is stored and undamaged, and no temporary file is left."""
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
        # more keys than the pipe holds, so that the writer cannot finish before it is killed
        jobs = ",".join(map(str, range(2000 * kill, 2000 * kill + 2000)))
        with subprocess.Popen(
            python(WRITER, folder, jobs), stdout=subprocess.PIPE, text=True
        ) as process:
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
def test_a_full_or_read_only_disk_gives_one_clear_error_and_a_readable_store(
    tmp_path, monkeypatch, module, name, number, store
):
    key = store.put(a_record())
    monkeypatch.setattr(module, name, refuse_with(number), raising=False)
    with pytest.raises(StoreError) as caught:
        store.put(a_record(1))
    assert str(store.folder) in str(caught.value)
    assert os.strerror(number) in str(caught.value)
    with pytest.raises(StoreError, match="cannot make the store"):
        Store(tmp_path / "other")
    reader = Store(store.folder)
    assert [record.key for record in reader.records()] == reader.keys() == [key]
    assert list(reader.index()) == [key]
    assert reader.verify() == []
    monkeypatch.undo()
    assert temporaries(tmp_path) == []
    assert store.put(a_record(1)) in store


def test_a_write_that_ends_half_way_leaves_nothing(tmp_path):
    limited = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))\n"
    small_then_large = WRITER.replace("2000 + i", "100 * i")
    done = subprocess.run(
        python(limited + small_then_large, tmp_path, "1,50"), capture_output=True, text=True
    )
    assert len(done.stdout.split()) == 1
    assert "StoreError: cannot write run" in done.stderr
    assert os.strerror(errno.EFBIG) in done.stderr
    store = Store(tmp_path)
    assert (store.verify(), store.keys(), temporaries(tmp_path)) == ([], done.stdout.split(), [])


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes where it likes")
def test_a_folder_without_permission_to_write_is_read_all_the_same(tmp_path, store):
    key = store.put(a_record())
    folders = [path for path in tmp_path.rglob("*") if path.is_dir()]
    for folder in folders:
        folder.chmod(0o500)
    with pytest.raises(StoreError, match="Permission denied"):
        store.put(a_record(1))
    assert list(store.index()) == [key]
    for folder in folders:
        folder.chmod(0o700)


def test_a_folder_that_cannot_be_listed_is_not_taken_for_an_empty_one(store, monkeypatch):
    store.put(a_record())
    monkeypatch.setattr(os, "scandir", refuse_with(errno.EIO))
    with pytest.raises(StoreError, match="cannot be listed"):
        store.keys()
