"""Replies against the functions of `hsr`, and against what can be counted by hand."""

import numpy as np
import pytest

import hsr
from hsr.lab import limits
from tests.lab.server_process import FOUR_ROOMS, LAYOUT, MDP, TASKS, assert_shown, unpacked

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


def options_of(asked):
    settings = dict(asked)
    kind, n_options = settings.pop("kind"), settings.pop("n", 0)
    if kind == "none":
        return hsr.OptionSet(np.zeros((0, 104), dtype=int), np.zeros((0, 104)))
    return hsr.make_options(MDP, kind, n_options, **settings)


def maps_of(options, task, reading=READINGS[0]):
    """Return SR and HSR as a reader of the documentation would make them."""
    if task == "every":
        tasks = hsr.goal_tasks(MDP)
        return hsr.expected_sr(MDP, tasks), hsr.expected_hsr(MDP, options, tasks, **reading)
    if task == "walk":
        model = hsr.option_model(MDP, options)
        sr, mu = hsr.successor_representation(MDP), hsr.uniform_choice(model)
    else:
        goal = TASKS[int(task) - 1]
        model = hsr.option_model(MDP, options, task=goal)
        mu = hsr.plan_over_options(model, goal, ties=reading["ties"])
        sr = hsr.successor_representation(MDP, hsr.greedy_policy(MDP, goal), task=goal)
    return sr, hsr.hierarchical_sr(model, mu, stopping_state=reading["stopping_state"])


def test_presets_are_the_maps_of_the_library(ask):
    maps = ask("presets")["maps"]
    assert {name: hsr.GridLayout.from_text(text) for name, text in maps.items()} == {
        name: hsr.load_layout(name) for name in hsr.layout_names()
    }


@pytest.mark.parametrize("size", [5, 12, 101])
def test_a_maze_is_that_of_the_library(ask, size):
    assert ask("maze", size=size, seed=3)["map"] == hsr.random_maze(size, seed=3).to_text()


def test_a_check_tells_what_the_four_rooms_are(ask):
    reply = ask("check", map=FOUR_ROOMS)
    assert np.array_equal(unpacked(reply.pop("cells")), LAYOUT.cells)
    assert np.array_equal(unpacked(reply.pop("room_of")), LAYOUT.room_of)
    found = {"bottlenecks": LAYOUT.bottlenecks.tolist(), "problems": [], "lost": []}
    size = {"n_states": 104, "rows": 13, "columns": 13, "parts": 1}
    assert reply == {**size, "start": 0, "goals": [28, 92], **found}


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
def test_the_options_of_a_world_are_those_of_the_library(ask, asked):
    shown = ask("world", world={"map": FOUR_ROOMS, "options": asked})["options"]
    options = options_of(asked)
    assert [option["name"] for option in shown] == list(options.names)
    for one, option in zip(shown, options, strict=True):
        policy = unpacked(one["policy"])
        assert np.array_equal(policy >= 0, option.initiation)
        assert np.array_equal(policy[option.initiation], option.policy[option.initiation])
        assert one["ends"] == np.flatnonzero(option.termination).tolist()


def test_an_eigenoption_climbs_the_vector_that_is_shown(ask):
    """Each step of an option goes to a neighbour, and where it ends no neighbour is higher."""
    for option in ask("world", world={"map": FOUR_ROOMS, "options": OPTIONS[0]})["options"]:
        v, ends = unpacked(option["vector"]), option["ends"]
        assert np.abs(v).max() == 1.0
        assert (v[LAYOUT.neighbours[ends]].max(axis=1) <= v[ends]).all()


@pytest.mark.parametrize("text", [FOUR_ROOMS, "S.1#...2.", ".#.#."])
def test_the_spectrum_is_that_of_the_walk_written_out(ask, text):
    mdp = hsr.grid_mdp(
        hsr.GridLayout.from_text(text.translate(dict.fromkeys(map(ord, "S12"), "."))), discount=0.9
    )
    M = hsr.successor_representation(mdp).toarray()
    expected = np.sort(np.linalg.eigvalsh((M + M.T) / 2))[::-1][: limits.EIGENVALUES]
    shown = ask("world", world={"map": text, "options": {"kind": "none"}})["spectrum"]
    assert_shown(shown, expected, rtol=1e-5, atol=0)


@pytest.mark.parametrize("task", ["walk", "1", "2", "every"])
@pytest.mark.parametrize("asked", OPTIONS, ids=lambda asked: asked["kind"])
def test_rows_are_those_of_the_library(ask, task, asked):
    sr, hierarchical = maps_of(options_of(asked), task)
    reply = ask("rows", world={"map": FOUR_ROOMS, "options": asked, "task": task}, state=17)
    assert_shown(reply["sr"], sr.rows(17))
    assert_shown(reply["hsr"], hierarchical.rows(17))


@pytest.mark.parametrize("task", ["walk", "1", "every"])
@pytest.mark.parametrize("reading", READINGS, ids=lambda reading: "-".join(reading.values()))
def test_a_matrix_follows_the_reading(ask, task, reading):
    _, hierarchical = maps_of(options_of(OPTIONS[0]), task, reading)
    world = {"map": FOUR_ROOMS, "options": OPTIONS[0], "task": task, "reading": reading}
    assert_shown(ask("matrix", world=world, which="hsr")["matrix"], hierarchical.toarray())


def test_the_discount_is_the_one_asked_for(ask):
    """A row of a walk that nothing ends sums to 1 / (1 - g)."""
    world = {"map": FOUR_ROOMS, "discount": 0.75}
    shown = unpacked(ask("matrix", world=world, which="sr")["matrix"])
    np.testing.assert_allclose(shown.sum(axis=1), 4.0, rtol=1e-5)


def test_many_states_are_averaged_over_goals_drawn_by_seed_0(ask):
    layout = hsr.random_maze(41, seed=0)
    assert layout.n_states > limits.EVERY_GOAL_STATES
    mdp = hsr.grid_mdp(layout, discount=0.9)
    goals = np.random.default_rng(0).permutation(layout.n_states)[:64]
    expected = hsr.expected_sr(mdp, [hsr.GoalTask(None, int(goal)) for goal in goals]).rows(5)
    shown = ask("rows", world={"map": layout.to_text(), "task": "every"}, state=5)["sr"]
    assert_shown(shown, expected)


@pytest.mark.parametrize("task", ["walk", "every"])
def test_an_svd_basis_is_that_of_the_library(ask, task):
    sr = maps_of(options_of(OPTIONS[3]), task)[0].toarray()
    world = {"map": FOUR_ROOMS, "task": task}
    shown = ask("basis", world=world, which="sr", kind="svd", n=6)["features"]
    strength = np.linalg.norm(unpacked(shown), axis=1)
    np.testing.assert_allclose(strength, np.linalg.svd(sr)[1][:6], rtol=1e-5)
    assert_shown(shown, hsr.SVDBasis(6).fit(sr).features_.T, rtol=1e-4, atol=1e-5)


def test_an_nmf_basis_has_its_strongest_part_first(ask):
    _, M = maps_of(hsr.eigenoptions(MDP), "walk")
    shown = ask("basis", world={"map": FOUR_ROOMS}, which="hsr", kind="nmf", n=9)["features"]
    basis = hsr.NMFBasis(9, max_iter=limits.NMF_ITERATIONS).fit(M)
    parts = [np.outer(w, h) for w, h in zip(basis.features_.T, basis.components_, strict=True)]
    order = np.argsort([-np.linalg.norm(part) for part in parts])
    assert_shown(shown, basis.features_.T[order], rtol=1e-5, atol=1e-6)


def test_a_map_can_be_looked_at_while_a_goal_is_walled_in(ask):
    world = {"map": "S..#1\n...##\n..2..", "options": {"kind": "eigen", "n": 2}}
    assert "cannot be reached" in ask("check", map=world["map"])["problems"][0]
    row = unpacked(ask("rows", world={**world, "task": "1"}, state=3)["sr"])
    assert row[3] == 1.0  # the goal itself, and nothing follows
    walk = unpacked(ask("rows", world={**world, "task": "walk"}, state=0)["hsr"])
    assert walk.sum() == pytest.approx(10.0, rel=1e-6)


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


def test_a_world_is_made_once(ask, monkeypatch):
    world = {"map": FOUR_ROOMS, "discount": 0.6, "task": "1"}
    first = ask("rows", world=world, state=0)
    monkeypatch.setattr(hsr, "hierarchical_sr", None)
    monkeypatch.setattr(hsr, "eigenoptions", None)
    assert ask("rows", world=world, state=0) == first
    with pytest.raises(TypeError):
        ask("rows", world={**world, "discount": 0.61}, state=0)
