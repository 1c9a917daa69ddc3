"""Options found on the way: their making, their calendar, and what becomes of values."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import hsr
from hsr.agents.online import changed
from tests.oracles.agent_worlds import (
    SETTINGS,
    check_twin,
    features_of,
    four_rooms,
    two_rooms,
)
from tests.oracles.plain_linear_q import changed_options

# Options found on the way.


@pytest.mark.parametrize("signs", ["positive", "both"])
def test_options_of_the_exact_map_are_the_eigenoptions(signs):
    mdp = four_rooms()[0]
    found = hsr.OnlineOptions(8, signs=signs).discover(
        mdp, hsr.successor_representation(mdp).toarray()
    )
    exact = hsr.eigenoptions(mdp, 8, signs=signs)
    assert_array_equal(found.termination, exact.termination)
    assert_array_equal(found.initiation, exact.initiation)
    assert_array_equal(found.policy[exact.initiation], exact.policy[exact.initiation])


@pytest.mark.parametrize(
    ("warm_up", "refresh", "times"),
    [
        (100, 50, {0: 100, 99: 100, 100: 150, 149: 150, 150: 200, 1234: 1250}),
        (0, 7, {0: 7, 6: 7, 7: 14, 20: 21}),
    ],
)
def test_refreshes_keep_to_their_calendar(warm_up, refresh, times):
    """A refresh that came late does not move the next: they stay at warm_up + k refresh."""
    online = hsr.OnlineOptions(2, warm_up=warm_up, refresh=refresh)
    assert {steps: online.next_refresh(steps) for steps in times if steps >= warm_up} == {
        steps: due for steps, due in times.items() if steps >= warm_up
    }


ONLINE = [
    (features, values, update, map_update)
    for features in ("onehot", "few", "sr", "hsr")
    for values in ("keep", "reset")
    for update, map_update in (
        ("chosen_and_primitives", "chosen"),
        ("chosen", "passed"),
        ("intra_option", "chosen"),
    )
]


@pytest.mark.parametrize(("features", "values", "update", "map_update"), ONLINE)
def test_options_found_on_the_way_are_those_of_the_plain_twin(features, values, update, map_update):
    mdp, rows = two_rooms(slip=0.1), features_of(features, 13)
    tasks = [hsr.GoalTask(0, 12), hsr.GoalTask(None, 2)]
    online = hsr.OnlineOptions(3, warm_up=150, refresh=40, values=values)
    settings = {**SETTINGS, "update": update, "map_update": map_update}
    for seed in (0, 1):
        how = {"options": online, "episodes": 12, "horizon": 40}
        run, result = check_twin(mdp, tasks, seed, rows, settings, **how)
        assert len(result.options) >= 3
        assert result.choice_use[:, 4:].sum() > 0
        found, last = run.found_options[0], result.options[-1]
        assert_array_equal(found.policy, last.policy)
        assert_array_equal(found.termination, last.termination)


def test_before_the_warm_up_is_over_there_are_no_options():
    mdp, _, tasks, _ = four_rooms()
    how = {"seeds": range(3), "episodes": 3, "horizon": 300, "trajectory_of": 2}
    online = hsr.OnlineOptions(8, warm_up=10**9)
    run = hsr.train(mdp, tasks, hsr.LinearQ("hsr"), online, **how)
    alone = hsr.train(mdp, tasks, hsr.LinearQ("hsr"), **how)
    assert run.steps.tobytes() == alone.steps.tobytes()
    assert run.found_options == (None, None, None)
    late = hsr.train(
        mdp, tasks, hsr.LinearQ("hsr"), hsr.OnlineOptions(8, warm_up=250), **how
    ).trajectory
    assert late.choice[:250].max() < 4 <= late.choice[250:].max()


@pytest.mark.parametrize("values", ["keep", "reset"])
def test_values_of_options_are_kept_or_begin_anew(values):
    """The second set comes in the last episode: since then each choice moved one value, of those
    kept or of those reset.
    """
    mdp = two_rooms(slip=0.1)
    task = [hsr.GoalTask(0, 12)]
    agent = hsr.LinearQ(update="chosen", learning_rate=0.3, epsilon=0.5, map_learning_rate=0.2)
    online = hsr.OnlineOptions(3, warm_up=100, refresh=3000, values=values)
    how = {"seeds": [1], "horizon": 60, "keep_values": True}
    steps = hsr.train(mdp, task, agent, online, episodes=300, **how).steps[0, 0]
    n = int(np.searchsorted(steps.cumsum(), 3100))
    before, after = (
        hsr.train(mdp, task, agent, online, episodes=episodes, **how) for episodes in (n, n + 1)
    )
    different = changed(before.found_options[0], after.found_options[0])
    old, new = (run.values[0, 0, 4:][different] for run in (before, after))
    assert different.any()
    assert old.any(axis=1).all()
    learned_since = after.decisions[0, 0, -1]
    if values == "keep":
        assert (new != old).sum() <= learned_since < (old != 0.0).sum()
    else:
        assert (new != 0.0).sum() <= learned_since < (old != 0.0).sum()


def test_an_option_counts_as_changed_by_what_it_does_where_it_runs():
    policy, stop = np.array([[1, 1, 1], [0, 0, 0]]), np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    old = hsr.OptionSet(policy, stop, stop == 0.0)
    never_done, done = policy.copy(), policy.copy()
    never_done[0, 2] = 3  # where the option has stopped and cannot be chosen
    done[1, 2] = 3
    earlier = stop.copy()
    earlier[1, 1] = 1.0
    for new, expected in [
        (old, [False, False]),
        (hsr.OptionSet(never_done, stop, stop == 0.0), [False, False]),
        (hsr.OptionSet(done, stop, stop == 0.0), [False, True]),
        (hsr.OptionSet(policy, earlier, stop == 0.0), [False, True]),
        (
            hsr.OptionSet(policy, stop, np.array([[True, False, False], [False, True, True]])),
            [True, False],
        ),
    ]:
        assert changed(old, new).tolist() == changed_options(old, new).tolist() == expected
    assert changed(None, old).tolist() == [True, True]
