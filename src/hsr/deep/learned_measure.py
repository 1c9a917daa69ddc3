"""`LearnedMeasure`: the density of discounted visits, as the product of two networks."""

from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.validation import check_array
from hsr.deep.choices import Choices
from hsr.deep.experience import Experience
from hsr.deep.factors import Factors, Visits
from hsr.deep.learned_map import diagnose, outputs_of
from hsr.deep.training import Report, Training
from hsr.representation.predictive_map import PredictiveMap


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
    made_for, discount, kind, scope
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
        made_for: str | None,
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
            made_for=made_for,
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
