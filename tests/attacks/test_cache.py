"""Attacks on the cache of compiled code: folders of other users, and code of other settings."""

import os
import stat
from collections import namedtuple
from pathlib import Path

import pytest

import hsr
from hsr._base import compiled, trusted_folder
from tests.cases import cases

Status = namedtuple("Status", "st_uid st_mode")
OURS = os.geteuid()
THEIRS = OURS + 1000
NOT_OURS = "belongs to another user"


@pytest.fixture
def found(tmp_path, monkeypatch):
    """Return a function that looks for a cache folder, and finds it under a new home."""
    monkeypatch.setenv("HSR_CACHE_DIR", str(tmp_path / "home"))
    return compiled.cache_folder.__wrapped__


def folder_in(home):
    return home / f"numba-{compiled.cache_key()}"


def test_a_new_cache_is_for_its_owner_alone(found, tmp_path):
    before = os.umask(0)
    try:
        folder = found()
    finally:
        os.umask(before)
    for one in (folder, folder.parent):
        assert stat.S_IMODE(one.stat().st_mode) == 0o700


@cases("mode", {"group": 0o770, "all": 0o707, "sticky": 0o1777})
def test_a_cache_that_others_can_write_to_is_refused(found, tmp_path, mode):
    folder = folder_in(tmp_path / "home")
    folder.mkdir(parents=True)
    folder.chmod(mode)
    with pytest.warns(hsr.HSRWarning, match=r"other users can write to .*numba-.* HSR_CACHE_DIR"):
        assert found() is None


def test_a_cache_that_others_can_replace_is_refused(found, tmp_path):
    folder = found()
    folder.parent.chmod(0o777)
    with pytest.warns(hsr.HSRWarning, match=r"other users can write to .*home'"):
        assert found() is None
    folder.parent.chmod(0o1777)
    assert found() == folder


@cases(
    "folder, parent, fault",
    {
        "ours": ((OURS, 0o700), (OURS, 0o755), None),
        "of the system": ((OURS, 0o755), (0, 0o1777), None),
        "theirs": ((THEIRS, 0o700), (OURS, 0o755), NOT_OURS),
        "in theirs": ((OURS, 0o700), (THEIRS, 0o755), NOT_OURS),
        "sticky but theirs": ((OURS, 0o700), (THEIRS, 0o1777), NOT_OURS),
    },
)
def test_the_owner_of_a_cache_is_the_user(folder, parent, fault, monkeypatch):
    statuses = {"/a/b": Status(*folder), "/a": Status(*parent)}
    with monkeypatch.context() as changed:
        changed.setattr(Path, "stat", lambda path: statuses[str(path)])
        said = trusted_folder.fault_of(Path("/a/b"))
    assert said is None if fault is None else fault in said


CHANGE_CODE = (
    "BOUNDSCHECK OPT LOOP_VECTORIZE SLP_VECTORIZE DEBUGINFO_DEFAULT ENABLE_AVX DISABLE_INTEL_SVML "
    "EXTEND_VARIABLE_LIFETIMES LLVM_REFPRUNE_FLAGS A_NEW_SETTING"
)


@pytest.mark.parametrize("name", CHANGE_CODE.split())
def test_the_key_depends_on_every_setting_that_changes_code(name, monkeypatch):
    before = compiled.cache_key.__wrapped__()
    monkeypatch.setattr(compiled.config, name, "another", raising=False)
    assert compiled.cache_key.__wrapped__() != before


@pytest.mark.parametrize("name", ["NUMBA_NUM_THREADS", "CACHE_DIR", "COLOR_SCHEME", "DUMP_IR"])
def test_the_key_does_not_depend_on_other_settings(name, monkeypatch):
    before = compiled.cache_key.__wrapped__()
    monkeypatch.setattr(compiled.config, name, "another")
    assert compiled.cache_key.__wrapped__() == before
