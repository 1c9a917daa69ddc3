"""Sweeps: which settings they are made of, what is run, and numbers computed again by SciPy."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from hsr.experiments import Axes, catalogue
from hsr.experiments.ledger import WORDS
from hsr.experiments.store import Record, Store
from hsr.experiments.sweep import (
    check_measures,
    chosen_agents,
    claims_at,
    jobs_at,
    points_of,
    read_over,
    rows_of,
)
from hsr.experiments.sweep_figure import draw_sweep
from hsr.paper.transfer.setting import optimal_of
from tests.cases import cases, raises

NAME = "offline_rows"  # its runs are curves alone
RATES = {"agent.learning_rate": [0.02, 0.1]}
SMALL = {"worlds": 12, "seeds": 3, "episodes": 5}


def points(over=RATES, name=NAME, **changes):
    return points_of(catalogue.find(name), "smoke", changes, over)


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


def test_fields_are_crossed_and_named():
    found = points({**RATES, "options.signs": ["positive", "svd"]}, worlds=3)
    assert [one.label for one in found] == [
        "agent.learning_rate=0.02, options.signs=positive",
        "agent.learning_rate=0.02, options.signs=svd",
        "agent.learning_rate=0.1, options.signs=positive",
        "agent.learning_rate=0.1, options.signs=svd",
    ]
    assert [one.setting.agent.learning_rate for one in found] == [0.02, 0.02, 0.1, 0.1]
    assert {one.setting.worlds for one in found} == {3}


@cases(
    ("over", "message"),
    {
        "name": ({"agent.learning": [1]}, "did you mean agent.learning_rate"),
        "value": ({"agent.epsilon": [0.1, 2]}, "agent.epsilon is 2"),
        "tuned": ({"step_size": ["tuned"]}, "--over agent.learning_rate=0.02,0.1"),
    },
)
def test_a_sweep_that_cannot_be_run_is_refused(over, message):
    with raises(message):
        points(over)


def test_agents_are_found_by_the_beginning_of_their_names():
    experiment, point = catalogue.find("online_transfer"), points(name="online_transfer")[0]
    everyone = ["one-hot", "RW-SR rows", "SR rows", "HSR rows", "fixed HSR rows"]
    without = [f"no options: {name}" for name in everyone if name != "HSR rows"]
    assert chosen_agents(experiment, point, []) == [*everyone, *without, "every step: HSR rows"]
    assert chosen_agents(experiment, point, ["every", "no options: SR"]) == [
        "every step: HSR rows",
        "no options: SR rows",
    ]
    assert chosen_agents(experiment, point, ["hsr", "SR rows"]) == ["HSR rows", "SR rows"]
    with raises("there is no agent 'HS rows'; did you mean HSR rows"):
        chosen_agents(experiment, point, ["HS rows"])


def test_agents_are_told_from_where_they_run():
    found = chosen_agents(catalogue.find("mazes"), points(name="mazes")[0], [])
    assert found == ["one-hot", "RW-SR rows", "SR rows", "HSR rows"]
    experiment, some = catalogue.find("mazes"), points(name="mazes", layouts=["loop", "corridor"])
    jobs = jobs_at(experiment, some[:1], ["HSR rows"])
    assert {job.setting["world"]["layout"] for job in jobs} == {"loop", "corridor"}
    assert {job.setting["features"]["kind"] for job in jobs} == {"hsr"}


def test_only_the_chosen_agents_are_run_and_no_controls():
    experiment, some = catalogue.find("online_transfer"), points(name="online_transfer", worlds=6)
    jobs = jobs_at(experiment, some, ["SR rows", "HSR rows"])
    # Neither the SR without options nor the HSR that learns at every step was asked for.
    assert sum(len(job.seeds) for job in jobs) == 2 * 2 * 6
    assert {job.setting["features"]["kind"] for job in jobs} == {"sr", "hsr"}
    assert all(job.setting["uses_options"] for job in jobs)
    assert {job.setting["agent"]["learning_rate"] for job in jobs} == {0.02, 0.1}


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """Made-up steps of all agents at two rates; at 0.1 the last agent takes half as many."""
    store, rng = Store(tmp_path_factory.mktemp("sweep") / "store"), np.random.default_rng(0)
    experiment, some, steps = catalogue.find(NAME), points(**SMALL), {}
    for point in some:
        rate = point.setting.agent.learning_rate
        conditions = experiment.conditions(point.setting)
        for name, condition in conditions.items():
            last = name == list(conditions)[-1]
            for world in range(12):
                made = rng.integers(200, 400, (3, len(condition.goals), 5))
                made = made // 2 if last and rate == 0.1 else made
                steps[rate, name, world] = made
                store.put(Record(NAME, condition.data(), world, {"steps": made}))
    agents = chosen_agents(experiment, some[0], [])
    return experiment, some, agents, store, steps


def logs(swept, rate, agent, measure):
    """Return the mean over seeds and episodes of the log of steps over the optimum, by world."""
    task = ["log steps to G1", "log steps to G2"].index(measure)
    experiment, some, _, _, steps = swept
    condition = experiment.conditions(some[0].setting)[agent]
    optimal = optimal_of(condition)[task]
    return np.array(
        [np.log(steps[rate, agent, world][:, task] / optimal).mean() for world in range(12)]
    )


def test_means_differences_and_tests_are_those_of_scipy(swept):
    rows = rows_of(*swept[:4])
    agents = swept[2]
    assert len(rows) == 2 * 2 * len(agents)
    p = []
    for row in rows:
        own = logs(swept, row["agent.learning_rate"], row["agent"], row["measure"])
        assert_allclose(row["mean"], own.mean(), rtol=1e-9)
        ends = stats.t.interval(0.95, 11, own.mean(), stats.sem(own))
        assert_allclose(row["interval"], ends, rtol=1e-9)
        if row["agent"] == agents[0]:
            assert "difference" not in row
            continue
        other = logs(swept, row["agent.learning_rate"], agents[0], row["measure"])
        found = stats.ttest_rel(own, other)
        assert_allclose(row["difference"], (own - other).mean(), rtol=1e-9)
        assert_allclose(row["difference_interval"], found.confidence_interval(), rtol=1e-9)
        assert_allclose(row["p"], max(found.pvalue, 2.0**-11), rtol=1e-6)
        p.append(row["p"])
    corrected = [row["p_corrected"] for row in rows if "p" in row]
    assert_allclose(min(corrected), min(min(p) * len(p), 1.0))


def test_a_planted_difference_is_found_where_it_is_and_nowhere_else(swept):
    rows = [row for row in rows_of(*swept[:4]) if "p" in row]
    found = [
        (row["agent.learning_rate"], row["agent"]) for row in rows if row["p_corrected"] < 0.05
    ]
    assert found == [(0.1, swept[2][-1])] * 2  # for both goals
    assert rows[-1]["difference"] < 0.0


def test_an_array_that_only_some_agents_have_is_compared_between_those(tmp_path):
    experiment, some, rng = catalogue.find(NAME), points(**SMALL), np.random.default_rng(1)
    store, change = Store(tmp_path / "store"), {}
    agents = chosen_agents(experiment, some[0], [])
    for point in some:
        for name, condition in experiment.conditions(point.setting).items():
            for world in range(12):
                arrays = {"steps": np.ones((3, 1, 5))}
                if name in agents[1:3]:
                    arrays["change"] = rng.random(3)
                    change[point.setting.agent.learning_rate, name, world] = arrays["change"].mean()
                store.put(Record(NAME, condition.data(), world, arrays))
    rows = rows_of(experiment, some, agents, store, ["change"])
    assert [row["agent"] for row in rows] == agents[1:3] * 2
    for row in rows:
        own, other = (
            np.array([change[row["agent.learning_rate"], name, world] for world in range(12)])
            for name in (row["agent"], agents[1])
        )
        assert_allclose(row["mean"], own.mean())
        assert row.get("against", agents[1]) == agents[1]
        assert_allclose(row.get("difference", 0.0), (own - other).mean(), atol=1e-12)
    with raises(f"no run of {agents[0]} in several worlds has change"):
        rows_of(experiment, some, agents[:1], store, ["change"])


def test_measures_are_arrays_that_the_experiment_declares():
    check_measures(catalogue.find(NAME), ["change", "steps"])
    check_measures(replace(catalogue.find(NAME), axes=Axes({})), ["own"])
    with raises("there is no measure 'chnge'; did you mean change"):
        check_measures(catalogue.find(NAME), ["chnge"])


def test_claims_are_judged_at_every_point(swept):
    experiment, some, _, store, _ = swept
    rows = claims_at(experiment, some, store)
    assert [(row["claim"], row["at"]) for row in rows] == [
        ("offline-rows", "agent.learning_rate=0.02"),
        ("offline-rows", "agent.learning_rate=0.1"),
    ]
    assert {row["verdict"] for row in rows} <= set(WORDS)


def test_the_figure_has_every_value_and_agent(swept):
    figure = draw_sweep(rows_of(*swept[:4]), list(RATES))
    assert len(figure.axes) == 4
    for ax in figure.axes:
        assert [tick.get_text() for tick in ax.get_xticklabels()] == ["0.02", "0.1"]
    assert figure.axes[2].get_ylabel() == f"difference from {swept[2][0]}"
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == swept[2]
