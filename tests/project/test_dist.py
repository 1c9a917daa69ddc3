"""Wheel and sdist contain the tree and nothing else, and are the same bytes every time."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email.parser import BytesParser

import pytest
from release import prove

from hsr._base.version import __version__
from tests.project.tree import PROJECT, ROOT, text_of


def copy_of_tree(folder):
    """Return a copy of all files that belong to the repository, every one of them new."""
    for name in prove.tree(ROOT):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
    return folder


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    return copy_of_tree(tmp_path_factory.mktemp("clone") / "tree")


@pytest.fixture(scope="module")
def built(tree, tmp_path_factory):
    return prove.build(tree, tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module")
def about(built):
    """Return the metadata of the wheel."""
    with zipfile.ZipFile(built[0]) as wheel:
        return BytesParser().parsebytes(wheel.read(f"hsr_rl-{__version__}.dist-info/METADATA"))


# Contents.


def test_wheel_and_sdist_hold_the_tree_and_nothing_else(built, tree):
    assert [*prove.wheel_faults(built[0], tree), *prove.sdist_faults(built[1], tree)] == []


def test_the_sdist_has_the_licence_and_all_that_make_needs(built):
    with tarfile.open(built[1]) as sdist:
        held = {name.partition("/")[2] for name in sdist.getnames()}
    needed = "LICENSE README.md pyproject.toml Makefile CHANGELOG.md CITATION.cff web/package.json"
    folders = (
        "requirements/runtime.txt release/prove.py docs/figure1.png tests/project/test_dist.py"
    )
    assert {*needed.split(), *folders.split()} <= held


def test_files_that_are_missing_or_too_many_are_found(built, tree, tmp_path):
    other = copy_of_tree(tmp_path / "tree")
    (other / "src/hsr/grids/mazes/loop.txt").unlink()
    (other / "src/hsr/mdp/moon.py").touch()
    (other / "docs/moon.md").touch()
    assert list(prove.wheel_faults(built[0], other)) == [
        "the wheel lacks hsr/mdp/moon.py",
        "the wheel has hsr/grids/mazes/loop.txt, which does not belong there",
    ]
    assert list(prove.sdist_faults(built[1], other)) == [
        "the sdist lacks docs/moon.md",
        "the sdist lacks src/hsr/mdp/moon.py",
        "the sdist has src/hsr/grids/mazes/loop.txt, which does not belong there",
    ]


def test_data_files_that_are_not_listed_or_missing_are_found(tmp_path):
    root = copy_of_tree(tmp_path / "tree")
    for name in ("src/hsr/notes.txt", "src/hsr/grids/mazes/deep/a.txt"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("left behind")
    for name in ("src/hsr/py.typed", "src/hsr/paper/claims.toml"):
        (root / name).unlink()
    assert list(prove.wheel_faults(prove.build(root, tmp_path / "out")[0], root)) == [
        "hsr/grids/mazes/deep/a.txt is in the wheel, and no data of the package",
        "hsr/notes.txt is in the wheel, and no data of the package",
        "the wheel has no hsr/py.typed",
        "the wheel has no hsr/paper/claims.toml",
    ]


def test_a_tree_is_what_git_does_not_ignore(tmp_path):
    (tmp_path / ".gitignore").write_text("*.egg-info/\nout/\nweb/node_modules/\nuv.lock\n")
    kept = {".gitignore", "a.py", "web/b.ts", "deep/node_modules/c"}
    ignored = {"out/d", "deep/out/e", "web/node_modules/f", "x.egg-info/g", "uv.lock", ".git/h"}
    ignored |= {".ci/run"}
    for name in kept | ignored:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch(exist_ok=True)
    assert prove.tree(tmp_path) == kept


def test_the_real_tree_is_what_git_says():
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("needs a clone and git")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    there = {
        name
        for name in listed.split("\0")
        if name and not name.startswith(".ci/") and (ROOT / name).exists()
    }
    assert prove.tree(ROOT) == there


# Metadata.


def test_the_wheel_says_what_it_is(about):
    assert (about["Name"], about["Version"], about["License-Expression"]) == (
        "hsr-rl",
        __version__,
        "MIT",
    )
    assert about["Requires-Python"] == ">=3.11"
    assert about.get_all("License-File") == ["LICENSE"]
    assert set(about.get_all("Provides-Extra")) == set(PROJECT["optional-dependencies"])
    assert about.get_payload().startswith(text_of("README.md")[:40])


def test_the_wheel_needs_what_the_project_needs(about):
    needed = [line.replace(" ", "") for line in about.get_all("Requires-Dist")]
    assert {line for line in needed if ";" not in line} == {
        line.replace(" ", "") for line in PROJECT["dependencies"]
    }
    for extra, packages in PROJECT["optional-dependencies"].items():
        if extra != "all":  # written out by hatchling
            brought = {line.split(";")[0] for line in needed if f"extra=='{extra}'" in line}
            assert brought == set(packages)


def test_the_wheel_brings_the_command(built):
    with zipfile.ZipFile(built[0]) as wheel:
        points = wheel.read(f"hsr_rl-{__version__}.dist-info/entry_points.txt").decode()
    assert "[console_scripts]\nhsr = hsr.cli:main\n" in points


def test_every_python_that_is_promised_is_proven():
    assert prove.promised_versions(ROOT) == ["3.11", "3.12", "3.13"]


def test_the_version_comes_from_one_file(tmp_path):
    root = copy_of_tree(tmp_path / "tree")
    file = root / "src/hsr/_base/version.py"
    file.write_text(file.read_text().replace(__version__, "7.8.9"))
    wheel, sdist = prove.build(root, tmp_path / "out")
    assert (wheel.name, sdist.name) == ("hsr_rl-7.8.9-py3-none-any.whl", "hsr_rl-7.8.9.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        assert b"\nVersion: 7.8.9\n" in archive.read("hsr_rl-7.8.9.dist-info/METADATA")


# The same bytes, and without git.


@pytest.mark.parametrize("date", [None, "1700000000"])
def test_two_builds_of_two_copies_give_the_same_bytes(date, tmp_path, monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    if date:
        monkeypatch.setenv("SOURCE_DATE_EPOCH", date)
    first = copy_of_tree(tmp_path / "first")
    second = copy_of_tree(tmp_path / "a place elsewhere" / "second")
    for path in second.rglob("*.py"):
        os.utime(path, (1e9, 1e9))
        path.chmod(0o600)
    one, other = prove.build(first, tmp_path / "one"), prove.build(second, tmp_path / "other")
    assert [path.name for path in one] == [path.name for path in other]
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in other]


def test_the_sdist_gives_the_wheel_on_a_machine_without_git(built, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with tarfile.open(built[1]) as sdist:
        sdist.extractall(tmp_path, filter="data")
    wheel, _ = prove.build(tmp_path / f"hsr_rl-{__version__}", tmp_path / "out")
    assert wheel.read_bytes() == built[0].read_bytes()


# The proofs themselves.


@pytest.mark.parametrize(
    ("says", "found"),
    [("3.12", True), ("3.11", False), (None, False)],
    ids=["right", "another version", "does not run"],
)
def test_an_interpreter_counts_only_if_it_runs_and_is_the_one(says, found, tmp_path, monkeypatch):
    program = tmp_path / "python3.12"
    missing = "echo python3.12: command not found >&2; exit 127\n"
    program.write_text(
        "#!/bin/sh\n" + (f"echo {says}\necho /the/real/python\n" if says else missing)
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert prove.interpreter("3.12") == ("/the/real/python" if found else None)
    assert prove.interpreter("3.13") is None


def test_a_command_that_fails_is_a_failure_with_what_it_said(tmp_path):
    assert prove.ask([sys.executable, "-c", "print(1)"], tmp_path, {}) == "1\n"
    with pytest.raises(prove.Failure, match=r"ended with 3:\nwhat went wrong$"):
        prove.ask(
            [sys.executable, "-c", "print('what went wrong'); raise SystemExit(3)"], tmp_path, {}
        )


def run_main(monkeypatch, capsys, tree, proofs):
    """Return exit code and lines of `make dist` on a machine that has Python 3.11 and 3.13."""
    there = {"3.11": "python3.11", "3.13": "python3.13"}
    monkeypatch.setattr(prove, "ROOT", tree)
    monkeypatch.setattr(prove, "interpreter", there.get)
    monkeypatch.setattr(prove, "proofs", proofs)
    code = prove.main()
    return code, capsys.readouterr().out.splitlines()


def test_a_line_per_proof_and_a_python_that_is_not_there_is_said(monkeypatch, capsys, tmp_path):
    tree = copy_of_tree(tmp_path / "tree")
    code, lines = run_main(monkeypatch, capsys, tree, lambda *_: iter(["all of it"]))
    assert code == 0
    assert lines[1:4] == [
        "ok      3.11: all of it",
        "--      3.12: not on this machine",
        "ok      3.13: all of it",
    ]
    assert [line.split(" (")[0] for line in lines[4:]] == [
        f"look at: dist/hsr_rl-{__version__}-py3-none-any.whl",
        f"look at: dist/hsr_rl-{__version__}.tar.gz",
    ]


def test_a_proof_that_fails_is_said_and_the_other_pythons_are_still_tried(
    monkeypatch, capsys, tmp_path
):
    def proofs(python, *_):
        if python == "python3.11":
            raise prove.Failure("hsr demo draws another picture")
        yield "all of it"

    tree = copy_of_tree(tmp_path / "tree")
    code, lines = run_main(monkeypatch, capsys, tree, proofs)
    assert code == 1
    assert lines[1] == "FAILED  3.11: hsr demo draws another picture"
    assert "ok      3.13: all of it" in lines
