"""Expected maps on a GPU, against those of the CPU."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import hsr
from hsr.representation import over_goals_on_gpu
from tests.cases import cases, needs_gpu, raises, too_little_gpu_memory
from tests.representation.test_over_goals import WORLDS

CLOSE = {"rtol": 0.0, "atol": 1e-10}
OPTIONS = {
    "eigenoptions": hsr.eigenoptions(WORLDS["rooms"], n_options=6),
    "some initiation sets": hsr.point_options(WORLDS["one-way streets"], [3, 17, 29]),
}


@needs_gpu
@cases("mdp", WORLDS)
@pytest.mark.parametrize("goal", ["ends", "continues"])
@pytest.mark.parametrize("ties", ["uniform", "first", "random"])
def test_an_expected_sr_is_that_of_the_cpu(mdp, ties, goal):
    tasks = hsr.goal_tasks(mdp)[::3] + hsr.goal_tasks(mdp)[:2]  # some goals twice
    how = {"ties": ties, "goal": goal, "seed": 4}
    expected = hsr.expected_sr(mdp, tasks, **how).toarray()
    found = hsr.expected_sr(mdp, tasks, device="cuda", **how).toarray()
    assert_allclose(found, expected, **CLOSE)


@needs_gpu
@pytest.mark.parametrize("stopping_state", ["counted_once", "counted_twice"])
@pytest.mark.parametrize("ties", ["uniform", "options", "primitives", "random"])
@pytest.mark.parametrize("world", ["rooms", "one-way streets"])
def test_an_expected_hsr_is_that_of_the_cpu(world, ties, stopping_state):
    mdp = WORLDS[world]
    options = OPTIONS["eigenoptions" if world == "rooms" else "some initiation sets"]
    how = {"ties": ties, "stopping_state": stopping_state, "seed": 4}
    expected = hsr.expected_hsr(mdp, options, **how).toarray()
    found = hsr.expected_hsr(mdp, options, device="cuda", **how).toarray()
    assert isinstance(found, np.ndarray)
    assert_allclose(found, expected, **CLOSE)


@needs_gpu
def test_goals_are_taken_a_few_at_a_time_if_memory_is_short(monkeypatch):
    monkeypatch.setattr(over_goals_on_gpu, "_MOST_BYTES", 2**14)
    mdp = WORLDS["rooms"]
    found = hsr.expected_sr(mdp, goal="continues", device="cuda").toarray()
    assert_allclose(found, hsr.expected_sr(mdp, goal="continues").toarray(), **CLOSE)


@needs_gpu
def test_a_map_that_the_memory_of_the_gpu_cannot_hold_is_refused():
    words = f"the expected map of {WORLDS['rooms'].n_states} states does not fit"
    with too_little_gpu_memory(), pytest.raises(hsr.TooLargeError, match=words):
        hsr.expected_sr(WORLDS["rooms"], device="cuda").toarray()


SLIPPERY = hsr.grid_mdp(hsr.room_grid(2, 3), discount=0.9, slip=0.1)
IMPOSSIBLE = {
    "randomness": lambda: hsr.expected_sr(SLIPPERY, device="cuda"),
    "policies": lambda: hsr.expected_sr(
        WORLDS["rooms"],
        hsr.goal_tasks(WORLDS["rooms"])[:1],
        policies=[np.full((WORLDS["rooms"].n_states, 4), 0.25)],
        device="cuda",
    ),
    "options that continue": lambda: hsr.expected_hsr(
        WORLDS["rooms"], OPTIONS["eigenoptions"], goal="continues", device="cuda"
    ),
    "no primitive actions": lambda: hsr.expected_hsr(
        WORLDS["rooms"], OPTIONS["eigenoptions"], primitives=False, device="cuda"
    ),
}


@cases("ask", IMPOSSIBLE)
def test_what_only_the_cpu_computes_is_refused_on_a_gpu(ask, a_gpu):
    with raises("device is 'cuda'; a GPU computes maps of optimal policies"):
        ask()


def test_a_device_is_checked_by_both_maps():
    for ask in (
        lambda: hsr.expected_sr(WORLDS["rooms"], device="gpu"),
        lambda: hsr.expected_hsr(WORLDS["rooms"], OPTIONS["eigenoptions"], device="gpu"),
    ):
        with raises("device is 'gpu'; it must be one of 'cpu', 'cuda'"):
            ask()
