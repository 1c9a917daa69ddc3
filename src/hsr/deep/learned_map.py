"""`LearnedMap`: a predictive map that is the output of a network."""

import warnings
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import HSRWarning
from hsr.deep.experience import Experience
from hsr.deep.networks import Layers, outputs, outputs_and_dead_units
from hsr.deep.training import Report, Training, numbers_of
from hsr.representation.predictive_map import PredictiveMap

_AT_ONCE = 1024  # observations that go through the network together
_DEAD = 0.5  # fraction of a layer's units that may be dead without a warning
_SPREAD = 0.02  # rows that differ less than this from their mean are all the same


class LearnedMap(PredictiveMap):
    """A predictive map that a network has learned; `learn_sr` and `learn_hsr` return it.

    It is a `PredictiveMap`: bases are fitted to it, it can be saved, drawn and multiplied by
    rewards. Row s is the network's output for the observation of state s, averaged over choices. If
    states are not listed, the rows are the observations of the log: before all steps, then after.

    Parameters
    ----------
    network : Layers
        From an observation to an array (C, D): successor features of each choice.
    experience : Experience
        The observations.
    mu : array of shape (R, C)
        The policy over choices.
    training : Training
        How the network was trained.
    reports : tuple of Report
        Its learning curve.
    mdp_fingerprint, discount, kind, scope
        As in `PredictiveMap`.
    of_states : bool
        Whether columns are states. Otherwise they are features.
    at_goal : array of shape (R, D), optional
        The features of the goal in its own row, and NaN in others. The map ends there.
    log_scale : array of shape (D,), optional
        The outputs of the network plus these numbers are then logarithms of visits.

    Attributes
    ----------
    curve : tuple of Report
        Updates, loss and distance from the exact map, from time to time.
    dead_units : tuple of float
        The fraction of units of each hidden layer that no observation activates.
    spread : float
        How far rows are from their mean, relative to their size. Almost 0 if the map has collapsed.

    Examples
    --------
    >>> import hsr, hsr.deep
    >>> from hsr.deep import Network, Training
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("......"), discount=0.8)
    >>> small = dict(network=Network(width=64), training=Training(n_updates=600))
    >>> M = hsr.deep.learn_sr(hsr.deep.random_steps(mdp, 2000), world=mdp, **small)
    >>> M
    PredictiveMap(learned SR of 6 states, discount 0.8)
    >>> M.curve[-1].error < 0.05
    True
    """

    def __init__(
        self,
        network: Layers,
        experience: Experience,
        mu: FloatArray,
        training: Training,
        reports: tuple[Report, ...],
        *,
        mdp_fingerprint: str | None,
        discount: float,
        kind: str,
        scope: str = "",
        of_states: bool = True,
        at_goal: FloatArray | None = None,
        log_scale: FloatArray | None = None,
    ) -> None:
        self.network, self.curve, self.of_states = network, reports, of_states
        self._at_goal, self._log_scale = at_goal, log_scale
        self.experience, self._mu, self._training = experience, mu, training
        super().__init__(
            (experience.n_rows, network.out[-1]),
            self._times,
            self._transpose_times,
            mdp_fingerprint=mdp_fingerprint,
            discount=discount,
            kind=kind,
            scope=scope,
        )
        self.dead_units, self.spread = diagnose(
            network,
            experience,
            training,
            lambda rows, psi: np.einsum("rc,rcd->rd", mu[rows], visits_from(psi, log_scale)),
        )

    def of_choices(self, states: Any = None) -> FloatArray:
        """Return the successor features of each choice.

        Parameters
        ----------
        states : int array, optional
            Rows of the map. All by default.

        Returns
        -------
        ndarray of shape (n, C, D)
            Expected discounted visits, or sums of features, if the choice is made in the state and
            the policy over choices is followed after its end.
        """
        rows = np.arange(self.shape[0]) if states is None else np.atleast_1d(states)
        psi = self._outputs(self.experience.read(rows))
        return psi if self._at_goal is None else ended(psi, self._at_goal[rows])

    def at(self, observations: Any) -> FloatArray:
        """Return the successor features of each choice at further observations.

        Parameters
        ----------
        observations : array of shape (n, ...)
            Observations as the log has them. The numbers of states if they are one-hot.

        Returns
        -------
        ndarray of shape (n, C, D)
        """
        return self._outputs(self.experience.prepare(observations))

    def weights(self) -> dict[str, np.ndarray]:
        """Return the weights of the network as plain arrays, for other frameworks.

        Returns
        -------
        dict of str to ndarray
            ``layer0.weight`` of shape (out, in), ``layer0.bias`` and so on, after
            ``convolution0.weight`` of shape (out, in, 3, 3) if there are convolutions.
        """
        found = {}
        for name, layers in (
            ("convolution", self.network.convolutions),
            ("layer", self.network.layers),
        ):
            for k, layer in enumerate(layers):
                found[f"{name}{k}.weight"] = np.asarray(layer.weight)
                if layer.bias is not None:
                    found[f"{name}{k}.bias"] = np.asarray(layer.bias).reshape(-1)
        return found

    def _outputs(self, inputs: Any) -> FloatArray:
        return visits_from(outputs_of(self.network, inputs, self._training), self._log_scale)

    def _blocks(self) -> Any:
        """Yield slices of rows, and the map there."""
        # In blocks, so that the outputs of all choices are never held together.
        for k in range(0, self.shape[0], _AT_ONCE):
            rows = np.arange(k, min(k + _AT_ONCE, self.shape[0]))
            yield rows, np.einsum("rc,rcd->rd", self._mu[rows], self.of_choices(rows))

    def _times(self, block: FloatArray) -> FloatArray:
        return np.concatenate([M @ block for _, M in self._blocks()])

    def _transpose_times(self, block: FloatArray) -> FloatArray:
        return sum(M.T @ block[rows] for rows, M in self._blocks())


def ended(psi: FloatArray, at_goal: FloatArray) -> FloatArray:
    """Return successor features that end at the goal, where nothing is learned.

    Parameters
    ----------
    psi : array of shape (n, C, D)
        Outputs of a network.
    at_goal : array of shape (n, D)
        The features of the goal, at the goal, and NaN elsewhere.
    """
    return np.where(np.isnan(at_goal)[:, None], psi, at_goal[:, None])


def diagnose(
    network: Layers,
    experience: Experience,
    training: Training,
    rows_of: Callable[[IntArray, FloatArray], FloatArray],
) -> tuple[tuple[float, ...], float]:
    """Return the fraction of dead units and the spread of rows, and warn of what is wrong.

    Parameters
    ----------
    network : Layers
        The network that was trained.
    experience : Experience
        The observations.
    training : Training
        How it was trained, for the precision.
    rows_of : callable
        Returns rows of the map, from their numbers and the outputs of the network.
    """
    rows = np.arange(min(experience.n_rows, _AT_ONCE))
    with numbers_of(training):
        dtype = jnp.int32 if network.one_hot else training.dtype
        inputs = jnp.asarray(experience.read(rows), dtype)
        values, units = outputs_and_dead_units(network, inputs)
        dead = tuple(float(fraction) for fraction in units)
    M = rows_of(rows, np.asarray(values, dtype=np.float64))
    size = float(np.linalg.norm(M))
    spread = float(np.linalg.norm(M - M.mean(axis=0))) / (size or 1.0)
    if any(fraction > _DEAD for fraction in dead):
        said = ", ".join(f"{fraction:.0%}" for fraction in dead)
        warnings.warn(
            f"{said} of the units of the hidden layers are dead: no observation activates "
            "them; use a smaller learning rate or a smaller last_scale",
            HSRWarning,
            stacklevel=4,
        )
    if spread < _SPREAD and len(rows) > 1:
        warnings.warn(
            f"the map has collapsed: its rows differ from their mean by {spread:.2g} of "
            "their size, so that all states predict the same",
            HSRWarning,
            stacklevel=4,
        )
    return dead, spread


def outputs_of(network: Layers, inputs: Any, training: Training) -> FloatArray:
    """Return the outputs of a network for many observations, some of them at a time.

    Parameters
    ----------
    network : Layers
        The network.
    inputs : array of shape (n, ...)
        Observations as networks read them. The numbers of rows if they are one-hot.
    training : Training
        How the network was trained, for the precision.
    """
    with numbers_of(training):
        dtype = jnp.int32 if network.one_hot else training.dtype
        parts = [
            np.asarray(outputs(network, jnp.asarray(inputs[k : k + _AT_ONCE], dtype)))
            for k in range(0, len(inputs), _AT_ONCE)
        ]
    return np.concatenate(parts).astype(np.float64)


def visits_from(outputs: FloatArray, log_scale: FloatArray | None) -> FloatArray:
    """Return predictions from the outputs of a network, which may be logarithms."""
    return outputs if log_scale is None else np.exp(outputs + log_scale)
