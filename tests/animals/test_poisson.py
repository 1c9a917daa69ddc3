"""Fits of many cells at once against slow, obvious ones; tracks and distances."""

import networkx
import numpy as np
import pytest
from scipy import optimize

import hsr
from hsr.animals.cells.arena import arena_of, geodesic_distances
from hsr.animals.cells.models import CELL_MODELS, mixed_choices, usual_settings
from hsr.animals.cells.scoring import Candidates, largest_weights
from hsr.animals.cells.track import recorded_track, simulated_track
from tests.animals.arenas import hexagons, open_arena
from tests.animals.recordings import four_rooms, recording, walk
from tests.cases import cases


@pytest.fixture(scope="module")
def candidates():
    arena = arena_of(four_rooms())
    time = np.random.default_rng(0).gamma(2.0, 2.0, 104)
    values = usual_settings(arena)
    return Candidates.of(list(CELL_MODELS["gaussian"].families(arena, None, values)), time), time


def likelihood(counts, relative, weight):
    return (counts * np.log1p(weight * relative)).sum(axis=-1)


def test_weights_have_the_largest_likelihood(candidates):
    family, time = candidates
    rng = np.random.default_rng(1)
    share = np.array([0.0, 0.05, 0.4, 0.8, 1.0])
    relative = family.relative[:5]
    counts = rng.poisson(0.5 * time * (1 + share[:, None] * relative)).astype(np.float32)
    for k in range(5):
        single = Candidates(relative[[k]], ({},), np.array([0, 1]), np.array([0]))
        _, weight = single.fit(counts)
        bounds = largest_weights(counts.sum(axis=1))
        for row, found, largest in zip(counts, weight, bounds, strict=True):
            best = optimize.minimize_scalar(
                lambda w, row=row, k=k: -likelihood(row, relative[k], w),
                bounds=(0, largest),
                method="bounded",
                options={"xatol": 1e-10},
            )
            assert found == pytest.approx(best.x, abs=1e-5)


def test_the_chosen_field_is_the_best_of_all_or_nearly(candidates):
    """The matrix products choose the field; an exact fit of each field is the reference."""
    family, time = candidates
    rng = np.random.default_rng(2)
    truth = rng.integers(len(family.settings), size=60)
    share = rng.choice([0.0, 0.2, 0.6, 0.95], 60)
    counts = rng.poisson(0.4 * time * (1 + share[:, None] * family.relative[truth]))
    counts = counts.astype(np.float32)
    n = len(family.settings)
    one_by_one = Candidates(family.relative, family.settings, np.arange(n + 1), np.arange(n))
    found, best = (
        likelihood(counts, family.relative[chosen], weight[:, None])
        for chosen, weight in (some.fit(counts) for some in (family, one_by_one))
    )
    lost = (best - found) / np.log(2) / counts.sum(axis=1)
    assert lost.min() > -1e-6
    assert lost.max() < 0.03  # bits per spike
    assert lost.mean() < 0.002


@cases(
    "settings",
    {"moves": {}, "frames": {"tau": 2.0}, "gaps": {"trials": np.repeat(np.arange(30), 100)}},
)
def test_a_track_has_the_steps_of_the_recording(settings):
    states = walk(3000)
    skipping = recording(states[::2].repeat(2), **settings)  # half of the moves are filled in
    track = recorded_track(skipping)
    assert skipping.report.filled > 100
    counts = np.zeros_like(skipping.counts)
    np.add.at(counts, (track.left, track.action), 1)
    np.testing.assert_array_equal(counts, skipping.counts)
    assert (track.before < track.after).all()
    assert (np.diff(track.before) >= 0).all()


def test_behaviour_is_that_of_the_other_blocks():
    states = walk(3000)
    track = recorded_track(recording(states))
    block = track.blocks(3)
    np.testing.assert_array_equal(block, np.repeat([0, 1, 2], 1000))
    rest = recording(np.delete(states, np.arange(1000, 2000)), trials=np.repeat([0, 1], 1000))
    np.testing.assert_allclose(track.behaviour_without(1, block), rest.behaviour())
    np.testing.assert_allclose(track.behaviour_without(-1, block), recording(states).behaviour())
    np.testing.assert_allclose(
        track.time_in(block)[1], np.bincount(states[1000:2000], minlength=104) * 0.1
    )


def test_a_simulated_animal_follows_its_policy():
    mdp = hsr.grid_mdp(four_rooms())
    policy = np.tile([0.1, 0.2, 0.3, 0.4], (104, 1))
    possible = np.ones((104, 4), dtype=bool)
    track = simulated_track(mdp, policy, 40_000, 0.1, possible, np.random.default_rng(0))
    np.testing.assert_array_equal(
        track.states[1:], four_rooms().neighbours[track.states[:-1], track.action]
    )
    shares = np.bincount(track.action, minlength=4) / track.action.size
    np.testing.assert_allclose(shares, policy[0], atol=0.01)


def graph_of(mdp, diagonals):
    """Return a networkx graph of neighbouring bins, with lengths in the plane."""
    graph = networkx.Graph()
    steps = [set(row) - {s} for s, row in enumerate(mdp.successors.tolist())]
    for s in range(mdp.n_states):
        for u in range(mdp.n_states):
            two_ways = diagonals and len(steps[s] & steps[u]) > 1
            if u != s and (u in steps[s] or two_ways):
                graph.add_edge(s, u, weight=np.linalg.norm(mdp.centres[s] - mdp.centres[u]))
    return graph


@cases(
    "make",
    {
        "open": lambda: open_arena(5),
        "wall": lambda: open_arena(4, walls=[[(1.5, 0.5), (1.5, 3.5)]]),
        "hexagons": lambda: hexagons(4),
    },
)
def test_geodesic_distances_are_those_of_networkx(make):
    mdp = make()
    d = geodesic_distances(arena_of(mdp))
    paths = dict(networkx.all_pairs_dijkstra_path_length(graph_of(mdp, diagonals=True)))
    expected = np.array([[paths[s][u] for u in paths] for s in paths])
    order = np.argsort(list(paths))
    np.testing.assert_allclose(d, expected[order][:, order])
    straight = np.linalg.norm(mdp.centres[:, None] - mdp.centres, axis=2)
    assert (d >= straight - 1e-9).all()


def test_labels_that_are_pairs_of_numbers_are_places():
    cells = [(3.0 * row, 3.0 * column) for row, column in four_rooms().cells.tolist()]
    arena = arena_of(hsr.FiniteMDP.from_successors(four_rooms().neighbours, 0.9, labels=cells))
    np.testing.assert_array_equal(arena.places, cells)
    assert arena.spacing == 3.0


def test_without_places_a_geodesic_counts_steps():
    d = geodesic_distances(arena_of(hsr.grid_mdp(four_rooms())))
    graph = networkx.Graph([(s, u) for s, row in enumerate(four_rooms().neighbours) for u in row])
    steps = networkx.single_source_shortest_path_length(graph, 7)
    np.testing.assert_array_equal(d[7], [steps[s] for s in range(104)])


def test_a_share_of_the_choices_are_options():
    mdp = hsr.grid_mdp(four_rooms())
    model = hsr.option_model(mdp, hsr.point_options(mdp, [3, 50]))
    policy = np.random.default_rng(0).dirichlet(np.ones(4), 104)
    mu = mixed_choices(model, policy, 0.2)
    elsewhere = np.delete(np.arange(104), [3, 50])
    np.testing.assert_allclose(
        mu[elsewhere], np.hstack([0.8 * policy, np.full((104, 2), 0.1)])[elsewhere]
    )
    # No option can start where it stops, so the other one has the whole share there.
    np.testing.assert_allclose(mu[[3, 50], 4:], [[0.0, 0.2], [0.2, 0.0]])
    only = hsr.option_model(mdp, hsr.point_options(mdp, [3]))
    np.testing.assert_allclose(mixed_choices(only, policy, 0.2)[3], [*policy[3], 0.0])
