"""Choices with known destinations: fits, values along a path, subjects as units, recovery."""

from functools import cache
from itertools import pairwise

import networkx
import numpy as np
import pytest
from scipy import stats
from statsmodels.discrete.conditional_models import ConditionalLogit
from statsmodels.stats.power import TTestPower

import hsr
from hsr.animals import compare_choices, headings, read_paths, recover_choices
from hsr.animals.choices.beliefs import believed, learned_by_td
from hsr.animals.choices.grounds import grounds_of, neighbours_of, together
from hsr.animals.choices.logit import Logit
from hsr.animals.choices.models import Candidate
from hsr.animals.choices.recorded import choices_of
from hsr.animals.choices.values import (
    distances,
    hierarchical_values,
    planned_values,
    sr_values,
)
from hsr.kernels.animals import logit_sums
from tests.cases import raises

OPEN = "......\n......\n......\n......"
WALLED = "......\n.####.\n......\n......"
FEW = {"discounts": (0.6, 0.9), "rates": (0.1, 0.5), "shares": (0.5,), "samples": 100}
NOTHING = np.zeros(0, dtype=bool)


@cache
def layouts():
    return {name: hsr.GridLayout.from_text(text) for name, text in (("a", OPEN), ("b", WALLED))}


def walked(rng, layout, goal, value, n, strength):
    """Return the states of n walks from random states to a goal, by a soft-max of values."""
    neighbours = neighbours_of(hsr.grid_mdp(layout, 0.9))
    for _ in range(n):
        path = [int(rng.integers(layout.n_states))]
        while path[-1] != goal and len(path) < 40:
            there = neighbours[path[-1]]
            there = there[there >= 0]
            p = np.exp(strength * (value[there] - value[there].max()))
            path.append(int(rng.choice(there, p=p / p.sum())))
        if len(path) > 1:
            yield path


@cache
def population(n_subjects=3, n_worlds=6, strength=1.5):
    """Return paths of subjects that go by shortest distances in six worlds of two kinds."""
    rng = np.random.default_rng(1)
    rows = {name: [] for name in ("subject", "world", "trial", "state")}
    worlds = {k: layouts()["ab"[k % 2]] for k in range(n_worlds)}
    for subject in range(n_subjects):
        for world, layout in worlds.items():
            value = -distances(neighbours_of(hsr.grid_mdp(layout, 0.9)))[:, 0]
            for trial, path in enumerate(walked(rng, layout, 0, value, 12, strength)):
                for state in path:
                    for name, one in zip(rows, (subject, world, trial, state), strict=True):
                        rows[name].append(one)
    paths = read_paths(rows, worlds)
    return paths, headings(paths, {name: [0] for name in worlds})


def choices_on(layout, *paths, goal=0):
    """Return choices in one grid whose destination is known."""
    ground = grounds_of({"grid": hsr.grid_mdp(layout, 0.9)})["grid"]
    neighbours, place = together([ground])
    of_paths = [np.array(path) for path in paths]
    heading = [np.full(path.size - 1, goal) for path in of_paths]
    return choices_of(
        neighbours, of_paths, np.array([goal]), min_moves=2, heading=heading,
        grounds=[ground], place=place,
    )  # fmt: skip


def test_weights_are_those_of_a_conditional_logit_model():
    rng = np.random.default_rng(0)
    layout = layouts()["b"]
    value = -distances(neighbours_of(hsr.grid_mdp(layout, 0.9)))[:, 0]
    choices = choices_on(layout, *walked(rng, layout, 0, value, 60, 1.0))
    block = np.arange(choices.n_paths) % 2
    logit = Logit(choices, block)
    geodesic = logit.part("weight", Candidate({}, value=lambda _: value[:, None]))
    fit = logit.fit([geodesic], test=1)
    train = logit.block_of == 0
    X, there = logit.features([geodesic], 1)[train], logit.allowed[train]
    y = np.zeros(there.shape)
    y[np.arange(y.shape[0]), logit.chosen[train]] = 1.0
    group = np.repeat(np.arange(y.shape[0]), there.shape[1]).reshape(there.shape)
    oracle = ConditionalLogit(y[there], X[there], groups=group[there]).fit(disp=0)
    # The ridge of 0.01 moves weights by far less than their standard errors.
    np.testing.assert_allclose(fit.weights, oracle.params, atol=0.02)
    assert fit.log_likelihood == pytest.approx(oracle.llf, abs=1e-2)
    against = logit.part("weight", Candidate({}, value=lambda _: -value[:, None]))
    assert logit.fit([against], 1).weights[-1] == 0.0  # weights of maps are not negative


def test_derivatives_are_those_of_the_log_likelihood():
    rng = np.random.default_rng(2)
    X, w, chosen = rng.normal(size=(30, 4, 3)), rng.normal(size=3), rng.integers(0, 2, 30)
    allowed = np.ones((30, 4), dtype=bool)
    allowed[:10, 3] = False

    def reached(w):
        z = np.where(allowed, X @ w, -np.inf)
        return (z[np.arange(30), chosen] - np.log(np.exp(z).sum(axis=1))).sum()

    gradient, curvature = np.empty(3), np.empty((3, 3))
    assert logit_sums(X, allowed, chosen, w, gradient, curvature) == pytest.approx(reached(w))
    h = 1e-4 * np.eye(3)  # errors of central differences are of the order h^2
    slopes = [(reached(w + e) - reached(w - e)) / 2e-4 for e in h]
    np.testing.assert_allclose(gradient, slopes, atol=1e-6)
    bends = [
        [
            -(reached(w + e + f) - reached(w + e - f) - reached(w - e + f) + reached(w - e - f))
            / 4e-8
            for f in h
        ]
        for e in h
    ]
    np.testing.assert_allclose(curvature, bends, atol=1e-4)


def test_a_part_that_learns_predicts_each_training_block_by_the_others():
    layout = layouts()["a"]
    choices = choices_on(layout, [7, 6, 0], [8, 7, 1, 0], [2, 1, 0], [3, 2, 1, 0])
    logit = Logit(choices, np.array([0, 0, 1, 2]))
    shape = choices.neighbours[choices.state].shape
    counted = Candidate({}, history=lambda seen: np.full(shape, float(seen.sum())))
    values = logit.values(logit.part("history", counted), test=2)[:, 0]
    n = np.bincount(logit.block[choices.path])
    expected = [n[1], n[0], n[0] + n[1]]  # block 0 by block 1, 1 by 0, and 2 by both
    np.testing.assert_array_equal(values, np.array(expected)[logit.block_of])


def test_biases_are_forward_straight_and_left():
    layout = layouts()["a"]
    #  0  1  2: from 0 to 1 going east, then the choice at 1 (no north), and at 7 coming from 1
    choices = choices_on(layout, [0, 1, 7, 8, 2], goal=23)
    logit = Logit(choices, np.zeros(1, dtype=int))
    ahead = logit.ahead.tolist()
    at = logit.biases
    assert set(at) == {"forward", "straight", "left"}
    row = [choices.state[t] for t in logit.rows].index(8)  # came from 7, so heads east
    assert ahead[row][int(at["straight"][row].argmax())] == 9
    assert ahead[row][int(at["left"][row].argmax())] == 2
    assert ahead[row][int(at["forward"][row].argmin())] == 7


def test_td_along_a_path_follows_the_update_rule():
    layout = layouts()["a"]
    choices = choices_on(layout, [7, 6, 0], [8, 7, 1, 0])
    found = learned_by_td(choices, 0.8, 0.3)
    M, result = np.eye(layout.n_states), []
    for path in ([7, 6, 0], [8, 7, 1, 0]):
        for s, n in pairwise(path):
            result.append(M[:, 0] / M[0, 0])
            M[s] += 0.3 * (np.eye(len(M))[s] + 0.8 * M[n] - M[s])
        M[n] += 0.3 * (np.eye(len(M))[n] - M[n])
    ahead = choices.neighbours[choices.state]
    expected = [
        np.where(row >= 0, of_states[row], 0.0)
        for row, of_states in zip(ahead, result, strict=True)
    ]
    np.testing.assert_allclose(found, expected, atol=1e-15)
    assert found[3:].max() > 0.0  # the second path profits from the first


def test_barriers_count_once_they_have_been_seen():
    """From below a wall, the way up looks short until the wall has been seen."""
    open_, walled = (hsr.grid_mdp(layouts()[name], 0.9) for name in "ab")
    grounds = grounds_of({"a": open_, "b": walled})
    neighbours, place = together(list(grounds.values()))
    b = layouts()["b"]
    first = grounds["b"].first
    # Row 3 of the walled maze, then row 2 under the wall, along it to the east and up.
    cells = [(3, 2), (2, 2), (2, 3), (2, 4), (2, 5), (1, 5), (0, 5), (0, 4)]
    path = np.array([first + b.state_at(*cell) for cell in cells])
    goal = first + b.state_at(0, 2)
    choices = choices_of(
        neighbours, [path], np.array([goal]), min_moves=1, heading=[np.full(path.size - 1, goal)],
        grounds=list(grounds.values()), place=place,
    )  # fmt: skip
    value = believed(choices, "open", None)

    def of(t, cell):
        k = choices.neighbours[path[t]].tolist().index(first + b.state_at(*cell))
        return value[t, k]

    assert of(0, (2, 2)) == -2  # straight up through a wall that it has not seen
    graph = networkx.grid_2d_graph(4, 6)
    graph.remove_node((1, 2))  # seen from (2, 2)
    steps = networkx.single_source_shortest_path_length(graph, (0, 2))
    assert [of(1, cell) for cell in ((2, 1), (2, 3))] == [-steps[2, 1], -steps[2, 3]]
    graph.remove_node((1, 3))
    steps = networkx.single_source_shortest_path_length(graph, (0, 2))
    assert of(2, (2, 4)) == -steps[2, 4]


def test_memory_of_barriers_is_kept_or_lost_when_the_world_changes():
    """A wall seen in one world is expected in the next one, or is not."""
    a, b = (layouts()[name] for name in "ab")
    grounds = grounds_of({name: hsr.grid_mdp(layouts()[name], 0.9) for name in "ab"})
    neighbours, place = together(list(grounds.values()))
    first = grounds["b"].first
    along = [first + b.state_at(2, column) for column in (1, 2, 3, 4)]
    then = [a.state_at(3, column) for column in (2, 3)]
    goals = [first + b.state_at(0, 2), a.state_at(0, 2)]
    choices = choices_of(
        neighbours, [np.array(along), np.array(then)], np.array(sorted(goals)), min_moves=1,
        heading=[np.full(3, goals[0]), np.full(1, goals[1])],
        grounds=list(grounds.values()), place=place,
    )  # fmt: skip
    k = neighbours[then[0]].tolist().index(a.state_at(2, 2))
    assert believed(choices, "open", None)[3, k] == -2
    graph = networkx.grid_2d_graph(4, 6)
    graph.remove_nodes_from([(1, column) for column in (1, 2, 3, 4)])
    steps = networkx.single_source_shortest_path_length(graph, (0, 2))
    assert believed(choices, "kept", None)[3, k] == -steps[2, 2]


def test_the_default_representation_of_a_known_maze_is_the_sr_of_the_random_walk():
    """Where nothing is hidden, exp(-c) is the discount: z = M[n, g] / M[g, g] [piray2021]."""
    layout = layouts()["a"]
    choices = choices_on(layout, [7, 6, 0], [8, 7, 1, 0])
    A = networkx.to_numpy_array(networkx.grid_2d_graph(4, 6))
    M = np.linalg.inv(np.eye(24) - 0.9 * A / A.sum(axis=1, keepdims=True))
    z = M[:, 0] / M[0, 0]
    ahead = choices.neighbours[choices.state]
    expected = np.where(ahead >= 0, np.log(z)[ahead], 0.0)
    found = np.where(ahead >= 0, believed(choices, "open", 0.9), 0.0)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    ground = choices.grounds[0]
    np.testing.assert_allclose(sr_values(None, 0.9, ground, np.array([0]), NOTHING)[:, 0], z)


def test_planning_noise_lengthens_distances_as_in_a_sum_over_walks():
    layout = layouts()["b"]
    ground = choices_on(layout, [0, 1, 0]).grounds[0]
    exact = -distances(ground.neighbours)[:, [0]]
    np.testing.assert_allclose(
        planned_values(0.05, ground, np.array([0]), NOTHING), exact, atol=0.15
    )
    A = networkx.to_numpy_array(
        networkx.from_numpy_array((distances(ground.neighbours) == 1) * 1.0)
    )
    w = np.exp(-1.0 / 0.4)
    Z = sum(w**k * np.linalg.matrix_power(A, k) for k in range(400))[:, 0]
    soft = planned_values(0.4, ground, np.array([0]), NOTHING)[:, 0]
    np.testing.assert_allclose(soft, np.log(Z / Z[0]) * 0.4, atol=1e-9)


def test_without_options_an_hsr_is_the_sr():
    choices = choices_on(layouts()["b"], [0, 1, 0])
    ground, goal = choices.grounds[0], np.array([3])
    sr = sr_values(None, 0.9, ground, goal, NOTHING)
    for kind in ("hsr", "hsr_betweenness", "hsr_doors"):
        found = hierarchical_values(choices, kind, 0.9, 4, 0.0, ground, goal, NOTHING)
        np.testing.assert_allclose(found, sr, rtol=1e-9)
    some = hierarchical_values(choices, "hsr", 0.9, 4, 0.5, ground, goal, NOTHING)
    assert np.abs(some - sr).max() > 0.01


def test_subjects_are_units_and_held_out_worlds_teach_nothing():
    paths, heading = population()
    models = ["forward", "geodesic", "sr_td", "sr+geodesic"]
    found = compare_choices(paths, models=models, heading=heading, blocks=3, **FEW)
    assert found.animals == (0, 1, 2)
    gains = found.bits[1] - found.bits[0]
    low, high = stats.t.interval(0.95, 2, gains.mean(), stats.sem(gains))
    difference = found.difference("geodesic", "forward")
    np.testing.assert_allclose((difference.low, difference.high), (low, high))
    assert difference.verdict == "better"
    fits = [one for each in found.each.values() for one in each.fitted["geodesic"]]
    assert all(0.9 <= fit["inverse_temperature"] <= 2.2 for fit in fits)  # simulated with 1.5
    # Worlds 0 and 1 are the first block: their choices do not change the fit that predicts them.
    one = paths.where(subject=0)
    first = np.flatnonzero(one.table["world"].isin([0, 1]))
    turned = hsr.animals.Paths(
        one.table,
        tuple(path[::-1] if i in first else path for i, path in enumerate(one.states)),
        one.worlds,
    )
    of_one = [
        compare_choices(
            given, models=["geodesic"], blocks=3, samples=50,
            heading=[[0] * (path.size - 1) for path in given.states],
        )
        for given in (one, turned)
    ]  # fmt: skip
    assert of_one[0].fitted["geodesic"][0] == of_one[1].fitted["geodesic"][0]
    assert of_one[0].fitted["geodesic"][1] != of_one[1].fitted["geodesic"][1]


def test_alternatives_can_be_named_and_moves_back_left_out():
    paths, heading = population()
    one, known = paths.where(subject=0, world=0), heading[:12]
    every = compare_choices(one, models=["forward"], heading=known, blocks=2, samples=50)
    onward = compare_choices(
        one, models=["forward"], heading=known, blocks=2, samples=50, back=False
    )
    assert onward.n_choices < every.n_choices
    only = compare_choices(
        one, models=["forward"], heading=known, blocks=2, samples=50, alternatives={7: [1, 8]}
    )
    lost = [
        (path[i], path[i + 1])
        for path in (states.tolist() for states in one.states)
        for i in range(len(path) - 1)
        if path[i] == 7 and path[i + 1] not in (1, 8)
    ]
    assert every.n_choices - only.n_choices == len(lost) > 0
    with raises("alternatives.7. has 23, which is not a neighbour"):
        compare_choices(one, models=["forward"], heading=known, alternatives={7: [23]})


def test_models_are_recognised_in_their_own_choices_and_power_is_that_of_a_t_test():
    paths, heading = population()
    found = compare_choices(
        paths, models=["forward", "geodesic", "sr"], heading=heading, blocks=3, **FEW
    )
    recovered = recover_choices(found, repeats=3, seed=0)
    assert recovered.recognised[1] == 1.0
    assert recovered.can_tell("geodesic", "forward")
    error = recovered.errors[1, 2]
    expected = TTestPower().power(0.05 / (error * np.sqrt(3)), nobs=3, alpha=0.05)
    assert recovered.power(0.05)[1, 2] == pytest.approx(expected, abs=1e-3)
    least = recovered.smallest(0.8)[1, 2]
    assert TTestPower().power(least / (error * np.sqrt(3)), nobs=3, alpha=0.05) == pytest.approx(
        0.8, abs=0.01
    )
    hidden = compare_choices(
        paths.where(subject=0, world=0), models=["forward"], blocks=2, samples=50
    )
    with raises("needs known ones: give heading"):
        recover_choices(hidden)


def test_settings_at_the_end_of_a_list_are_said():
    paths, heading = population()
    found = compare_choices(
        paths, models=["forward", "optimal"], heading=heading, blocks=3,
        discounts=(0.97, 0.98, 0.99), readouts=("linear",), samples=50,
    )  # fmt: skip
    ends = [one for each in found.each.values() for one in each.ends["optimal"]]
    assert ends == [
        ["discount"] if fit["discount"] != 0.98 else []
        for each in found.each.values()
        for fit in each.fitted["optimal"]
    ]
    n = ends.count(["discount"])
    assert f"optimal: the best discount is at an end of its list in {n} of 9" in str(found)


def test_models_that_need_a_destination_ask_for_it():
    paths, _ = population()
    with raises("needs known destinations: give heading"):
        compare_choices(paths.where(subject=0, world=0), models=["sr_td"])
    with raises("go through 6 worlds; give heading"):
        compare_choices(paths.where(subject=0), models=["sr"])
