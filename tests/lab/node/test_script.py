"""Copy as Python: each script runs on its own and prints the numbers that the page shows."""

import contextlib
import io
import json

import numpy as np
import pytest

import hsr
from tests.lab.node.page_code import assert_same, replies_of_the_page, world

pytestmark = pytest.mark.filterwarnings("ignore::hsr.HSRWarning")

FOUR_ROOMS = hsr.load_layout("four_rooms").to_text()
SECOND = {"ties": "options", "stopping_state": "counted_twice"}
LEARNERS = [
    {"features": "hsr", "learning_rate": 0.05, "epsilon": 0.2, "options": True},
    {"features": "onehot", "options": False, "learning_rate": 1},
]
EXPLORERS = [
    {"bonus": "spie", "on": "hsr", "options": True},
    {"bonus": "none", "on": "sr", "options": False},
    {"bonus": "norm", "on": "sr", "options": True},
]
TRAIN = {"agents": LEARNERS, "seed": 3, "n_seeds": 4, "episodes": 6, "horizon": 200}
EXPLORE = {"agents": EXPLORERS, "seed": 1, "n_seeds": 3, "steps": 500}
SHOWN = {
    "rows of a walk": (world(FOUR_ROOMS), {"kind": "rows", "state": 30, "which": None}),
    "rows of a task": (
        world(FOUR_ROOMS, "2", 0.95, SECOND, kind="covering", n=4),
        {"kind": "rows", "state": 30, "which": None},
    ),
    "rows of another map": (
        world(FOUR_ROOMS, "1", 0.0), {"kind": "rows", "state": 30, "which": "rw_hsr"},
    ),
    "rows of a maze too small for 8 options": (
        world("S..\n..1", discount=1e-5), {"kind": "rows", "state": 3, "which": None},
    ),
    "rows of every task": (
        world(FOUR_ROOMS, "every", kind="random", n=3, seed=4),
        {"kind": "rows", "state": 30, "which": "esr"},
    ),
    "rows of many states": (
        world("\n".join(["." * 40] * 25), "every", kind="none"),
        {"kind": "rows", "state": 0, "which": None},
    ),
    "rows while goal 1 is missing and goal 2 walled in": (
        world("S..#2\n...##\n.....", "2", n=2, signs="both"),
        {"kind": "rows", "state": 3, "which": None},
    ),
    "options": (world(FOUR_ROOMS, kind="covering", n=3), {"kind": "world"}),
    "matrices": (world(FOUR_ROOMS, "1"), {"kind": "matrix", "which": "esr"}),
    "distance": (world(FOUR_ROOMS), {"kind": "distance", "state": 3, "srDiscount": 0.9}),
    "svd": (world(FOUR_ROOMS, "1"), {"kind": "basis", "which": "hsr", "basis": "svd", "n": 3}),
    "nmf": (world(FOUR_ROOMS, "every"), {"kind": "basis", "which": "sr", "basis": "nmf", "n": 5}),
    "train": (world(FOUR_ROOMS), {"kind": "train", **TRAIN}),
    "explore": (
        world(FOUR_ROOMS, kind="none"),
        {"kind": "explore", **EXPLORE},
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def page():
    """Return the script of each case, and the reply with the numbers."""
    asked = {}
    for name, (described, show) in SHOWN.items():
        asked[name, "code"] = {"do": "python", "world": described, "show": show}
        fields = {"matched": False, **show}
        asked[name, "reply"] = {"do": show["kind"], "world": described, **fields}
    asked["explorations"] = {"do": "explorations", "world": SHOWN["explore"][0], **EXPLORE}
    asked["seeds"] = {"do": "seeds", "world": SHOWN["train"][0], **TRAIN}
    return replies_of_the_page(asked)


def printed(code):
    """Return what a script prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(code, {})
    return json.loads(out.getvalue())


@pytest.mark.parametrize("name", SHOWN)
def test_a_script_prints_the_numbers_that_are_shown(page, name):
    reply, said = page[name, "reply"], printed(page[name, "code"]["code"])
    if name == "train":
        seeds = zip(reply["agents"], page["seeds"]["agents"], strict=True)
        steps = [[one["steps"], *(other["steps"] for other in others)] for one, others in seeds]
        reply = {"optimal": reply["optimal"], "agents": np.reshape(steps, (2, 4, 2, 6))}
        said["agents"] = [agent["all_steps"] for agent in said["agents"]]
    elif name == "explore":
        others = page["explorations"]["agents"]
        for one, seeds, agent in zip(reply["agents"], others, said.pop("agents"), strict=True):
            assert [one["coverage"], *seeds] == agent["all_coverage"]
            assert one["firstVisit"] == agent["first_visit"]
        reply = {"times": reply["times"]}
    elif name == "options":
        for one, other in zip(reply.pop("options"), said.pop("options"), strict=True):
            assert {key: one[key] for key in other} == other
    elif name == "distance":
        for which, found in said.items():
            for key, value in found.items():
                assert_same(reply[which][key], value)
        said = {}
    elif name == "matrices":
        reply = {"other": np.reshape(reply["matrix"], (104, 104))}
        assert np.shape(said.pop("sr")) == np.shape(said.pop("hsr")) == (104, 104)
    for key, value in said.items():
        np.testing.assert_allclose(reply[key], value, rtol=1e-7, atol=1e-9, err_msg=key)
