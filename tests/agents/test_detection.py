"""Agents that detect changes of their world in the errors of their maps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import hsr
from hsr.agents.detection import RESPONSES, cut_after
from tests.agents.sarsa_cases import steps_of
from tests.cases import cases, raises
from tests.oracles.plain_detection import cumulative_sum
from tests.oracles.plain_linear_q import train_plainly
from tests.oracles.plain_sarsa import explore_plainly

LAYOUT = hsr.GridLayout.from_text("#######\n#..#..#\n#.....#\n#..#..#\n#..#..#\n#.....#\n#######")
MDP = hsr.grid_mdp(LAYOUT, discount=0.9)
DOOR = LAYOUT.state_at(2, 3)
CLOSED = hsr.grid_mdp(LAYOUT, discount=0.9, closed=[DOOR])
TASKS = [hsr.GoalTask(0, LAYOUT.state_at(1, 5)), hsr.GoalTask(0, LAYOUT.state_at(4, 5))]
OPTIONS = hsr.eigenoptions(MDP, 4, signs="both")
REPAIRED = hsr.options.repair_options(OPTIONS, CLOSED)
ONLINE = hsr.OnlineOptions(3, warm_up=50, refresh=60)
# An impatient detector, so that a short run has many detections.
QUICK = {"threshold": 0.03, "allowance": 0.0, "patience": 2, "rate": 0.3, "duration": 40}
TRAINED = ("steps", "decisions", "choice_use", "first_visit", "maps", "values", "coverage")
EXPLORED = ("first_visit", "visits", "choice_use", "maps", "values")


def rows_of(run):
    """Return what a run has detected as the twins write it."""
    return [tuple(map(int, row))[1:] for row in run.detected]


def learner(features="hsr", **how):
    how = {"learning_rate": 0.02, "map_learning_rate": 0.1, "tie_tolerance": 1e-9, **how}
    return hsr.LinearQ(features, **how)


def train(agent, options=OPTIONS, schedule=None, seeds=(3,), **how):
    how = {"episodes": 6, "horizon": 80, "keep_values": True, "keep_maps": True, **how}
    return hsr.train(MDP, TASKS, agent, options, seeds=seeds, schedule=schedule, **how)


def explore(agent, options=OPTIONS, schedule=None, seeds=(3,), **how):
    how = {"steps": 600, "keep_values": True, "keep_maps": True, "start": 0, **how}
    return hsr.explore(MDP, agent, options, seeds=seeds, schedule=schedule, **how)


AGENTS = {
    "HSR": (learner, OPTIONS),
    "HSR, passed rows": (lambda **how: learner(map_update="passed", **how), OPTIONS),
    "HSR, values of choices": (lambda **how: learner(update="chosen", **how), OPTIONS),
    "HSR of another discount": (
        lambda **how: learner(update="chosen", map_discount=0.8, **how),
        OPTIONS,
    ),
    "SR": (lambda **how: learner("sr", **how), None),
    "SR with options": (lambda **how: learner("sr", **how), OPTIONS),
    "online options": (lambda **how: learner("hsr", **how), ONLINE),
    "online options of a one-hot agent": (lambda **how: learner("onehot", **how), ONLINE),
    "zero map": (lambda **how: learner("sr", initial_map="zero", **how), None),
}


def with_responses(agents, of_all):
    """Return cases with each response for the agents named, and with one response for others."""
    return {
        f"{name}, {response}": (*case, response)
        for name, case in agents.items()
        for response in (RESPONSES if name in of_all else ["restart_part"])
    }


@cases("make, options, response", with_responses(AGENTS, ("HSR", "SR with options")))
def test_training_is_that_of_plain_python(make, options, response):
    agent = make(detector=hsr.ChangeDetector(response, **QUICK))
    online, given = isinstance(options, hsr.OnlineOptions), options is OPTIONS
    schedule = hsr.Schedule({4: CLOSED, 9: MDP}, options="repaired" if given else "fixed")
    run = train(agent, options, schedule)
    by_hand = {4: (CLOSED, REPAIRED if given else None), 9: (MDP, OPTIONS if given else None)}
    twin = train_plainly(
        MDP,
        TASKS,
        3,
        agent,
        episodes=6,
        horizon=80,
        changes={} if online else by_hand,
        **{"online" if online else "options": options},
    )
    if online:
        run = train(agent, options)
    assert twin.detected
    assert rows_of(run) == twin.detected
    assert_array_equal(run.steps[0], twin.steps)
    assert_array_equal(run.choice_use[0], twin.choice_use)
    assert_allclose(run.maps[0], twin.sr if twin.hsr[0] is None else twin.hsr, atol=1e-10)
    assert_allclose(run.values[0], twin.values, atol=1e-10)


SARSAS = {
    "SPIE, HSR": ("spie", "hsr", OPTIONS, None),
    "SPIE, SR": ("spie", "sr", OPTIONS, None),
    "SPIE-L1, no options": ("spie_l1", "sr", None, TASKS[0]),
    "norm": ("norm", "hsr", OPTIONS, TASKS[0]),
    "no bonus": (None, "hsr", OPTIONS, None),
    "online options": ("spie", "hsr", ONLINE, None),
}


UNWATCHED = {f"{name}, no detector": (*case, None) for name, case in SARSAS.items()}


@cases(
    "bonus, on, options, task, response",
    UNWATCHED | with_responses(SARSAS, ("SPIE, HSR", "SPIE-L1, no options")),
)
def test_exploring_a_changing_world_is_that_of_plain_python(bonus, on, options, task, response):
    how = {"learning_rate": 0.1, "map_learning_rate": 0.15, "epsilon": 0.2, "tie_tolerance": 1e-9}
    detector = None if response is None else hsr.ChangeDetector(response, **QUICK)
    agent = hsr.Sarsa(bonus, on, detector=detector, **how)
    given = options is OPTIONS
    schedule = hsr.Schedule({200: CLOSED, 400: MDP}, options="repaired" if given else "fixed")
    by_hand = {200: (CLOSED, REPAIRED if given else None), 400: (MDP, OPTIONS if given else None)}
    run = explore(agent, options, schedule, task=task, trajectory_of=3, steps=800)
    goal = None if task is None else task.goal
    twin = explore_plainly(
        MDP, agent, options, seed=3, steps=800, start=0, goal=goal, changes=by_hand
    )
    assert_array_equal(steps_of(run.trajectory), twin.trace)
    assert_allclose(run.maps[0], twin.map, atol=1e-10)
    assert_allclose(run.values[0], twin.Q.T, atol=1e-10)
    if response is None:
        assert run.detected is None
    else:
        assert rows_of(run) == twin.detected
        assert len(twin.detected) >= 2


def equal(one, other, arrays):
    return all(getattr(one, name).tobytes() == getattr(other, name).tobytes() for name in arrays)


@cases(
    "features, options", {"SR": ("sr", None), "HSR": ("hsr", OPTIONS), "online": ("hsr", ONLINE)}
)
def test_an_agent_that_only_records_is_the_one_without_a_detector(features, options):
    schedule = hsr.Schedule({4: CLOSED})
    watching = learner(features, detector=hsr.ChangeDetector("keep", **QUICK))
    run = train(watching, options, schedule)
    assert run.detected.size
    former = train(learner(features), options, schedule)
    assert equal(run, former, TRAINED)
    assert former.detected is None


@cases("bonus, on, options, task", SARSAS)
def test_an_explorer_that_only_records_is_the_one_without_a_detector(bonus, on, options, task):
    """An alarm draws no number and rounds no sum anew."""
    how = {"learning_rate": 0.1, "map_learning_rate": 0.15, "epsilon": 0.2}
    schedule = hsr.Schedule({200: CLOSED}, options="repaired" if options is OPTIONS else "fixed")
    watching = hsr.Sarsa(bonus, on, detector=hsr.ChangeDetector("keep", **QUICK), **how)
    run = explore(watching, options, schedule, task=task, steps=1000)
    assert len(run.detected) >= 2
    former = explore(hsr.Sarsa(bonus, on, **how), options, schedule, task=task, steps=1000)
    assert equal(run, former, EXPLORED)
    assert former.detected is None


def test_detections_do_not_depend_on_other_seeds_or_on_evaluations():
    agent = learner("sr", detector=hsr.ChangeDetector("restart", **QUICK))
    several = train(agent, None, seeds=[5, 3, 4], evaluate="episodes", workers=2)
    alone = train(agent, None, seeds=[3])
    assert rows_of(alone) == [tuple(row)[1:] for row in several.detected if row["seed"] == 1]
    assert set(several.detected["seed"]) == {0, 1, 2}


def test_a_closed_door_is_detected_where_it_is_missed():
    """A corridor that the agent knows, in which the next cell can no longer be entered."""
    corridor = hsr.GridLayout.from_text(".......\n.#####.\n.......")
    mdp = hsr.grid_mdp(corridor, discount=0.9)
    closed = hsr.grid_mdp(corridor, discount=0.9, closed=[3])
    agent = hsr.LinearQ(
        "sr", learning_rate=0.05, map_learning_rate=0.1, detector=hsr.ChangeDetector(threshold=0.5)
    )
    schedule = hsr.Schedule({60: closed})
    run = hsr.train(
        mdp, [hsr.GoalTask(0, 6)], agent, seeds=[1], episodes=70, horizon=300, schedule=schedule
    )
    first = run.detected[run.detected["episode"] >= 60][0]
    right = 1
    assert first["episode"] == 60
    assert (first["state"], first["choice"]) == (2, right)


def test_the_sum_of_a_lasting_rise_is_the_closed_form():
    """After n errors of 0.2, errors of 0.5 exceed a mean that follows them geometrically."""
    spec = hsr.ChangeDetector(history_rate=0.25, allowance=0.0, patience=3)
    for k in range(1, 6):
        z = cumulative_sum([0.2] * 30 + [0.5] * k, spec)
        assert z == pytest.approx(0.3 * (1 - 0.75**k) / 0.25)


def test_a_map_that_is_cut_is_that_of_a_world_that_ends_there():
    P = np.full((4, 4), 0.25)
    s, gamma = 2, 0.9
    M = np.linalg.inv(np.eye(4) - gamma * P)
    P[s] = 0.0
    cut_after(M, s, np.eye(4))
    assert_allclose(M, np.linalg.inv(np.eye(4) - gamma * P), atol=1e-12)


BAD = {
    "response": (lambda: hsr.ChangeDetector("reset"), "response is 'reset'; it must be one of"),
    "threshold": (lambda: hsr.ChangeDetector(threshold=0), "threshold is 0; it must lie in"),
    "a word": (lambda: hsr.LinearQ("sr", detector="restart"), "it must be a ChangeDetector"),
    "no map": (
        lambda: train(learner("onehot", detector=hsr.ChangeDetector()), keep_maps=False),
        "detector is given, but features are 'onehot' and no map is learned",
    ),
    "intra-option": (
        lambda: learner(map_update="intra_option", detector=hsr.ChangeDetector()),
        "map_update is 'intra_option' and a detector is given",
    ),
}


@cases("call, words", BAD)
def test_bad_input(call, words):
    with raises(words):
        call()
