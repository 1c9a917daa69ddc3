"""Options found online: how they are made, when they are refreshed, and what happens to values."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import hsr
from hsr._base import memory
from hsr.agents.online import changed
from tests.oracles.agent_worlds import (
    SETTINGS,
    check_history,
    check_twin,
    four_rooms,
    train_in,
    two_rooms,
)
from tests.oracles.plain_linear_q import changed_options


@pytest.mark.parametrize("first", ["skipped", "counted"])
@pytest.mark.parametrize("signs", ["positive", "both", "svd", "eigh", "random", "pattern"])
def test_options_of_the_exact_map_are_the_eigenoptions(signs, first):
    mdp, counted = four_rooms()[0], first == "counted"
    given = "+--+-++-" if signs == "pattern" else signs
    found = hsr.OnlineOptions(8, signs=given, first=first, seed=2).discover(
        mdp, hsr.successor_representation(mdp).toarray()
    )
    # A learned map's first vector has a sign of its own, which the constant vector has not.
    if signs in ("random", "pattern") and counted:
        given = given if signs == "pattern" else hsr.options.sign_pattern(mdp, 8, "random", seed=2)
        given = given[1:]
    exact = hsr.eigenoptions(mdp, 8, signs=given, first=first, seed=2)
    assert_array_equal(found.termination, exact.termination)
    assert_array_equal(found.initiation, exact.initiation)
    assert_array_equal(found.policy[exact.initiation], exact.policy[exact.initiation])


@pytest.mark.parametrize("signs", ["positive", "both"])
@pytest.mark.parametrize("slip", [0.0, 0.1])
def test_options_of_a_learned_map_are_those_of_its_vectors(signs, slip):
    """A short run leaves states unvisited, whose rows are still those of the identity."""
    mdp = two_rooms(slip=slip)
    M = hsr.learn_sr(mdp, steps=40, learning_rate=0.3, seed=1)
    found = hsr.OnlineOptions(5, signs=signs).discover(mdp, M)
    n_vectors = {"positive": 5, "both": 3}[signs]
    vectors = hsr.options.map_vectors(M, n_vectors)
    by_hand = hsr.eigenoptions(mdp, 5, signs=signs, vectors=vectors)
    again = hsr.OptionSet(by_hand.policy, by_hand.termination, by_hand.initiation)
    for options in (by_hand, again):
        for name in ("policy", "termination", "initiation"):
            array, expected = getattr(found, name), getattr(options, name)
            assert_array_equal(array, expected)
            assert array.dtype == expected.dtype
            assert not array.flags.writeable
    assert (found.names, found.mdp_fingerprint) == (by_hand.names, mdp.fingerprint)


@pytest.mark.parametrize(
    ("warm_up", "refresh", "times"),
    [
        (100, 50, {100: 150, 149: 150, 150: 200, 1234: 1250}),
        (0, 7, {0: 7, 6: 7, 7: 14, 20: 21}),
    ],
)
def test_refreshes_keep_to_their_calendar(warm_up, refresh, times):
    """A refresh that came late does not move the next: they stay at warm_up + k refresh."""
    online = hsr.OnlineOptions(2, warm_up=warm_up, refresh=refresh)
    assert {steps: online.next_refresh(steps) for steps in times} == times


@pytest.mark.parametrize("features", ["onehot", "few", "sr", "hsr"])
@pytest.mark.parametrize("values", ["keep", "reset"])
@pytest.mark.parametrize(
    ("update", "map_update"),
    [("chosen_and_primitives", "chosen"), ("chosen", "passed"), ("intra_option", "chosen")],
)
def test_online_options_are_those_of_the_plain_twin(features, values, update, map_update):
    tasks = [hsr.GoalTask(0, 12), hsr.GoalTask(None, 2)]
    online = hsr.OnlineOptions(3, warm_up=150, refresh=40, values=values)
    world = two_rooms(slip=0.1), online, tasks, 40
    settings = {**SETTINGS, "update": update, "map_update": map_update}
    seed = 0 if values == "keep" else 1
    run, result = check_twin(world, seed, features, settings, episodes=12)
    assert len(run.options_at[0]) >= 3
    assert result.choice_use[:, 4:].sum() > 0


@pytest.mark.parametrize("features", ["onehot", "sr", "hsr"])
@pytest.mark.parametrize(("slip", "seeds", "episodes"), [(0.0, 3, 4), (0.1, 1, 2)])
def test_a_random_choice_that_waits_for_new_options_is_that_of_the_plain_twin(
    features, slip, seeds, episodes
):
    """Exploration interrupts an option at the very step at which options are found again."""
    online = hsr.OnlineOptions(3, warm_up=20, refresh=3)
    world = two_rooms(slip=slip), online, [hsr.GoalTask(0, 12), hsr.GoalTask(None, 2)], 40
    settings = {**SETTINGS, "explore_at": "steps", "epsilon": 0.4, "update": "running"}
    for seed in range(seeds):
        _, result = check_twin(world, seed, features, settings, episodes=episodes)
        assert len(result.options) > 10


def test_before_the_warm_up_is_over_there_are_no_options():
    how = {"episodes": 3, "horizon": 300, "trajectory_of": 2}
    never, alone, late = (
        train_in(four_rooms(), hsr.LinearQ("hsr"), options=options, **how)
        for options in (
            hsr.OnlineOptions(8, warm_up=10**9),
            None,
            hsr.OnlineOptions(8, warm_up=250),
        )
    )
    assert never.steps.tobytes() == alone.steps.tobytes()
    assert never.options_at == ({}, {}, {})
    choices = late.trajectory.choice
    assert choices[:250].max() < 4 <= choices[250:].max()


@pytest.mark.parametrize("values", ["keep", "reset"])
def test_values_of_options_are_kept_or_reset(values):
    """The second set comes in the last episode: since then each choice moved one value, of those
    kept or of those reset.
    """
    agent = hsr.LinearQ(update="chosen", learning_rate=0.3, epsilon=0.5, map_learning_rate=0.2)
    online = hsr.OnlineOptions(3, warm_up=100, refresh=3000, values=values)
    world = two_rooms(slip=0.1), online, [hsr.GoalTask(0, 12)], 60

    def trained(episodes):
        return train_in(world, agent, seeds=[1], episodes=episodes, keep_values=True)

    n = int(np.searchsorted(trained(300).steps[0, 0].cumsum(), 3100))
    before, after = trained(n), trained(n + 1)
    different = changed(*after.options_at[0].values())
    assert list(before.options_at[0]) == list(after.options_at[0])[:1]
    old, new = (run.values[0, 0, 4:][different] for run in (before, after))
    assert different.any()
    assert old.any(axis=1).all()
    first = old if values == "keep" else 0.0
    assert (new != first).sum() <= after.decisions[0, 0, -1] < (old != 0.0).sum()


def test_an_option_counts_as_changed_by_what_it_does_where_it_runs():
    policy, stop = np.array([[1, 1, 1], [0, 0, 0]]), np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    old = hsr.OptionSet(policy, stop, stop == 0.0)
    never_done, done = policy.copy(), policy.copy()
    never_done[0, 2] = 3  # where the option has stopped and cannot be chosen
    done[1, 2] = 3
    earlier = stop.copy()
    earlier[1, 1] = 1.0
    elsewhere = np.array([[True, False, False], [False, True, True]])
    for new, expected in [
        ((policy, stop, stop == 0.0), [False, False]),
        ((never_done, stop, stop == 0.0), [False, False]),
        ((done, stop, stop == 0.0), [False, True]),
        ((policy, earlier, stop == 0.0), [False, True]),
        ((policy, stop, elsewhere), [True, False]),
    ]:
        new = hsr.OptionSet(*new)
        assert changed(old, new).tolist() == changed_options(old, new).tolist() == expected
    assert changed(None, old).tolist() == [True, True]


# The history of a run.


def run_with(online, kind="train", **how):
    """Return a short run of either kind with options found online."""
    mdp = two_rooms(slip=0.1)
    if kind == "explore":
        how = {"seeds": range(4), "steps": 700, **how}
        return hsr.explore(mdp, hsr.Sarsa("norm", on="sr"), online, start=0, **how)
    how = {"seeds": range(4), "episodes": 15, "horizon": 40, **how}
    return hsr.train(mdp, [hsr.GoalTask(0, 12)] * 2, hsr.LinearQ("sr", **SETTINGS), online, **how)


KINDS = pytest.mark.parametrize("kind", ["train", "explore"])
ONLINE = hsr.OnlineOptions(3, warm_up=60, refresh=50)


@KINDS
def test_the_history_does_not_depend_on_workers_or_on_what_else_is_kept(kind):
    options_at = run_with(ONLINE, kind, workers=1).options_at
    assert len(options_at) == 4
    assert all(len(history) > 4 for history in options_at)
    for how in (
        {"workers": 3},
        {"keep_maps": True, "keep_values": True},
        {"trajectory_of": 2},
        {"seeds": [3, 2, 1, 0]},
    ):
        other = run_with(ONLINE, kind, **how).options_at
        for expected, history in zip(
            options_at, other[::-1] if "seeds" in how else other, strict=True
        ):
            check_history(history, expected)


@KINDS
def test_every_set_has_the_step_from_which_on_it_can_be_chosen(kind):
    """Sets are made when they are due, or as soon as the choice has ended that was running then."""
    run = run_with(ONLINE, kind, trajectory_of=1)
    trajectory, (_, steps, *_) = run.trajectory, map(list, run.options_at)
    began = np.flatnonzero(trajectory.began)
    due = 60 + 50 * np.arange(len(steps))
    assert steps == [began[began >= step][0] for step in due]
    assert trajectory.state.size <= due[-1] + 50
    assert trajectory.choice[: steps[0]].max() < 4 <= trajectory.choice[steps[0] :].max()
    for i, options in enumerate(run.options_at[1].values()):
        end = steps[i + 1] if i + 1 < len(steps) else None
        states, actions, choices = (
            getattr(trajectory, name)[steps[i] : end] for name in ("state", "action", "choice")
        )
        of_options = choices >= 4
        assert_array_equal(
            options.policy[choices[of_options] - 4, states[of_options]], actions[of_options]
        )


@KINDS
def test_only_the_last_set_is_kept_if_that_is_wanted(kind):
    every, last = (run_with(ONLINE, kind, keep_options=keep).options_at for keep in (True, False))
    for history, kept in zip(every, last, strict=True):
        check_history(kept, dict([list(history.items())[-1]]))


def test_a_set_that_came_out_the_same_is_kept_once():
    """Frontier options depend on counts only, and there are none once every action was tried."""
    mdp = hsr.grid_mdp(hsr.random_maze(9, seed=0), discount=0.99)
    online = hsr.OnlineOptions(2, method="frontier", warm_up=0, refresh=1)
    run = hsr.explore(mdp, hsr.Sarsa("none"), online, seeds=[0], steps=600, start=0)
    sets = list(run.options_at[0].values())
    kept_once = [old is new for old, new in pairwise(sets)]
    parts = [
        (options.policy.tobytes(), options.termination.tobytes(), options.initiation.tobytes())
        for options in sets
    ]
    assert kept_once == [old == new for old, new in pairwise(parts)]
    assert sum(kept_once) > 20
    assert any(len(options) == 2 for options, same in zip(sets, kept_once, strict=False) if same)


@pytest.mark.parametrize("method", ["eigen", "frontier"])
@pytest.mark.parametrize(("n_steps", "n_sets"), [(60, 0), (61, 1), (110, 10), (111, 11)])
def test_the_bytes_of_a_history_are_those_of_its_arrays(method, n_steps, n_sets):
    online = hsr.OnlineOptions(3, method=method, warm_up=60, refresh=5)
    mdp = hsr.grid_mdp(hsr.random_maze(15, seed=0), discount=0.99)
    run = hsr.explore(mdp, hsr.Sarsa("none"), online, seeds=[3], steps=n_steps, start=0)
    parts = ("policy", "termination", "initiation")
    sizes = {
        sum(getattr(options, name).nbytes for name in parts) / len(options)
        for options in run.options_at[0].values()
    }
    assert len(run.options_at[0]) <= n_sets
    of_set = 3 * max(sizes, default=0)
    assert {3 * size for size in sizes} <= {of_set}
    assert online.bytes_of_history(mdp, n_steps) == n_sets * of_set
    assert online.bytes_of_history(mdp, n_steps, keep_all=False) == min(n_sets, 1) * of_set


@KINDS
def test_a_history_that_would_not_fit_is_refused_before_the_first_step(kind, monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 2**26)
    how = {"steps": 2_000_000} if kind == "explore" else {"episodes": 10, "horizon": 100_000}
    # 40,000 sets of 3 options in 13 states with 13 bytes each, for 4 seeds
    with pytest.raises(hsr.toolkit.TooLargeError, match=r"or keep_options=False") as refused:
        run_with(ONLINE, kind, **how)
    needed = int(str(refused.value).split(" needs ")[1].split(" bytes")[0].replace(",", ""))
    assert 1.0 <= needed / (40_000 * 3 * 13 * 13 * 4) < 1.5
    with pytest.raises(hsr.InputError, match="keep_options is 'last'; it must be True or False"):
        run_with(ONLINE, kind, keep_options="last")
