"""Bad arguments that the functions of `hsr.animals` refuse, one property per kind of argument."""

from functools import cache

import numpy as np
import pytest

import hsr
from hsr import animals
from tests.animals.arenas import hexagons, open_arena, ring
from tests.animals.recordings import four_rooms, recording, walk
from tests.cases import cases, raises
from tests.strategies import (
    assert_refused,
    bad_choices,
    bad_counts,
    bad_distributions,
    bad_numbers,
    bad_probabilities,
)


@cache
def recorded():
    return recording(walk(9000))


def call(name, **given):
    """Call a function of `hsr.animals` with valid arguments, some of which are replaced."""
    rates = {"rates": np.ones(25), "mdp": open_arena(5)}
    usual = {
        "compare_cells": {"spikes": [np.arange(0.0, 900.0)], "mdp": recorded(), "models": "nmf"},
        "recovery": {"maze": four_rooms(), "models": ["sr"], "minutes": 9.0**9},
        "discriminate": {"maze": four_rooms(), "models": ("gaussian", "geodesic")},
        "compare_choices": {"mdp": hsr.grid_mdp(four_rooms()), "paths": [[0, 1, 2, 3]] * 20},
        "rate_maps": {"spikes": [[1.0, 2.0]], "mdp": open_arena(5)},
        "visits": {"states": [0, 1]},
    }
    return getattr(animals, name)(**usual.get(name, rates) | given)


COUNTS = {
    "compare_cells": {"blocks": 2, "shuffles": 0, "workers": 1},
    "recovery": {"cells": 1, "blocks": 2, "workers": 1},
    "discriminate": {"changes": 1},
    "compare_choices": {"blocks": 2, "piece": 1, "min_moves": 2, "samples": 1},
    "place_fields": {"min_bins": 1},
    "border_score": {"min_bins": 1},
    "visits": {"shortest": 1},
}
NUMBERS = {
    "compare_cells": ["min_shift"],
    "recovery": ["peak_rate", "step", "minutes"],
    "rate_maps": ["smooth"],
    "place_fields": ["min_peak"],
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name):
    for argument, least in COUNTS[name].items():
        assert_refused(lambda **given: call(name, **given), argument, bad_counts(least))


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers(name):
    for argument in NUMBERS[name]:
        assert_refused(lambda **given: call(name, **given), argument, bad_numbers())


@pytest.mark.parametrize(
    ("name", "argument", "bad"),
    [
        ("place_fields", "threshold", bad_probabilities(with_low=False)),
        ("border_score", "threshold", bad_probabilities(with_low=False)),
        ("rate_maps", "smooth_along", bad_choices(("paths", "plane"))),
        ("spatial_information", "per", bad_choices(("spike", "second"))),
        ("recovery", "policy", bad_distributions((104, 4))),
        ("discriminate", "policy", bad_distributions((104, 4))),
    ],
)
def test_fractions_words_and_policies(name, argument, bad):
    assert_refused(lambda **given: call(name, **given), argument, bad)


@pytest.mark.parametrize("name", ["compare_cells", "recovery", "discriminate", "compare_choices"])
def test_models(name):
    for models in ([], ["srr"], 3, ["sr", 3]):
        with raises("models"):
            call(name, models=models)
    with raises(r"\(104, 104\)" if name == "compare_choices" else r"\(104, K\)"):
        call(name, models={"mine": np.ones((9, 3)), "other": np.ones((9, 3))})


@pytest.mark.parametrize("name", ["place_fields", "border_score", "spatial_information"])
def test_rates(name):
    for rates, words in (
        ([1.0, 2.0, 3.0], r"rates has shape \(3,\); it must have shape \(25,\) or"),
        (-np.ones(25), "the smallest rate is -1"),
        (hsr.successor_representation(open_arena(5)), "fields are columns of a map"),
    ):
        with raises(words):
            call(name, rates=rates)
    with raises("mdp is .*from_positions"):
        call(name, mdp=hsr.grid_mdp("loop"))


@cases(
    ("name", "given", "words"),
    {
        "a model twice": ("compare_cells", {"models": ("sr", "sr")}, "each once"),
        "negative fields": ("compare_cells", {"models": {"a": -np.ones((104, 3))}}, "negative"),
        "long shifts": ("compare_cells", {"min_shift": 449.0}, "fewer shuffles or a smaller"),
        "an unknown setting": ("compare_cells", {"settings": {"gamma": [0.9]}}, "'discount'"),
        "one model": ("discriminate", {"models": ("sr",)}, "at least two"),
        "no passage": ("discriminate", {"barriers": [[(0, 50)]]}, "pair of neighbouring states"),
        "no neighbours": ("compare_choices", {"paths": [[0, 50]] * 5}, "which are not neighbours"),
        "no such state": ("compare_choices", {"paths": [[0, 999]] * 5}, r"paths\[0\]\[1\].*999"),
        "read-out": ("compare_choices", {"readouts": ["square"]}, "'linear', 'log'"),
        "heading": ("compare_choices", {"heading": [[1]]}, "one entry for each of the 20 paths"),
        "destination": ("compare_choices", {"destinations": [999]}, r"destinations\[0\].*999"),
        "few paths": ("compare_choices", {"paths": [[0, 1]]}, "cannot be divided into 5 blocks"),
        "spikes outside": ("rate_maps", {"spikes": [[-99.0]]}, "all 1 spikes lie outside"),
        "too smooth": ("rate_maps", {"smooth": 9.0}, "smooth is 9.0, and the arena is 5 long"),
    },
)
def test_arguments_that_do_not_fit_together(name, given, words):
    with raises(words):
        call(name, **given)


def test_mazes_that_do_not_suffice():
    with raises("another MDP"):
        other = hsr.successor_representation(hsr.grid_mdp("loop"))
        call("compare_cells", models={"mine": other})
    with raises("needs the positions of states"):
        call("recovery", maze=hsr.grid_mdp("loop"), models="gaussian")
    with raises("cuts the maze into parts"):
        call("discriminate", maze=hsr.GridLayout.from_text("..."), barriers=[[(0, 1)]])
    with raises("stochastic"):
        call("discriminate", maze=hsr.grid_mdp("loop", slip=0.1), models=("sr", "hsr"))
    for joined in (animals.join_cells, animals.join_choices):
        with raises("at least two animals"):
            joined({})


def test_scores_that_need_rectangles():
    uneven = hsr.from_positions([[0.5, 0], [2, 0]], edges=([0, 1, 3], [-1, 1]))
    for score, mdp, words in (
        (animals.grid_score, hexagons(3), "bins are hexagonal"),
        (animals.grid_score, uneven, "rectangular bins of equal size"),
        (animals.border_score, uneven, "at least two along x and along y"),
        (animals.border_score, ring(), "bins are centres"),
    ):
        with raises(words):
            score(np.ones(mdp.n_states), mdp)
