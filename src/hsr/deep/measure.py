"""The density of discounted visits, learned from transitions where states cannot be listed."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hsr._base.validation import check_count, check_flag, is_list
from hsr.deep import against_exact
from hsr.deep.choices import Choices, options_at, read_choices
from hsr.deep.experience import Experience, read_discount, read_experience
from hsr.deep.factors import Factors, Visits, decorrelated, drawn, visits_of, with_fixed_units
from hsr.deep.learned_measure import LearnedMeasure
from hsr.deep.networks import Layers, Network
from hsr.deep.successor import exact_map
from hsr.deep.training import (
    Learner,
    Training,
    descend,
    numbers_of,
    read_seeds,
)
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.task import GoalTask

_SAMPLE = 2048  # observations from which the correlations of B are estimated before training
_COLUMNS = 512  # observations per update whose density is compared, if not all of them


def learn_measure(
    steps: Any,
    options: Any = None,
    mu: Any = None,
    *,
    n_factors: int = 128,
    observe: Any = None,
    discount: float | None = None,
    world: FiniteMDP | None = None,
    task: GoalTask | None = None,
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
    steps : array of shape (n, 3), or Observed
        Steps (state, action, next state), as numbers or as labels of the world, such as
        `random_steps` returns and `hsr.from_transitions` takes. Or transitions between
        observations, if states cannot be listed.
    options : OptionSet, or callable, optional
        The options, or what makes them of an array of observations. None for the SR.
    mu : array of shape (S, C), or callable, optional
        The policy over choices, or what makes it of observations: primitive actions first, then
        options, or options alone. By default all available choices are equally probable.
    n_factors : int
        Length d of F and B: the rank of the density.
    observe : array of shape (S, ...), or callable, optional
        What is observed in each state. A callable takes the numbers of the states, or the
        observations of the log. By default states are one-hot.
    discount : float in [0, 1), optional
        Discount per step. That of the world by default.
    world : FiniteMDP, optional
        The world, if it is known. The distance from the exact map is then recorded in the learning
        curve.
    task : GoalTask, optional
        Options then also stop on entering its goal, and visits end there.
    network : Network
        Kind and size of both networks. The hidden layers of B are random and stay as they are; its
        last layer starts uncorrelated over the log and is trained.
    training : Training
        How they are trained.
    seed : int or sequence of int
        Draws the first weights and the batches.
    progress : bool
        Print the learning curve during training.

    Returns
    -------
    LearnedMeasure
        A list of them if `seed` is a sequence. Several seeds are trained in one computation.

    Raises
    ------
    InputError
        If transitions, observations, options and mu do not fit each other, or training diverges.

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
    check_flag(progress, "progress")
    n_factors, seeds = check_count(n_factors, "n_factors"), read_seeds(seed)
    experience = read_experience(steps, observe, world)
    read = None if options is None else options_at(experience, options, world)
    if callable(mu):
        mu = mu(experience.observed)
    choices = read_choices(experience, read, mu, world, task)
    gamma = read_discount(discount, world)
    exact = exact_map(experience, read, choices, world, task)
    visits = visits_of(experience)

    def measured(factors: Factors, reports: Any) -> LearnedMeasure:
        return LearnedMeasure(
            factors,
            experience,
            visits,
            choices,
            training,
            reports,
            made_for=None if world is None or not experience.listed else world.fingerprint,
            discount=gamma,
            kind="learned SR" if read is None else "learned HSR",
            scope="" if task is None else f"goal {task.goal}",
        )

    def error(factors: Factors) -> float:
        if exact is None:
            return float("nan")
        F, B = (np.asarray(net(data["inputs"]), dtype=np.float64) for net in factors_of(factors))
        M = np.einsum("rc,rcd->rd", choices.mu, F) @ (visits.probability[:, None] * B).T
        M[choices.goal] = np.eye(experience.n_rows)[choices.goal]
        return against_exact.predictive_map(M, exact)

    with numbers_of(training):
        data = _data(experience, choices, visits, training.dtype)
        learner = Learner(
            lambda key: _make(network, experience, choices, visits, n_factors, data, key),
            lambda *arguments: measure_loss(gamma, *arguments),
            data,
            len(experience.steps),
            error,
            at_once=network.kind != "cnn",
        )
        trained = descend(learner, training, seeds, progress)
    found = [measured(factors, reports) for factors, reports in trained]
    return found if is_list(seed) else found[0]


def factors_of(factors: Factors) -> tuple[Layers, Layers]:
    """Return the networks F and B."""
    return factors.forward, factors.backward


def measure_loss(
    gamma: float,
    factors: Factors,
    slow: Factors,
    items: jax.Array,
    key: jax.Array,
    data: dict[str, Any],
) -> jax.Array:
    """Return half the loss of `learn_measure`, without what does not depend on the networks.

    With second moments G = E B B' and H = E B B_slow', the mean over x of the squares is
    F G F - 2 g F H T and a constant, where T is what F of the slow copy predicts after the step.

    Parameters
    ----------
    gamma : float
        The discount.
    factors, slow : Factors
        The networks that learn, and the copies that make the targets.
    items : int array of shape (b,)
        The steps of the batch.
    key : jax.Array
        Draws the observations whose density is compared.
    data : dict of arrays
        What `learn_measure` puts there.
    """
    forward, backward = factors.forward, with_fixed_units(factors.backward)
    s, _, t = data["steps"][items].T
    goal = data["goal"][t]
    inputs = data["inputs"]
    columns, weight = drawn(key, _COLUMNS, data["rows"], data["probability"])
    if data["probability"] is not None:
        F, later = forward(inputs)[s], slow.forward(inputs)[t]
        B = backward(inputs)
        at_s, at_t, B_slow = B[s], B[t], slow.backward(inputs)
    else:
        F, later = forward(inputs[s]), slow.forward(inputs[t])
        at_s, at_t, B = (backward(inputs[rows]) for rows in (s, t, columns))
        B_slow = slow.backward(inputs[columns])
    weighted = B * weight[:, None].astype(B.dtype)
    G, H = weighted.T @ B, weighted.T @ B_slow
    stop = data["stop"][t][:, :, None]
    after = jnp.einsum("bc,bcd->bd", data["mu"][t], later)[:, None]
    T = jnp.where(goal[:, None, None], 0.0, (1.0 - stop) * later + stop * after)
    squares = jnp.sum(F * (0.5 * F @ G - gamma * jax.lax.stop_gradient(T) @ H.T), axis=2)
    reached = at_s + gamma * jnp.where(goal[:, None], at_t, 0.0)
    visits = jnp.einsum("bcd,bd->bc", F, reached)
    return jnp.sum(data["weight"][items] * (squares - visits)) / items.size


def _data(experience: Experience, choices: Choices, visits: Visits, dtype: Any) -> dict[str, Any]:
    return {
        "inputs": experience.inputs(dtype),
        "steps": jnp.asarray(experience.steps, jnp.int32),
        "rows": jnp.asarray(visits.rows, jnp.int32),
        "probability": jnp.asarray(visits.probability, dtype) if visits.few else None,
        "weight": jnp.asarray(choices.weight, dtype),
        "stop": jnp.asarray(choices.stop, dtype),
        "mu": jnp.asarray(choices.mu, dtype),
        "goal": jnp.asarray(choices.goal),
    }


def _make(
    network: Network,
    experience: Experience,
    choices: Choices,
    visits: Visits,
    n_factors: int,
    data: dict[str, Any],
    key: jax.Array,
) -> Factors:
    """Return the networks before training. Outputs of F are of the size of those of `learn_sr`."""
    first, second, sample = jax.random.split(key, 3)
    one_hot, dtype = experience.table is None, data["mu"].dtype
    size = float(np.sqrt(min(n_factors, experience.n_rows)))
    F, B = (
        jax.tree.map(
            lambda array: array.astype(dtype),
            Layers(network, experience.shape, out, one_hot, one),
        )
        for out, one in (((choices.mu.shape[1], n_factors), first), ((n_factors,), second))
    )
    rows, weight = drawn(sample, _SAMPLE, data["rows"], data["probability"])
    inputs = rows if one_hot else data["inputs"][rows]
    return Factors(F, decorrelated(B, inputs, weight.astype(dtype), size))
