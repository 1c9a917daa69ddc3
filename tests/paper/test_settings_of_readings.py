"""Experiments under a reading of the paper: which fields it changes, and how many worlds exist."""

import pytest

import hsr
from hsr.paper import catalogue
from hsr.paper.multiverse.reading import CHOICES
from tests.cases import raises


def setting(name, reading, **changes):
    """Return the setting of the paper preset under a reading."""
    return catalogue.setting_of(catalogue.find(name), "paper", changes, reading)


@pytest.mark.parametrize("name", catalogue.names())
def test_the_default_reading_is_the_preset(name):
    assert setting(name, "default") == catalogue.find(name).presets["paper"]


def test_a_reading_changes_what_an_experiment_is_sensitive_to():
    reading = "explore_at=steps,bonus=spie_l1"
    assert setting("online_transfer", reading).agent.explore_at == "steps"
    assert setting("exploration", reading).spie == "spie_l1"
    assert setting("spectra", reading) == setting("spectra", "default")


def test_every_experiment_has_a_setting_under_the_closest_reading():
    found = catalogue.settings_of("paper", {}, "closest")
    assert [one.name for one, _, _ in found] == catalogue.names()


def test_fixed_signs_leave_fewer_worlds_and_all_of_them_are_used():
    found = setting("option_classes", "signs=positive")
    layout = hsr.load_layout("four_rooms")
    options = hsr.OptionSpec(n_options=32, signs="positive")
    assert found.worlds == hsr.count_worlds(layout, options=options) < 200
    assert catalogue.find("option_classes").runs(found)


def test_a_number_of_worlds_that_is_asked_for_is_never_cut():
    assert setting("option_classes", "signs=positive", worlds=200).worlds == 200
    with raises("200 worlds are asked for; .* qualify"):
        catalogue.find("option_classes").runs(
            setting("option_classes", "signs=positive", worlds=200)
        )


@pytest.mark.parametrize(
    ("reading", "words"),
    [("sign=svd", "did you mean signs"), ("signs=none", "signs is 'none'"), ("svd", "default")],
)
def test_an_unknown_reading_is_named(reading, words):
    with raises(words):
        setting("online_transfer", reading)
    assert "signs" in CHOICES
