"""The study about options found online: its conditions, and planted effects."""

from dataclasses import replace

import numpy as np
import pytest
from studies.discovery import (
    AT_EVERY_SIZE,
    BEST,
    EVERY_AGENT,
    EXPERIMENT,
    LOWER,
    METHODS,
    PAPERS,
    ROOMS,
    UPPER,
    Key,
)

from tests.studies.planting import planted, words


@pytest.mark.parametrize("which", ["smoke", "paper"])
def test_every_method_explores_with_every_bonus_and_the_references_everywhere(which):
    setting = EXPERIMENT.presets[which]
    found = EXPERIMENT.conditions(setting)
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


def test_no_maze_of_the_verdict_was_used_to_choose_the_settings():
    worlds = {seed for _, seeds in EXPERIMENT.runs(EXPERIMENT.presets["paper"]) for seed in seeds}
    assert worlds == set(range(100, 120))


def test_frontier_options_are_made_more_often_than_others():
    found = EXPERIMENT.conditions(EXPERIMENT.presets["paper"])
    for method in METHODS:
        options = found[Key(method, "HSR-SPIE", 31)].options
        assert (options.kind, options.method) == ("online", method)
        assert options.warm_up == options.refresh == (100 if method == "frontier" else 1000)
    assert found[Key(UPPER, "no bonus", 31)].options.kind == "eigen"
    assert found[Key(LOWER, "SR-SPIE", 31)].options.kind == "none"


def some_numbers(frontier=0.7):
    """Return numbers: the whole maze covers 0.8, frontier options `frontier`, and SPIE 0.1.

    A goal is found as often as a state is visited.
    """
    rng, means = np.random.default_rng(0), {BEST: frontier, UPPER: 0.8}

    def arrays_of(key, condition, world):
        level, shape = means.get(key.options, 0.1), (condition.seeds, condition.points)
        noise = rng.normal(scale=0.01, size=shape)
        return {
            "times": np.arange(1, condition.points + 1),
            "coverage": np.clip(level + noise, 0.0, 0.99),
            "goal_entries": np.where(rng.random((condition.seeds, 200)) < level, 60, -1),
        }

    return planted(EXPERIMENT, arrays_of, worlds=12)


@pytest.mark.parametrize(
    ("frontier", "to_whole", "sizes"),
    [
        (0.70, "reproduced", "reproduced"),
        (0.58, "opposite", "reproduced"),
        (0.05, "opposite", "opposite"),
    ],
)
def test_planted_effects_are_found(frontier, to_whole, sizes):
    assert words(EXPERIMENT, some_numbers(frontier)) == {
        "discovery-frontier": to_whole,
        "discovery-sizes": sizes,
        "discovery-goals": sizes,
    }
