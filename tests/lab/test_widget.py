"""The widget without a notebook: its traits, and its answers to what a view would send."""

import json
from importlib.resources import files

import pytest

import hsr
from hsr.lab.requests import World
from tests.lab.server_process import FOUR_ROOMS, LAYOUT, assert_shown


def asked(view, message):
    """Hand a message to a widget as its view would, and return what it sends back."""
    sent = []
    view.send = lambda content, buffers=None: sent.append(content)
    view._handle_custom_msg(message, [])
    (reply,) = sent
    assert json.loads(json.dumps(reply)) == reply
    return reply


@pytest.mark.parametrize(
    "layout",
    ["four_rooms", FOUR_ROOMS, LAYOUT],
    ids=["name", "text", "layout"],
)
def test_a_view_knows_its_map(layout):
    view = hsr.widget(layout, discount=0.8, task="1")
    assert (view.check["n_states"], view.check["start"], view.check["goals"]) == (104, 0, [28, 92])
    assert view.world == World(map=FOUR_ROOMS, discount=0.8, task="1").model_dump()
    expected = {"kind": "eigen", "n": 8, "signs": "positive", "seed": 0}
    assert {name: view.world["options"][name] for name in expected} == expected


def test_its_traits_and_script_go_to_the_view():
    view = hsr.widget("corridor", options={"kind": "covering", "n": 2}, reading={"ties": "options"})
    state = view.get_state()
    assert state["world"]["options"]["kind"] == "covering"
    assert state["world"]["reading"]["ties"] == "options"
    assert state["check"]["n_states"] == hsr.load_layout("corridor").n_states
    script = files("hsr.lab").joinpath("static/widget.js")
    assert state["_esm"] == script.read_text(encoding="utf-8")
    assert "export" in state["_esm"]


def test_a_message_is_answered_with_the_numbers_of_the_library():
    view = hsr.widget("four_rooms", discount=0.7)
    reply = asked(view, {"id": 5, "do": "rows", "world": view.world, "state": 40})
    sr = hsr.successor_representation(hsr.grid_mdp(LAYOUT, discount=0.7))
    assert (reply["id"], reply["ok"]) == (5, True)
    assert_shown(reply["sr"], sr.rows(40))


@pytest.mark.parametrize(
    ("message", "number"),
    [
        ({"id": 5, "do": "dance"}, 5),
        ({"do": "presets"}, None),
        ("nonsense", None),
        ({"id": 1, "do": "check", "map": ""}, 1),
    ],
)
def test_whatever_goes_wrong_is_one_sentence(message, number):
    reply = asked(hsr.widget(), message)
    assert (reply["id"], reply["ok"]) == (number, False)
    assert reply["error"]


def test_there_is_nothing_to_cancel():
    assert asked(hsr.widget(), {"id": 2, "do": "cancel", "target": 1}) == {"id": 2, "ok": True}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"layout": "five_rooms"}, "four_rooms"),
        ({"layout": 7}, "int"),
        ({"layout": ""}, "empty"),
        ({"discount": 1.0}, "discount"),
        ({"options": "eigenvalue"}, "kind"),
        ({"options": {"n": 0}}, "n is 0"),
        ({"reading": {"ties": "first"}}, "ties"),
        ({"task": "3"}, "task"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(arguments, words):
    with pytest.raises(hsr.InputError, match=words):
        hsr.widget(**arguments)
