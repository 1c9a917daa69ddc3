"""Tables do not depend on the order of arrival."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hsr
from hsr.paper.store import Record, ResultTable


def run(rate=0.1, seed=0, experiment="demo", seconds=0.0, **arrays):
    return Record(
        experiment,
        {"rate": rate, "agent": {"kind": "sr"}},
        seed,
        arrays or {"steps": [seed, 7]},
        seconds,
    )


RUNS = [run(rate, seed) for rate in (0.1, 0.2, 1) for seed in (0, 1, 10)]
TABLE = ResultTable(RUNS)


@given(st.permutations(RUNS), st.lists(st.floats(0, 1e6), min_size=len(RUNS), max_size=len(RUNS)))
def test_neither_the_order_of_arrival_nor_the_time_leaves_a_trace(records, seconds):
    table = ResultTable(
        [run(r.setting["rate"], r.seed, seconds=s) for r, s in zip(records, seconds, strict=True)]
    )
    assert [record.key for record in table] == [record.key for record in TABLE]
    assert table.digest() == TABLE.digest()


def test_the_digest_changes_with_every_run():
    digests = {ResultTable(RUNS[:i] + RUNS[i + 1 :]).digest() for i in range(len(RUNS))}
    digests |= {
        ResultTable([*RUNS[:i], run(0.3, i), *RUNS[i + 1 :]]).digest() for i in range(len(RUNS))
    }
    changed = run(RUNS[4].setting["rate"], RUNS[4].seed, steps=[RUNS[4].seed, 8])
    digests |= {ResultTable([*RUNS[:4], changed, *RUNS[5:]]).digest(), TABLE.digest()}
    assert len(digests) == 2 * len(RUNS) + 2


def test_settings_come_once_in_canonical_order_and_seeds_as_numbers():
    table = ResultTable(reversed(RUNS))
    assert table.experiment == "demo"
    assert [setting["rate"] for setting in table.settings] == [0.1, 0.2, 1]
    assert table.seeds == (0, 1, 10)
    assert [record.seed for record in table][:3] == [0, 1, 10]
    assert len(table) == 9
    assert repr(table) == "ResultTable('demo', 9 runs, 3 settings)"


def test_select_takes_the_runs_of_a_setting():
    table = TABLE
    for setting in table.settings:
        chosen = table.select(**setting)
        assert chosen.settings == [setting]
        assert chosen.seeds == (0, 1, 10)
    assert len(table.select()) == len(table.select(agent={"kind": "sr"})) == 9
    assert table.select(rate=0.2).array("steps").tolist() == [[0, 7], [1, 7], [10, 7]]


def test_select_knows_fields_that_python_would_take_for_its_own():
    record = Record("demo", {"self": 1, "two words": 2}, 0, {"x": [1]})
    assert len(ResultTable([record]).select(**{"self": 1, "two words": 2})) == 1


def test_runs_without_the_field_are_not_selected():
    table = ResultTable(
        [Record("demo", {"a": 1}, 0, {"x": [1]}), Record("demo", {"b": 1}, 0, {"x": [2]})]
    )
    assert table.select(a=1).array("x").tolist() == [[1]]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"rat": 0.1}, "no setting has the field 'rat'; there are 'agent', 'rate'"),
        ({"rate": 0.5}, "no run has 'rate' = 0.5; there are 0.1, 0.2, 1$"),
        ({"rate": 1.0}, "no run has 'rate' = 1.0"),
        ({"rate": True}, "no run has 'rate' = True"),
        ({"rate": None}, "no run has 'rate' = None"),
        ({"rate": np.zeros(1)}, "is a ndarray"),
    ],
)
def test_a_selection_of_nothing_says_what_there_is(fields, why):
    with pytest.raises(hsr.InputError, match=why):
        TABLE.select(**fields)


def test_arrays_are_stacked_in_the_order_of_the_table():
    table = ResultTable([run(seed=seed, x=np.full((2, 3), seed)) for seed in (2, 0, 1)])
    assert table.array("x").shape == (3, 2, 3)
    assert table.array("x")[:, 0, 0].tolist() == [0, 1, 2]
    words = ResultTable(
        [run(seed=seed, x=np.array(word)) for seed, word in enumerate(["ok", "diverged"])]
    )
    assert words.array("x").tolist() == ["ok", "diverged"]


@pytest.mark.parametrize(
    "other", [np.zeros(4), np.zeros((3, 1)), np.zeros(3, int), np.array(["a", "b", "c"])]
)
def test_the_run_whose_array_differs_is_named(other):
    table = ResultTable(
        [run(seed=0, x=np.zeros(3)), run(seed=1, x=np.zeros(3)), run(seed=2, x=other)]
    )
    run_2 = r'^x of the run of \{"agent":\{"kind":"sr"\},"rate":0.1\} with seed 2'
    with pytest.raises(hsr.InputError, match=f"{run_2} has shape"):
        table.array("x")


def test_the_run_whose_array_is_missing_is_named():
    table = ResultTable([run(seed=0, x=[1], y=[1]), run(seed=1, x=[1])])
    with pytest.raises(hsr.InputError, match="with seed 1 has no array 'y'; it has x"):
        table.array("y")


def test_tables_of_nothing_of_two_experiments_and_of_a_run_twice_are_refused():
    with pytest.raises(hsr.InputError, match="no records"):
        ResultTable([])
    with pytest.raises(hsr.InputError, match="of demo, other; a table holds one experiment"):
        ResultTable([run(), run(experiment="other")])
    with pytest.raises(hsr.InputError, match="with seed 1 is given twice"):
        ResultTable([run(seed=0), run(seed=1), run(seed=1, seconds=3.0)])


def test_a_table_cannot_be_changed():
    with pytest.raises(AttributeError, match="read-only"):
        TABLE._records = ()
