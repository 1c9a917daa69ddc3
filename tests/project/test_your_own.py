"""The commands of the page about custom agents, representations and experiments."""

import json
import re

import pytest

from hsr import cli
from hsr.experiments.card import suite
from tests.project.tree import text_of

PAGE = "docs/your-own.md"


@pytest.fixture(scope="module")
def mine(tmp_path_factory):
    """The file of the page."""
    (code,) = re.findall(r"^```python\n(.*?)^```$", text_of(PAGE), re.M | re.S)
    assert sum(bool(line.strip()) for line in code.splitlines()) < 60
    path = tmp_path_factory.mktemp("own") / "mine.py"
    path.write_text(code, encoding="utf-8")
    return path


def test_the_experiment_runs_and_its_tables_have_the_names_of_the_user(mine, capsys):
    store = str(mine.parent / "store")
    small = ("--set", "episodes=3", "--workers", "1", "--store", store)
    assert cli.main(["run", str(mine), *small]) == 0
    said = capsys.readouterr().out
    assert "counter-faster (cannot tell): " in said  # in two worlds
    words = ("sweep", str(mine), "--over", "rate=0.05,0.2", *small, "--json")
    assert cli.main(list(words)) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["agent"] for row in found][:3] == ["one-hot", "nearness", "Counter"]
    assert {row["rate"] for row in found} == {0.05, 0.2}


@pytest.mark.parametrize(("name", "kind"), [("nearness", "representation"), ("Counter", "agent")])
def test_the_representation_and_the_agent_get_their_cards(mine, name, kind, capsys, monkeypatch):
    monkeypatch.setattr(suite, "RATES", (0.1,))
    monkeypatch.setattr(suite, "MAP_RATES", (0.1,))
    out = str(mine.parent)
    assert cli.main(["card", f"{mine}:{name}", "--mazes", "2", "--out", out]) == 0
    assert capsys.readouterr().out.startswith(f"Card of {name} ({kind})\n")
    assert (mine.parent / f"card_{name}.html").exists()
