"""Bases as features and policy improvement, on one goal: their settings and numbers."""

import numpy as np
import pytest

from hsr.experiments import catalogue
from tests.paper.experiment_runs import conditions, made_up, numbers, preset, steps_meeting, tiny

NAMES = ("basis_transfer", "gpi")
IN_SLIP = ("tuned step sizes, slip 0.1", "tuned step sizes, slip 0.2")


# Settings


@pytest.mark.parametrize("name", NAMES)
def test_a_control_reruns_those_agents_only_that_it_concerns(name):
    usual = conditions(name, tiny(name))
    differ = {
        control: {
            agent for agent, found in conditions(name, variant).items() if found != usual[agent]
        }
        for control, variant in catalogue.find(name).with_controls(tiny(name)).items()
    }
    of_hsr = {agent for agent in usual if "HSR" in agent}
    assert differ["stopping states counted twice"] == of_hsr
    assert differ["tuned step sizes"] == set()
    if name == "basis_transfer":
        assert differ["32 components"] == {
            agent for agent in usual if agent.endswith(("SVD", "NMF"))
        }
        assert differ["unit columns"] == set(usual) - {"one-hot"}
        assert all(differ[control] == set(usual) for control in IN_SLIP)
    else:
        of_gpi = {agent for agent in usual if agent.startswith("GPI")}
        assert differ["reward known"] == differ["reward regressed"] == of_gpi


def test_more_features_can_be_run_and_no_claim_depends_on_them():
    more = preset("basis_transfer", also=[{"kind": "nmf", "of": "rw_hsr"}], worlds=2, seeds=1)
    found = conditions("basis_transfer", more)
    assert list(found)[-1] == "rw_hsr nmf"
    assert len(found) == 11
    learned = made_up(
        "basis_transfer", more, lambda one, _: steps_meeting(one, np.full((1, 1), 9))
    ).learned
    assert set(learned.steps) == set(found)


# Small real runs


def test_numbers_of_gpi_have_their_shapes_and_agents_share_the_first_episode():
    found = numbers("gpi")[""]
    assert {x.shape for x in found.learned.steps.values()} == {(3, 2, 1, 5)}
    assert found.learned.optimal == (18,)
    first = [x[..., 0].tolist() for x in found.learned.steps.values()]
    assert all(steps == first[0] for steps in first)


def test_a_known_reward_needs_no_episode_to_find_it():
    """The pool holds the optimal policy of the goal, so GPI need not search in episode 1."""
    known, found = numbers("gpi")["reward known"], numbers("gpi")[""]
    for agent, steps in known.learned.steps.items():
        if agent.startswith("GPI"):
            assert (steps[..., 0] < found.learned.steps[agent][..., 0]).all()
        else:
            np.testing.assert_array_equal(steps, found.learned.steps[agent])
