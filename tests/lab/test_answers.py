"""Replies against the functions of `hsr`, and against what can be counted by hand."""

from functools import partial

import numpy as np
import pytest

import hsr
from hsr.lab import limits
from hsr.lab.answers import Answers
from tests.lab.server_process import FOUR_ROOMS, answered, unpacked

pytestmark = pytest.mark.filterwarnings("ignore::hsr.HSRWarning")

READINGS = [
    {"ties": ties, "stopping_state": stopping_state}
    for ties in ("uniform", "options", "primitives")
    for stopping_state in ("counted_once", "counted_twice")
]
OPTIONS = [
    {"kind": "eigen", "n": 5, "signs": "both"},
    {"kind": "covering", "n": 4},
    {"kind": "random", "n": 3, "seed": 7},
    {"kind": "none"},
]
SINGLE = 1e-6  # relative error of a 32-bit number, with room for one rounding more


@pytest.fixture(scope="module")
def answers():
    return Answers()


@pytest.fixture(scope="module")
def ask(answers):
    return partial(answered, answers)


@pytest.fixture(scope="module")
def mdp():
    return hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)


def options_of(mdp, asked):
    settings = dict(asked)
    kind, n_options = settings.pop("kind"), settings.pop("n", 0)
    if kind == "none":
        return hsr.OptionSet(np.zeros((0, mdp.n_states), dtype=int), np.zeros((0, mdp.n_states)))
    return hsr.make_options(mdp, kind, n_options, **settings)


def maps_of(mdp, options, task, reading):
    """Return SR and HSR as a reader of the documentation would make them."""
    layout = hsr.load_layout("four_rooms")
    stopping_state = reading["stopping_state"]
    if task == "walk":
        model = hsr.option_model(mdp, options)
        hierarchical = hsr.hierarchical_sr(
            model, hsr.uniform_choice(model), stopping_state=stopping_state
        )
        return hsr.successor_representation(mdp), hierarchical
    if task == "every":
        tasks = hsr.goal_tasks(mdp)
        return hsr.expected_sr(mdp, tasks), hsr.expected_hsr(mdp, options, tasks, **reading)
    goal = hsr.GoalTask(layout.start, layout.goals[int(task) - 1])
    model = hsr.option_model(mdp, options, task=goal)
    mu = hsr.plan_over_options(model, goal, ties=reading["ties"])
    sr = hsr.successor_representation(mdp, hsr.greedy_policy(mdp, goal), task=goal)
    return sr, hsr.hierarchical_sr(model, mu, stopping_state=stopping_state)


def test_presets_are_the_maps_of_the_library(ask):
    maps = ask("presets")["maps"]
    assert {name: hsr.GridLayout.from_text(text) for name, text in maps.items()} == {
        name: hsr.load_layout(name) for name in hsr.layout_names()
    }


@pytest.mark.parametrize("size", [5, 12, 101])
def test_a_maze_is_that_of_the_library(ask, size):
    assert ask("maze", size=size, seed=3)["map"] == hsr.random_maze(size, seed=3).to_text()


def test_a_check_tells_what_the_four_rooms_are(ask):
    reply, layout = ask("check", map=FOUR_ROOMS), hsr.load_layout("four_rooms")
    assert (reply["n_states"], reply["rows"], reply["columns"], reply["parts"]) == (104, 13, 13, 1)
    assert (reply["start"], reply["goals"], reply["problems"], reply["lost"]) == (
        0,
        [28, 92],
        [],
        [],
    )
    assert np.array_equal(unpacked(reply["cells"]), layout.cells)
    assert np.array_equal(unpacked(reply["room_of"]), layout.room_of)
    assert reply["bottlenecks"] == layout.bottlenecks.tolist()


@pytest.mark.parametrize(
    ("text", "start", "goals", "lost", "words"),
    [
        ("...", None, [], [], ["no start", "no goal 1", "no goal 2"]),
        ("S.2", 0, [2], [], ["no goal 1"]),
        ("S1#2.", 0, [1, 2], [2, 3], ["goal 2 cannot be reached", "2 parts: 2 cells"]),
        ("2S1#.", 1, [2, 0], [3], ["2 parts: 1 cell "]),
        ("1#2", None, [0, 1], [], ["no start"]),
    ],
)
def test_a_check_says_what_is_wrong_in_words(ask, text, start, goals, lost, words):
    reply = ask("check", map=text)
    assert (reply["start"], reply["goals"], reply["lost"]) == (start, goals, lost)
    assert len(reply["problems"]) == len(words)
    assert all(word in problem for word, problem in zip(words, reply["problems"], strict=True))


@pytest.mark.parametrize(
    "text", ["", "###", "SS", "..\n.", "S?", "S.\x1b", "." * (limits.MAZE_SIDE + 1)]
)
def test_a_text_that_is_no_map_is_refused(ask, text):
    with pytest.raises(hsr.InputError):
        ask("check", map=text)


@pytest.mark.parametrize("asked", OPTIONS, ids=lambda asked: asked["kind"])
def test_the_options_of_a_world_are_those_of_the_library(ask, mdp, asked):
    shown, options = (
        ask("world", world={"map": FOUR_ROOMS, "options": asked})["options"],
        options_of(mdp, asked),
    )
    assert [option["name"] for option in shown] == list(options.names)
    for one, option in zip(shown, options, strict=True):
        policy = unpacked(one["policy"])
        assert np.array_equal(policy >= 0, option.initiation)
        assert np.array_equal(policy[option.initiation], option.policy[option.initiation])
        assert one["ends"] == np.flatnonzero(option.termination).tolist()


def test_an_eigenoption_climbs_the_vector_that_is_shown(ask):
    """Each step of an option goes to a neighbour, and where it ends no neighbour is higher."""
    neighbours = hsr.load_layout("four_rooms").neighbours
    for option in ask("world", world={"map": FOUR_ROOMS, "options": OPTIONS[0]})["options"]:
        v, ends = unpacked(option["vector"]), option["ends"]
        assert np.abs(v).max() == 1.0
        assert (v[neighbours[ends]].max(axis=1) <= v[ends]).all()


@pytest.mark.parametrize("text", [FOUR_ROOMS, "S.1#...2.", ".#.#."])
def test_the_spectrum_is_that_of_the_walk_written_out(ask, text):
    mdp = hsr.grid_mdp(
        hsr.GridLayout.from_text(text.translate(dict.fromkeys(map(ord, "S12"), "."))), discount=0.9
    )
    M = hsr.successor_representation(mdp).toarray()
    expected = np.sort(np.linalg.eigvalsh((M + M.T) / 2))[::-1][: limits.EIGENVALUES]
    shown = unpacked(ask("world", world={"map": text, "options": {"kind": "none"}})["spectrum"])
    np.testing.assert_allclose(shown, expected, rtol=1e-5)


@pytest.mark.parametrize("task", ["walk", "1", "2", "every"])
@pytest.mark.parametrize("asked", OPTIONS, ids=lambda asked: asked["kind"])
def test_rows_are_those_of_the_library(ask, mdp, task, asked):
    sr, hierarchical = maps_of(mdp, options_of(mdp, asked), task, READINGS[0])
    reply = ask("rows", world={"map": FOUR_ROOMS, "options": asked, "task": task}, state=17)
    np.testing.assert_allclose(unpacked(reply["sr"]), sr.rows(17), rtol=SINGLE, atol=1e-12)
    np.testing.assert_allclose(
        unpacked(reply["hsr"]), hierarchical.rows(17), rtol=SINGLE, atol=1e-12
    )


@pytest.mark.parametrize("task", ["walk", "1", "every"])
@pytest.mark.parametrize("reading", READINGS, ids=lambda reading: "-".join(reading.values()))
def test_a_matrix_follows_the_reading(ask, mdp, task, reading):
    _, hierarchical = maps_of(mdp, options_of(mdp, OPTIONS[0]), task, reading)
    world = {"map": FOUR_ROOMS, "options": OPTIONS[0], "task": task, "reading": reading}
    shown = unpacked(ask("matrix", world=world, which="hsr")["matrix"])
    np.testing.assert_allclose(shown, hierarchical.toarray(), rtol=SINGLE, atol=1e-12)


def test_the_discount_is_the_one_asked_for(ask):
    """A row of a walk that nothing ends sums to 1 / (1 - g)."""
    shown = unpacked(
        ask("matrix", world={"map": FOUR_ROOMS, "discount": 0.75}, which="sr")["matrix"]
    )
    np.testing.assert_allclose(shown.sum(axis=1), 4.0, rtol=1e-5)


def test_many_states_are_averaged_over_goals_drawn_by_seed_0(ask):
    layout = hsr.random_maze(41, seed=0)
    assert layout.n_states > limits.EVERY_GOAL_STATES
    mdp = hsr.grid_mdp(layout, discount=0.9)
    goals = np.random.default_rng(0).permutation(layout.n_states)[:64]
    expected = hsr.expected_sr(mdp, [hsr.GoalTask(None, int(goal)) for goal in goals]).rows(5)
    shown = ask("rows", world={"map": layout.to_text(), "task": "every"}, state=5)["sr"]
    np.testing.assert_allclose(unpacked(shown), expected, rtol=SINGLE, atol=1e-12)


@pytest.mark.parametrize("task", ["walk", "every"])
def test_an_svd_basis_is_that_of_the_library(ask, mdp, task):
    sr, _ = maps_of(mdp, options_of(mdp, OPTIONS[3]), task, READINGS[0])
    world = {"map": FOUR_ROOMS, "task": task}
    shown = unpacked(ask("basis", world=world, which="sr", kind="svd", n=6)["features"])
    np.testing.assert_allclose(
        np.linalg.norm(shown, axis=1), np.linalg.svd(sr.toarray())[1][:6], rtol=1e-5
    )
    np.testing.assert_allclose(
        shown, hsr.SVDBasis(6).fit(sr.toarray()).features_.T, rtol=1e-4, atol=1e-5
    )


def test_an_nmf_basis_has_its_strongest_part_first(ask, mdp):
    _, M = maps_of(mdp, hsr.eigenoptions(mdp), "walk", READINGS[0])
    shown = unpacked(
        ask("basis", world={"map": FOUR_ROOMS}, which="hsr", kind="nmf", n=9)["features"]
    )
    basis = hsr.NMFBasis(9, max_iter=limits.NMF_ITERATIONS).fit(M)
    parts = [np.outer(w, h) for w, h in zip(basis.features_.T, basis.components_, strict=True)]
    order = np.argsort([-np.linalg.norm(part) for part in parts])
    np.testing.assert_allclose(shown, basis.features_.T[order], rtol=1e-5, atol=1e-6)


def test_a_map_can_be_looked_at_while_a_goal_is_walled_in(ask):
    world = {"map": "S..#1\n...##\n..2..", "options": {"kind": "eigen", "n": 2}}
    assert "cannot be reached" in ask("check", map=world["map"])["problems"][0]
    row = unpacked(ask("rows", world={**world, "task": "1"}, state=3)["sr"])
    assert row[3] == 1.0  # the goal itself, and nothing follows
    assert unpacked(
        ask("rows", world={**world, "task": "walk"}, state=0)["hsr"]
    ).sum() == pytest.approx(10.0, rel=1e-6)


@pytest.mark.parametrize(
    ("do", "fields", "words"),
    [
        ("rows", {"world": {"map": FOUR_ROOMS}, "state": 104}, "state is 104"),
        (
            "rows",
            {"world": {"map": "S..\n...", "task": "1", "options": {"kind": "none"}}, "state": 0},
            "no goal 1",
        ),
        (
            "matrix",
            {"world": {"map": "." * 51 + ("\n" + "." * 51) * 9}, "which": "sr"},
            "at most 500",
        ),
        (
            "basis",
            {
                "world": {"map": "." * 50 + ("\n" + "." * 50) * 40},
                "which": "sr",
                "kind": "svd",
                "n": 1,
            },
            "at most 2000",
        ),
        ("matrix", {"world": {"map": "..."}, "which": "psr"}, "it must be one of 'rw_sr'"),
        ("world", {"world": {"map": "...", "options": {"n": 8}}}, "8 eigenvectors"),
        ("cancel", {"target": 1}, "cancel"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_words(ask, do, fields, words):
    with pytest.raises(hsr.InputError, match=words):
        ask(do, **fields)


def test_a_world_is_made_once(answers, ask, monkeypatch):
    world = {"map": FOUR_ROOMS, "discount": 0.6, "task": "1"}
    first = ask("rows", world=world, state=0)
    monkeypatch.setattr(hsr, "hierarchical_sr", None)
    monkeypatch.setattr(hsr, "eigenoptions", None)
    assert ask("rows", world=world, state=0) == first
    with pytest.raises(TypeError):
        ask("rows", world={**world, "discount": 0.61}, state=0)
