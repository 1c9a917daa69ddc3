"""Regression of two non-negative networks on a density of visits, for `DeepParts`."""

from dataclasses import replace
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import InputError
from hsr._base.lazy import LazyMatrix
from hsr._base.seeds import generator_from
from hsr._base.validation import check_array, check_distribution_rows
from hsr.basis.nmf import NMFBasis
from hsr.deep import against_exact
from hsr.deep.experience import Experience, observed_states
from hsr.deep.learned_map import LearnedMap
from hsr.deep.learned_measure import Factors, LearnedMeasure, Visits, drawn, visits_of
from hsr.deep.networks import Layers, Network, layers_of
from hsr.deep.training import Learner, Training, train

_SAMPLE = 512  # observations whose map is factorised before training
_ITERATIONS = 300  # of that factorisation


class Side(NamedTuple):
    """The rows or the columns of a density.

    Parameters
    ----------
    table : Experience
        The observations.
    visits : Visits
        Their distribution.
    """

    table: Experience
    visits: Visits

    def data(self, dtype: Any) -> dict[str, Any]:
        """Return what the loss reads."""
        few = self.visits.few
        return {
            "inputs": self.table.inputs(dtype),
            "rows": jnp.asarray(self.visits.rows, jnp.int32),
            "probability": jnp.asarray(self.visits.probability, dtype) if few else None,
        }

    def sample(self, rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
        """Return some rows, and their weights."""
        if self.visits.few:
            return np.arange(self.visits.probability.size), self.visits.probability
        return rng.choice(self.visits.rows, _SAMPLE), np.full(_SAMPLE, 1.0 / _SAMPLE)


class Density(NamedTuple):
    """A density of visits, known at all pairs of a row and a column.

    Parameters
    ----------
    left : array of shape (R, d)
        The density itself, or its first factor.
    right : array of shape (D, d), or None
        Its second factor. None if `left` is the density and d = D.
    rows, columns : Side
        The observations of rows and columns.
    """

    left: FloatArray
    right: FloatArray | None
    rows: Side
    columns: Side

    def at(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Return the density at all pairs of some rows and columns."""
        if self.right is None:
            return self.left[np.ix_(rows, columns)]
        return np.asarray(self.left[rows] @ self.right[columns].T)


def read_density(M: Any, observe: Any, distribution: Any) -> Density:
    """Return a map as a density, or raise `InputError`.

    Parameters
    ----------
    M : LearnedMeasure, LearnedMap, PredictiveMap or array of shape (S, n_features)
        The map.
    observe : array of shape (S, ...), callable or None
        The observation of each state. Learned maps include their observations.
    distribution : array of shape (S,), or None
        The probability of each state. Uniform by default. Learned maps use that of their log.
    """
    if isinstance(M, LearnedMeasure | LearnedMap):
        if observe is not None or distribution is not None:
            name = "observe" if observe is not None else "distribution"
            raise InputError(f"{name} is given; a learned map has its own, from its log")
        rows = Side(M.experience, visits_of(M.experience))
        if isinstance(M, LearnedMeasure):
            return Density(M.left, M.right, rows, rows)
        return _of_entries(M.toarray(), rows, M.of_states)
    entries = M.toarray() if isinstance(M, LazyMatrix) else M
    n_states, n_columns = entries.shape
    rows = _uniform(observed_states(observe, n_states))
    if distribution is not None:
        rho = check_array(distribution, (n_states,), "distribution")
        check_distribution_rows(rho[None], "distribution")
        rows = rows._replace(visits=rows.visits._replace(probability=rho))
    return _of_entries(entries, rows, n_states == n_columns)


def _uniform(table: Experience) -> Side:
    n = table.n_rows
    return Side(table, Visits(np.arange(n), np.full(n, 1.0 / n)))


def _of_entries(M: FloatArray, rows: Side, square: bool) -> Density:
    columns = rows if square else _uniform(observed_states(None, M.shape[1]))
    rho = columns.visits.probability
    density = np.divide(M, rho, out=np.zeros_like(M), where=rho > 0.0)
    return Density(density, None, rows, columns)


def parts_learner(
    density: Density, k: int, network: Network, training: Training, init: str, seed: int
) -> Learner:
    """Return what is trained: two networks with k outputs that regress on a density.

    Parameters
    ----------
    density : Density
        The density.
    k : int
        Number of parts.
    network, training, init, seed
        As in `DeepParts`.
    """
    rng = generator_from(seed)
    s, x = (side.sample(rng) for side in (density.rows, density.columns))
    sample = np.maximum(density.at(s[0], x[0]), 0.0)
    data = {
        "rows": density.rows.data(training.dtype),
        "columns": density.columns.data(training.dtype),
        "left": jnp.asarray(density.left, training.dtype),
        "right": None if density.right is None else jnp.asarray(density.right, training.dtype),
        "size": jnp.asarray(s[1] @ sample**2 @ x[1], training.dtype),
    }
    if not data["size"] > 0.0:
        raise InputError("the map is zero everywhere; there are no parts of it")

    def make(key: jax.Array) -> Factors:
        sides = zip((density.rows, density.columns), jax.random.split(key), strict=True)
        return Factors(
            *(_initial(network, side.table, k, training.dtype, key) for side, key in sides)
        )

    def error(factors: Factors) -> float:
        f, b = (np.asarray(part, dtype=np.float64) for part in _parts(factors, data))
        rho = density.columns.visits.probability
        exact = density.at(np.arange(len(f)), np.arange(len(b)))
        return against_exact.predictive_map(f @ b.T * rho, exact * rho)

    start = make
    if init == "sample":
        first = _fitted_to_nmf(density, make, sample, s, x, k, training, seed)
        start = lambda key: first  # noqa: E731
    few = density.rows.visits.few and density.columns.visits.few
    n_rows = density.rows.visits.rows.size
    return Learner(start, parts_loss, data, n_rows, error if few else None)


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
        As `parts_learner` makes it.
    """
    rows, columns = data["rows"], data["columns"]
    if rows["probability"] is None:
        s, row_weight = rows["rows"][items], jnp.full(items.size, 1.0 / items.size)
    else:
        s, row_weight = jnp.arange(rows["probability"].size), rows["probability"]
    x, weight = drawn(key, items.size, columns["rows"], columns["probability"])
    f = jax.nn.softplus(factors.forward(rows["inputs"][s]))
    b = jax.nn.softplus(factors.backward(columns["inputs"][x]))
    left, right = data["left"], data["right"]
    m = left[s][:, x] if right is None else left[s] @ right[x].T
    squares = jnp.square(f @ b.T - m)
    return row_weight.astype(f.dtype) @ squares @ weight.astype(f.dtype) / data["size"]


def _initial(network: Network, table: Experience, k: int, dtype: Any, key: jax.Array) -> Layers:
    """Return an untrained network. A table starts at random, or all parts would be the same."""
    layers = layers_of(network, table, (k,), dtype, key)
    if network.kind == "linear":
        last = layers.layers[-1].weight
        weights = jax.random.normal(key, last.shape, dtype)
        layers = eqx.tree_at(lambda all: all.layers[-1].weight, layers, weights)
    return layers


def _fitted_to_nmf(
    density: Density,
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
    data = {
        "rows": {"inputs": density.rows.table.inputs(training.dtype)[s[0]]},
        "columns": {"inputs": density.columns.table.inputs(training.dtype)[x[0]]},
        "f": jnp.asarray(f * mean),
        "b": jnp.asarray(b / mean),
    }
    learner = Learner(make, _distance_from_nmf, data, len(f))
    short = replace(training, n_reports=1)
    return train(lambda: learner, short, seed, False, lambda factors, _: factors)


def _distance_from_nmf(
    factors: Factors, slow: Factors, items: jax.Array, key: jax.Array, data: dict[str, Any]
) -> jax.Array:
    """Return the squared distance of each part from the one of the NMF, relative to its size."""
    total = jnp.zeros(())
    for part, wanted in zip(_parts(factors, data), (data["f"], data["b"]), strict=True):
        size = jnp.mean(wanted**2, axis=0)
        total += jnp.mean(jnp.mean((part - wanted) ** 2, axis=0) / jnp.where(size > 0, size, 1.0))
    return total.astype(data["f"].dtype)


def _parts(factors: Factors, data: dict[str, Any]) -> tuple[jax.Array, jax.Array]:
    return (
        jax.nn.softplus(factors.forward(data["rows"]["inputs"])),
        jax.nn.softplus(factors.backward(data["columns"]["inputs"])),
    )
