"""Settings as data: changes by name from the command line and from files, and what is refused."""

import pytest

import hsr
from hsr._base.declaration import changed, value_at
from hsr.experiments import catalogue
from hsr.experiments.changes import read_change, read_file
from hsr.paper.exploring import ExploringCondition, ExploringSetting
from hsr.paper.maps import FeatureSetting, MapSettings
from hsr.paper.maps.making import features_of
from hsr.paper.transfer import TransferCondition, TransferSetting
from hsr.paper.transfer.run import agent_in
from tests.cases import raises


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("episodes=7", ("episodes", 7)),
        ("agent.learning_rate = 0.05", ("agent.learning_rate", 0.05)),
        ("options.kind=covering", ("options.kind", "covering")),
        ('options.kind="covering"', ("options.kind", "covering")),
        ("goals=[2]", ("goals", [2])),
        ("measure_maps=true", ("measure_maps", True)),
        ("a=b=c", ("a", "b=c")),
    ],
)
def test_a_change_is_read_as_toml_or_as_a_word(text, expected):
    assert read_change(text) == expected


@pytest.mark.parametrize("text", ["episodes", "=3", " =3", ""])
def test_what_is_not_a_change_is_refused(text):
    with raises("name=value"):
        read_change(text)


def test_changes_reach_their_fields_and_leave_the_others():
    changes = {"agent.learning_rate": 0.5, "options.kind": "covering", "goals": [2]}
    condition = changed(TransferCondition(), changes)
    assert condition.agent.learning_rate == 0.5
    assert (condition.options.kind, condition.goals) == ("covering", (2,))
    back = {"agent.learning_rate": 0.01, "options.kind": "eigen", "goals": [1, 2]}
    assert changed(condition, back) == TransferCondition()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"agnet.learning_rate": 1}, "did you mean agent.learning_rate"),
        ({"episodes.more": 1}, "there is no setting 'episodes.more'"),
        ({"episodes": "many"}, "episodes is 'many'; it must be an integer"),
        ({"agent.epsilon": float("nan")}, "agent.epsilon is nan"),
        ({"gamma": 0.5}, r"did you mean world\.discount\?"),
        ({"zzz": 1}, "`hsr list EXPERIMENT` prints all settings"),
    ],
)
def test_unknown_names_and_values_are_refused_with_what_comes_near(changes, message):
    with raises(message):
        changed(TransferCondition(), changes)


def test_a_file_says_the_same_as_changes_do(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'episodes = 9\n[agent]\nlearning_rate = 0.2\n[options]\nkind = "online"\n', encoding="utf-8"
    )
    assert read_file(path) == {"episodes": 9, "agent.learning_rate": 0.2, "options.kind": "online"}
    path.write_text("episodes = = 9", encoding="utf-8")
    with raises("cannot be read as TOML"):
        read_file(path)
    path.write_text(f"x = {'[' * 5000}", encoding="utf-8")
    with raises("nested too deeply"):
        read_file(path)
    with raises("No such file"):
        read_file(tmp_path / "absent.toml")


def test_unknown_experiments_and_presets_are_refused():
    with raises("did you mean online_transfer"):
        catalogue.find("online_tranfer")
    with raises("did you mean paper"):
        catalogue.find("online_transfer").setting("papers", {})


@pytest.mark.parametrize(
    ("setting", "field", "registry"),
    [
        (TransferCondition, "options.kind", hsr.OPTION_KINDS),
        (TransferCondition, "features.kind", hsr.BASES),
        (TransferCondition, "features.of", hsr.REPRESENTATIONS),
        (ExploringSetting, "agent.bonus", hsr.BONUSES),
    ],
)
def test_every_name_of_a_registry_is_accepted_and_no_other(setting, field, registry):
    for name in registry:
        assert value_at(changed(setting(), {field: name}), field) == name
    with raises(f"{field} is 'magic'; it must be one of '"):
        changed(setting(), {field: "magic"})


@pytest.mark.parametrize("kind", hsr.OPTION_KINDS)
@pytest.mark.parametrize("name", ["online_transfer", "exploration"])
def test_an_experiment_runs_with_every_kind_of_options(name, kind):
    changes = {"online_transfer": {"episodes": 1, "horizon": 30}, "exploration": {"steps": 20}}
    experiment = catalogue.find(name)
    setting = experiment.setting("smoke", {**changes[name], "options.kind": kind})
    of_run = next(one for one, _ in experiment.runs(setting) if one["options"]["kind"] == kind)
    (record,) = experiment(of_run, [0])
    assert record.setting["options"]["kind"] == kind


def test_features_are_made_by_every_basis_of_every_map():
    world, options = hsr.grids.MazeSpec(), hsr.agents.OptionSpec()
    maps = MapSettings(n_components=3, trained_on="per_room")
    for kind in set(hsr.BASES) - {"onehot"}:
        for of in hsr.REPRESENTATIONS:
            features = FeatureSetting(kind=kind, of=of).with_settings(maps, options)
            width = 104 if kind == "rows" else 3
            assert features_of(world, options, features).shape == (104, width)


def test_only_agents_that_learn_the_hierarchical_map_learn_it_from_every_step():
    """The conditions of an experiment share the settings of the agent."""
    agent = hsr.LinearQ("hsr", map_update="intra_option")
    for kind, rule in {"hsr": "intra_option", "sr": "chosen", "onehot": "chosen"}.items():
        condition = TransferSetting(agent=agent).condition(FeatureSetting(kind=kind))
        assert agent_in(condition, 0).map_update == rule
    with raises("explore_at='choices'"):
        changed(TransferCondition(agent=agent), {"agent.explore_at": "steps"})


def test_a_pattern_of_signs_can_be_set_and_is_stored():
    for condition in (TransferCondition(), ExploringCondition()):
        usual = condition.data()["options"]
        found = changed(condition, {"options.signs": "+-+-", "options.first": "counted"})
        assert found.data()["options"] == {**usual, "signs": "+-+-", "first": "counted"}
        assert type(found).from_data(found.data()) == found
        with raises(r"options.signs is '\+x'; it must be one of 'positive', .* such as '\+-\+-'"):
            changed(condition, {"options.signs": "+x"})
