"""`LearnedMap`: a predictive map computed by a network, with checks for failed training."""

import warnings
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.errors import HSRWarning
from hsr.deep.choices import Choices, Problem
from hsr.deep.experience import Experience
from hsr.deep.networks import Layers, outputs, outputs_and_dead_units
from hsr.deep.training import Report, Training, precision_of
from hsr.representation.predictive_map import PredictiveMap

_AT_ONCE = 1024  # observations that go through the network together
_DEAD = 0.5  # fraction of a layer's units that may be dead without a warning
_SPREAD = 0.02  # a map whose rows differ less than this from their mean has collapsed


class LearnedMap(PredictiveMap):
    """A predictive map learned by a network, as returned by `learn_sr` and `learn_hsr`.

    Like every `PredictiveMap`, it can be saved, drawn, multiplied by rewards and decomposed into a
    basis. Row s is the output of the network for the observation of state s, averaged over choices.
    If states are not listed, the rows are the observations of the log: those before all steps,
    followed by those after them.

    Parameters
    ----------
    network : Layers
        Maps an observation to the successor features of each choice, an array (C, D).
    problem : Problem
        The log and the policy over choices.
    training : Training
        How the network was trained.
    reports : tuple of Report
        Its learning curve.
    features : array of shape (R, D), optional
        The features that are predicted. By default the columns are states.
    log_scale : array of shape (D,), optional
        The outputs of the network plus these numbers are then logarithms of visits.

    Attributes
    ----------
    curve : tuple of Report
        The learning curve: updates, loss and distance from the exact map.
    dead_units : tuple of float
        The fraction of units in each hidden layer that no observation activates.
    spread : float
        Relative distance of the rows from their mean. Almost 0 if the map has collapsed.

    Examples
    --------
    >>> import hsr, hsr.deep
    >>> from hsr.deep import Network, Training
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("......"), discount=0.8)
    >>> small = dict(network=Network(width=64), training=Training(n_updates=600))
    >>> M = hsr.deep.learn_sr(hsr.deep.random_steps(mdp, 2000), mdp=mdp, **small)
    >>> M
    PredictiveMap(learned SR of 6 states, discount 0.8)
    >>> M.curve[-1].error < 0.05
    True
    """

    def __init__(
        self,
        network: Layers,
        problem: Problem,
        training: Training,
        reports: tuple[Report, ...],
        *,
        features: FloatArray | None = None,
        log_scale: FloatArray | None = None,
    ) -> None:
        self.network, self.curve, self.of_states = network, reports, features is None
        self.problem, self.experience, self.training = problem, problem.experience, training
        self._features, self._log_scale = features, log_scale
        shape = self.experience.n_rows, network.out[-1]
        origin = problem.of_map | ({} if self.of_states else {"mdp_fingerprint": None})
        super().__init__(shape, self._times, self._transpose_times, **origin)
        self.dead_units, self.spread = diagnose(network, self.experience, training, self._rows_from)

    def of_choices(self, states: Any = None) -> FloatArray:
        """Return the successor features of each choice.

        Parameters
        ----------
        states : int array, optional
            Rows of the map. All by default.

        Returns
        -------
        ndarray of shape (n, C, D)
            Expected discounted visits, or sums of features, after the choice is made in the state
            and the policy over choices is followed once it stops.
        """
        rows = np.arange(self.shape[0]) if states is None else np.atleast_1d(states)
        psi = self._outputs(self.experience.read(rows))
        return ended(psi, rows, self.problem.choices, self._features)

    def at(self, observations: Any) -> FloatArray:
        """Return the successor features of each choice at other observations.

        Parameters
        ----------
        observations : array of shape (n, ...)
            Observations in the form of the log. State numbers if they are one-hot.

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
        arrays = {}
        for name in ("convolution", "layer"):
            for k, layer in enumerate(getattr(self.network, f"{name}s")):
                arrays[f"{name}{k}.weight"] = np.asarray(layer.weight)
                if layer.bias is not None:
                    arrays[f"{name}{k}.bias"] = np.asarray(layer.bias).reshape(-1)
        return arrays

    def _outputs(self, inputs: Any) -> FloatArray:
        return visits_from(outputs_of(self.network, inputs, self.training), self._log_scale)

    def _rows_from(self, rows: IntArray, outputs: FloatArray) -> FloatArray:
        """Return rows of the map from the outputs of the network there."""
        psi = visits_from(outputs, self._log_scale)
        psi = ended(psi, rows, self.problem.choices, self._features)
        return np.einsum("rc,rcd->rd", self.problem.choices.mu[rows], psi)

    def _blocks(self) -> Any:
        """Yield blocks of row numbers with the map there, to limit memory."""
        for k in range(0, self.shape[0], _AT_ONCE):
            rows = np.arange(k, min(k + _AT_ONCE, self.shape[0]))
            outputs = outputs_of(self.network, self.experience.read(rows), self.training)
            yield rows, self._rows_from(rows, outputs)

    def _times(self, block: FloatArray) -> FloatArray:
        return np.concatenate([M @ block for _, M in self._blocks()])

    def _transpose_times(self, block: FloatArray) -> FloatArray:
        return sum(M.T @ block[rows] for rows, M in self._blocks())


def ended(
    psi: FloatArray, rows: IntArray, choices: Choices, features: FloatArray | None
) -> FloatArray:
    """Return successor features that end at the goal, where the network is not trained.

    Parameters
    ----------
    psi : array of shape (n, C, D)
        Successor features of each choice.
    rows : int array of shape (n,)
        The row of each of them.
    choices : Choices
        Where episodes end.
    features : array of shape (R, D), or None
        The features of each row, None if they are one-hot.
    """
    at_goal = choices.goal[rows]
    if at_goal.any():
        reached = np.eye(psi.shape[2])[rows] if features is None else features[rows]
        psi = np.where(at_goal[:, None, None], reached[:, None], psi)
    return psi


def diagnose(
    network: Layers,
    experience: Experience,
    training: Training,
    rows_of: Callable[[IntArray, FloatArray], FloatArray],
) -> tuple[tuple[float, ...], float]:
    """Return the fraction of dead units and the spread of rows, and warn of failed training.

    Parameters
    ----------
    network : Layers
        The trained network.
    experience : Experience
        The observations.
    training : Training
        How it was trained, for the precision.
    rows_of : callable
        Returns rows of the map from their numbers and the outputs of the network.
    """
    rows = np.arange(min(experience.n_rows, _AT_ONCE))
    with precision_of(training):
        dtype = jnp.int32 if network.one_hot else training.dtype
        inputs = jnp.asarray(experience.read(rows), dtype)
        values, units = outputs_and_dead_units(network, inputs)
        dead = tuple(float(fraction) for fraction in units)
    M = rows_of(rows, np.asarray(values, dtype=np.float64))
    size = float(np.linalg.norm(M))
    spread = float(np.linalg.norm(M - M.mean(axis=0))) / (size or 1.0)
    if any(fraction > _DEAD for fraction in dead):
        percent = ", ".join(f"{fraction:.0%}" for fraction in dead)
        warnings.warn(
            f"{percent} of the units of the hidden layers are dead: no observation activates "
            "them; use a smaller learning rate or a smaller last_scale",
            HSRWarning,
            stacklevel=7,
        )
    if spread < _SPREAD and len(rows) > 1:
        warnings.warn(
            f"the map has collapsed: its rows differ from their mean by {spread:.2g} of "
            "their size, so all states predict the same",
            HSRWarning,
            stacklevel=7,
        )
    return dead, spread


def outputs_of(network: Layers, inputs: Any, training: Training) -> FloatArray:
    """Return the outputs of a network for many observations, computed in blocks.

    Parameters
    ----------
    network : Layers
        The network.
    inputs : array of shape (n, ...)
        Inputs of the network, as `Experience.read` returns them.
    training : Training
        How the network was trained, for the precision.
    """
    with precision_of(training):
        dtype = jnp.int32 if network.one_hot else training.dtype
        parts = [
            np.asarray(outputs(network, jnp.asarray(inputs[k : k + _AT_ONCE], dtype)))
            for k in range(0, len(inputs), _AT_ONCE)
        ]
    return np.concatenate(parts).astype(np.float64)


def visits_from(outputs: FloatArray, log_scale: FloatArray | None) -> FloatArray:
    """Return predictions from the outputs of a network, which are logarithms if scaled."""
    return outputs if log_scale is None else np.exp(outputs + log_scale)
