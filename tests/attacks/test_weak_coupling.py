"""Walks whose parts are joined by small probabilities: resolved above 1e-11, refused below.

In the walks here all states of a group are alike: each moves to every state of another group with
the same probability. So the vectors between groups are constant on groups, and are those of the
small matrix of the probabilities between groups, which has a closed form.
"""

import numpy as np
import pytest
from scipy import sparse

import hsr
from tests.cases import raises

COUPLINGS = [1e-4, 1e-7, 1e-9]


def walk(size, *couplings):
    """Return rings of `size` states in a row, neighbours joined by the given probabilities."""
    k = len(couplings) + 1
    ring = 0.2 * (np.roll(np.eye(size), 1, axis=0) + np.roll(np.eye(size), -1, axis=0))
    P = np.kron(np.eye(k), ring)
    for group, coupling in enumerate(couplings):
        here, there = (slice(g * size, (g + 1) * size) for g in (group, group + 1))
        P[here, there] = P[there, here] = coupling / size
    np.fill_diagonal(P, 0.0)
    np.fill_diagonal(P, 1.0 - P.sum(axis=1))
    return hsr.MarkovChain(sparse.csr_array(P))


def on_groups(heights, size):
    """Return the vector of length 1 with these values on groups, by the rule of signs."""
    v = np.repeat(heights, size)
    return v / np.linalg.norm(v) * np.sign(v[np.argmax(np.abs(v) >= np.abs(v).max() * (1 - 1e-6))])


def assert_eigenvectors(chain, eigenvalues, vectors):
    P = chain.matrix
    np.testing.assert_allclose(P @ vectors, vectors * eigenvalues, atol=1e-9)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(vectors.shape[1]), atol=1e-9)
    np.testing.assert_allclose(vectors.sum(axis=0), 0.0, atol=1e-9)


@pytest.mark.parametrize("size", [20, 40])
def test_two_parts_have_one_vector_between_them(size):
    for coupling in COUPLINGS:
        chain = walk(size, coupling)
        eigenvalues, vectors = hsr.mdp.leading_vectors(chain, 4)
        assert_eigenvectors(chain, eigenvalues, vectors)
        np.testing.assert_allclose(vectors[:, 0], on_groups([1, -1], size), atol=1e-8)
        np.testing.assert_allclose(1.0 - eigenvalues[0], 2.0 * coupling, atol=1e-15)
        # Then come the slowest waves around the two rings.
        np.testing.assert_allclose(
            1.0 - eigenvalues[1:], 0.4 * (1.0 - np.cos(2.0 * np.pi / size)) + coupling, rtol=1e-9
        )


@pytest.mark.parametrize("size", [20, 27])
def test_three_parts_have_two_vectors_between_them(size):
    slow, fast = 3.0 - np.sqrt(3.0), 3.0 + np.sqrt(3.0)
    for coupling in COUPLINGS:
        chain = walk(size, coupling, 2.0 * coupling)
        eigenvalues, vectors = hsr.mdp.leading_vectors(chain, 4)
        assert_eigenvectors(chain, eigenvalues, vectors)
        # (1, 1 - r, ...) solves [[1, -1, 0], [-1, 3, -2], [0, -2, 2]] v = r v.
        for k, rate in enumerate([slow, fast]):
            heights = [1.0, 1.0 - rate, ((3.0 - rate) * (1.0 - rate) - 1.0) / 2.0]
            np.testing.assert_allclose(vectors[:, k], on_groups(heights, size), atol=3e-5)


@pytest.mark.parametrize("coupling", [1e-12, 1e-15, 1e-18, 1e-200])
@pytest.mark.parametrize("size", [20, 40])
def test_couplings_near_rounding_are_refused(size, coupling):
    for chain in (walk(size, coupling), walk(size, 1e-3, coupling)):
        with raises("2 groups of states that are joined by probabilities below 1e-11 only"):
            hsr.mdp.leading_vectors(chain, 2)
