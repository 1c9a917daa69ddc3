"""Our own experiment about options found online: its runs, its numbers, and planted effects."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from hsr.paper import catalogue
from hsr.paper.contrast import evidence_of
from hsr.paper.experiments.discovery import (
    AT_EVERY_SIZE,
    BEST,
    EVERY_AGENT,
    LOWER,
    METHODS,
    PAPERS,
    ROOMS,
    UPPER,
    DiscoveryKey,
)
from hsr.paper.experiments.discovery.analysis import contrasts
from hsr.paper.ledger import claims, own_claims, verdicts
from hsr.paper.runner import own_verdicts
from tests.paper.experiment_runs import (
    conditions,
    draw,
    letters_in,
    letters_of,
    module,
    numbers,
    preset,
)

NAME = "discovery"


def test_it_is_an_experiment_that_is_not_in_the_paper():
    assert catalogue.find(NAME).name == NAME
    assert NAME in catalogue.all_names()
    assert NAME not in catalogue.names()
    assert NAME not in [one.name for one, *_ in catalogue.settings_of("smoke", {})]


def test_its_claims_are_ours_and_none_of_the_papers():
    own = [one for one in own_claims() if one.experiment == NAME]
    assert {(one.experiment, one.figure, one.paper) for one in own} == {(NAME, "ours", "ours")}
    assert not {one.id for one in own} & {one.id for one in claims()}
    found = Counter(one.claim for one in contrasts(numbers(NAME)[""]))
    assert found == {"discovery-frontier": 2, "discovery-sizes": 2, "discovery-goals": 3}
    assert set(found) == {one.id for one in own}


@pytest.mark.parametrize("which", ["smoke", "paper"])
def test_every_method_explores_with_every_bonus_and_the_references_everywhere(which):
    setting = preset(NAME, which)
    found = conditions(NAME, setting)
    assert (len(EVERY_AGENT), len(AT_EVERY_SIZE)) == (23, 9)
    for maze in (setting.maze.size, ROOMS):
        assert [key[:2] for key in found if key.maze == maze] == list(EVERY_AGENT)
    for size in set(setting.sizes) - {setting.maze.size}:
        agents = {key[:2] for key in found if key.maze == size}
        without = () if size < max(setting.sizes) else ("SR-SPIE", "HSR-SPIE")
        assert agents == {
            (options, bonus)
            for options, bonus in EVERY_AGENT
            if options in (LOWER, UPPER, BEST) or (options == PAPERS and bonus not in without)
        }
    for key, condition in found.items():
        own = setting.rooms if key.maze == ROOMS else replace(setting.maze, size=key.maze)
        assert condition.maze == own
    assert setting.rooms.layout == "four_rooms"


def test_no_maze_of_the_verdict_was_used_to_choose_the_settings():
    worlds = {seed for _, seeds in catalogue.find(NAME).runs(preset(NAME)) for seed in seeds}
    assert worlds == set(range(100, 120))


def test_frontier_options_are_made_more_often_than_others():
    found = conditions(NAME, preset(NAME))
    for method in METHODS:
        options = found[DiscoveryKey(method, "HSR-SPIE", 31)].options
        assert (options.kind, options.method) == ("online", method)
        assert options.warm_up == options.refresh == (100 if method == "frontier" else 1000)
    assert found[DiscoveryKey(UPPER, "no bonus", 31)].options.kind == "eigen"
    assert found[DiscoveryKey(LOWER, "SR-SPIE", 31)].options.kind == "none"


def planted(frontier, *, n_worlds=12):
    """Return made-up numbers: the whole maze covers 0.8, frontier options `frontier`, SPIE 0.1.

    A goal is found as often as a state is visited.
    """
    own = numbers(NAME)[""]
    rng = np.random.default_rng(0)
    means = {"frontier": frontier, UPPER: 0.8}

    def curves(key, shape):
        noise = rng.normal(scale=0.01, size=(n_worlds, *shape[1:]))
        return np.clip(means.get(key.options, 0.1) + noise, 0.0, 0.99)

    def entries(key, shape):
        level = means.get(key.options, 0.1)
        return np.where(rng.random((n_worlds, *shape[1:-1], 200)) < level, 60, -1)

    return replace(
        own,
        coverage={key: curves(key, array.shape) for key, array in own.coverage.items()},
        entries={key: entries(key, array.shape) for key, array in own.entries.items()},
    )


@pytest.mark.parametrize(
    ("frontier", "to_whole", "sizes"),
    [
        (0.70, "reproduced", "reproduced"),
        (0.58, "opposite", "reproduced"),
        (0.05, "opposite", "opposite"),
    ],
)
def test_planted_effects_are_found(frontier, to_whole, sizes):
    found = {one.claim: one.word for one in verdicts(evidence_of(contrasts(planted(frontier))))}
    assert found == {
        "discovery-frontier": to_whole,
        "discovery-sizes": sizes,
        "discovery-goals": sizes,
    }


def test_our_verdicts_are_said_apart_from_those_of_the_paper():
    found = evidence_of(contrasts(planted(0.7)))
    papers = replace(found[0], claim="explore-online-options")
    under_a_control = replace(found[-1], control="zero initial map")
    said = own_verdicts([*found, papers, under_a_control])
    assert said == own_verdicts([*found, under_a_control])
    assert [sentence.split(". ")[0] for sentence in said] == [
        "discovery-frontier: reproduced",
        "discovery-sizes: reproduced",
        "discovery-goals: reproduced",
        "discovery-goals (zero initial map): reproduced",
    ]
    assert "2 of 2 as claimed" in said[0]


def test_the_caption_explains_each_letter_that_is_drawn():
    explained, alone = letters_in(module(NAME, "figure").CAPTION)
    assert sorted(letters_of(draw(NAME))) == explained == alone
