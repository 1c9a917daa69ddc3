"""Worlds against brute force: every start, every pair of goals and every pattern of signs."""

from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from scipy.stats import chisquare

import hsr
from hsr.agents.worlds import permuted
from tests.cases import cases, raises

SMALL = hsr.GridLayout.from_text("S...\n.#..\n..#.\n1..2")
UNMARKED = hsr.GridLayout.from_text("....")
ROOMS = hsr.load_layout("four_rooms")
RANDOM = hsr.agents.OptionSpec(n_options=3, signs="random")
SPECS = {
    "random signs": RANDOM,
    "counted": hsr.agents.OptionSpec(n_options=3, signs="random", first="counted"),
    "only constant": hsr.agents.OptionSpec(n_options=1, signs="random", first="counted"),
    "positive": hsr.agents.OptionSpec(n_options=3),
    "pattern": hsr.agents.OptionSpec(n_options=3, signs="-+-"),
    "svd": hsr.agents.OptionSpec(n_options=3, signs="svd"),
    "both": hsr.agents.OptionSpec(n_options=2, signs="both"),
    "covering": hsr.agents.OptionSpec("covering", n_options=2),
    "random options": hsr.agents.OptionSpec("random", n_options=3, seed=1),
    "none": hsr.agents.OptionSpec("none"),
    "online": hsr.agents.OptionSpec("online"),
}


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
@cases("spec", SPECS)
def test_the_worlds_are_those_found_by_trying_all_and_none_occurs_twice(spec, distances):
    avoid = (2, 7)
    expected = brute_force(SMALL, distances, spec, avoid)
    total = hsr.agents.count_worlds(SMALL, distances=distances, options=spec, avoid=avoid)
    assert total == len(expected)
    if total:
        worlds = hsr.sample_worlds(SMALL, total, distances=distances, options=spec, avoid=avoid)
        assert len(worlds) == total
        assert set(worlds) == expected


def test_a_world_has_the_same_number_whatever_is_asked_for():
    worlds = hsr.sample_worlds(SMALL, 40, options=RANDOM, seed=5)
    assert hsr.sample_worlds(SMALL, 7, options=RANDOM, seed=5) == worlds[:7]
    assert hsr.sample_worlds(SMALL, 9, options=RANDOM, seed=5, first=20) == worlds[20:29]
    assert hsr.sample_worlds(SMALL, 0, options=RANDOM) == []
    assert hsr.sample_worlds(SMALL, 40, options=RANDOM, seed=6) != worlds


def test_every_world_has_the_same_probability():
    """The first two worlds of 1,500 seeds, separately and as pairs."""
    options, total = hsr.agents.OptionSpec("none"), 6
    drawn = [
        hsr.sample_worlds(UNMARKED, 2, distances=[1], options=options, seed=seed)
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


@pytest.mark.parametrize("size", [1, 2, 3, 255, 256, 257, 1000])
def test_a_permutation_takes_every_place_once(size):
    assert sorted(permuted(i, size, 3) for i in range(size)) == list(range(size))


def test_a_permutation_has_no_largest_size():
    size = 3**1500
    images = [permuted(i, size, 0) for i in range(50)]
    assert len(set(images)) == 50
    assert max(images) < size
    assert max(images) > size // 2


def test_worlds_of_the_four_rooms_qualify_by_their_own_distances_and_options():
    spec = hsr.agents.OptionSpec(signs="random")
    mdp = hsr.grid_mdp(ROOMS, discount=0.9)
    distances = ROOMS.distances_from(ROOMS.start)[list(ROOMS.goals)]
    worlds = hsr.sample_worlds("four_rooms", 200, options=spec, seed=1)
    for world in worlds:
        goals = list(world.goals)
        np.testing.assert_array_equal(ROOMS.distances_from(world.start)[goals], distances)
        options = hsr.eigenoptions(mdp, 8, signs=world.signs)
        assert not options.termination[:, goals].any()
    assert len(set(worlds)) == 200
    assert len({world.signs for world in worlds}) > 50


def test_as_many_worlds_as_there_are_patterns_of_many_vectors():
    """Goals that are no end of any of 100 vectors have all 2^100 patterns."""
    long = hsr.GridLayout.from_text("." * 110)
    spec = hsr.agents.OptionSpec(n_options=100, signs="random")
    total = hsr.agents.count_worlds(long, distances=[3], options=spec)
    assert total > 2**63
    world = hsr.sample_worlds(long, 1, distances=[3], options=spec, first=total - 1)[0]
    assert abs(world.start - world.goals[0]) == 3
    options = replace(spec, signs=world.signs).build(hsr.grid_mdp(long, discount=0.9))
    assert not options.termination[:, world.goals[0]].any()


sample, NONE = hsr.sample_worlds, hsr.agents.OptionSpec("none")
BAD = {
    "unmarked": (lambda: sample(UNMARKED, 1), "no marked start and goals"),
    "too far": (lambda: sample(SMALL, 1, distances=[2, 50]), r"\[1\] is 50; the largest .* is 6"),
    "not together": (
        lambda: sample(UNMARKED, 1, distances=[3, 3], options=NONE),
        "no start has different goals at distances 3, 3; the largest distance in this layout is 3",
    ),
    "all ends": (
        lambda: sample(UNMARKED, 1, distances=[3], avoid=[0, 3], options=NONE),
        "2 starts with goals are at distances 3, but",
    ),
    "too many": (
        lambda: sample(UNMARKED, 5, distances=[1], first=2, options=NONE),
        "worlds 2 to 6 were asked for; 6 worlds qualify",
    ),
    "pattern": (
        lambda: sample(SMALL, 1, options=hsr.agents.OptionSpec(n_options=3, signs="+-")),
        "2 signs; 3 eigenvectors need 3",
    ),
}


@cases(("call", "words"), BAD)
def test_worlds_that_cannot_be_drawn_are_refused(call, words):
    with raises(words):
        call()
