"""Files are replaced whole, and only files: never a pipe, a folder or a link."""

import os

import pytest

import hsr
from hsr._base.durable import replacing, write_whole
from tests.cases import raises

WRITERS = {
    "write_whole": lambda path: write_whole(path, b"new"),
    "save": lambda path: hsr.save(_map(), path),
}


def _map():
    return hsr.successor_representation(hsr.grid_mdp("corridor", discount=0.9))


@pytest.fixture(params=WRITERS.values(), ids=WRITERS)
def write(request):
    return request.param


def test_a_named_pipe_stays_a_pipe(write, tmp_path):
    path = tmp_path / "pipe.npz"
    os.mkfifo(path)
    with raises(r"pipe\.npz' cannot be written: this is a named pipe, not a regular file"):
        write(path)
    assert path.is_fifo()


def test_a_folder_is_refused(write, tmp_path):
    with raises("cannot be written: this is a folder"):
        write(tmp_path.rename(tmp_path.with_name("folder.npz")))


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_a_link_and_its_target_is_written(write, exists, tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "map.npz", tmp_path / "link.npz"
    if exists:
        target.write_bytes(b"old")
    link.symlink_to(target)
    write(link)
    assert link.is_symlink()
    assert target.read_bytes() not in (b"", b"old")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["link.npz", "map.npz", "there"]


def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "numbers"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), replacing(path) as file:  # noqa: PT012
        file.write(b"new")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
