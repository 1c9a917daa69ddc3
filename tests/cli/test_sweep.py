"""`hsr sweep` runs, prints, draws and compares, and says at which values."""

import csv
import json

import pytest

from hsr import cli
from hsr.experiments import load
from tests.cases import cases

TINY = ("--worlds", "3", "--seeds", "2", "--set", "episodes=2", "horizon=60", "--workers", "1")
RATES = ("--over", "agent.learning_rate=0.02,0.5")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store with a small sweep of two agents."""
    folder = tmp_path_factory.mktemp("sweep") / "store"
    words = ("online_transfer", *RATES, "--agents", "SR,HSR", *TINY, "--store", str(folder))
    assert cli.main(["sweep", *words]) == 0
    return folder


def sweep(*words):
    return cli.main(["sweep", *map(str, words)])


def test_sr_against_hsr_is_one_command(store, capsys):
    assert sweep("online_transfer", *RATES, "--agents", "SR,HSR", *TINY, "--store", store) == 0
    said = capsys.readouterr()
    assert "12 runs of 2 agents at 2 values" in said.err
    assert "0 runs finished, 12 already stored" in said.err + said.out
    lines = said.out.splitlines()
    head = next(line for line in lines if line.startswith("agent.learning_rate"))
    assert "minus SR rows [95 %]" in head
    for rate in ("0.02", "0.5"):
        assert sum(line.startswith(f"{rate} ") for line in lines) == 4  # 2 agents, 2 goals
    assert "No test of 3 worlds can be significant. Use more (--worlds)." in lines
    wrote = [line.removeprefix("wrote: ") for line in lines if line.startswith("wrote: ")]
    assert [path.rpartition(".")[2] for path in wrote] == ["png", "csv"]
    with open(wrote[1], encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 8
    assert {row["agent.learning_rate"] for row in rows} == {"0.02", "0.5"}
    assert {row["against"] for row in rows if row["agent"] == "HSR rows"} == {"SR rows"}


def test_agents_are_compared_by_an_array_of_their_runs(store, capsys):
    words = (*RATES, "--agents", "one-hot,SR,HSR", "--measure", "change", *TINY, "--store", store)
    assert sweep("online_transfer", *words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "change:"
    assert "minus SR rows [95 %]" in lines[1]  # one-hot features have no map that could change
    assert [line.split()[1] for line in lines[2:6]] == ["SR", "HSR"] * 2
    assert "No runs in several worlds with change: one-hot." in lines


def test_all_agents_come_with_the_verdicts_on_their_claims_as_json(store, capsys):
    words = ("--over", "agent.epsilon=0.1,0.2", *TINY, "--store", store, "--json")
    assert sweep("online_transfer", *words) == 0
    found = json.loads(capsys.readouterr().out)
    assert len({row["agent"] for row in found["rows"]}) == 10
    assert {row["at"] for row in found["claims"]} == {"agent.epsilon=0.1", "agent.epsilon=0.2"}
    assert {row["verdict"] for row in found["claims"]} == {"cannot tell"}  # in 3 worlds


def test_a_sweep_of_fewer_agents_leaves_the_names_of_the_others(tmp_path, capsys):
    words = ("offline_rows", "--over", "agent.epsilon=0.1", *TINY, "--store", tmp_path)
    for agents in ("one-hot,RW-SR", "one-hot"):
        assert sweep(*words, "--agents", agents, "--json") == 0
    capsys.readouterr()
    assert {run.agent for run in load(tmp_path).runs} == {"one-hot", "RW-SR rows"}


@cases(
    ("words", "message"),
    {
        "nothing": (("online_transfer",), "--over is missing; give values"),
        "no values": (("online_transfer", "--over", "episodes"), "write it as name=value,value"),
        "unknown": (("online_transfer", "--over", "epsilon=1,2"), "did you mean agent.epsilon?"),
        "agent": (
            ("online_transfer", "--over", "episodes=1,2", "--agents", "RS"),
            "there is no agent 'RS'",
        ),
        "measure": (
            ("online_transfer", "--over", "episodes=1,2", "--measure", "chnge"),
            "there is no measure 'chnge'; did you mean change?",
        ),
        "experiment": (("online_tranfer", "--over", "episodes=1"), "did you mean online_transfer"),
    },
)
def test_mistakes_are_named_before_anything_is_run(words, message, tmp_path, capsys):
    assert sweep(*words, "--store", tmp_path / "store") == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "store").exists()
