"""`hsr doctor`: its checks find planted faults, and a broken package ends none of the others."""

import json
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
