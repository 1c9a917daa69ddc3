"""`compare_choices`: recognises what animals do, and never learns from what it predicts."""

import numpy as np
import pytest

import hsr
from hsr.animals import compare_choices, headings
from hsr.animals.choices.models import moves_world
from hsr.animals.choices.recorded import neighbours_of
from tests.cases import cases, raises

LAYOUT = hsr.GridLayout.from_text("....\n.##.\n....\n....")
TOUR = [13, 0] * 20
SMALL = {"discounts": (0.8, 0.95), "n_options": (4,), "samples": 200}


@pytest.fixture(scope="module")
def world():
    return hsr.grid_mdp(LAYOUT, discount=0.9)


def walks(neighbours, probability, n_paths=20, moves=40, seed=0):
    """Return paths in which each neighbour has a given probability."""
    rng = np.random.default_rng(seed)
    paths = []
    for _ in range(n_paths):
        path = [int(rng.integers(neighbours.shape[0]))]
        for _ in range(moves):
            there = neighbours[path[-1]]
            there = there[there >= 0]
            path.append(int(rng.choice(there, p=probability(path, there))))
        paths.append(path)
    return paths


def uniformly(_, there):
    return np.full(there.size, 1.0 / there.size)


@pytest.fixture(scope="module")
def random_paths(world):
    return walks(neighbours_of(world), uniformly)


@pytest.fixture(scope="module")
def directed_paths(world):
    """Return paths of an animal that goes to a corner and back, again and again, by an SR."""
    neighbours = neighbours_of(world)
    moves, valid = moves_world(neighbours, 0.95)
    walk = valid / valid.sum(axis=1, keepdims=True)
    M = hsr.successor_representation(moves, walk).toarray()
    value = M / M.diagonal()

    def towards(path, there):
        goal = headings([[*path, -1]], TOUR)[0][-1]
        p = np.exp(12.0 * value[there, goal])
        return p / p.sum()

    return walks(neighbours, towards)


def test_a_random_walk_is_predicted_by_nothing(world, random_paths):
    models = ["uniform", "forward", "geodesic", "sr", "hsr"]
    found = compare_choices(world, random_paths, models=models, **SMALL)
    assert found.bits[0] == 0.0
    assert (np.abs(found.bits) < 0.02).all()
    assert found.difference("hsr", "uniform").verdict == "cannot tell"
    assert found.uniform_bits == pytest.approx(
        np.mean(
            [np.log2((neighbours_of(world)[s] >= 0).sum()) for p in random_paths for s in p[:-1]]
        )
    )


def test_an_animal_that_follows_the_sr_is_recognised(world, directed_paths):
    heading = headings(directed_paths, TOUR)
    found = compare_choices(
        world,
        directed_paths,
        models=["uniform", "forward", "markov1", "geodesic", "sr"],
        heading=heading,
        **SMALL,
    )
    for other in ("uniform", "forward", "markov1", "geodesic"):
        assert found.difference("sr", other).verdict == "better", other
    assert all(fit["discount"] == 0.95 for fit in found.fitted["sr"])
    assert all(8.0 <= fit["inverse_temperature"] <= 17.0 for fit in found.fitted["sr"])


def test_destinations_that_are_not_known_are_inferred(world, directed_paths):
    found = compare_choices(
        world, directed_paths, models=["forward", "sr"], destinations=[13, 0], **SMALL
    )
    assert found.difference("sr", "forward").verdict == "better"


def test_parameters_do_not_depend_on_the_block_that_is_predicted(world, directed_paths):
    models = ["markov1", "sr", "sr_behaviour"]
    other = [path[::-1] for path in directed_paths[:5]] + directed_paths[5:]
    first, second = (
        compare_choices(world, paths, models=models, destinations=[13, 0], blocks=4, **SMALL)
        for paths in (directed_paths, other)
    )
    for name in models:
        assert first.fitted[name][0] == second.fitted[name][0]
    assert not np.allclose(first.path_bits[:, :5], second.path_bits[:, :5])


def test_the_same_seed_gives_the_same_intervals(world, random_paths):
    runs = [
        compare_choices(world, random_paths, models=["forward"], seed=seed, samples=50)
        for seed in (1, 1, 2)
    ]
    np.testing.assert_array_equal(runs[0].intervals, runs[1].intervals)
    assert not np.array_equal(runs[0].intervals, runs[2].intervals)
    assert str(runs[0]) == str(runs[1])


def test_own_maps_are_models(world, directed_paths):
    heading = headings(directed_paths, TOUR)
    found = compare_choices(
        world,
        directed_paths,
        models={"walk": "sr", "mine": own_sr, "an array": np.eye(world.n_states)},
        heading=heading,
        **SMALL,
    )
    assert found.models == ("walk", "mine", "an array")
    assert found.bits[1] == pytest.approx(found.bits[0])


def own_sr(moves):
    """Return the SR of the random walk over moves that go somewhere."""
    goes = moves.successors != np.arange(moves.n_states)[:, None]
    return hsr.successor_representation(moves, goes / goes.sum(axis=1, keepdims=True))


def test_pieces_of_a_long_path_are_units(world, random_paths):
    with raises("1 paths cannot be divided into 5 blocks"):
        compare_choices(world, random_paths[:1], models=["uniform"])
    found = compare_choices(world, random_paths[:1], models=["uniform"], piece=8)
    assert found.path_choices.size == 5


def test_a_tracked_animal_brings_its_paths():
    t = np.arange(600)
    xy = np.stack([np.cos(t / 7.0), np.sin(t / 7.0)], axis=1)
    mdp = hsr.from_positions(xy, n_bins=4, trials=t // 60, discount=0.9)
    found = compare_choices(mdp, models=["forward", "markov1"], samples=50)
    assert found.difference("markov1", "forward").verdict != "worse"


@cases(
    "change, words",
    {
        "no neighbours": ({"paths": [[0, 5]] * 5}, "which are not neighbours"),
        "no such state": ({"paths": [[0, 99]] * 5}, r"paths\[0\]\[1\].*99"),
        "no paths": ({"paths": None}, "keeps no paths"),
        "never moves": ({"paths": [[0, 0]] * 5}, "no move between different states"),
        "unknown model": ({"models": ["srr"]}, "'srr'.*'sr'"),
        "no models": ({"models": []}, "list of words"),
        "read-out": ({"readouts": ["square"]}, "'linear', 'log'"),
        "heading": ({"heading": [[1]]}, "one entry for each of the 20 paths"),
        "moves of heading": ({"heading": [[1]] * 20}, r"heading\[0\].*40 moves"),
        "destination": ({"destinations": [77]}, r"destinations\[0\].*77"),
        "map": ({"models": {"mine": np.eye(3)}}, r"\(14, 14\)"),
    },
)
def test_bad_input_is_refused(world, random_paths, change, words):
    given = {"paths": random_paths, "models": ["uniform"]} | change
    with raises(words):
        compare_choices(world, given.pop("paths"), **given)


def test_headings_end_after_the_last_place():
    assert headings([["a", "b", "a", "c"], ["b", "c"]], ["b"]) == [
        ["b", None, None],
        ["b"],
    ]
