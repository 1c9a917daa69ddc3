"""Leading eigenvectors of a walk, against dense eigenproblems, closed forms, and their own
uniqueness rules.
"""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.linalg import eigh

import hsr
from hsr.mdp import spectrum
from hsr.mdp.spectrum import fix_signs, leading_vectors
from tests.cases import cases, raises

# Vectors of Lanczos iterations and of dense solvers carry rounding of about 1e-13 over the gap to
# the next eigenvalue.
CLOSE = 1e-9


def assert_close(found, expected, atol=1e-12):
    assert_allclose(found, expected, rtol=0, atol=atol)


def check_eigenvectors(chain, values, V):
    """Assert that the columns of V are orthonormal eigenvectors of a walk."""
    assert_close(chain.matrix @ V, V * values)
    assert_close(V.T @ V, np.eye(V.shape[1]))


@pytest.fixture
def start_iteration(monkeypatch):
    """Return a function that makes the iteration start from another seed."""
    default_rng = np.random.default_rng
    return lambda seed: monkeypatch.setattr(
        spectrum.np.random, "default_rng", lambda _: default_rng(seed)
    )


def walk_on(layout):
    mdp = hsr.grid_mdp(layout, discount=0.9)
    return hsr.MarkovChain.from_policy(mdp)


def open_square(n, m=None):
    return walk_on(hsr.GridLayout(np.zeros((n, m or n), dtype=bool)))


def walk_on_graph(n, edges):
    """Return the symmetric walk that takes each edge with one over the largest degree, and stays
    otherwise.
    """
    A = np.zeros((n, n))
    for s, t in edges:
        A[s, t] = A[t, s] = 1.0
    degree = A.sum(axis=1)
    return hsr.MarkovChain(A / degree.max() + np.diag(1.0 - degree / degree.max()))


def star(arms, length):
    edges = []
    for arm in range(arms):
        ray = [0, *range(1 + arm * length, 1 + (arm + 1) * length)]
        edges += pairwise(ray)
    return walk_on_graph(1 + arms * length, edges)


def hypercube(dimensions):
    bits = 1 << np.arange(dimensions)
    return walk_on_graph(2**dimensions, [(s, s ^ b) for s in range(2**dimensions) for b in bits])


def complete(n):
    return walk_on_graph(n, [(s, t) for s in range(n) for t in range(s)])


@cache
def dense_spectrum(chain):
    """Return (eigenvalues, orthonormal vectors) of a symmetric walk by decreasing eigenvalue,
    constants included.
    """
    values, vectors = np.linalg.eigh(chain.matrix.toarray())
    return values[::-1], vectors[:, ::-1]


def canonical_vectors(chain, n_vectors):
    """Return the vectors that the stated rule singles out, from the projectors of the eigenspaces
    alone.

    In each eigenspace: the projection of the state that the space holds best (the first on ties),
    then the same in what is left of the space; each turned so that its first entry of largest
    magnitude is positive.
    """
    values, vectors = dense_spectrum(chain)
    taken, first = [], 1
    while len(taken) < n_vectors:
        last = first
        while last < values.size and abs(values[last] - values[first]) < 1e-9:
            last += 1
        projector = vectors[:, first:last] @ vectors[:, first:last].T
        for _ in range(first, last):
            held = projector.diagonal()
            state = int(np.flatnonzero(held > held.max() - 1e-8)[0])
            v = projector[:, state] / np.sqrt(held[state])
            projector = projector - np.outer(v, v)
            largest = int(np.flatnonzero(np.abs(v) > np.abs(v).max() - 1e-8)[0])
            taken.append(v * np.sign(v[largest]))
        first = last
    return np.stack(taken[:n_vectors], axis=1)


SIMPLE = {
    "four rooms": lambda: walk_on(hsr.load_layout("four_rooms")),
    "maze": lambda: walk_on(hsr.random_maze(15, seed=2)),
    "small room": lambda: open_square(3, 5),
    "long room": lambda: open_square(6, 17),
}
DEGENERATE = {
    "small square": lambda: open_square(5),
    "square": lambda: open_square(9),
    "larger square": lambda: open_square(14),
    "small star": lambda: star(4, 4),
    "star of three": lambda: star(3, 30),
    "star of four": lambda: star(4, 20),
    "star of eight": lambda: star(8, 12),
    "star of forty": lambda: star(40, 3),
    "ring": lambda: walk_on_graph(90, [(s, (s + 1) % 90) for s in range(90)]),
    "hypercube": lambda: hypercube(7),
    "complete graph": lambda: complete(80),
}
EVERY = {**SIMPLE, **DEGENERATE}


@pytest.fixture(params=EVERY.values(), ids=EVERY, scope="module")
def chain(request):
    return request.param()


@pytest.fixture(params=[1, 3, 8])
def n_vectors(request):
    return request.param


def test_four_rooms_has_the_published_eigenvalues():
    values, _ = leading_vectors(walk_on(hsr.load_layout("four_rooms")), 9)
    published = [9.50993, 9.42416, 8.87821, 6.09509, 5.58023, 5.46855, 5.41473, 5.21313, 5.08284]
    assert_allclose(1.0 / (1.0 - 0.9 * values), published, rtol=0, atol=5e-6)


def test_vectors_are_the_orthonormal_eigenvectors_that_the_rule_singles_out(chain, n_vectors):
    values, V = leading_vectors(chain, n_vectors)
    assert V.shape == (chain.n_states, n_vectors)
    assert_close(values, dense_spectrum(chain)[0][1 : n_vectors + 1])
    check_eigenvectors(chain, values, V)
    assert_close(V.sum(axis=0), 0.0, 1e-11)
    assert_close(V, canonical_vectors(chain, n_vectors), CLOSE)


def test_vectors_do_not_depend_on_where_the_iteration_starts(chain, n_vectors, start_iteration):
    _, V = leading_vectors(chain, n_vectors)
    _, again = leading_vectors(chain, n_vectors)
    assert_array_equal(again, V)
    for seed in (1, 2):
        start_iteration(seed)
        assert_close(leading_vectors(chain, n_vectors)[1], V, CLOSE)


def test_fewer_vectors_are_the_first_of_more(chain):
    _, many = leading_vectors(chain, 12)
    for k in (1, 2, 3, 5, 8):
        assert_close(leading_vectors(chain, k)[1], many[:, :k], CLOSE)


def cosines(n, k):
    """Return the first k vectors of a corridor of n cells, with 1 minus their eigenvalues.

    On a grid two moves in four go along the corridor and two bump, so that the k-th eigenvalue is
    (1 + cos(pi k / n)) / 2 = 1 - sin(pi k / 2n)^2.
    """
    modes = np.arange(1, k + 1)
    V = np.cos(np.pi * modes * (np.arange(n)[:, None] + 0.5) / n)
    return np.sin(np.pi * modes / (2 * n)) ** 2, V / np.linalg.norm(V, axis=0)


@pytest.mark.parametrize("n", [50, 65, 200, 3000])
def test_corridor_has_cosines(n):
    values, V = leading_vectors(open_square(1, n), 6)
    gaps, expected = cosines(n, 6)
    assert_close(1.0 - values, gaps, 1e-14)
    assert_close(V, fix_signs(expected), CLOSE)


def test_a_corridor_of_a_hundred_thousand_cells_is_resolved():
    n = 100_000
    values, V = leading_vectors(open_square(1, n), 2)
    gaps, expected = cosines(n, 2)
    assert_close(V * np.sqrt(n / 2), expected * np.sqrt(n / 2), 1e-6)
    # The gaps are about 2.5e-10 and known to the 1e-16 of the subtraction from 1.
    assert_allclose(1.0 - values, gaps, rtol=2e-6)


def test_open_rectangle_has_products_of_cosines():
    n, m = 20, 31
    # The four moves average two corridors: lambda = (cos(pi i / n) + cos(pi j / m)) / 2.
    values, _ = leading_vectors(open_square(n, m), 20)
    along = np.cos(np.pi * np.arange(n)[:, None] / n) + np.cos(np.pi * np.arange(m) / m)
    assert_allclose(values, np.sort((along / 2).ravel())[::-1][1:21], rtol=0, atol=1e-13)


def test_signs_make_the_first_of_the_largest_entries_positive():
    V = np.array([[0.1, -0.5, -0.3], [-0.7, 0.5, -0.3 - 1e-9], [0.7, 0.1, 0.2]])
    assert_array_equal(fix_signs(V), V * [-1.0, -1.0, -1.0])
    assert_array_equal(fix_signs(-V), V * [-1.0, -1.0, -1.0])


# Maps in several parts.


def two_rooms(first, second):
    """Return the walk on two separate open rooms of the given shapes."""
    blocks = [open_square(*shape).matrix for shape in (first, second)]
    return hsr.MarkovChain(sparse.block_diag(blocks, format="csr"))


@pytest.mark.parametrize(
    "shapes", [((3, 4), (2, 7)), ((9, 10), (8, 11)), ((3, 4), (9, 11)), ((1, 1), (4, 5))]
)
def test_vectors_of_a_map_in_parts_live_on_one_part_each(shapes):
    chain = two_rooms(*shapes)
    values, V = leading_vectors(chain, 6)
    assert_close(values, dense_spectrum(chain)[0][2:8])
    check_eigenvectors(chain, values, V)
    first, second = np.split(V, [np.prod(shapes[0])])
    assert (first.any(axis=0) != second.any(axis=0)).all()
    for part in (first, second):
        assert_close(part.sum(axis=0), 0.0)


def test_each_part_has_the_vectors_it_has_alone():
    shapes = ((9, 10), (8, 11))
    _, V = leading_vectors(two_rooms(*shapes), 8)
    for part, shape in zip(np.split(V, [90]), shapes, strict=True):
        own = part[:, part.any(axis=0)]
        assert_close(own, leading_vectors(open_square(*shape), own.shape[1])[1], CLOSE)


def mirrored_rooms():
    """Two irregular rooms of 94 cells, each the mirror image of the other, with a wall between."""
    room = np.ones((12, 12), dtype=bool)
    room[1:11, 1:12] = np.random.default_rng(0).random((10, 11)) < 0.15
    return walk_on(hsr.GridLayout(np.hstack([room, np.ones((12, 1), dtype=bool), room[:, ::-1]])))


def test_parts_that_mirror_each_other_come_in_the_order_of_their_first_states(start_iteration):
    chain = mirrored_rooms()
    assert [part.size for part in chain.parts] == [94, 94]
    first = set(chain.parts[0].tolist())
    for seed in range(4):
        start_iteration(seed)
        _, V = leading_vectors(chain, 6)
        on_first = [set(np.flatnonzero(v).tolist()) <= first for v in V.T]
        assert on_first == [True, False] * 3


# Walks that are not symmetric.


def lopsided(n, seed):
    """Return a connected walk with a drift and random jumps."""
    rng = np.random.default_rng(seed)
    P = rng.random((n, n)) * (rng.random((n, n)) < 3.0 / n)
    P[np.arange(n), (np.arange(n) + 1) % n] += 1.0
    return hsr.MarkovChain(P / P.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("n", [5, 40, 120])
def test_walks_that_are_not_symmetric_are_made_reversible(n):
    chain = lopsided(n, seed=n)
    assert not chain.is_symmetric
    k = 4
    values, V = leading_vectors(chain, k)
    P = chain.matrix.toarray()
    W = (P + P.T) / 2
    D = np.diag(W.sum(axis=1))
    expected, U = eigh(W, D)
    expected, U = expected[::-1][1 : k + 1], U[:, ::-1][:, 1 : k + 1]
    assert_close(values, expected)
    assert_close(np.linalg.solve(D, W) @ V, V * values)
    assert_allclose(np.linalg.norm(V, axis=0), 1.0, rtol=1e-14)
    assert_close(V, fix_signs(U / np.linalg.norm(U, axis=0)), CLOSE)


# What does not exist.


@cases(
    "make",
    {
        "square": lambda: open_square(3),
        "star": lambda: star(5, 3),
        "parts": lambda: two_rooms((2, 3), (3, 3)),
        "state": lambda: open_square(1, 1),
    },
)
def test_every_vector_that_exists_can_be_had_and_no_more(make):
    chain = make()
    most = chain.n_states - len(chain.parts)
    if most:
        check_eigenvectors(chain, *leading_vectors(chain, most))
    with raises(f"{most + 1} eigenvectors were asked for; this walk has {most}"):
        leading_vectors(chain, most + 1)
