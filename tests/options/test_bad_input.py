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
UNIFORM = np.full((S, A), 0.25)
MU = np.concatenate([UNIFORM, np.zeros((S, 2))], axis=1)
OTHER = hsr.grid_mdp(hsr.GridLayout.from_text("....."), discount=0.9)
TWO_ACTIONS = hsr.FiniteMDP(np.full((S, 2, S), 1 / S), discount=0.9)


def changed(array, place, value):
    """Return a copy of an array with one entry changed."""
    copy = np.array(array, dtype=np.result_type(array, type(value)))
    copy[place] = value
    return copy


UNIFORM_OPTIONS = np.array([UNIFORM, UNIFORM])

OPTION_SET = [
    (lambda: hsr.OptionSet([1, 1], [[0, 1]]), ["policy", "(2,)", "(O, S)"]),
    (
        lambda: hsr.OptionSet(RIGHT * 1.0, STOP),
        ["policy", "float64", "integers"],
    ),
    (lambda: hsr.OptionSet(RIGHT > 0, STOP), ["policy", "bool"]),
    (lambda: hsr.OptionSet([["up"] * S] * 2, STOP), ["policy"]),
    (lambda: hsr.OptionSet([[1, 1], [1]], STOP), ["policy"]),
    (
        lambda: hsr.OptionSet(changed(RIGHT, (1, 3), -1), STOP),
        ["policy[1, 3] is -1"],
    ),
    (
        lambda: hsr.OptionSet(changed(RIGHT, (1, 3), 2**32), STOP),
        ["policy[1, 3]", "4294967296"],
    ),
    (
        lambda: hsr.OptionSet(changed(UNIFORM_OPTIONS, (1, 2, 0), 0.3), STOP),
        ["policy[1, 2]", "1.05"],
    ),
    (
        lambda: hsr.OptionSet(changed(UNIFORM_OPTIONS, (0, 5, 3), -0.25), STOP),
        ["policy[0, 5, 3]", "-0.25"],
    ),
    (
        lambda: hsr.OptionSet(changed(UNIFORM_OPTIONS, (0, 5, 3), np.nan), STOP),
        ["policy[0, 5, 3]", "nan"],
    ),
    (
        lambda: hsr.OptionSet(RIGHT, STOP[:, :4]),
        ["termination", "(2, 4)", "(2, 6)"],
    ),
    (
        lambda: hsr.OptionSet(RIGHT, STOP[:1]),
        ["termination", "(1, 6)", "(2, 6)"],
    ),
    (
        lambda: hsr.OptionSet(RIGHT, changed(STOP, (1, 4), 1.5)),
        ["termination[1, 4]", "1.5", "[0, 1]"],
    ),
    (
        lambda: hsr.OptionSet(RIGHT, changed(STOP, (0, 2), -0.1)),
        ["termination[0, 2]", "-0.1"],
    ),
    (
        lambda: hsr.OptionSet(RIGHT, changed(STOP, (0, 2), np.nan)),
        ["termination[0, 2]", "nan"],
    ),
    (lambda: hsr.OptionSet(RIGHT, [["x"] * S] * 2), ["termination"]),
    (
        lambda: hsr.OptionSet(RIGHT, STOP, [[True] * 4] * 2),
        ["initiation", "(2, 4)", "(2, 6)"],
    ),
    (
        lambda: hsr.OptionSet(RIGHT, STOP, np.ones((2, S))),
        ["initiation", "float64", "bool"],
    ),
    (
        lambda: hsr.OptionSet(RIGHT, STOP, names=["one"]),
        ["names has 1", "2 options"],
    ),
    (lambda: OPTIONS[2], ["option is 2", "0..1"]),
    (lambda: OPTIONS[-1], ["option is -1", "0..1"]),
]

FITTING = [
    (lambda: hsr.option_model(OTHER, OPTIONS), ["6 states", "5"]),
    (
        lambda: hsr.option_model(TWO_ACTIONS, hsr.OptionSet(UNIFORM_OPTIONS, STOP)),
        ["4 actions", "2"],
    ),
    (
        lambda: hsr.option_model(TWO_ACTIONS, hsr.OptionSet(changed(RIGHT, (1, 3), 2), STOP)),
        ["policy[1, 3] is 2", "0..1"],
    ),
    (
        lambda: hsr.option_model(MDP, RIGHT),
        ["options", "ndarray", "OptionSet"],
    ),
    (
        lambda: hsr.option_model(MDP, hsr.OptionSet(RIGHT[:0], STOP[:0]), primitives=False),
        ["no options"],
    ),
    (
        lambda: hsr.option_model(MDP, OPTIONS, task=hsr.GoalTask(None, 6)),
        ["task.goal is 6", "0..5"],
    ),
    (lambda: hsr.option_model(MDP, OPTIONS, task=3), ["task is 3", "GoalTask"]),
    (lambda: MODEL.occupancy(6), ["choice is 6", "0..5"]),
    (lambda: MODEL.stopping(-1), ["choice is -1", "0..5"]),
    (lambda: MODEL.occupancy(1.0), ["choice is 1.0", "integer"]),
    (lambda: MODEL.occupancy(4).rows([0, 6]), ["states[1] is 6", "0..5"]),
    (lambda: MODEL.occupancy(4).columns(-1), ["states[0] is -1", "0..5"]),
    (lambda: MODEL.occupancy(4) @ np.ones(5), ["(5,)", "6"]),
]

eigenoptions = partial(hsr.eigenoptions, MDP)
MAKING = [
    (lambda: eigenoptions(0), ["n_options is 0", "at least 1"]),
    (lambda: eigenoptions(1.5), ["n_options is 1.5", "integer"]),
    (lambda: eigenoptions(6), ["6 eigenvectors", "5"]),
    (
        lambda: eigenoptions(11, signs="both"),
        ["6 eigenvectors", "5"],
    ),
    (
        lambda: eigenoptions(2, signs="negative"),
        ["signs is 'negative'", "'positive', 'both'"],
    ),
    (lambda: eigenoptions(2, signs=1), ["signs is 1", "'positive'"]),
    (
        lambda: eigenoptions(2, discount=1.0),
        ["discount is 1.0", "[0, 1)"],
    ),
    (
        lambda: eigenoptions(2, discount=float("nan")),
        ["discount is nan"],
    ),
    (
        lambda: eigenoptions(1, vectors=np.ones((5, 1))),
        ["vectors", "(5, 1)", "(6, any)"],
    ),
    (
        lambda: eigenoptions(1, vectors=np.arange(6)),
        ["vectors", "(6,)"],
    ),
    (
        lambda: eigenoptions(2, vectors=np.arange(6)[:, None]),
        ["1 columns", "2 are needed"],
    ),
    (
        lambda: eigenoptions(2, vectors=np.stack([np.arange(6), np.full(6, 3.0)], axis=1)),
        ["vectors[:, 1] is constant"],
    ),
    (
        lambda: eigenoptions(1, vectors=changed(np.arange(6.0)[:, None], (2, 0), np.inf)),
        ["vectors[2, 0] is inf"],
    ),
    (lambda: hsr.map_vectors(np.ones((3, 4)), 1), ["M", "(3, 4)", "square"]),
    (lambda: hsr.map_vectors(np.eye(3), 3), ["M", "(3, 3)", "more than 3"]),
    (lambda: hsr.map_vectors(np.eye(3), 0), ["n_vectors is 0"]),
    (
        lambda: hsr.map_vectors(changed(np.eye(3), (1, 2), np.nan), 1),
        ["M[1, 2] is nan"],
    ),
    (lambda: hsr.point_options(MDP, []), ["targets is empty"]),
    (lambda: hsr.point_options(MDP, [0, 6]), ["targets[1] is 6", "0..5"]),
    (lambda: hsr.point_options(MDP, [-1]), ["targets[0] is -1"]),
    (lambda: hsr.point_options(MDP, [0.5]), ["targets", "integer"]),
    (lambda: hsr.point_options(MDP, 3), ["targets", "list"]),
    (
        lambda: hsr.random_options(MDP, 7, seed=0),
        ["n_options is 7", "6"],
    ),
    (lambda: hsr.random_options(MDP, 2, seed=None), ["seed is None"]),
    (lambda: hsr.random_options(MDP, 2, seed=-1), ["seed is -1"]),
    (lambda: hsr.random_options(MDP, 2, seed=0.5), ["seed is 0.5"]),
    (lambda: hsr.covering_options(MDP, 31), ["n_options is 31", "30"]),
    (
        lambda: hsr.covering_options(MDP, 2, initiation="nowhere"),
        ["initiation is 'nowhere'", "'point'"],
    ),
]

PLANNING = [
    (
        lambda: hsr.plan_over_options(MODEL, TASK, ties="first"),
        ["ties is 'first'", "'uniform', 'options'"],
    ),
    (lambda: hsr.plan_over_options(MODEL, 3), ["task is 3", "GoalTask"]),
    (
        lambda: hsr.plan_over_options(MODEL, hsr.GoalTask(None, 17)),
        ["task.goal is 17", "0..5"],
    ),
    (
        lambda: hsr.plan_over_options(MODEL.for_task(TASK), hsr.GoalTask(None, 1)),
        ["goal 0", "goal 1"],
    ),
    (
        lambda: hsr.plan_over_options(ALONE, TASK),
        ["no choice", "state 2"],
    ),
    (
        lambda: hsr.plan_over_options(MODEL, TASK, ties="random", seed="a"),
        ["seed is 'a'"],
    ),
]


def mu_cases(use):
    """Return the bad policies over choices, each given to one function of (model, mu)."""
    return [
        (
            lambda: use(MODEL, MU[:, :4]),
            ["mu", "(6, 4)", "(6, 6)", "4 primitives", "2 options"],
        ),
        (lambda: use(MODEL, np.zeros((7, S))), ["mu", "(7, 6)", "(6, 6)"]),
        (lambda: use(MODEL, MU[0]), ["mu", "(6,)"]),
        (lambda: use(MODEL, [["a"] * 6] * 6), ["mu"]),
        (lambda: use(MODEL, changed(MU, (2, 1), -0.25)), ["mu[2, 1] is -0.25"]),
        (lambda: use(MODEL, changed(MU, (2, 1), np.nan)), ["mu[2, 1] is nan"]),
        (lambda: use(MODEL, changed(MU, (3, 0), np.inf)), ["mu[3, 0] is inf"]),
        (lambda: use(MODEL, changed(MU, (4, 3), 0.2)), ["mu[4] sums to 0.95"]),
        (
            lambda: use(MODEL, changed(MU, (4, 3), 0.25001)),
            ["mu[4] sums to 1.00001"],
        ),
        (
            lambda: use(MODEL, changed(changed(MU, (2, 5), 0.25), (2, 0), 0.0)),
            ["mu[2, 5]", "choice 5", "not available in state 2"],
        ),
    ]


MAPS = [
    *mu_cases(hsr.hierarchical_sr),
    *mu_cases(lambda model, mu: hsr.hsr_bellman(model, mu, np.eye(S))),
    *mu_cases(lambda model, mu: hsr.learn_hsr(MDP, OPTIONS, mu, steps=1)),
    (
        lambda: hsr.hierarchical_sr(MODEL, MU, stopping_state="counted"),
        ["stopping_state is 'counted'", "'counted_once', 'counted_twice'"],
    ),
    (
        lambda: hsr.hsr_bellman(MODEL, MU, np.eye(S), stopping_state=2),
        ["stopping_state is 2"],
    ),
    (
        lambda: hsr.hsr_bellman(MODEL, MU, np.eye(5)),
        ["M", "(5, 5)", "(6, 6)"],
    ),
    (
        lambda: hsr.hsr_bellman(MODEL, MU, changed(np.eye(S), (0, 1), np.nan)),
        ["M[0, 1] is nan"],
    ),
    (
        lambda: hsr.successor_representation(MDP, np.ones((S, 2)) / 2),
        ["policy", "(6, 2)", "(6, 4)"],
    ),
    (
        lambda: hsr.successor_representation(MDP, changed(UNIFORM, (3, 1), 0.5)),
        ["policy[3] sums to 1.25"],
    ),
    (
        lambda: hsr.successor_representation(MDP, changed(UNIFORM, (3, 1), -0.5)),
        ["policy[3, 1] is -0.5"],
    ),
    (
        lambda: hsr.successor_representation(MDP, task=hsr.GoalTask(None, 6)),
        ["task.goal is 6"],
    ),
    (lambda: hsr.expected_sr(MDP, []), ["tasks is empty"]),
    (
        lambda: hsr.expected_sr(MDP, [TASK], ties="options"),
        ["ties is 'options'", "'first'"],
    ),
    (
        lambda: hsr.expected_sr(MDP, [TASK, hsr.GoalTask(None, 6)]),
        ["task.goal is 6"],
    ),
    (lambda: hsr.expected_sr(MDP, [TASK, 4]), ["task is 4"]),
    (lambda: hsr.expected_sr(MDP, TASK), ["tasks"]),
    (
        lambda: hsr.expected_sr(MDP, [TASK], ties="random", seed=None),
        ["seed is None"],
    ),
    (
        lambda: hsr.expected_sr(MDP, [TASK], ties="random", seed=np.random.default_rng(0)),
        ["seed"],
    ),
    (lambda: hsr.expected_hsr(MDP, OPTIONS, []), ["tasks is empty"]),
    (
        lambda: hsr.expected_hsr(MDP, OPTIONS, [TASK], ties="first"),
        ["ties is 'first'"],
    ),
    (
        lambda: hsr.expected_hsr(MDP, OPTIONS, [TASK], stopping_state="never"),
        ["stopping_state is 'never'"],
    ),
    (
        lambda: hsr.expected_hsr(OTHER, OPTIONS, [TASK]),
        ["6 states", "5"],
    ),
]

LEARNING = [
    ({"steps": -1}, ["steps is -1", "at least 0"]),
    ({"steps": 0.5}, ["steps is 0.5", "integer"]),
    ({"steps": 1e6}, ["steps is 1000000.0", "integer"]),
    ({"learning_rate": 0.0}, ["learning_rate is 0.0", "(0, 1]"]),
    ({"learning_rate": 1.5}, ["learning_rate is 1.5", "(0, 1]"]),
    (
        {"learning_rate": float("nan")},
        ["learning_rate is nan", "finite"],
    ),
    ({"learning_rate": "small"}, ["learning_rate is 'small'", "number"]),
    ({"decay": -1.0}, ["decay is -1.0"]),
    (
        {"initial_map": "ones"},
        ["initial_map is 'ones'", "'identity', 'zero'"],
    ),
    ({"task": hsr.GoalTask(None, 6)}, ["task.goal is 6"]),
    ({"seed": None}, ["seed is None"]),
]
LEARNERS = {
    "sr": lambda **settings: hsr.learn_sr(MDP, UNIFORM, **{"steps": 1, **settings}),
    "hsr": lambda **settings: hsr.learn_hsr(MDP, OPTIONS, MU, **{"steps": 1, **settings}),
}


def table(cases):
    """Return the cases as parameters named by the words that the message must hold."""
    return [pytest.param(call, words, id="; ".join(words)) for call, words in cases]


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
OF_A_LAYOUT = [
    (hsr.eigenoptions,),
    (hsr.point_options, [0]),
    (partial(hsr.random_options, seed=0), 2),
    (hsr.covering_options,),
    (hsr.successor_options,),
    (hsr.betweenness_options,),
    (hsr.diffusion_options,),
    (hsr.option_model, OPTIONS),
    (hsr.successor_representation,),
    (hsr.expected_sr, [TASK]),
    (hsr.expected_hsr, OPTIONS, [TASK]),
    (hsr.learn_sr,),
    (hsr.learn_hsr, OPTIONS, MU),
]
OF_AN_MDP = [
    (hsr.plan_over_options, TASK),
    (hsr.uniform_choice,),
    (hsr.hierarchical_sr, MU),
    (hsr.hsr_bellman, MU, np.eye(S)),
]
WRONG_KINDS = [
    *[(partial(call, LAYOUT, *rest), ["mdp", "GridLayout"]) for call, *rest in OF_A_LAYOUT],
    *[(partial(call, MDP, *rest), ["FiniteMDP", "OptionModel"]) for call, *rest in OF_AN_MDP],
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
