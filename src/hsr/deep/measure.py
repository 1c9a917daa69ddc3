"""The density of discounted visits, for environments whose states cannot be listed."""

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from hsr._base.validation import check_count
from hsr.deep import against_exact
from hsr.deep.choices import Problem, read_problem
from hsr.deep.learned_measure import Factors, LearnedMeasure, drawn, visits_of
from hsr.deep.networks import Layers, Network, layers_of, outputs_at
from hsr.deep.parameters import shares_parameters
from hsr.deep.training import Learner, Training, train
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.task import Task

_NEGLIGIBLE = 1e-3  # singular values below this fraction of the largest are not scaled up
_SAMPLE = 2048  # observations from which the correlations of B are estimated before training
_COLUMNS = 512  # visited observations per update, if not all of them


@shares_parameters
def learn_measure(
    steps: Any,
    options: Any = None,
    mu: Any = None,
    *,
    n_factors: int = 128,
    observe: Any = None,
    discount: float | None = None,
    mdp: FiniteMDP | None = None,
    task: Task | None = None,
    network: Network = Network(),
    training: Training = Training(),
    seed: int | Sequence[int] = 0,
    progress: bool = False,
) -> Any:
    """Return the density of discounted visits, learned by two networks.

        m(s, c, x) = F(s, c) . B(x)

    is the density of visits to x after choice c in s, relative to the distribution rho of the
    observations in the log. A map lists all states; a density does not. With slow copies m' and
    with t the observation after s, the networks minimise

        E_s,t,x sum_c w_c (m(s, c, x) - g m'_c(t, x))^2 - 2 E_s sum_c w_c m(s, c, s),
        m'_c(t, x) = (1 - beta_c(t)) m'(t, c, x) + beta_c(t) sum_d mu(d | t) m'(t, d, x).

    This is the loss of [touati2021], with choices and stopping. With as many factors as states the
    minimum is the map of `learn_hsr` divided by rho, and without options that of `learn_sr`. With
    fewer factors it is the best compromise on average over the log.

    Parameters
    ----------
    options : OptionSet, or callable, optional
        The options, or a function that returns them for an array of observations. None for the SR.
    n_factors : int
        Length d of F and B: the rank of the density.
    network : Network
        Kind and size of both networks. The hidden layers of B are random and stay fixed. Its last
        layer is initialised to be uncorrelated over the log, and is trained.

    Returns
    -------
    LearnedMeasure
        A list of densities if `seed` is a sequence. Several seeds are trained in one computation.

    Raises
    ------
    InputError
        If transitions, observations, options and mu do not fit together, or training diverges.

    Warns
    -----
    HSRWarning
        If more than half of the units of a layer are dead, or all rows of the map are the same.

    Examples
    --------
    An agent in the plane that moves one unit right or left:

    >>> import numpy as np, hsr.deep
    >>> rng = np.random.default_rng(0)
    >>> where, actions = rng.uniform(-5, 5, size=(2000, 2)), rng.integers(2, size=2000)
    >>> after = np.clip(where + [1.0, 0.0] * (1 - 2 * actions[:, None]), -5, 5)
    >>> log = hsr.deep.Observed(where, actions, after)
    >>> training = hsr.deep.Training(n_updates=100)
    >>> m = hsr.deep.learn_measure(log, discount=0.8, n_factors=16, training=training)
    >>> to_the_right, to_the_left = m.density([[0.0, 0.0]], [[2.0, 0.0]])[0, :, 0]
    >>> bool(to_the_right > to_the_left)
    True
    """
    n_factors = check_count(n_factors, "n_factors")
    problem = read_problem(steps, options, mu, observe, discount, mdp, task)
    return train(
        lambda: measure_learner(problem, n_factors, network, training),
        training,
        seed,
        progress,
        lambda factors, reports: LearnedMeasure(factors, problem, training, reports),
    )


def measure_learner(
    problem: Problem, n_factors: int, network: Network, training: Training
) -> Learner:
    """Return what is trained: the networks F and B with the loss of `learn_measure`.

    Parameters
    ----------
    problem : Problem
        The log and the policy over choices.
    n_factors, network, training
        As in `learn_measure`.
    """
    experience, choices, exact = problem.experience, problem.choices, problem.exact_map()
    visits = visits_of(experience)
    data = problem.data(training.dtype) | {
        "rows": jnp.asarray(visits.rows, jnp.int32),
        "probability": jnp.asarray(visits.probability, training.dtype) if visits.few else None,
    }

    def error(factors: Factors) -> float:
        F, B = (
            np.asarray(net(data["inputs"]), dtype=np.float64)
            for net in (factors.forward, factors.backward)
        )
        M = np.einsum("rc,rcd->rd", choices.mu, F) @ (visits.probability[:, None] * B).T
        M[choices.goal] = np.eye(experience.n_rows)[choices.goal]
        return against_exact.predictive_map(M, exact)

    return Learner(
        lambda key: _make(problem, n_factors, network, data, key),
        lambda *arguments: measure_loss(problem.discount, *arguments),
        data,
        len(experience.steps),
        None if exact is None else error,
        at_once=network.kind != "cnn",
    )


def measure_loss(
    gamma: float,
    factors: Factors,
    slow: Factors,
    items: jax.Array,
    key: jax.Array,
    data: dict[str, Any],
) -> jax.Array:
    """Return half the loss of `learn_measure`, up to a constant.

    With second moments G = E B B' and H = E B B_slow', the mean over x of the squares is
    F G F - 2 g F H T plus a constant, where T is the prediction of the slow F after the step.

    Parameters
    ----------
    gamma : float
        The discount.
    factors, slow : Factors
        The networks that learn, and their slow copies, which give the targets.
    items : int array of shape (b,)
        The steps of the batch.
    key : jax.Array
        Draws the visited observations.
    data : dict of arrays
        `Problem.data`, and the distribution of ``rows`` with their ``probability`` if it is summed.
    """
    # Training all of B would move both sides of the product at once and converge far more slowly.
    forward, backward = factors.forward, with_fixed_units(factors.backward)
    s, _, t = data["steps"][items].T
    goal = data["goal"][t]
    inputs = data["inputs"]
    columns, weight = drawn(key, _COLUMNS, data["rows"], data["probability"])
    whole = data["probability"] is not None
    F = outputs_at(forward, inputs, s, whole)
    later = outputs_at(slow.forward, inputs, t, whole)
    at_s, at_t, B = (outputs_at(backward, inputs, rows, whole) for rows in (s, t, columns))
    B_slow = outputs_at(slow.backward, inputs, columns, whole)
    # With second moments of B, the mean over all pairs needs no computation pair by pair.
    weighted = B * weight[:, None].astype(B.dtype)
    G, H = weighted.T @ B, weighted.T @ B_slow
    stop = data["stop"][t][:, :, None]
    after = jnp.einsum("bc,bcd->bd", data["mu"][t], later)[:, None]
    T = jnp.where(goal[:, None, None], 0.0, (1.0 - stop) * later + stop * after)
    squares = jnp.sum(F * (0.5 * F @ G - gamma * jax.lax.stop_gradient(T) @ H.T), axis=2)
    reached = at_s + gamma * jnp.where(goal[:, None], at_t, 0.0)
    visits = jnp.einsum("bcd,bd->bc", F, reached)
    return jnp.sum(data["weight"][items] * (squares - visits)) / items.size


def _make(
    problem: Problem, n_factors: int, network: Network, data: dict[str, Any], key: jax.Array
) -> Factors:
    """Return the initial networks. Outputs of F have the same size as those of `learn_sr`."""
    of_forward, of_backward, of_sample = jax.random.split(key, 3)
    experience, n_choices = problem.experience, problem.choices.mu.shape[1]
    dtype = data["mu"].dtype
    F = layers_of(network, experience, (n_choices, n_factors), dtype, of_forward)
    B = layers_of(network, experience, (n_factors,), dtype, of_backward)
    size = float(np.sqrt(min(n_factors, experience.n_rows)))
    rows, weight = drawn(of_sample, _SAMPLE, data["rows"], data["probability"])
    inputs = rows if experience.table is None else data["inputs"][rows]
    return Factors(F, decorrelated(B, inputs, weight.astype(dtype), size))


def decorrelated(layers: Layers, inputs: jax.Array, weight: jax.Array, size: float) -> Layers:
    """Return a network whose outputs are uncorrelated and have the same size.

    Only the last layer is changed. The hidden units of a random network are strongly correlated. If
    its outputs were correlated too, directions with small singular values would take very long to
    learn.

    Parameters
    ----------
    layers : Layers
        The network.
    inputs : array of shape (n, ...)
        Some observations.
    weight : array of shape (n,)
        Their probabilities.
    size : float
        Root mean square of each output.
    """
    _, units = layers.with_units(inputs)
    last, n = layers.layers[-1], len(inputs)
    if units:
        hidden = units[-1].reshape(n, -1)
    elif layers.one_hot:
        hidden = jax.nn.one_hot(inputs, last.in_features, dtype=last.weight.dtype)
    else:
        hidden = inputs.reshape(n, -1)
    _, s, Vt = jnp.linalg.svd(jnp.sqrt(weight)[:, None] * hidden, full_matrices=False)
    k = min(s.size, last.out_features)
    factor = jnp.where(s > _NEGLIGIBLE * s[0], size / jnp.maximum(s, _NEGLIGIBLE * s[0]), 0.0)
    W = jnp.zeros_like(last.weight).at[:k].set(factor[:k, None] * Vt[:k])
    layers = eqx.tree_at(lambda all: all.layers[-1].weight, layers, W)
    if last.bias is None:
        return layers
    return eqx.tree_at(lambda all: all.layers[-1].bias, layers, jnp.zeros_like(last.bias))


def with_fixed_units(layers: Layers) -> Layers:
    """Return the network with its hidden layers excluded from training."""
    fixed = jax.tree.map(
        lambda leaf: jax.lax.stop_gradient(leaf) if eqx.is_array(leaf) else leaf, layers
    )
    return eqx.tree_at(lambda all: all.layers[-1], fixed, layers.layers[-1])
