"""Tables of stored runs hold every number once, under its coordinates and in plain types."""

import json
import sys

import numpy as np
import pandas
import pyarrow.parquet
import pytest

import hsr
from hsr.paper import catalogue, load
from hsr.paper.setting import changed
from hsr.paper.store import Record, Store, StoreError, made_by
from hsr.paper.tables import tidy
from hsr.paper.tables.naming import names_of
from hsr.paper.tables.settings import differing
from tests.cases import cases
from tests.paper.tables.made_up import (
    SHAPE,
    names,
    put_transfer,
    steps_of,
    transfer_store,
)

AXES = ["seed", "task", "episode"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of runs of one experiment at two settings."""
    return transfer_store(tmp_path_factory.mktemp("tables") / "store").folder


@pytest.fixture
def results(folder):
    return load(folder)


def test_every_number_is_a_row_under_its_coordinates(results):
    table = results.to_pandas()
    agents = list(names("online_transfer"))
    assert len(table) == 2 * len(agents) * 2 * np.prod(SHAPE)
    assert table.columns[0] == "experiment"
    assert list(table.columns[-6:]) == ["agent", "world", *AXES, "steps"]
    for (epsilon, agent, world), rows in table.groupby(["agent.epsilon", "agent", "world"]):
        expected = steps_of(agent, world, epsilon)[tuple(rows[axis] for axis in AXES)]
        assert rows["steps"].tolist() == expected.tolist()
        assert len(rows[AXES].drop_duplicates()) == np.prod(SHAPE)


def test_only_settings_that_differ_are_columns(results):
    assert "agent.epsilon" in results.to_pandas()
    table = results.select(settings={"agent.epsilon": 0.3}).to_pandas()
    assert "agent.epsilon" not in table
    assert set(table["features.kind"]) == {"onehot", "rows", "sr", "hsr"}


def test_a_field_that_repeats_another_is_no_column():
    settings = [{"drawn_for": {"kind": x}, "options": {"kind": x}, "rate": 1} for x in "ab"]
    assert differing(settings) == {"options.kind": ["a", "b"]}
    other = {"drawn_for": {"kind": "b"}, "options": {"kind": "a"}, "rate": 1}
    assert list(differing([*settings, other])) == ["drawn_for.kind", "options.kind"]


def test_types_are_plain(results, tmp_path):
    results.save(tmp_path / "x.parquet")
    types = set(map(str, pyarrow.parquet.read_schema(tmp_path / "x.parquet").types))
    assert types <= {"string", "int64", "double", "bool"}
    for read, name in ((pandas.read_parquet, "x.parquet"), (pandas.read_csv, "x.csv")):
        results.save(tmp_path / name)
        pandas.testing.assert_frame_equal(read(tmp_path / name), results.to_pandas())


def test_a_parquet_file_says_what_made_it(results, tmp_path):
    results.save(tmp_path / "x.parquet")
    about = json.loads(pyarrow.parquet.read_metadata(tmp_path / "x.parquet").metadata[b"hsr"])
    assert about["runs"] == len(results) == 16
    assert about["versions"]["hsr"] == hsr.__version__
    assert about["made_by"] == results.made_by == {made_by(): 16}


def test_batches_are_one_table(results, monkeypatch):
    whole = results.to_arrow()
    monkeypatch.setattr(tidy, "BATCH_ROWS", 20)
    assert len(list(results.tidy().batches())) > 4
    assert results.to_arrow().equals(whole)


def test_xarray_has_the_agent_as_a_dimension_where_it_has_one_setting(results):
    one = results.select("online_transfer", preset="smoke").to_xarray()
    assert one["steps"].dims == ("agent", "world", *AXES)
    assert one["steps"].dtype == np.int64
    for agent in names("online_transfer"):
        assert np.array_equal(one["steps"].sel(agent=agent, world=1), steps_of(agent, 1))
    both = results.to_xarray()
    assert both["steps"].dims == ("setting", "world", *AXES)
    chosen = (both["agent"] == "HSR rows") & (both["agent.epsilon"] == 0.3)
    (found,) = both["steps"][chosen.to_numpy()].sel(world=1)
    assert np.array_equal(found, steps_of("HSR rows", 1, 0.3))


def test_missing_runs_are_nan(tmp_path):
    store = put_transfer(Store(tmp_path / "store"), agents=["one-hot"])
    put_transfer(store, worlds=(0,), agents=["SR rows"])
    array = load(store.folder).to_xarray()["steps"]
    assert np.isnan(array.sel(agent="SR rows", world=1)).all()
    assert np.array_equal(array.sel(agent="one-hot", world=1), steps_of("one-hot", 1))


def test_runs_without_the_array_are_left_out(results):
    table = results.to_pandas("change")
    assert set(table["agent"]) == {"SR rows", "HSR rows"}
    assert (table["change"] == table["world"] + 0.5).all()
    maps = results.to_pandas("maps")
    assert set(maps["world"]) == {0}
    assert list(maps.columns[-5:]) == ["world", "task", "state", "future_state", "maps"]
    assert results.to_xarray("maps")["maps"].sizes["world"] == 1


SIZES = {"seed": 2, "time": 3, "rank": 4, "size": 4, "goal": 2}


@cases(
    ("experiment", "arrays", "along"),
    {
        "exploration": ("exploration", ["coverage", "times"], {"time": [7, 14, 21]}),
        "bases": ("basis_mechanisms", ["fit", "goals"], {"goal": [7, 14], "size": [1, 2, 4, 8]}),
        "bases, one number": ("basis_mechanisms", ["sparsity", "bottleneck"], {}),
        "spectra": ("spectra", ["eigenvalues"], {"rank": [0, 1, 2, 3]}),
    },
)
def test_an_experiment_without_episodes_gives_what_it_measured(experiment, arrays, along, tmp_path):
    axes = catalogue.find(experiment).work.axes.names
    data = next(iter(names(experiment).values())).data()
    made_up = {name: 7 * (1 + _numbers(*(SIZES[axis] for axis in axes[name]))) for name in arrays}
    Store(tmp_path / "store").put(Record(experiment, data, 3, made_up))
    table = load(tmp_path / "store").to_pandas(None if len(along) != 2 else arrays[0])
    first = axes[arrays[0]]
    shown = [name for name in arrays if axes[name] == first]
    assert list(table.columns) == ["experiment", "agent", "world", *first, *shown]
    assert (table["world"] == 3).all()
    assert table[arrays[0]].to_numpy().tolist() == made_up[arrays[0]].ravel().tolist()
    for axis, values in along.items():
        assert list(table[axis].unique()) == values


def _numbers(*shape):
    return np.arange(np.prod(shape, dtype=int)).reshape(shape)


@pytest.mark.parametrize("experiment", catalogue.names())
def test_runs_of_every_preset_and_control_have_the_names_of_their_conditions(experiment):
    one = catalogue.find(experiment)
    for setting in one.with_controls(one.presets["smoke"]).values():
        conditions = one.conditions(setting)
        texts = [str(condition.data()) for condition in conditions.values()]
        first = {text: key for key, text in reversed(list(zip(conditions, texts, strict=True)))}
        expected = [first[text] for text in texts]
        found = names_of(experiment, [condition.data() for condition in conditions.values()])
        assert found == [key if isinstance(key, str) else key.agent for key in expected]


@pytest.mark.parametrize(
    ("experiment", "changes"),
    [
        ("online_transfer", {"agent.epsilon": 0.3, "episodes": 7, "seeds": 5}),
        ("online_transfer", {"options.n_options": 4, "world.slip": 0.3}),
        ("basis_transfer", {"maps.n_components": 20, "maps.scale": "unit_columns"}),
        ("gpi", {"agent.gpi": "known", "agent.learning_rate": 0.5}),
        ("exploration", {"maze.size": 13, "agent.epsilon": 0.2}),
    ],
)
def test_runs_with_changed_settings_keep_the_names_of_their_conditions(experiment, changes):
    one = catalogue.find(experiment)
    conditions = one.conditions(changed(one.presets["smoke"], changes))
    found = names_of(experiment, [condition.data() for condition in conditions.values()])
    assert found == [key if isinstance(key, str) else key.agent for key in conditions]


def test_a_run_of_no_setting_is_named_by_its_difference():
    data = names("online_transfer")["one-hot"].data()
    data["features"]["kind"] = "svd"
    assert names_of("online_transfer", [data]) == ["one-hot with features.kind=svd"]


def test_a_preset_takes_its_own_runs(results):
    assert len(results.select("online_transfer", preset="smoke")) == 8
    changes = {"agent.epsilon": 0.3}
    assert len(results.select("online_transfer", preset="smoke", settings=changes)) == 8
    with pytest.raises(
        hsr.InputError, match=r"none of the 16 runs; make .*: hsr run .* --set agent.epsilon=0.5 "
    ):
        results.select("online_transfer", preset="smoke", settings={"agent.epsilon": 0.5})


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"experiment": "gpi"}, "has no runs of gpi; it has online_transfer. Run it with: hsr run"),
        ({"experiment": "gip"}, "did you mean gpi"),
        ({"settings": {"agent.epsilom": 1}}, "did you mean .*agent.epsilon"),
        (
            {"settings": {"agent.epsilon": 0.7}},
            "no run has agent.epsilon = 0.7; there are 0.1, 0.3",
        ),
        ({"settings": {"world.slip": False}}, "no run has world.slip = False; there are 0.0"),
        ({"preset": "smoke"}, "say of which experiment"),
    ],
)
def test_a_selection_of_nothing_says_what_there_is(results, arguments, why):
    with pytest.raises(hsr.InputError, match=why):
        results.select(**arguments)


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("stepz", "has an array 'stepz'; there are change, maps, steps"),
        (("change", "steps"), "the same axes"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(results, what, why):
    with pytest.raises(hsr.InputError, match=why):
        results.to_arrow(what)


def test_experiments_that_measure_different_things_have_no_common_table(tmp_path):
    store = transfer_store(tmp_path / "store")
    store.put(Record("demo", {"rate": 0.1}, 0, {"x": [1.0, 2.0]}))
    results = load(store.folder)
    with pytest.raises(hsr.InputError, match=r"demo: x; online_transfer: steps.*select one"):
        results.to_arrow()
    assert results.to_arrow("x").column_names == ["experiment", "agent", "world", "dim_0", "x"]
    assert set(results.to_pandas("steps")["experiment"]) == {"online_transfer"}


def test_a_setting_under_the_name_of_another_column_is_renamed(tmp_path):
    store = Store(tmp_path / "store")
    for n in (1, 2):
        store.put(Record("demo", {"x": n}, 0, {"x": [7]}))
    table = load(store.folder).to_pandas()
    assert (list(table["setting.x"]), list(table["x"])) == ([1, 2], [7, 7])


def test_the_summary_says_what_there_is(results):
    (row,) = results.summary
    assert row == {
        "experiment": "online_transfer",
        "runs": 16,
        "agents": 4,
        "worlds": 2,
        "settings": 8,
        "arrays": "steps, change, maps",
    }
    assert repr(results).splitlines()[0].endswith("store': 16 runs")
    assert "online_transfer" in repr(results)


def test_nothing_is_read_before_it_is_needed(folder, monkeypatch):
    read = []
    get, index = Store.get, Store.index
    monkeypatch.setattr(Store, "get", lambda *key: read.append("run") or get(*key))
    monkeypatch.setattr(Store, "index", lambda store: read.append("index") or index(store))
    results = load(folder)
    assert read == []
    chosen = results.select("online_transfer", settings={"agent.epsilon": 0.3})
    assert read == ["index"]
    chosen.to_arrow()
    assert read.count("index") == 1
    assert read.count("run") == 8 + 4  # every run of the table, and before it one of each setting


def test_absent_empty_and_damaged_stores_are_refused(tmp_path):
    with pytest.raises(StoreError, match="is not a store of runs"):
        load(tmp_path / "absent")
    store = Store(tmp_path / "store")
    with pytest.raises(StoreError, match="has no runs; make some with: hsr run EXPERIMENT"):
        load(store.folder).to_arrow()
    put_transfer(store, worlds=(0,))
    path = store.path_of(store.keys()[0])
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(StoreError, match=path.name):
        load(store.folder).to_arrow()


def test_a_name_of_another_format_is_refused(results, tmp_path):
    with pytest.raises(hsr.InputError, match=r"must end in \.csv or \.parquet"):
        results.save(tmp_path / "x.xlsx")
    with pytest.raises(hsr.InputError, match="format is 'json'"):
        results.write(None, format="json")


@pytest.mark.parametrize("package", ["pandas", "xarray"])
def test_a_missing_package_is_named_with_how_to_install_it(results, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"needs {package}; install it .*\[{package}\]"):
        getattr(results, f"to_{package}")()
