"""`explore` at its door: what it refuses, and what it gives back."""

import warnings
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import hsr


@cache
def small_mdp():
    """A ring of 10 states."""
    return hsr.grid_mdp(hsr.GridLayout.from_text("....\n.##.\n...."), discount=0.9)


@cache
def other_mdp():
    return hsr.grid_mdp(hsr.GridLayout.from_text("..."), discount=0.9)


@cache
def two_options():
    return hsr.eigenoptions(small_mdp(), 2)


@cache
def one_way():
    """2 -> 0 -> 1, and no way back."""
    return hsr.FiniteMDP.from_successors([[1, 0], [1, 1], [0, 2]], discount=0.9)


@cache
def big_mdp():
    """A dense map of it would need terabytes."""
    return hsr.grid_mdp(hsr.room_grid(90, 7), discount=0.9)


def explore(mdp=small_mdp, agent=None, options=None, **how):
    """Explore a little. MDP and options may be functions that make them."""
    how = {"seeds": range(3), "steps": 200, **how}
    mdp, options = (given() if callable(given) else given for given in (mdp, options))
    return hsr.explore(mdp, agent or hsr.Sarsa(), options, **how)


# Settings.


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"bonus": "SPIE"}, "bonus is 'SPIE'; it must be one of 'spie', "),
        ({"on": "SR"}, "on is 'SR'; it must be one of 'hsr', 'sr'"),
        ({"learning_rate": 1.5}, r"learning_rate is 1.5; it must lie in \(0, 1\]"),
        ({"epsilon": -0.1}, r"epsilon is -0.1; it must lie in \[0, 1\]"),
        ({"bonus_weight": -1.0}, "bonus_weight is -1.0; it must not be negative"),
        ({"bonus_per": "episode"}, "bonus_per is 'episode'; it must be one of 'step', 'choice'"),
        ({"bonus": "norm", "initial_map": "zero"}, "start with initial_map='identity'"),
    ],
    ids=str,
)
def test_bad_settings_are_refused(how, message):
    with pytest.raises(hsr.InputError, match=message):
        hsr.Sarsa(**how)


# Bad input.


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"mdp": "four_rooms"}, "mdp is of type str; it must be a FiniteMDP"),
        ({"agent": "spie"}, "agent is 'spie'; explore takes a Sarsa"),
        ({"agent": hsr.LinearQ()}, "explore takes a Sarsa"),
        (
            {"options": lambda: hsr.eigenoptions(other_mdp(), 1)},
            "the options are for 3 states; this MDP has 10",
        ),
        ({"seeds": [0, 1, 0]}, r"seeds\[0\] and seeds\[2\] are both 0"),
        ({"steps": 0}, "steps is 0; it must be an integer of at least 1"),
        ({"start": 10}, r"start is 10; it must lie in 0..9"),
        ({"trajectory_of": 3}, "trajectory_of is 3; it must be one of the seeds"),
        ({"task": 5}, "task is 5; it must be a GoalTask"),
        ({"task": hsr.GoalTask(None, 10)}, r"task.goal is 10; it must lie in 0..9"),
        ({"task": hsr.GoalTask(3, 3)}, "the start and the goal are both 3"),
        (
            {"mdp": one_way, "task": hsr.GoalTask(None, 0), "start": 1},
            "task.goal 0 cannot be reached from start 1",
        ),
        (
            {"mdp": one_way, "task": hsr.GoalTask(None, 2)},
            "task.goal 2 cannot be reached from any other state",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_input_is_refused(how, message):
    with pytest.raises(hsr.InputError, match=message):
        explore(**how)


@pytest.mark.parametrize(
    "how",
    [
        {"mdp": big_mdp},
        {"mdp": big_mdp, "agent": hsr.Sarsa("norm"), "keep_maps": True},
        {"mdp": big_mdp, "agent": hsr.Sarsa(None), "options": hsr.OnlineOptions()},
        {"options": two_options, "steps": 10**14},
        {"steps": 10**13, "trajectory_of": 0},
    ],
    ids=["map", "kept map", "map for options", "path", "trajectory"],
)
def test_what_would_not_fit_is_refused_before_it_is_tried(how):
    with pytest.raises(
        hsr.toolkit.TooLargeError, match=r"bytes .* are available; use fewer workers"
    ):
        explore(**how)


def test_more_options_than_fit_are_refused_before_tables_are_made():
    online, said = hsr.OnlineOptions(10**12, method="frontier"), "use fewer options"
    with pytest.raises(hsr.toolkit.TooLargeError, match=said):
        explore(options=online)
    with pytest.raises(hsr.toolkit.TooLargeError, match=said):
        hsr.train(small_mdp(), [hsr.GoalTask(0, 3)], hsr.LinearQ(), online, seeds=[0])


def test_the_norm_of_rows_needs_no_map():
    run = explore(big_mdp(), hsr.Sarsa("norm", on="sr"), start=0, steps=5000)
    assert run.visits.sum() == 15_000
    assert run.status.tolist() == ["ok"] * 3


# Results.


@pytest.fixture(scope="module")
def run():
    """A run with a goal and everything kept."""
    keep = {"keep_maps": True, "keep_values": True, "trajectory_of": 2}
    how = {"steps": 500, "task": hsr.GoalTask(0, 9), "seeds": [4, 2, 7], **keep}
    return explore(small_mdp(), hsr.Sarsa(epsilon=0.9), two_options(), **how)


def test_what_happened_is_what_the_trajectory_says(run):
    """Every result of the traced seed, counted again from its steps."""
    steps, i = run.trajectory, 1
    assert len(steps) == run.steps == 500
    seen, first, coverage = {0}, {0: 0}, []
    for t, state in enumerate(steps.arrival.tolist()):
        first.setdefault(state, t + 1)
        seen.add(state)
        coverage.append(len(seen) / 10)
    assert_array_equal(run.coverage[i], coverage)
    assert run.first_visit[i].tolist() == [first.get(s, -1) for s in range(10)]
    assert run.visits[i].tolist() == np.bincount(steps.arrival, minlength=10).tolist()
    assert (
        run.choice_use[i].tolist() == np.bincount(steps.choice[steps.began], minlength=6).tolist()
    )
    assert run.decisions[i] == steps.began.sum()
    entered = np.flatnonzero(steps.arrival == 9)
    assert (run.goals[i], run.goal_time[i]) == (entered.size, entered[0] + 1)
    assert run.goals[i] > 2
    episode = np.concatenate([[0], np.cumsum(steps.arrival == 9)[:-1]])
    assert_array_equal(steps.episode, episode)
    begins = np.concatenate([[0], entered[:-1] + 1])
    assert (steps.state[begins] == 0).all()
    assert steps.began[begins].all()
    follows = np.delete(np.arange(1, 500), entered[entered < 499])
    assert_array_equal(steps.state[follows], steps.arrival[follows - 1])
    moves = small_mdp().successors[steps.state, steps.action]
    assert_array_equal(moves, steps.arrival)
    primitive = steps.choice < 4
    assert_array_equal(steps.action[primitive], steps.choice[primitive])
    option = np.flatnonzero(~primitive)
    assert_array_equal(
        steps.action[option], two_options().actions[steps.choice[option] - 4, steps.state[option]]
    )
    assert not steps.task.any()


def test_shapes_kinds_and_what_is_left_out(run):
    assert run.seeds == (4, 2, 7)
    assert run.maps.shape == (3, 10, 10)
    assert run.values.shape == (3, 6, 10)
    assert run.coverage.shape == (3, 500)
    assert run.status.tolist() == ["ok"] * 3
    assert run.diverged_at.tolist() == [-1] * 3
    assert run.options_at == ()
    assert (run.visits.sum(axis=1) == 500).all()
    free = explore()
    assert free.goal_time.tolist() == [-1] * 3
    assert free.goals.tolist() == [0] * 3
    assert (free.maps, free.values, free.trajectory) == (None, None, None)
    assert ((free.first_visit == 0).sum(axis=1) == 1).all()
    assert (np.diff(free.coverage, axis=1) >= 0).all()


def test_coverage_never_seen_states_and_a_goal_never_found():
    """From state 0 of a one-way street there are two states to see, and its third one is nowhere to
    be found.
    """
    run = explore(one_way(), hsr.Sarsa(epsilon=1.0), start=0, steps=50)
    assert run.first_visit[:, 2].tolist() == [-1] * 3
    assert_array_equal(run.coverage[:, -1], 2 / 3)
    far = hsr.grid_mdp(hsr.GridLayout.from_text("." * 40), discount=0.9)
    run = explore(far, hsr.Sarsa(None), task=hsr.GoalTask(0, 39), steps=30)
    assert run.goal_time.tolist() == [-1] * 3
    assert run.goals.tolist() == [0] * 3


def test_a_start_of_one_s_own_replaces_the_task_s():
    run = explore(task=hsr.GoalTask(0, 9), start=4)
    assert_array_equal(run.first_visit[:, 4], 0)
    assert (run.first_visit[:, 0] != 0).all()


def test_labelled_arrays_say_the_same(run):
    data = run.to_xarray()
    sizes = {"seed": 3, "state": 10, "time": 500, "choice": 6, "future_state": 10}
    assert dict(data.sizes) == sizes
    names = "first_visit visits goal_time goals decisions choice_use status diverged_at coverage"
    for name in names.split():
        assert_array_equal(data[name], getattr(run, name))
    assert data.seed.values.tolist() == [4, 2, 7]
    assert data.time.values[[0, -1]].tolist() == [1, 500]
    assert float(data.coverage.sel(seed=2, time=500)) == run.coverage[1, -1]
    assert_array_equal(data.maps.sel(seed=7), run.maps[2])
    assert_array_equal(data["values"].sel(seed=7), run.values[2])
    assert "maps" not in explore().to_xarray()


# Values that are no longer finite.


def test_a_seed_that_diverges_ends_there_and_leaves_the_others_alone():
    """State 0 stays: nothing is new to SPIE. States 1 and 2 take turns, and a weight of 1e308 is
    more than a number holds.
    """
    mdp = hsr.FiniteMDP.from_successors([[0], [2], [1]], discount=0.9)
    agent = hsr.Sarsa(bonus_weight=1e308, map_learning_rate=0.5, on="sr")
    said = r"diverged, the first of them seed \d+ after \d+ steps; a smaller bonus_weight"
    how = {"steps": 300, "keep_values": True, "keep_maps": True}
    with pytest.warns(hsr.HSRWarning, match=said):
        run = hsr.explore(mdp, agent, seeds=range(12), **how)
    still = run.first_visit[:, 0] == 0
    assert 0 < still.sum() < 12
    assert run.status.tolist() == ["ok" if s else "diverged" for s in still]
    assert_array_equal(run.diverged_at[still], -1)
    assert_array_equal(run.visits[still, 0], 300)
    assert_array_equal(run.visits[~still].sum(axis=1), run.diverged_at[~still])
    assert (run.diverged_at[~still] > 0).all()
    assert (run.diverged_at[~still] < 300).all()
    assert np.isfinite(run.maps).all()
    seed = int(np.flatnonzero(still)[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        alone = hsr.explore(mdp, agent, seeds=[seed], **how)
    assert alone.values[0].tobytes() == run.values[seed].tobytes()
    bad = int(np.flatnonzero(~still)[0])
    with pytest.warns(hsr.HSRWarning, match=f"1 of 1 seeds diverged, the first of them seed {bad}"):
        traced = hsr.explore(mdp, agent, seeds=[bad], steps=300, trajectory_of=bad)
    assert len(traced.trajectory) == run.diverged_at[bad]
    assert_array_equal(traced.coverage[0, -1], 2 / 3)


def test_values_can_leave_the_numbers_in_the_step_that_enters_the_goal():
    """From 0 and from 2 one can enter 1; once the one has led there, entering it from the other
    costs 1.81 times the weight.
    """
    mdp = hsr.FiniteMDP.from_successors([[1, 2], [1, 1], [1, 2]], discount=0.9)
    agent = hsr.Sarsa(bonus_weight=1.5e308, learning_rate=1.0, map_learning_rate=1.0, epsilon=1.0)
    last = []
    for seed in range(10):
        how = {"steps": 100, "task": hsr.GoalTask(0, 1), "trajectory_of": seed}
        with pytest.warns(hsr.HSRWarning, match="1 of 1 seeds diverged"):
            run = hsr.explore(mdp, agent, seeds=[seed], **how)
        last.append(int(run.trajectory.arrival[-1]))
        assert run.goals[0] == (run.trajectory.arrival == 1).sum()
    assert set(last) == {1, 2}
