"""`LearnedMeasure`: the density of discounted visits as a product of two networks."""

from functools import cached_property
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.validation import check_array
from hsr.deep.choices import Problem
from hsr.deep.experience import Experience
from hsr.deep.learned_map import diagnose, outputs_of
from hsr.deep.networks import Layers
from hsr.deep.training import Report, Training
from hsr.representation.predictive_map import PredictiveMap

_FEW = 512  # expectations over at most so many rows are summed, not sampled


class Factors(eqx.Module):  # type: ignore[misc]
    """Two networks whose product is a density of visits.

    Parameters
    ----------
    forward : Layers
        Maps the observation of the start to an array (..., K).
    backward : Layers
        Maps the observation of a visited state to an array (K,).
    """

    forward: Layers
    backward: Layers


class Visits(NamedTuple):
    """A distribution over the rows of a table of observations.

    Parameters
    ----------
    rows : int array of shape (n,)
        Rows that are drawn with equal probability. A row may occur several times.
    probability : array of shape (R,)
        The resulting probability of each row.
    """

    rows: IntArray
    probability: FloatArray

    @property
    def few(self) -> bool:
        """Whether there are few enough rows to sum over all of them instead of sampling."""
        return self.probability.size <= _FEW


def visits_of(experience: Experience) -> Visits:
    """Return the frequency of each row in a log, before or after a step."""
    rows = experience.steps[:, [0, 2]].T.reshape(-1)
    return Visits(rows, np.bincount(rows, minlength=experience.n_rows) / rows.size)


def drawn(
    key: jax.Array, n: int, rows: jax.Array, probability: jax.Array | None
) -> tuple[jax.Array, jax.Array]:
    """Return rows, and weights with which they represent a distribution.

    Parameters
    ----------
    key : jax.Array
        Random key.
    n : int
        Number of rows to draw.
    rows : int array
        Rows to draw from.
    probability : array of shape (R,), or None
        If given, all rows are returned with these weights, and none is drawn.
    """
    if probability is not None:
        return jnp.arange(probability.size), probability
    return rows[jax.random.randint(key, (n,), 0, rows.size)], jnp.full(n, 1.0 / n)


class LearnedMeasure(PredictiveMap):
    """The density of discounted visits as a product of two networks.

        m(s, c, x) = F(s, c) . B(x),          M(s, x) = sum_c mu(c | s) m(s, c, x) rho(x)

    rho is the distribution of the observations in the log. M is a `PredictiveMap`: it can be
    multiplied by rewards and decomposed into a basis. If states are not listed, its rows and
    columns are the observations of the log: those before all steps, followed by those after them.
    `learn_measure` returns it.

    Parameters
    ----------
    factors : Factors
        The networks F and B.
    problem : Problem
        The log and the policy over choices.
    training : Training
        How the networks were trained.
    reports : tuple of Report
        Their learning curve.

    Attributes
    ----------
    curve : tuple of Report
        The learning curve: updates, loss and distance from the exact map.
    distribution : ndarray of shape (R,)
        rho at each row.
    dead_units : tuple of float
        The fraction of units in each hidden layer of F that no observation activates.
    spread : float
        Relative distance of the rows from their mean. Almost 0 if the map has collapsed.

    Examples
    --------
    >>> import hsr, hsr.deep
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("......"), discount=0.8)
    >>> steps, small = hsr.deep.random_steps(mdp, 2000), hsr.deep.Network(width=32)
    >>> training = hsr.deep.Training(n_updates=1000)
    >>> M = hsr.deep.learn_measure(
    ...     steps, mdp=mdp, n_factors=6, network=small, training=training
    ... )
    >>> M.density([0, 1], [3, 4, 5]).shape
    (2, 4, 3)
    >>> float(abs(M.toarray().sum(axis=1) - 5.0).max()) < 0.2
    True
    """

    def __init__(
        self,
        factors: Factors,
        problem: Problem,
        training: Training,
        reports: tuple[Report, ...],
    ) -> None:
        self.factors, self.curve, self.training = factors, reports, training
        self.experience = problem.experience
        self.distribution = visits_of(self.experience).probability
        self._mu, self._goal = problem.choices.mu, problem.choices.goal
        n_rows = self.experience.n_rows
        super().__init__((n_rows, n_rows), self._times, self._transpose_times, **problem.of_map)
        self.dead_units, self.spread = diagnose(
            factors.forward, self.experience, training, self._mean_over_choices
        )

    def _mean_over_choices(self, rows: Any, F: FloatArray) -> FloatArray:
        return np.einsum("rc,rcd->rd", self._mu[rows], F)

    def forward(self, observations: Any) -> FloatArray:
        """Return the factor F of starting observations.

        Parameters
        ----------
        observations : array of shape (n, ...)
            Observations in the form of the log. State numbers if they are one-hot.

        Returns
        -------
        ndarray of shape (n, C, d)
        """
        inputs = np.asarray(self.experience.prepare(observations))
        return outputs_of(self.factors.forward, inputs, self.training)

    def backward(self, observations: Any) -> FloatArray:
        """Return the factor B of visited observations.

        Parameters
        ----------
        observations : array of shape (n, ...)
            Observations in the form of the log. State numbers if they are one-hot.

        Returns
        -------
        ndarray of shape (n, d)
        """
        inputs = np.asarray(self.experience.prepare(observations))
        return outputs_of(self.factors.backward, inputs, self.training)

    def density(self, observations: Any, others: Any, mu: Any = None) -> FloatArray:
        """Return the density of discounted visits from some observations to others.

        The mean of a reward under this density, over observations of the log, is the expected
        discounted sum of rewards.

        Parameters
        ----------
        observations : array of shape (n, ...)
            The starting observations. State numbers if observations are one-hot.
        others : array of shape (k, ...)
            The visited observations.
        mu : array of shape (n, C), optional
            Probability of each choice at each start.

        Returns
        -------
        ndarray of shape (n, C, k), or of shape (n, k) if `mu` is given
            For each choice, if it is made and the policy over choices is followed once it stops.
        """
        F, B = self.forward(observations), self.backward(others)
        if mu is None:
            return np.einsum("ncd,kd->nck", F, B)
        return np.einsum("nc,ncd,kd->nk", check_array(mu, F.shape[:2], "mu"), F, B)

    @cached_property
    def left(self) -> FloatArray:
        """F at all rows, averaged over choices, of shape (R, d). Zero at the goal."""
        F = outputs_of(self.factors.forward, self.experience.read(), self.training)
        return self._mean_over_choices(slice(None), F) * ~self._goal[:, None]

    @cached_property
    def right(self) -> FloatArray:
        """B at all rows, of shape (R, d)."""
        return outputs_of(self.factors.backward, self.experience.read(), self.training)

    def _times(self, block: FloatArray) -> FloatArray:
        product = self.left @ (self.right.T @ (self.distribution[:, None] * block))
        return np.asarray(product + self._goal[:, None] * block)

    def _transpose_times(self, block: FloatArray) -> FloatArray:
        product = self.distribution[:, None] * (self.right @ (self.left.T @ block))
        return np.asarray(product + self._goal[:, None] * block)
