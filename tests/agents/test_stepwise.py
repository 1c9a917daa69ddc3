"""Without options a kernel of its own runs every step, with the results of the one for options."""

import numpy as np
import pytest

import hsr
from hsr._base import threads
from hsr.agents.training import seed as seeds
from tests.agents.training_bytes import bytes_of

FEATURES = {
    "onehot": {},
    "sr": {"features": "sr"},
    "hsr": {"features": "hsr", "map_update": "passed"},
    "dual": {"features": np.random.default_rng(0).random((9, 5)), "form": "dual"},
    "primal": {"features": np.random.default_rng(0).random((9, 5)), "form": "primal"},
    "chosen": {"features": "sr", "update": "chosen", "ties": "first"},
    "intra_option": {"update": "intra_option", "explore_at": "steps"},
    "zero": {"features": "sr", "initial_map": "zero", "learning_rate": 1.0},
}


@pytest.fixture
def counted(monkeypatch):
    """Return a list that grows with every call of the kernel without options."""
    calls = []

    def run(*arguments):
        calls.append(1)
        return kernel(*arguments)

    kernel = seeds.learn_steps
    monkeypatch.setattr(seeds, "learn_steps", run)
    return calls


def world(slip=0.0):
    """Return an open room of nine states and two tasks, one of which continues."""
    layout = hsr.GridLayout.from_text("#####\n#...#\n#...#\n#...#\n#####")
    tasks = [hsr.GoalTask(0, 8), hsr.GoalTask(4, 2, continuing=True), hsr.GoalTask(None, 3)]
    return hsr.grid_mdp(layout, discount=0.9, slip=slip), tasks


@pytest.mark.parametrize("slip", [0.0, 0.3])
@pytest.mark.parametrize("name", FEATURES)
def test_both_kernels_have_the_same_bytes(name, slip, counted, monkeypatch):
    mdp, tasks = world(slip)
    settings = {"seeds": range(2), "episodes": 12, "horizon": 30, "keep_values": True}
    settings |= {"keep_maps": name in ("sr", "hsr", "zero"), "evaluate": True, "trajectory_of": 1}
    agent = hsr.LinearQ(**FEATURES[name])
    ours = bytes_of(hsr.train(mdp, tasks, agent, workers=1, **settings))
    assert counted
    del counted[:]
    monkeypatch.setattr(seeds, "is_stepwise", lambda plan, seed: False)
    assert bytes_of(hsr.train(mdp, tasks, agent, workers=1, **settings)) == ours
    assert not counted


def test_pauses_change_nothing(counted, monkeypatch):
    mdp, tasks = world(0.3)
    settings = {"seeds": range(2), "episodes": 12, "horizon": 30, "keep_values": True}
    at_once = bytes_of(hsr.train(mdp, tasks, hsr.LinearQ("sr"), **settings))
    n_calls = len(counted)
    monkeypatch.setattr(threads, "BLOCK", 7)
    assert bytes_of(hsr.train(mdp, tasks, hsr.LinearQ("sr"), **settings)) == at_once
    assert len(counted) > 5 * n_calls


def test_values_that_blow_up_stop_both_kernels_at_the_same_step(monkeypatch):
    mdp, tasks = world()
    agent = hsr.LinearQ(50 * np.random.default_rng(0).random((9, 9)), learning_rate=1.0)
    settings = {"seeds": range(3), "episodes": 40, "horizon": 100, "keep_values": True}
    with pytest.warns(hsr.HSRWarning):
        ours = hsr.train(mdp, tasks, agent, **settings)
    assert "diverged" in ours.status
    monkeypatch.setattr(seeds, "is_stepwise", lambda plan, seed: False)
    with pytest.warns(hsr.HSRWarning):
        general = hsr.train(mdp, tasks, agent, **settings)
    assert bytes_of(general) == bytes_of(ours)


def test_agents_with_options_or_a_pool_need_the_other_kernel(counted):
    mdp, tasks = world()
    hsr.train(mdp, tasks[:1], hsr.LinearQ(), hsr.eigenoptions(mdp, 2), seeds=[0], episodes=2)
    pool = hsr.GPI("onehot", pretraining=tasks[:1], reward="known")
    hsr.train(mdp, tasks[:1], pool, seeds=[0], episodes=2)
    assert not counted
