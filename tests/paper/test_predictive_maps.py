"""Figures 1 and S1 as an experiment: measures by hand, worlds, readings, and planted faults."""

from dataclasses import replace

import numpy as np
import pytest

import hsr
from hsr.experiments.contrast import evidence_of
from hsr.experiments.store import ResultTable
from hsr.grids import load_layout
from hsr.paper.experiments.predictive_maps import EXPERIMENT
from hsr.paper.maps import measures
from hsr.paper.maps.summary import regimes

SMALL = {"worlds": 3, "maps.n_components": 8}


def analysed(changes):
    """Return the numbers of a small setting with some fields changed."""
    setting = EXPERIMENT.setting("smoke", {"first_world": 0} | SMALL | changes)
    runs = (one for of, worlds in EXPERIMENT.runs(setting) for one in EXPERIMENT(of, worlds))
    return EXPERIMENT.analyse(ResultTable(runs), setting)


@pytest.fixture(scope="module")
def usual():
    """The numbers of a small setting."""
    return analysed({})


@pytest.fixture(scope="module")
def twice():
    return analysed({"maps.stopping_state": "counted_twice"})


def checks(numbers):
    found = evidence_of(EXPERIMENT.contrasts(numbers))
    return {one.claim: one for one in found if one.comparison is None}


def test_the_operator_contracts_by_the_discount_under_both_readings(usual, twice):
    """The bound is reached where the next choice is a single step."""
    for numbers in (usual, twice):
        assert checks(numbers)["theory-contraction"].holds
        np.testing.assert_allclose(numbers.measured["contraction"], 0.9)


def test_learning_ends_in_the_closed_form_that_counts_stopping_states_once(usual, twice):
    """The rule has one fixed point. Counted twice, some entry is about twice as large."""
    assert checks(usual)["theory-fixed-point"].holds
    assert usual.measured["td_error"].max() < 1e-12
    assert not checks(twice)["theory-fixed-point"].holds
    assert twice.measured["td_error"].max() > 0.3


def test_stopping_states_change_the_expected_hsr_and_nothing_else(usual, twice):
    np.testing.assert_array_equal(usual.pictures.maps[:2], twice.pictures.maps[:2])
    assert twice.pictures.maps[2].sum() > usual.pictures.maps[2].sum()


def test_a_world_is_the_signs_that_its_number_draws(usual):
    """The measures of each world, from maps and features that the library makes by itself."""
    layout = load_layout("four_rooms")
    mdp = hsr.grid_mdp(layout, discount=0.9)
    for number in range(3):
        options = hsr.eigenoptions(mdp, 8, signs="random", seed=number)
        M = hsr.expected_hsr(mdp, options, hsr.goal_tasks(mdp)).toarray()
        W = hsr.NMFBasis(8).fit(M).features_
        found = usual.measured["dispersion"][number, 2]
        assert found == pytest.approx(measures.dispersion(M, layout.room_of), rel=1e-9)
        found = usual.measured["bottlenecks"][number, 2]  # of eHSR-NMF
        expected = hsr.basis.bottleneck_ratio(W, layout.bottlenecks)
        assert found == pytest.approx(expected, rel=1e-6)
        if number == 0:
            np.testing.assert_allclose(usual.pictures.maps[2], M, atol=1e-12)
            np.testing.assert_array_equal(usual.pictures.policy, options.policy)


def test_worlds_change_the_expected_hsr_and_nothing_else(usual):
    for name, values in usual.measured.items():
        if values.ndim == 2:
            without = [k for k in range(values.shape[1]) if k % 3 != 2]
            np.testing.assert_array_equal(np.ptp(values[:, without], axis=0), 0.0)
            assert name == "own_rooms" or np.ptp(values[:, 2::3], axis=0).max() > 0.0


def test_other_mazes_are_as_many_as_worlds_and_pictures_stay_in_the_four_rooms():
    setting = EXPERIMENT.setting("smoke", SMALL | {"mazes": "families"})
    runs = {of["part"]: list(EXPERIMENT(of, worlds)) for of, worlds in EXPERIMENT.runs(setting)}
    assert len({one.arrays["dispersion"].tobytes() for one in runs["measures"]}) == 3
    (picture,) = runs["pictures"]
    assert picture.arrays["maps"].shape == (3, 104, 104)


def test_planted_faults_of_exact_statements_are_found(usual):
    bad = replace(
        usual,
        measured=usual.measured
        | {"contraction": np.array([0.8, 0.95]), "td_error": np.array([0.0, 1e-6])},
        pictures=replace(usual.pictures, eigenvalues=np.array([9.0, 9.5])),
    )
    found = checks(bad)
    assert not any(one.holds for one in found.values())
    assert found["theory-contraction"].margin == pytest.approx(-0.05)
    assert found["maps-options"].margin == pytest.approx(-0.5)
    assert not found["maps-options"].counts


def test_a_statement_compares_what_it_names(usual):
    """Each planted difference appears in the statements about it, and in no other."""
    rng = np.random.default_rng(0)
    one = {name: 1 + 1e-3 * rng.random(x.shape) for name, x in usual.measured.items()}
    one["overlap"][:, 0] += 0.5  # NMF parts of RW-SR
    one["reach"][:, 5] += 0.3  # singular vectors of eHSR
    one["dispersion"][:, 1] *= np.exp(-0.4)  # eSR
    found = evidence_of(EXPERIMENT.contrasts(replace(usual, measured=one)))
    large = {
        row.statement: round(row.comparison.difference, 1)
        for row in found
        if row.comparison is not None and abs(row.comparison.difference) > 0.01
    }
    assert large == {
        "NMF parts of eHSR overlap less than those of RW-SR.": 0.5,
        "Singular vectors of eHSR cover more states than its NMF parts.": 0.3,
        "Rows of eHSR are more dispersed than eSR's.": 0.4,
    }


def test_regimes_are_every_choice_of_goals():
    layout = load_layout("four_rooms")
    goals = regimes(layout)
    assert [len(some) for some in goals.values()] == [104, 4, 8, 16, 32]
    assert sorted(layout.room_of[goals["one per room"]]) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "changes",
    [
        {"options.n_options": 2, "options.first": "counted"},
        {"options.n_options": 3, "options.signs": "both"},
        {"options.kind": "random", "options.n_options": 1},
    ],
)
def test_other_options_can_be_drawn(changes):
    found = analysed({"worlds": 2, "maps.trained_on": "per_room", **changes})
    assert len(found.pictures.policy) == changes["options.n_options"]
    assert len(EXPERIMENT.drawn(found, {}).axes) > 40


def test_where_one_path_is_the_shortest_rows_of_plans_and_policies_are_equal():
    """Elsewhere they differ by the visits after both have separated at most."""
    layout = load_layout("four_rooms")
    mdp = hsr.grid_mdp(layout, discount=0.9)
    options, goal = hsr.eigenoptions(mdp, 8), layout.state_at(1, 9)
    task, far = hsr.GoalTask(None, goal), layout.distances_from(goal)
    paths = np.zeros(layout.n_states)  # number of shortest paths to the goal
    paths[goal] = 1
    for s in np.argsort(far, kind="stable")[1:]:
        paths[s] = sum(paths[t] for t in set(layout.neighbours[s].tolist()) if far[t] < far[s])
    model = hsr.option_model(mdp, options, task=task)
    flat = hsr.successor_representation(mdp, hsr.greedy_policy(mdp, task), task=task).toarray()
    for ties in ("uniform", "options"):
        plan = hsr.plan_over_options(model, task, ties=ties)
        apart = np.abs(hsr.hierarchical_sr(model, plan).toarray() - flat).sum(axis=1)
        assert apart[paths == 1].max() < 1e-12
        assert apart[paths > 1].max() > 0.1
        assert (apart <= 2 * (0.9 - 0.9 ** np.maximum(far, 1)) / 0.1 + 1e-12).all()
    assert 1 < (paths == 1).sum() < 104


def test_dispersion_and_own_rooms_by_hand():
    """Two rooms of two states and a door: rows are 2 apart in a room, about 10 across rooms."""
    M = np.array([[0.0, 1.0], [0.0, -1.0], [99.0, 99.0], [10.0, 1.0], [10.0, -1.0]])
    room_of = np.array([0, 0, -1, 1, 1])
    between = (10 + 10 + 2 * np.hypot(10, 2)) / 4
    assert measures.dispersion(M, room_of) == pytest.approx(2 / between)
    assert measures.own_room_fraction(M, room_of) == 1.0
    M[0] = [10.0, 0.0]
    assert measures.own_room_fraction(M, room_of) == 0.75


def test_measures_of_components_by_hand():
    """Components on 4 states of a line: one in two states, one in one, and one that is unused."""
    x = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, -2.0, 0.0]])
    line = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    assert measures.reach(x) == pytest.approx((0.5 + 0.25) / 2)
    assert measures.spread(x, line) == pytest.approx((0.5 + 0.0) / 2)
    assert measures.overlap(x) == pytest.approx(0.0, abs=1e-15)
    assert measures.overlap(x[:, [0, 0]]) == pytest.approx(1.0)
    assert measures.overlap(np.array([[1.0, 1.0], [0.0, -1.0]])) == pytest.approx(np.sqrt(0.5))
    assert measures.overlap(x[:, 1:2]) == 0.0  # with nothing
    assert measures.own_peaks(x) == 1.0
    assert measures.own_peaks(x[:, [0, 0, 1]]) == pytest.approx(2 / 3)
    assert measures.sign_change(np.array([[2.0, 1.0], [-1.0, 3.0]])) == pytest.approx(0.25)
    np.testing.assert_array_equal(measures.normalised(x)[3], [0.0, -1.0, 0.0])


def test_excursions_and_effective_rank_by_hand():
    """One peak on a closed walk is one excursion, two are two; a constant is left out."""
    trace = np.array([[0, 0, 5], [1, 1, 5], [2, 0, 5], [1, 1, 5], [0, 0, 5]], dtype=float)
    assert measures.excursions(trace) == pytest.approx((1.0 + 2.0) / 2)
    assert measures.effective_rank(np.ones(7)) == pytest.approx(7.0)
    assert measures.effective_rank(np.array([3.0, 0.0])) == pytest.approx(1.0)
    assert measures.effective_rank(np.array([0.5, 0.25, 0.25])) == pytest.approx(2**1.5)
