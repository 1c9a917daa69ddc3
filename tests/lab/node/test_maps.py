"""Options, maps and features that the page computes are those of the library."""

import numpy as np
import pytest

import hsr
from tests.lab.node.library import LibraryWorld
from tests.lab.node.page_code import REPLIES, assert_same, computed, replies_of_the_page, world

pytestmark = pytest.mark.filterwarnings("ignore::hsr.HSRWarning")


def drawn(size, walls, seed):
    """Return a maze of random walls, with a start and two goals."""
    rng = np.random.default_rng(seed)
    signs = np.where(rng.random((size, size)) < walls, "#", ".")
    rows, columns = np.nonzero(signs == ".")
    for sign, place in zip("S12", rng.permutation(rows.size), strict=False):
        signs[rows[place], columns[place]] = sign
    return "\n".join(map("".join, signs))


def marked(text):
    """Return a maze with a start and two goals in its first, middle and last open cells."""
    cells = [at for at, sign in enumerate(text) if sign == "."]
    signs = list(text)
    for sign, at in zip("S12", (cells[0], cells[len(cells) // 2], cells[-1]), strict=True):
        signs[at] = sign
    return "".join(signs)


MAZES = {name: hsr.load_layout(name).to_text() for name in hsr.layout_names()}
MAZES |= {f"maze {n}": marked(hsr.random_maze(n, seed=n).to_text()) for n in (7, 9, 15, 31)}
MAZES |= {
    "square": marked("\n".join(["....."] * 5)),
    "several parts": drawn(9, 0.4, 5),
    "31 x 31": drawn(31, 0.2, 1),
    "two cells": "S1",
}
MAZES |= {
    "61 x 61": drawn(61, 0.2, 1),
    "maze 61": marked(hsr.random_maze(61, seed=3).to_text()),
}
KINDS = {
    "both signs": {"n": 7, "signs": "both"},
    "random signs": {"n": 6, "signs": "random", "seed": 3},
    "constant counted": {"n": 4, "first": "counted"},
    "many": {"n": 40},
    "covering": {"kind": "covering", "n": 6},
    "covering everywhere": {"kind": "covering", "n": 5, "initiation": "everywhere"},
    "random": {"kind": "random", "n": 6, "seed": 11},
    "betweenness": {"kind": "betweenness", "n": 5},
    "diffusion": {"kind": "diffusion", "n": 5, "diffusion_time": 9},
    "none": {"kind": "none"},
}
READINGS = {
    "as usual": {},
    "options first": {"ties": "options", "stopping_state": "counted_twice"},
    "actions first": {"ties": "primitives"},
    "drawn": {"ties": "random", "stopping_state": "counted_twice"},
}
FOUR_ROOMS, PARTS = MAZES["four_rooms"], MAZES["several parts"]
WORLDS = {
    **{f"options of {maze}": world(text) for maze, text in MAZES.items()},
    **{f"{kind} in four rooms": world(FOUR_ROOMS, **given) for kind, given in KINDS.items()},
    **{f"{kind} in parts": world(PARTS, **given) for kind, given in KINDS.items()},
    "near one": world(FOUR_ROOMS, discount=0.9999),
}
ROWS = {
    **{f"{maze}, walk": world(text) for maze, text in MAZES.items() if maze != "two cells"},
    **{
        f"four rooms, {task}, {name}": world(FOUR_ROOMS, task, reading=reading)
        for task in ("1", "2", "every")
        for name, reading in READINGS.items()
    },
    **{
        f"parts, {task}, {name}": world(PARTS, task, reading=reading)
        for task in ("walk", "1", "every")
        for name, reading in READINGS.items()
    },
    **{
        f"square, {kind}": world(MAZES["square"], "1", **KINDS[kind])
        for kind in ("covering", "random", "none")
    },
    **{f"loop at {g}": world(MAZES["loop"], "2", g) for g in (0.0, 0.5, 0.999)},
    "31 x 31, goal": world(MAZES["31 x 31"], "1", kind="betweenness", n=5),
    "31 x 31, every goal": world(MAZES["maze 31"], "every", kind="none"),
    "61 x 61, goal": world(MAZES["61 x 61"], "1", n=4),
    "61 x 61, drawn goals": world(MAZES["maze 61"], "every", n=4),
}
MATRICES = {
    "walk": (world(FOUR_ROOMS), "hsr"),
    "goal": (world(MAZES["loop"], "1"), "sr"),
    "every goal": (world(MAZES["maze 9"], "every", reading=READINGS["drawn"]), "hsr"),
    "parts, every goal": (world(PARTS, "every", reading=READINGS["options first"]), "hsr"),
    "named": (world(MAZES["maze 15"], "1"), "esr"),
}
BASES = {
    "NMF": (world(FOUR_ROOMS), "hsr", "nmf", 12),
    "NMF of a goal": (world(FOUR_ROOMS, "1"), "hsr", "nmf", 5),
    "NMF of all goals": (world(FOUR_ROOMS, "every"), "sr", "nmf", 7),
    "NMF, symmetric": (world(MAZES["corridor"]), "sr", "nmf", 12),
    "NMF, 31 x 31": (world(MAZES["maze 31"]), "hsr", "nmf", 4),
    "SVD": (world(FOUR_ROOMS), "hsr", "svd", 12),
    "SVD, all": (world(MAZES["maze 7"]), "hsr", "svd", 17),
    "SVD, 31 x 31": (world(MAZES["maze 31"]), "hsr", "svd", 8),
    "rows": (world(FOUR_ROOMS), "hsr", "rows", 9),
    "one-hot": (world(FOUR_ROOMS), "hsr", "onehot", 9),
}


def asked():
    """Return every request by its name."""
    requests = {f"world {name}": {"do": "world", "world": one} for name, one in WORLDS.items()}
    for name, one in ROWS.items():
        state = len(one["map"]) % 9
        requests[f"rows {name}"] = {"do": "rows", "world": one, "state": state, "which": "rw_hsr"}
    for name, (one, which) in MATRICES.items():
        requests[f"matrix {name}"] = {"do": "matrix", "world": one, "which": which}
    for name, (one, which, basis, n) in BASES.items():
        fields = {"which": which, "basis": basis, "n": n}
        requests[f"basis {name}"] = {"do": "basis", "world": one, **fields}
    square = world("\n".join(["....."] * 5))
    requests["equal values"] = {
        "do": "basis", "world": square, "which": "sr", "basis": "svd", "n": 4,
    }  # fmt: skip
    return requests


ASKED = asked()


@pytest.fixture(scope="module")
def page():
    return replies_of_the_page(ASKED)


@pytest.mark.parametrize("name", WORLDS)
def test_options_and_spectrum_are_those_of_the_library(page, name):
    reply, library = page[f"world {name}"], LibraryWorld(WORLDS[name])
    assert reply["unique"]
    assert [option["name"] for option in reply["options"]] == list(library.options.names)
    for o, (shown, option) in enumerate(zip(reply["options"], library.options, strict=True)):
        assert shown["policy"] == np.where(option.initiation, option.policy, -1).tolist()
        assert shown["ends"] == np.flatnonzero(option.termination).tolist()
        if library.vectors is None:
            assert shown["vector"] is None
        else:
            assert_same(shown["vector"], library.vectors[:, o])
    assert_same(reply["spectrum"], library.spectrum())


@pytest.mark.parametrize("name", ROWS)
def test_rows_of_maps_are_those_of_the_library(page, name):
    reply, library = page[f"rows {name}"], LibraryWorld(ROWS[name])
    state = ASKED[f"rows {name}"]["state"]
    for shown, which in (("sr", "sr"), ("hsr", "hsr"), ("other", "rw_hsr")):
        M = library.map(which)
        row = M[state] if isinstance(M, np.ndarray) else M.rows(state)
        assert_same(reply[shown], row)


@pytest.mark.parametrize("name", MATRICES)
def test_whole_maps_are_those_of_the_library(page, name):
    described, which = MATRICES[name]
    M = np.asarray(LibraryWorld(described).map(which))
    assert_same(page[f"matrix {name}"]["matrix"], M.ravel())


@pytest.mark.parametrize("name", BASES)
def test_features_are_those_of_the_library(page, name):
    described, *asked = BASES[name]
    assert page[f"basis {name}"]["unique"]
    assert_same(page[f"basis {name}"]["features"], LibraryWorld(described).features(*asked))


def test_features_that_rounding_decides_are_shown_and_named(page):
    reply = page["equal values"]
    assert not reply["unique"]
    M = np.asarray(LibraryWorld(ASKED["equal values"]["world"]).map("sr"))
    for feature in reply["features"]:  # the SR is symmetric: each feature is an eigenvector
        feature = np.array(feature)
        assert_same(M @ feature, feature @ M @ feature / (feature @ feature) * feature)


def test_a_long_request_lets_others_pass_and_can_be_cancelled():
    many = world(MAZES["maze 31"], "every", n=40)
    source = (
        REPLIES.replace("export default", "const unused =")
        + """
    export default async ([long, short]) => {
      const work = new Slices();
      const order = [];
      const slow = reply(long, work).then((result) => order.push("long", result.refused));
      await reply(short);
      order.push("quick");
      work.cancelled = true;
      await slow;
      return order;
    };
    """
    )
    long = {"do": "matrix", "world": many, "which": "hsr"}
    short = {"do": "world", "world": world("S.1")}
    assert computed(source, [long, short]) == ["quick", "long", "cancelled"]
