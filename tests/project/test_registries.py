"""Every registered name is accepted everywhere: by the library, `hsr run`, the lab and the page.

The library alone is tested in tests/agents/test_specs.py, and every reply of the lab in
tests/lab/test_declared.py. Here one walk visits all of them, so that a new entry that is forgotten
somewhere fails.
"""

import json
import re
from functools import partial
from pathlib import Path

import pytest

import hsr
from hsr.cli import main
from hsr.lab.answers import Answers
from hsr.toolkit import declarations
from tests.lab.server_process import answered

WORLD = {"map": "S....\n..#..\n.1..2", "options": {"kind": "eigen", "n": 2}}
OPTION_KINDS = declarations(hsr.OptionSpec)["kind"].allowed
BONUSES = declarations(hsr.Sarsa)["bonus"].allowed
FEATURES = declarations(hsr.LinearQ)["features"].allowed
PAGE = (Path(hsr.__file__).parent / "lab/static/lab.html").read_text(encoding="utf-8")
ask = partial(answered, Answers())


def planned(experiment, change, tmp_path, capsys):
    """Return the number of runs that `hsr run` plans with a change."""
    store = ["--preset", "smoke", "--store", str(tmp_path / "store"), "--dry-run"]
    assert main(["run", experiment, "--set", change, *store]) == 0
    return int(re.search(r"([\d,]+) runs", capsys.readouterr().out)[1].replace(",", ""))


def test_a_registry_prints_its_names():
    assert repr(hsr.BASES) == f"Registry({', '.join(map(repr, hsr.BASES))})"
    assert "'nmf'" in repr(hsr.BASES)


@pytest.mark.parametrize("kind", OPTION_KINDS)
def test_every_kind_of_options(kind, tmp_path, capsys):
    assert planned("online_transfer", f"options.kind={kind}", tmp_path, capsys) > 0
    assert planned("exploration", f"options.kind={kind}", tmp_path, capsys) > 0
    if kind != "online":  # a page shows options of a maze; online ones belong to an agent
        options = {"kind": kind, "n": 2}
        assert "options" in ask("world", world={**WORLD, "options": options})
        assert kind in [one["name"] for one in ask("presets")["option_kinds"]]


@pytest.mark.parametrize("kind", hsr.REPRESENTATIONS)
def test_every_representation(kind, tmp_path, capsys):
    change = f'also=[{{kind="rows", of="{kind}"}}]'
    assert planned("basis_transfer", change, tmp_path, capsys) > 0
    assert "other" in ask("rows", world=WORLD, state=0, which=kind)
    assert kind in ask("presets")["representations"]
    assert kind in FEATURES


@pytest.mark.parametrize("kind", hsr.BASES)
def test_every_basis(kind, tmp_path, capsys):
    change = f'also=[{{kind="{kind}", of="rw_hsr"}}]'
    assert planned("basis_transfer", change, tmp_path, capsys) > 0
    assert "features" in ask("basis", world=WORLD, which="sr", kind=kind, n=2)
    assert kind in ask("presets")["bases"]


@pytest.mark.parametrize("kind", BONUSES)
def test_every_bonus(kind, tmp_path, capsys):
    assert planned("exploration", f"spie={kind}", tmp_path, capsys) > 0
    assert "agents" in ask("explore", world=WORLD, agents=[{"bonus": kind}], steps=5)
    assert kind in ask("presets")["bonus"]["words"]


def test_the_page_has_no_list_of_its_own():
    """The menus of the page are filled from the server, so no kind is written in its sources."""
    sources = Path(__file__).parents[2] / "web/src"
    made = {"schema.ts", "state.ts", "fields.ts"}  # generated; the first view; nicer labels
    written = "\n".join(
        path.read_text(encoding="utf-8") for path in sources.glob("*.ts") if path.name not in made
    )
    for kind in (*hsr.OPTION_KINDS.built_in, *hsr.REPRESENTATIONS.built_in, "spie_l1", "onehot"):
        assert json.dumps(kind) not in written, f"web/src names {kind!r}"
    assert "presets" in PAGE


def test_features_that_are_added_are_run_and_drawn(tmp_path, capsys):
    plain = planned("basis_transfer", "seeds=4", tmp_path, capsys)
    more = planned("basis_transfer", 'also=[{kind="nmf", of="rw_hsr"}]', tmp_path, capsys)
    assert more > plain
