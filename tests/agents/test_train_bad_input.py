"""Documented mistakes in calls of `train` get a sentence before anything is run."""

from functools import cache, partial

import numpy as np
import pytest

import hsr
from hsr._base import memory
from hsr.agents.training import api as training
from hsr.kernels import linear_q
from tests.agents.training_bytes import bytes_of
from tests.cases import cases, raises
from tests.oracles.agent_worlds import corridor, four_rooms, fractional, two_rooms


@cache
def mdp_of_two_rooms():
    return two_rooms()


TASK = hsr.GoalTask(0, 12)
HOLE = np.where(np.arange(26).reshape(13, 2) == 5, np.nan, 1.0)


@cache
def two_parts():
    return hsr.FiniteMDP.from_successors([[1, 0], [0, 1], [2, 2]], discount=0.9)


def train(mdp=None, tasks=(TASK,), agent=None, options=None, **how):
    """Call `train` with good arguments, except what a test makes bad."""
    mdp = mdp_of_two_rooms() if mdp is None else mdp
    how = {"seeds": [0], "episodes": 1, "horizon": 5, **how}
    return hsr.train(mdp, tasks, hsr.LinearQ() if agent is None else agent, options, **how)


def with_features(features):
    return partial(train, agent=hsr.LinearQ(features))


def with_task(start, goal, mdp=mdp_of_two_rooms):
    return lambda: train(mdp(), [hsr.GoalTask(start, goal)])


REFUSED = {
    "evaluate": (partial(train, evaluate="steps"), "evaluate is 'steps'.*'tasks', 'episodes'"),
    "until 1": (partial(train, until=1.0), "until is 1.0; it must be a number greater than 1"),
    "until without a start": (
        partial(train, tasks=[TASK, hsr.GoalTask(None, 3)], until=1.5, horizon=20),
        r"until is 1.5, but tasks\[1\] has no start",
    ),
    "a horizon below the criterion": (
        partial(train, until=1.5),
        r"horizon is 5; .* at least 9 for tasks\[0\], whose goal is 6 steps away",
    ),
    "features of another size": (with_features(np.eye(5)), r"features has shape \(5, 5\)"),
    "features with a hole": (with_features(HOLE), r"features\[2, 1\] is nan"),
    "long features": (with_features(np.full((13, 1), 1e60)), r"features\[0\] has squared length"),
    "an unfitted basis": (with_features(hsr.SVDBasis(2)), "SVDBasis.*fit"),
    "a map of another world": (
        lambda: with_features(hsr.successor_representation(two_parts()))(),
        "features has 3 states.*13",
    ),
    "an unknown word": (lambda: hsr.LinearQ("svd"), "features is 'svd'.*'onehot', 'sr', 'hsr'"),
    "a rate": (lambda: hsr.LinearQ(learning_rate=1.5), "learning_rate is 1.5"),
    "an epsilon": (lambda: hsr.LinearQ(epsilon=-0.1), "epsilon is -0.1"),
    "an update": (lambda: hsr.LinearQ(update="sarsa"), "update is 'sarsa'.*one of"),
    "a dual form of live rows": (lambda: hsr.LinearQ("hsr", form="dual"), "form is 'dual'.*'hsr'"),
    "no tasks": (partial(train, tasks=[]), "tasks is .*at least one GoalTask"),
    "a task alone": (partial(train, tasks=TASK), "tasks is .*at least one GoalTask"),
    "tasks by number": (partial(train, tasks=[3]), "task is 3; it must be a GoalTask"),
    "a start in the goal": (with_task(4, 4), r"tasks\[0\] starts in its own goal 4"),
    "a goal out of reach": (
        with_task(0, 2, two_parts),
        "goal 2 cannot be reached from .*start 0",
    ),
    "a goal that nobody reaches": (with_task(None, 2, two_parts), "goal 2, which no other state"),
    "a goal that does not exist": (with_task(0, 13), r"goal is 13; it must lie in 0\.\.12"),
    "a layout for a world": (lambda: train(hsr.load_layout("loop")), "mdp is .*GridLayout"),
    "a word for an agent": (partial(train, agent="onehot"), "agent is 'onehot'; train takes"),
    "no agent": (partial(train, agent={}), "agent is an empty mapping"),
    "options of another world": (
        lambda: train(options=hsr.eigenoptions(four_rooms()[0], 2)),
        "options are for 104 states; this MDP has 13",
    ),
    "a list of options": (partial(train, options=[1]), "options is list; it must be an OptionSet"),
    "random options for intra-option learning": (
        lambda: train(agent=hsr.LinearQ(update="intra_option"), options=fractional()[1]),
        "update is 'intra_option' and some option's policy is random",
    ),
    "more options than a map has vectors": (
        lambda: train(options=hsr.OnlineOptions(13)),
        "n_options is 13 .*has 12",
    ),
    "no online options": (lambda: hsr.OnlineOptions(0), "n_options is 0"),
    "no seeds": (partial(train, seeds=[]), "seeds is empty"),
    "a repeated seed": (partial(train, seeds=[3, 1, 3]), r"seeds\[0\] and seeds\[2\] are both 3"),
    "one seed for a list": (partial(train, seeds=5), "seeds is 5; it must be a list of integers"),
    "a negative seed": (partial(train, seeds=[3, -1]), r"seeds\[1\] is -1"),
    "no episodes": (partial(train, episodes=0), "episodes is 0"),
    "more episodes than can be counted": (partial(train, episodes=10**20), "episodes is 1000.*at"),
    "half a step": (partial(train, horizon=1.5), "horizon is 1.5"),
    "no workers": (partial(train, workers=0), "workers is 0"),
    "a trajectory of another seed": (partial(train, trajectory_of=7), "trajectory_of is 7"),
    "maps of an agent without one": (partial(train, keep_maps=True), "keep_maps .*no map"),
    "nothing to improve on": (lambda: hsr.GPI(pretraining=[]), "pretraining must be a list"),
    "an unknown reward": (
        lambda: hsr.GPI(pretraining=[TASK], reward="given"),
        "reward is 'given'.*'found', 'regressed'",
    ),
    "pre-training elsewhere": (
        lambda: train(agent=hsr.GPI(pretraining=[hsr.GoalTask(None, 50)])),
        "goal is 50",
    ),
}


@cases("call, words", REFUSED)
def test_mistakes_get_a_sentence_before_anything_is_run(call, words, monkeypatch):
    def nothing_may_run(*args, **how):
        raise AssertionError("work was begun")

    monkeypatch.setattr(training, "run_all", nothing_may_run)
    with raises(words):
        call()


def test_integers_need_no_kernel_of_their_own():
    """A user who writes 0 for 0.0 does not wait for a compiler, and gets the same bytes."""
    settings = {"learning_rate": 1, "map_learning_rate": 1, "epsilon": 0, "tie_tolerance": 0}
    runs, kernels = [], []
    for kind in (float, int, np.float32):
        agent = hsr.LinearQ("hsr", **{name: kind(x) for name, x in settings.items()})
        runs.append(bytes_of(train(agent=agent, options=hsr.eigenoptions(mdp_of_two_rooms(), 2))))
        kernels.append(len(linear_q.learn.signatures))
    assert runs[0] == runs[1] == runs[2]
    assert len(set(kernels)) == 1


TOO_LARGE = {
    "maps": (
        {"agent": hsr.LinearQ("sr"), "seeds": range(100_000), "keep_maps": True},
        8 * 100_000 * 13 * 13,
    ),
    "values": ({"seeds": range(1_000_000), "keep_values": True}, 8 * 1_000_000 * 4 * 13),
    "a trajectory": (
        {"trajectory_of": 0, "episodes": 1000, "horizon": 10_000},
        6 * 4 * 1000 * 10_000,
    ),
    "episodes": ({"episodes": 50_000_000}, 3 * 8 * 50_000_000),
    "a horizon": ({"horizon": 10**9}, 4 * 10**9),
}


@cases("how, least", TOO_LARGE)
def test_what_would_not_fit_is_refused_with_its_bytes(how, least, monkeypatch):
    """`least` is what the results named cannot do without."""
    monkeypatch.setattr(memory, "available_bytes", lambda: 2**26)
    said = r"needs ([\d,]+) bytes .* are available; use fewer"
    with pytest.raises(hsr.toolkit.TooLargeError, match=said) as refused:
        train(**how)
    asked = int(str(refused.value).split(" needs ")[1].split(" bytes")[0].replace(",", ""))
    assert least <= asked < 3 * least


def test_maps_of_many_states_are_refused():
    n = 200_000
    call, one = partial(train, corridor(n), [hsr.GoalTask(n - 5, n - 1)]), np.ones((n, 1))
    for features, form in (("sr", "auto"), ("onehot", "primal"), (one, "dual")):
        with pytest.raises(hsr.toolkit.TooLargeError, match=r"needs 32\d,\d{3},\d{3},\d{3} bytes"):
            call(hsr.LinearQ(features, form=form))
    assert call(hsr.LinearQ(one)).steps.tolist() == [[[4]]]
