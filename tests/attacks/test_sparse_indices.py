"""Attacks with sparse matrices whose indices lie: SciPy hands them to compiled code unchecked."""

import numpy as np
import pytest
from scipy import sparse

import hsr

OUTSIDE = (-1, 8, 10**7, -(2**31))


def identity(kind):
    """Return a new identity matrix of eight states."""
    return sparse.csr_array((np.ones(8), np.arange(8), np.arange(9)), shape=(8, 8)).asformat(kind)


def of_index(kind, value):
    """Return the identity with one column or row index changed."""
    matrix = identity(kind)
    if kind == "coo":
        matrix.coords[1][0] = value
    elif kind == "lil":
        matrix.rows[0][0] = value
    else:
        matrix.indices[0] = value
    return matrix


def of_pointer(kind, place, value):
    """Return the identity with one entry of `indptr` changed."""
    matrix = identity(kind)
    matrix.indptr[place] = value
    return matrix


def shorter(kind):
    """Return the identity with an index array that is too short."""
    matrix = identity(kind)
    matrix.indices = matrix.indices[:3]
    return matrix


BAD = {
    **{
        f"{kind} index {value}": lambda kind=kind, value=value: of_index(kind, value)
        for kind in ("csr", "csc", "bsr", "coo", "lil")
        for value in OUTSIDE
    },
    **{
        f"{kind} pointer {place} {value}": (
            lambda kind=kind, place=place, value=value: of_pointer(kind, place, value)
        )
        for kind in ("csr", "csc", "bsr")
        for place, value in [(8, 10**7), (8, 2), (3, 7), (0, 1), (2, -5)]
    },
    **{f"{kind} short": lambda kind=kind: shorter(kind) for kind in ("csr", "csc", "bsr")},
}
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
    for name, bad in BAD.items():
        # Bases follow scikit-learn, which takes no sparse matrix and says so by a TypeError.
        with pytest.raises((hsr.InputError, TypeError)) as caught:
            DOORS[door](bad())
        expected = "Sparse data was passed" if door.endswith("Basis") else ""
        assert expected in str(caught.value), name
        assert isinstance(caught.value, hsr.InputError) != bool(expected), name


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "coo", "lil", "dok", "dia"])
def test_every_honest_format_is_taken(kind):
    for door in ("FiniteMDP", "MarkovChain", "EstimatedMDP"):
        assert DOORS[door](identity(kind)).n_states == 8
