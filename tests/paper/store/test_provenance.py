"""What reports and tables say about the machine and the code that made them."""

import platform
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hsr
from hsr.paper.store import manifest, provenance


def test_provenance_names_versions_processor_and_linear_algebra():
    about = provenance()
    assert {"hsr", "numpy", "scipy", "numba", "python"} <= about["versions"].keys()
    assert about["versions"]["numpy"] == np.__version__
    assert about["versions"]["python"] == platform.python_version() == sys.version.split()[0]
    assert about["cpu"]
    known = {"openblas", "mkl", "blis", "flexiblas", "accelerate"}
    assert {library["internal_api"] for library in about["blas"]} <= known


@pytest.fixture
def elsewhere(tmp_path):
    """A package in a folder of its own."""
    package = tmp_path / "hsr"
    package.mkdir()
    (package / "__init__.py").write_text("")
    return package


def test_the_commit_is_that_of_the_whole_package():
    assert Path(hsr.__file__).parent == manifest._SOURCE


def test_outside_a_repository_and_without_git_there_is_no_commit(elsewhere, monkeypatch):
    assert manifest._commit(elsewhere) is None
    monkeypatch.setenv("PATH", "")
    assert manifest._commit(elsewhere) is None


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_the_commit_is_that_of_the_package_and_of_no_repository_around_it(elsewhere):
    def git(*words):
        settings = ("user.name=x", "user.email=x@example.org", "commit.gpgsign=false")
        options = [word for setting in settings for word in ("-c", setting)]
        command = ["git", "-C", elsewhere.parent, *options, *words]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    git("init", "--quiet")
    git("commit", "--quiet", "--allow-empty", "--message", "a project of someone else")
    assert manifest._commit(elsewhere) is None
    git("add", "hsr")
    git("commit", "--quiet", "--message", "ours")
    assert manifest._commit(elsewhere) == git("rev-parse", "HEAD")
    (elsewhere / "__init__.py").write_text("changed = True")
    assert manifest._commit(elsewhere) == git("rev-parse", "HEAD") + "+"
