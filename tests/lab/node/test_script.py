"""Scripts of "Copy as Python" run on their own and print the numbers that the page shows."""

import contextlib
import io
import json

import numpy as np
import pytest

import hsr
from tests.lab.node.library import LibraryWorld, of
from tests.lab.node.page_code import assert_same, replies_of_the_page

pytestmark = pytest.mark.filterwarnings("ignore::hsr.HSRWarning")

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
ROW = {"kind": "rows", "state": 30, "which": None, "reward": None}
REWARD = [state % 7 - 3.5 for state in range(104)]


SHOWN = {
    "rows of a walk": (of("four_rooms"), ROW),
    "rows of a task": (of("four_rooms", "2", 0.95, SECOND, kind="covering", n=4), ROW),
    "rows of another map": (of("four_rooms", "1", 0.0), {**ROW, "which": "rw_hsr"}),
    "rows and rewards": (of("four_rooms", "2"), {**ROW, "reward": REWARD}),
    "rows of a small maze": (of("S..\n..1", discount=1e-5), {**ROW, "state": 3}),
    "rows of every task": (
        of("four_rooms", "every", kind="random", n=3, seed=4), {**ROW, "which": "esr"},
    ),
    "rows of drawn signs": (
        of("four_rooms", n=6, signs="random", first="counted", seed=3), ROW,
    ),
    "rows of many states": (of("\n".join(["." * 40] * 25), "every", kind="none"), ROW),
    "rows without goal 1 and with goal 2 walled in": (
        of("S..#2\n...##\n.....", "2", n=2, signs="both"), {**ROW, "state": 3},
    ),
    "options": (of("four_rooms", kind="covering", n=3), {"kind": "world"}),
    "matrices": (of("four_rooms", "1"), {"kind": "matrix", "which": "esr"}),
    "distance": (of("four_rooms"), {"kind": "distance", "state": 3, "srDiscount": 0.9}),
    "svd": (of("four_rooms", "1"), {"kind": "basis", "which": "hsr", "basis": "svd", "n": 3}),
    "nmf": (of("four_rooms", "every"), {"kind": "basis", "which": "sr", "basis": "nmf", "n": 5}),
}  # fmt: skip


@pytest.fixture(scope="module")
def page():
    """Return the script of each case, and the reply with the numbers."""
    asked = {}
    for name, (described, show) in SHOWN.items():
        asked[name, "code"] = {"do": "python", "world": described(), "show": show}
        fields = {"matched": False, **show}
        asked[name, "reply"] = {"do": show["kind"], "world": described(), **fields}
    asked["values"] = {"do": "values", "world": of("four_rooms", "2")(), "reward": REWARD}
    for kind, agents in (("train", TRAIN), ("explore", EXPLORE)):
        described = of("four_rooms")
        asked[kind] = {"do": "python", "world": described(), "show": {"kind": kind, **agents}}
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
    reply |= {f"{which}_value": value for which, value in page["values"].items()}
    if name == "options":
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


def options_and(spec, fields, library):
    """Return an agent of a request, after the options that it may use."""
    fields = dict(fields)
    return library.options if fields.pop("options") else None, spec(**fields)


def test_a_script_trains_the_agents_that_are_shown(page):
    said, library = printed(page["train"]["code"]), LibraryWorld(of("four_rooms")())
    tasks = [hsr.GoalTask(library.layout.start, library.goal(number)) for number in "12"]
    lengths = {"seeds": range(3, 7), "episodes": 6, "horizon": 200}
    for shown, fields in zip(said["agents"], LEARNERS, strict=True):
        options, agent = options_and(hsr.LinearQ, fields, library)
        run = hsr.train(library.mdp, tasks, agent, options, **lengths)
        assert shown["all_steps"] == run.steps.tolist()


def test_a_script_lets_the_agents_explore_that_are_shown(page):
    assert page["explore"]["code"].startswith("# The page draws other random numbers than Python")
    said, library = printed(page["explore"]["code"]), LibraryWorld(of("four_rooms")())
    lengths = {"seeds": [1, 2, 3], "steps": 500, "start": library.layout.start}
    for shown, fields in zip(said["agents"], EXPLORERS, strict=True):
        options, agent = options_and(hsr.Sarsa, fields, library)
        run = hsr.explore(library.mdp, agent, options, **lengths)
        assert shown["first_visit"] == run.first_visit[0].tolist()
        times = np.array(said["times"]) - 1
        assert shown["all_coverage"] == run.coverage[:, times].tolist()
