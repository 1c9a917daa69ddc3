"""Copy as Python: each script runs on its own and prints the numbers of the reply."""

import ast
import json
import subprocess
import sys

import pytest

from tests.lab.server_process import FOUR_ROOMS, assert_shown

pytestmark = pytest.mark.filterwarnings("ignore::hsr.HSRWarning")

LEARNERS = [
    {"features": "hsr", "learning_rate": 0.05, "epsilon": 0.2, "options": True},
    {"features": "onehot", "options": False},
]
EXPLORERS = [
    {"bonus": "spie", "on": "hsr"},
    {"bonus": "none", "on": "sr", "options": False},
    {"bonus": "norm", "on": "sr"},
    {"bonus": "none", "online": {"method": "frontier", "warm_up": 100, "refresh": 100}},
]
SHOWN = {
    "rows of a walk": ({"map": FOUR_ROOMS}, {"kind": "rows", "state": 30}),
    "rows of a task": (
        {
            "map": FOUR_ROOMS,
            "discount": 0.95,
            "task": "2",
            "options": {"kind": "covering", "n": 4},
            "reading": {"ties": "options", "stopping_state": "counted_twice"},
        },
        {"kind": "rows", "state": 30},
    ),
    "rows of another map": (
        {"map": FOUR_ROOMS, "task": "1"},
        {"kind": "rows", "state": 30, "which": "rw_hsr"},
    ),
    "rows of a maze too small for 8 options": (
        {"map": "S..\n..1", "options": {"at_most": True}},
        {"kind": "rows", "state": 3},
    ),
    "rows of every task": (
        {"map": FOUR_ROOMS, "task": "every", "options": {"kind": "random", "n": 3, "seed": 4}},
        {"kind": "rows", "state": 30},
    ),
    "rows while goal 1 is missing and goal 2 walled in": (
        {
            "map": "S..#2\n...##\n.....",
            "options": {"kind": "eigen", "n": 2, "signs": "both"},
            "task": "2",
        },
        {"kind": "rows", "state": 3},
    ),
    "svd": (
        {"map": FOUR_ROOMS, "task": "1"},
        {"kind": "basis", "which": "hsr", "basis": "svd", "n": 3},
    ),
    "nmf": (
        {"map": FOUR_ROOMS, "task": "every"},
        {"kind": "basis", "which": "sr", "basis": "nmf", "n": 5},
    ),
    "train": (
        {"map": FOUR_ROOMS},
        {
            "kind": "train",
            "agents": LEARNERS,
            "seed": 3,
            "n_seeds": 4,
            "episodes": 6,
            "horizon": 200,
        },
    ),
    "explore": (
        {"map": FOUR_ROOMS, "options": {"kind": "none"}},
        {"kind": "explore", "agents": EXPLORERS, "seed": 1, "steps": 500},
    ),
}


def reply_of(ask, world, show):
    fields = {name: value for name, value in show.items() if name != "kind"}
    if show["kind"] == "basis":
        fields["kind"] = fields.pop("basis")
    return ask(show["kind"], world=world, **fields)


def assert_same(shown, printed):
    """Assert that every printed array equals the array of the reply with its name."""
    if isinstance(shown, dict) and "shape" in shown:
        assert_shown(shown, printed, rtol=1e-4, atol=1e-6)
        return
    assert printed
    for name, value in printed.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            for one, other in zip(shown[name], value, strict=True):
                assert_same(one, other)
        elif isinstance(shown[name], dict):
            assert_same(shown[name], value)
        else:
            assert shown[name] == value


@pytest.mark.parametrize("name", SHOWN)
def test_a_script_prints_the_numbers_of_the_reply(name, ask, tmp_path):
    world, show = SHOWN[name]
    code = ask("python", world=world, show=show)["code"]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=120
    )
    assert done.returncode == 0, done.stderr
    reply, printed = reply_of(ask, world, show), json.loads(done.stdout)
    assert set(printed) == {name for name in reply if reply[name] is not None} - {"run"}
    assert_same(reply, printed)


@pytest.mark.parametrize("name", SHOWN)
def test_a_script_needs_only_hsr_and_what_comes_with_it(name, ask):
    world, show = SHOWN[name]
    tree = ast.parse(ask("python", world=world, show=show)["code"])
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert "hsr" in imported
    assert imported <= {"hsr", "json", "numpy"}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert ("numpy" in imported) == ("np" in used)


def test_nothing_gets_into_a_script_as_it_came(ask):
    """The maze is written from what was read; a text that ends the quotation is no maze."""
    show = {"kind": "rows", "state": 0}
    code = ask("python", world={"map": "S. #\r\n. 1# \n"}, show=show)["code"]
    assert '"""\\\nS..#\n..1#\n"""' in code
    with pytest.raises(ValueError, match="not allowed in a layout"):
        ask("python", world={"map": 'S.\n"""'}, show=show)
