"""Options, maps and features that the page computes without a server are those of the library."""

import json
import warnings

import numpy as np
import pytest

import hsr
from hsr.lab import limits
from hsr.lab.messages import read_request
from hsr.lab.worlds import Worlds
from tests.lab.page_code import array, replies_of_the_page


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
OPTIONS = {
    "eight": {"n": 8},
    "both signs": {"n": 7, "signs": "both"},
    "random signs": {"n": 6, "signs": "random", "seed": 3},
    "a pattern": {"n": 3, "signs": "+-+"},
    "constant counted": {"n": 4, "signs": "+-+", "first": "counted"},
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


def world(maze, options="eight", task="walk", reading="as usual", discount=0.9):
    """Return the description of a world, with fewer options where the maze is small."""
    return {
        "map": MAZES[maze],
        "discount": discount,
        "options": {"at_most": True, **OPTIONS[options]},
        "reading": READINGS[reading],
        "task": task,
    }


WORLDS = {
    **{f"options of {maze}": world(maze) for maze in MAZES},
    **{f"{options} in four rooms": world("four_rooms", options) for options in OPTIONS},
    **{f"{options} in parts": world("several parts", options) for options in OPTIONS},
    "near one": world("four_rooms", discount=0.9999),
}
ROWS = {
    **{f"{maze}, walk": world(maze) for maze in MAZES if maze != "two cells"},
    **{
        f"four rooms, {task}, {reading}": world("four_rooms", task=task, reading=reading)
        for task in ("1", "2", "every")
        for reading in READINGS
    },
    **{
        f"parts, {task}, {reading}": world("several parts", task=task, reading=reading)
        for task in ("walk", "1", "every")
        for reading in READINGS
    },
    **{f"square, {kind}": world("square", kind, "1") for kind in ("covering", "random", "none")},
    **{f"loop at {g}": world("loop", task="2", discount=g) for g in (0.0, 0.5, 0.999)},
    "31 x 31, goal": world("31 x 31", "betweenness", "1"),
    "maze 31, every goal": world("maze 31", "none", "every"),
}
MATRICES = {
    "walk": (world("four_rooms"), "hsr"),
    "goal": (world("loop", task="1"), "sr"),
    "every goal": (world("maze 9", task="every", reading="drawn"), "hsr"),
    "parts, every goal": (world("several parts", task="every", reading="options first"), "hsr"),
    "named": (world("maze 15", task="1"), "esr"),
}
BASES = {
    "NMF": (world("four_rooms"), "hsr", {"kind": "nmf", "n": 12}),
    "NMF of a goal": (
        world("four_rooms", task="1"), "hsr",
        {"kind": "nmf", "n": 5, "scale": "max", "parts": "norms_in_features"},
    ),
    "NMF of all goals": (world("four_rooms", task="every"), "sr", {"kind": "nmf", "n": 7}),
    "NMF, symmetric": (world("corridor"), "sr", {"kind": "nmf", "n": 12}),
    "NMF, 31 x 31": (world("maze 31"), "hsr", {"kind": "nmf", "n": 4}),
    "SVD": (world("four_rooms"), "hsr", {"kind": "svd", "n": 12}),
    "SVD, all": (world("maze 7"), "hsr", {"kind": "svd", "n": 17, "vectors": "left"}),
    "SVD, 31 x 31": (
        world("maze 31"), "hsr", {"kind": "svd", "n": 8, "vectors": "right", "scale": "unit_rows"},
    ),
    "rows": (world("four_rooms"), "hsr", {"kind": "rows", "n": 9, "scale": "unit_columns"}),
    "one-hot": (world("four_rooms"), "hsr", {"kind": "onehot", "n": 9, "scale": "max"}),
}  # fmt: skip


def asked():
    """Return every request by its name."""
    requests = {f"world {name}": {"do": "world", "world": one} for name, one in WORLDS.items()}
    for name, one in ROWS.items():
        state = len(one["map"]) % 9
        requests[f"rows {name}"] = {"do": "rows", "world": one, "state": state, "which": "rw_hsr"}
    for name, (one, which) in MATRICES.items():
        requests[f"matrix {name}"] = {"do": "matrix", "world": one, "which": which}
    for name, (one, which, settings) in BASES.items():
        requests[f"basis {name}"] = {"do": "basis", "world": one, "which": which, **settings}
    return requests


ASKED = asked()


@pytest.fixture(scope="module")
def page():
    return replies_of_the_page(ASKED)


@pytest.fixture(scope="module")
def worlds():
    return Worlds()


def asked_world(name):
    """Return the world of a request as the server reads it."""
    return read_request(json.dumps({"id": 0, **ASKED[name]})).world


def assert_same(numbers, expected):
    """Assert that an array is the library's to 1e-9, which is what the page promises."""
    np.testing.assert_allclose(array(numbers), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", WORLDS)
def test_options_and_spectrum_are_those_of_the_library(page, worlds, name):
    reply, described = page[f"world {name}"], asked_world(f"world {name}")
    with warnings.catch_warnings(action="ignore"):
        choices = worlds.choices(described)
    assert [option["name"] for option in reply["options"]] == list(choices.options.names)
    for o, (shown, option) in enumerate(zip(reply["options"], choices.options, strict=True)):
        where = np.where(option.initiation, option.policy, -1)
        np.testing.assert_array_equal(array(shown["policy"]), where)
        assert shown["ends"] == np.flatnonzero(option.termination).tolist()
        if choices.vectors is None:
            assert shown["vector"] is None
        else:
            assert_same(shown["vector"], choices.vectors[:, o])
    assert_same(reply["spectrum"], worlds.spectrum(described))


@pytest.mark.parametrize("name", ROWS)
def test_rows_of_maps_are_those_of_the_library(page, worlds, name):
    reply, described = page[f"rows {name}"], asked_world(f"rows {name}")
    state = ASKED[f"rows {name}"]["state"]
    for shown, which in (("sr", "sr"), ("hsr", "hsr"), ("other", "rw_hsr")):
        with warnings.catch_warnings(action="ignore"):
            M = worlds.map(described, which)
        row = M[state] if isinstance(M, np.ndarray) else M.rows(state)
        assert_same(reply[shown], row)


@pytest.mark.parametrize("name", MATRICES)
def test_whole_maps_are_those_of_the_library(page, worlds, name):
    with warnings.catch_warnings(action="ignore"):
        M = worlds.map(asked_world(f"matrix {name}"), MATRICES[name][1])
    assert_same(page[f"matrix {name}"]["matrix"], np.asarray(M))


@pytest.mark.parametrize("name", BASES)
def test_features_are_those_of_the_library(page, worlds, name):
    _, which, given = BASES[name]
    settings = {key: value for key, value in given.items() if key not in ("kind", "n")}
    spec = hsr.BasisSpec(given["kind"], n_components=given["n"], **settings)
    M = np.asarray(worlds.map(asked_world(f"basis {name}"), which))
    estimator = spec.estimator(len(M))
    if given["kind"] == "nmf":
        estimator.max_iter = limits.NMF_ITERATIONS
    basis = estimator.fit(M)
    lengths = np.linalg.norm(basis.features_, axis=0), np.linalg.norm(basis.components_, axis=1)
    strongest = np.argsort(-np.float32(lengths[0] * lengths[1]), kind="stable")[: given["n"]]
    assert_same(page[f"basis {name}"]["features"], basis.features_.T[strongest])
