"""`LearnedOptions`: options whose action values are the outputs of networks."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, read_only
from hsr.deep.experience import Experience
from hsr.deep.learned_map import outputs_of
from hsr.deep.learned_vectors import LearnedVectors
from hsr.deep.networks import Layers
from hsr.deep.training import Report, Training
from hsr.options.option_set import OptionSet


class LearnedOptions:
    """Options that networks have learned; `learn_eigenoptions` returns it.

    It is a function from observations to an `hsr.OptionSet` over these observations, as
    `hsr.deep.learn_hsr` takes it.

    Parameters
    ----------
    networks : sequence of Layers
        Independently trained copies, from an observation to values of shape (O, A).
    vectors : tuple of LearnedVectors
        What the copies climb.
    experience : Experience
        The observations.
    training : Training
        How the networks were trained.
    reports : tuple of Report
        The learning curve of the first copy.
    names : sequence of O strings
        Names of the options.
    q : array of shape (R, O, A)
        What each action is worth at each row. Minus infinity for actions that are never taken.
    tolerance : array of shape (O,)
        An option stops where no action is worth more.
    made_for : str, optional
        ``mdp.structure_fingerprint`` of the world, if it is known.

    Attributes
    ----------
    options : OptionSet
        The options over the states. Actions that the log never tries in a state are not taken
        there, and options stop where it tries none. If states are not listed, over the
        observations of the log: before all steps, then after.
    tolerance : array of shape (O,)
        The same.
    vectors : tuple of LearnedVectors
        What the copies climb.
    curve : tuple of Report
        Updates, loss and distance of the values from the exact ones, from time to time.
    """

    def __init__(
        self,
        networks: Sequence[Layers],
        vectors: tuple[LearnedVectors, ...],
        experience: Experience,
        training: Training,
        reports: tuple[Report, ...],
        *,
        names: Sequence[str],
        q: FloatArray,
        tolerance: FloatArray,
        made_for: str | None = None,
    ) -> None:
        self.networks, self.vectors, self.curve = tuple(networks), vectors, reports
        self._experience, self._training, self._names = experience, training, tuple(names)
        self.tolerance = read_only(tolerance)
        self.options = self._options(q, made_for if experience.listed else None)

    def __call__(self, observations: Any) -> OptionSet:
        """Return the options over observations.

        Parameters
        ----------
        observations : array of shape (n, ...)
            Observations as the log has them. The numbers of states if they are one-hot.
        """
        return self._options(self.values(observations), None)

    def values(self, observations: Any) -> FloatArray:
        """Return what each action is worth to each option, the mean of the copies.

        Parameters
        ----------
        observations : array of shape (n, ...)
            Observations as the log has them. The numbers of states if they are one-hot.

        Returns
        -------
        ndarray of shape (n, O, A)
        """
        inputs = self._experience.prepare(observations)
        copies = [outputs_of(one, inputs, self._training) for one in self.networks]
        q: FloatArray = np.mean(copies, axis=0)
        return q

    def __repr__(self) -> str:
        n = len(self._names)
        what = "states" if self._experience.listed else "observations"
        plural = "" if n == 1 else "s"
        return f"LearnedOptions({n} option{plural} of {self._experience.n_rows} {what})"

    def _options(self, q: FloatArray, made_for: str | None) -> OptionSet:
        stop = (q.max(axis=2) <= self.tolerance).T
        return OptionSet(q.argmax(axis=2).T, stop.astype(float), ~stop, self._names, made_for)
