"""`hsr sweep` runs, prints, draws and compares, and says at which values."""

import csv
import json

import pytest

from hsr import cli
from hsr.experiments import load
from tests.cases import cases
from tests.experiments import factors

SLIPS = ("--over", "slip=0.0,0.5", "--workers", "1", "--worlds", "3")


@pytest.fixture(autouse=True)
def built_in():
    with factors.as_built_in():
        yield


def sweep(*words):
    return cli.main(["sweep", *map(str, words)])


def test_agents_are_compared_by_one_command(tmp_path, capsys):
    assert sweep("factors", *SLIPS, "--agents", "slow,fast", "--store", tmp_path) == 0
    said = capsys.readouterr()
    assert said.err.startswith("12 runs\n")
    lines = said.out.splitlines()
    head = next(line for line in lines if line.startswith("slip"))
    assert "minus slow [95 %]" in head
    for slip in ("0.0", "0.5"):
        assert sum(line.startswith(f"{slip} ") for line in lines) == 2
    assert "No test of 3 worlds can be significant. Use more (--worlds)." in lines
    wrote = [line.removeprefix("wrote: ") for line in lines if line.startswith("wrote: ")]
    assert [path.rpartition(".")[2] for path in wrote] == ["png", "csv"]
    with open(wrote[1], encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["slip"], row["agent"]) for row in rows] == [
        *(("0.0", "slow"), ("0.0", "fast")),
        *(("0.5", "slow"), ("0.5", "fast")),
    ]
    assert {row["against"] for row in rows if row["agent"] == "fast"} == {"slow"}
    assert sweep("factors", *SLIPS, "--store", tmp_path, "--json") == 0
    said = capsys.readouterr()
    assert "0 runs finished" in said.err
    found = json.loads(said.out)
    assert [row["agent"] for row in found] == ["slow", "fast"] * 2


def test_a_sweep_of_fewer_agents_leaves_the_names_of_the_others(tmp_path, capsys):
    for agents in ("slow,fast", "slow"):
        assert sweep("factors", *SLIPS, "--store", tmp_path, "--agents", agents, "--json") == 0
    capsys.readouterr()
    assert {run.agent for run in load(tmp_path).runs} == {"slow", "fast"}


@cases(
    ("words", "message"),
    {
        "nothing": (("factors",), "--over is missing; give values"),
        "no values": (("factors", "--over", "seeds"), "write it as name=value,value"),
        "unknown": (("factors", "--over", "slipp=1,2"), "did you mean slip?"),
        "agent": (("factors", "--over", "seeds=1,2", "--agents", "X"), "there is no agent 'X'"),
        "measure": (
            ("factors", "--over", "seeds=1,2", "--measure", "stps"),
            "there is no measure 'stps'; did you mean steps?",
        ),
        "experiment": (("factor", "--over", "seeds=1"), "did you mean factors"),
    },
)
def test_mistakes_are_named_before_anything_is_run(words, message, tmp_path, capsys):
    assert sweep(*words, "--store", tmp_path / "store") == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "store").exists()
