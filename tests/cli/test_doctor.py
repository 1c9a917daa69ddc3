"""`hsr doctor`: its checks find planted faults, and a broken package ends none of the others."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest

import hsr
from hsr import cli
from hsr.cli import doctor


def test_nothing_fails_here_and_json_says_the_same(capsys):
    assert cli.main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert said.endswith("everything works\n")
    assert cli.main(["doctor", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["healthy"]
    assert report["facts"]["hsr"] == hsr.__version__
    assert f"numpy {np.__version__}" in report["facts"]["packages"]
    assert list(report["checks"]) == list(doctor.CHECKS)
    assert all(f"{name}: {words}" in said for name, (_, words) in report["checks"].items())


def test_another_package_with_the_same_module_is_recognised(tmp_path, monkeypatch, capsys):
    info = tmp_path / "hsr-0.1.26.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hsr\nVersion: 0.1.26\n")
    (info / "RECORD").write_text("chemistry/__init__.py,,\n")
    for name in ("chemistry/__init__.py", "hsr/__init__.py", "hsr/hsr_cli.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()  # newer versions of importlib.metadata skip missing files
    monkeypatch.syspath_prepend(tmp_path)
    assert doctor.verdict(doctor.other_package) == (
        "ok", "the package hsr 0.1.26 has another module"
    )  # fmt: skip
    (info / "RECORD").write_text("hsr/__init__.py,,\nhsr/hsr_cli.py,,\n")
    state, said = doctor.verdict(doctor.other_package)
    assert state == "advice"
    assert "hsr 0.1.26 is installed too" in said
    assert "do: pip uninstall hsr hsr-rl" in said


@pytest.mark.parametrize("other", ["installed last", "uninstalled"])
def test_files_of_two_packages_are_noticed_by_the_import(tmp_path, other):
    """The other package's first file replaces ours, or was removed together with ours."""
    mixed = tmp_path / "hsr"
    shutil.copytree(Path(hsr.__file__).parent, mixed, ignore=shutil.ignore_patterns("__pycache__"))
    run = [sys.executable, "-c", "from hsr.cli import main"]
    more = {"cwd": tmp_path, "env": {**os.environ, "PYTHONPATH": str(tmp_path)}, "text": True}
    (mixed / "hsr_cli.py").touch()
    warned = subprocess.run(run, check=True, capture_output=True, **more)
    assert f"UserWarning: files of two packages are mixed in {mixed}." in warned.stderr
    (mixed / "hsr_cli.py").unlink()
    assert not subprocess.run(run, check=True, capture_output=True, **more).stderr
    if other == "installed last":
        (mixed / "__init__.py").write_text("")
    else:
        (mixed / "__init__.py").unlink()
    run.insert(1, "-S")  # without the installed hsr
    refused = subprocess.run(run, capture_output=True, **more)
    assert f"ImportError: the package hsr in {mixed} is not the one of hsr-rl." in refused.stderr
    assert "Run: pip uninstall hsr hsr-rl, then install hsr-rl again" in refused.stderr


def learned_with_one_bit_wrong(*arguments, learn=hsr.learn_sr, **settings):
    M = learn(*arguments, **settings)
    M[3, 3] = np.nextafter(M[3, 3], 2.0)
    return M


def solved_with_a_wrong_digit(mdp, solve=hsr.successor_representation):
    return SimpleNamespace(toarray=lambda: solve(mdp).toarray() + 1e-11)


@pytest.mark.parametrize(
    ("check", "where", "name", "planted"),
    [
        ("learned map", hsr, "learn_sr", learned_with_one_bit_wrong),
        ("exact map", hsr, "successor_representation", solved_with_a_wrong_digit),
        ("packages", doctor.metadata, "requires", lambda name: ["numpy>=99"]),
        ("packages", doctor.metadata, "requires", lambda name: ["no-such-package"]),
        ("environments", gymnasium, "registry", {}),
    ],
)
def test_a_planted_fault_is_found_and_the_other_checks_run(
    check, where, name, planted, monkeypatch, capsys
):
    if isinstance(planted, dict):
        monkeypatch.delitem(gymnasium.registry, "hsr/GridWorld-v0")
    else:
        monkeypatch.setattr(where, name, planted)
    assert cli.main(["doctor"]) == 1
    failed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("failed")]
    assert len(failed) == 1
    assert failed[0].startswith(f"failed     {check}: ")
    assert "; do: " in failed[0]


def test_a_cache_that_cannot_be_written_is_advice(monkeypatch):
    monkeypatch.setattr(doctor, "_cache_folder", lambda: None)
    assert doctor.verdict(doctor.cache)[0] == "advice"
