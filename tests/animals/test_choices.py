"""Recorded choices and the models that predict them, against answers from elsewhere."""

import networkx
import numpy as np
import pytest

import hsr
from hsr.animals.choices.grounds import neighbours_of
from hsr.animals.choices.hidden import Readout, Scorer, log_probabilities
from hsr.animals.choices.models import Candidate, Grids, candidates_of, histories
from hsr.animals.choices.recorded import choices_of
from hsr.animals.choices.values import moves_mdp, spread_places
from hsr.kernels.animals import follow_td
from tests.cases import cases

LINE = np.array([[1, -1], [0, 2], [1, -1]])  # three states in a row
GRIDS = Grids((0.9,), (4,), ("linear",))


def line_choices(*paths, places=(2,), heading=None):
    """Return choices on a line of three states, at all states."""
    walked = [np.array(path) for path in paths]
    return choices_of(LINE, walked, np.array(places), min_moves=1, heading=heading)


def everything(choices):
    return np.ones(choices.state.size, dtype=bool)


def test_a_soft_max_on_three_states_by_hand():
    choices = line_choices([0, 1, 2, 1, 0], heading=[np.array([2, 2, 2, 2])])
    value = np.array([[0.0], [0.5], [1.0]])
    p = np.exp(log_probabilities(choices, Readout(2.0, 1.0, 0.0), value, None))
    on = np.exp(2.0 + 1.0) / (np.exp(2.0 + 1.0) + 1.0)  # from 1 to 2, coming from 0
    away = np.exp(0.0 + 1.0) / (np.exp(1.0) + np.exp(2.0))  # from 1 to 0, coming from 2
    np.testing.assert_allclose(p, [1.0, on, 1.0, away])


def test_the_first_move_of_a_path_has_no_forward_bias():
    choices = line_choices([1, 2], [1, 0])
    p = np.exp(log_probabilities(choices, Readout(1.0, 5.0, 0.0), None, None))
    np.testing.assert_allclose(p, [0.5, 0.5])


@pytest.fixture(scope="module")
def grid_walk():
    """Return neighbours of a grid and a random walk on it, in three paths."""
    rng = np.random.default_rng(3)
    neighbours = neighbours_of(hsr.grid_mdp(hsr.GridLayout.from_text("...\n.#.\n...\n..."), 0.9))
    paths = []
    for start in (0, 3, 5):
        path = [start]
        for _ in range(12):
            there = neighbours[path[-1]]
            path.append(int(rng.choice(there[there >= 0])))
        paths.append(np.array(path))
    return neighbours, paths


def filtered_slowly(choices, value, readout, history):
    """Return the log-probabilities of moves by the matrices of a hidden Markov model."""
    places = choices.destinations.tolist()
    result, q = [], None
    for t, s in enumerate(choices.state.tolist()):
        draw = np.array([float(place != s) for place in places])
        draw /= draw.sum()
        if choices.begins[t]:
            q = draw
        else:
            stay = (1.0 - readout.hazard) * np.diag([float(place != s) for place in places])
            leave = np.array([1.0 if place == s else readout.hazard for place in places])
            q = q @ (stay + np.outer(leave, draw))
        p = []
        for g in range(len(places)):
            logits = {
                k: readout.inverse_temperature * value[n, g]
                + readout.forward * float(choices.back[t] >= 0 and k != choices.back[t])
                + readout.history * history[t, k]
                for k, n in enumerate(choices.neighbours[s].tolist())
                if n >= 0
            }
            p.append(np.exp(logits[choices.chosen[t]]) / np.exp(list(logits.values())).sum())
        total = q @ np.array(p)
        result.append(np.log(total))
        q = q * p / total
    return result


@cases(
    "places, hazard",
    {
        "all places": (range(11), 0.1),
        "three places": ([0, 4, 10], 0.3),
        "no hazard": ([0, 10], 0.0),
    },
)
def test_unknown_destinations_are_filtered_as_in_a_hidden_markov_model(grid_walk, places, hazard):
    neighbours, paths = grid_walk
    choices = choices_of(neighbours, paths, np.array(places), min_moves=2)
    value = np.random.default_rng(0).random((11, len(places)))
    history = histories(2, choices)[1].history(everything(choices))
    for weight, given in ((0.0, None), (0.6, history)):
        readout = Readout(3.0, 0.7, hazard, weight)
        np.testing.assert_allclose(
            log_probabilities(choices, readout, value, given),
            filtered_slowly(choices, value, readout, history),
            rtol=1e-12,
        )


def value_of(model, neighbours, paths, readout="linear"):
    choices = choices_of(neighbours, paths, np.arange(neighbours.shape[0]), min_moves=2)
    first = candidates_of(model, choices, Grids((0.9,), (4,), (readout,)))[0]
    return first.value(everything(choices)), choices


def test_geodesic_values_are_the_distances_of_networkx(grid_walk):
    neighbours, _ = grid_walk
    value, _ = value_of("geodesic", *grid_walk)
    graph = networkx.Graph((s, n) for s, row in enumerate(neighbours) for n in row if n >= 0)
    lengths = dict(networkx.all_pairs_shortest_path_length(graph))
    np.testing.assert_array_equal(value, [[-lengths[s][g] for g in range(11)] for s in range(11)])


def test_optimal_values_are_those_of_goal_tasks(grid_walk):
    neighbours, _ = grid_walk
    value, _ = value_of("optimal", *grid_walk)
    world = moves_mdp(neighbours, 0.9)[0]
    best = hsr.optimal_value(world, hsr.GoalTask(start=0, goal=7))
    others = np.arange(11) != 7
    np.testing.assert_allclose(value[others, 7], 0.9 * best[others])


def test_the_log_of_the_sr_makes_the_walk_that_is_conditioned_on_its_destination(grid_walk):
    neighbours, paths = grid_walk
    goal = 10
    value, _ = value_of("sr", neighbours, paths, "log")
    heading = [np.full(path.size - 1, goal) for path in paths]
    choices = choices_of(neighbours, paths, np.array([goal]), min_moves=2, heading=heading)
    p = np.exp(log_probabilities(choices, Readout(1.0, 0.0, 0.0), value[:, [goal]], None))
    world, valid = moves_mdp(neighbours, 0.9)
    M = hsr.successor_representation(world, valid / valid.sum(axis=1, keepdims=True)).toarray()
    s, n = choices.state, choices.next_state
    conditioned = 0.9 / valid.sum(axis=1)[s] * M[n, goal] / M[s, goal]
    before = s != goal  # at the destination itself, M also counts the present visit
    np.testing.assert_allclose(p[before], conditioned[before])


def test_the_hsr_of_the_model_is_that_of_the_walk_over_moves_and_options(grid_walk):
    value, choices = value_of("hsr", *grid_walk)
    world, valid = moves_mdp(choices.neighbours, 0.9)
    model = hsr.option_model(world, hsr.eigenoptions(world, 4))
    moves, options = valid / valid.sum(1)[:, None], model.available[world.n_actions :].T
    M = hsr.hierarchical_sr(
        model, np.hstack([0.5 * moves, 0.5 * options / options.sum(1)[:, None]])
    ).toarray()
    np.testing.assert_allclose(value, M / M.diagonal())


def test_markov_models_by_hand():
    choices = line_choices([0, 1, 2, 1, 2, 1, 0], [0, 1, 0])
    first, second = (
        np.exp(histories(order, choices)[1].history(everything(choices))) for order in (1, 2)
    )
    at_middle = np.flatnonzero(choices.state == 1)
    p1 = (np.array([2.0, 2.0]) + 1.0 * 0.5) / (4.0 + 1.0)  # pseudo-count 1, half each
    np.testing.assert_allclose(first[at_middle[0]], p1)
    p2 = (np.array([1.0, 1.0]) + p1) / (2.0 + 1.0)  # coming from 0: once to 2, once to 0
    np.testing.assert_allclose(second[at_middle[0]], p2)


def test_counts_come_only_from_moves_that_may_be_learned_from():
    choices = line_choices([0, 1, 2], [2, 1, 0])
    seen = choices.path == 0
    p = np.exp(histories(1, choices)[1].history(seen))
    np.testing.assert_allclose(p[choices.state == 1], [[0.25, 0.75]] * 2)


def test_a_model_that_learns_is_trained_without_the_block_it_predicts():
    """Training scores of each block come from values that saw neither it nor the test block."""
    choices = line_choices([1, 0], [1, 0], [1, 2], [1, 2])
    asked = []

    def value(seen):
        asked.append(tuple(np.flatnonzero(seen)))
        return np.zeros((4, 2))

    candidate = Candidate({}, history=value)
    Scorer(candidate, choices, np.arange(4)).training(0, Readout(1.0, 0.0, 0.0))
    assert asked == [(2, 3), (1, 3), (1, 2)]


def test_the_sr_of_behaviour_is_that_of_the_moves_that_were_seen():
    """On a line only the middle state has a choice: three moves to 2 and one to 0, and one each."""
    choices = line_choices([1, 2, 1, 2, 1, 2], [1, 0], places=(0, 1, 2))
    candidate = candidates_of("sr_behaviour", choices, GRIDS)[0]
    assert candidate.learns
    P = np.array([[0.0, 1.0, 0.0], [2.0 / 6.0, 0.0, 4.0 / 6.0], [0.0, 1.0, 0.0]])
    M = np.linalg.inv(np.eye(3) - 0.9 * P)
    np.testing.assert_allclose(candidate.value(everything(choices)), M / M.diagonal())


def test_places_are_spread_over_the_world():
    line = np.stack([np.arange(9) - 1, np.arange(9) + 1], axis=1)
    line[-1, 1] = -1
    assert spread_places(line, 9).tolist() == list(range(9))
    assert spread_places(line, 3).tolist() == [0, 4, 8]
    assert spread_places(line, 5).tolist() == [0, 2, 4, 6, 8]


def test_a_learned_map_is_updated_at_the_ends_of_paths_too():
    """By vectors: M[s] += rate (e_s + discount M[s'] - M[s]), and the last place has no next."""
    rng = np.random.default_rng(0)
    place, following = np.array([0, 1, 2, 3]), np.array([1, 2, 3, 1])
    last, goal = np.array([False, True, False, True]), np.array([2, 2, 1, 1])
    ahead = np.array([[1, 3], [2, -1], [3, 0], [1, 2]])
    learned = rng.random((4, 4))
    M, expected, eye = learned.copy(), np.zeros((4, 2)), np.eye(4)
    for t, (s, n) in enumerate(zip(place, following, strict=True)):
        expected[t] = np.where(ahead[t] >= 0, M[ahead[t], goal[t]] / M[goal[t], goal[t]], 0.0)
        M[s] += 0.3 * (eye[s] + 0.9 * M[n] - M[s])
        if last[t]:
            M[n] += 0.3 * (eye[n] - M[n])
    found = follow_td(learned, place, following, last, ahead, goal, 0.9, 0.3)
    np.testing.assert_allclose(found, expected)
    np.testing.assert_allclose(learned, M)
