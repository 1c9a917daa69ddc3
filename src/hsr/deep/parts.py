"""`DeepParts`: non-negative parts of a map, computed by networks."""

import warnings
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import HSRWarning
from hsr._base.validation import check_choice, check_count, check_seed, shape_of
from hsr.basis.contract import Basis, check_entries, read_map
from hsr.basis.factorisation import non_negative_weights
from hsr.deep.learned_map import LearnedMap, outputs_of
from hsr.deep.learned_measure import Factors, LearnedMeasure
from hsr.deep.networks import Network
from hsr.deep.parts_learner import Density, parts_learner, read_density
from hsr.deep.training import Training, train

_DEAD = 1e-3  # parts with less than this fraction of the mean of all parts are dead
_SAME = 0.99  # parts with a larger cosine are duplicates


class DeepParts(Basis):
    """Non-negative parts of a map as features, computed by networks from observations.

        M(s, x) ~ sum_k f_k(s) b_k(x) rho(x),      f, b >= 0

    Both f and b are networks whose outputs pass through softplus. They minimise

        E_s,x (f(s) . b(x) - m(s, x))^2,      m(s, x) = M(s, x) / rho(x),

    with s and x from the distribution rho of the data. This is the objective of `NMFBasis`,
    weighted by the data, without a matrix of all states. Parts are scaled so that E b_k = 1. Then
    b_k rho is a distribution over states, called a place, and f_k(s) is the expected discounted
    time in that place: sum_k f_k(s) = 1 / (1 - discount) up to the error.

    Parameters
    ----------
    n_components : int
        Number of parts K.
    network : Network
        Kind and size of both networks.
    training : Training
        How they are trained. With ``init="sample"`` the initialisation takes as many updates again.
    init : {"sample", "random"}
        How the networks are initialised. With "sample" the map at up to 512 observations is
        factorised by `NMFBasis`, and the networks first learn these factors. This is reliable. With
        "random" weights some parts die, others are duplicates, and other local minima are reached.
    random_state : int
        Seed of weights and batches.

    Attributes
    ----------
    features_ : ndarray of shape (S, K)
        f at the states, or at the observations of the log. Not negative.
    components_ : ndarray of shape (K, n_features)
        The places b rho. Not negative. ``features_ @ components_`` reconstructs the map.
    curve_ : tuple of Report
        The learning curve: updates, loss and distance from the map. The loss is the square of the
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
            The map. A learned map includes its observations and their distribution. Small negative
            entries of a learned map are fitted by zero.
        y : None
            Ignored. scikit-learn's pipelines pass it.
        observe : array of shape (S, ...), or callable, optional
            The observation of each state, if the map is not learned. By default observations are
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
            If parts are dead, or duplicates of others.
        """
        k, seed = check_count(self.n_components, "n_components"), check_seed(self.random_state)
        check_choice(self.init, ("sample", "random"), "init")
        read = read_map(self, M)
        learned = isinstance(M, LearnedMap | LearnedMeasure)
        if not learned:
            read = read if isinstance(read, np.ndarray) else read.toarray()
            check_entries(read, read >= 0.0, "non-negative parts need a map without such entries")
        density = read_density(M if learned else read, observe, distribution)
        factors, self.curve_ = train(
            lambda: parts_learner(density, k, self.network, self.training, self.init, seed),
            self.training,
            seed,
            progress,
            lambda factors, reports: (factors, reports),
        )
        self._keep(density, factors)
        return self

    def transform(self, states: Any) -> FloatArray:
        """Return features of states or of observations.

        Parameters
        ----------
        states : list of integers, or array of shape (n, ...)
            Rows of the fitted map, or other observations if the map was fitted with observations.
            Otherwise map rows of new states, which are projected on the components.

        Returns
        -------
        ndarray of shape (n, K)
        """
        check_is_fitted(self)
        shape = shape_of(states)
        if self._rows.table is None or (shape is not None and len(shape) < 2):
            return super().transform(states)
        return self._forward(self._rows.prepare(states))

    def _keep(self, density: Density, factors: Factors) -> None:
        """Store the factors, with parts scaled to mean one."""
        rho = density.columns.visits.probability
        b = _softplus(outputs_of(factors.backward, density.columns.table.read(), self.training))
        self.scale_ = rho @ b
        self._rows, self._factors = density.rows.table, factors
        self.components_ = (b / self.scale_ * rho[:, None]).T
        self.features_ = self._forward(self._rows.read())
        self.n_components_ = len(self.components_)
        self.n_dead_ = _warn_of_dead(self.features_, self.components_)

    def _forward(self, inputs: Any) -> FloatArray:
        f = outputs_of(self._factors.forward, np.asarray(inputs), self.training)
        return _softplus(f) * self.scale_

    def _features_of(self, states: IntArray) -> FloatArray:
        return self.features_[states]

    def _project(self, rows: FloatArray) -> FloatArray:
        return non_negative_weights(rows, self.components_, tol=1e-5, max_iter=2000)


def _softplus(outputs: FloatArray) -> FloatArray:
    return np.logaddexp(0.0, outputs)


def _warn_of_dead(features: FloatArray, components: FloatArray) -> int:
    """Return how many parts are almost zero, and warn of dead and duplicate parts."""
    share = features.mean(axis=0)
    dead = share < _DEAD * share.mean()
    unit = features / np.linalg.norm(features, axis=0)
    places = components / np.linalg.norm(components, axis=1, keepdims=True)
    same = (unit.T @ unit > _SAME) & (places @ places.T > _SAME)
    twice = np.triu(same, 1).any(axis=0) & ~dead
    for bad, what in ((dead, "almost zero everywhere"), (twice, "the same as another one")):
        if bad.any():
            warnings.warn(
                f"{bad.sum()} of {bad.size} parts are {what}; ask for fewer parts, use "
                'init="sample" or a smaller learning rate',
                HSRWarning,
                stacklevel=4,
            )
    return int(dead.sum())
