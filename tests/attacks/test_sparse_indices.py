"""Attacks with sparse matrices whose indices lie: SciPy hands them to compiled code unchecked."""

import numpy as np
import pytest
from scipy import sparse

import hsr

OUTSIDE = (-1, 8, 10**7, -(2**31))


def identity(kind):
    """Return a new identity matrix of eight states."""
    return sparse.csr_array((np.ones(8), np.arange(8), np.arange(9)), shape=(8, 8)).asformat(kind)


def lying():
    """Yield identities with an index out of range, a wrong pointer or too few indices."""
    for kind in ("csr", "csc", "bsr", "coo", "lil"):
        for value in OUTSIDE:
            matrix = identity(kind)
            indices = {"coo": lambda m: m.coords[1], "lil": lambda m: m.rows[0]}
            indices.get(kind, lambda m: m.indices)(matrix)[0] = value
            yield matrix
    for kind in ("csr", "csc", "bsr"):
        for place, value in [(8, 10**7), (8, 2), (3, 7), (0, 1), (2, -5)]:
            matrix = identity(kind)
            matrix.indptr[place] = value
            yield matrix
        matrix = identity(kind)
        matrix.indices = matrix.indices[:3]
        yield matrix


COUNTS = np.ones((8, 1), dtype=int)
DOORS = {
    "FiniteMDP": lambda m: hsr.FiniteMDP([m], 0.9),
    "the second action": lambda m: hsr.FiniteMDP([identity("csr"), m], 0.9),
    "MarkovChain": hsr.MarkovChain,
    "EstimatedMDP": lambda m: hsr.EstimatedMDP(
        [m], 0.9, tuple(range(8)), ("go",), COUNTS, COUNTS > 0
    ),
    "SVDBasis": lambda m: hsr.SVDBasis(2).fit(m),
    "NMFBasis": lambda m: hsr.NMFBasis(2).fit(m),
    "hierarchical_sr": lambda m: hsr.hierarchical_sr(model(), m),
    "successor_representation": lambda m: hsr.successor_representation(world(), m),
}


def world():
    return hsr.grid_mdp(hsr.GridLayout.from_text("........"), discount=0.9)


def model():
    return hsr.option_model(world(), hsr.eigenoptions(world(), 1))


@pytest.mark.parametrize("door", DOORS)
def test_indices_that_lie_are_refused(door):
    # Bases follow scikit-learn, which takes no sparse matrix and says so by a TypeError.
    basis = door.endswith("Basis")
    for number, bad in enumerate(lying()):
        with pytest.raises((hsr.InputError, TypeError)) as caught:
            DOORS[door](bad)
        assert isinstance(caught.value, hsr.InputError) != basis, number
        assert not basis or "Sparse data was passed" in str(caught.value), number


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "coo", "lil", "dok", "dia"])
def test_every_honest_format_is_taken(kind):
    for door in ("FiniteMDP", "MarkovChain", "EstimatedMDP"):
        assert DOORS[door](identity(kind)).n_states == 8
