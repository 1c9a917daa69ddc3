"""What `train` refuses before anything is run, and what it takes though it looks odd."""

from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

import hsr
from hsr._base import memory
from hsr.agents.training import api as training
from hsr.kernels import linear_q
from tests.agents.training_bytes import bytes_of
from tests.oracles.agent_worlds import corridor, four_rooms, fractional, two_rooms

# What is refused, before anything is run.

MDP = two_rooms()
TASK = hsr.GoalTask(0, 12)
Q = hsr.LinearQ()
OPTIONS = hsr.eigenoptions(MDP, 2)
HOLE = np.where(np.arange(26).reshape(13, 2) == 5, np.nan, 1.0)


def parts():
    """Return a world in two parts: states 0 and 1, and state 2."""
    return hsr.FiniteMDP.from_successors([[1, 0], [0, 1], [2, 2]], discount=0.9)


def train(mdp=MDP, tasks=(TASK,), agent=Q, options=None, **how):
    """Call `train` with good arguments, except what a test makes bad."""
    how = {"seeds": [0], "episodes": 1, "horizon": 5, **how}
    return hsr.train(mdp, tasks, agent, options, **how)


def with_features(features):
    """Return the call of a training with these features."""
    return lambda: train(agent=hsr.LinearQ(features))


def with_options(*given):
    """Return the call of a training with an option set made of these arrays."""
    return lambda: train(options=hsr.OptionSet(*given))


def with_task(start, goal, mdp=MDP):
    """Return the call of a training with one task."""
    return lambda: train(mdp, [hsr.GoalTask(start, goal)])


SETTINGS = [
    ("learning_rate map_learning_rate", (0.0, -0.1, 1.5, np.nan, np.inf, "fast", None)),
    ("epsilon", (-0.1, 1.1, np.nan, "greedy")),
    ("tie_tolerance", (-1e-12, np.nan, np.inf, "none")),
    (
        "update map_update explore_with explore_at ties initial_map form",
        ("sarsa", None, 1),
        "one of",
    ),
]

REFUSED = {
    # evaluations and criteria
    "an unknown evaluation": (lambda: train(evaluate="steps"), ["evaluate", "'tasks', 'episodes'"]),
    "an evaluation that is a number": (lambda: train(evaluate=1), ["evaluate", "'tasks'"]),
    "a criterion of one": (lambda: train(until=1.0), ["until is 1.0", "greater than 1"]),
    "a criterion that is no number": (lambda: train(until="1.5"), ["until", "'1.5'"]),
    "a criterion without end": (lambda: train(until=np.nan), ["until", "nan"]),
    "a criterion without a start": (
        lambda: train(tasks=[TASK, hsr.GoalTask(None, 3)], until=1.5, horizon=20),
        ["until is 1.5", "tasks[1] has no start"],
    ),
    "a horizon below the criterion": (
        lambda: train(until=1.5),
        ["horizon is 5", "at least 9 for tasks[0]", "6 steps away"],
    ),
    # features
    "features of another world": (with_features(np.eye(5)), ["features", "(5, 5)", "(13, any)"]),
    "features of one axis": (with_features(np.ones(13)), ["features", "(13,)"]),
    "features of three axes": (with_features(np.ones((13, 2, 2))), ["features", "(13, 2, 2)"]),
    "no features": (with_features(np.ones((13, 0))), ["features", "(13, 0)"]),
    "features with a hole": (with_features(HOLE), ["features[2, 1] is nan", "finite"]),
    "endless features": (with_features(np.full((13, 2), -np.inf)), ["features[0, 0] is -inf"]),
    "features too long to multiply": (
        with_features(np.full((13, 1), 1e60)),
        ["features[0]", "squared length", "1e+120"],
    ),
    "ragged features": (with_features([[1.0], [1.0, 2.0]]), ["features"]),
    "complex features": (with_features(np.ones((13, 2), dtype=complex)), ["features"]),
    "features of words": (with_features([["a", "b"]] * 13), ["features"]),
    "no features at all": (with_features(None), ["features"]),
    "a number for features": (with_features(3), ["features"]),
    "an unknown word": (with_features("svd"), ["features is 'svd'", "'onehot', 'sr', 'hsr'"]),
    "a basis that is not fitted": (
        with_features(hsr.SVDBasis(n_components=2)),
        ["SVDBasis", "fit"],
    ),
    "a basis of another world": (
        with_features(hsr.SVDBasis(n_components=2).fit(np.eye(5))),
        ["5 states", "13"],
    ),
    "one-hot features of another world": (
        with_features(hsr.OneHotBasis().fit(np.eye(5))),
        ["5 states", "13"],
    ),
    "a map of another world": (
        with_features(hsr.successor_representation(parts())),
        ["features has 3 states", "13"],
    ),
    # settings
    **{
        f"{name} {value!r}": (partial(hsr.LinearQ, **{name: value}), [name, repr(value), *words])
        for names, values, *words in SETTINGS
        for name in names.split()
        for value in values
    },
    "a dual form of live rows": (
        lambda: hsr.LinearQ("hsr", form="dual"),
        ["form", "'dual'", "'hsr'"],
    ),
    "a bad rate in GPI": (
        lambda: hsr.GPI(pretraining=[TASK], learning_rate=2),
        ["learning_rate", "2"],
    ),
    # tasks
    "no tasks": (lambda: train(tasks=[]), ["tasks"]),
    "a task alone": (lambda: train(tasks=TASK), ["tasks"]),
    "tasks by number": (lambda: train(tasks=[3]), ["task", "3", "GoalTask"]),
    "a start in the goal": (
        lambda: train(tasks=[TASK, hsr.GoalTask(4, 4)]),
        [r"tasks[1]", "goal 4"],
    ),
    "a goal out of reach": (
        with_task(0, 2, parts()),
        ["goal 2 cannot be reached", "start 0"],
    ),
    "a goal that nobody reaches": (
        with_task(None, 2, parts()),
        ["tasks[0]", "goal 2"],
    ),
    "a goal that does not exist": (
        with_task(0, 13),
        ["goal", "13", "0..12"],
    ),
    "a start that does not exist": (
        with_task(13, 0),
        ["start", "13", "0..12"],
    ),
    "a world of one state": (
        with_task(None, 0, hsr.FiniteMDP.from_successors([[0]], 0.5)),
        ["tasks[0]", "goal 0"],
    ),
    # world and agent
    "a layout for a world": (
        lambda: train(hsr.load_layout("four_rooms")),
        ["mdp", "GridLayout", "FiniteMDP"],
    ),
    "a word for an agent": (lambda: train(agent="onehot"), ["agent", "'onehot'", "LinearQ"]),
    "a class for an agent": (lambda: train(agent=hsr.LinearQ), ["agent", "LinearQ"]),
    "no agent": (lambda: train(agent={}), ["agent", "empty"]),
    "a list of agents": (lambda: train(agent=[Q]), ["agent"]),
    "a bad agent among good ones": (
        lambda: train(agent={"good": Q, "bad": None}),
        ["agent", "None"],
    ),
    # options
    "options of another world": (
        lambda: train(options=hsr.eigenoptions(four_rooms()[0], 2)),
        ["104 states", "13"],
    ),
    "options with another action": (
        with_options(np.full((1, 13), 7), np.ones((1, 13))),
        ["policy[0, 0] is 7", "0..3"],
    ),
    "options with two actions": (
        with_options(np.full((1, 13, 2), 0.5), np.ones((1, 13))),
        ["2 actions", "4"],
    ),
    "a list of options": (lambda: train(options=[OPTIONS[0]]), ["options", "list", "OptionSet"]),
    "a class for options": (lambda: train(options=hsr.OnlineOptions), ["options"]),
    "random options for intra-option learning": (
        lambda: train(agent=hsr.LinearQ(update="intra_option"), options=fractional()[1]),
        ["intra_option", "random"],
    ),
    "more options than a map has vectors": (
        lambda: train(options=hsr.OnlineOptions(13)),
        ["n_options is 13", "12"],
    ),
    "more pairs of options than vectors": (
        lambda: train(options=hsr.OnlineOptions(25, signs="both")),
        ["n_options is 25", "13", "12"],
    ),
    "no online options": (lambda: hsr.OnlineOptions(0), ["n_options", "0"]),
    "a warm-up before the beginning": (lambda: hsr.OnlineOptions(warm_up=-1), ["warm_up", "-1"]),
    "a refresh all the time": (lambda: hsr.OnlineOptions(refresh=0), ["refresh", "0"]),
    "half a refresh": (lambda: hsr.OnlineOptions(refresh=0.5), ["refresh", "0.5"]),
    "unknown signs": (lambda: hsr.OnlineOptions(signs="negative"), ["signs", "'negative'"]),
    "unknown values": (lambda: hsr.OnlineOptions(values="forget"), ["values", "'forget'"]),
    # seeds, episodes, horizon, workers
    "no seeds": (lambda: train(seeds=[]), ["seeds", "empty"]),
    "a negative seed": (lambda: train(seeds=[3, -1]), ["seeds[1]", "-1"]),
    "a repeated seed": (lambda: train(seeds=[3, 1, 3]), ["seeds[0]", "seeds[2]", "3"]),
    "one seed for a list": (lambda: train(seeds=5), ["seeds", "5"]),
    "seeds as a word": (lambda: train(seeds="012"), ["seeds", "012"]),
    "no list of seeds": (lambda: train(seeds=None), ["seeds", "None"]),
    "half a seed": (lambda: train(seeds=[0.5]), ["seeds[0]", "0.5"]),
    "a boolean for a seed": (lambda: train(seeds=[True]), ["seeds[0]", "True"]),
    **{
        f"{name} {value!r}": (partial(train, **{name: value}), [name, repr(value)])
        for name in ("episodes", "horizon", "workers")
        for value in (0, -1, 1.5, "many", True)
    },
    "a trajectory of another seed": (
        lambda: train(trajectory_of=7),
        ["trajectory_of", "7", "seeds"],
    ),
    "a trajectory of all": (lambda: train(trajectory_of="all"), ["trajectory_of", "'all'"]),
    "maps of an agent without one": (lambda: train(keep_maps=True), ["keep_maps", "no map"]),
    # GPI
    "nothing to improve on": (lambda: hsr.GPI(pretraining=[]), ["pretraining"]),
    "one task to improve on": (lambda: hsr.GPI(pretraining=TASK), ["pretraining"]),
    "an unknown reward": (
        lambda: hsr.GPI(pretraining=[TASK], reward="given"),
        ["reward", "'given'", "'found', 'regressed'"],
    ),
    "pre-training by number": (lambda: train(agent=hsr.GPI(pretraining=[3])), ["3", "GoalTask"]),
    "pre-training elsewhere": (
        lambda: train(agent=hsr.GPI(pretraining=[hsr.GoalTask(None, 50)])),
        ["goal", "50"],
    ),
    "features of GPI": (
        lambda: train(agent=hsr.GPI(np.eye(5), pretraining=[TASK])),
        ["features", "(5, 5)"],
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_refused_by_name_before_anything_is_run(name, monkeypatch):
    call, words = REFUSED[name]

    def nothing_may_run(*args, **how):
        raise AssertionError("work was begun")

    monkeypatch.setattr(training, "run_all", nothing_may_run)
    with pytest.raises(hsr.InputError) as refused:
        call()
    assert isinstance(refused.value, ValueError)
    for word in words:
        assert word in str(refused.value)


def test_what_the_battery_calls_good_is_good():
    """Each refusal above is for what it names: the same calls with nothing bad go through."""
    assert train().status.tolist() == ["ok"]
    assert train(agent={"one": Q, "two": hsr.LinearQ("sr")}, options=OPTIONS)["two"].steps.size == 1
    assert train(agent=hsr.GPI(pretraining=[TASK]), options=hsr.OnlineOptions(12)).steps.size == 1
    agent = hsr.LinearQ("sr", update="intra_option")
    assert train(agent=agent, options=OPTIONS, keep_maps=True, trajectory_of=0).maps.any()
    many = hsr.OnlineOptions(24, signs="both", warm_up=0)
    assert train(options=many).choice_use.shape == (1, 1, 28)
    agent = hsr.LinearQ(epsilon=0.0, learning_rate=1.0, tie_tolerance=0.0)
    assert train(agent=agent).steps.size == 1


@pytest.mark.parametrize(
    "number",
    [np.float32(0.5), np.float64(0.5), Fraction(1, 2), Decimal("0.5"), np.array(0.5)],
    ids=lambda x: type(x).__name__,
)
def test_a_setting_may_be_any_kind_of_number(number):
    """What is accepted is used as the number that it is, by the kernel that is there."""
    rates = ("learning_rate", "map_learning_rate", "epsilon")
    check_same_kernel(
        train(agent=hsr.LinearQ("sr", **dict.fromkeys(rates, value))) for value in (0.5, number)
    )


def check_same_kernel(runs):
    """Assert that runs have the same bytes, and that the first compiles for all."""
    runs = iter(runs)
    expected = bytes_of(next(runs))
    kernels = len(linear_q.learn.signatures)
    for run in runs:
        assert bytes_of(run) == expected
    assert len(linear_q.learn.signatures) == kernels


def test_integers_need_no_kernel_of_their_own():
    """A user who writes 0 for 0.0 does not wait for a compiler."""
    settings = {"learning_rate": 1, "map_learning_rate": 1, "epsilon": 0, "tie_tolerance": 0}
    check_same_kernel(
        train(agent=hsr.LinearQ("hsr", **{name: kind(x) for name, x in settings.items()}))
        for kind in (float, int)
    )


def test_counts_may_be_any_kind_of_integer():
    """Those of NumPy too, and again by the kernel that is there."""

    def run_of(kind):
        online = hsr.OnlineOptions(kind(2), warm_up=kind(30), refresh=kind(20))
        how = {"horizon": kind(20), "episodes": kind(5), "workers": kind(1)}
        return train(options=online, seeds=[kind(0)], **how)

    check_same_kernel(map(run_of, (int, np.int32, np.uint8)))


def test_unknown_settings_and_missing_ones_are_errors_of_python():
    for call, word in (
        (partial(hsr.LinearQ, alpha=0.1), "alpha"),
        (partial(hsr.GPI, pretraining=[TASK], alpha=0.1), "alpha"),
        (hsr.GPI, "pretraining"),
        (partial(hsr.LinearQ, "onehot", 0.1), "positional"),
        (partial(hsr.train, MDP, [TASK], Q), "seeds"),
    ):
        with pytest.raises(TypeError, match=word):
            call()


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


@pytest.mark.parametrize("name", TOO_LARGE)
def test_what_would_not_fit_is_refused_with_its_bytes(name, monkeypatch):
    """`least` is what the results named cannot do without; the message gives the bytes and says
    what to leave out.
    """
    how, least = TOO_LARGE[name]
    monkeypatch.setattr(memory, "available_bytes", lambda: 2**26)
    said = r"needs ([\d,]+) bytes .* are available; use fewer"
    with pytest.raises(hsr.toolkit.TooLargeError, match=said) as refused:
        train(**how)
    asked = int(str(refused.value).split(" needs ")[1].split(" bytes")[0].replace(",", ""))
    assert least <= asked < 3 * least


def test_maps_of_many_states_are_refused():
    n = 200_000
    call, one = partial(train, corridor(n), [hsr.GoalTask(n - 5, n - 1)]), np.ones((n, 1))
    for features, form in (("sr", "auto"), ("hsr", "auto"), ("onehot", "primal"), (one, "dual")):
        with pytest.raises(hsr.toolkit.TooLargeError, match=r"needs 32\d,\d{3},\d{3},\d{3} bytes"):
            call(hsr.LinearQ(features, form=form))
    assert call(hsr.LinearQ(one)).steps.tolist() == [[[4]]]
