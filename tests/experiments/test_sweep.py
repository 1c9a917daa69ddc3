"""Sweeps: which settings they are made of, what is run, and numbers computed again by SciPy."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from hsr.experiments import Axes
from hsr.experiments.store import Record, Store
from hsr.experiments.sweep import (
    check_measures,
    chosen_agents,
    points_of,
    read_over,
    rows_of,
    with_agents,
)
from hsr.experiments.sweep_figure import draw_sweep
from tests.cases import cases, raises
from tests.experiments.factors import EXPERIMENT

SLIPS = {"slip": [0.0, 0.5]}


def points(over=SLIPS, **changes):
    return points_of(EXPERIMENT, "smoke", changes, over)


def with_names(*names):
    """Return the experiment with other names of its conditions."""
    fast = EXPERIMENT.conditions(EXPERIMENT.presets["smoke"])["fast"]
    return replace(EXPERIMENT, conditions=lambda setting: dict.fromkeys(names, fast))


@cases(
    ("text", "expected"),
    {
        "numbers": ("agent.epsilon=0.1, 0.2", ("agent.epsilon", [0.1, 0.2])),
        "words": ("options.kind=eigen,random", ("options.kind", ["eigen", "random"])),
        "lists": ("rates=[0.1, 0.2],[1.0]", ("rates", [[0.1, 0.2], [1.0]])),
        "repeated": ("episodes=7,7,8", ("episodes", [7, 8])),
    },
)
def test_values_are_read_from_the_command_line(text, expected):
    assert read_over(text) == expected


def test_fields_are_crossed():
    found = points({**SLIPS, "seeds": [1, 2]}, worlds=3)
    assert [(one.setting.slip, one.setting.seeds) for one in found] == [
        (0.0, 1),
        (0.0, 2),
        (0.5, 1),
        (0.5, 2),
    ]
    assert {one.setting.worlds for one in found} == {3}


@cases(
    ("over", "message"),
    {
        "name": ({"slipp": [1]}, "did you mean slip"),
        "value": ({"seeds": [1, 0]}, "seeds is 0"),
    },
)
def test_a_sweep_that_cannot_be_run_is_refused(over, message):
    with raises(message):
        points(over)


def test_agents_are_found_by_the_beginning_of_their_names():
    names = ["RW-SR rows", "SR rows", "HSR rows", "no options: SR rows", "every step: HSR rows"]
    names += ["SR rows, no options", "exact SR", "exact HSR"]
    experiment, point = with_names(*names), points()[0]
    assert chosen_agents(experiment, point, []) == names
    assert chosen_agents(experiment, point, ["every", "no options: SR"]) == [names[4], names[3]]
    assert chosen_agents(experiment, point, ["hsr", "SR rows"]) == ["HSR rows", "SR rows"]
    assert chosen_agents(experiment, point, ["SR", "HSR"]) == ["SR rows", "HSR rows"]
    with raises("there is no agent 'exact'; did you mean exact"):  # it stands for two
        chosen_agents(experiment, point, ["exact"])
    with raises("there is no agent 'HS rows'; did you mean HSR rows"):
        chosen_agents(experiment, point, ["HS rows"])


class Named(NamedTuple):
    """A name of two parts."""

    agent: str
    maze: str


@cases(
    "names",
    {
        "text": [f"{maze}: {agent}" for maze in ("loop", "corridor") for agent in ("SR", "HSR")],
        "parts": [Named(agent, maze) for maze in ("loop", "corridor") for agent in ("SR", "HSR")],
    },
)
def test_agents_are_told_from_where_they_run(names):
    experiment, (point, _) = with_names(*names), points()
    assert chosen_agents(experiment, point, []) == ["SR", "HSR"]
    assert list(with_agents(experiment, ["HSR"]).conditions(point.setting)) == names[1::2]


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """Made-up steps of both agents at two values; at 0.5 the second one takes half as many."""
    store, rng = Store(tmp_path_factory.mktemp("sweep") / "store"), np.random.default_rng(0)
    some, steps = points(worlds=12, seeds=3), {}
    for point in some:
        slip = point.setting.slip
        for name, condition in EXPERIMENT.conditions(point.setting).items():
            for world in range(12):
                made = rng.uniform(200, 400, (3, 5))
                made = made / 2 if name == "fast" and slip else made
                steps[slip, name, world] = made.mean()
                arrays = {"steps": made} | ({"change": made[:, 0]} if name == "fast" else {})
                store.put(Record("factors", condition.data(), world, arrays))
    return EXPERIMENT, some, ["slow", "fast"], store, steps


def test_means_differences_and_tests_are_those_of_scipy(swept):
    steps = swept[-1]
    rows = rows_of(*swept[:4], ["steps"])
    assert [(row["slip"], row["agent"]) for row in rows] == [
        (0.0, "slow"),
        (0.0, "fast"),
        (0.5, "slow"),
        (0.5, "fast"),
    ]
    p = []
    for row in rows:
        own, other = (
            np.array([steps[row["slip"], agent, world] for world in range(12)])
            for agent in (row["agent"], "slow")
        )
        assert_allclose(row["mean"], own.mean(), rtol=1e-9)
        ends = stats.t.interval(0.95, 11, own.mean(), stats.sem(own))
        assert_allclose(row["interval"], ends, rtol=1e-9)
        if row["agent"] == "slow":
            assert "difference" not in row
            continue
        found = stats.ttest_rel(own, other)
        assert_allclose(row["difference"], (own - other).mean(), rtol=1e-9)
        assert_allclose(row["difference_interval"], found.confidence_interval(), rtol=1e-9)
        assert_allclose(row["p"], max(found.pvalue, 2.0**-11), rtol=1e-6)
        p.append(row["p"])
    corrected = [row["p_corrected"] for row in rows if "p" in row]
    assert_allclose(min(corrected), min(p) * 2)
    # The planted difference is found where it is, and nowhere else.
    assert [one < 0.05 for one in corrected] == [False, True]


def test_an_array_that_only_some_agents_have_is_compared_between_those(swept):
    rows = rows_of(*swept[:4], ["change"])
    assert [row["agent"] for row in rows] == ["fast", "fast"]
    assert not any("difference" in row for row in rows)
    with raises("no run of slow in several worlds has change"):
        rows_of(*swept[:2], ["slow"], swept[3], ["change"])


def test_measures_are_arrays_that_the_experiment_declares():
    check_measures(EXPERIMENT, ["steps"])
    check_measures(replace(EXPERIMENT, axes=Axes({})), ["own"])
    with raises("there is no measure 'stps'; did you mean steps"):
        check_measures(EXPERIMENT, ["stps"])


def test_the_figure_has_every_value_and_agent(swept):
    figure = draw_sweep(rows_of(*swept[:4], ["steps"]), list(SLIPS))
    assert len(figure.axes) == 2
    for ax in figure.axes:
        assert [tick.get_text() for tick in ax.get_xticklabels()] == ["0.0", "0.5"]
    assert figure.axes[1].get_ylabel() == "difference from slow"
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["slow", "fast"]
