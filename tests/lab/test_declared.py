"""Everything that the library registers is accepted by the lab, and offered to the page."""

import os
from pathlib import Path

import numpy as np
import pytest

import hsr
from hsr.lab import local
from hsr.lab.schema import typescript
from hsr.toolkit import declarations
from tests.lab.server_process import serving, unpacked
from tests.plugin_parts import distribution

MAZE = "S....\n..#..\n.1..2"
N = 14
WORLD = {"map": MAZE, "options": {"kind": "eigen", "n": 2}}
FEATURES = declarations(hsr.LinearQ)["features"].allowed
BONUSES = declarations(hsr.Sarsa)["bonus"].allowed


@pytest.mark.parametrize("kind", [*hsr.OPTION_KINDS, "none"])
def test_every_kind_of_options_makes_a_world(ask, kind):
    shown = ask("world", world={"map": MAZE, "options": {"kind": kind, "n": 3}})["options"]
    assert len(shown) == (0 if kind == "none" else 3)


def test_a_small_maze_has_fewer_options_if_that_is_allowed(ask):
    options = {"kind": "eigen", "n": 64, "at_most": True, "signs": "both"}
    assert len(ask("world", world={"map": MAZE, "options": options})["options"]) == 2 * (N - 1)
    with pytest.raises(hsr.InputError, match="eigenvectors"):
        ask("world", world={"map": MAZE, "options": {**options, "at_most": False}})


@pytest.mark.parametrize("signs", ["svd", "random", "+-"])
def test_signs_of_eigenoptions_are_words_or_a_pattern(ask, signs):
    asked = {"kind": "eigen", "n": 2, "signs": signs, "seed": 1, "first": "skipped"}
    shown = ask("world", world={"map": MAZE, "options": asked})["options"]
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text(MAZE), discount=0.9)
    names = hsr.eigenoptions(mdp, 2, signs=signs, seed=1).names
    assert [one["name"] for one in shown] == list(names)


def test_a_setting_that_a_kind_reads_reaches_it(ask):
    asked = {"kind": "covering", "n": 2, "initiation": "everywhere"}
    shown = ask("world", world={"map": MAZE, "options": asked})["options"]
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text(MAZE), discount=0.9)
    options = hsr.covering_options(mdp, 2, initiation="everywhere")
    assert [(unpacked(one["policy"]) >= 0).sum() for one in shown] == options.initiation.sum(
        axis=1
    ).tolist()


@pytest.mark.parametrize("which", ["sr", "hsr", *hsr.REPRESENTATIONS])
def test_every_representation_has_rows_a_matrix_and_a_basis(ask, which):
    row = unpacked(ask("rows", world=WORLD, state=3, which=which)["other"])
    matrix = unpacked(ask("matrix", world=WORLD, which=which)["matrix"])
    assert np.array_equal(row, matrix[3])
    features = unpacked(ask("basis", world=WORLD, which=which, kind="svd", n=2)["features"])
    assert features.shape == (2, N)
    code = ask("python", world=WORLD, show={"kind": "rows", "state": 3, "which": which})["code"]
    compile(code, "script", "exec")


@pytest.mark.parametrize("kind", hsr.BASES)
def test_every_basis_has_features(ask, kind):
    features = unpacked(ask("basis", world=WORLD, which="sr", kind=kind, n=4)["features"])
    assert features.shape == (4, N)
    show = {"kind": "basis", "which": "sr", "basis": kind, "n": 4}
    compile(ask("python", world=WORLD, show=show)["code"], "script", "exec")


@pytest.mark.parametrize("features", FEATURES)
def test_an_agent_learns_with_every_kind_of_features(ask, features):
    reply = ask("train", world=WORLD, agents=[{"features": features}], episodes=1, horizon=5)
    assert reply["agents"][0]["status"] == "ok"


@pytest.mark.parametrize("bonus", BONUSES)
def test_an_agent_explores_with_every_bonus(ask, bonus):
    reply = ask("explore", world=WORLD, agents=[{"bonus": bonus}], steps=20)
    assert (unpacked(reply["agents"][0]["first_visit"]) >= 0).any()


def test_a_page_learns_every_name_from_the_server(ask):
    presets = ask("presets")
    assert [kind["name"] for kind in presets["option_kinds"]] == [*hsr.OPTION_KINDS, "none"]
    assert list(presets["representations"]) == list(hsr.REPRESENTATIONS)
    assert list(presets["bases"]) == list(hsr.BASES)
    assert presets["bonus"]["words"] == BONUSES
    assert presets["features"]["words"] == FEATURES
    assert set(hsr.REPRESENTATIONS) <= set(FEATURES)
    for kind in presets["option_kinds"]:
        assert set(kind["settings"]) <= set(presets["option_settings"])


def test_the_types_of_the_page_are_those_of_the_server():
    """`make lab-page` writes them; commit web/src/schema.ts if this fails."""
    written = Path(__file__).parents[2] / "web/src/schema.ts"
    assert written.read_text(encoding="utf-8") == typescript()


def test_a_page_without_a_server_has_the_declarations_of_the_server():
    """`make lab-page` writes them; commit web/src/local/declared.ts if this fails."""
    written = Path(__file__).parents[2] / "web/src/local/declared.ts"
    assert written.read_text(encoding="utf-8") == local.typescript()


PLUGINS = """
import numpy as np
import hsr


def corners(mdp, n_options):
    return hsr.point_options(mdp, targets=list(range(n_options)))


def degrees(mdp, options):
    return np.asarray(hsr.successor_representation(mdp)).sum(axis=1, keepdims=True) ** [1, 2]


def svd(n_components):
    return hsr.SVDBasis(n_components)


def constant(M, s, arrived):
    return 1.0
"""


def test_a_plugin_that_is_installed_is_offered_and_answered(tmp_path):
    groups = ("options", "representations", "bases", "bonuses")
    names = ("corners", "degrees", "svd", "constant")
    entries = {
        f"hsr.{group}": {f"my_{name}": name} for group, name in zip(groups, names, strict=True)
    }
    distribution(tmp_path, entries, PLUGINS)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    world = {"map": MAZE, "options": {"kind": "my_corners", "n": 2}}
    with serving(PYTHONPATH=path) as server, server.talk() as talk:
        presets = talk.ask("presets")
        assert "my_corners" in [kind["name"] for kind in presets["option_kinds"]]
        assert "my_degrees" in presets["representations"]
        assert "my_degrees" in presets["features"]["words"]
        assert "my_svd" in presets["bases"]
        assert "my_constant" in presets["bonus"]["words"]
        assert len(talk.ask("world", world=world)["options"]) == 2
        assert talk.ask("rows", world=world, state=0, which="my_degrees")["other"]["shape"] == [2]
        assert talk.ask("basis", world=world, which="sr", kind="my_svd", n=3)["ok"]
        assert talk.ask("explore", world=world, agents=[{"bonus": "my_constant"}], steps=9)["ok"]
        show = {"kind": "rows", "state": 0, "which": "my_degrees"}
        code = talk.ask("python", world=world, show=show)["code"]
    assert "hsr.make_options(mdp, 'my_corners', n_options=2)" in code
    assert "hsr.make_representation(mdp, 'my_degrees', options)" in code
