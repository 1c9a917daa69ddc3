"""An agent that learns the HSR from every step: its plain twin, the learner of tables, the closed
form.
"""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

import hsr
from hsr._base import memory
from tests.agents.test_gpi import check_gpi
from tests.agents.test_online_maps import check_mean_map, even_mu
from tests.cases import cases, raises
from tests.oracles.agent_worlds import (
    SETTINGS,
    UPDATES,
    WORLDS,
    certain,
    check_twin,
    fractional,
    slippery,
    two_rooms,
)

BY_STEPS = {**SETTINGS, "map_update": "intra_option"}
OTHERS = {"explore_with": "primitives", "ties": "first", "initial_map": "zero"}


@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("world", ["certain", "slippery", "fractional, certain"])
def test_every_step_is_that_of_the_plain_twin(world, update):
    for seed, words in enumerate(({}, OTHERS)):
        settings = {**BY_STEPS, "update": update, **words}
        check_twin(WORLDS[world](), seed, "hsr", settings, evaluate=True)


def test_without_options_every_step_is_that_of_the_plain_twin():
    check_twin((two_rooms(0.1), None, slippery()[2], 40), 0, "hsr", BY_STEPS)


def test_continuing_tasks_are_those_of_the_plain_twin():
    tasks = [hsr.GoalTask(0, 12, continuing=True), hsr.GoalTask(None, 2)]
    check_twin((*slippery()[:2], tasks, 40), 3, "hsr", BY_STEPS)


@pytest.mark.parametrize("reward", ["found", "regressed"])
def test_policy_improvement_is_that_of_the_plain_twin(reward):
    """Once the pool acts, the map is that of the pool's choices."""
    settings = {**BY_STEPS, "tie_tolerance": 0.15}
    check_gpi(slippery(), 1, "hsr", settings, pretrained=4, reward=reward)


def test_options_found_online_are_those_of_the_plain_twin():
    """The map of an option that changed starts at that of the agent."""
    online = hsr.OnlineOptions(3, warm_up=100, refresh=40)
    world = two_rooms(slip=0.1), online, [hsr.GoalTask(0, 12), hsr.GoalTask(None, 2)], 40
    _, result = check_twin(world, 0, "hsr", BY_STEPS, episodes=8)
    assert len(result.options) >= 3


def learned(mdp, options, task, **how):
    """Return a run of even choices, whose policy therefore stands still."""
    agent = {"epsilon": 1.0, "learning_rate": 1e-6, "map_update": "intra_option"}
    agent |= {name: how.pop(name) for name in ("map_learning_rate", "explore_with") if name in how}
    how = {"seeds": [0], "episodes": 30, "keep_maps": True, "workers": 1, **how}
    return hsr.train(mdp, [task], hsr.LinearQ("hsr", **agent), options, **how)


@pytest.mark.filterwarnings("ignore:the log never tries")
@pytest.mark.parametrize("explore_with", ["choices", "primitives"])
@pytest.mark.parametrize("rate", [0.1, 1.0])
def test_a_policy_that_stands_still_has_the_map_of_the_learner_of_tables(explore_with, rate):
    """The same steps and the same policy are the same updates, up to rounding."""
    (mdp, options, *_), task = fractional(random_policies=False), hsr.GoalTask(0, 12)
    mu = even_mu(mdp, options)
    if explore_with == "primitives":
        mu = np.eye(mu.shape[1])[:4].mean(axis=0) + np.zeros(mu.shape)
    run = learned(
        mdp, options, task, map_learning_rate=rate, explore_with=explore_with, trajectory_of=0
    )
    t = run.trajectory
    log = np.stack([t.state, t.action, t.arrival], axis=1)
    M = hsr.representation.learn_hsr_intra_option(
        mdp, options, mu, log, task=task, learning_rate=rate
    )
    assert_allclose(run.maps[0, 0], M, rtol=0, atol=1e-11)
    assert np.abs(M - np.eye(mdp.n_states)).max() > 0.5


def exact_map(mdp, options, task):
    model = hsr.option_model(mdp, options, task=task)
    return hsr.hierarchical_sr(model, even_mu(mdp, options)).toarray()


def test_without_randomness_a_step_size_of_one_finds_the_closed_form():
    (mdp, options, *_), task = certain(), hsr.GoalTask(None, 12)
    run = learned(mdp, options, task, map_learning_rate=1.0, episodes=800)
    assert_allclose(run.maps[0, 0], exact_map(mdp, options, task), rtol=0, atol=1e-9)


def test_with_slip_and_random_stopping_the_mean_map_is_the_closed_form():
    (mdp, options, *_), task = fractional(random_policies=False), hsr.GoalTask(None, 12)
    how = {"seeds": range(8), "episodes": 2500, "map_learning_rate": 0.01}
    run = learned(mdp, options, task, **how)
    check_mean_map(run.maps[:, 0], exact_map(mdp, options, task))


def test_a_horizon_does_not_change_the_map_that_is_approached():
    """A choice that is cut off learns as if it went on, other than by Eq. 8."""
    (mdp, options, *_), task = certain(), hsr.GoalTask(None, 12)
    run = learned(mdp, options, task, map_learning_rate=1.0, episodes=20_000, horizon=2)
    assert not run.terminated.all()
    assert_allclose(run.maps[0, 0], exact_map(mdp, options, task), rtol=0, atol=1e-9)


@cache
def fractional_case():
    return fractional()


def train(options):
    agent = hsr.LinearQ("hsr", map_update="intra_option")
    return hsr.train(fractional_case()[0], fractional_case()[2], agent, options, seeds=[0])


REFUSED = {
    "other features": (
        lambda: hsr.LinearQ("sr", map_update="intra_option"),
        "map_update is 'intra_option' and features are 'sr'",
    ),
    "an array": (
        lambda: hsr.LinearQ(np.eye(3), map_update="intra_option"),
        "map_update is 'intra_option' and features are ",
    ),
    "interrupted options": (
        lambda: hsr.LinearQ("hsr", map_update="intra_option", explore_at="steps"),
        "it needs explore_at='choices'",
    ),
    "options that draw their actions": (
        lambda: train(fractional_case()[1]),
        "map_update is 'intra_option' and some option's policy is random",
    ),
    "found options that draw their actions": (
        lambda: train(hsr.OnlineOptions(2, method="frontier")),
        "map_update is 'intra_option' and options are found by method 'frontier'",
    ),
}


@cases(("call", "said"), REFUSED)
def test_what_the_rule_cannot_learn_from_is_refused(call, said):
    with raises(said):
        call()


def test_maps_of_all_choices_that_would_not_fit_are_refused(monkeypatch):
    """400 states and 54 choices: 54 maps of 1.3 MB."""
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("\n".join(["." * 20] * 20)), discount=0.9)
    options = hsr.point_options(mdp, range(50))
    monkeypatch.setattr(memory, "available_bytes", lambda: 2**26)
    task, how = hsr.GoalTask(0, 5), {"seeds": [0], "episodes": 1, "horizon": 5, "workers": 1}
    with pytest.raises(
        hsr.toolkit.TooLargeError, match=r"needs [67]\d,.* bytes .* or map_update='chosen'"
    ):
        hsr.train(mdp, [task], hsr.LinearQ("hsr", map_update="intra_option"), options, **how)
    assert hsr.train(mdp, [task], hsr.LinearQ("hsr"), options, **how).steps.size == 1
