"""Figures 1 and S1 as an experiment: measures by hand, worlds, and the controls."""

from dataclasses import replace

import numpy as np
import pytest

import hsr
from hsr._base.declaration import changed
from hsr.experiments.contrast import evidence_of
from hsr.experiments.store import ResultTable
from hsr.grids import load_layout
from hsr.paper.experiments.predictive_maps import (
    EXPERIMENT,
    dispersion,
    own_room_fraction,
    reach,
    sign_change,
)
from tests.cases import raises
from tests.paper.experiment_runs import numbers, tiny, words

NAME = EXPERIMENT.name
TWICE, TIES, ALONE, FEWER = EXPERIMENT.controls
GOOD = {  # numbers of RW-SR, eSR and eHSR with which every claim holds
    "dispersion": (0.6, 0.7, 0.8),
    "own_rooms": (1.0, 1.0, 0.95),
    "sparsity": (0.5, 0.6, 0.7),
    "bottlenecks": (1.1, 1.0, 1.3),
    "reach": (0.4, 0.4, 0.7),
    "sign_change": (-0.1, -0.1, 0.4),
}
OVER_WORLDS = ("maps-dispersion", "maps-nmf-parts", "maps-svd-global")


@pytest.fixture
def made():
    """The numbers of a tiny setting and of its controls."""
    return numbers(NAME)


def checks(numbers):
    found = evidence_of(EXPERIMENT.contrasts(numbers))
    return {one.claim: one for one in found if one.comparison is None}


def planted(numbers, n_worlds=12, **measures):
    """Return numbers with the measures of GOOD, some changed, and a little noise over worlds."""
    rng = np.random.default_rng(4)
    noise = {name: 0.005 * rng.standard_normal((n_worlds, 3)) for name in GOOD}
    planted = {name: values + noise[name] for name, values in (GOOD | measures).items()}
    return replace(numbers, measures=planted)


def test_the_operator_contracts_by_the_discount_under_each_control(made):
    """The bound is reached where the next choice is a single step."""
    for found in made.values():
        assert checks(found)["theory-contraction"].holds
        assert found.contraction.max() == pytest.approx(0.9)
        assert found.contraction.shape == (2 * 50,)


def test_learning_ends_in_the_closed_form_that_counts_stopping_states_once(made):
    """The rule has one fixed point. Counted twice, some entry is about twice as large."""
    assert made[""].td_error < 0.3
    assert made[TIES].td_error < 0.3
    assert made[TWICE].td_error > 0.4


def test_a_control_changes_the_expected_hsr_and_nothing_else(made):
    for name in (TWICE, TIES):
        for key, M in made[name].maps.items():
            assert (made[""].maps[key] != M).any() == (key == "eHSR")
    assert made[TWICE].maps["eHSR"].sum() > made[""].maps["eHSR"].sum()


def test_a_world_is_the_signs_that_its_number_draws(made):
    """The measures of each world, from maps that the library makes by itself."""
    layout = load_layout("four_rooms")
    mdp = hsr.grid_mdp(layout, discount=0.9)
    tasks = hsr.goal_tasks(mdp)
    found = made[""].measures["dispersion"][:, 2]
    for number in range(3):
        options = hsr.eigenoptions(mdp, 8, signs="random", seed=number)
        M = hsr.expected_hsr(mdp, options, tasks).toarray()
        assert found[number] == pytest.approx(dispersion(M, layout.room_of), rel=1e-9)
        if number == 0:
            np.testing.assert_allclose(made[""].maps["eHSR"], M, atol=1e-12)
            np.testing.assert_array_equal(made[""].options.policy, options.policy)


def test_worlds_change_the_expected_hsr_and_nothing_else(made):
    for of_map in made[""].measures.values():
        np.testing.assert_array_equal(np.ptp(of_map[:, :2], axis=0), 0.0)
    for name in ("dispersion", "sparsity", "bottlenecks", "sign_change"):
        assert np.ptp(made[""].measures[name][:, 2]) > 0.0


def test_signs_that_are_given_leave_one_world(made):
    """Then a comparison is exact: every world has the same difference."""
    setting = changed(tiny(NAME), {"options.signs": "+-+-+-+-", "maps.trained_on": "per_room"})
    of_run, worlds = EXPERIMENT.runs(setting)[0]
    rows = ResultTable(EXPERIMENT(of_run, worlds))
    for name in GOOD:
        assert np.ptp(rows.array(name), axis=0).max() == 0.0


def test_exact_margins_of_planted_faults_are_negative(made):
    bad = replace(
        made[""],
        contraction=np.array([0.8, 0.95]),
        td_error=0.06,
        eigenvalues=np.array([9.0, 9.5]),
    )
    found = checks(bad)
    assert not any(one.holds for one in found.values())
    assert found["theory-contraction"].margin == pytest.approx(-0.05)
    assert found["theory-fixed-point"].margin == pytest.approx(-0.01)
    assert found["maps-options"].margin == pytest.approx(-0.5)


@pytest.mark.parametrize(
    ("fault", "claim"),
    [
        ({"dispersion": (0.85, 0.7, 0.8)}, "maps-dispersion"),
        ({"dispersion": (0.6, 0.85, 0.8)}, "maps-dispersion"),
        ({"own_rooms": (1.0, 1.0, 0.85)}, "maps-dispersion"),
        ({"sparsity": (0.75, 0.6, 0.7)}, "maps-nmf-parts"),
        ({"bottlenecks": (1.4, 1.0, 1.3)}, "maps-nmf-parts"),
        ({"bottlenecks": (0.8, 1.0, 0.9)}, "maps-nmf-parts"),
        ({"reach": (0.4, 0.4, 0.45)}, "maps-svd-global"),
        ({"sign_change": (0.4, 0.4, -0.1)}, "maps-svd-global"),
    ],
)
def test_a_claim_needs_all_of_its_parts(made, fault, claim):
    """Rows that lie far apart do not make up for rooms that overlap, nor the other way round."""
    good, found = words(NAME, planted(made[""])), words(NAME, planted(made[""], **fault))
    assert {good[one] for one in OVER_WORLDS} == {"reproduced"}
    assert {one for one in OVER_WORLDS if found[one] != "reproduced"} == {claim}
    assert found[claim] == "not reproduced"


def test_a_threshold_is_compared_in_every_world(made):
    """Of three worlds one lies below the threshold of nine tenths."""
    rooms = np.tile(np.array([[0.95], [0.85], [1.0]]), 3)
    some = replace(made[""], measures=made[""].measures | {"own_rooms": rooms})
    found = evidence_of(EXPERIMENT.contrasts(some))
    (one,) = [one for one in found if "threshold 0.9" in one.what]
    assert one.worlds.as_claimed == pytest.approx(2 / 3)
    assert one.comparison.difference == pytest.approx(2.8 / 3 - 0.9)


def test_regimes_are_every_choice_of_goals(made):
    goals, layout = made[""].regimes, load_layout("four_rooms")
    assert [len(some) for some in goals.values()] == [104, 4, 8, 16, 32]
    assert sorted(layout.room_of[goals["one per room"]]) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({"options.n_options": 2, "options.first": "counted"}, ["v0", "-v1"]),
        ({"options.n_options": 3, "options.signs": "both"}, ["+v1", "-v1", "+v2"]),
        ({"options.kind": "random", "options.n_options": 1}, ["1"]),
    ],
)
def test_other_options_are_drawn_under_their_names(changes, names):
    short = {"worlds": 2, "td_steps": 10, "maps.n_components": 4, "maps.trained_on": "per_room"}
    setting = changed(tiny(NAME), short | changes)
    runs = (
        one for of_run, worlds in EXPERIMENT.runs(setting) for one in EXPERIMENT(of_run, worlds)
    )
    found = EXPERIMENT.analyse(ResultTable(runs), setting)
    assert list(found.options.names) == names
    texts = [text.get_text() for ax in EXPERIMENT.drawn(found, {}).axes for text in ax.texts]
    assert [word for word in texts if word.endswith(", ends at disc")] == [
        f"{name}, ends at disc" for name in names
    ]


def test_dispersion_and_own_rooms_by_hand():
    """Two rooms of two states and a door: rows are 2 apart in a room, about 10 across rooms."""
    M = np.array([[0.0, 1.0], [0.0, -1.0], [99.0, 99.0], [10.0, 1.0], [10.0, -1.0]])
    room_of = np.array([0, 0, -1, 1, 1])
    between = (10 + 10 + 2 * np.hypot(10, 2)) / 4
    assert dispersion(M, room_of) == pytest.approx(2 / between)
    assert own_room_fraction(M, room_of) == 1.0
    M[0] = [10.0, 0.0]
    assert own_room_fraction(M, room_of) == 0.75


def test_reach_and_sign_change_by_hand():
    """The first vector is global and changes sign, the second does neither."""
    U = np.array([[2.0, 1.0], [-1.0, 0.05], [1.0, 0.05], [0.5, 0.05]])
    np.testing.assert_allclose(reach(U), [1.0, 0.25])
    np.testing.assert_allclose(sign_change(U), [0.5, -0.05])
    np.testing.assert_allclose(sign_change(-U), [0.5, -0.05])


def test_one_component_is_refused_because_sign_changes_need_two():
    with raises("maps.n_components is 1"):
        changed(tiny(NAME), {"maps.n_components": 1})
