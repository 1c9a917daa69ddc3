"""Slow functions of observations: eigenvectors of the random walk by gradient descent.

The objective is the augmented Lagrangian of [gomez2024]. Let s, t be a pair of states that are a
geometric number of steps apart, and let <f, g> be the mean of f g over both ends of pairs. The
functions u_1, u_2, ... minimise

    sum_j E[(u_j(s) - u_j(t))^2] / 2 + sum_{k <= j} (beta_jk e_jk + b e_jk^2) + b sum_j <u_j, 1>^2,
    e_jk = <u_j, [u_k]> - (1 if j = k else 0),

where nothing flows back through brackets, so that u_k is not disturbed by the functions after it.
The dual variables beta ascend: they grow with e. At the solution, u_j is the j-th eigenvector that
is not constant, and beta_jj = -2 (1 - eigenvalue of u_j).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.validation import check_count, check_flag, is_list
from hsr.deep import against_exact
from hsr.deep.experience import Experience, read_discount, read_experience
from hsr.deep.learned_vectors import LearnedVectors, Rotation, rotation_of
from hsr.deep.networks import Layers, Network, layers_of, outputs
from hsr.deep.pairs import Pairs, read_pairs, visited
from hsr.deep.training import (
    Learner,
    Training,
    descend,
    numbers_of,
    read_seeds,
)
from hsr.mdp.chain import MarkovChain
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.spectrum import leading_vectors

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
      those of `hsr.leading_vectors` and `hsr.eigenoptions`. If P is not symmetric, these two make P
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
    discount : float in [0, 1), optional
        The states of a pair are k steps apart with probability (1 - g) g^(k - 1). The discount of
        the world by default. A larger one separates the slowest functions better, and needs more
        data.
    world : FiniteMDP, optional
        The world, if it is known. Then 1 minus the mean cosine with the exact eigenvectors is
        recorded in the learning curve.
    network : Network
        Kind and size of the network.
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
    check_flag(progress, "progress")
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
        if exact is None:
            return float("nan")
        rotation = _rotation(model, data["inputs"], pairs, n_vectors)
        if rotation is None:
            return 1.0
        values = np.asarray(outputs(model.layers, data["inputs"]), dtype=np.float64)
        agreement = against_exact.eigenvectors(rotation.turned(values), *exact)
        return 1.0 - float(agreement.cosines.mean())

    n_items = 1 if pairs.rows is None else len(pairs.rows)
    return Learner(make, loss, data, n_items, error_of, at_once=network.kind != "cnn")


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
