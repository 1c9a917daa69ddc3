"""`DeepParts`: non-negative parts of a map, as the outputs of networks."""

import warnings
from dataclasses import replace
from typing import Any, NamedTuple, Self

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from sklearn.utils.validation import check_is_fitted

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import HSRWarning, InputError
from hsr._base.lazy import LazyMatrix
from hsr._base.seeds import generator_from
from hsr._base.validation import (
    check_array,
    check_choice,
    check_count,
    check_distribution_rows,
    check_seed,
    shape_of,
)
from hsr.basis.contract import Basis, check_entries, read_map
from hsr.basis.factorisation import non_negative_weights
from hsr.basis.nmf import NMFBasis
from hsr.deep import against_exact
from hsr.deep.experience import Experience, observed_states
from hsr.deep.learned_map import LearnedMap, outputs_of
from hsr.deep.measure import Factors, LearnedMeasure, Visits, drawn, visits_of
from hsr.deep.networks import Layers, Network, layers_of
from hsr.deep.training import Learner, Report, Training, descend, numbers_of


class Critic(NamedTuple):
    """A density of visits, known at all pairs of a row and a column.

    Parameters
    ----------
    left : array of shape (R, d)
        The density itself, or its first factor.
    right : array of shape (D, d), or None
        Its second factor. None if `left` is the density and d = D.
    rows, columns : Experience
        What is observed at rows and at columns.
    row_visits, column_visits : Visits
        How often each is met.
    """

    left: FloatArray
    right: FloatArray | None
    rows: Experience
    columns: Experience
    row_visits: Visits
    column_visits: Visits

    def at(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Return the density at all pairs of some rows and columns."""
        if self.right is None:
            return self.left[np.ix_(rows, columns)]
        return np.asarray(self.left[rows] @ self.right[columns].T)


def read_critic(M: Any, observe: Any, distribution: Any) -> Critic:
    """Return a map as a density.

    Parameters
    ----------
    M : LearnedMeasure, LearnedMap, PredictiveMap or array of shape (S, n_features)
        The map.
    observe : array of shape (S, ...), callable or None
        What is observed in each state. Learned maps have their own observations.
    distribution : array of shape (S,), or None
        The probability of each state. Uniform by default. Learned maps have that of their log.
    """
    if isinstance(M, LearnedMeasure | LearnedMap):
        if observe is not None or distribution is not None:
            name = "observe" if observe is not None else "distribution"
            raise InputError(f"{name} is given; a learned map has its own, from its log")
        visits = visits_of(M.experience)
        if isinstance(M, LearnedMeasure):
            return Critic(M.left, M.right, M.experience, M.experience, visits, visits)
        return _of_entries(M.toarray(), M.experience, visits, M.of_states)
    entries = M.toarray() if isinstance(M, LazyMatrix) else M
    states = observed_states(observe, len(entries))
    if distribution is None:
        probability = np.full(len(entries), 1.0 / len(entries))
    else:
        probability = check_distribution_rows(
            check_array(distribution, (len(entries),), "distribution")[None], "distribution"
        )[0]
    visits = Visits(np.arange(len(entries)), probability)
    return _of_entries(entries, states, visits, entries.shape[0] == entries.shape[1])


def _of_entries(M: FloatArray, states: Experience, visits: Visits, square: bool) -> Critic:
    columns, column_visits = states, visits
    if not square:
        n = M.shape[1]
        columns = observed_states(None, n)
        column_visits = Visits(np.arange(n), np.full(n, 1.0 / n))
    rho = column_visits.probability
    density = np.divide(M, rho, out=np.zeros_like(M), where=rho > 0.0)
    return Critic(density, None, states, columns, visits, column_visits)


STARTS = {
    "sample": "the networks first learn the NMF of the map at some observations",
    "random": "random weights",
}
_SAMPLE = 512  # observations whose map is factorised before training
_ITERATIONS = 300  # of that factorisation
_DEAD = 1e-3  # parts with less than this fraction of the mean of all parts are dead
_SAME = 0.99  # parts with a larger cosine are the same


class DeepParts(Basis):
    """Non-negative parts of a map as features, computed by networks from observations.

        M(s, x) ~ sum_k f_k(s) b_k(x) rho(x),      f, b >= 0

    Both f and b are networks whose outputs pass through softplus. They minimise

        E_s,x (f(s) . b(x) - m(s, x))^2,      m(s, x) = M(s, x) / rho(x),

    with s and x from the distribution rho of the data. This is the objective of `NMFBasis`,
    weighted by the data, without a matrix of all states. Parts are scaled so that E b_k = 1. Then
    b_k rho is a distribution over states, a place, and f_k(s) is the expected discounted time in
    it: sum_k f_k(s) = 1 / (1 - discount) up to the error.

    Parameters
    ----------
    n_components : int
        Number of parts K.
    network : Network
        Kind and size of both networks.
    training : Training
        How they are trained. With ``init="sample"`` the start takes as many updates again.
    init : {"sample", "random"}
        Where training starts. With ``"sample"`` the map at up to 512 observations is factorised by
        `NMFBasis`, and the networks first learn these factors. This is reliable. From random
        weights some parts die and others are found twice, and other local minima are found.
    random_state : int
        Seed of weights and batches.

    Attributes
    ----------
    features_ : ndarray of shape (S, K)
        f at the states, or at the observations of the log. Not negative.
    components_ : ndarray of shape (K, n_features)
        The places b rho. Not negative. ``features_ @ components_`` reconstructs the map.
    curve_ : tuple of Report
        Updates, loss and distance from the map, from time to time. The loss is the square of the
        distance, weighted by the data.
    n_dead_ : int
        Parts that are almost zero everywhere.
    n_components_, n_features_in_, n_states_ : int
        K, number of columns of the map, and number of its rows.
    mdp_fingerprint_ : str or None
        Fingerprint of the MDP whose map was fitted, or None.

    Examples
    --------
    >>> import hsr, hsr.deep
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("......"), discount=0.8)
    >>> M = hsr.successor_representation(mdp)
    >>> parts = hsr.deep.DeepParts(3, training=hsr.deep.Training(n_updates=300)).fit(M)
    >>> parts.features_.shape, parts.components_.sum(axis=1).round(6).tolist()
    ((6, 3), [1.0, 1.0, 1.0])
    >>> parts.transform([0, 5]).shape
    (2, 3)
    """

    def __init__(
        self,
        n_components: int,
        network: Network = Network(last_scale=1.0),
        training: Training = Training(n_updates=1500, batch_size=256, n_reports=10),
        init: str = "sample",
        random_state: int = 0,
    ) -> None:
        self.n_components = n_components
        self.network = network
        self.training = training
        self.init = init
        self.random_state = random_state

    def fit(
        self,
        M: Any,
        y: None = None,
        *,
        observe: Any = None,
        distribution: Any = None,
        progress: bool = False,
    ) -> Self:
        """Fit the parts to samples of a map.

        Parameters
        ----------
        M : LearnedMeasure, LearnedMap, PredictiveMap or array of shape (S, n_features)
            The map. A learned map brings its observations and their distribution. Small negative
            entries of a learned map are fitted by zero.
        y : None
            Ignored. scikit-learn's pipelines pass it.
        observe : array of shape (S, ...), or callable, optional
            What is observed in each state, if the map is not learned. By default states are
            one-hot.
        distribution : array of shape (S,), optional
            Probability of each state in the data, if the map is not learned. Uniform by default.
        progress : bool
            Print the learning curve during training.

        Returns
        -------
        self : DeepParts

        Raises
        ------
        InputError
            If the map has an entry that is negative or not finite, or training diverges.

        Warns
        -----
        HSRWarning
            If parts are dead, or the same as others.
        """
        k, seed = check_count(self.n_components, "n_components"), check_seed(self.random_state)
        check_choice(self.init, STARTS, "init")
        read = read_map(self, M)
        learned = isinstance(M, LearnedMap | LearnedMeasure)
        if not learned:
            read = read if isinstance(read, np.ndarray) else read.toarray()
            check_entries(read, read >= 0.0, "non-negative parts need a map without such entries")
        critic = read_critic(M if learned else read, observe, distribution)
        with numbers_of(self.training):
            learner = parts_learner(critic, k, self.network, self.training, self.init, seed)
            ((factors, reports),) = descend(learner, self.training, [seed], progress)
        self._take(critic, factors, reports)
        return self

    def transform(self, states: Any) -> FloatArray:
        """Return features of states or of observations.

        Parameters
        ----------
        states : list of integers, or array of shape (n, ...)
            Rows of the fitted map, or further observations if the map was fitted with observations.
            Without, map rows of new states, which are projected on the components.

        Returns
        -------
        ndarray of shape (n, K)
        """
        check_is_fitted(self)
        shape = shape_of(states)
        if self._rows.table is None or (shape is not None and len(shape) < 2):
            return super().transform(states)
        return self._forward(self._rows.prepare(states))

    def _take(self, critic: Critic, factors: Factors, reports: tuple[Report, ...]) -> None:
        """Keep what was learned, with parts of mean one."""
        rho = critic.column_visits.probability
        b = _non_negative(outputs_of(factors.backward, critic.columns.read(), self.training))
        self.scale_ = rho @ b
        self._rows, self._factors, self.curve_ = critic.rows, factors, reports
        self.components_ = (b / self.scale_ * rho[:, None]).T
        self.features_ = self._forward(critic.rows.read())
        self.n_components_ = len(self.components_)
        self.n_dead_ = _warn_of_dead(self.features_, self.components_)

    def _forward(self, inputs: Any) -> FloatArray:
        f = outputs_of(self._factors.forward, np.asarray(inputs), self.training)
        return _non_negative(f) * self.scale_

    def _features_of(self, states: IntArray) -> FloatArray:
        return self.features_[states]

    def _project(self, rows: FloatArray) -> FloatArray:
        return non_negative_weights(rows, self.components_, tol=1e-5, max_iter=2000)


def parts_learner(
    critic: Critic, k: int, network: Network, training: Training, init: str, seed: int
) -> Learner:
    """Return what is trained: two networks with k outputs that regress on a density.

    Parameters
    ----------
    critic : Critic
        The density.
    k : int
        Number of parts.
    network, training, init, seed
        As in `DeepParts`.
    """
    rng = generator_from(seed)
    s, x = (_sample(visits, rng) for visits in (critic.row_visits, critic.column_visits))
    sample = np.maximum(critic.at(s[0], x[0]), 0.0)
    data = _data(critic, training.dtype)
    data["size"] = jnp.asarray(s[1] @ sample**2 @ x[1], training.dtype)
    if not data["size"] > 0.0:
        raise InputError("the map is zero everywhere; there are no parts of it")

    def make(key: jax.Array) -> Factors:
        keys = jax.random.split(key)
        f, b = (
            _random(network, table, k, training.dtype, one)
            for table, one in zip((critic.rows, critic.columns), keys, strict=True)
        )
        return Factors(f, b)

    def error(factors: Factors) -> float:
        f, b = (np.asarray(one, dtype=np.float64) for one in _parts(factors, data))
        rho = critic.column_visits.probability
        rows, columns = (np.arange(len(one)) for one in (f, b))
        return against_exact.predictive_map(f @ b.T * rho, critic.at(rows, columns) * rho)

    start = make
    if init == "sample":
        first = _started(critic, make, sample, s, x, k, training, seed)
        start = lambda key: first  # noqa: E731
    at_once = network.kind != "cnn"
    known = error if critic.row_visits.few and critic.column_visits.few else None
    return Learner(start, parts_loss, data, critic.row_visits.rows.size, known, at_once)


def parts_loss(
    factors: Factors, slow: Factors, items: jax.Array, key: jax.Array, data: dict[str, Any]
) -> jax.Array:
    """Return the mean squared distance of f . b from a density, relative to its mean square.

    Parameters
    ----------
    factors, slow : Factors
        The networks. The copy is not used.
    items : int array of shape (b,)
        The observations of the batch.
    key : jax.Array
        Draws the columns.
    data : dict of arrays
        What `parts_learner` puts there.
    """
    if data["row_probability"] is None:
        s, row_weight = data["row_list"][items], jnp.full(items.size, 1.0 / items.size)
    else:
        s, row_weight = jnp.arange(data["row_probability"].size), data["row_probability"]
    x, weight = drawn(key, items.size, data["column_list"], data["column_probability"])
    f = jax.nn.softplus(factors.forward(data["rows"][s]))
    b = jax.nn.softplus(factors.backward(data["columns"][x]))
    left, right = data["left"], data["right"]
    m = left[s][:, x] if right is None else left[s] @ right[x].T
    squares = jnp.square(f @ b.T - m)
    return row_weight.astype(f.dtype) @ squares @ weight.astype(f.dtype) / data["size"]


def _data(critic: Critic, dtype: Any) -> dict[str, Any]:
    rows, columns = critic.row_visits, critic.column_visits
    return {
        "rows": critic.rows.inputs(dtype),
        "columns": critic.columns.inputs(dtype),
        "left": jnp.asarray(critic.left, dtype),
        "right": None if critic.right is None else jnp.asarray(critic.right, dtype),
        "row_list": jnp.asarray(rows.rows, jnp.int32),
        "column_list": jnp.asarray(columns.rows, jnp.int32),
        "row_probability": jnp.asarray(rows.probability, dtype) if rows.few else None,
        "column_probability": jnp.asarray(columns.probability, dtype) if columns.few else None,
    }


def _random(network: Network, table: Experience, k: int, dtype: Any, key: jax.Array) -> Layers:
    """Return a network before training. A table starts at random, or all parts were the same."""
    layers = layers_of(network, table, (k,), dtype, key)
    if network.kind == "linear":
        last = layers.layers[-1].weight
        drawn_weights = jax.random.normal(key, last.shape, dtype)
        layers = eqx.tree_at(lambda all: all.layers[-1].weight, layers, drawn_weights)
    return layers


def _sample(visits: Visits, rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
    """Return some rows, and their weights."""
    if visits.few:
        return np.arange(visits.probability.size), visits.probability
    return rng.choice(visits.rows, _SAMPLE), np.full(_SAMPLE, 1.0 / _SAMPLE)


def _started(
    critic: Critic,
    make: Any,
    sample: FloatArray,
    s: tuple[IntArray, FloatArray],
    x: tuple[IntArray, FloatArray],
    k: int,
    training: Training,
    seed: int,
) -> Factors:
    """Return networks that have learned the weighted NMF of the density at a sample."""
    # NMF weights all entries alike; square roots of probabilities weight squared errors by them.
    at_s, at_x = np.sqrt(s[1]), np.sqrt(x[1])
    nmf = NMFBasis(k, max_iter=_ITERATIONS, random_state=seed).fit(at_s[:, None] * sample * at_x)
    f, b = (
        np.divide(part, at[:, None], out=np.zeros_like(part), where=at[:, None] > 0.0)
        for part, at in ((nmf.features_, at_s), (nmf.components_.T, at_x))
    )
    mean = x[1] @ b
    mean = np.where(mean > 0.0, mean, 1.0)
    data: dict[str, Any] = {"f": jnp.asarray(f * mean), "b": jnp.asarray(b / mean)}
    data["rows"] = critic.rows.inputs(training.dtype)[s[0]]
    data["columns"] = critic.columns.inputs(training.dtype)[x[0]]
    learner = Learner(make, _start_loss, data, len(f))
    how = replace(training, n_reports=1)
    return descend(learner, how, [seed], False)[0][0]


def _start_loss(
    factors: Factors, slow: Factors, items: jax.Array, key: jax.Array, data: dict[str, Any]
) -> jax.Array:
    """Return the squared distances of all parts from those to start at, relative to their size."""
    total = jnp.zeros(())
    for found, wanted in zip(_parts(factors, data), (data["f"], data["b"]), strict=True):
        size = jnp.mean(wanted**2, axis=0)
        total += jnp.mean(jnp.mean((found - wanted) ** 2, axis=0) / jnp.where(size > 0, size, 1.0))
    return total.astype(data["f"].dtype)


def _parts(factors: Factors, data: dict[str, Any]) -> tuple[jax.Array, jax.Array]:
    return (
        jax.nn.softplus(factors.forward(data["rows"])),
        jax.nn.softplus(factors.backward(data["columns"])),
    )


def _non_negative(outputs: FloatArray) -> FloatArray:
    return np.logaddexp(0.0, outputs)


def _warn_of_dead(features: FloatArray, components: FloatArray) -> int:
    """Return how many parts are almost zero, and warn of them and of parts that are the same."""
    share = features.mean(axis=0)
    dead = share < _DEAD * share.mean()
    unit = features / np.linalg.norm(features, axis=0)
    places = components / np.linalg.norm(components, axis=1, keepdims=True)
    same = (unit.T @ unit > _SAME) & (places @ places.T > _SAME)
    twice = np.triu(same, 1).any(axis=0) & ~dead
    for found, what in ((dead, "almost zero everywhere"), (twice, "the same as another one")):
        if found.any():
            warnings.warn(
                f"{found.sum()} of {found.size} parts are {what}; ask for fewer parts, use "
                'init="sample" or a smaller learning rate',
                HSRWarning,
                stacklevel=4,
            )
    return int(dead.sum())
