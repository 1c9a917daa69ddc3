"""What the page answers without a server: mazes and refusals are those of the server."""

import numpy as np
import pytest

import hsr
from tests.lab.page_code import REPLIES, array, computed, replies_of_the_page
from tests.lab.server_process import answered, unpacked

FOUR_ROOMS = {"map": hsr.load_layout("four_rooms").to_text()}
SQUARE = {"map": "\n".join(["....."] * 5)}
SMALL = {"map": "S.1"}
CUT_OFF = {"map": "S.1#2", "options": {"kind": "none"}}
LARGE = {"map": "S12" + "." * 40}
PARTS = {"which": "sr", "kind": "nmf", "n": 4}
TRAIN = {"world": FOUR_ROOMS, "episodes": 2, "horizon": 30}
EXPLORE = {"world": FOUR_ROOMS, "steps": 10}
INSIDE = {"map_update": "intra_option"}

SERVER_ONLY = {
    "signs of a solver": ("world", {"world": {**SQUARE, "options": {"signs": "svd"}}}),
    "landmarks of the SR": ("world", {"world": {**SQUARE, "options": {"kind": "successor"}}}),
    "a large maze": ("rows", {"world": {"map": "\n".join(["." * 32] * 3)}, "state": 0}),
    "equal singular values": ("basis", {"world": SQUARE, **PARTS, "kind": "svd"}),
    "a random start": ("basis", {"world": FOUR_ROOMS, **PARTS, "start": "random"}),
    "another solver": ("basis", {"world": FOUR_ROOMS, **PARTS, "solver": "multiplicative"}),
    "more parts than states": ("basis", {"world": SMALL, **PARTS}),
    "agents in a large maze": ("train", {**TRAIN, "world": LARGE, "agents": [{}]}),
    "a large maze to explore": ("explore", {**EXPLORE, "world": LARGE, "agents": [{}]}),
    "features of a plugin": ("train", {**TRAIN, "agents": [{"features": "pixels"}]}),
    "a bonus of a plugin": ("explore", {**EXPLORE, "agents": [{"bonus": "surprise"}]}),
    "a huge seed": ("train", {**TRAIN, "agents": [{}], "seed": 2**60}),
}
REFUSED = {
    "no goal": ("rows", {"world": {**SMALL, "task": "2", "options": {"n": 1}}, "state": 0}),
    "no such state": ("rows", {"world": SMALL, "state": 3}),
    "too many options": ("world", {"world": {**SMALL, "options": {"n": 9}}}),
    "too many targets": ("world", {"world": {**SMALL, "options": {"n": 9, "kind": "random"}}}),
    "too many pairs": ("world", {"world": {**SMALL, "options": {"n": 9, "kind": "covering"}}}),
    "another pattern": ("world", {"world": {**SMALL, "options": {"n": 2, "signs": "+-+"}}}),
    "a whole large map": ("matrix", {"world": {"map": "\n".join(["." * 30] * 17)}, "which": "sr"}),
    "unknown map": ("matrix", {"world": SMALL, "which": "x"}),
    "unknown basis": ("basis", {"world": SMALL, "which": "sr", "kind": "x", "n": 1}),
    "unknown options": ("world", {"world": {**SMALL, "options": {"kind": "x"}}}),
    "unknown word": ("world", {"world": {**SMALL, "reading": {"ties": "x"}}}),
    "no number": ("world", {"world": {**SMALL, "discount": "x"}}),
    "too large": ("world", {"world": {**SMALL, "discount": 1}}),
    "too small": ("maze", {"size": 3}),
    "no integer": ("maze", {"size": 9.5}),
    "no text": ("check", {"map": 7}),
    "long text": ("check", {"map": "." * 20_000}),
    "missing": ("rows", {"world": SMALL}),
    "unknown field": ("check", {"map": ".", "x": [1, None]}),
    "no object": ("world", {"world": None}),
    "no agents": ("train", {"world": SMALL, "agents": [], "episodes": 1, "horizon": 1}),
    "agents without a goal 2": ("train", {**TRAIN, "agents": [{}], "world": SMALL}),
    "agents without a start": ("train", {**TRAIN, "agents": [{}], "world": SQUARE}),
    "a goal cut off": ("train", {**TRAIN, "agents": [{}], "world": CUT_OFF}),
    "a dual map": ("train", {**TRAIN, "agents": [{"features": "sr", "form": "dual"}]}),
    "inside of no option": ("train", {**TRAIN, "agents": [{"features": "sr", **INSIDE}]}),
    "interrupted inside": (
        "train",
        {**TRAIN, "agents": [{"features": "hsr", **INSIDE, "explore_at": "steps"}]},
    ),
    "no options for a map": (
        "train",
        {**TRAIN, "agents": [{"features": "rw_hsr", "options": False}]},
    ),
    "a large rate": ("train", {**TRAIN, "agents": [{"learning_rate": 1.5}]}),
    "no norm": ("explore", {**EXPLORE, "agents": [{"bonus": "norm", "initial_map": "zero"}]}),
    "a run that is gone": ("values", {"run": "x", "agent": 0, "episode": 0}),
    "a path that is gone": ("path", {"run": "x", "agent": 0, "begin": 0, "end": 1}),
    "a large drawing": ("check", {"map": "." * 129}),
}
SIZES = (5, 8, 31, 101)


def texts():
    """Return drawings of every kind: good, broken, and hostile."""
    rng = np.random.default_rng(0)
    signs = list("..........##S12 ") + ["\n"] * 4
    odd = [*signs, "x", "\r\n", "\r", "\t", "é", "\0", "'", "\u200b", "\U0001f600", "<", "\\"]
    made = ["".join(rng.choice(signs, rng.integers(0, 40))) for _ in range(60)]
    made += ["".join(rng.choice(odd, rng.integers(0, 40))) for _ in range(60)]
    made += ["", "\ufeff..", "##\n##", "..\n.", "...\n..\n..", "S.S", "1.1", ".  \n.\n", ". .\n  #"]
    return made + [hsr.load_layout(name).to_text() for name in hsr.layout_names()]


TEXTS = texts()


@pytest.fixture(scope="module")
def page():
    """Return the replies of the page to everything that is asked here."""
    asked = {name: {"do": do, **given} for name, (do, given) in (SERVER_ONLY | REFUSED).items()}
    asked |= {text: {"do": "check", "map": text} for text in TEXTS}
    asked |= {size: {"do": "maze", "size": size, "seed": 10 * size} for size in SIZES}
    return replies_of_the_page(asked | {"presets": {"do": "presets"}})


def reply_of_the_server(answers, do, **fields):
    """Return the reply with arrays as lists, or why the request is refused."""
    try:
        reply = answered(answers, do, **fields)
    except hsr.InputError as error:
        return {"refused": str(error)}
    lists = {k: unpacked(v).tolist() for k, v in reply.items() if isinstance(v, dict)}
    return reply | lists


@pytest.mark.parametrize("name", SERVER_ONLY)
def test_what_rounding_decides_or_is_large_is_left_to_the_server(page, name):
    assert page[name]["refused"].endswith("needs `hsr lab`")


@pytest.mark.parametrize("name", REFUSED)
def test_bad_requests_are_refused_in_the_words_of_the_server(page, answers, name):
    do, fields = REFUSED[name]
    with pytest.raises(hsr.InputError) as refused:
        answered(answers, do, **fields)
    assert page[name] == {"refused": str(refused.value)}


def test_drawings_are_read_and_refused_as_by_the_server(page, answers):
    for text in TEXTS:
        reply = page[text]
        found = {k: array(v).tolist() if isinstance(v, dict) else v for k, v in reply.items()}
        assert found == reply_of_the_server(answers, "check", map=text), repr(text)


@pytest.mark.parametrize("size", SIZES)
def test_random_mazes_are_those_of_the_library(page, size):
    assert page[size]["map"] == hsr.random_maze(size, seed=10 * size).to_text()


def test_names_and_named_mazes_are_those_of_the_library(page, answers):
    assert page["presets"] == answered(answers, "presets")


def test_a_long_request_lets_others_pass_and_can_be_cancelled():
    maze = hsr.random_maze(31, seed=0).to_text()
    many = {"map": maze, "task": "every", "options": {"n": 40}}
    source = (
        REPLIES.replace("export default", "const unused =")
        + """
    export default async (long) => {
      const work = new Slices();
      const order = [];
      const slow = reply(long, work).then((result) => order.push("long", result.refused));
      await reply({ do: "check", map: "." });
      order.push("quick");
      work.cancelled = true;
      await slow;
      return order;
    };
    """
    )
    order = computed(source, {"do": "matrix", "world": many, "which": "hsr"})
    assert order == ["quick", "long", "cancelled"]
