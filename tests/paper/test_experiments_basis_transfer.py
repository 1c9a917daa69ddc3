"""Bases as features and policy improvement, on one goal: their settings, facts and numbers."""

import numpy as np
import pytest

from hsr._base.declaration import changed
from hsr.experiments import catalogue
from hsr.experiments.store import ResultTable
from hsr.paper.facts import BEST_BASIS, FACTS_OF_BASES, TESTED_BASES, observed
from tests.cases import cases
from tests.paper.experiment_runs import (
    conditions,
    finish,
    made_up,
    numbers,
    preset,
    steps_meeting,
    tiny,
)

NAMES = ("basis_transfer", "gpi")
SAME = "GPI one-hot", "GPI HSR rows"


def learned(name, **changes):
    """Return how agents learn at a tiny setting with some fields changed."""
    experiment, setting = catalogue.find(name), changed(tiny(name), changes)
    found = finish(experiment, setting, {}, lambda one, world: next(experiment(one, [world])))
    return experiment.analyse(ResultTable(found.values()), setting)


# Settings


@pytest.mark.parametrize("name", NAMES)
def test_a_variant_reruns_those_agents_only_that_it_concerns(name):
    usual = conditions(name, tiny(name))
    differ = {
        variant: {agent for agent, one in conditions(name, setting).items() if one != usual[agent]}
        for variant, setting in catalogue.find(name).with_controls(tiny(name)).items()
    }
    of_hsr = {agent for agent in usual if "HSR" in agent}
    assert differ["stopping states counted twice"] == of_hsr
    assert differ["tuned step sizes"] == set()
    if name == "basis_transfer":
        assert differ["32 components"] == {
            agent for agent in usual if agent.endswith(("SVD", "NMF"))
        }
        assert differ["rows unscaled"] == {agent for agent in usual if agent.endswith("rows")}
    else:
        of_gpi = {agent for agent in usual if agent.startswith("GPI")}
        assert differ["reward regressed"] == of_gpi
        assert differ["features not scaled"] == of_hsr


def test_more_features_can_be_run_and_no_claim_depends_on_them():
    more = preset("basis_transfer", also=[{"kind": "nmf", "of": "rw_hsr"}], worlds=2, seeds=1)
    found = conditions("basis_transfer", more)
    assert list(found)[-1] == "rw_hsr nmf"
    assert len(found) == 11
    learned = made_up(
        "basis_transfer", more, lambda one, _: steps_meeting(one, np.full((1, 1), 9))
    ).learned
    assert set(learned.steps) == set(found)


# Facts that a reading of Figure 3 must show


def shown(levels, steps=40.0, reachable=1.1):
    """Return which facts hold if the average of an agent meets the criterion after some episodes.

    Before, each episode has `steps` steps, and 10 are the fewest.
    """
    late = {name: np.arange(100) < level for name, level in levels.items()}
    curves = {name: np.where(one, steps, 10.0) for name, one in late.items()}
    tiled = {name: np.tile(curve, (3, 2, 1, 1)) for name, curve in curves.items()}
    seen = observed(tiled, (10,), np.full((3, 1), reachable))
    return {fact.name: fact.holds(seen) for fact in FACTS_OF_BASES}


DISTINCT = {name: 10 * k for k, name in enumerate((BEST_BASIS, *TESTED_BASES))}


@cases(
    ("changes", "missed"),
    {
        "none": ({}, set()),
        "two are the same": ({"levels": {**DISTINCT, "eHSR SVD": 40}}, {"features differ"}),
        "one is like the best": ({"levels": {**DISTINCT, "eSR SVD": 0}}, {"tests can tell"}),
        "nobody learns": (
            {"levels": dict.fromkeys(DISTINCT, 200)},
            {"features differ", "tests can tell", "criterion met", "curves"},
        ),
        "out of reach": ({"reachable": 1.6}, {"reachable"}),
    },
)
def test_facts_tell_made_up_readings_apart(changes, missed):
    found = shown(**{"levels": DISTINCT, **changes})
    assert {name for name, holds in found.items() if not holds} == missed


@cases(
    ("scale", "twins"),
    {
        "none": ("none", [("rows", "SVD")]),
        "unit rows": ("unit_rows", [("rows", "SVD")]),
        "unit columns": ("unit_columns", [("one-hot", "SVD")]),
        "max": ("max", []),
    },
)
def test_full_bases_that_are_rotations_take_the_same_steps(scale, twins):
    """A linear learner sees features by their inner products: Phi R gives those of Phi."""
    whole = {"maps.n_components": None, "maps.trained_on": "every", "worlds": 2}
    steps = learned("basis_transfer", **whole, **{"maps.scale": scale}).learned.steps
    for of in ("RW-SR", "eSR", "eHSR"):
        agents = {kind: steps[f"{of} {kind}"] for kind in ("rows", "SVD")}
        agents["one-hot"] = steps["one-hot"]
        for pair in (("rows", "SVD"), ("one-hot", "SVD")):
            same = np.array_equal(*(agents[kind] for kind in pair))
            assert same == (pair in twins)


# Policy improvement


def test_numbers_of_gpi_have_their_shapes_and_agents_share_the_first_episode():
    found = numbers("gpi")[""]
    assert {x.shape for x in found.learned.steps.values()} == {(3, 2, 1, 5)}
    assert found.learned.optimal == (10,)
    first = [x[..., 0].tolist() for x in found.learned.steps.values()]
    assert all(steps == first[0] for steps in first)


def test_a_known_reward_needs_no_episode_to_find_it():
    """The pool holds the optimal policy of the goal, so GPI need not search in episode 1."""
    known, found = learned("gpi", gpi="known"), numbers("gpi")[""]
    for agent, steps in known.learned.steps.items():
        if agent.startswith("GPI"):
            assert (steps[..., 0] < found.learned.steps[agent][..., 0]).all()
        else:
            np.testing.assert_array_equal(steps, found.learned.steps[agent])


@cases(("reward", "identical"), {"found": ("found", True), "regressed": ("regressed", False)})
def test_features_of_gpi_are_said_to_play_no_part_only_where_they_play_none(reward, identical):
    found = learned("gpi", gpi=reward, episodes=30)
    compared = {
        one.agents: one
        for one in catalogue.find("gpi").contrasts(found)
        if one.claim == "gpi-complementary"
    }
    same = np.array_equal(*(found.learned.steps[agent] for agent in SAME))
    assert same == identical == bool(compared[SAME].by_construction)
    assert not compared["Q HSR rows", "GPI HSR rows"].by_construction
