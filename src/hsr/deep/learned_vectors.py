"""`LearnedVectors`: eigenvectors of a random walk, estimated from pairs of states along it."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from hsr._base.arrays import FloatArray, IntArray, read_only
from hsr._base.errors import InputError
from hsr.deep.experience import Experience
from hsr.deep.learned_map import outputs_of
from hsr.deep.networks import Layers
from hsr.deep.training import Report, Training
from hsr.mdp.spectrum import fix_signs

N_PAIRS = 2**20
_RANK = 1e-7  # functions are dependent if their products have relative eigenvalues below this


class Pairs(NamedTuple):
    """The distribution of pairs, exact or estimated from a sample.

    Parameters
    ----------
    joint : array or sparse array of shape (R, R)
        The probability of each pair of rows, symmetric.
    rows : int array of shape (n, 2), or None
        The pairs that were drawn. None if the distribution is exact.
    """

    joint: FloatArray | sparse.csr_array
    rows: IntArray | None

    @property
    def marginal(self) -> FloatArray:
        """The probability of each row at either end of a pair, (R,)."""
        return np.asarray(self.joint.sum(axis=0))


def read_pairs(
    experience: Experience, gamma: float, most_rows: int, rng: np.random.Generator
) -> Pairs:
    """Return pairs (s, t), with t a geometric number of steps after s.

    Parameters
    ----------
    experience : Experience
        The transitions.
    gamma : float
        The number of steps is k with probability (1 - gamma) gamma^(k - 1), for k = 1, 2, ...
    most_rows : int
        The distribution is computed exactly for at most so many listed states.
    rng : numpy.random.Generator
        Draws a sample of pairs otherwise.
    """
    n = experience.n_rows
    if experience.listed and n <= most_rows:
        return Pairs(_joint(experience, gamma), None)
    draw = _walks if experience.listed else _along_trajectories
    rows = draw(experience, gamma, rng)
    both = np.concatenate([rows, rows[:, ::-1]]).T
    share = np.full(both.shape[1], 1.0 / both.shape[1])
    return Pairs(sparse.csr_array((share, tuple(both)), shape=(n, n)), rows)


def _walk_matrix(experience: Experience) -> sparse.csr_array:
    """Return the walk that takes all actions the log tries in a state with equal probability.

    A state that the log never leaves is left by no walk.
    """
    steps, probability = experience.distinct_steps()
    n_tried = experience.tried.sum(axis=1)
    stuck = np.flatnonzero(n_tried == 0)
    s, _, t = steps.T
    entries = np.concatenate([probability / n_tried[s], np.ones(stuck.size)])
    where = np.concatenate([s, stuck]), np.concatenate([t, stuck])
    return sparse.csr_array((entries, where), shape=(experience.n_rows, experience.n_rows))


def _joint(experience: Experience, gamma: float) -> FloatArray:
    """Return the probability of each pair, for walks that start uniformly in visited states."""
    P = _walk_matrix(experience).toarray()
    visited = experience.visited
    later = (1.0 - gamma) * np.linalg.solve(np.eye(len(P)) - gamma * P, P)
    joint = np.zeros_like(P)
    joint[visited] = later[visited] / visited.size
    return (joint + joint.T) / 2


def _walks(experience: Experience, gamma: float, rng: np.random.Generator) -> IntArray:
    """Return the first and last states of walks that are simulated from the log."""
    P = _walk_matrix(experience)
    # Row s of P fills the interval [s, s + 1): a number in it draws the next state.
    ends = np.cumsum(P.data)
    first = rng.choice(experience.visited, N_PAIRS)
    last, left = first.copy(), rng.geometric(1.0 - gamma, N_PAIRS)
    while (walking := np.flatnonzero(left > 0)).size:
        drawn = np.searchsorted(ends, last[walking] + rng.random(walking.size))
        drawn = np.clip(drawn, P.indptr[last[walking]], P.indptr[last[walking] + 1] - 1)
        last[walking] = P.indices[drawn]
        left[walking] -= 1
    return np.column_stack([first, last])


def _along_trajectories(experience: Experience, gamma: float, rng: np.random.Generator) -> IntArray:
    """Return rows of the log a number of steps apart that fits into the trajectory."""
    follows, n = experience.follows, len(experience.steps)
    if gamma > 0.0 and not follows.any():
        raise InputError(
            "no step of the log starts where the step before it ended; give the steps in the "
            "order of time, or discount=0, which compares the two ends of single steps"
        )
    ends = np.flatnonzero(np.append(~follows, True))
    first = rng.integers(n, size=N_PAIRS)
    room = ends[np.searchsorted(ends, first)] - first
    apart = np.zeros(N_PAIRS, dtype=np.int64)
    if gamma > 0.0:
        reached = 1.0 - rng.random(N_PAIRS) * (1.0 - gamma ** (room + 1.0))
        apart = np.minimum((np.log(reached) / np.log(gamma)).astype(np.int64), room)
    return np.column_stack([experience.steps[first, 0], experience.steps[first + apart, 2]])


class Rotation(NamedTuple):
    """The linear map from the outputs of a network to eigenvectors.

    Parameters
    ----------
    mean : array of shape (D,)
        Subtracted from the outputs first.
    matrix : array of shape (D, K)
        The centred outputs are multiplied by it.
    eigenvalues : array of shape (K,)
        Eigenvalues of the step between the two states of a pair.
    """

    mean: FloatArray
    matrix: FloatArray
    eigenvalues: FloatArray

    def apply(self, values: FloatArray) -> FloatArray:
        """Return the eigenvectors, (n, K), from outputs, (n, D)."""
        return (values - self.mean) @ self.matrix


def rotation_of(values: FloatArray, pairs: Pairs, n_vectors: int) -> Rotation | None:
    """Return the best eigenvectors in the span of functions (Rayleigh-Ritz).

    They are uncorrelated at single states and between the two states of a pair. Each has length 1
    and the sign that `hsr.mdp.leading_vectors` would choose. None if the functions are linearly
    dependent, so that there are fewer vectors.

    Parameters
    ----------
    values : array of shape (R, D)
        The functions at each row.
    pairs : Pairs
        The distribution of pairs.
    n_vectors : int
        The number K of vectors, at most D.
    """
    marginal = pairs.marginal
    mean = marginal @ values
    centred = values - mean
    at_one, at_two = centred.T @ (marginal[:, None] * centred), centred.T @ (pairs.joint @ centred)
    sizes, axes = np.linalg.eigh(at_one)
    kept = sizes > _RANK * max(sizes[-1], _RANK)
    if np.count_nonzero(kept) < n_vectors:
        return None
    whitened = axes[:, kept] / np.sqrt(sizes[kept])
    eigenvalues, turns = np.linalg.eigh(whitened.T @ at_two @ whitened)
    matrix = whitened @ turns[:, ::-1][:, :n_vectors]
    matrix = matrix / np.linalg.norm(centred @ matrix, axis=0)
    vectors = centred @ matrix
    signs = np.sign(np.sum(fix_signs(vectors) * vectors, axis=0))
    return Rotation(mean, matrix * signs, eigenvalues[::-1][:n_vectors])


class LearnedVectors:
    """Eigenvectors of a random walk learned by a network, as `learn_eigenvectors` returns them.

    Parameters
    ----------
    network : Layers
        Maps an observation to D functions.
    rotation : Rotation
        Maps these functions to the vectors.
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
        states are not listed, the rows are the observations of the log: those before all steps,
        followed by those after them.
    eigenvalues : array of shape (K,)
        Estimates of the eigenvalues of one step of the walk, in decreasing order. If states are not
        listed and trajectories are short compared with 1 / (1 - g), they are too large.
    curve : tuple of Report
        The learning curve: updates, loss, and 1 minus the mean cosine with the exact vectors.
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
        self.vectors = read_only(self._vectors_at(experience.read()))
        mu = rotation.eigenvalues
        self.eigenvalues = read_only(mu / (1.0 - discount + discount * mu))

    def at(self, observations: Any) -> FloatArray:
        """Return the vectors at other observations.

        Parameters
        ----------
        observations : array of shape (n, ...)
            Observations in the form of the log. State numbers if they are one-hot.

        Returns
        -------
        ndarray of shape (n, K)
        """
        return self._vectors_at(self._experience.prepare(observations))

    def __repr__(self) -> str:
        n, k = self.vectors.shape
        what = "states" if self._experience.listed else "observations"
        return f"LearnedVectors({k} vectors of {n} {what}, discount {self.discount:g})"

    def _vectors_at(self, inputs: Any) -> FloatArray:
        return self._rotation.apply(outputs_of(self.network, inputs, self._training))
