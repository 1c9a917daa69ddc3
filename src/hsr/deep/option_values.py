"""Action values of options that climb vectors, learned by Q-learning, and their tolerance."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hsr._base.arrays import FloatArray
from hsr.deep import against_exact
from hsr.deep.experience import Experience
from hsr.deep.networks import Layers, Network, layers_of, outputs, outputs_at
from hsr.deep.training import Learner, Training
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.solvers import best_action_values
from hsr.options.eigen import eigenoptions

_UNTRIED = -1e9  # the value of an action that the log never tries in a state


def values_learner(
    experience: Experience,
    heights: FloatArray,
    gamma: float,
    network: Network,
    training: Training,
    exact: FloatArray | None,
) -> Learner:
    """Return what is trained: a network from observations to action values, (O, A).

    Parameters
    ----------
    experience : Experience
        The transitions.
    heights : array of shape (R, O)
        The vectors that options climb.
    gamma : float
        The discount.
    network, training
        As in `learn_eigenoptions`.
    exact : array of shape (S, O), or None
        The exact values max(0, max_a q), if they are known.
    """
    whole = experience.listed and experience.n_rows <= 2 * training.batch_size
    (steps, weight), tried, dtype = experience.distinct_steps(), experience.tried, training.dtype
    data = {
        "inputs": experience.inputs(dtype),
        "steps": jnp.asarray(steps, jnp.int32),
        "weight": jnp.asarray(weight, dtype),
        "heights": jnp.asarray(heights, dtype),
        "tried": jnp.asarray(tried),
    }
    out = heights.shape[1], experience.n_actions

    def error(layers: Layers) -> float:
        q = np.where(tried[:, None, :], outputs(layers, data["inputs"]), _UNTRIED)
        return against_exact.predictive_map(np.maximum(q.max(axis=2), 0.0), exact)

    return Learner(
        lambda key: layers_of(network, experience, out, dtype, key),
        lambda *arguments: q_loss(gamma, whole, *arguments),
        data,
        len(steps),
        None if exact is None else error,
    )


def q_loss(
    gamma: float,
    whole: bool,
    network: Layers,
    slow: Layers,
    items: jax.Array,
    key: jax.Array,
    data: dict[str, Any],
) -> jax.Array:
    """Return half the squared TD errors of action values, averaged over steps.

    Parameters
    ----------
    gamma : float
        The discount.
    whole : bool
        Whether all steps are used instead of a batch.
    network, slow : Layers
        The network that learns, and its slow copy, which gives the targets. Outputs have shape
        (O, A).
    items : int array of shape (b,)
        The steps of the batch.
    key : jax.Array
        Not used.
    data : dict of arrays
        ``steps`` and the ``weight`` of each, the ``heights`` to climb (R, O) and the ``tried``
        actions (R, A).
    """
    used = slice(None) if whole else items
    (s, a, t), weight = data["steps"][used].T, data["weight"][used]
    now = outputs_at(network, data["inputs"], s, whole)
    later = outputs_at(slow, data["inputs"], t, whole)
    best = jnp.max(jnp.where(data["tried"][t][:, None, :], later, _UNTRIED), axis=2)
    reward = data["heights"][t] - data["heights"][s]
    target = jax.lax.stop_gradient(reward + gamma * jnp.maximum(best, 0.0))
    taken = jnp.take_along_axis(now, a[:, None, None], axis=2)[:, :, 0]
    errors = jnp.sum((taken - target) ** 2, axis=1)
    return 0.5 * jnp.sum(weight * errors) / jnp.sum(weight)


def tolerance_of(
    q: FloatArray, heights: FloatArray, experience: Experience, gamma: float
) -> FloatArray:
    """Return the value of each option below which an action may be worth nothing, (O,).

    Parameters
    ----------
    q : array of shape (copies, R, O, A)
        Action values of independently trained copies, minus infinity where an action was not tried.
    heights : array of shape (copies, R, O)
        The vectors that the options of each copy climb.
    experience : Experience
        The transitions.
    gamma : float
        The discount.
    """
    best = q.max(axis=3)
    spread = best[:, np.isfinite(best[0]).all(axis=1)]
    standard_error = np.sqrt(spread.var(axis=0, ddof=1).mean(axis=0) / len(q))
    # Expected largest of n normal errors, in standard deviations.
    largest = np.sqrt(2.0 * np.log(max(2, spread.shape[1])))
    steps, weight = experience.distinct_steps()
    s, a, t = steps.T
    after = heights[:, t] - heights[:, s] + gamma * np.maximum(best, 0.0)[:, t]
    change = np.mean(after - q[:, s, :, a].swapaxes(0, 1), axis=0)
    # The mean change of each action in each state, over its outcomes.
    pair = np.unique(s * experience.n_actions + a, return_inverse=True)[1]
    means = np.zeros((pair.max() + 1, change.shape[1]))
    np.add.at(means, pair, weight[:, None] * change)
    return largest * standard_error + np.sqrt(np.mean(means**2, axis=0)) / (1.0 - gamma)


def exact_values(
    experience: Experience,
    heights: FloatArray,
    rule: str,
    gamma: float,
    mdp: FiniteMDP | None,
    seed: int,
) -> FloatArray | None:
    """Return max(0, max_a q) of the exact eigenvectors, with the learned signs, (S, O).

    None if the MDP is not known, or its states are not listed.

    Parameters
    ----------
    experience : Experience
        The transitions.
    heights : array of shape (S, O)
        The learned vectors that options climb.
    rule, seed
        Signs of the vectors, as in `learn_eigenoptions`.
    gamma : float
        The discount.
    mdp : FiniteMDP or None
        The MDP.
    """
    if mdp is None or not experience.listed:
        return None
    _, exact = eigenoptions(
        mdp, heights.shape[1], signs=rule, seed=seed, discount=gamma, return_vectors=True
    )
    exact = aligned(exact, heights)
    matrices = [mdp.transition_of(action) for action in range(mdp.n_actions)]
    best = [
        best_action_values(
            matrices, np.stack([P @ v - v for P in matrices], axis=1), gamma, may_stop=True
        ).max(axis=1)
        for v in exact.T
    ]
    return np.maximum(np.stack(best, axis=1), 0.0)


def aligned(vectors: FloatArray, others: FloatArray) -> FloatArray:
    """Return vectors with signs such that they point the same way as others."""
    return vectors * np.where(np.sum(vectors * others, axis=0) < 0.0, -1.0, 1.0)
