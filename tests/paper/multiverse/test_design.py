"""Readings are typed and named; the design is balanced and the same every time; every experiment's
choices are real fields.
"""

from collections import Counter

import pytest
from pydantic import ValidationError

from hsr import InputError
from hsr.paper import catalogue
from hsr.paper.multiverse.design import design, random_readings, single_changes
from hsr.paper.multiverse.reading import CHOICES, Reading

SOME = ("signs", "ties", "scale", "update", "trained_on")


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


@pytest.mark.parametrize("name", CHOICES)
def test_every_choice_has_its_default_first_others_after_it_and_a_text(name):
    choice = CHOICES[name]
    assert choice.words[0] == choice.default == Reading.model_fields[name].default
    assert len(choice.words) == len(set(choice.words)) > 1
    assert len(choice.about) > 10


def test_the_design_begins_with_the_default_and_all_single_changes():
    tried = design(SOME, 60)
    singles = single_changes(SOME)
    assert len(singles) == 5 + 4 + 3 + 4 + 4
    assert tried.readings[: 1 + len(singles)] == (Reading(), *singles)
    assert all(len(reading.changes) == 1 for reading in singles)
    assert len(tried.readings) == len(set(tried.readings)) <= 60
    assert len(tried.balanced) == 60 - 1 - len(singles)


@pytest.mark.parametrize("n", [7, 40, 61])
def test_the_random_part_has_every_word_equally_often(n):
    drawn = random_readings(SOME, n)
    for choice in SOME:
        counts = Counter(getattr(reading, choice) for reading in drawn)
        assert sum(counts.values()) == n
        often = [counts[word] for word in CHOICES[choice].words]
        assert max(often) - min(often) <= 1
    untouched = set(Reading.model_fields) - set(SOME)
    assert all(
        getattr(reading, name) == CHOICES[name].default for reading in drawn for name in untouched
    )


def test_choices_of_the_random_part_do_not_go_together():
    """Of two choices with two words each, no pair of words is more than half as frequent again as
    it should be.
    """
    drawn = random_readings(("curve", "policies"), 200)
    counts = Counter((reading.curve, reading.policies) for reading in drawn)
    assert len(counts) == 4
    assert all(25 <= n <= 75 for n in counts.values())


def test_the_design_is_the_same_every_time_and_another_with_another_seed():
    assert design(SOME, 50) == design(SOME, 50)
    assert design(SOME, 50).balanced != design(SOME, 50, seed=1).balanced


def test_what_a_choice_draws_does_not_depend_on_the_others():
    few, many = (
        random_readings(("ties", "scale"), 30),
        random_readings(("scale", "signs", "update", "ties"), 30),
    )
    assert [(one.ties, one.scale) for one in few] == [(one.ties, one.scale) for one in many]


def test_a_small_budget_leaves_out_the_last_single_changes_and_none_is_refused():
    assert design(SOME, 3).readings == (Reading(), *single_changes(SOME)[:2])
    with pytest.raises(InputError, match="budget is 0"):
        design(SOME, 0)


@pytest.mark.parametrize("name", catalogue.names())
def test_every_choice_of_an_experiment_changes_its_runs_or_its_numbers(name):
    """The field is there, takes every word, and the setting differs from the default's.

    The default words of a reading are the values of the preset.
    """
    experiment = catalogue.find(name)
    default = experiment.setting("paper", {})
    assert experiment.sensitive_to
    chosen = [CHOICES[name] for name in experiment.sensitive_to]
    same = {choice.field: choice.values[choice.default] for choice in chosen}
    assert experiment.setting("paper", same) == default
    few = {"worlds": 20}  # with fixed signs there are fewer than the preset has
    for reading in single_changes(experiment.sensitive_to):
        setting = experiment.setting("paper", {**reading.fields, **few})
        assert setting != experiment.setting("paper", few)
        assert experiment.runs(setting)
