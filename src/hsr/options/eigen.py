"""Eigenoptions: one option per slow mode of the random walk, climbing that mode [machado2017]."""

import warnings
from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy as np
from scipy import sparse

from hsr._base.arrays import BoolArray, FloatArray, Int32Array
from hsr._base.errors import HSRWarning, InputError
from hsr._base.seeds import Seed
from hsr._base.validation import check_array, check_choice, check_count, check_discount, check_flag
from hsr.kernels.ascent import climb
from hsr.mdp.chain import MarkovChain
from hsr.mdp.fingerprint import check_made_for
from hsr.mdp.finite import FiniteMDP, check_mdp
from hsr.mdp.solvers import best_action_values
from hsr.mdp.spectrum import leading_vectors
from hsr.options.option_set import OptionSet, options_that_stop
from hsr.options.points import warn_of_one_action
from hsr.options.signs import (
    FIRST,
    SOLVERS,
    check_dense,
    check_signs,
    drawn_signs,
    sign_pattern,
    turned,
)

STOP_TOLERANCE = 1e-10


@overload
def eigenoptions(
    mdp: FiniteMDP,
    n_options: int = 8,
    *,
    signs: str | Sequence[int] = "positive",
    first: str = "skipped",
    seed: Seed = 0,
    vectors: Any = None,
    discount: float | None = None,
    return_vectors: Literal[False] = False,
) -> OptionSet: ...


@overload
def eigenoptions(
    mdp: FiniteMDP,
    n_options: int = 8,
    *,
    signs: str | Sequence[int] = "positive",
    first: str = "skipped",
    seed: Seed = 0,
    vectors: Any = None,
    discount: float | None = None,
    return_vectors: Literal[True],
) -> tuple[OptionSet, FloatArray]: ...


def eigenoptions(
    mdp: FiniteMDP,
    n_options: int = 8,
    *,
    signs: str | Sequence[int] = "positive",
    first: str = "skipped",
    seed: Seed = 0,
    vectors: Any = None,
    discount: float | None = None,
    return_vectors: bool = False,
) -> OptionSet | tuple[OptionSet, FloatArray]:
    """Return the options of the leading eigenvectors of the random walk.

    For an eigenvector v of the random walk's successor representation, the pseudo-reward of a move
    from s to s' is v(s') - v(s). The option takes an optimal action for this pseudo-reward. It
    stops on arrival where no action is worth anything, q*(s, a) <= 1e-10 for all a, and may be
    chosen everywhere else. The constant eigenvector would stop everywhere, so it is left out unless
    ``first="counted"``. Each vector is first scaled to a largest magnitude of 1. The threshold then
    means the same in small and large mazes.

    **Which signs?** v and -v are equally good eigenvectors, and their options climb in opposite
    directions. ``signs="positive"`` takes one option per vector: more modes for the same number of
    options. The sign is fixed by a rule: the first entry of largest magnitude is positive.
    ``signs="both"`` takes v1, -v1, v2, -v2, ...: fewer modes, but both ends of each can be reached.

    Code that takes eigenvectors from a solver gets the signs that LAPACK happens to return. They
    depend on the machine and the version, and so do the states where its options end.
    ``signs="svd"``, ``"eigh"`` and ``"eig"`` do the same here (`sign_pattern`). ``"random"`` draws
    the signs, and a pattern such as ``"+-+-"`` sets them. This is no detail. With the rule of
    "positive", the start (1, 1) of the four rooms is an end of four of the eight options.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP. Its walk takes every action with the same probability.
    n_options : int
        Number of options. With ``signs="both"`` they come from half as many vectors.
    signs : {"positive", "both", "svd", "eigh", "eig", "random"}, or a pattern
        The sign of each vector. "both" makes two options of each. "svd", "eigh" and "eig" take the
        signs of ``numpy.linalg.svd``, ``eigh`` or ``eig`` of the walk's dense successor
        representation, for at most 5,000 states. "random" draws each sign by `seed`. A pattern has
        one sign per vector, relative to the rule of "positive": a string such as "+-+-", or a
        sequence of +1 and -1.
    first : {"skipped", "counted"}
        What becomes of the constant eigenvector. "skipped" leaves it out. "counted" takes it as the
        first of the `n_options` options. It is available nowhere, and has no sign in a pattern.
    seed : int or numpy.random.Generator
        Draws the signs of ``signs="random"``.
    vectors : array of shape (S, K), optional
        Vectors to climb instead of the walk's eigenvectors, in the given order and with the given
        signs. For example the vectors of a learned map (`map_vectors`). A pattern or "random" is
        relative to the given signs. With ``first="counted"`` a given vector may be constant, and
        each of them has a sign in a pattern.
    discount : float in [0, 0.99999], optional
        Discount of the pseudo-reward. The MDP's by default.
    return_vectors : bool
        Whether to return the vectors that the options climb, too.

    Returns
    -------
    options : OptionSet
        Named "v1", "v2", ... with ``signs="positive"``, and otherwise by sign: "+v1", "-v1", "+v2",
        ... for "both". The constant vector is "v0".
    vectors : ndarray of shape (S, n_options)
        Only with ``return_vectors=True``. Column o is the vector that option o climbs, with a
        largest magnitude of 1.

    Raises
    ------
    InputError
        If there are fewer vectors than `n_options` needs, a given vector is constant, or a pattern
        of signs has another length than there are vectors.

    Warns
    -----
    HSRWarning
        If the MDP falls into several parts that cannot be reached from each other. Each
        eigenvector then belongs to one part, and its option is available only there. Also if the
        MDP has one action, so that all options do the same.

    Examples
    --------
    >>> import hsr
    >>> layout = hsr.load_layout("four_rooms")
    >>> mdp = hsr.grid_mdp(layout)
    >>> options, vectors = hsr.eigenoptions(mdp, n_options=2, return_vectors=True)
    >>> [[layout.cell_of(s) for s in option.termination.nonzero()[0]] for option in options]
    [[(11, 1)], [(1, 1)]]

    Here each option stops where its vector is largest:

    >>> [layout.cell_of(s) for s in vectors.argmax(axis=0)]
    [(11, 1), (1, 1)]
    """
    check_mdp(mdp)
    n_options = check_count(n_options, "n_options")
    return_vectors = check_flag(return_vectors, "return_vectors")
    gamma = mdp.discount if discount is None else check_discount(discount)
    to_climb, names = landscapes(mdp, n_options, signs, vectors, first=first, seed=seed)
    warn_of_one_action(mdp)
    options = _options_climbing(mdp, to_climb, names, gamma)
    return (options, to_climb) if return_vectors else options


def landscapes(
    mdp: FiniteMDP,
    n_options: int,
    signs: Any,
    vectors: Any,
    *,
    first: str = "skipped",
    seed: Seed = 0,
) -> tuple[FloatArray, list[str]]:
    """Return the vectors that options climb and the names of the options.

    Parameters
    ----------
    mdp : FiniteMDP
        The MDP.
    n_options : int
        Number of options.
    signs, first, seed
        As in `eigenoptions`.
    vectors : array of shape (S, K) or None
        Given vectors, or None for the eigenvectors of the random walk.

    Returns
    -------
    vectors : ndarray of shape (S, n_options)
        Each with a largest magnitude of 1.
    names : list of n_options strings
    """
    counted = check_choice(first, FIRST, "first") == "counted"
    rule = check_signs(signs)
    n_vectors = vectors_needed(n_options, rule)
    # The first eigenvector is the same for every walk, so it is written down and not solved for.
    n_constant = 1 if counted and vectors is None else 0
    check_signs(rule, n_vectors - n_constant)
    if rule in SOLVERS:
        check_dense(mdp.n_states, rule)
        if vectors is not None:
            raise InputError(
                f"signs is {rule!r}, which is for the eigenvectors of the walk; "
                "with vectors it must be 'positive', 'both', 'random' or a pattern such as '+-+-'"
            )
    if vectors is None:
        given = _walk_vectors(mdp, n_vectors - n_constant, n_constant)
    else:
        given = _given_vectors(mdp, n_vectors, vectors, may_be_constant=counted)
    # An option stops where nothing is left to climb, which is judged on one scale for all vectors.
    sizes = np.abs(given).max(axis=0)
    scaled = given / np.where(sizes > 0.0, sizes, 1.0)
    names = [f"v{k + 1 - counted}" for k in range(n_vectors)]
    if rule == "both":
        scaled = np.stack([scaled, -scaled], axis=2).reshape(mdp.n_states, -1)
        names = [f"{sign}{name}" for name in names for sign in ("+", "-")]
    elif rule != "positive" and n_vectors > n_constant:
        drawn = n_vectors - n_constant
        pattern = (
            sign_pattern(mdp, drawn, rule) if rule in SOLVERS else drawn_signs(drawn, rule, seed)
        )
        scaled[:, n_constant:] = turned(scaled[:, n_constant:], pattern)
        names[n_constant:] = [
            f"{sign}{name}" for sign, name in zip(pattern, names[n_constant:], strict=True)
        ]
    return scaled[:, :n_options], names[:n_options]


def vectors_needed(n_options: int, signs: str) -> int:
    """Return the number of vectors of so many options: one each, or one for two with "both"."""
    return (n_options + 1) // 2 if signs == "both" else n_options


def _walk_vectors(mdp: FiniteMDP, n_vectors: int, n_constant: int) -> FloatArray:
    """Return constant vectors, then those of the walk, and warn of an MDP in several parts."""
    constant = np.ones((mdp.n_states, n_constant), order="F")
    if n_vectors == 0:
        return constant
    chain = MarkovChain.from_policy(mdp)
    _, vectors = leading_vectors(chain, n_vectors)
    if len(chain.parts) > 1:
        sizes = ", ".join(str(part.size) for part in chain.parts[:6]) + (
            ", ..." if len(chain.parts) > 6 else ""
        )
        warnings.warn(
            f"the MDP has {len(chain.parts)} parts (of {sizes} states); "
            "each eigenoption belongs to one part and is available only there",
            HSRWarning,
            stacklevel=4,
        )
    return np.concatenate([constant, vectors], axis=1) if n_constant else vectors


def _given_vectors(
    mdp: FiniteMDP, n_vectors: int, vectors: Any, *, may_be_constant: bool
) -> FloatArray:
    check_made_for(
        mdp.fingerprint,
        getattr(vectors, "mdp_fingerprint", None),
        "vectors is a map made",
        "give toarray() to climb it on purpose",
    )
    array = check_array(vectors, (mdp.n_states, None), "vectors")
    if array.shape[1] < n_vectors:
        raise InputError(f"vectors has {array.shape[1]} columns; {n_vectors} are needed")
    sizes = np.abs(array[:, :n_vectors]).max(axis=0)
    scaled = array[:, :n_vectors] / np.where(sizes > 0.0, sizes, 1.0)
    flat = np.flatnonzero(np.ptp(scaled, axis=0) <= STOP_TOLERANCE)
    if flat.size and not may_be_constant:
        raise InputError(f"vectors[:, {flat[0]}] is constant; an option needs something to climb")
    return array[:, :n_vectors]


def _options_climbing(
    mdp: FiniteMDP, to_climb: FloatArray, names: list[str], gamma: float
) -> OptionSet:
    """Return the options that climb the columns of `to_climb`, of shape (S, O)."""
    heights = np.ascontiguousarray(to_climb.T)
    policy = np.zeros(heights.shape, dtype=np.int32)
    stop = np.zeros(heights.shape, dtype=bool)
    if mdp.successors is not None:
        graph = (mdp.successors, *mdp.predecessors)
        for o, v in enumerate(heights):
            by_height = np.argsort(v, kind="stable")
            climb(*graph, v, by_height, gamma, STOP_TOLERANCE, policy[o], stop[o])
    else:
        _climb_stochastic(mdp, heights, gamma, policy, stop)
    return options_that_stop(policy, stop, names, mdp.fingerprint)


def _climb_stochastic(
    mdp: FiniteMDP, heights: FloatArray, gamma: float, policy: Int32Array, stop: BoolArray
) -> None:
    """Do the same as `climb` for each option in a stochastic MDP, by policy iteration."""
    matrices = [sparse.csr_array(mdp.transition_of(action)) for action in range(mdp.n_actions)]
    for o, v in enumerate(heights):
        reward = np.stack([P @ v - v for P in matrices], axis=1)
        q = best_action_values(matrices, reward, gamma, may_stop=True)
        best = q.max(axis=1)
        # The first of equally good actions, whatever the rounding of their values.
        policy[o] = (q >= best[:, None] - 1e-12).argmax(axis=1)
        stop[o] = best <= STOP_TOLERANCE
