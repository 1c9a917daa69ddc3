"""Agents in worlds that change."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from tests.cases import cases, raises
from tests.oracles.plain_linear_q import train_plainly


@cache
def layout():
    return hsr.GridLayout.from_text("#######\n#..#..#\n#.....#\n#..#..#\n#..#..#\n#.....#\n#######")


@cache
def open_mdp():
    return hsr.grid_mdp(layout(), discount=0.9)


@cache
def door():
    return layout().state_at(2, 3)


@cache
def closed_mdp():
    return hsr.grid_mdp(layout(), discount=0.9, closed=[door()])


@cache
def windy_mdp():
    return hsr.grid_mdp(layout(), discount=0.9, wind=("left", 0.3))


@cache
def two_tasks():
    return [hsr.GoalTask(0, layout().state_at(1, 5)), hsr.GoalTask(0, layout().state_at(4, 5))]


@cache
def four_options():
    return hsr.eigenoptions(open_mdp(), 4, signs="both")


ONLINE = hsr.OnlineOptions(3, warm_up=50, refresh=60)
FRONTIER = hsr.OnlineOptions(3, warm_up=50, refresh=60, method="frontier")
ARRAYS = ("steps", "decisions", "choice_use", "first_visit", "maps", "values", "coverage")


def train(schedule=None, agent=None, options=four_options, **how):
    options = options() if callable(options) else options
    how = {"seeds": [0, 1], "episodes": 6, "horizon": 80, "keep_values": True, **how}
    agent = agent or hsr.LinearQ("hsr", learning_rate=0.2, map_learning_rate=0.1)
    keeps = {"keep_maps": True} if agent.learns_features else {}
    return hsr.train(open_mdp(), two_tasks(), agent, options, schedule=schedule, **keeps, **how)


def explore(schedule=None, options=four_options, **how):
    options = options() if callable(options) else options
    agent = hsr.Sarsa("spie", "hsr", learning_rate=0.2, map_learning_rate=0.1)
    how = {"seeds": [0, 1], "steps": 600, "keep_maps": True, "keep_values": True, **how}
    return hsr.explore(open_mdp(), agent, options, schedule=schedule, **how)


def equal(one, other, arrays=ARRAYS):
    """Return whether two runs have the same bytes."""
    return all(
        np.asarray(getattr(one, name)).tobytes() == np.asarray(getattr(other, name)).tobytes()
        for name in arrays
    )


UNCHANGED = {
    "no change": lambda: hsr.Schedule({}),
    "the same MDP": lambda: hsr.Schedule({3: open_mdp(), 7: open_mdp()}, options="repaired"),
    "an equal MDP": lambda: hsr.Schedule({3: hsr.grid_mdp(layout(), discount=0.9)}),
}


@cases("schedule", UNCHANGED)
def test_an_unchanged_schedule_gives_the_same_bytes(schedule):
    assert equal(train(schedule()), train())
    assert equal(explore(schedule()), explore(), ("first_visit", "visits", "maps", "values"))


@cases("online", {"eigen": ONLINE, "frontier": FRONTIER})
def test_an_unchanged_schedule_of_online_options_gives_the_same_bytes(online):
    schedule = hsr.Schedule({3: open_mdp()})
    assert equal(train(schedule, options=online), train(options=online))
    parts = ("first_visit", "visits", "maps", "values")
    assert equal(explore(schedule, options=online), explore(options=online), parts)


def test_nothing_differs_before_the_change():
    changed, unchanged = train(hsr.Schedule({8: closed_mdp()})), train()
    assert_array_equal(changed.steps[:, 0], unchanged.steps[:, 0])
    assert_array_equal(changed.maps[:, 0], unchanged.maps[:, 0])
    assert_array_equal(changed.steps[:, 1, :2], unchanged.steps[:, 1, :2])
    assert not np.array_equal(changed.steps[:, 1, 2:], unchanged.steps[:, 1, 2:])


@cache
def repaired():
    return hsr.options.repair_options(four_options(), closed_mdp())


@cache
def remade():
    return hsr.eigenoptions(closed_mdp(), 4, signs="both")


BY_HAND = {
    "fixed": ({4: closed_mdp, 9: open_mdp}, "fixed", {4: four_options, 9: four_options}),
    "repaired": ({4: closed_mdp, 9: open_mdp}, "repaired", {4: repaired, 9: four_options}),
    "remade": ({4: closed_mdp}, lambda mdp: remade(), {4: remade}),
    "wind": ({4: windy_mdp, 9: open_mdp}, "fixed", {4: four_options, 9: four_options}),
}


@cases("changes, kept, by_hand", BY_HAND)
@pytest.mark.parametrize("map_update", ["chosen", "intra_option"])
def test_a_changed_run_is_that_of_plain_python(changes, kept, by_hand, map_update):
    agent = hsr.LinearQ(
        "hsr",
        learning_rate=0.02,  # small, because updates by long features amplify rounding
        map_learning_rate=0.1,
        map_update=map_update,
        tie_tolerance=1e-9,  # above the rounding of sums, whose order differs
    )
    changes = {time: mdp() for time, mdp in changes.items()}
    by_hand = {time: (changes[time], options()) for time, options in by_hand.items()}
    run = train(hsr.Schedule(changes, options=kept), agent, seeds=[3])
    twin = train_plainly(
        open_mdp(),
        two_tasks(),
        3,
        agent,
        episodes=6,
        horizon=80,
        changes=by_hand,
        options=four_options(),
    )
    assert_array_equal(run.steps[0], twin.steps)
    assert_array_equal(run.choice_use[0], twin.choice_use)
    assert_allclose(run.maps[0], twin.hsr, atol=1e-10)
    assert_allclose(run.values[0], twin.values, atol=1e-10)


def test_a_closed_door_is_not_entered():
    run = train(hsr.Schedule({6: closed_mdp()}), trajectory_of=0)
    after = run.trajectory.task == 1
    assert door() in run.trajectory.arrival[~after]
    assert door() not in run.trajectory.arrival[after]


@cases("options", {"given": four_options, "none": None, "online": ONLINE, "frontier": FRONTIER})
def test_the_world_changes_before_the_first_choice_at_or_after_a_step(options):
    path, former = (
        explore(schedule, options, trajectory_of=0, start=door()).trajectory
        for schedule in (hsr.Schedule({300: closed_mdp()}), None)
    )
    assert_array_equal(path.arrival[:300], former.arrival[:300])
    begins = 300 + int(np.argmax(path.began[300:]))
    assert door() in path.arrival[:begins]
    assert door() not in path.arrival[begins:]
    assert door() in former.arrival[begins:]


def test_agents_believe_what_they_saw_until_they_see_it_otherwise():
    """A corridor in which the middle is closed after all of it was seen."""
    from hsr.agents.frontier import experience_of
    from hsr.agents.online import OptionFinder
    from hsr.agents.tables import tables_of

    corridor = hsr.GridLayout.from_text(".....")
    mdp, closed = hsr.grid_mdp(corridor), hsr.grid_mdp(corridor, closed=[2])
    finder = OptionFinder(FRONTIER, mdp, tables_of(mdp, None, FRONTIER.n_options))
    finder.tables.seen[:] = 5

    def believed():
        experience = experience_of(mdp, finder.counts)
        assert (experience.tried > 0).all()
        return experience.known.successors

    finder.change_mdp(closed, tables_of(closed, None, FRONTIER.n_options))
    assert_array_equal(believed(), mdp.successors)
    finder.find(np.eye(5))
    assert len(finder.options) == 0  # nothing seems untried
    finder.tables.seen[1 * 4 + 1] = 1  # right from cell 1, into the closed cell
    assert believed()[1, 1] == 1
    assert believed()[3, 3] == 2  # left from cell 3 was not taken since
    finder.change_mdp(mdp, tables_of(mdp, None, FRONTIER.n_options))
    assert believed()[1, 1] == 1  # not taken since it opened
    assert believed()[3, 3] == 2


def test_what_was_seen_is_counted_without_touching_the_tables_of_the_world():
    from hsr.agents.frontier import counts_of
    from hsr.agents.tables import tables_of

    tables = tables_of(open_mdp(), None)
    seen = np.zeros(tables.arrival.size, dtype=np.int32)
    seen[::3] = 2
    counts = counts_of(open_mdp().n_states, tables, seen, None)
    assert counts.nnz == np.count_nonzero(seen)
    for now, before in zip(tables[:3], tables_of(open_mdp(), None)[:3], strict=True):
        assert_array_equal(now, before)


@cache
def small_mdp():
    return hsr.grid_mdp(hsr.GridLayout.from_text("..."), discount=0.9)


@cache
def apart():
    return hsr.grid_mdp(layout(), discount=0.9, closed=[door(), layout().state_at(5, 3)])


BAD = {
    "time 0": (lambda: hsr.Schedule({0: closed_mdp()}), "a time of changes is 0; it must be"),
    "no mapping": (lambda: hsr.Schedule([closed_mdp()]), "it must be a mapping from times to MDPs"),
    "other states": (
        lambda: train(hsr.Schedule({3: small_mdp()})),
        r"schedule.changes\[3\] has n_states 3 and mdp has 22",
    ),
    "after the last episode": (
        lambda: train(hsr.Schedule({12: closed_mdp()})),
        "schedule changes the MDP at 12; there are only 12 episodes, counted from 0",
    ),
    "a goal cut off": (
        lambda: train(hsr.Schedule({8: apart()})),
        r"tasks\[1\] after the change at episode 8: task.goal .* cannot be reached",
    ),
    "a goal cut off from the start": (
        lambda: explore(hsr.Schedule({8: apart()}), task=two_tasks()[0]),
        "cannot be reached from start 0 after the change at step 8",
    ),
    "rewards of another MDP": (
        lambda: hsr.train(
            open_mdp(),
            hsr.reward_tasks(open_mdp(), 1),
            hsr.LinearQ(),
            seeds=[0],
            schedule=hsr.Schedule({3: closed_mdp()}),
        ),
        r"tasks\[0\] after the change at episode 3: this RewardTask .* if the MDP changes",
    ),
    "explored rewards of another MDP": (
        lambda: explore(hsr.Schedule({8: apart()}), task=hsr.reward_tasks(open_mdp(), 1)[0]),
        "use a GoalTask if the MDP changes",
    ),
    "no schedule": (lambda: train({3: closed_mdp()}), "it must be a Schedule, such as"),
    "repair online options": (
        lambda: train(hsr.Schedule({3: closed_mdp()}, options="repaired"), options=ONLINE),
        "they are found online and adapt by themselves",
    ),
    "too many options": (
        lambda: train(
            hsr.Schedule({3: closed_mdp()}, options=lambda mdp: hsr.eigenoptions(mdp, 6))
        ),
        "returned 6 options for the change at 3; at the beginning there were 4",
    ),
}


@cases("call, words", BAD)
def test_bad_input(call, words):
    with raises(words):
        call()


def test_a_task_that_ended_before_may_be_cut_off():
    lasting = hsr.GoalTask(0, layout().state_at(4, 1))
    run = hsr.train(
        open_mdp(),
        [two_tasks()[0], lasting],
        hsr.LinearQ(),
        seeds=[0],
        episodes=2,
        schedule=hsr.Schedule({2: apart()}),
    )
    assert run.terminated.all()
