"""Eigenvectors of the random walk, learned as slow functions of observations.

The objective is the augmented Lagrangian of [gomez2024]. Let s, t be a pair of states that are a
geometric number of steps apart, and let <f, g> be the mean of f g over both ends of pairs. The
functions u_1, u_2, ... minimise

    sum_j E[(u_j(s) - u_j(t))^2] / 2 + sum_{k <= j} (beta_jk e_jk + b e_jk^2) + b sum_j <u_j, 1>^2,
    e_jk = <u_j, [u_k]> - (1 if j = k else 0),

without gradients through brackets, so that u_k is not disturbed by the functions after it. The dual
variables beta ascend: they grow with e. At the solution, u_j is the j-th eigenvector that is not
constant, and beta_jj = -2 (1 - eigenvalue of u_j).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.validation import check_count
from hsr.deep import against_exact
from hsr.deep.experience import Experience, read_discount, read_experience
from hsr.deep.learned_map import outputs_of
from hsr.deep.learned_vectors import LearnedVectors, Pairs, Rotation, read_pairs, rotation_of
from hsr.deep.networks import Layers, Network, layers_of, outputs
from hsr.deep.parameters import shares_parameters
from hsr.deep.training import Learner, Training, read_seeds, train
from hsr.mdp.chain import MarkovChain
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.spectrum import leading_vectors

BARRIER = 2.0  # the weight b of the squared errors
_SPARE = 2  # additional functions, which separate the last vectors from the rest of the spectrum


@shares_parameters
def learn_eigenvectors(
    steps: Any,
    n_vectors: int,
    *,
    observe: Any = None,
    discount: float | None = None,
    mdp: FiniteMDP | None = None,
    network: Network = Network(),
    training: Training = Training(batch_size=512),
    seed: int | Sequence[int] = 0,
    progress: bool = False,
) -> Any:
    """Return the leading eigenvectors of the random walk, learned by a network.

    The network learns functions u of observations that change slowly along walks. They minimise
    the augmented Lagrangian of [gomez2024] over pairs (s, t), with t a geometric number of steps
    after s. After training, the functions are rotated within their span so that they are
    uncorrelated both at single states and between the two states of a pair (Rayleigh-Ritz). The
    constant function is left out.

    **Which eigenvectors?** With W(s, t) the probability of a pair, made symmetric, and D the
    probability of a state at either end, they solve W u = mu D u, for the largest mu.

    - If states are listed, pairs are the ends of walks that start in a visited state, drawn
      uniformly, and take each action that the log tries in a state with equal probability. The
      log may come from any behaviour, in any order. With P the transition matrix of this
      walk, W = (G + G') / 2S and G = (1 - g) P (1 - g P)^-1. If P is symmetric, as on grids, the
      vectors are those of P, and of the successor representation for every discount. They are
      those of `leading_vectors` and `hsr.eigenoptions`. If P is not symmetric, these two
      symmetrise P instead of G, which is the same only for ``discount=0``.
    - If states are not listed, pairs lie on trajectories of the log. P is then the walk of the
      behaviour that made the log, and D is how often it visits what it observes.

    Parameters
    ----------
    n_vectors : int
        The number of vectors K.
    discount : float in [0, 0.99999], optional
        The states of a pair are k steps apart with probability (1 - g) g^(k - 1). By default the
        discount of `mdp`. A larger discount separates the slowest functions better, and needs more
        data.
    training : Training
        How the network is trained. If there are at most two states per item of a batch, every
        update uses all states and the exact distribution of pairs in the log instead of a sample.
    seed : int or sequence of int
        Seed of the pairs, the initial weights and the batches.

    Returns
    -------
    LearnedVectors
        A list if `seed` is a sequence. Several seeds are trained in one computation.

    Raises
    ------
    InputError
        If transitions and observations do not fit together, the log visits too few states for so
        many vectors, or training diverges or collapses.

    Examples
    --------
    >>> import hsr, hsr.deep
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text(".........."), discount=0.8)
    >>> steps = hsr.deep.random_steps(mdp, 2000)
    >>> training = hsr.deep.Training(n_updates=600)
    >>> learned = hsr.deep.learn_eigenvectors(steps, 3, mdp=mdp, training=training)
    >>> learned
    LearnedVectors(3 vectors of 10 states, discount 0.8)
    >>> learned.vectors.shape, learned.curve[-1].error < 0.01
    ((10, 3), True)
    """
    n_vectors = check_count(n_vectors, "n_vectors")
    experience = read_experience(steps, observe, mdp)
    gamma = read_discount(discount, mdp)
    n_trained = _n_trained(experience, n_vectors)
    exact = _exact(experience, n_vectors, mdp)
    rng = np.random.default_rng(read_seeds(seed)[0])
    pairs = read_pairs(experience, gamma, 2 * training.batch_size, rng)

    def learned(model: Lagrangian, reports: Any) -> LearnedVectors:
        values = outputs_of(model.layers, experience.read(), training)
        rotation = checked(rotation_of(values, pairs, n_vectors))
        return LearnedVectors(model.layers, rotation, experience, training, reports, discount=gamma)

    return train(
        lambda: _learner(experience, pairs, n_trained, n_vectors, network, training, exact),
        training,
        seed,
        progress,
        learned,
    )


class Lagrangian(eqx.Module):  # type: ignore[misc]
    """A network, and the dual variables of the constraints on its outputs."""

    layers: Layers
    duals: jax.Array


class Terms(NamedTuple):
    """The terms of the objective.

    Parameters
    ----------
    energy : scalar
        How much the functions change within pairs.
    errors : array of shape (K, K)
        How far the functions are from orthonormal: e_jk for k <= j, 0 elsewhere.
    squares : scalar
        The sum of the squares of the errors and of the means of the functions.
    """

    energy: jax.Array
    errors: jax.Array
    squares: jax.Array


def objective(terms: Terms, duals: jax.Array) -> jax.Array:
    """Return the augmented Lagrangian, with the opposite gradient with respect to the duals."""
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

    Squares of means are estimated as products of the means of two halves, which are independent.
    The square of a single mean would be biased by its variance.
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
    if pairs.rows is None:
        data["joint"] = jnp.asarray(pairs.joint, dtype)
    else:
        data["pairs"] = jnp.asarray(pairs.rows, jnp.int32)

    def make(key: jax.Array) -> Lagrangian:
        layers = layers_of(network, experience, (n_trained,), dtype, key)
        if network.kind == "linear":  # the gradient vanishes at zero
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
        values = np.asarray(outputs(model.layers, data["inputs"]), dtype=np.float64)
        rotation = rotation_of(values, pairs, n_vectors)
        if rotation is None:
            return 1.0
        agreement = against_exact.eigenvectors(rotation.apply(values), *(exact or ()))
        return 1.0 - float(agreement.cosines.mean())

    n_items = 1 if pairs.rows is None else len(pairs.rows)
    known = None if exact is None else error_of
    return Learner(make, loss, data, n_items, known, at_once=network.kind != "cnn")


def checked(rotation: Rotation | None) -> Rotation:
    """Return the rotation, or raise `InputError` if there is none."""
    if rotation is None:
        raise InputError(
            "training collapsed: the functions are linearly dependent; use more updates, a "
            "smaller learning rate or a wider network"
        )
    return rotation


def _n_trained(experience: Experience, n_vectors: int) -> int:
    """Return how many functions are trained: a few more than requested, if there are so many."""
    n_states = experience.visited.size if experience.listed else len(experience.steps) + 1
    if n_vectors >= n_states:
        raise InputError(
            f"n_vectors is {n_vectors}; the log visits {n_states} states, which have "
            f"{n_states - 1} vectors that are not constant"
        )
    return min(n_vectors + _SPARE, n_states - 1)


def _exact(
    experience: Experience, n_vectors: int, mdp: FiniteMDP | None
) -> tuple[FloatArray, FloatArray] | None:
    """Return the exact vectors and eigenvalues, if the MDP is known."""
    if mdp is None or not experience.listed:
        return None
    eigenvalues, vectors = leading_vectors(
        MarkovChain.from_policy(mdp), min(mdp.n_states - 1, n_vectors + _SPARE)
    )
    return vectors, eigenvalues
