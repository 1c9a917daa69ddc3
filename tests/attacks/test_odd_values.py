"""Attacks with values that Python or NumPy handle oddly: huge, masked, complex, ragged."""

import numpy as np
import pytest
from scipy import sparse

import hsr
from hsr._base.shown import shown
from tests.cases import cases, raises

BIG = 10**5000  # Python refuses to write an integer of more than 4,300 digits
HALVES = np.full((2, 1, 2), 0.5)
ROW = hsr.GridLayout.from_text(".....")
MDP = hsr.grid_mdp(ROW, discount=0.9)
TASK = hsr.GoalTask(0, 4)
MODEL = hsr.option_model(MDP, hsr.point_options(MDP, [4]))
CHAIN = hsr.MarkovChain.from_policy(MDP)
MAP = hsr.successor_representation(MDP)

HUGE = {
    "discount": lambda big: hsr.FiniteMDP(HALVES, big),
    "slip": lambda big: hsr.grid_mdp(ROW, slip=big),
    "transition": lambda big: hsr.FiniteMDP([[[big]]], 0.9),
    "successors": lambda big: hsr.FiniteMDP.from_successors([[big]], 0.9),
    "labels": lambda big: hsr.FiniteMDP(HALVES, 0.9, labels=big),
    "state_of": lambda big: hsr.FiniteMDP(HALVES, 0.9, labels=["a", "b"]).state_of(big),
    "action": MDP.transition_of,
    "goal": lambda big: hsr.GoalTask(0, big),
    "cell": lambda big: hsr.GoalTask((big, 0), 0),
    "continuing": lambda big: hsr.GoalTask(0, 1, continuing=big),
    "task": lambda big: hsr.optimal_value(MDP, big),
    "ties": lambda big: hsr.greedy_policy(MDP, TASK, ties=big),
    "ties of plans": lambda big: hsr.plan_over_options(MODEL, TASK, ties=big),
    "targets": lambda big: hsr.point_options(MDP, [big]),
    "eigenoptions": lambda big: hsr.eigenoptions(MDP, big),
    "signs": lambda big: hsr.eigenoptions(MDP, 1, signs=big),
    "covering_options": lambda big: hsr.covering_options(MDP, big),
    "random_options": lambda big: hsr.random_options(MDP, big, seed=0),
    "leading_vectors": lambda big: hsr.leading_vectors(CHAIN, big),
    "policy": lambda big: hsr.OptionSet([[big]], [[1]]),
    "termination": lambda big: hsr.OptionSet([[0]], [[big]]),
    "initiation": lambda big: hsr.OptionSet([[0]], [[1]], [[big]]),
    "names": lambda big: hsr.OptionSet([[0]], [[1]], names=big),
    "option": lambda big: MODEL.options[big],
    "rows": MAP.rows,
    "product": lambda big: MAP @ [big] * 5,
    "steps": lambda big: hsr.learn_sr(MDP, steps=big),
    "learning_rate": lambda big: hsr.learn_sr(MDP, steps=1, learning_rate=big),
    "epsilon": lambda big: hsr.LinearQ(epsilon=big),
    "bonus": lambda big: hsr.Sarsa(bonus=big),
    "episodes": lambda big: hsr.train(MDP, [TASK], hsr.LinearQ(), seeds=[0], episodes=big),
    "until": lambda big: hsr.train(MDP, [TASK], hsr.LinearQ(), seeds=[0], until=[big]),
    "seeds": lambda big: hsr.train(MDP, [TASK], hsr.LinearQ(), seeds=big),
    "maze": lambda big: hsr.random_maze(big, seed=0),
}


@cases("call", HUGE)
def test_huge_integers_are_refused_in_a_short_message(call):
    for big in (BIG, -BIG):
        with raises("must|numbers|no state") as caught:
            call(big)
        assert len(str(caught.value)) < 300


def test_a_seed_may_have_any_number_of_digits():
    assert hsr.random_options(MDP, 2, seed=2**4000).names
    with raises("seed is an integer of about 5001 digits; it must be an integer of at least 0"):
        hsr.random_options(MDP, 2, seed=-BIG)


@pytest.mark.parametrize(
    "value",
    [0, "x" * 200, [BIG], {"a": BIG}, 10**39, -(10**6000)],
    ids=lambda value: shown(value, 9),
)
def test_every_value_can_be_shown(value):
    assert 0 < len(shown(value)) <= 80


def test_a_value_whose_text_fails_is_named_by_its_type():
    class Odd:
        def __repr__(self):
            raise RuntimeError("no text")

    with raises("discount is an Odd; it must be a number"):
        hsr.FiniteMDP(HALVES, Odd())


def masked(values):
    """Return the values with the first one masked."""
    array = np.ma.masked_array(values, mask=np.zeros(np.shape(values), dtype=bool))
    array.mask.flat[0] = True
    return array


MASKED = {
    "transition": lambda: hsr.FiniteMDP(masked(HALVES), 0.9),
    "list": lambda: hsr.FiniteMDP([[masked([0.5, 0.5])], [[0.5, 0.5]]], 0.9),
    "successors": lambda: hsr.FiniteMDP.from_successors(masked([[0, 1], [0, 1]]), 0.9),
    "chain": lambda: hsr.MarkovChain(masked(np.eye(2))),
    "policy": lambda: hsr.OptionSet(masked([[0, 0]]), [[1, 1]]),
    "probabilities": lambda: hsr.OptionSet(masked(np.ones((1, 2, 1))), [[1, 1]]),
    "termination": lambda: hsr.OptionSet([[0, 0]], masked([[1.0, 1.0]])),
    "initiation": lambda: hsr.OptionSet([[0, 0]], [[1, 1]], masked([[True, True]])),
    "targets": lambda: hsr.point_options(MDP, masked([1, 2])),
    "product": lambda: MAP @ masked(np.ones(5)),
    "mu": lambda: hsr.hierarchical_sr(MODEL, masked(hsr.uniform_choice(MODEL))),
    "SVDBasis": lambda: hsr.SVDBasis(2).fit(masked(np.eye(5))),
    "NMFBasis": lambda: hsr.NMFBasis(2).fit(masked(np.eye(5))),
}


@cases("call", MASKED)
def test_masked_entries_are_refused(call):
    with raises("masked entries"):
        call()


def test_an_array_that_could_have_a_mask_is_read():
    assert hsr.FiniteMDP(np.ma.masked_array(HALVES), 0.9).n_states == 2


IMAGINARY = {
    "transition": lambda: hsr.FiniteMDP(HALVES + 1j, 0.9),
    "objects": lambda: hsr.FiniteMDP(np.array([[[np.complex128(1 + 1j)]]], dtype=object), 0.9),
    "sparse transition": lambda: hsr.FiniteMDP([sparse.csr_array(np.eye(2) * 1j)], 0.9),
    "sparse chain": lambda: hsr.MarkovChain(sparse.csr_array(np.eye(2) * (1 + 1j))),
    "discount": lambda: hsr.FiniteMDP(HALVES, np.complex128(0.5 + 1j)),
    "small discount": lambda: hsr.FiniteMDP(HALVES, np.complex64(0.5)),
    "mu": lambda: hsr.hierarchical_sr(MODEL, hsr.uniform_choice(MODEL) + 1j),
    "product": lambda: MAP @ (np.ones(5) + 1j),
    "arrive": lambda: MODEL.arrive(4, np.ones(5) + 1j),
    "vectors": lambda: hsr.eigenoptions(MDP, 1, vectors=np.arange(5.0)[:, None] + 1j),
    "NMFBasis": lambda: hsr.NMFBasis(2).fit(np.eye(5) + 1j),
}


@cases("call", IMAGINARY)
@pytest.mark.filterwarnings("error")
def test_imaginary_parts_are_refused(call):
    with raises("number|Complex data"):
        call()


@cases(
    "initiation",
    {"ragged": [[True], [True, False]], "text": "no", "numbers": [[1, 0]], "flat": [True, False]},
)
def test_initiations_that_are_no_table_are_refused(initiation):
    with raises("initiation .* it must be bool of shape \\(1, 2\\)"):
        hsr.OptionSet([[0, 0]], [[1, 1]], initiation)


@cases("names", {"None": None, "a number": 5, "one text": "a"})
def test_names_that_are_no_list_are_refused(names):
    with raises("names is .*; it must be a list of 1 strings"):
        hsr.OptionSet([[0, 0]], [[1, 1]], names=names)


@pytest.mark.parametrize(
    "method", ["is_jump", "chain_of", "occupancy", "stopping", "arrival_of", "running_of", "arrive"]
)
@pytest.mark.parametrize("choice", [-1, 5, BIG, None, "right", 1.0, True, np.ma.masked], ids=shown)
def test_methods_of_models_check_their_choice(method, choice):
    more = [np.ones(5)] if method == "arrive" else []
    with raises("choice is .*; it must .* 0..4"):
        getattr(MODEL, method)(choice, *more)


@pytest.mark.parametrize("option", [-1, 1, BIG, None, True], ids=shown)
def test_termination_of_checks_its_option(option):
    with raises("option is .*; it must .* 0..0"):
        MODEL.termination_of(option)


@pytest.mark.parametrize("method", ["arrival_of", "running_of"])
def test_primitive_actions_do_not_run(method):
    with raises("choice is 0, a primitive action; options are the choices 4..4"):
        getattr(MODEL, method)(0)


def test_arrive_wants_a_number_for_each_state():
    with raises("x has shape"):
        MODEL.arrive(4, np.ones(3))
