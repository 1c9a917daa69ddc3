"""Maps from files in the lab: learned ones beside the exact ones."""

import ast

import numpy as np
import pytest

import hsr
from hsr.lab.map_files import offer_map
from tests.cases import raises
from tests.lab.server_process import FOUR_ROOMS, MDP, unpacked

pytestmark = pytest.mark.filterwarnings("ignore::hsr.HSRWarning")


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """Return the file of a learned map that is offered, and its entries."""
    M = hsr.learn_sr(MDP, steps=2000)
    path = tmp_path_factory.mktemp("maps") / "learned.npz"
    rows = hsr.PredictiveMap(
        M.shape, lambda x: M @ x, lambda y: M.T @ y, made_for=MDP.fingerprint, discount=MDP.discount
    )
    hsr.save(rows, path)
    assert offer_map(path) == "learned"
    yield path, M
    hsr.REPRESENTATIONS.withdraw("learned")


def test_a_map_from_a_file_is_in_the_menu_and_shown(ask, learned):
    path, M = learned
    assert ask("presets")["representations"]["learned"] == "the map in learned.npz"
    reply = ask("rows", world={"map": FOUR_ROOMS}, state=30, which="learned")
    assert np.allclose(unpacked(reply["other"]), M[30], atol=1e-6)
    show = {"kind": "rows", "state": 30, "which": "learned"}
    code = ask("python", world={"map": FOUR_ROOMS}, show=show)["code"]
    assert f"other = hsr.load({str(path)!r}, mdp)" in ast.unparse(ast.parse(code))


@pytest.mark.parametrize(
    ("world", "words"),
    [
        ({"map": FOUR_ROOMS, "discount": 0.5}, "has the discount 0.9; this world has 0.5"),
        ({"map": "S..\n..1", "options": {"kind": "none"}}, "shape .104, 104.; this MDP has 6"),
    ],
)
def test_a_map_of_another_world_is_not_shown(ask, learned, world, words):
    with raises(words):
        ask("rows", world=world, state=3, which="learned")


def test_a_name_that_is_taken_and_a_file_of_anything_else_are_refused(learned, tmp_path):
    with raises("kind 'learned' exists already"):
        offer_map(learned[0])
    hsr.save(hsr.point_options(MDP, targets=[3]), tmp_path / "options.npz")
    with raises("holds OptionSet; the lab shows files of maps"):
        offer_map(tmp_path / "options.npz")
