"""Bad input is refused at the door, by an error that is also a ValueError and names the offending
place.
"""

from functools import partial

import numpy as np
import pytest

import hsr

S, A = 6, 4
MDP = hsr.grid_mdp(hsr.GridLayout.from_text("...\n..."), discount=0.9)
RIGHT = np.ones((2, S), dtype=int)
STOP = np.array([[0, 0, 1, 0, 0, 1]] * 2, dtype=float)
OPTIONS = hsr.OptionSet(RIGHT, STOP, np.array([[True, True, False, True, True, False]] * 2))
TASK = hsr.GoalTask(start=None, goal=0)
MODEL = hsr.option_model(MDP, OPTIONS)
ALONE = hsr.option_model(MDP, OPTIONS, primitives=False)
MU = np.concatenate([np.full((S, A), 0.25), np.zeros((S, 2))], axis=1)
OTHER = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.9)
TWO_ACTIONS = hsr.FiniteMDP(np.full((S, 2, S), 1 / S), discount=0.9)


def changed(array, place, value):
    """Return a copy of an array with one entry changed."""
    copy = np.array(array, dtype=np.result_type(array, type(value)))
    copy[place] = value
    return copy


SHARES = np.full((2, S, A), 0.25)

OPTION_SET = [
    ("policy of one axis", lambda: hsr.OptionSet([1, 1], [[0, 1]]), ["policy", "(2,)", "(O, S)"]),
    (
        "policy of floats",
        lambda: hsr.OptionSet(RIGHT * 1.0, STOP),
        ["policy", "float64", "integers"],
    ),
    ("policy of truths", lambda: hsr.OptionSet(RIGHT > 0, STOP), ["policy", "bool"]),
    ("policy of words", lambda: hsr.OptionSet([["up"] * S] * 2, STOP), ["policy"]),
    ("ragged policy", lambda: hsr.OptionSet([[1, 1], [1]], STOP), ["policy"]),
    (
        "negative action",
        lambda: hsr.OptionSet(changed(RIGHT, (1, 3), -1), STOP),
        ["policy[1, 3] is -1"],
    ),
    (
        "action too large for its type",
        lambda: hsr.OptionSet(changed(RIGHT, (1, 3), 2**32), STOP),
        ["policy[1, 3]", "4294967296"],
    ),
    (
        "probabilities not summing",
        lambda: hsr.OptionSet(changed(SHARES, (1, 2, 0), 0.3), STOP),
        ["policy[1, 2]", "1.05"],
    ),
    (
        "negative probability",
        lambda: hsr.OptionSet(changed(SHARES, (0, 5, 3), -0.25), STOP),
        ["policy[0, 5, 3]", "-0.25"],
    ),
    (
        "probability not a number",
        lambda: hsr.OptionSet(changed(SHARES, (0, 5, 3), np.nan), STOP),
        ["policy[0, 5, 3]", "nan"],
    ),
    (
        "termination of other shape",
        lambda: hsr.OptionSet(RIGHT, STOP[:, :4]),
        ["termination", "(2, 4)", "(2, 6)"],
    ),
    (
        "termination of one option",
        lambda: hsr.OptionSet(RIGHT, STOP[:1]),
        ["termination", "(1, 6)", "(2, 6)"],
    ),
    (
        "termination above one",
        lambda: hsr.OptionSet(RIGHT, changed(STOP, (1, 4), 1.5)),
        ["termination[1, 4]", "1.5", "[0, 1]"],
    ),
    (
        "termination below zero",
        lambda: hsr.OptionSet(RIGHT, changed(STOP, (0, 2), -0.1)),
        ["termination[0, 2]", "-0.1"],
    ),
    (
        "termination not a number",
        lambda: hsr.OptionSet(RIGHT, changed(STOP, (0, 2), np.nan)),
        ["termination[0, 2]", "nan"],
    ),
    ("termination of words", lambda: hsr.OptionSet(RIGHT, [["x"] * S] * 2), ["termination"]),
    (
        "initiation of other shape",
        lambda: hsr.OptionSet(RIGHT, STOP, [[True] * 4] * 2),
        ["initiation", "(2, 4)", "(2, 6)"],
    ),
    (
        "initiation of numbers",
        lambda: hsr.OptionSet(RIGHT, STOP, np.ones((2, S))),
        ["initiation", "float64", "bool"],
    ),
    (
        "too few names",
        lambda: hsr.OptionSet(RIGHT, STOP, names=["one"]),
        ["names has 1", "2 options"],
    ),
    ("no such option", lambda: OPTIONS[2], ["option is 2", "0..1"]),
    ("option counted from the end", lambda: OPTIONS[-1], ["option is -1", "0..1"]),
]

FITTING = [
    ("other states", lambda: hsr.option_model(OTHER, OPTIONS), ["6 states", "5"]),
    (
        "other actions",
        lambda: hsr.option_model(TWO_ACTIONS, hsr.OptionSet(SHARES, STOP)),
        ["4 actions", "2"],
    ),
    (
        "action out of range",
        lambda: hsr.option_model(TWO_ACTIONS, hsr.OptionSet(changed(RIGHT, (1, 3), 2), STOP)),
        ["policy[1, 3] is 2", "0..1"],
    ),
    (
        "not an option set",
        lambda: hsr.option_model(MDP, RIGHT),
        ["options", "ndarray", "OptionSet"],
    ),
    (
        "nothing to choose",
        lambda: hsr.option_model(MDP, hsr.OptionSet(RIGHT[:0], STOP[:0]), primitives=False),
        ["no options"],
    ),
    (
        "goal out of range",
        lambda: hsr.option_model(MDP, OPTIONS, task=hsr.GoalTask(None, 6)),
        ["task.goal is 6", "0..5"],
    ),
    ("not a task", lambda: hsr.option_model(MDP, OPTIONS, task=3), ["task is 3", "GoalTask"]),
    ("no such choice", lambda: MODEL.occupancy(6), ["choice is 6", "0..5"]),
    ("choice from the end", lambda: MODEL.stopping(-1), ["choice is -1", "0..5"]),
    ("choice not an integer", lambda: MODEL.occupancy(1.0), ["choice is 1.0", "integer"]),
    ("row out of range", lambda: MODEL.occupancy(4).rows([0, 6]), ["states[1] is 6", "0..5"]),
    ("column from the end", lambda: MODEL.occupancy(4).columns(-1), ["states[0] is -1", "0..5"]),
    ("product of other length", lambda: MODEL.occupancy(4) @ np.ones(5), ["(5,)", "6"]),
]

MAKING = [
    ("no eigenoptions", lambda: hsr.eigenoptions(MDP, 0), ["n_options is 0", "at least 1"]),
    ("half an option", lambda: hsr.eigenoptions(MDP, 1.5), ["n_options is 1.5", "integer"]),
    ("too many eigenoptions", lambda: hsr.eigenoptions(MDP, 6), ["6 eigenvectors", "5"]),
    (
        "too many of both signs",
        lambda: hsr.eigenoptions(MDP, 11, signs="both"),
        ["6 eigenvectors", "5"],
    ),
    (
        "unknown signs",
        lambda: hsr.eigenoptions(MDP, 2, signs="negative"),
        ["signs is 'negative'", "'positive', 'both'"],
    ),
    ("signs not a word", lambda: hsr.eigenoptions(MDP, 2, signs=1), ["signs is 1", "'positive'"]),
    (
        "discount of one",
        lambda: hsr.eigenoptions(MDP, 2, discount=1.0),
        ["discount is 1.0", "[0, 1)"],
    ),
    (
        "discount not a number",
        lambda: hsr.eigenoptions(MDP, 2, discount=float("nan")),
        ["discount is nan"],
    ),
    (
        "vectors of other length",
        lambda: hsr.eigenoptions(MDP, 1, vectors=np.ones((5, 1))),
        ["vectors", "(5, 1)", "(6, any)"],
    ),
    (
        "vectors of one axis",
        lambda: hsr.eigenoptions(MDP, 1, vectors=np.arange(6)),
        ["vectors", "(6,)"],
    ),
    (
        "too few vectors",
        lambda: hsr.eigenoptions(MDP, 2, vectors=np.arange(6)[:, None]),
        ["1 columns", "2 are needed"],
    ),
    (
        "constant vector",
        lambda: hsr.eigenoptions(MDP, 2, vectors=np.stack([np.arange(6), np.full(6, 3.0)], axis=1)),
        ["vectors[:, 1] is constant"],
    ),
    (
        "vector not finite",
        lambda: hsr.eigenoptions(MDP, 1, vectors=changed(np.arange(6.0)[:, None], (2, 0), np.inf)),
        ["vectors[2, 0] is inf"],
    ),
    ("map not square", lambda: hsr.map_vectors(np.ones((3, 4)), 1), ["M", "(3, 4)", "square"]),
    ("too many map vectors", lambda: hsr.map_vectors(np.eye(3), 3), ["M", "(3, 3)", "more than 3"]),
    ("no map vectors", lambda: hsr.map_vectors(np.eye(3), 0), ["n_vectors is 0"]),
    (
        "map not finite",
        lambda: hsr.map_vectors(changed(np.eye(3), (1, 2), np.nan), 1),
        ["M[1, 2] is nan"],
    ),
    ("no targets", lambda: hsr.point_options(MDP, []), ["targets is empty"]),
    ("target out of range", lambda: hsr.point_options(MDP, [0, 6]), ["targets[1] is 6", "0..5"]),
    ("target from the end", lambda: hsr.point_options(MDP, [-1]), ["targets[0] is -1"]),
    ("target not an integer", lambda: hsr.point_options(MDP, [0.5]), ["targets", "integer"]),
    ("one target without its list", lambda: hsr.point_options(MDP, 3), ["targets", "list"]),
    (
        "too many random targets",
        lambda: hsr.random_options(MDP, 7, seed=0),
        ["n_options is 7", "6"],
    ),
    ("no seed", lambda: hsr.random_options(MDP, 2, seed=None), ["seed is None"]),
    ("negative seed", lambda: hsr.random_options(MDP, 2, seed=-1), ["seed is -1"]),
    ("seed not an integer", lambda: hsr.random_options(MDP, 2, seed=0.5), ["seed is 0.5"]),
    ("too many covering options", lambda: hsr.covering_options(MDP, 31), ["n_options is 31", "30"]),
    (
        "unknown initiation",
        lambda: hsr.covering_options(MDP, 2, initiation="nowhere"),
        ["initiation is 'nowhere'", "'point'"],
    ),
]

PLANNING = [
    (
        "unknown ties",
        lambda: hsr.plan_over_options(MODEL, TASK, ties="first"),
        ["ties is 'first'", "'uniform', 'options'"],
    ),
    ("not a task", lambda: hsr.plan_over_options(MODEL, 3), ["task is 3", "GoalTask"]),
    (
        "goal out of range",
        lambda: hsr.plan_over_options(MODEL, hsr.GoalTask(None, 17)),
        ["task.goal is 17", "0..5"],
    ),
    (
        "another goal",
        lambda: hsr.plan_over_options(MODEL.for_task(TASK), hsr.GoalTask(None, 1)),
        ["goal 0", "goal 1"],
    ),
    (
        "state without a choice",
        lambda: hsr.plan_over_options(ALONE, TASK),
        ["no choice", "state 2"],
    ),
    (
        "seed not an integer",
        lambda: hsr.plan_over_options(MODEL, TASK, ties="random", seed="a"),
        ["seed is 'a'"],
    ),
]


def mu_cases(use):
    """Return the bad policies over choices, each given to one function of (model, mu)."""
    return [
        (
            "mu without options",
            lambda: use(MODEL, MU[:, :4]),
            ["mu", "(6, 4)", "(6, 6)", "4 primitives", "2 options"],
        ),
        ("mu turned round", lambda: use(MODEL, np.zeros((7, S))), ["mu", "(7, 6)", "(6, 6)"]),
        ("mu of one axis", lambda: use(MODEL, MU[0]), ["mu", "(6,)"]),
        ("mu of words", lambda: use(MODEL, [["a"] * 6] * 6), ["mu"]),
        ("mu negative", lambda: use(MODEL, changed(MU, (2, 1), -0.25)), ["mu[2, 1] is -0.25"]),
        ("mu not a number", lambda: use(MODEL, changed(MU, (2, 1), np.nan)), ["mu[2, 1] is nan"]),
        ("mu infinite", lambda: use(MODEL, changed(MU, (3, 0), np.inf)), ["mu[3, 0] is inf"]),
        ("mu too small", lambda: use(MODEL, changed(MU, (4, 3), 0.2)), ["mu[4] sums to 0.95"]),
        (
            "mu too large",
            lambda: use(MODEL, changed(MU, (4, 3), 0.25001)),
            ["mu[4] sums to 1.00001"],
        ),
        (
            "choice that is not available",
            lambda: use(MODEL, changed(changed(MU, (2, 5), 0.25), (2, 0), 0.0)),
            ["mu[2, 5]", "choice 5", "not available in state 2"],
        ),
    ]


MAPS = [
    *mu_cases(hsr.hierarchical_sr),
    *[
        (f"bellman: {name}", call, words)
        for name, call, words in mu_cases(lambda m, mu: hsr.hsr_bellman(m, mu, np.eye(S)))
    ],
    *[
        (f"learning: {name}", call, words)
        for name, call, words in mu_cases(lambda m, mu: hsr.learn_hsr(MDP, OPTIONS, mu, steps=1))
    ],
    (
        "unknown stopping state",
        lambda: hsr.hierarchical_sr(MODEL, MU, stopping_state="counted"),
        ["stopping_state is 'counted'", "'counted_once', 'counted_twice'"],
    ),
    (
        "bellman: unknown stopping state",
        lambda: hsr.hsr_bellman(MODEL, MU, np.eye(S), stopping_state=2),
        ["stopping_state is 2"],
    ),
    (
        "bellman: matrix of other shape",
        lambda: hsr.hsr_bellman(MODEL, MU, np.eye(5)),
        ["M", "(5, 5)", "(6, 6)"],
    ),
    (
        "bellman: matrix not finite",
        lambda: hsr.hsr_bellman(MODEL, MU, changed(np.eye(S), (0, 1), np.nan)),
        ["M[0, 1] is nan"],
    ),
    (
        "policy of other shape",
        lambda: hsr.successor_representation(MDP, np.ones((S, 2)) / 2),
        ["policy", "(6, 2)", "(6, 4)"],
    ),
    (
        "policy not summing",
        lambda: hsr.successor_representation(MDP, changed(np.full((S, A), 0.25), (3, 1), 0.5)),
        ["policy[3] sums to 1.25"],
    ),
    (
        "policy negative",
        lambda: hsr.successor_representation(MDP, changed(np.full((S, A), 0.25), (3, 1), -0.5)),
        ["policy[3, 1] is -0.5"],
    ),
    (
        "sr: goal out of range",
        lambda: hsr.successor_representation(MDP, task=hsr.GoalTask(None, 6)),
        ["task.goal is 6"],
    ),
    ("expected sr: no tasks", lambda: hsr.expected_sr(MDP, []), ["tasks is empty"]),
    (
        "expected sr: unknown ties",
        lambda: hsr.expected_sr(MDP, [TASK], ties="options"),
        ["ties is 'options'", "'first'"],
    ),
    (
        "expected sr: goal out of range",
        lambda: hsr.expected_sr(MDP, [TASK, hsr.GoalTask(None, 6)]),
        ["task.goal is 6"],
    ),
    ("expected sr: not a task", lambda: hsr.expected_sr(MDP, [TASK, 4]), ["task is 4"]),
    ("expected sr: one task without its list", lambda: hsr.expected_sr(MDP, TASK), ["tasks"]),
    (
        "expected sr: no seed",
        lambda: hsr.expected_sr(MDP, [TASK], ties="random", seed=None),
        ["seed is None"],
    ),
    (
        "expected sr: a generator, which would give other numbers each time",
        lambda: hsr.expected_sr(MDP, [TASK], ties="random", seed=np.random.default_rng(0)),
        ["seed"],
    ),
    ("expected hsr: no tasks", lambda: hsr.expected_hsr(MDP, OPTIONS, []), ["tasks is empty"]),
    (
        "expected hsr: unknown ties",
        lambda: hsr.expected_hsr(MDP, OPTIONS, [TASK], ties="first"),
        ["ties is 'first'"],
    ),
    (
        "expected hsr: unknown stopping state",
        lambda: hsr.expected_hsr(MDP, OPTIONS, [TASK], stopping_state="never"),
        ["stopping_state is 'never'"],
    ),
    (
        "expected hsr: other states",
        lambda: hsr.expected_hsr(OTHER, OPTIONS, [TASK]),
        ["6 states", "5"],
    ),
]

UNIFORM = np.full((S, A), 0.25)
LEARNING = [
    ("negative steps", {"steps": -1}, ["steps is -1", "at least 0"]),
    ("half a step", {"steps": 0.5}, ["steps is 0.5", "integer"]),
    ("steps in scientific notation", {"steps": 1e6}, ["steps is 1000000.0", "integer"]),
    ("learning rate of zero", {"learning_rate": 0.0}, ["learning_rate is 0.0", "(0, 1]"]),
    ("learning rate above one", {"learning_rate": 1.5}, ["learning_rate is 1.5", "(0, 1]"]),
    (
        "learning rate not a number",
        {"learning_rate": float("nan")},
        ["learning_rate is nan", "finite"],
    ),
    ("learning rate of words", {"learning_rate": "small"}, ["learning_rate is 'small'", "number"]),
    ("negative decay", {"decay": -1.0}, ["decay is -1.0"]),
    (
        "unknown initial map",
        {"initial_map": "ones"},
        ["initial_map is 'ones'", "'identity', 'zero'"],
    ),
    ("goal out of range", {"task": hsr.GoalTask(None, 6)}, ["task.goal is 6"]),
    ("no seed", {"seed": None}, ["seed is None"]),
]
LEARNERS = {
    "sr": lambda **settings: hsr.learn_sr(MDP, UNIFORM, **{"steps": 1, **settings}),
    "hsr": lambda **settings: hsr.learn_hsr(MDP, OPTIONS, MU, **{"steps": 1, **settings}),
}


def table(cases):
    """Return the cases as parameters named by what is wrong."""
    return [pytest.param(call, words, id=name) for name, call, words in cases]


def check_refused(call, words):
    """Assert that a call is refused by the library's own kind of ValueError, with these words in
    its message.
    """
    with pytest.raises(hsr.HSRError) as caught:
        call()
    assert isinstance(caught.value, ValueError)
    message = str(caught.value)
    assert [word for word in words if word not in message] == [], message


LAYOUT = hsr.load_layout("four_rooms")
WRONG_KINDS = [
    (
        "random_options of a layout",
        lambda: hsr.random_options(LAYOUT, 2, seed=0),
        ["mdp", "GridLayout"],
    ),
    *[
        (
            f"{function.__name__} of a layout",
            partial(function, LAYOUT, *rest),
            ["mdp", "GridLayout"],
        )
        for function, *rest in (
            (hsr.eigenoptions,),
            (hsr.point_options, [0]),
            (hsr.covering_options,),
            (hsr.option_model, OPTIONS),
            (hsr.successor_representation,),
            (hsr.expected_sr, [TASK]),
            (hsr.expected_hsr, OPTIONS, [TASK]),
            (hsr.learn_sr,),
            (hsr.learn_hsr, OPTIONS, MU),
        )
    ],
    *[
        (
            f"{function.__name__} of an MDP",
            partial(function, MDP, *rest),
            ["FiniteMDP", "OptionModel"],
        )
        for function, *rest in (
            (hsr.plan_over_options, TASK),
            (hsr.uniform_choice,),
            (hsr.hierarchical_sr, MU),
            (hsr.hsr_bellman, MU, np.eye(S)),
        )
    ],
]
CASES = table([*OPTION_SET, *FITTING, *MAKING, *PLANNING, *MAPS, *WRONG_KINDS])


@pytest.mark.parametrize(("call", "words"), CASES)
def test_bad_input_is_refused_with_its_place(call, words):
    check_refused(call, words)


def test_no_options_are_an_empty_set_of_options():
    model = hsr.option_model(MDP, None)
    assert (model.n_choices, len(model.options)) == (A, 0)
    with pytest.raises(hsr.InputError, match="nothing to choose"):
        hsr.option_model(MDP, None, primitives=False)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(("settings", "words"), table(LEARNING))
def test_learners_refuse(learner, settings, words):
    check_refused(lambda: LEARNERS[learner](**settings), words)


@pytest.mark.parametrize("mu", [np.ones((S, 2)) / 2, MU], ids=["options alone", "with primitives"])
def test_good_input_passes_the_same_doors(mu):
    """The refusals above are of what is wrong in them: the same calls with nothing wrong go
    through.
    """
    free = hsr.OptionSet(RIGHT, STOP)
    learned = hsr.learn_hsr(MDP, free, mu, steps=10)
    exact = hsr.hierarchical_sr(
        hsr.option_model(MDP, free, primitives=mu.shape[1] == 6), mu
    ).toarray()
    assert learned.shape == exact.shape == (S, S)
    np.testing.assert_allclose(exact.sum(axis=1), 10.0, rtol=1e-12)
    assert hsr.successor_representation(MDP, UNIFORM).shape == (S, S)


def test_arrays_of_an_option_set_cannot_be_written_and_do_not_follow_the_callers():
    policy, beta, start = RIGHT.copy(), STOP.copy(), np.ones((2, S), dtype=bool)
    options = hsr.OptionSet(policy, beta, start)
    policy[:], beta[:], start[:] = 0, 0.5, False
    np.testing.assert_array_equal(options.policy, RIGHT)
    np.testing.assert_array_equal(options.termination, STOP)
    assert options.initiation.all()
    for array in (options.policy, options.termination, options.initiation, options[0].policy):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
