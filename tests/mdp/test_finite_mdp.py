"""`FiniteMDP`: every form of transitions, bad input, tables of Gymnasium."""

import pickle
import re

import gymnasium
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import hsr
from hsr.mdp.task import step_rewards
from tests.cases import cases, raises
from tests.oracles.exact_values import support
from tests.oracles.random_mdps import mdps
from tests.strategies import assert_refused, bad_distributions, bad_indices, bad_probabilities

FORMATS = ["csr", "csc", "coo", "lil", "bsr", "dok", "dia"]


@given(mdps(), st.sampled_from(FORMATS))
def test_dense_and_sparse_forms_make_the_same_mdp(mdp, form):
    dense = mdp.toarray()
    matrices = [
        sparse.coo_array(dense[:, action]).asformat(form) for action in range(mdp.n_actions)
    ]
    for given_form in (dense, dense.tolist(), matrices, tuple(matrices)):
        made = hsr.FiniteMDP(given_form, discount=mdp.discount)
        for name in ("n_states", "n_actions", "discount", "is_deterministic"):
            assert getattr(made, name) == getattr(mdp, name)
        assert_array_equal(made.toarray(), dense)


@given(mdps())
def test_each_action_has_one_canonical_sparse_matrix(mdp):
    dense = mdp.toarray()
    for action in range(mdp.n_actions):
        matrix = mdp.transition_of(action)
        assert sparse.issparse(matrix)
        assert matrix.format == "csr"
        assert matrix.has_canonical_format
        assert matrix.nnz == np.count_nonzero(dense[:, action])
        assert_array_equal(matrix.toarray(), dense[:, action])


@given(mdps())
def test_certain_outcomes_are_recognised(mdp):
    dense = mdp.toarray()
    assert mdp.is_deterministic == (dense.max(axis=2) == 1.0).all()
    assert mdp.is_deterministic == (mdp.successors is not None)
    if mdp.is_deterministic:
        assert_array_equal(mdp.successors, dense.argmax(axis=2))


@given(mdps())
def test_predecessors_are_the_edges_turned_round(mdp):
    indptr, indices = mdp.predecessors
    ahead = support(mdp)
    for t in range(mdp.n_states):
        assert set(indices[indptr[t] : indptr[t + 1]].tolist()) == {
            s for s in ahead if t in ahead[s]
        }


def test_duplicate_and_explicit_zero_entries_are_read_as_their_sum():
    rows, columns = [0, 0, 0, 1, 1], [1, 1, 0, 0, 1]
    matrix = sparse.coo_array(([0.5, 0.5, 0.0, 1.0, 0.0], (rows, columns)), shape=(2, 2))
    repeated = (np.array([0.5, 0.0, 0.5, 1.0, 0.0]), np.array([1, 0, 1, 0, 1]), np.array([0, 3, 5]))
    for given_form in (matrix, sparse.csr_array(repeated, shape=(2, 2))):
        mdp = hsr.FiniteMDP([given_form], discount=0.9)
        assert mdp.successors.tolist() == [[1], [0]]
        assert mdp.transition_of(0).nnz == 2


def test_nearly_certain_is_not_certain_and_kept_as_it_is():
    transition = np.eye(2)[:, None].copy()
    for row in ([1.0 - 1e-12, 1e-12], [1.0 - 5e-9, 0.0], [0.5, 0.5 + 5e-9]):
        transition[0, 0] = row
        mdp = hsr.FiniteMDP(transition, discount=0.9)
        assert mdp.successors is None
        assert_array_equal(mdp.toarray(), transition)


def stay(n=2):
    return sparse.csr_array(np.eye(n))


def test_transitions_that_are_no_distributions_are_refused():
    def make(transition):
        hsr.FiniteMDP(transition, discount=0.9)

    assert_refused(make, "transition", bad_distributions((4, 3, 4)))
    assert_refused(
        lambda sparse_form: make([stay(4), sparse.csr_array(sparse_form)]),
        "sparse_form",
        bad_distributions((4, 4)).filter(lambda x: getattr(x, "shape", None) == (4, 4)),
        said=r"transition\[\d, 1",
    )


@cases(
    "transition, says",
    {
        "row": ([[[0.5, 0.48]], [[0, 1]]], "transition[0, 0] sums to 0.98; rows must sum to 1"),
        "entry": ([[[1.5, -0.5]], [[0, 1]]], "transition[0, 0, 1] is -0.5"),
        "outside the tolerance": ([[[1.0, 2e-8]], [[0, 1]]], "[0, 0] sums to 1.00000002"),
        "no actions": (np.zeros((3, 0, 3)), "transition has shape (3, 0, 3)"),
        "no sparse states": ([sparse.csr_array((0, 0))], "no states"),
        "one sparse matrix": (sparse.eye_array(2), "one (S, S) matrix per action"),
        "two sizes": ([sparse.eye_array(2), sparse.eye_array(3)], "action 1 has shape (3, 3)"),
        "sparse and dense": ([sparse.eye_array(2), np.eye(2)], "matrix of action 1 is of type"),
        "one axis": ([sparse.coo_array(np.ones(3))], "matrix of action 0 has shape (3,)"),
        "complex": ([sparse.eye_array(2) * (1 + 1j)], "must hold real numbers"),
    },
)
def test_transitions_of_another_form_are_refused_with_what_and_where(transition, says):
    with pytest.raises(ValueError, match=re.escape(says)) as caught:
        hsr.FiniteMDP(transition, discount=0.9)
    assert isinstance(caught.value, hsr.HSRError)


def test_bad_discounts_and_actions_are_refused():
    bad = bad_probabilities(high=0.99999)
    assert_refused(lambda discount: hsr.FiniteMDP([stay()], discount), "discount", bad)
    mdp = hsr.FiniteMDP([stay(), stay()], discount=0.9)
    assert_refused(lambda action: mdp.transition_of(action), "action", bad_indices(2))


@cases("transition", {"random": np.full((2, 1, 2), 0.5), "certain": np.eye(2)[:, None]})
def test_arrays_cannot_be_written_even_after_a_round_trip_through_pickle(transition):
    mdp = hsr.FiniteMDP(transition, discount=0.9)
    for made in (mdp, pickle.loads(pickle.dumps(mdp))):
        matrix = made.transition_of(0)
        assert_array_equal(made.toarray(), transition)
        for array in (matrix.data, matrix.indices, matrix.indptr, *made.predecessors):
            assert not array.flags.writeable
        assert made.successors is None or not made.successors.flags.writeable


def test_the_callers_arrays_are_neither_changed_nor_shared():
    halves = (np.array([0.5, 0.5, 1.0]), np.array([1, 1, 0]), np.array([0, 2, 3]))
    matrix, dense = sparse.csr_array(halves, shape=(2, 2)), np.full((2, 1, 2), 0.5)
    from_sparse, from_dense = (hsr.FiniteMDP(given, 0.9) for given in ([matrix], dense))
    assert matrix.nnz == 3
    matrix.data[:] = dense[:] = 7.0
    assert from_sparse.toarray()[:, 0].tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert (from_dense.toarray() == 0.5).all()


def test_the_dense_array_of_a_large_mdp_is_refused_before_it_is_made():
    mdp = hsr.FiniteMDP([sparse.eye_array(10**6, format="csr")], discount=0.9)
    with pytest.raises(hsr.toolkit.TooLargeError, match=r"000 bytes.*transition_of\(action\)"):
        mdp.toarray()


# Tables of Gymnasium.


def latest(name):
    """Return the id of the newest version of an environment, whatever this Gymnasium calls it."""
    return max(
        (key for key in gymnasium.registry if key.startswith(f"{name}-v")),
        key=lambda key: int(key.split("-v")[1]),
    )


TABLES = {
    "FrozenLake, slippery": ("FrozenLake", {"is_slippery": True}),
    "FrozenLake, firm": ("FrozenLake", {"is_slippery": False}),
    "FrozenLake, large": ("FrozenLake", {"map_name": "8x8"}),
    "CliffWalking": ("CliffWalking", {}),
    "Taxi": ("Taxi", {}),
}


@pytest.fixture(params=TABLES.values(), ids=TABLES, scope="module")
def env(request):
    name, settings = request.param
    return gymnasium.make(latest(name), **settings)


def read_table(env):
    """Return (transition (S, A, S), reward (S, A), terminal (S,)) by reading the table entry by
    entry.
    """
    table = env.unwrapped.P
    n_states, n_actions = int(env.observation_space.n), int(env.action_space.n)
    entries = [(s, a, *entry) for s in table for a in table[s] for entry in table[s][a]]
    terminal = np.zeros(n_states, dtype=bool)
    terminal[[t for *_, t, _, ends in entries if ends]] = True
    transition, reward = np.zeros((n_states, n_actions, n_states)), np.zeros((n_states, n_actions))
    for s, a, p, t, r, _ in entries:
        transition[s, a, s if terminal[s] else t] += p
        reward[s, a] += 0.0 if terminal[s] else p * r
    return transition, reward, terminal


def test_gymnasium_tables_are_read_entry_by_entry(env):
    transition, reward, _ = read_table(env)
    mdp = hsr.from_gymnasium(env, discount=0.95)
    assert mdp.discount == 0.95
    assert_allclose(mdp.toarray(), transition, rtol=0, atol=1e-15)
    # Rewards are expectations, and nothing is paid after the end.
    paid = step_rewards(mdp, hsr.RewardTask(mdp)).expected
    assert_allclose(paid, reward, rtol=1e-14, atol=1e-15)


def test_gymnasium_mdp_does_what_the_environment_does(env):
    mdp = hsr.from_gymnasium(env, discount=0.9)
    P = mdp.toarray()
    absorbing = (np.einsum("sas->sa", P) == 1.0).all(axis=1)
    rng, met = np.random.default_rng(0), np.zeros(P.shape)
    state, _ = env.reset(seed=0)
    for _ in range(3000):
        action = int(rng.integers(mdp.n_actions))
        arrival, _, terminated, truncated, _ = env.step(action)
        met[state, action, arrival] += 1
        assert terminated == absorbing[arrival]
        state = arrival if not (terminated or truncated) else env.reset()[0]
    assert (P[met > 0] > 0.0).all()
    visits = met.sum(axis=2, keepdims=True)
    # Binomial counts: five standard deviations, and one count for rows seen rarely.
    bound = 5.0 * np.sqrt(visits * P * (1.0 - P)) + (P < 1.0)
    assert (np.abs(met - visits * P) <= bound).all()


class Table:
    """An environment that is nothing but its table."""

    def __init__(self, P):
        self.P = P


def one_row(*outcomes):
    """Return the table of one state and one action with these outcomes."""
    return Table({0: {0: list(outcomes)}})


STAY = [(1.0, 0, 0.0, False)]


@cases(
    "bad, says",
    {
        "nothing at all": (None, "NoneType has no transition table"),
        "a number": (Table(3), "no transition table"),
        "a state is missing": (Table({0: {0: STAY}, 2: {0: STAY}}), "P[1]"),
        "an action is missing": (Table({0: {0: STAY, 1: STAY}, 1: {0: STAY}}), "P[1] does not"),
        "a state without actions": (Table({0: 3}), "P[0]"),
        "next state outside": (one_row((1.0, 1, 0.0, False)), "P[0][0] is [(1.0, 1, 0.0, False)]"),
        "next state between": (one_row((1.0, 0.5, 0.0, False)), "P[0][0] is [(1.0, 0.5, 0.0"),
        "three fields": (one_row((1.0, 0, 0.0)), "P[0][0] is [(1.0, 0, 0.0)]"),
        "no distribution": (one_row((0.5, 0, 0.0, False)), "sums to 0.5; rows must sum to 1"),
    },
)
def test_bad_tables_are_refused_with_what_and_where(bad, says):
    with raises(re.escape(says)):
        hsr.from_gymnasium(bad, discount=0.9)


def test_a_table_of_successors_is_the_same_mdp_as_its_dense_array():
    table = np.array([[1, 0], [2, 2], [0, 1]])
    mdp = hsr.FiniteMDP.from_successors(table, discount=0.8)
    assert (mdp.n_states, mdp.n_actions, mdp.discount) == (3, 2, 0.8)
    assert_array_equal(mdp.toarray(), np.eye(3)[table])
    table[0, 0] = 0
    assert mdp.successors[0, 0] == 1
    assert mdp.transition_of(1) is mdp.transition_of(1)


def test_bad_tables_of_successors_are_refused():
    def make(entry):
        hsr.FiniteMDP.from_successors([[0, entry], [1, 1]], discount=0.9)

    assert_refused(make, "entry", st.floats().filter(lambda x: x not in (0, 1)), r"\[0, 1\] is ")
    for table in ([0, 1], np.zeros((0, 3)), [[0], [0, 1]], "up"):
        with raises("successors (has shape|cannot be read as integers)"):
            hsr.FiniteMDP.from_successors(table, discount=0.9)
