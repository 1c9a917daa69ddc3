"""`LearnedVectors`: eigenvectors of a random walk that are the outputs of a network."""

from typing import Any, NamedTuple

import numpy as np

from hsr._base.arrays import FloatArray, read_only
from hsr.deep.experience import Experience
from hsr.deep.learned_map import outputs_of
from hsr.deep.networks import Layers
from hsr.deep.pairs import Pairs
from hsr.deep.training import Report, Training
from hsr.mdp.spectrum import fix_signs

_RANK = 1e-7  # functions whose products have smaller eigenvalues than this depend on each other


class Rotation(NamedTuple):
    """How eigenvectors are made of the outputs of a network.

    Parameters
    ----------
    mean : array of shape (D,)
        What is subtracted from the outputs first.
    matrix : array of shape (D, K)
        What they are then multiplied by.
    eigenvalues : array of shape (K,)
        Of the step from one state of a pair to the other.
    """

    mean: FloatArray
    matrix: FloatArray
    eigenvalues: FloatArray

    def turned(self, values: FloatArray) -> FloatArray:
        """Return the eigenvectors, (n, K), of outputs, (n, D)."""
        return (values - self.mean) @ self.matrix


def rotation_of(values: FloatArray, pairs: Pairs, n_vectors: int) -> Rotation | None:
    """Return the best eigenvectors in the span of functions (Rayleigh-Ritz), or None.

    They are uncorrelated at one state and between the two states of a pair. Each has length 1 and
    the sign that `hsr.leading_vectors` would choose. None if the functions span too little.

    Parameters
    ----------
    values : array of shape (R, D)
        The functions at each row.
    pairs : Pairs
        The distribution of pairs.
    n_vectors : int
        The number K of vectors, at most D.
    """
    mean = pairs.mean(values)
    at_one, at_two = pairs.products(values - mean)
    sizes, axes = np.linalg.eigh(at_one)
    kept = sizes > _RANK * max(sizes[-1], _RANK)
    if np.count_nonzero(kept) < n_vectors:
        return None
    whitened = axes[:, kept] / np.sqrt(sizes[kept])
    eigenvalues, turns = np.linalg.eigh(whitened.T @ at_two @ whitened)
    matrix = whitened @ turns[:, ::-1][:, :n_vectors]
    vectors = (values - mean) @ matrix
    matrix = matrix / np.linalg.norm(vectors, axis=0)
    vectors = (values - mean) @ matrix
    signs = np.sign(np.sum(fix_signs(vectors) * vectors, axis=0))
    return Rotation(mean, matrix * signs, eigenvalues[::-1][:n_vectors])


class LearnedVectors:
    """Eigenvectors of a random walk that a network has learned; `learn_eigenvectors` returns it.

    Parameters
    ----------
    network : Layers
        From an observation to D functions.
    rotation : Rotation
        How the vectors are made of these functions.
    experience : Experience
        The observations.
    training : Training
        How the network was trained.
    reports : tuple of Report
        Its learning curve.
    discount : float
        The states of a pair were k steps apart with probability (1 - g) g^(k - 1).

    Attributes
    ----------
    vectors : array of shape (S, K)
        One vector of length 1 per column. The first entry of largest magnitude is positive. If
        states are not listed, the rows are the observations of the log: before all steps, then
        after.
    eigenvalues : array of shape (K,)
        Estimates of the eigenvalues of one step of the walk, in decreasing order. If states are not
        listed and trajectories are short compared with 1 / (1 - g), they are too large.
    curve : tuple of Report
        Updates, loss and 1 minus the mean cosine with the exact vectors, from time to time.
    """

    def __init__(
        self,
        network: Layers,
        rotation: Rotation,
        experience: Experience,
        training: Training,
        reports: tuple[Report, ...],
        *,
        discount: float,
    ) -> None:
        self.network, self.curve, self.discount = network, reports, discount
        self._rotation, self._experience, self._training = rotation, experience, training
        self.vectors = read_only(self._turned(experience.read()))
        mu = rotation.eigenvalues
        self.eigenvalues = read_only(mu / (1.0 - discount + discount * mu))

    def at(self, observations: Any) -> FloatArray:
        """Return the vectors at further observations.

        Parameters
        ----------
        observations : array of shape (n, ...)
            Observations as the log has them. The numbers of states if they are one-hot.

        Returns
        -------
        ndarray of shape (n, K)
        """
        return self._turned(self._experience.prepare(observations))

    def __repr__(self) -> str:
        n, k = self.vectors.shape
        what = "states" if self._experience.listed else "observations"
        return f"LearnedVectors({k} vectors of {n} {what}, discount {self.discount:g})"

    def _turned(self, inputs: Any) -> FloatArray:
        return self._rotation.turned(outputs_of(self.network, inputs, self._training))
