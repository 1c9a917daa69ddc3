"""`compare_choices`: recognises what animals do, and never learns from what it predicts."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

import hsr
from hsr.animals import compare_choices, headings, join_choices
from hsr.animals.choices.grounds import neighbours_of
from hsr.animals.choices.values import moves_mdp

TOUR = [13, 0] * 20
SMALL = {"discounts": (0.8, 0.95), "n_options": (4,), "shares": (0.5,), "samples": 200}


@cache
def layout():
    return hsr.GridLayout.from_text("....\n.##.\n....\n....")


@pytest.fixture(scope="module")
def mdp():
    return hsr.grid_mdp(layout(), discount=0.9)


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
def random_paths(mdp):
    return walks(neighbours_of(mdp), uniformly)


@pytest.fixture(scope="module")
def directed_paths(mdp):
    """Return paths of an animal that goes to a corner and back, again and again, by an SR."""
    neighbours = neighbours_of(mdp)
    moves, valid = moves_mdp(neighbours, 0.95)
    walk = valid / valid.sum(axis=1, keepdims=True)
    M = hsr.successor_representation(moves, walk).toarray()
    value = M / M.diagonal()

    def towards(path, there):
        goal = headings([[*path, -1]], TOUR)[0][-1]
        p = np.exp(12.0 * value[there, goal])
        return p / p.sum()

    return walks(neighbours, towards)


def test_a_random_walk_is_predicted_by_nothing(mdp, random_paths):
    models = ["uniform", "forward", "geodesic", "sr", "hsr"]
    found = compare_choices(mdp, random_paths, models=models, **SMALL)
    assert found.bits[0] == 0.0
    assert (np.abs(found.bits) < 0.02).all()
    assert found.difference("hsr", "uniform").verdict == "cannot tell"
    assert found.uniform_bits == pytest.approx(
        np.mean([np.log2((neighbours_of(mdp)[s] >= 0).sum()) for p in random_paths for s in p[:-1]])
    )


def test_an_animal_that_follows_the_sr_is_recognised(mdp, directed_paths):
    heading = headings(directed_paths, TOUR)
    found = compare_choices(
        mdp,
        directed_paths,
        models=["uniform", "forward", "markov1", "geodesic", "sr"],
        heading=heading,
        **SMALL,
    )
    for other in ("uniform", "forward", "markov1", "geodesic"):
        assert found.difference("sr", other).verdict == "better", other
    assert all(fit["discount"] == 0.95 for fit in found.fitted["sr"])
    assert all(8.0 <= fit["inverse_temperature"] <= 17.0 for fit in found.fitted["sr"])


def test_destinations_that_are_not_known_are_inferred(mdp, directed_paths):
    found = compare_choices(
        mdp, directed_paths, models=["forward", "sr"], destinations=[13, 0], **SMALL
    )
    assert found.difference("sr", "forward").verdict == "better"


def test_parameters_do_not_depend_on_the_block_that_is_predicted(mdp, directed_paths):
    models = ["markov1", "sr", "sr_behaviour"]
    other = [path[::-1] for path in directed_paths[:5]] + directed_paths[5:]
    first, second = (
        compare_choices(mdp, paths, models=models, destinations=[13, 0], blocks=4, **SMALL)
        for paths in (directed_paths, other)
    )
    for name in models:
        assert first.fitted[name][0] == second.fitted[name][0]
    assert not np.allclose(first.path_bits[:, :5], second.path_bits[:, :5])


def test_own_maps_are_models(mdp, directed_paths):
    heading = headings(directed_paths, TOUR)
    found = compare_choices(
        mdp,
        directed_paths,
        models={"walk": "sr", "mine": own_sr, "an array": np.eye(mdp.n_states)},
        heading=heading,
        **SMALL,
    )
    assert found.models == ("walk", "mine", "an array")
    assert found.bits[1] == pytest.approx(found.bits[0])


def own_sr(moves):
    """Return the SR of the random walk over moves that go somewhere."""
    goes = moves.successors != np.arange(moves.n_states)[:, None]
    return hsr.successor_representation(moves, goes / goes.sum(axis=1, keepdims=True))


def test_pieces_of_a_long_path_are_units(mdp, random_paths):
    found = compare_choices(mdp, random_paths[:1], models=["uniform"], piece=8)
    assert found.path_choices.size == 5


def test_paths_of_a_recording_can_be_given_by_number():
    t = np.arange(600)
    xy = np.stack([np.cos(t / 7.0), np.sin(t / 7.0)], axis=1)
    mdp = hsr.from_positions(xy, n_bins=4, trials=t // 60, discount=0.9)
    models = ["markov1", "geodesic"]
    found = [compare_choices(mdp, given, models=models, samples=50) for given in (None, mdp.paths)]
    np.testing.assert_array_equal(found[0].path_bits, found[1].path_bits)


def test_answers_do_not_rest_on_flicker(directed_paths):
    """The same walk, once with a nose that trembles over the next border before each move."""
    rng = np.random.default_rng(0)
    frames, trembling, trials = [], [], []
    for k, path in enumerate(directed_paths):
        for here, there in pairwise(path):
            frames += [here] * 10
            trembling += [here] * 5 + [there] + [here] * 4
        trials += [k] * (len(frames) - len(trials))
    jitter = rng.uniform(-0.1, 0.1, (len(frames), 2))
    t = np.arange(len(frames)) / 30
    results = []
    for cells in (frames, trembling):
        xy = layout().cells[cells][:, ::-1] + 0.5 + jitter
        tracked = hsr.from_positions(xy, t, layout=layout(), trials=trials, max_speed=1e3)
        results.append(
            compare_choices(
                tracked, tracked.paths, models=["forward", "sr"], destinations=[13, 0], **SMALL
            )
        )
    assert str(results[0]) == str(results[1])
    raw = hsr.from_positions(xy, t, layout=layout(), trials=trials, max_speed=1e3, shortest=0)
    with pytest.warns(hsr.HSRWarning, match="of the moves lead back at once"):
        flicker = compare_choices(raw, raw.paths, models=["forward"], samples=50)
    assert flicker.n_choices > 2 * results[0].n_choices


def test_a_map_adds_what_statistics_do_not_know(mdp, directed_paths, random_paths):
    """Directed paths need the destination; in a random walk there is nothing to add."""
    models = ["markov1", "markov1+sr"]
    heading = headings(directed_paths, TOUR)
    directed = compare_choices(mdp, directed_paths, models=models, heading=heading, **SMALL)
    assert directed.difference("markov1+sr", "markov1").verdict == "better"
    assert all(fit["history"] < 1.0 for fit in directed.fitted["markov1+sr"])
    idle = compare_choices(mdp, random_paths, models=models, **SMALL)
    assert idle.difference("markov1+sr", "markov1").verdict != "better"
    own = {"alone": "markov1+sr", "mine": ("markov1", own_sr)}
    same = compare_choices(mdp, directed_paths, models=own, heading=heading, **SMALL)
    assert same.bits[0] == pytest.approx(same.bits[1])


def test_the_read_out_is_chosen_in_the_other_blocks(mdp, directed_paths):
    """These animals take a soft-max over values, not over their logarithms."""
    heading = headings(directed_paths, TOUR)
    found = compare_choices(mdp, directed_paths, models=["sr"], heading=heading, **SMALL)
    assert {fit["readout"] for fit in found.fitted["sr"]} == {"linear"}


def test_each_animal_is_a_unit(mdp, random_paths, directed_paths):
    models = ["forward", "markov1"]
    animals = {
        "A": compare_choices(mdp, random_paths, models=models, samples=50),
        "B": compare_choices(mdp, directed_paths, models=models, samples=50),
        "C": compare_choices(mdp, directed_paths[:10], models=models, samples=50),
    }
    joined = join_choices(animals)
    gains = np.array([result.bits[1] - result.bits[0] for result in animals.values()])
    expected = stats.t.interval(0.95, 2, gains.mean(), stats.sem(gains))
    found = joined.difference("markov1", "forward")
    np.testing.assert_allclose((found.bits, found.low, found.high), (gains.mean(), *expected))
    assert "of 3 animals" in str(joined)


def test_headings_end_after_the_last_place():
    assert headings([["a", "b", "a", "c"], ["b", "c"]], ["b"]) == [
        ["b", None, None],
        ["b"],
    ]
