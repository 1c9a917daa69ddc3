"""Figures 1 and S1 as an experiment: measures by hand, and the controls."""

from dataclasses import replace

import numpy as np
import pytest

from hsr.grids import load_layout
from hsr.paper.experiments.predictive_maps import EXPERIMENT, analysis, figure
from hsr.paper.ledger import verdicts
from hsr.paper.runner import result_of
from hsr.paper.setting import changed
from hsr.paper.store import Record, ResultTable
from tests.paper.experiment_runs import numbers, preset, records, stored, tiny

NAME = EXPERIMENT.name
TWICE, TIES = EXPERIMENT.controls


@pytest.fixture
def made():
    """The numbers of a tiny setting and of its controls."""
    return numbers(NAME)


def found_in(numbers):
    return {one.claim: one for one in analysis.evidence(numbers)}


def test_the_operator_contracts_by_the_discount_under_each_control(made):
    """The bound is reached where the next choice is a single step."""
    for found in made.values():
        assert found_in(found)["theory-contraction"].holds
        assert found.contraction.max() == pytest.approx(0.9)


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


def test_margins_of_planted_faults_are_negative(made):
    bad = replace(
        made[""],
        dispersion=dict.fromkeys(made[""].dispersion, 0.5) | {"RW-SR": 0.7},
        sign_change=np.array([0.2, -0.1]),
        contraction=np.array([0.8, 0.95]),
        eigenvalues=np.array([9.0, 9.5]),
    )
    assert all((one.margin > 0.0) == one.holds for one in analysis.evidence(bad))
    margins = {claim: one.margin for claim, one in found_in(bad).items()}
    assert margins["maps-dispersion"] == pytest.approx(0.5 - 0.7)
    assert margins["maps-options"] == pytest.approx(-0.5)
    assert margins["maps-svd-global"] == pytest.approx(-0.1)
    assert margins["theory-contraction"] == pytest.approx(-0.05)


def test_the_margin_of_several_parts_is_the_smallest(made):
    """Rows that lie far apart do not make up for rooms that overlap, nor the other way round."""
    apart = {"RW-SR": 0.1, "eSR": 0.2, "eHSR": 0.9}
    one = found_in(replace(made[""], dispersion=apart, own_rooms=0.85))["maps-dispersion"]
    assert not one.holds
    assert one.margin == pytest.approx(0.85 - 0.9)
    two = found_in(replace(made[""], dispersion=apart, own_rooms=1.0))["maps-dispersion"]
    assert two.holds
    assert two.margin == pytest.approx(1.0 - 0.9)


def test_what_is_planted_under_a_control_is_judged_there_alone(made, tmp_path):
    """The ledger learns its map, one control does not."""
    error = {"": 0.01, TWICE: 0.9, TIES: 0.02}
    arrays, planted = next(iter(records(NAME).values())).arrays, []
    for name, variant in EXPERIMENT.with_controls(tiny(NAME)).items():
        ((of_run, (seed,)),) = EXPERIMENT.runs(variant)
        planted.append(Record(NAME, of_run, seed, {**arrays, "td_error": np.array(error[name])}))
    result = result_of(EXPERIMENT, tiny(NAME), stored(tmp_path, planted))
    word = {(one.control, one.claim): one.word for one in verdicts(result.evidence)}
    assert {name: word[name, "theory-fixed-point"] for name in error} == {
        "": "reproduced", TWICE: "not reproduced", TIES: "reproduced",
    }  # fmt: skip
    assert {word[name, "maps-dispersion"] for name in error} == {word["", "maps-dispersion"]}


def test_regimes_are_every_choice_of_goals(made):
    goals, layout = made[""].regimes, load_layout("four_rooms")
    assert [len(some) for some in goals.values()] == [104, 4, 8, 16, 32]
    assert sorted(layout.room_of[goals["one per room"]]) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({"options.n_options": 2}, ["v1", "v2"]),
        ({"options.n_options": 3, "options.signs": "both"}, ["+v1", "-v1", "+v2"]),
        ({"options.kind": "random", "options.n_options": 1}, ["1"]),
    ],
)
def test_other_options_are_drawn_under_their_names(changes, names):
    setting = changed(
        tiny(NAME),
        {**changes, "td_steps": 10, "maps.n_components": 4, "maps.trained_on": "per_room"},
    )
    ((of_run, seeds),) = EXPERIMENT.runs(setting)
    found = analysis.analyse(ResultTable(EXPERIMENT(of_run, seeds)), setting)
    assert list(found.options.names) == names
    words = [text.get_text() for ax in figure.draw_figure(found, {}).axes for text in ax.texts]
    assert [word for word in words if word.endswith(", ends at disc")] == [
        f"{name}, ends at disc" for name in names
    ]


def test_dispersion_and_own_rooms_by_hand():
    """Two rooms of two states and a door: rows are 2 apart in a room, about 10 across rooms."""
    M = np.array([[0.0, 1.0], [0.0, -1.0], [99.0, 99.0], [10.0, 1.0], [10.0, -1.0]])
    room_of = np.array([0, 0, -1, 1, 1])
    between = (10 + 10 + 2 * np.hypot(10, 2)) / 4
    assert analysis.dispersion(M, room_of) == pytest.approx(2 / between)
    assert analysis.own_room_fraction(M, room_of) == 1.0
    M[0] = [10.0, 0.0]
    assert analysis.own_room_fraction(M, room_of) == 0.75


def test_the_papers_preset_learns_longer():
    assert preset(NAME).td_steps > preset(NAME, "smoke").td_steps
    assert preset(NAME).maps.n_components == 32
