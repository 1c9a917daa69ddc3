"""Readings are typed and named; the design is balanced and the same every time; every experiment's
choices are real fields.
"""

from collections import Counter

import pytest
from pydantic import ValidationError

from hsr._base.errors import InputError
from hsr.paper import catalogue
from hsr.paper.multiverse.design import design, random_readings, single_changes
from hsr.paper.multiverse.reading import Reading, changes_of, default_of, text_of, words_of

CHOICES = ("signs", "ties", "scale", "update", "trained_on")


def test_a_reading_is_named_by_what_it_changes():
    assert Reading().name == "default"
    read = Reading(ties="options", signs="both")
    assert read.changes == {"signs": "both", "ties": "options"}
    assert read.name == "signs=both, ties=options"
    assert read.without("signs") == Reading(ties="options")


def test_a_reading_takes_only_the_words_of_its_choices():
    with pytest.raises(ValidationError, match="options"):
        Reading.model_validate({"ties": "sometimes"})
    with pytest.raises(ValidationError, match="extra"):
        Reading.model_validate({"tie": "options"})


@pytest.mark.parametrize("choice", Reading.model_fields)
def test_every_choice_has_its_default_first_others_after_it_and_a_text(choice):
    assert words_of(choice)[0] == default_of(choice)
    assert len(words_of(choice)) == len(set(words_of(choice))) > 1
    assert len(text_of(choice)) > 10


def test_the_design_begins_with_the_default_and_all_single_changes():
    tried = design(CHOICES, 60)
    singles = single_changes(CHOICES)
    assert len(singles) == 1 + 4 + 3 + 3 + 4
    assert tried.readings[: 1 + len(singles)] == (Reading(), *singles)
    assert all(len(reading.changes) == 1 for reading in singles)
    assert len(tried.readings) == len(set(tried.readings)) <= 60
    assert len(tried.balanced) == 60 - 1 - len(singles)


@pytest.mark.parametrize("n", [7, 40, 61])
def test_the_random_part_has_every_word_equally_often(n):
    drawn = random_readings(CHOICES, n)
    for choice in CHOICES:
        counts = Counter(getattr(reading, choice) for reading in drawn)
        assert sum(counts.values()) == n
        assert (
            max(counts[word] for word in words_of(choice))
            - min(counts[word] for word in words_of(choice))
            <= 1
        )
    untouched = set(Reading.model_fields) - set(CHOICES)
    assert all(
        getattr(reading, name) == default_of(name) for reading in drawn for name in untouched
    )


def test_choices_of_the_random_part_do_not_go_together():
    """Of two choices with two words each, no pair of words is more than half as frequent again as
    it should be.
    """
    drawn = random_readings(("signs", "policies"), 200)
    counts = Counter((reading.signs, reading.policies) for reading in drawn)
    assert len(counts) == 4
    assert all(25 <= n <= 75 for n in counts.values())


def test_the_design_is_the_same_every_time_and_another_with_another_seed():
    assert design(CHOICES, 50) == design(CHOICES, 50)
    assert design(CHOICES, 50).balanced != design(CHOICES, 50, seed=1).balanced


def test_what_a_choice_draws_does_not_depend_on_the_others():
    few, many = (
        random_readings(("ties", "scale"), 30),
        random_readings(("scale", "signs", "update", "ties"), 30),
    )
    assert [(one.ties, one.scale) for one in few] == [(one.ties, one.scale) for one in many]


def test_a_small_budget_leaves_out_the_last_single_changes_and_none_is_refused():
    assert design(CHOICES, 3).readings == (Reading(), *single_changes(CHOICES)[:2])
    with pytest.raises(InputError, match="budget is 0"):
        design(CHOICES, 0)


@pytest.mark.parametrize("name", catalogue.names())
def test_every_choice_of_an_experiment_changes_its_runs_or_its_numbers(name):
    """The field is there, takes every word, and the setting differs from the default's."""
    experiment = catalogue.find(name)
    default = experiment.setting("paper", {})
    assert experiment.choices
    for reading in single_changes(list(experiment.choices)):
        setting = experiment.setting("paper", changes_of(reading, experiment.choices))
        assert setting != default
        assert experiment.runs(setting)
