"""The occupancy of a Markov chain and the resolvent behind it, against dense inverses and defining
identities.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from tests.cases import raises
from tests.oracles.random_mdps import mdps, with_policy
from tests.oracles.random_options import tables
from tests.oracles.views import check_views
from tests.strategies import assert_refused, bad_distributions, bad_probabilities

import hsr
from hsr.mdp.chain import check_policy, policy_chain
from hsr.mdp.resolvent import Resolvent

# Entries are at most 1 / (1 - 0.99) = 100 and so is the condition number: rounding stays near 1e-16
# * 100 * 100.
CLOSE = {"rtol": 1e-11, "atol": 1e-11}
POSITIVE = (0.25, 0.5, 0.9, 0.99)


def dense_chain(mdp, policy):
    """P_pi by its definition, one row at a time."""
    transition = mdp.toarray()
    return np.array([pi @ rows for pi, rows in zip(policy, transition, strict=True)])


@st.composite
def substochastic(draw, acyclic):
    """A non-negative matrix with row sums of at most 1; without a cycle if so asked, under a random
    numbering.
    """
    n = draw(st.integers(1, 8))
    weights = draw(tables((n, n), st.integers(0, 3)))
    if acyclic:
        weights = np.triu(weights, k=1)
    order = np.array(draw(st.permutations(range(n))))
    C = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1.0)
    return 0.9 * C[np.ix_(order, order)]


def has_cycle(C):
    """A graph of n states has a cycle exactly if it has a walk of n edges."""
    return bool(np.linalg.matrix_power((C > 0).astype(object), C.shape[0]).any())


@given(with_policy(mdps()))
def test_policy_chain_is_the_mixture_of_the_actions(pair):
    mdp, policy = pair
    chain = policy_chain(mdp, policy)
    assert_allclose(chain.toarray(), dense_chain(mdp, policy), rtol=0, atol=1e-15)
    assert chain.has_canonical_format
    assert (chain.data != 0.0).all()


@given(with_policy(mdps()), st.sampled_from(POSITIVE))
def test_occupancy_is_the_inverse_however_it_is_asked_for(pair, discount):
    P = dense_chain(*pair)
    expected = np.linalg.inv(np.eye(len(P)) - discount * P)
    states = np.arange(len(P))[::-1]
    check_views(hsr.MarkovChain(P).occupancy(discount), expected, states, **CLOSE)


@given(with_policy(mdps()), st.sampled_from(POSITIVE))
def test_occupancy_satisfies_its_recursion_and_its_row_sums(pair, discount):
    P = dense_chain(*pair)
    M = hsr.MarkovChain(sparse.csr_array(P)).occupancy(discount)
    dense, eye = M.toarray(), np.eye(len(P))
    assert_allclose(dense, eye + discount * P @ dense, **CLOSE)
    assert_allclose(dense, eye + discount * dense @ P, **CLOSE)
    assert_allclose(M @ np.ones(len(P)), 1.0 / (1.0 - discount), rtol=1e-11)
    assert (dense >= 0.0).all()
    assert (dense.diagonal() >= 1.0).all()


@given(with_policy(mdps()))
def test_occupancy_without_a_future_is_the_identity(pair):
    P = dense_chain(*pair)
    assert_array_equal(hsr.MarkovChain(P).occupancy(0.0).toarray(), np.eye(P.shape[0]))


@given(with_policy(mdps()), st.sampled_from(POSITIVE), st.randoms(use_true_random=False))
def test_occupancy_follows_a_new_numbering_of_the_states(pair, discount, random):
    P = dense_chain(*pair)
    order = list(range(len(P)))
    random.shuffle(order)
    turned = np.ix_(order, order)
    before, after = (hsr.MarkovChain(X).occupancy(discount).toarray() for X in (P, P[turned]))
    assert_allclose(after, before[turned], **CLOSE)


@pytest.mark.parametrize("name", ["four_rooms", "loop", "corridor", "paired_bottlenecks"])
def test_random_walk_on_a_map_and_its_occupancy_are_symmetric(name):
    chain = hsr.MarkovChain.from_policy(hsr.grid_mdp(name, discount=0.9))
    assert chain.is_symmetric
    M = chain.occupancy(0.9).toarray()
    assert_allclose(M, M.T, rtol=0, atol=1e-13)


@pytest.mark.parametrize("acyclic", [True, False])
@given(data=st.data())
def test_resolvent_finds_cycles_and_solves_with_and_without_them(acyclic, data):
    C = data.draw(substochastic(acyclic))
    resolvent = Resolvent.of(sparse.csr_array(C))
    expected = np.linalg.inv(np.eye(len(C)) - C)
    assert resolvent.is_acyclic == (not has_cycle(C))
    if acyclic:
        assert resolvent.is_acyclic
        place = np.argsort(resolvent.order)
        assert all(place[t] < place[s] for s, t in np.argwhere(C > 0))
        assert_allclose(resolvent.as_matrix().toarray(), expected, **CLOSE)
    B = np.arange(3.0 * len(C)).reshape(-1, 3) - 4.0
    for block in (B, np.asfortranarray(B), B[:, :1].copy()):
        kept = block.copy()
        assert_allclose(resolvent.solve(block), expected @ kept, **CLOSE)
        assert_allclose(resolvent.solve_transpose(block), expected.T @ kept, **CLOSE)
        assert_array_equal(block, kept)


def test_resolvent_of_a_long_corridor_uses_no_recursion():
    n = 200_000
    C = sparse.diags_array(np.full(n - 1, 0.5), offsets=1, shape=(n, n), format="csr")
    resolvent = Resolvent.of(C)
    assert resolvent.is_acyclic
    # x(s) = 1 + x(s + 1) / 2 ends with x = 1, so x(s) = 2 - 2^-(n - 1 - s).
    x = resolvent.solve(np.ones((n, 1)))[:, 0]
    assert_allclose(x, 2.0 - 0.5 ** np.arange(n - 1.0, -1.0, -1.0), rtol=1e-15)


def test_parts_are_the_weakly_connected_sets_in_order_of_their_first_states():
    matrix = np.zeros((6, 6))
    for s, t in [(0, 4), (4, 4), (1, 1), (2, 5), (5, 3), (3, 3)]:
        matrix[s, t] = 1.0
    parts = hsr.MarkovChain(matrix).parts
    assert [part.tolist() for part in parts] == [[0, 4], [1], [2, 3, 5]]


def test_bad_matrices_discounts_and_policies_are_refused():
    assert_refused(lambda matrix: hsr.MarkovChain(matrix), "matrix", bad_distributions((3, 3)))
    for matrix in (np.ones((2, 3)) / 3, np.ones((0, 0)), sparse.coo_array(np.ones(3))):
        with raises(r"matrix has shape"):
            hsr.MarkovChain(matrix)
    chain = hsr.MarkovChain([[1.0]])
    assert_refused(chain.occupancy, "discount", bad_probabilities(high=0.99999))
    mdp = hsr.FiniteMDP(np.full((2, 3, 2), 0.5), discount=0.9)
    assert_refused(
        lambda policy: hsr.MarkovChain.from_policy(mdp, policy), "policy", bad_distributions((2, 3))
    )


def test_the_default_policy_is_the_uniform_walk():
    mdp = hsr.FiniteMDP(np.full((2, 5, 2), 0.5), discount=0.9)
    for policy in (check_policy(mdp, None), hsr.uniform_policy(mdp)):
        assert_array_equal(policy, np.full((2, 5), 0.2))


ENTERED, LEADING = {7, 50, 110}, {3, 50, 90}


@pytest.mark.parametrize("crowded", [(ENTERED, ()), ((), LEADING), (ENTERED, LEADING)])
def test_states_with_many_predecessors_or_successors_are_eliminated_last(crowded):
    """A ring in which some states are entered from everywhere, and some lead everywhere."""
    n, rng = 120, np.random.default_rng(0)
    C = np.roll(np.eye(n), 1, axis=1) * 0.4
    entered, leading = map(sorted, crowded)
    C[:, entered] += rng.random((n, len(entered))) * 0.15
    C[leading] += rng.random((len(leading), n)) / n
    resolvent, block = Resolvent.of(sparse.csr_array(C)), rng.standard_normal((n, 2))
    expected = np.linalg.inv(np.eye(n) - C)
    assert_allclose(resolvent.solve(block), expected @ block, rtol=1e-11, atol=1e-12)
    assert_allclose(resolvent.solve_transpose(block), expected.T @ block, rtol=1e-11, atol=1e-12)
    last = {*entered, *leading}
    assert set(resolvent._factor.order[-len(last) :].tolist()) == last
