"""Only regular files are replaced, as a whole. A symbolic link stays a link."""

import os

import pytest

import hsr
from hsr._base.durable import replacing, write_whole
from hsr.plots import new_figure, save_figure
from tests.cases import raises

WRITERS = {
    ".txt": lambda path: write_whole(path, b"new"),
    ".npz": lambda path: hsr.save(hsr.successor_representation(hsr.grid_mdp("corridor")), path),
    ".png": lambda path: save_figure(new_figure(1.0, 1.0), path),
}


@pytest.fixture(params=WRITERS)
def suffix(request):
    return request.param


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_named_pipe_or_a_folder_stays_what_it_is(suffix, make, tmp_path):
    path = tmp_path / f"thing{suffix}"
    make(path)
    with raises("cannot be written: it is not a regular file"):
        WRITERS[suffix](path)
    assert path.is_fifo() or path.is_dir()


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_a_link_and_its_target_is_written(suffix, exists, tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / f"map{suffix}", tmp_path / f"link{suffix}"
    if exists:
        target.write_bytes(b"old")
    link.symlink_to(target)
    WRITERS[suffix](link)
    assert link.is_symlink()
    assert target.read_bytes() not in (b"", b"old")
    assert len(list(tmp_path.rglob("*"))) == 3


def test_what_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "numbers"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), replacing(path) as file:  # noqa: PT012
        file.write(b"new")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
