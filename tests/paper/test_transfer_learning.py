"""Numbers of learning curves over worlds, against loops over single runs."""

import math

import numpy as np
import pytest

import hsr
from hsr._base.declaration import changed
from hsr.agents import OptionSpec
from hsr.experiments.store import Record, ResultTable
from hsr.paper.maps import FeatureSetting
from hsr.paper.transfer import TransferSetting, one_condition_each
from hsr.paper.transfer.fewest import fewest_expected_steps
from hsr.paper.transfer.learning import learning

FEATURES = {"raw": FeatureSetting(kind="onehot"), "rows": FeatureSetting(kind="sr")}
OPTIMAL = (10, 18)
EPISODES, WORLDS, SEEDS = 12, 4, 3


def episodes_and_met(steps, best, factor=1.5, rate=0.1):
    """Return the episode that meets the criterion and True, or the number of all and False."""
    average = None
    for k, taken in enumerate(steps, start=1):
        average = taken if average is None else average + rate * (taken - average)
        if average < factor * best:
            return k, True
    return len(steps), False


def log_of(steps, best, *, ends):
    """Return the logarithm of all steps over the fewest, or its mean over episodes."""
    if ends:
        return math.log(sum(steps) / best)
    return sum(math.log(taken / best) for taken in steps) / len(steps)


def made_up_steps(seed, *, ends=False):
    """Return steps (world, seed, task, episode); with `ends`, 0 once the criterion is met."""
    rng = np.random.default_rng(seed)
    first = rng.integers(1, 6, (WORLDS, SEEDS, 2, 1))
    fall = rng.uniform(0.5, 1.0, (WORLDS, SEEDS, 2, 1)) ** np.arange(EPISODES)
    best = np.array(OPTIMAL)[:, None]
    steps = best + np.floor(best * first * fall).astype(int)
    for place in np.ndindex(WORLDS, SEEDS, 2) if ends else ():
        n, met = episodes_and_met(steps[place].tolist(), OPTIMAL[place[-1]])
        steps[place][n if met else EPISODES :] = 0
    return steps


def learned_of(steps, **changes):
    """Return what is learned of made-up steps, by agent."""
    setting = changed(
        TransferSetting(
            worlds=WORLDS, seeds=SEEDS, episodes=EPISODES, horizon=500, training="fixed"
        ),
        changes,
    )
    conditions = one_condition_each(FEATURES)(setting)
    records = [
        Record("some", conditions[name].data(), setting.first_world + k, {"steps": one})
        for name, of_agent in steps.items()
        for k, one in enumerate(of_agent)
    ]
    return learning(ResultTable(records), setting, conditions)


@pytest.mark.parametrize("ends", [False, True], ids=["fixed", "until the criterion"])
def test_episodes_and_log_steps_are_those_of_each_run(ends):
    steps = {"raw": made_up_steps(1, ends=ends), "rows": made_up_steps(2, ends=ends)}
    found = learned_of(steps, first_world=5, training="criterion" if ends else "fixed")
    assert found.optimal == OPTIMAL
    assert found.example == one_condition_each(FEATURES)(TransferSetting())["raw"].world_number(5)
    assert {str(one) for one in found.chosen.values()} == {""}
    assert (steps["rows"] == 0).any() == ends
    for name, of_agent in steps.items():
        np.testing.assert_array_equal(found.steps[name], of_agent)
        for place in np.ndindex(WORLDS, SEEDS, 2):
            runs, best = of_agent[place].tolist(), OPTIMAL[place[-1]]
            n, met = episodes_and_met([one for one in runs if one > 0], best)
            assert found.episodes[name][place] == (n if met else EPISODES)
            assert found.met[name][place] == met
            assert found.log_steps[name][place] == pytest.approx(
                log_of(runs, best, ends=ends), abs=1e-12
            )
    both = np.stack(list(found.met.values()))
    assert both.any()
    assert not both.all()


def test_episodes_that_were_not_needed_count_as_optimal_for_a_slower_average():
    """Training stops by an average with rate 0.1, and the criterion has the rate 0.05."""
    steps = {"raw": made_up_steps(1, ends=True), "rows": made_up_steps(2, ends=True)}
    found = learned_of(steps, training="criterion", **{"criterion.rate": 0.05})
    for name, of_agent in steps.items():
        for place in np.ndindex(WORLDS, SEEDS, 2):
            best = OPTIMAL[place[-1]]
            filled = [taken or best for taken in of_agent[place].tolist()]
            n, met = episodes_and_met(filled, best, rate=0.05)
            assert (found.episodes[name][place], found.met[name][place]) == (n, met)


def meeting(n):
    """Return steps (world, seed, task, episode) that meet the criterion in episodes n."""
    late = np.arange(1, EPISODES + 1) < np.asarray(n)[..., None]
    return (np.where(late, 1.5, 1.0) * np.array(OPTIMAL)[:, None]).astype(int)


def test_the_efficiency_by_hand():
    """In world 0 one-hot takes 4 and 8 episodes on average, in world 1 it takes 5 and 5.

    An agent with 2 and 6 episodes has 6/8 over 2/4 in world 0, and 6/5 over 2/5 in world 1.
    """
    raw = np.array([[[3, 9], [5, 7], [4, 8]], [[5, 5]] * 3, [[5, 5]] * 3, [[5, 5]] * 3])
    n = np.tile([2, 6], (WORLDS, SEEDS, 1))
    n[1, 2] = 3, 12
    steps = {"raw": meeting(raw), "rows": meeting(n)}
    steps["rows"][1, 2, 1, -1] = 27  # never met
    measure = learned_of(steps).efficiency("rows", "raw")
    expected = [3 * [1.5], [3.0, 3.0, 4.0], 3 * [3.0], 3 * [3.0]]
    np.testing.assert_allclose(measure.values, np.log(expected), rtol=1e-12)
    assert np.argwhere(measure.censored).tolist() == [[1, 2]]
    # n - 1 episodes at 1.5 times the fewest, and the others at the fewest.
    log = math.log(1.5) / EPISODES
    beside = np.full((WORLDS, SEEDS), (6 - 2) * log)
    beside[1, 2] = (12 - 2) * log  # its last episode at 1.5 times the fewest, too
    beside[0] -= (8 - 4) * log  # what the baseline takes more for the second goal
    np.testing.assert_allclose(measure.beside.values, beside, atol=1e-12)


def test_worlds_where_no_agent_can_meet_the_criterion_are_left_out_of_episodes_alone():
    """If every random choice may be a whole option, the criterion is out of reach in some worlds.

    With a factor of 1 it is so in all worlds, and then all are kept: each run is cut off.
    """
    steps = {"raw": made_up_steps(1), "rows": made_up_steps(2)}
    found = learned_of(steps, first_world=27, **{"agent.explore_with": "choices"})
    mdp, signs = hsr.grid_mdp("four_rooms", discount=0.9), OptionSpec(signs="random")
    worlds = hsr.sample_worlds("four_rooms", 27 + WORLDS, options=signs)[27:]
    for k, world in enumerate(worlds):
        options = hsr.eigenoptions(mdp, 8, signs=world.signs)
        for task, goal in enumerate(world.goals):
            fewest = fewest_expected_steps(mdp, options, hsr.GoalTask(None, goal), epsilon=0.1)
            assert found.reachable[k, task] == (fewest[world.start] < 1.5 * OPTIMAL[task])
    for task in (0, 1):
        kept, measure = found.reachable[:, task], found.to_goal("rows", task)
        assert 2 <= kept.sum() < WORLDS
        np.testing.assert_array_equal(measure.values, found.episodes["rows"][kept, :, task])
        np.testing.assert_array_equal(measure.censored, ~found.met["rows"][kept, :, task])
        np.testing.assert_array_equal(measure.beside.values, found.log_steps["rows"][..., task])
    assert learned_of(steps).reachable.all()  # with primitive actions it is in reach
    none = learned_of(steps, **{"criterion.factor": 1.0})
    assert not none.reachable.any()
    assert none.to_goal("rows", 0).values.shape == (WORLDS, SEEDS)


def test_goals_of_one_agent_are_compared_in_the_same_worlds():
    n = np.tile([2, 6], (WORLDS, SEEDS, 1))
    found = learned_of({"raw": meeting(n), "rows": meeting(n[..., ::-1])})
    for agent, expected in (("raw", (2, 6)), ("rows", (6, 2))):
        for task in (0, 1):
            assert np.unique(found.on_goal(agent, task).values).tolist() == [expected[task]]
