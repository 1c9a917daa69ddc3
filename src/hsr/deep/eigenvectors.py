"""Slow functions of observations: eigenvectors of the random walk by gradient descent.

The objective is the augmented Lagrangian of [gomez2024]. Let s, t be a pair of states that are a
geometric number of steps apart, and let <f, g> be the mean of f g over both ends of pairs. The
functions u_1, u_2, ... minimise

    sum_j E[(u_j(s) - u_j(t))^2] / 2 + sum_{k <= j} (beta_jk e_jk + b e_jk^2) + b sum_j <u_j, 1>^2,
    e_jk = <u_j, [u_k]> - (1 if j = k else 0),

where nothing flows back through brackets, so that u_k is not disturbed by the functions after it.
The dual variables beta ascend: they grow with e. At the solution, u_j is the j-th eigenvector that
is not constant, and beta_jj = -2 (1 - eigenvalue of u_j).

Pairs: where states are listed, walks are drawn again from the log. Each step takes one of the
actions that the log tries in the state, all with the same probability, and then one of the logged
outcomes. The behaviour that made the log has no influence, nor has its order. Where states are not
listed, pairs lie on the trajectories of the log.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from hsr._base.arrays import FloatArray, IntArray, read_only
from hsr._base.errors import InputError
from hsr._base.validation import check_count, is_list
from hsr.deep import against_exact
from hsr.deep.experience import Experience, read_discount, read_experience
from hsr.deep.learned_map import outputs_of
from hsr.deep.networks import Layers, Network, layers_of, outputs
from hsr.deep.training import (
    Learner,
    Report,
    Training,
    descend,
    numbers_of,
    read_seeds,
    trained_for,
)
from hsr.mdp.chain import MarkovChain
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.spectrum import fix_signs, leading_vectors

N_PAIRS = 2**20


class Pairs(NamedTuple):
    """The distribution of pairs, in full or as a sample.

    Parameters
    ----------
    joint : array of shape (R, R), or None
        The probability of each pair of rows, symmetric. None if there are too many rows.
    rows : int array of shape (n, 2), or None
        Pairs that were drawn. None if their distribution is known.
    """

    joint: FloatArray | None
    rows: IntArray | None

    def mean(self, values: FloatArray) -> FloatArray:
        """Return the mean of functions of rows, given as (R, K), over both ends of pairs."""
        if self.joint is not None:
            return self.joint.sum(axis=0) @ values
        assert self.rows is not None
        mean: FloatArray = values[self.rows.ravel()].mean(axis=0)
        return mean

    def products(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean products of functions at one row, and at the two rows of a pair.

        Parameters
        ----------
        values : array of shape (R, K)
            The functions.

        Returns
        -------
        tuple of two arrays of shape (K, K)
            Both are symmetric.
        """
        if self.joint is not None:
            at_one = values.T @ (self.joint.sum(axis=0)[:, None] * values)
            return at_one, values.T @ self.joint @ values
        assert self.rows is not None
        first, second = values[self.rows[:, 0]], values[self.rows[:, 1]]
        at_one = (first.T @ first + second.T @ second) / (2 * len(first))
        at_two = first.T @ second / len(first)
        return at_one, (at_two + at_two.T) / 2


def read_pairs(
    experience: Experience, gamma: float, most_rows: int, rng: np.random.Generator
) -> Pairs:
    """Return pairs (s, t), with t a geometric number of steps after s.

    Parameters
    ----------
    experience : Experience
        The transitions.
    gamma : float
        The number of steps is k with probability (1 - gamma) gamma^(k - 1), for k = 1, 2, ...
    most_rows : int
        The distribution of pairs is computed in full for at most so many states.
    rng : numpy.random.Generator
        Draws the pairs otherwise.
    """
    if not experience.listed:
        return Pairs(None, _along_trajectories(experience, gamma, rng))
    if experience.n_rows <= most_rows:
        return Pairs(_joint(experience, gamma), None)
    return Pairs(None, _walks(experience, gamma, rng))


class _Tried(NamedTuple):
    """The steps of a log, sorted by state and action.

    A group is a state with one of the actions that the log tries there.
    """

    next_state: IntArray  # (n,), of the sorted steps
    state: IntArray  # (n,)
    group: IntArray  # (n,), to which group each step belongs
    first_step: IntArray  # (G,)
    n_steps: IntArray  # (G,)
    first_group: IntArray  # (R,)
    n_groups: IntArray  # (R,)


def _tried(experience: Experience) -> _Tried:
    state, action, next_state = experience.steps.T
    key = state * experience.n_actions + action
    order = np.argsort(key, kind="stable")
    groups, first, group, count = np.unique(
        key[order], return_index=True, return_inverse=True, return_counts=True
    )
    rows = np.arange(experience.n_rows)
    owner = groups // experience.n_actions
    return _Tried(
        next_state[order],
        state[order],
        group,
        first,
        count,
        np.searchsorted(owner, rows),
        np.bincount(owner, minlength=rows.size),
    )


def visited(experience: Experience) -> IntArray:
    """Return the rows that occur in the log."""
    return np.unique(experience.steps[:, [0, 2]])


def _joint(experience: Experience, gamma: float) -> FloatArray:
    """Return the probability of each pair, for walks that start uniformly in visited states."""
    log, n = _tried(experience), experience.n_rows
    P = np.zeros((n, n))
    share = 1.0 / (log.n_groups[log.state] * log.n_steps[log.group])
    np.add.at(P, (log.state, log.next_state), share)
    never_left = np.flatnonzero(log.n_groups == 0)
    P[never_left, never_left] = 1.0
    starts = np.zeros(n)
    starts[visited(experience)] = 1.0
    later = (1.0 - gamma) * np.linalg.solve(np.eye(n) - gamma * P, P)
    joint = (starts / starts.sum())[:, None] * later
    return (joint + joint.T) / 2


def _walks(experience: Experience, gamma: float, rng: np.random.Generator) -> IntArray:
    """Return the first and the last state of walks that are drawn again from the log."""
    log = _tried(experience)
    first = rng.choice(visited(experience), N_PAIRS)
    now, left = first.copy(), rng.geometric(1.0 - gamma, N_PAIRS)
    walking = np.arange(N_PAIRS)
    while walking.size:
        walking = walking[(left[walking] > 0) & (log.n_groups[now[walking]] > 0)]
        s = now[walking]
        group = log.first_group[s] + _drawn(log.n_groups[s], rng)
        step = log.first_step[group] + _drawn(log.n_steps[group], rng)
        now[walking] = log.next_state[step]
        left[walking] -= 1
    return np.column_stack([first, now])


def _drawn(sizes: IntArray, rng: np.random.Generator) -> IntArray:
    """Return a number below each size."""
    return (rng.random(sizes.size) * sizes).astype(np.int64)


def _along_trajectories(experience: Experience, gamma: float, rng: np.random.Generator) -> IntArray:
    """Return rows of the log a number of steps apart that fits into the trajectory."""
    follows, n = experience.follows, len(experience.steps)
    if gamma > 0.0 and not follows.any():
        raise InputError(
            "no step of the log starts where the step before it ended; give the steps in the "
            "order of time, or discount=0, which compares the two ends of single steps"
        )
    ends = np.flatnonzero(np.append(~follows, True))
    first = rng.integers(n, size=N_PAIRS)
    room = ends[np.searchsorted(ends, first)] - first
    apart = np.zeros(N_PAIRS, dtype=np.int64)
    if gamma > 0.0:
        reached = 1.0 - rng.random(N_PAIRS) * (1.0 - gamma ** (room + 1.0))
        apart = np.minimum((np.log(reached) / np.log(gamma)).astype(np.int64), room)
    return np.column_stack([experience.steps[first, 0], experience.steps[first + apart, 2]])


_RANK = 1e-7  # functions whose products have smaller eigenvalues than this depend on each other


class Rotation(NamedTuple):
    """How eigenvectors are made of the outputs of a network.

    Parameters
    ----------
    mean : array of shape (D,)
        What is subtracted from the outputs first.
    matrix : array of shape (D, K)
        What they are then multiplied by.
    eigenvalues : array of shape (K,)
        Of the step from one state of a pair to the other.
    """

    mean: FloatArray
    matrix: FloatArray
    eigenvalues: FloatArray

    def turned(self, values: FloatArray) -> FloatArray:
        """Return the eigenvectors, (n, K), of outputs, (n, D)."""
        return (values - self.mean) @ self.matrix


def rotation_of(values: FloatArray, pairs: Pairs, n_vectors: int) -> Rotation | None:
    """Return the best eigenvectors in the span of functions (Rayleigh-Ritz), or None.

    They are uncorrelated at one state and between the two states of a pair. Each has length 1 and
    the sign that `hsr.mdp.leading_vectors` would choose. None if the functions span too little.

    Parameters
    ----------
    values : array of shape (R, D)
        The functions at each row.
    pairs : Pairs
        The distribution of pairs.
    n_vectors : int
        The number K of vectors, at most D.
    """
    mean = pairs.mean(values)
    at_one, at_two = pairs.products(values - mean)
    sizes, axes = np.linalg.eigh(at_one)
    kept = sizes > _RANK * max(sizes[-1], _RANK)
    if np.count_nonzero(kept) < n_vectors:
        return None
    whitened = axes[:, kept] / np.sqrt(sizes[kept])
    eigenvalues, turns = np.linalg.eigh(whitened.T @ at_two @ whitened)
    matrix = whitened @ turns[:, ::-1][:, :n_vectors]
    vectors = (values - mean) @ matrix
    matrix = matrix / np.linalg.norm(vectors, axis=0)
    vectors = (values - mean) @ matrix
    signs = np.sign(np.sum(fix_signs(vectors) * vectors, axis=0))
    return Rotation(mean, matrix * signs, eigenvalues[::-1][:n_vectors])


class LearnedVectors:
    """Eigenvectors of a random walk that a network has learned; `learn_eigenvectors` returns it.

    Parameters
    ----------
    network : Layers
        From an observation to D functions.
    rotation : Rotation
        How the vectors are made of these functions.
    experience : Experience
        The observations.
    training : Training
        How the network was trained.
    reports : tuple of Report
        Its learning curve.
    discount : float
        The states of a pair were k steps apart with probability (1 - g) g^(k - 1).

    Attributes
    ----------
    vectors : array of shape (S, K)
        One vector of length 1 per column. The first entry of largest magnitude is positive. If
        states are not listed, the rows are the observations of the log: before all steps, then
        after.
    eigenvalues : array of shape (K,)
        Estimates of the eigenvalues of one step of the walk, in decreasing order. If states are not
        listed and trajectories are short compared with 1 / (1 - g), they are too large.
    curve : tuple of Report
        Updates, loss and 1 minus the mean cosine with the exact vectors, from time to time.
    """

    def __init__(
        self,
        network: Layers,
        rotation: Rotation,
        experience: Experience,
        training: Training,
        reports: tuple[Report, ...],
        *,
        discount: float,
    ) -> None:
        self.network, self.curve, self.discount = network, reports, discount
        self._rotation, self._experience, self._training = rotation, experience, training
        self.vectors = read_only(self._turned(experience.read()))
        mu = rotation.eigenvalues
        self.eigenvalues = read_only(mu / (1.0 - discount + discount * mu))

    def at(self, observations: Any) -> FloatArray:
        """Return the vectors at further observations.

        Parameters
        ----------
        observations : array of shape (n, ...)
            Observations as the log has them. The numbers of states if they are one-hot.

        Returns
        -------
        ndarray of shape (n, K)
        """
        return self._turned(self._experience.prepare(observations))

    def __repr__(self) -> str:
        n, k = self.vectors.shape
        what = "states" if self._experience.listed else "observations"
        return f"LearnedVectors({k} vectors of {n} {what}, discount {self.discount:g})"

    def _turned(self, inputs: Any) -> FloatArray:
        return self._rotation.turned(outputs_of(self.network, inputs, self._training))


BARRIER = 2.0  # the weight b of the squared errors
_SPARE = 2  # functions more than asked for, which the last ones need to be separated from the rest


def learn_eigenvectors(
    steps: Any,
    n_vectors: int,
    *,
    observe: Any = None,
    discount: float | None = None,
    world: FiniteMDP | None = None,
    network: Network = Network(),
    updates: int | None = None,
    training: Training = Training(batch_size=512),
    seed: int | Sequence[int] = 0,
    progress: bool = False,
) -> Any:
    """Return the leading eigenvectors of the random walk, learned by a network.

    The network learns functions u of observations that change slowly along walks. They minimise
    the augmented Lagrangian of [gomez2024] over pairs (s, t), with t a geometric number of steps
    after s. In the end the functions are rotated within their span so that they are uncorrelated
    both at one state and between the two states of a pair (Rayleigh-Ritz). The constant function is
    left out.

    **Which eigenvectors?** With W(s, t) the probability of a pair, made symmetric, and D the
    probability of a state at either end, they solve W u = mu D u, for the largest mu.

    - If states are listed, pairs are the ends of walks that start in all visited states with the
      same probability, and take all actions that the log tries in a state with the same
      probability. The log may come from any behaviour, in any order. With P the matrix of this
      walk, W = (G + G') / 2S and G = (1 - g) P (1 - g P)^-1. If P is symmetric, as on grids, the
      vectors are those of P, and of the successor representation for every discount. They are
      those of `leading_vectors` and `hsr.eigenoptions`. If P is not symmetric, these two make P
      symmetric instead of G, which is the same for ``discount=0`` only.
    - If states are not listed, pairs lie on trajectories of the log. P is then the walk of the
      behaviour that made the log, and D is how often it visits what it observes.

    Parameters
    ----------
    steps : array of shape (n, 3), or Observed
        Steps (state, action, next state), as numbers or as labels of the world, such as
        `random_steps` returns and `hsr.from_transitions` takes. Or transitions between
        observations, if states cannot be listed, in the order of time.
    n_vectors : int
        The number of vectors K.
    observe : array of shape (S, ...), or callable, optional
        What is observed in each state. A callable takes the numbers of the states, or the
        observations of the log. By default states are one-hot.
    discount : float in [0, 0.99999], optional
        The states of a pair are k steps apart with probability (1 - g) g^(k - 1). The discount of
        the world by default. A larger one separates the slowest functions better, and needs more
        data.
    world : FiniteMDP, optional
        The world, if it is known. Then 1 minus the mean cosine with the exact eigenvectors is
        recorded in the learning curve.
    network : Network
        Kind and size of the network.
    updates : int, optional
        Number of gradient steps, instead of those of `training`.
    training : Training
        How it is trained. If there are at most two states per item of a batch, every update takes
        all states and the exact distribution of pairs in the log instead of a sample.
    seed : int or sequence of int
        Draws the pairs, the first weights and the batches.
    progress : bool
        Print the learning curve during training.

    Returns
    -------
    LearnedVectors
        A list of them if `seed` is a sequence. Several seeds are trained in one computation.

    Raises
    ------
    InputError
        If transitions and observations do not fit each other, the log visits too few states for so
        many vectors, or training diverges or collapses.

    Examples
    --------
    >>> import hsr, hsr.deep
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text(".........."), discount=0.8)
    >>> steps = hsr.deep.random_steps(mdp, 2000)
    >>> training = hsr.deep.Training(n_updates=600)
    >>> learned = hsr.deep.learn_eigenvectors(steps, 3, world=mdp, training=training)
    >>> learned
    LearnedVectors(3 vectors of 10 states, discount 0.8)
    >>> learned.vectors.shape, learned.curve[-1].error < 0.01
    ((10, 3), True)
    """
    n_vectors = check_count(n_vectors, "n_vectors")
    training = trained_for(training, updates)
    experience = read_experience(steps, observe, world)
    gamma = read_discount(discount, world)
    n_trained = _n_trained(experience, n_vectors)
    exact = _exact(experience, n_vectors, world)
    seeds = read_seeds(seed)
    most_rows = 2 * training.batch_size
    pairs = read_pairs(experience, gamma, most_rows, np.random.default_rng(seeds[0]))
    with numbers_of(training):
        learner = _learner(experience, pairs, n_trained, n_vectors, network, training, exact)
        trained = descend(learner, training, seeds, progress)
        rotations = [
            checked(_rotation(model, learner.data["inputs"], pairs, n_vectors))
            for model, _ in trained
        ]
    found = [
        LearnedVectors(model.layers, rotation, experience, training, reports, discount=gamma)
        for (model, reports), rotation in zip(trained, rotations, strict=True)
    ]
    return found if is_list(seed) else found[0]


class Lagrangian(eqx.Module):  # type: ignore[misc]
    """A network, and the dual variables of the constraints on its outputs."""

    layers: Layers
    duals: jax.Array


class Terms(NamedTuple):
    """What the objective is made of.

    Parameters
    ----------
    energy : scalar
        How much the functions change within pairs.
    errors : array of shape (K, K)
        How far the functions are from orthonormal: e_jk for k <= j, 0 elsewhere.
    squares : scalar
        The squares of the errors and of the means of the functions, added up.
    """

    energy: jax.Array
    errors: jax.Array
    squares: jax.Array


def objective(terms: Terms, duals: jax.Array) -> jax.Array:
    """Return the augmented Lagrangian. Its gradient with respect to the duals is turned round."""
    stop = jax.lax.stop_gradient
    descent = terms.energy + jnp.sum(stop(duals) * terms.errors) + BARRIER * terms.squares
    return descent - jnp.sum(duals * stop(terms.errors))


def terms_in_full(values: jax.Array, joint: jax.Array) -> Terms:
    """Return the terms for functions of all rows, (R, K), and the distribution of pairs."""
    weighted = jnp.sum(joint, axis=0)[:, None] * values
    energy = jnp.sum(values * (weighted - joint @ values))
    errors, mean = _errors(weighted.T @ jax.lax.stop_gradient(values)), jnp.sum(weighted, axis=0)
    return Terms(energy, errors, jnp.sum(errors**2) + jnp.sum(mean**2))


def terms_of_batch(first: jax.Array, second: jax.Array) -> Terms:
    """Return estimates of the terms from functions at both rows of pairs, (b, K).

    Squares of means are estimated without bias as products of the means of two halves.
    """
    energy = jnp.sum((first - second) ** 2) / (2 * len(first))
    # The square of one mean would be biased by its variance; two halves are independent.
    half = max(1, len(first) // 2)
    (errors, mean), (others, other_mean) = (
        (_errors(both.T @ jax.lax.stop_gradient(both) / len(both)), jnp.mean(both, axis=0))
        for both in (
            jnp.concatenate([first[:half], second[:half]]),
            jnp.concatenate([first[-half:], second[-half:]]),
        )
    )
    squares = jnp.sum(errors * others) + jnp.sum(mean * other_mean)
    return Terms(energy, (errors + others) / 2, squares)


def _errors(products: jax.Array) -> jax.Array:
    return jnp.tril(products - jnp.eye(len(products), dtype=products.dtype))


def _learner(
    experience: Experience,
    pairs: Pairs,
    n_trained: int,
    n_vectors: int,
    network: Network,
    training: Training,
    exact: tuple[FloatArray, FloatArray] | None,
) -> Learner:
    dtype = training.dtype
    data = {"inputs": experience.inputs(dtype)}
    if pairs.joint is not None:
        data["joint"] = jnp.asarray(pairs.joint, dtype)
    else:
        data["pairs"] = jnp.asarray(pairs.rows, jnp.int32)

    def make(key: jax.Array) -> Lagrangian:
        layers = layers_of(network, experience, (n_trained,), dtype, key)
        if network.kind == "linear":  # at zero the gradient vanishes
            noise = jax.random.normal(key, layers.layers[0].weight.shape, dtype)
            layers = eqx.tree_at(lambda net: net.layers[0].weight, layers, 0.1 * noise)
        return Lagrangian(layers, jnp.zeros((n_trained, n_trained), dtype))

    def loss(model: Lagrangian, slow: Any, items: Any, key: Any, data: Any) -> jax.Array:
        if "joint" in data:
            terms = terms_in_full(model.layers(data["inputs"]), data["joint"])
        else:
            first, second = (model.layers(data["inputs"][rows]) for rows in data["pairs"][items].T)
            terms = terms_of_batch(first, second)
        return objective(terms, model.duals)

    def error_of(model: Lagrangian) -> float:
        rotation = _rotation(model, data["inputs"], pairs, n_vectors)
        if rotation is None:
            return 1.0
        values = np.asarray(outputs(model.layers, data["inputs"]), dtype=np.float64)
        agreement = against_exact.eigenvectors(rotation.turned(values), *(exact or ()))
        return 1.0 - float(agreement.cosines.mean())

    n_items = 1 if pairs.rows is None else len(pairs.rows)
    known = None if exact is None else error_of
    return Learner(make, loss, data, n_items, known, at_once=network.kind != "cnn")


def _rotation(model: Lagrangian, inputs: Any, pairs: Pairs, n_vectors: int) -> Rotation | None:
    values = np.asarray(outputs(model.layers, inputs), dtype=np.float64)
    return rotation_of(values, pairs, n_vectors)


def checked(rotation: Rotation | None) -> Rotation:
    """Return the rotation if there is one."""
    if rotation is None:
        raise InputError(
            "training collapsed: the functions are not independent of each other; use more "
            "updates, a smaller learning rate or a wider network"
        )
    return rotation


def _n_trained(experience: Experience, n_vectors: int) -> int:
    """Return how many functions are trained: some more than asked for, if there are as many."""
    n_states = visited(experience).size if experience.listed else len(experience.steps) + 1
    if n_vectors >= n_states:
        raise InputError(
            f"n_vectors is {n_vectors}; the log visits {n_states} states, which have "
            f"{n_states - 1} vectors that are not constant"
        )
    return min(n_vectors + _SPARE, n_states - 1)


def _exact(
    experience: Experience, n_vectors: int, world: FiniteMDP | None
) -> tuple[FloatArray, FloatArray] | None:
    """Return the exact vectors and eigenvalues, if the world is known."""
    if world is None or not experience.listed:
        return None
    eigenvalues, vectors = leading_vectors(
        MarkovChain.from_policy(world), min(world.n_states - 1, n_vectors + _SPARE)
    )
    return vectors, eigenvalues
