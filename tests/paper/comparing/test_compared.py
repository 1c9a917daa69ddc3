"""Two settings are compared over the worlds that both hold, with answers from SciPy."""

import re
import shlex

import numpy as np
import pytest
from scipy import stats

from hsr.paper import catalogue
from hsr.paper.comparing import compared, draw_compared, labelled, side_of
from hsr.paper.store import Record, Store
from tests.cases import cases, raises
from tests.paper.tables.made_up import SHAPE, names, put_transfer

EPSILON, FEW, MANY = "agent.epsilon", (0, 1, 2, 3, 4, 5), (1, 2, 3, 4, 5, 6)
OPTIMAL = np.array([10.0, 18.0])  # of the goals of the four rooms


def slow_steps(agent, world, epsilon):
    """Return steps that never meet the criterion and differ between agents, worlds and epsilon."""
    rng = np.random.default_rng((len(agent), world, int(10 * epsilon)))
    return rng.integers(400, 900, SHAPE)


def pair(store, other=None, experiment="online_transfer", **changes):
    first, second = changes.get("first", {}), changes.get("second", {EPSILON: 0.3})
    return labelled(
        side_of(store, experiment, "smoke", first),
        side_of(other or store, experiment, "smoke", second),
    )


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Two values of epsilon, with five worlds in common."""
    store = Store(tmp_path_factory.mktemp("compared") / "store")
    put_transfer(store, FEW, steps=slow_steps)
    put_transfer(store, MANY, epsilon=0.3, steps=slow_steps)
    return compared(*pair(store))


def world_means(agent, task, epsilon):
    """Return the mean log steps of each common world, straight from the definition."""
    return np.array(
        [
            np.log(slow_steps(agent, world, epsilon)[:, task] / OPTIMAL[task]).mean()
            for world in (1, 2, 3, 4, 5)
        ]
    )


def test_effects_are_those_of_a_paired_t_test_over_common_worlds(found):
    assert set(found.worlds.values()) == {(1, 2, 3, 4, 5)}
    rows = {(row["agent"], row["measure"]): row for row in found.rows}
    assert len(rows) == 8
    for agent in names("online_transfer"):
        for task in (0, 1):
            x, y = world_means(agent, task, 0.1), world_means(agent, task, 0.3)
            row, expected = rows[agent, f"log steps to G{task + 1}"], stats.ttest_rel(x, y)
            assert (row["first"], row["second"]) == pytest.approx((x.mean(), y.mean()))
            assert row["difference"] == pytest.approx((x - y).mean())
            assert row["difference_interval"] == pytest.approx(expected.confidence_interval())
            assert row["effect"] == pytest.approx((x - y).mean() / (x - y).std(ddof=1))
            assert row["p"] == pytest.approx(max(expected.pvalue, 2.0**-4))
            assert (row["worlds"], row["seeds"]) == (5, 2)


def test_p_values_are_corrected_over_the_table(found):
    p = [row["p"] for row in found.rows]
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate([(len(p) - i) * p[k] for i, k in enumerate(order)])
    expected = dict(zip(order.tolist(), np.minimum(steps, 1.0), strict=True))
    assert [row["p_corrected"] for row in found.rows] == pytest.approx(
        [expected[i] for i in range(len(p))]
    )


def test_the_figure_has_a_panel_for_each_agent_and_a_point_for_each_world(found):
    figure = draw_compared(found, catalogue.find("online_transfer"))
    *curves, points = figure.axes
    assert [ax.get_title(loc="left") for ax in curves] == list(names("online_transfer"))
    for ax in curves:
        legend = [text.get_text() for text in ax.get_legend().get_texts()]
        assert legend == [f"{EPSILON}=0.1", f"{EPSILON}=0.3"]
    clouds = [one for one in points.collections if len(one.get_offsets()) > 1]
    assert [len(one.get_offsets()) for one in clouds] == [5] * 8
    assert points.get_xlabel().endswith(f"right: larger for {EPSILON}=0.1")


def put_spectra(store, worlds, shift=0.0, **changes):
    for name, condition in names("spectra", **changes).items():
        for world in worlds:
            values = len(name) + world + shift * (1 + world) + np.arange(4.0)
            arrays = {"eigenvalues": values, "norms": np.ones(3)}
            store.put(Record("spectra", condition.data(), world, arrays))
    return store


def test_two_stores_are_compared_by_the_means_of_their_arrays(tmp_path):
    one = put_spectra(Store(tmp_path / "a"), range(3))
    other = put_spectra(Store(tmp_path / "b"), range(4), shift=2.0)
    sides = pair(one, other, "spectra", first={}, second={})
    assert [side.label for side in sides] == [str(tmp_path / "a"), str(tmp_path / "b")]
    found = compared(*sides)
    rows = [row for row in found.rows if row["measure"] == "eigenvalues"]
    assert [row["agent"] for row in rows] == ["RW-SR", "eSR", "eHSR"]
    for row in rows:
        assert row["difference"] == pytest.approx(-2.0 * (1 + 2 + 3) / 3)
        assert row["worlds"] == 3
    assert found.same_worlds
    assert len(draw_compared(found, sides[0].experiment).axes) == 4


def test_seeds_that_only_one_side_has_are_left_out(tmp_path):
    store = Store(tmp_path / "store")
    put_transfer(store, (0, 1), steps=slow_steps)
    for condition in names("online_transfer", seeds=3).values():
        for world in (0, 1):
            arrays = {"steps": np.full((3, *SHAPE[1:]), 500)}
            store.put(Record("online_transfer", condition.data(), world, arrays))
    found = compared(*pair(store, second={"seeds": 3}))
    assert {(row["worlds"], row["seeds"]) for row in found.rows} == {(2, 2)}


def test_settings_that_draw_other_worlds_are_told(tmp_path):
    store = put_spectra(Store(tmp_path / "store"), range(2))
    put_spectra(store, range(2), **{"world.layout": "loop"})
    change = {"world.layout": "loop"}
    assert not compared(*pair(store, experiment="spectra", second=change)).same_worlds


@cases(
    ("first", "second", "command"),
    {
        "second": (
            {},
            {EPSILON: 0.5},
            f"hsr run online_transfer --preset smoke --set {EPSILON}=0.5",
        ),
        "both": ({EPSILON: 0.6}, {EPSILON: 0.7}, f"{EPSILON}=0.6"),
    },
)
def test_missing_runs_come_with_the_command_that_makes_them(first, second, command, tmp_path):
    store = put_transfer(Store(tmp_path / "store"), (0, 1))
    with raises(re.escape(command)) as error:
        compared(*pair(store, first=first, second=second))
    last = str(error.value).rpartition("Make the runs with: ")[2].split(" && ")
    assert shlex.split(last[-1])[-2:] == ["--store", str(store.folder)]
    assert len(last) == (2 if EPSILON in first else 1)


def test_worlds_that_no_two_sides_share_are_told(tmp_path):
    store = put_transfer(Store(tmp_path / "store"), (0, 1))
    put_transfer(store, (2, 3), epsilon=0.3)
    with raises("the sides hold 0 common worlds of 'one-hot'"):
        compared(*pair(store))


@cases(
    ("changes", "why"),
    {
        "nothing": ({}, "both sides are the same setting of the same store"),
        "no field": ({"goals": 1}, "there is no setting 'goals'"),
        "tuned": ({"step_size": "tuned"}, "compare at rates that are given"),
    },
)
def test_what_cannot_be_compared_is_refused(changes, why, tmp_path):
    with raises(why):
        pair(Store(tmp_path / "store"), second=changes)


def test_agents_with_the_same_runs_on_both_sides_are_not_compared(tmp_path):
    store = put_spectra(Store(tmp_path / "store"), range(2))
    change = {"maps.stopping_state": "counted_twice"}
    ehsr = names("spectra", **change)["eHSR"]
    for world in range(2):
        store.put(Record("spectra", ehsr.data(), world, {"eigenvalues": np.arange(4.0) * world}))
    found = compared(*pair(store, experiment="spectra", second=change))
    assert found.same_runs == ("RW-SR", "eSR")
    assert {row["agent"] for row in found.rows} == {"eHSR"}
    with raises("have the same runs of every agent"):
        compared(*pair(store, experiment="spectra", second={"leading": 5}))
