"""`hsr.experiments.load`: stored runs as a tidy table and as arrays with named dimensions."""

import numpy as np
import pytest

from hsr import InputError
from hsr.experiments import load
from hsr.experiments.store import Record, RunOfSetting, SettingRow, Store, StoreError

RATES = (0.1, 0.2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two agents in two worlds with two seeds; one agent has another world; a control in slip."""
    store = Store(tmp_path_factory.mktemp("tables") / "store")
    parts = []

    def put(control, agent, world, /, **setting):
        steps = 100 * world + np.arange(2)[:, None] * 10 + np.arange(3) + 1000 * (agent == "HSR")
        arrays = {"steps": steps.astype(np.uint16), "reached": steps > 5, "note": [0.5]}
        key = store.put(Record("made_up", setting, world, arrays))
        parts.append(RunOfSetting(control, agent, key))

    for world in (0, 1):
        put("", "SR", world, agent={"kind": "sr"}, world={"slip": 0.0}, goals=[1, 2])
    for world in (0, 1, 2):
        put("", "HSR", world, agent={"kind": "hsr"}, world={"slip": 0.0}, goals=[1])
    put("in slip", "SR", 0, agent={"kind": "sr"}, world={"slip": 0.3}, goals=[1, 2])
    store.register(SettingRow(0, "made_up", "smoke", {}), parts)
    return store.folder


def test_a_table_has_a_row_per_number_and_a_column_per_difference(folder):
    table = load(folder).to_pandas("steps")
    assert list(table) == [
        *("experiment", "goals", "agent.kind", "agent"),
        *("world", "dim_0", "dim_1", "steps"),
    ]
    assert len(table) == 5 * 6
    row = table[(table.agent == "HSR") & (table.world == 2) & (table.dim_0 == 1)].iloc[2]
    assert (row["steps"], row["goals"], row["agent.kind"]) == (1212, "[1]", "hsr")
    assert table["steps"].dtype == np.int64


def test_controls_are_left_out_unless_they_are_asked_for(folder):
    results = load(folder)
    assert "control" not in results.to_pandas("steps")
    table = results.to_pandas("steps", controls=True)
    assert table.groupby("control").size().to_dict() == {"": 30, "in slip": 6}
    assert set(table["world.slip"]) == {0.0, 0.3}


def test_arrays_with_the_same_axes_share_a_table_and_others_do_not(folder):
    results = load(folder)
    assert {"steps", "reached"} <= set(results.to_pandas("steps", "reached"))
    with pytest.raises(InputError, match="a table holds arrays with the same axes"):
        results.to_pandas("steps", "note")
    with pytest.raises(InputError, match="no run has an array 'x'; there are note, reached, steps"):
        results.to_pandas("x")


@pytest.mark.parametrize(
    ("axes", "name", "twice"),
    [
        (["world"], "x", "world"),
        (["rate"], "x", "rate"),
        (["seed"], "seed", "seed"),
        (["a", "a"], "x", "a"),
        (["seed"], "agent", "agent"),
    ],
)
def test_two_columns_of_one_name_are_refused(axes, name, twice, tmp_path):
    """The axes of an experiment without code are those that the store names."""
    store = Store(tmp_path)
    parts = []
    for rate in RATES:
        made = Record("made_up", {"rate": rate}, 0, {name: np.zeros((2,) * len(axes))})
        parts.append(RunOfSetting("", f"SR {rate}", store.put(made)))
    store.register(SettingRow(0, "made_up", "", {}, file="mine.py", axes={name: axes}), parts)
    for table in (load(tmp_path).to_pandas, load(tmp_path).to_xarray):
        with pytest.raises(InputError, match=f"a table of made_up has two columns named '{twice}'"):
            table()


def test_arrays_of_other_lengths_have_a_table_of_their_own(tmp_path):
    """Axes without names are numbered, so that those of two arrays are called the same."""
    arrays = {"norms": np.arange(3.0), "steps": np.arange(2)}
    Store(tmp_path).put(Record("made_up", {"rate": 0.1}, 0, arrays))
    assert load(tmp_path).to_pandas()["norms"].tolist() == [0.0, 1.0, 2.0]
    with pytest.raises(InputError, match=r"of the same shape, and these differ \(norms: \(3,\); "):
        load(tmp_path).to_pandas("norms", "steps")


def test_arrays_have_the_agent_and_the_world_as_dimensions(folder, tmp_path):
    found = load(folder).to_xarray("steps")
    assert found["steps"].dims == ("agent", "world", "dim_0", "dim_1")
    assert found["steps"].sel(agent="HSR", world=2, dim_0=1, dim_1=2) == 1212
    assert np.isnan(found["steps"].sel(agent="SR", world=2)).all()
    assert found["agent.kind"].sel(agent="HSR") == "hsr"
    twice = load(folder).to_xarray("steps", controls=True)
    assert twice["steps"].dims[0] == "setting"
    assert twice["control"].values.tolist().count("in slip") == 1
    found.to_netcdf(tmp_path / "steps.nc")
    import xarray

    with xarray.open_dataset(tmp_path / "steps.nc") as back:
        np.testing.assert_array_equal(back["steps"], found["steps"])


def test_runs_are_chosen_by_experiment_setting_and_agent(folder):
    results = load(folder)
    assert len(results) == 6
    assert "made_up" in repr(results)
    assert results.summary.loc[(1, "made_up")].to_dict() == {
        "agent": 2, "world": 3, "runs": 5, "of_controls": 1,
    }  # fmt: skip
    assert len(results.select("made_up", setting=1, agent="HSR")) == 3
    with pytest.raises(InputError, match="has no runs of setting 2; there are 1"):
        results.select(setting=2)
    with pytest.raises(InputError, match="has no runs of agent 'X'; there are HSR, SR"):
        results.select(agent="X")


def test_what_differs_between_settings_is_printed(tmp_path):
    store = Store(tmp_path / "store")
    curves = [{"rate": rate, "n": {"goals": n, "same": 1}} for rate, n in ((0.1, 2), (0.5, 3))]
    settings = {"curves": curves, "alone": [{"rate": 0.1, "runs": 2}]}
    for experiment, asked in settings.items():
        for setting in asked:
            record = Record(experiment, setting, 0, {"steps": [1.0]})
            store.put(record)
            store.register(
                SettingRow(0, experiment, "smoke", setting), [RunOfSetting("", "SR", record.key)]
            )
    store.put(Record("alone", {"rate": 7.0}, 1, {"steps": [1.0]}))  # part of no setting
    results = load(store.folder)
    table = results.summary
    assert list(table.columns) == ["agent", "world", "runs", "of_controls", "rate", "n.goals"]
    assert table.loc[(1, "curves"), ["rate", "n.goals"]].tolist() == [0.1, 2]
    assert table.loc[(2, "curves"), ["rate", "n.goals"]].tolist() == [0.5, 3]
    for where in ((3, "alone"), (0, "alone")):
        assert table.loc[where, ["rate", "n.goals"]].isna().all()
    tables = repr(results).split("number experiment")
    (own,) = (text for text in tables if "curves" in text)
    assert own.splitlines()[1].split() == ["1", "curves", "1", "1", "1", "0", "0.1", "2"]
    assert "n.goals" not in repr(results.select("alone"))


def test_a_store_without_runs_is_refused(tmp_path):
    Store(tmp_path / "empty")
    with pytest.raises(StoreError, match="has no runs; make some with: hsr run"):
        load(tmp_path / "empty")
