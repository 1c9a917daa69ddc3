"""Settings as data: changes by name from the command line and from files, and what is refused."""

import pytest

import hsr
from hsr.paper import catalogue
from hsr.paper.setting import changed, read_change, read_file
from hsr.paper.transfer import TransferCondition


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("episodes=7", ("episodes", 7)),
        ("agent.learning_rate = 0.05", ("agent.learning_rate", 0.05)),
        ("options.kind=covering", ("options.kind", "covering")),
        ('options.kind="covering"', ("options.kind", "covering")),
        ("goals=[2]", ("goals", [2])),
        ("keep_maps=true", ("keep_maps", True)),
        ("a=b=c", ("a", "b=c")),
    ],
)
def test_a_change_is_read_as_toml_or_as_a_word(text, expected):
    assert read_change(text) == expected


@pytest.mark.parametrize("text", ["episodes", "=3", " =3", ""])
def test_what_is_not_a_change_is_refused(text):
    with pytest.raises(hsr.InputError, match="name=value"):
        read_change(text)


def test_changes_reach_their_fields_and_leave_the_others():
    condition = changed(
        TransferCondition(), {"agent.learning_rate": 0.5, "options.kind": "covering", "goals": [2]}
    )
    assert condition.agent.learning_rate == 0.5
    assert (condition.options.kind, condition.goals) == ("covering", (2,))
    untouched = changed(
        condition, {"agent.learning_rate": 0.01, "options.kind": "eigen", "goals": [1, 2]}
    )
    assert untouched == TransferCondition()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"agnet.learning_rate": 1}, "did you mean agent"),
        ({"agent.learning": 1}, "did you mean learning_rate"),
        ({"episodes.more": 1}, "there is no setting 'episodes.more'"),
        ({"episodes": "many"}, "episodes is 'many'; input should be a valid integer"),
        ({"options.kind": "magic"}, "options.kind is 'magic'; input should be 'none', 'eigen'"),
        ({"agent.epsilon": float("nan")}, "agent.epsilon is nan"),
    ],
)
def test_unknown_names_and_values_are_refused_with_what_comes_near(changes, message):
    with pytest.raises(hsr.InputError, match=message):
        changed(TransferCondition(), changes)


def test_a_file_says_the_same_as_changes_do(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'episodes = 9\n[agent]\nlearning_rate = 0.2\n[options]\nkind = "online"\n', encoding="utf-8"
    )
    assert read_file(path) == {"episodes": 9, "agent.learning_rate": 0.2, "options.kind": "online"}
    path.write_text("episodes = = 9", encoding="utf-8")
    with pytest.raises(hsr.InputError, match="cannot be read as TOML"):
        read_file(path)
    with pytest.raises(hsr.InputError, match="No such file"):
        read_file(tmp_path / "absent.toml")


def test_unknown_experiments_and_presets_are_refused():
    with pytest.raises(hsr.InputError, match="did you mean online_transfer"):
        catalogue.find("online_tranfer")
    with pytest.raises(hsr.InputError, match="did you mean paper"):
        catalogue.find("online_transfer").setting("papers", {})
