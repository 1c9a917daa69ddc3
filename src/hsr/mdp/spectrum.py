"""Leading eigenvectors of a random walk: the slow modes of diffusion."""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.lazy import Apply
from hsr._base.threads import one_thread
from hsr._base.validation import check_count
from hsr.mdp.chain import MarkovChain
from hsr.mdp.resolvent import SparseLU

_DENSE_BELOW = 64
_SAME_RATE = 1e-8
_SAME_SIZE = 1e-6
_WEAK = 1e-11  # eigenvectors between states that are joined by smaller probabilities are unknown


def leading_vectors(chain: MarkovChain, n_vectors: int) -> tuple[FloatArray, FloatArray]:
    """Return the leading eigenvalues and eigenvectors of a random walk.

    They are the slow modes of diffusion, from which eigenoptions are made. The walk is first made
    reversible: with W = (P + P') / 2 and D = diag(W 1), the vectors are those of D^-1 W. A
    symmetric P, such as the random walk on a grid, has D = I and stays as it is. The successor
    representation of such a walk has the same eigenvectors, with eigenvalues 1 / (1 - g lambda).

    Each connected component has a constant eigenvector with eigenvalue 1, which is left out. If
    there are several components, each vector lives on one of them and is zero elsewhere.

    Parameters
    ----------
    chain : MarkovChain
        The walk. `MarkovChain.from_policy` makes one from an MDP.
    n_vectors : int
        The number of eigenvectors K.

    Returns
    -------
    eigenvalues : float array of shape (K,)
        In decreasing order.
    vectors : float array of shape (S, K)
        One vector of length 1 per column.

    Raises
    ------
    InputError
        If fewer than `n_vectors` such vectors exist. A component of n states has n - 1. Or if
        groups of states are joined by probabilities below 1e-11 only: rounding would then mix the
        eigenvectors between groups.

    Notes
    -----
    Eigenvectors are unique only up to sign and, for repeated eigenvalues, up to rotation. Both are
    fixed by a rule, so that the same maze gives the same options on every machine. Within an
    eigenspace, vectors are taken one after another. Each is the projection of the state that the
    remaining space represents best, the first such state on ties. The first entry of largest
    magnitude of each vector is positive.

    Large components use Lanczos iteration on the pseudo-inverse of the Laplacian D - W. Fixing the
    value of one state makes the Laplacian non-singular, and one sparse factorisation serves all
    steps. The slow modes are crowded near 1 in the walk but far apart in the inverse, so that
    corridors of any length are resolved.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp("four_rooms")
    >>> eigenvalues, vectors = hsr.mdp.leading_vectors(hsr.MarkovChain.from_policy(mdp), 2)
    >>> eigenvalues.round(4), vectors.shape
    (array([0.9943, 0.9932]), (104, 2))
    """
    if not isinstance(chain, MarkovChain):
        raise InputError(
            f"chain is of type {type(chain).__name__}; it must be a MarkovChain: "
            "hsr.MarkovChain.from_policy(mdp) is the random walk of an MDP"
        )
    n_vectors = check_count(n_vectors, "n_vectors")
    parts = chain.parts
    most = chain.n_states - len(parts)
    if n_vectors > most:
        raise InputError(
            f"{n_vectors} eigenvectors were asked for; this walk has {most} that are not constant"
        )
    of_parts = [
        (part, *_part_vectors(chain, part, min(n_vectors, part.size - 1)))
        for part in parts
        if part.size > 1
    ]
    rates = np.concatenate([part_rates for _, part_rates, _ in of_parts])
    chosen = _in_order(rates)[:n_vectors]
    vectors = np.zeros((chain.n_states, n_vectors), order="F")
    first = 0
    for part, part_rates, part_vectors in of_parts:
        for place, index in enumerate(chosen):
            if first <= index < first + part_rates.size:
                vectors[part, place] = part_vectors[:, index - first]
        first += part_rates.size
    return 1.0 - rates[chosen], vectors


def _part_vectors(
    chain: MarkovChain, part: IntArray, n_vectors: int
) -> tuple[FloatArray, FloatArray]:
    P = chain.matrix if part.size == chain.n_states else chain.matrix[part][:, part]
    W = P if chain.is_symmetric else sparse.csr_array((P + P.T) / 2)
    weight = np.ones(part.size) if chain.is_symmetric else W @ np.ones(part.size)
    _check_joined(W)
    wanted = n_vectors
    while True:
        # One vector more than wanted shows whether the last eigenspace is complete.
        asked = min(wanted + 1, part.size - 1)
        with one_thread():
            rates, vectors = _symmetric_vectors(W, weight, asked)
        complete = asked == part.size - 1 or rates[-1] > rates[n_vectors - 1] * (1.0 + _SAME_RATE)
        if complete:
            break
        wanted = 2 * wanted
    vectors = _canonical_basis(rates, vectors, n_vectors)
    if not chain.is_symmetric:
        vectors /= np.sqrt(weight)[:, None]
        vectors /= np.linalg.norm(vectors, axis=0)
    return rates[:n_vectors], fix_signs(vectors)


def _check_joined(W: sparse.csr_array) -> None:
    """Raise `InputError` if small probabilities alone join some groups of states."""
    strong = W.copy()
    strong.data[strong.data < _WEAK] = 0.0
    strong.eliminate_zeros()
    n_groups = connected_components(strong, directed=False, return_labels=False)
    if n_groups > 1:
        raise InputError(
            f"the walk has {n_groups} groups of states that are joined by probabilities below "
            f"{_WEAK:g} only, so that rounding hides the eigenvectors between them; "
            "set these probabilities to 0, which separates the groups"
        )


def _symmetric_vectors(
    W: sparse.csr_array, weight: FloatArray, n_vectors: int
) -> tuple[FloatArray, FloatArray]:
    """Return (rates, vectors) of D^-1/2 W D^-1/2 without the constant vector.

    A rate is 1 - lambda. Rates increase.
    """
    n = weight.size
    root = np.sqrt(weight)
    moves = sparse.csr_array(W - sparse.diags_array(W.diagonal()))
    # Sums of moves, because 1 - W on the diagonal would lose the digits of small probabilities.
    laplacian = sparse.csr_array(sparse.diags_array(moves @ np.ones(n)) - moves)
    if n <= _DENSE_BELOW or 2 * n_vectors >= n:
        return _dense_vectors(laplacian, root, n_vectors)
    factor = SparseLU(laplacian[1:, 1:])
    constant = (root / np.linalg.norm(root))[:, None]
    column = root[:, None]

    def apply(block: FloatArray) -> FloatArray:
        b = column * (block - constant * (constant.T @ block))
        z = np.zeros(block.shape)
        z[1:] = factor.solve(b[1:])
        z *= column
        return z - constant * (constant.T @ z)

    try:
        rates, vectors = _complete_lanczos(apply, n, n_vectors)
    except ArpackError:
        # One eigenvalue has more copies than an iteration started from one vector can separate.
        return _dense_vectors(laplacian, root, n_vectors)
    order = np.argsort(rates, kind="stable")
    return rates[order], vectors[:, order]


def _dense_vectors(
    laplacian: sparse.csr_array, root: FloatArray, n_vectors: int
) -> tuple[FloatArray, FloatArray]:
    constant = root / np.linalg.norm(root)
    # Rates are at most 2. The constant vector is moved to rate 3, so that it mixes with no other.
    shifted = laplacian.toarray() / np.outer(root, root) + 3.0 * np.outer(constant, constant)
    rates, vectors = np.linalg.eigh(shifted)
    return rates[:n_vectors], vectors[:, :n_vectors]


def _complete_lanczos(apply: Apply, n: int, n_vectors: int) -> tuple[FloatArray, FloatArray]:
    """Return the leading vectors of a symmetric operator, with all copies of their eigenvalues.

    Started from one vector, Lanczos iteration may miss copies of a repeated eigenvalue. It is
    therefore started again, orthogonal to the vectors found so far, for the leading vector alone.
    This ends when that eigenvalue falls below the smallest one found.
    """
    rng = np.random.default_rng(0)
    whole = LinearOperator((n, n), lambda y: apply(y.reshape(n, 1)), dtype=float)
    inverse, vectors = eigsh(whole, k=n_vectors, which="LA", v0=rng.standard_normal(n), rng=rng)
    while vectors.shape[1] < n - 1:
        known = vectors

        def deflated(y: FloatArray, known: FloatArray = known) -> FloatArray:
            y = y.reshape(n, 1)
            z = apply(y - known @ (known.T @ y))
            return z - known @ (known.T @ z)

        rest = LinearOperator((n, n), deflated, dtype=float)
        # A new start, because the old one has nothing left in the eigenspaces already found. A
        # residual of 1e-3 gives the eigenvalue to about 1e-6, which is mostly enough to decide.
        value, vector = eigsh(
            rest, k=1, which="LA", v0=rng.standard_normal(n), ncv=min(n, 8), tol=1e-3, rng=rng
        )
        if value[0] < inverse.min() * (1.0 - 1e-4):
            break
        value, vector = eigsh(rest, k=1, which="LA", v0=vector[:, 0], rng=rng)
        if value[0] < inverse.min() * (1.0 - _SAME_RATE):
            break
        inverse, vectors = np.append(inverse, value), np.column_stack([vectors, vector])
    # One step of subspace iteration removes what is left of other vectors.
    space = np.linalg.qr(apply(vectors))[0]
    inverse, rotation = np.linalg.eigh(space.T @ apply(space))
    return 1.0 / inverse, space @ rotation


def _in_order(rates: FloatArray) -> IntArray:
    """Return the indices by increasing rate, equal ones (up to rounding) in the order given."""
    order = np.argsort(rates, kind="stable")
    first = 0
    for last in range(1, rates.size + 1):
        if last == rates.size or rates[order[last]] > rates[order[first]] * (1.0 + _SAME_RATE):
            order[first:last] = np.sort(order[first:last])
            first = last
    return order


def _canonical_basis(rates: FloatArray, vectors: FloatArray, n_vectors: int) -> FloatArray:
    basis = vectors[:, :n_vectors].copy(order="F")
    first = 0
    while first < n_vectors:
        last = first + 1
        while last < rates.size and rates[last] <= rates[first] * (1.0 + _SAME_RATE):
            last += 1
        if last - first > 1:
            basis[:, first:last] = _canonical_space(vectors[:, first:last])[:, : n_vectors - first]
        first = last
    return basis


def _canonical_space(space: FloatArray) -> FloatArray:
    remaining = space
    taken = []
    while remaining.shape[1] > 0:
        held = (remaining**2).sum(axis=1)
        state = int(np.argmax(held >= held.max() * (1.0 - _SAME_SIZE)))
        coordinates = remaining[state] / np.sqrt(held[state])
        taken.append(remaining @ coordinates)
        complement = np.linalg.svd(coordinates[None, :])[2][1:]
        remaining = remaining @ complement.T
    return np.stack(taken, axis=1)


def fix_signs(vectors: FloatArray) -> FloatArray:
    """Return the columns of `vectors` (S, K) with signs fixed.

    The first entry of largest magnitude of each column becomes positive.
    """
    turned = vectors.copy(order="F")
    size = np.abs(turned)
    first = np.argmax(size >= size.max(axis=0) * (1.0 - _SAME_SIZE), axis=0)
    np.negative(turned, out=turned, where=turned[first, np.arange(first.size)] < 0.0)
    return turned
