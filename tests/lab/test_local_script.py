"""The script that the page writes without a server is the one that the server writes."""

import pytest

import hsr
from tests.lab.page_code import replies_of_the_page
from tests.lab.server_process import answered

FOUR_ROOMS = hsr.load_layout("four_rooms").to_text()
MAZE = hsr.random_maze(31, seed=1).to_text()
BY_HAND = {"n": 3, "at_most": True}
SCRIPTS = {
    "rows": ({"map": FOUR_ROOMS}, {"kind": "rows", "state": 3}),
    "another map": ({"map": FOUR_ROOMS}, {"kind": "rows", "state": 3, "which": "ehsr"}),
    "a goal": (
        {"map": FOUR_ROOMS, "task": "2", "discount": 0.0, "reading": {"ties": "options"}},
        {"kind": "rows", "state": 3, "which": "rw_hsr"},
    ),
    "every goal": (
        {"map": MAZE, "task": "every", "options": {"kind": "diffusion", "diffusion_time": 4}},
        {"kind": "rows", "state": 0},
    ),
    "many states": (
        {"map": "\n".join(["." * 30] * 17), "task": "every", "options": {"kind": "none"}},
        {"kind": "rows", "state": 0, "which": "esr"},
    ),
    "few options": (
        {"map": "S.1", "options": {"n": 64, "at_most": True}, "discount": 1e-5},
        {"kind": "rows", "state": 0},
    ),
    "a gap in the goals": (
        {"map": "S.1\n..3", "options": BY_HAND}, {"kind": "rows", "state": 0},
    ),
    "goals out of reach": (
        {"map": "S.#1\n..#2", "options": BY_HAND}, {"kind": "rows", "state": 0},
    ),
    "no start": (
        {"map": "..#2\n..#1", "options": {**BY_HAND, "signs": "+-+"}}, {"kind": "rows", "state": 0},
    ),
    "features": ({"map": FOUR_ROOMS}, {"kind": "basis", "which": "hsr", "n": 7, "basis": "nmf"}),
    "features of all goals": (
        {"map": FOUR_ROOMS, "task": "every"},
        {"kind": "basis", "which": "sr", "n": 5, "basis": "svd", "vectors": "left", "scale": "max"},
    ),
    "rows as features": (
        {"map": FOUR_ROOMS}, {"kind": "basis", "which": "esr", "n": 5, "basis": "rows"},
    ),
    "training": (
        {"map": FOUR_ROOMS},
        {
            "kind": "train", "episodes": 9, "horizon": 70, "seed": 4, "n_seeds": 3,
            "agents": [
                {"features": "hsr", "learning_rate": 0.00002, "epsilon": 0},
                {"features": "onehot", "options": False, "tie_tolerance": 2.5e-300},
            ],
        },
    ),
    "one seed": (
        {"map": FOUR_ROOMS},
        {"kind": "train", "episodes": 9, "horizon": 70, "agents": [{"learning_rate": 1}]},
    ),
    "exploring": (
        {"map": FOUR_ROOMS},
        {
            "kind": "explore", "steps": 500, "seed": 2,
            "agents": [{"bonus": "none", "options": False}, {"bonus_weight": 2, "on": "sr"},
                       {"online": {"method": "frontier", "warm_up": 100, "refresh": 100}}],
        },
    ),
}  # fmt: skip
REFUSED = {
    "no goal": ({"map": "S.", "task": "1", "options": {"n": 1}}, {"kind": "rows", "state": 0}),
    "no words": (
        {"map": FOUR_ROOMS},
        {"kind": "train", "episodes": 1, "horizon": 1, "agents": [{"features": "x'); quit("}]},
    ),
}


@pytest.fixture(scope="module")
def page():
    asked = {
        name: {"do": "python", "world": world, "show": show}
        for name, (world, show) in (SCRIPTS | REFUSED).items()
    }
    return replies_of_the_page(asked)


@pytest.mark.filterwarnings("ignore::hsr.HSRWarning")
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_that_of_the_server(page, answers, name):
    world, show = SCRIPTS[name]
    assert page[name]["code"] == answered(answers, "python", world=world, show=show)["code"]


@pytest.mark.parametrize("name", REFUSED)
def test_no_text_of_a_page_enters_a_script_unread(page, name):
    assert set(page[name]) == {"refused"}
