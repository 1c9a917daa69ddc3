"""What the settings of experiments say about their fields, and their TOML files."""

import json

import pytest

from hsr import cli
from hsr._base.declaration import changed, fields_of, paths_of, value_at
from hsr.experiments import catalogue
from hsr.experiments.changes import (
    as_file_name,
    as_flags,
    read_change,
    read_file,
    write_file,
    write_value,
)
from tests.cases import cases, raises

PRESETS = [(name, preset) for name in catalogue.names() for preset in ("smoke", "paper")]


def leaves(data, before=""):
    """Yield the dotted paths of all values of nested dictionaries."""
    for name, value in data.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{before}{name}.")
        else:
            yield f"{before}{name}"


@pytest.mark.parametrize("name", catalogue.names())
def test_every_field_says_what_it_takes_and_decides(name):
    setting = catalogue.find(name).presets["paper"]
    facts = fields_of(setting)
    assert list(facts) == paths_of(setting) == list(leaves(setting.data()))
    for path, one in facts.items():
        assert one.description, path
        assert one.takes, path
        assert one.value == value_at(setting, path)


def test_words_limits_and_missing_values_are_named():
    facts = fields_of(catalogue.find("online_transfer").presets["paper"])
    assert facts["agent.learning_rate"].takes == "number, more than 0, at most 1"
    assert facts["places"].takes == "drawn, marked"
    assert facts["maps.n_components"].takes == "integer, at least 1, or none"
    assert facts["rates"].takes == "list of numbers"
    assert facts["criterion.restart"].takes == "true or false"
    assert facts["options.signs"].takes.endswith("random, or a word like [+-]+")


@pytest.mark.parametrize(("name", "preset"), PRESETS)
def test_a_printed_file_gives_the_same_setting_under_every_preset(tmp_path, name, preset):
    experiment, path = catalogue.find(name), tmp_path / "mine.toml"
    setting = experiment.presets[preset]
    path.write_text(write_file(experiment, setting), encoding="utf-8")
    for other in experiment.presets:
        assert experiment.setting(other, read_file(path)) == setting


def test_no_value_is_written_as_none_and_refused_elsewhere():
    setting = catalogue.find("spectra").presets["smoke"]
    assert setting.maps.n_components == 16
    assert changed(setting, {"maps.n_components": "none"}).maps.n_components is None
    with raises("worlds is 'none'; it must be an integer"):
        changed(setting, {"worlds": "none"})


@cases(
    "value",
    {
        "number": 0.1,
        "small": 1e-12,
        "truth": True,
        "word": "eigen",
        "quoted": 'a "b" \\ \t é',
        "list": [0.01, 1],
        "tables": [{"kind": "nmf", "of": "rw_hsr"}],
        "lines": "###\n#.#\n###\n",
        "looks like a number": "8",
        "looks like a date": "2020-01-01",
    },
)
def test_what_is_written_is_read_again(tmp_path, value):
    path = tmp_path / "one.toml"
    path.write_text(f"x = {write_value(value)}\n", encoding="utf-8")
    assert read_file(path) == {"x": value}


def test_flags_are_what_a_user_would_type():
    changes = {"also": [{"kind": "nmf"}], "maps.trained_on": "8", "places": "marked"}
    flags = as_flags({**changes, "worlds": 3})
    assert flags[:3] == ["--worlds", "3", "--set"]
    assert flags[3:] == ["'also=[{kind = \"nmf\"}]'", "'maps.trained_on=\"8\"'", "places=marked"]
    typed = [word.strip("'") for word in flags[3:]]
    assert dict(map(read_change, typed)) == changes


def test_names_of_files_differ_with_the_changes_and_are_safe():
    name = as_file_name(["x"], {"world.layout": "../../etc/passwd"})
    assert "/" not in name
    assert name != as_file_name(["x"], {"world.layout": ".. ..-etc-passwd"})
    long = as_file_name(["x"], {"rates": list(range(500))})
    assert len(long) < 130
    assert long != as_file_name(["x"], {"rates": list(range(501))})


def test_the_command_prints_fields_for_people_and_for_scripts(capsys):
    assert cli.main(["list", "mazes", "--preset", "paper"]) == 0
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("agent.epsilon = 0.1")
    assert lines[at + 1] == "    probability of a random choice: number, at least 0, at most 1"
    at = lines.index('world.layout = "four_rooms"')
    assert lines[at + 2] == "    the experiment sets it itself, to each of layouts"
    assert cli.main(["list", "mazes", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["places"]["takes"] == "drawn, marked"
    assert rows["worlds"]["value"] == 4
