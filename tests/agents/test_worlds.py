"""Worlds against brute force: every start, every pair of goals and every pattern of signs."""

from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from scipy.stats import chisquare

import hsr
from hsr.agents import OptionSpec
from hsr.agents.worlds import _Candidates
from tests.cases import cases, raises

SMALL, LINE = "S...\n.#..\n..#.\n1..2", "...."
SPECS = {
    "random signs": {"n_options": 3, "signs": "random"},
    "counted": {"n_options": 3, "signs": "random", "first": "counted"},
    "only constant": {"n_options": 1, "signs": "random", "first": "counted"},
    "positive": {"n_options": 3},
    "pattern": {"n_options": 3, "signs": "-+-"},
    "svd": {"n_options": 3, "signs": "svd"},
    "both": {"n_options": 2, "signs": "both"},
    "covering": {"kind": "covering", "n_options": 2},
    "random options": {"kind": "random", "n_options": 3, "seed": 1},
    "none": {"kind": "none"},
    "online": {"kind": "online"},
}


def small():
    return hsr.GridLayout.from_text(SMALL)


def line():
    return hsr.GridLayout.from_text(LINE)


def random_signs():
    return OptionSpec(**SPECS["random signs"])


def patterns_of(mdp, spec):
    if spec.kind != "eigen":
        return [""]
    n = spec.n_options - (spec.first == "counted")
    if spec.signs == "random":
        return ["".join(signs) for signs in product("+-", repeat=n)]
    return ["both" if spec.signs == "both" else hsr.options.sign_pattern(mdp, n, spec.signs)]


def is_end(mdp, spec, signs, goal):
    """Whether any option stops at a goal, straight from the built option set."""
    built = replace(spec, signs=signs).build(mdp) if signs else spec.build(mdp)
    if not isinstance(built, hsr.OptionSet):
        return False
    return any(one.termination[goal] > 0 for one in built if one.initiation.any())


def brute_force(layout, distances, spec, avoid=()):
    """Every qualifying world of a small layout, by trying all combinations."""
    mdp = hsr.grid_mdp(layout, discount=0.9)
    steps = [layout.distances_from(s) for s in range(layout.n_states)]
    found = set()
    for signs in patterns_of(mdp, spec):
        free = [
            g for g in range(layout.n_states) if g not in avoid and not is_end(mdp, spec, signs, g)
        ]
        for start in range(layout.n_states):
            for goals in permutations(free, len(distances)):
                if all(steps[start][g] == d for g, d in zip(goals, distances, strict=True)):
                    found.add(hsr.World(start, goals, signs))
    return found


@pytest.mark.parametrize("distances", [(2, 4), (3, 3), (2,), (1, 2, 2)])
@cases("settings", SPECS)
def test_the_worlds_are_those_found_by_trying_all_and_none_occurs_twice(settings, distances):
    spec, avoid = OptionSpec(**settings), (2, 7)
    expected = brute_force(small(), distances, spec, avoid)
    how = {"distances": distances, "options": spec, "avoid": avoid}
    worlds = list(hsr.agents.draw_worlds(small(), **how))
    assert len(worlds) == len(expected)
    assert set(worlds) == expected
    assert hsr.sample_worlds(small(), len(worlds), **how) == worlds
    with raises("were asked for|no start has different goals"):
        hsr.sample_worlds(small(), len(worlds) + 1, **how)


def test_a_world_has_the_same_number_whatever_is_asked_for():
    options = random_signs()
    worlds = hsr.sample_worlds(small(), 40, options=options, seed=5)
    assert hsr.sample_worlds(small(), 7, options=options, seed=5) == worlds[:7]
    assert hsr.sample_worlds(small(), 9, options=options, seed=5, first=20) == worlds[20:29]
    assert hsr.sample_worlds(small(), 0, options=options) == []
    assert hsr.sample_worlds(small(), 40, options=options, seed=6) != worlds


def test_every_world_has_the_same_probability():
    """The first two worlds of 1,500 seeds, separately and as pairs."""
    options, total = OptionSpec("none"), 6
    drawn = [
        hsr.sample_worlds(line(), 2, distances=[1], options=options, seed=seed)
        for seed in range(1500)
    ]
    every = sorted({world for pair in drawn for world in pair}, key=str)
    assert len(every) == total
    place = {world: k for k, world in enumerate(every)}
    pairs = np.zeros((total, total))
    for one, other in drawn:
        pairs[place[one], place[other]] += 1
    assert not pairs.diagonal().any()
    assert chisquare(pairs.sum(axis=0)).pvalue > 1e-3
    assert chisquare(pairs.sum(axis=1)).pvalue > 1e-3
    assert chisquare(pairs[~np.eye(total, dtype=bool)]).pvalue > 1e-3


def test_worlds_with_free_and_with_forced_signs_have_the_same_probability():
    """The first world of 4,000 seeds, where some goals leave an eigenvector one sign only."""
    candidates = _Candidates(small(), (2, 4), random_signs(), 0.9, ())
    every = {world: k for k, world in enumerate(sorted(candidates.worlds(0), key=str))}
    assert len({len({w.signs for w in every if w.goals == one.goals}) for one in every}) > 1
    drawn = [every[next(candidates.worlds(seed))] for seed in range(4000)]
    assert chisquare(np.bincount(drawn, minlength=len(every))).pvalue > 1e-3


def test_worlds_of_the_four_rooms_qualify_by_their_own_distances_and_options():
    spec, rooms = OptionSpec(signs="random"), hsr.load_layout("four_rooms")
    mdp = hsr.grid_mdp(rooms, discount=0.9)
    distances = rooms.distances_from(rooms.start)[list(rooms.goals)]
    worlds = hsr.sample_worlds("four_rooms", 200, options=spec, seed=1)
    for world in worlds:
        goals = list(world.goals)
        np.testing.assert_array_equal(rooms.distances_from(world.start)[goals], distances)
        options = hsr.eigenoptions(mdp, 8, signs=world.signs)
        assert not options.termination[:, goals].any()
    assert len(set(worlds)) == 200
    assert len({world.signs for world in worlds}) > 50


def test_worlds_of_many_vectors_and_far_numbers():
    """Goals that are no end of any of 100 vectors have all 2^100 patterns."""
    long = hsr.GridLayout.from_text("." * 110)
    spec = OptionSpec(n_options=100, signs="random")
    (world,) = hsr.sample_worlds(long, 1, distances=[3], options=spec, first=2000)
    assert abs(world.start - world.goals[0]) == 3
    options = replace(spec, signs=world.signs).build(hsr.grid_mdp(long, discount=0.9))
    assert not options.termination[:, world.goals[0]].any()


NONE = {"options": OptionSpec("none")}
BAD = {
    "unmarked": (LINE, 1, {}, "no marked start and goals"),
    "too far": (SMALL, 1, {"distances": [2, 50]}, r"\[1\] is 50; the largest .* is 6"),
    "not together": (
        LINE,
        1,
        {"distances": [3, 3], **NONE},
        "no start has different goals at distances 3, 3 .* the largest distance .* is 3",
    ),
    "all avoided": (LINE, 1, {"distances": [3], "avoid": [0, 3], **NONE}, "nor states to avoid"),
    "too many": (
        LINE,
        5,
        {"distances": [1], "first": 2, **NONE},
        "worlds 2 to 6 were asked for; 6 worlds were found",
    ),
    "pattern": (
        SMALL,
        1,
        {"options": OptionSpec(n_options=3, signs="+-")},
        "2 signs; 3 eigenvectors need 3",
    ),
}


@cases("text, n, how, words", BAD)
def test_worlds_that_cannot_be_drawn_are_refused(text, n, how, words):
    with raises(words):
        hsr.sample_worlds(hsr.GridLayout.from_text(text), n, **how)
