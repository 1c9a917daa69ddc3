"""Eigenvectors of a predictive map, and rules for the signs of eigenvectors."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse.linalg import eigsh

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError, short_repr
from hsr._base.lazy import LazyMatrix
from hsr._base.seeds import Seed, generator_from
from hsr._base.threads import one_thread
from hsr._base.validation import check_array, check_choice, check_count, is_list
from hsr.mdp.chain import MarkovChain
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.mdp.spectrum import fix_signs, leading_vectors

SIGNS = {
    "positive": "one option per eigenvector, with the sign fixed by a rule",
    "both": "two options per eigenvector, one for each sign, and half as many vectors",
    "svd": "the signs of the left singular vectors that numpy.linalg.svd returns",
    "eigh": "the signs of the eigenvectors that numpy.linalg.eigh returns",
    "eig": "the signs of the eigenvectors that numpy.linalg.eig returns",
    "random": "each sign drawn at random by the seed",
}
SIGN_PATTERN = "[+-]+"
FIRST = {
    "skipped": "the constant eigenvector is left out, because no option can climb it",
    "counted": "the constant eigenvector counts as the first option, available nowhere",
}
SOLVERS = ("svd", "eigh", "eig")
LARGEST_DENSE = 5_000


def sign_pattern(mdp: FiniteMDP, n_options: int, signs: Any, seed: Seed = 0) -> str:
    """Return the signs of the leading eigenvectors of the random walk, as "+" and "-".

    A sign is relative to the rule of ``signs="positive"``: the first entry of largest magnitude of
    "+" is positive. The constant eigenvector has none, it is left out.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP. Its walk takes every action with the same probability.
    n_options : int
        Number of options, one per vector.
    signs : {"positive", "svd", "eigh", "eig", "random"}, or a pattern
        The rule, as in `eigenoptions`. A pattern is a string such as "+-+-" or a sequence of +1
        and -1, and is returned as a string.
    seed : int or numpy.random.Generator
        Draws the signs of "random". The first signs do not depend on `n_options`.

    Returns
    -------
    str
        `n_options` characters, "+" or "-".

    Raises
    ------
    InputError
        If there is no such rule, the pattern has another length, or `signs` is "both", which has
        no pattern. Also if the MDP is too large for a dense map, which "svd", "eigh" and "eig"
        need: more than 5,000 states.

    Notes
    -----
    "svd", "eigh" and "eig" take the signs that LAPACK happens to return. They depend on the
    machine and on the versions of NumPy and LAPACK. Those of "eig" may even depend on rounding
    errors of the map. To repeat a result elsewhere, give the pattern that this function returns.

    The decomposition is that of the dense successor representation M of the walk. Where M is not
    symmetric, "svd" takes it as it is, "eigh" its symmetric part, and "eig" the real parts of the
    eigenvectors. Vectors are sorted by falling eigenvalue. Each vector of `leading_vectors` is then
    compared with the one that is most nearly parallel to it, and takes the sign of their inner
    product. So only signs come from LAPACK, not the rotation of vectors with equal eigenvalues.

    Examples
    --------
    >>> import hsr
    >>> mdp = hsr.grid_mdp("four_rooms", discount=0.9)
    >>> hsr.options.sign_pattern(mdp, 8, "random", seed=0)
    '---+++++'
    >>> hsr.options.sign_pattern(mdp, 3, [1, -1, 1])
    '+-+'
    """
    check_mdp(mdp)
    n_options = check_count(n_options, "n_options")
    rule = check_signs(signs, n_options)
    if rule == "both":
        raise InputError(
            "signs is 'both', which takes both signs of each vector; it has no pattern"
        )
    if rule in SOLVERS:
        check_dense(mdp.n_states, rule)
        chain = MarkovChain.from_policy(mdp)
        _, vectors = leading_vectors(chain, n_options)
        return solver_signs(chain.occupancy(mdp.discount).toarray(), vectors, rule)
    return drawn_signs(n_options, rule, seed)


def map_vectors(
    M: Any, n_vectors: int, *, signs: str = "positive", first: str = "skipped"
) -> FloatArray:
    """Return the leading eigenvectors of the symmetric part of a map, without the first.

    For the exact successor representation of a symmetric walk, these are the eigenvectors of the
    walk. For a map learned by TD, they estimate them. The first vector is constant in an exact map,
    so it is left out unless ``first="counted"``.

    Parameters
    ----------
    M : PredictiveMap or array of shape (S, S)
        The map. Its symmetric part is (M + M') / 2.
    n_vectors : int
        Number of vectors, at most S - 1, or S if the first is counted.
    signs : {"positive", "svd", "eigh", "eig"}
        The sign of each vector: by the rule, or that of a solver of NumPy, as in `sign_pattern`.
    first : {"skipped", "counted"}
        Whether the first vector is left out. In a map that is still being learned, it is not
        constant.

    Returns
    -------
    ndarray of shape (S, n_vectors)
        Sorted by falling eigenvalue. With ``signs="positive"`` the first entry of largest magnitude
        is positive.

    Examples
    --------
    Eigenoptions of a map that was learned from experience:

    >>> import hsr
    >>> mdp = hsr.grid_mdp(hsr.load_layout("four_rooms"), discount=0.9)
    >>> M = hsr.learn_sr(mdp, steps=100_000)
    >>> hsr.eigenoptions(mdp, n_options=4, vectors=hsr.options.map_vectors(M, 4)).names
    ('v1', 'v2', 'v3', 'v4')
    """
    n_vectors = check_count(n_vectors, "n_vectors")
    check_choice(signs, ("positive", *SOLVERS), "signs")
    skipped = 1 if check_choice(first, FIRST, "first") == "skipped" else 0
    array = M.toarray() if isinstance(M, LazyMatrix) else check_array(M, (None, None), "M")
    n = array.shape[0]
    if array.shape != (n, n) or n_vectors > n - skipped:
        raise InputError(
            f"M has shape {array.shape}; it must be square, with "
            f"{'more than' if skipped else 'at least'} {n_vectors} states"
        )
    if signs in SOLVERS:
        check_dense(n, signs)
    symmetric = (array + array.T) / 2
    with one_thread():
        # Below this size, all eigenvectors of a dense solver cost less than a few by iteration.
        if n <= 400 or 2 * n_vectors >= n:
            vectors = np.linalg.eigh(symmetric)[1][:, ::-1]
        else:
            rng = np.random.default_rng(0)  # the same map must give the same bits
            values, vectors = eigsh(
                symmetric, k=n_vectors + skipped, which="LA", v0=rng.standard_normal(n), rng=rng
            )
            vectors = vectors[:, np.argsort(-values, kind="stable")]
    fixed = fix_signs(vectors[:, skipped : n_vectors + skipped])
    return turned(fixed, solver_signs(array, fixed, signs)) if signs in SOLVERS else fixed


def check_signs(signs: Any, n_vectors: int | None = None) -> str:
    """Return a rule or a pattern of signs as a string; anything else raises `InputError`.

    Parameters
    ----------
    signs : str or sequence of int
        A word of `SIGNS`, a string of "+" and "-", or a sequence of +1 and -1.
    n_vectors : int, optional
        The number of signs that a pattern must have.

    Examples
    --------
    >>> check_signs([1, -1, 1], 3)
    '+-+'
    >>> check_signs("+-", 3)
    Traceback (most recent call last):
    hsr._base.errors.InputError: signs is '+-', a pattern of 2 signs; 3 eigenvectors need 3
    """
    if isinstance(signs, str) and signs in SIGNS:
        return signs
    if isinstance(signs, str) and set(signs) & set("+-"):
        wrong = "".join(dict.fromkeys(c for c in signs if c not in "+-"))
        if wrong:
            raise InputError(
                f"signs is {short_repr(signs)}, with {short_repr(wrong, 20)}; a pattern has + "
                "and - only"
            )
        pattern = signs
    elif isinstance(signs, (Sequence, np.ndarray)) and not isinstance(signs, (str, bytes)):
        pattern = _read_sequence(signs)
    else:
        words = ", ".join(map(repr, SIGNS))
        raise InputError(
            f"signs is {short_repr(signs)}; it must be one of {words}, or a pattern such as '+-+-'"
        )
    if n_vectors is not None and len(pattern) != n_vectors:
        raise InputError(
            f"signs is {short_repr(pattern)}, a pattern of {len(pattern)} signs; "
            f"{n_vectors} eigenvectors need {n_vectors}"
        )
    return pattern


def check_dense(n_states: int, rule: str) -> None:
    """Raise `InputError` if there are too many states for the dense map of a solver."""
    if n_states > LARGEST_DENSE:
        raise InputError(
            f"signs is {rule!r}, which decomposes a dense map of {n_states:,} x {n_states:,}; "
            f"at most {LARGEST_DENSE:,} states are allowed. "
            "'positive', 'random' and patterns such as '+-+-' have no such limit"
        )


def drawn_signs(n_vectors: int, rule: str, seed: Seed) -> str:
    """Return the pattern of a checked rule that needs no map: "positive", "random" or a pattern."""
    if rule == "positive":
        return "+" * n_vectors
    if rule == "random":
        return "".join("+-"[bit] for bit in generator_from(seed).integers(2, size=n_vectors))
    return rule


def solver_signs(M: FloatArray, vectors: FloatArray, rule: str) -> str:
    """Return the signs that a solver of NumPy gives to vectors of a map.

    Parameters
    ----------
    M : array of shape (S, S)
        The map.
    vectors : array of shape (S, K)
        Its leading vectors, with signs fixed by the rule of "positive".
    rule : {"svd", "eigh", "eig"}
        The solver. `sign_pattern` says what it does with a map that is not symmetric.

    Returns
    -------
    str
        K characters. "+" if the solver's vector points the same way.
    """
    with one_thread():
        products = _solved(M, rule).T @ vectors
    pattern = []
    for column in products.T:
        nearest = int(np.abs(column).argmax())
        pattern.append("-" if column[nearest] < 0.0 else "+")
        products[nearest] = 0.0
    return "".join(pattern)


def turned(vectors: FloatArray, pattern: str) -> FloatArray:
    """Return the columns of `vectors`, those of "-" with the opposite sign."""
    return vectors * np.where(np.array(list(pattern)) == "-", -1.0, 1.0)


def _solved(M: FloatArray, rule: str) -> FloatArray:
    """Return the vectors of a solver, one per column, sorted by falling eigenvalue."""
    if rule == "svd":
        return np.linalg.svd(M)[0]
    if rule == "eigh":
        symmetric = M if np.allclose(M, M.T, rtol=0.0, atol=1e-10) else (M + M.T) / 2
        return np.linalg.eigh(symmetric)[1][:, ::-1]
    values, vectors = np.linalg.eig(M)
    order = np.argsort(-values.real, kind="stable")
    real: FloatArray = vectors.real[:, order]
    return real


def _read_sequence(signs: Any) -> str:
    if not is_list(signs):
        raise InputError(f"signs is {short_repr(signs)}; it must be a word or a list of +1 and -1")
    for k, sign in enumerate(signs):
        if not isinstance(sign, (int, float, np.number)) or sign not in (1, -1):
            raise InputError(
                f"signs[{k}] is {short_repr(sign, 40)}; a sequence of signs has +1 and -1 only"
            )
    return "".join("+" if sign == 1 else "-" for sign in signs)
