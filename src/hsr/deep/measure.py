"""The density of discounted visits, learned by two networks where states cannot be listed."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.validation import check_array, check_count, is_list
from hsr.deep import against_exact
from hsr.deep.choices import Choices, data_of, options_at, read_choices
from hsr.deep.experience import Experience, read_discount, read_experience
from hsr.deep.learned_map import diagnose, outputs_of
from hsr.deep.networks import Layers, Network, layers_of
from hsr.deep.successor import exact_map
from hsr.deep.training import (
    Learner,
    Report,
    Training,
    descend,
    numbers_of,
    read_seeds,
    trained_for,
)
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.task import GoalTask
from hsr.representation.predictive_map import PredictiveMap

_AS_A_WHOLE = 512  # distributions over at most so many rows are not sampled but added up
_NEGLIGIBLE = 1e-3  # singular values below this fraction of the largest are not scaled up


class Factors(eqx.Module):  # type: ignore[misc]
    """A network of where one is, and one of where one will be.

    Parameters
    ----------
    forward : Layers
        From observations to arrays (..., K).
    backward : Layers
        From observations to arrays (K,).
    """

    forward: Layers
    backward: Layers


class Visits(NamedTuple):
    """How often each row of a table of observations is met.

    Parameters
    ----------
    rows : int array of shape (n,)
        Rows that are drawn with equal probabilities.
    probability : array of shape (R,)
        The probability of each row among them.
    """

    rows: IntArray
    probability: FloatArray

    @property
    def few(self) -> bool:
        """Whether there are so few rows that their distribution is added up, not sampled."""
        return self.probability.size <= _AS_A_WHOLE


def visits_of(experience: Experience) -> Visits:
    """Return how often each row is met in a log, before or after a step."""
    rows = experience.steps[:, [0, 2]].T.reshape(-1)
    return Visits(rows, np.bincount(rows, minlength=experience.n_rows) / rows.size)


def drawn(
    key: jax.Array, n: int, rows: jax.Array, probability: jax.Array | None
) -> tuple[jax.Array, jax.Array]:
    """Return rows, and weights with which they stand for the distribution that they are from.

    Parameters
    ----------
    key : jax.Array
        Draws the rows.
    n : int
        How many are drawn.
    rows : int array
        What they are drawn from.
    probability : array of shape (R,), or None
        If given, all rows are returned with these weights, and none is drawn.
    """
    if probability is not None:
        return jnp.arange(probability.size), probability
    return rows[jax.random.randint(key, (n,), 0, rows.size)], jnp.full(n, 1.0 / n)


def decorrelated(layers: Layers, inputs: jax.Array, weight: jax.Array, size: float) -> Layers:
    """Return a network whose outputs are uncorrelated and of one size.

    Only the last layer is changed. Hidden units of a random network are strongly correlated.
    Products with outputs that are, too, are learned in order of the size of their singular values,
    and the small ones take very long.

    Parameters
    ----------
    layers : Layers
        The network.
    inputs : array of shape (n, ...)
        Some observations.
    weight : array of shape (n,)
        Their probabilities.
    size : float
        Root of the mean square of each output.
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
    """Return the network with hidden layers that are not trained."""
    fixed = jax.tree.map(
        lambda leaf: jax.lax.stop_gradient(leaf) if eqx.is_array(leaf) else leaf, layers
    )
    return eqx.tree_at(lambda all: all.layers[-1], fixed, layers.layers[-1])


class LearnedMeasure(PredictiveMap):
    """The density of discounted visits as a product of two networks; `learn_measure` returns it.

        m(s, c, x) = F(s, c) . B(x),          M(s, x) = sum_c mu(c | s) m(s, c, x) rho(x)

    rho is the distribution of the observations in the log. It is a `PredictiveMap` M: bases are
    fitted to it, and it can be multiplied by rewards. If states are not listed, its rows and
    columns are the observations of the log: before all steps, then after.

    Parameters
    ----------
    factors : Factors
        The networks F and B.
    experience : Experience
        The observations.
    visits : Visits
        How often each was met.
    choices : Choices
        The policy over choices, and where episodes end.
    training : Training
        How the networks were trained.
    reports : tuple of Report
        Their learning curve.
    mdp_fingerprint, discount, kind, scope
        As in `PredictiveMap`.

    Attributes
    ----------
    curve : tuple of Report
        Updates, loss and distance from the exact map, from time to time.
    distribution : ndarray of shape (R,)
        rho at each row.
    dead_units : tuple of float
        The fraction of units of each hidden layer of F that no observation activates.
    spread : float
        How far rows are from their mean, relative to their size. Almost 0 if the map has collapsed.

    Examples
    --------
    >>> import hsr, hsr.deep
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("......"), discount=0.8)
    >>> steps, small = hsr.deep.random_steps(mdp, 2000), hsr.deep.Network(width=32)
    >>> training = hsr.deep.Training(n_updates=1000)
    >>> M = hsr.deep.learn_measure(
    ...     steps, world=mdp, n_factors=6, network=small, training=training
    ... )
    >>> M.density([0, 1], [3, 4, 5]).shape
    (2, 4, 3)
    >>> float(abs(M.toarray().sum(axis=1) - 5.0).max()) < 0.2
    True
    """

    def __init__(
        self,
        factors: Factors,
        experience: Experience,
        visits: Visits,
        choices: Choices,
        training: Training,
        reports: tuple[Report, ...],
        *,
        mdp_fingerprint: str | None,
        discount: float,
        kind: str,
        scope: str = "",
    ) -> None:
        self.factors, self.curve, self.distribution = factors, reports, visits.probability
        self.experience, self.training = experience, training
        self._mu, self._goal = choices.mu, choices.goal
        super().__init__(
            (experience.n_rows, experience.n_rows),
            self._times,
            self._transpose_times,
            mdp_fingerprint=mdp_fingerprint,
            discount=discount,
            kind=kind,
            scope=scope,
        )
        self._left: FloatArray | None = None
        self._right: FloatArray | None = None
        self.dead_units, self.spread = diagnose(
            factors.forward,
            experience,
            training,
            lambda rows, F: np.einsum("rc,rcd->rd", self._mu[rows], F),
        )

    def forward(self, observations: Any) -> FloatArray:
        """Return F, what leads from observations to others.

        Parameters
        ----------
        observations : array of shape (n, ...)
            Observations as the log has them. The numbers of states if they are one-hot.

        Returns
        -------
        ndarray of shape (n, C, d)
        """
        inputs = self.experience.prepare(observations)
        return outputs_of(self.factors.forward, np.asarray(inputs), self.training)

    def backward(self, observations: Any) -> FloatArray:
        """Return B, where observations are reached from.

        Parameters
        ----------
        observations : array of shape (n, ...)
            Observations as the log has them. The numbers of states if they are one-hot.

        Returns
        -------
        ndarray of shape (n, d)
        """
        inputs = self.experience.prepare(observations)
        return outputs_of(self.factors.backward, np.asarray(inputs), self.training)

    def density(self, observations: Any, others: Any, mu: Any = None) -> FloatArray:
        """Return the density of discounted visits to some observations, starting from others.

        The mean of a reward under this density, over observations of the log, is the expected
        discounted sum of rewards.

        Parameters
        ----------
        observations : array of shape (n, ...)
            Where one starts. The numbers of states if observations are one-hot.
        others : array of shape (k, ...)
            What is visited.
        mu : array of shape (n, C), optional
            Probability of each choice at each start.

        Returns
        -------
        ndarray of shape (n, C, k), or of shape (n, k) if `mu` is given
            For each choice, if it is made and the policy over choices is followed after its end.
        """
        F, B = self.forward(observations), self.backward(others)
        if mu is None:
            return np.einsum("ncd,kd->nck", F, B)
        return np.einsum("nc,ncd,kd->nk", check_array(mu, F.shape[:2], "mu"), F, B)

    @property
    def left(self) -> FloatArray:
        """F at all rows, averaged over choices, of shape (R, d)."""
        if self._left is None:
            F = outputs_of(self.factors.forward, self.experience.read(), self.training)
            self._left = np.einsum("rc,rcd->rd", self._mu, F) * ~self._goal[:, None]
        return self._left

    @property
    def right(self) -> FloatArray:
        """B at all rows, of shape (R, d)."""
        if self._right is None:
            self._right = outputs_of(self.factors.backward, self.experience.read(), self.training)
        return self._right

    def _times(self, block: FloatArray) -> FloatArray:
        found = self.left @ (self.right.T @ (self.distribution[:, None] * block))
        return np.asarray(found + self._goal[:, None] * block)

    def _transpose_times(self, block: FloatArray) -> FloatArray:
        found = self.distribution[:, None] * (self.right @ (self.left.T @ block))
        return np.asarray(found + self._goal[:, None] * block)


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
    updates: int | None = None,
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
    discount : float in [0, 0.99999], optional
        Discount per step. That of the world by default.
    world : FiniteMDP, optional
        The world, if it is known. The distance from the exact map is then recorded in the learning
        curve.
    task : GoalTask, optional
        Options then also stop on entering its goal, and visits end there.
    network : Network
        Kind and size of both networks. The hidden layers of B are random and stay as they are; its
        last layer starts uncorrelated over the log and is trained.
    updates : int, optional
        Number of gradient steps, instead of those of `training`.
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
    training = trained_for(training, updates)
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
            mdp_fingerprint=None if world is None or not experience.listed else world.fingerprint,
            discount=gamma,
            kind="learned SR" if read is None else "learned HSR",
            scope="" if task is None else f"goal {task.goal}",
        )

    def error(factors: Factors) -> float:
        F, B = (
            np.asarray(net(data["inputs"]), dtype=np.float64)
            for net in (factors.forward, factors.backward)
        )
        M = np.einsum("rc,rcd->rd", choices.mu, F) @ (visits.probability[:, None] * B).T
        M[choices.goal] = np.eye(experience.n_rows)[choices.goal]
        return against_exact.predictive_map(M, exact)

    with numbers_of(training):
        data = _data(experience, choices, visits, training.dtype)
        learner = Learner(
            lambda key: _make(network, experience, choices, n_factors, data, key),
            lambda *arguments: measure_loss(gamma, *arguments),
            data,
            len(experience.steps),
            None if exact is None else error,
            at_once=network.kind != "cnn",
        )
        trained = descend(learner, training, seeds, progress)
    found = [measured(factors, reports) for factors, reports in trained]
    return found if is_list(seed) else found[0]


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
    # Training all of B moves both sides of the product at once, and converges far more slowly.
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
    # Second moments of B make the mean over all pairs without computing them one by one.
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
    return data_of(experience, choices, dtype) | {
        "rows": jnp.asarray(visits.rows, jnp.int32),
        "probability": jnp.asarray(visits.probability, dtype) if visits.few else None,
    }


def _make(
    network: Network,
    experience: Experience,
    choices: Choices,
    n_factors: int,
    data: dict[str, Any],
    key: jax.Array,
) -> Factors:
    """Return the networks before training. Outputs of F are of the size of those of `learn_sr`."""
    first, second, sample = jax.random.split(key, 3)
    dtype, outs = data["mu"].dtype, ((choices.mu.shape[1], n_factors), (n_factors,))
    size = float(np.sqrt(min(n_factors, experience.n_rows)))
    F, B = (
        layers_of(network, experience, out, dtype, one)
        for out, one in zip(outs, (first, second), strict=True)
    )
    rows, weight = drawn(sample, _SAMPLE, data["rows"], data["probability"])
    inputs = rows if experience.table is None else data["inputs"][rows]
    return Factors(F, decorrelated(B, inputs, weight.astype(dtype), size))
