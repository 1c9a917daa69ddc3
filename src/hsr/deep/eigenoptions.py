"""Eigenoptions from learned eigenvectors, with an estimated tolerance for stopping."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, read_only
from hsr._base.errors import InputError
from hsr._base.validation import check_count, check_seed, is_list
from hsr.deep.eigenvectors import learn_eigenvectors
from hsr.deep.experience import Experience, read_discount, read_experience
from hsr.deep.learned_map import outputs_of
from hsr.deep.learned_vectors import LearnedVectors
from hsr.deep.networks import Layers, Network
from hsr.deep.option_values import aligned, exact_values, tolerance_of, values_learner
from hsr.deep.parameters import shares_parameters
from hsr.deep.training import Report, Training, train
from hsr.mdp.finite import FiniteMDP
from hsr.options.eigen import vectors_needed
from hsr.options.option_set import OptionSet
from hsr.options.signs import SOLVERS, check_signs, drawn_signs, turned


class LearnedOptions:
    """Options learned by networks, as `learn_eigenoptions` returns them.

    Called with observations, it returns an `hsr.OptionSet` over these observations, so it can be
    passed to `hsr.deep.learn_hsr`.

    Parameters
    ----------
    networks : sequence of Layers
        Independently trained copies, which map an observation to values of shape (O, A).
    vectors : tuple of LearnedVectors
        The vectors that each copy climbs.
    experience : Experience
        The observations.
    training : Training
        How the networks were trained.
    reports : tuple of Report
        The learning curve of the first copy.
    names : sequence of O strings
        Names of the options.
    q : array of shape (R, O, A)
        The value of each action at each row. Minus infinity for actions that are never taken.
    tolerance : array of shape (O,)
        An option stops where no action value exceeds it.
    mdp_fingerprint : str, optional
        ``mdp.fingerprint`` of the MDP, if it is known.

    Attributes
    ----------
    options : OptionSet
        The options over the states. Actions that the log never tries in a state are not taken
        there, and options stop where it tries none. If states are not listed, the options are over
        the observations of the log: those before all steps, followed by those after them.
    curve : tuple of Report
        The learning curve: updates, loss and distance of the values from the exact ones.
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
        mdp_fingerprint: str | None = None,
    ) -> None:
        self.networks, self.vectors, self.curve = tuple(networks), vectors, reports
        self._experience, self._training, self._names = experience, training, tuple(names)
        self.tolerance = read_only(tolerance)
        self.options = self._options(q, mdp_fingerprint if experience.listed else None)

    def __call__(self, observations: Any) -> OptionSet:
        """Return the options over observations.

        Parameters
        ----------
        observations : array of shape (n, ...)
            Observations in the form of the log. State numbers if they are one-hot.
        """
        return self._options(self.values(observations), None)

    def values(self, observations: Any) -> FloatArray:
        """Return the value of each action for each option, the mean of the copies.

        Parameters
        ----------
        observations : array of shape (n, ...)
            Observations in the form of the log. State numbers if they are one-hot.

        Returns
        -------
        ndarray of shape (n, O, A)
        """
        inputs = self._experience.prepare(observations)
        copies = [outputs_of(network, inputs, self._training) for network in self.networks]
        q: FloatArray = np.mean(copies, axis=0)
        return q

    def __repr__(self) -> str:
        n = len(self._names)
        what = "states" if self._experience.listed else "observations"
        plural = "" if n == 1 else "s"
        return f"LearnedOptions({n} option{plural} of {self._experience.n_rows} {what})"

    def _options(self, q: FloatArray, mdp_fingerprint: str | None) -> OptionSet:
        stop = (q.max(axis=2) <= self.tolerance).T
        return OptionSet(
            q.argmax(axis=2).T, stop.astype(float), ~stop, self._names, mdp_fingerprint
        )


@shares_parameters
def learn_eigenoptions(
    steps: Any,
    n_options: int = 8,
    *,
    signs: str | Sequence[int] = "positive",
    vectors: Any = None,
    observe: Any = None,
    discount: float | None = None,
    mdp: FiniteMDP | None = None,
    network: Network = Network(),
    training: Training = Training(batch_size=512),
    seed: int = 0,
    progress: bool = False,
) -> LearnedOptions:
    r"""Return the options of learned eigenvectors, learned by a network.

    As in `hsr.eigenoptions`, the pseudo-reward of a step from s to t is v(t) - v(s), and an option
    may stop at any time. Its action values are learned off-policy by Q-learning,

        q(s, a) = E[v(t) - v(s) + g max(0, max_b q(t, b))].

    An option takes the best action, and stops on arrival where no action value exceeds its
    tolerance. Exact options have a tolerance of 1e-10. Learned values are never that exact, so the
    tolerance is estimated: everything is trained twice, with independent initial weights and
    batches. Values are the mean of the two copies. Their tolerance is the sum of two terms:

    - sqrt(2 log S) standard errors of the mean of max_a q, estimated from the difference of the
      copies. This is the expected size of the largest of S normal errors.
    - The root mean square change by one more step of value iteration, divided by 1 - g. This is
      the distance of the values from their limit if all changes have the same sign, as early in
      training. Both copies share this error.

    Sampling error of the log is not included.

    Parameters
    ----------
    n_options : int
        Number of options. With ``signs="both"`` they come from half as many vectors.
    signs : {"positive", "both", "random"}, or a pattern
        The sign of each vector, as in `hsr.eigenoptions`. The sign of "positive" depends on the
        entry of largest magnitude. If two entries of opposite sign are almost equally large, it is
        arbitrary.
    vectors : LearnedVectors, or a sequence of them, optional
        Eigenvectors of the same log, such as ``learn_eigenvectors(..., seed=[0, 1])`` returns. Each
        element of a sequence gives one copy of the options. If a single object is given, both
        copies climb it, and the tolerance does not include the error of the vectors. By default two
        are learned.
    discount : float in [0, 0.99999], optional
        Discount of the pseudo-reward, and of `learn_eigenvectors`. By default that of `mdp`.
    training : Training
        How the networks are trained. If there are at most two states per item of a batch, every
        update uses all steps instead of a sample.
    seed : int
        Seed of signs, initial weights and batches.

    Returns
    -------
    LearnedOptions
        Its ``options`` are an `hsr.OptionSet` over the listed states. Called with observations, it
        returns an `hsr.OptionSet` over them, so it can be passed to `learn_hsr`.

    Raises
    ------
    InputError
        As `learn_eigenvectors`, or if the vectors do not fit the log.

    Examples
    --------
    A room with a corridor to the right, whose end is the farthest state:

    >>> import hsr, hsr.deep
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....\n..##"), discount=0.8)
    >>> steps = hsr.deep.random_steps(mdp, 500)
    >>> how = {"network": hsr.deep.Network(width=32), "training": hsr.deep.Training(n_updates=1500)}
    >>> learned = hsr.deep.learn_eigenoptions(steps, 1, mdp=mdp, **how)
    >>> learned
    LearnedOptions(1 option of 6 states)
    >>> learned.options.termination.nonzero()[1], learned([0, 3]).termination
    (array([3]), array([[0., 1.]]))
    >>> hsr.deep.against_exact.option_ends(learned.options, hsr.eigenoptions(mdp, 1)).same
    array([ True])
    """
    n_options, seed = check_count(n_options, "n_options"), check_seed(seed)
    rule = check_signs(signs)
    if rule in SOLVERS:
        raise InputError(
            f"signs is {rule!r}, which is for exact eigenvectors; it must be 'positive', 'both', "
            "'random' or a pattern such as '+-+-'"
        )
    n_vectors = vectors_needed(n_options, rule)
    check_signs(rule, n_vectors)
    experience = read_experience(steps, observe, mdp)
    gamma = read_discount(discount, mdp)
    if vectors is None:
        vectors = learn_eigenvectors(
            steps,
            n_vectors,
            observe=observe,
            discount=gamma,
            mdp=mdp,
            network=network,
            training=training,
            seed=[seed, seed + 1],
            progress=progress,
        )
    copies = read_vectors(vectors, n_vectors, experience)
    # Signs are aligned with the first copy, because each network finds its own.
    first = copies[0].vectors[:, :n_vectors]
    signed = [
        _signed(aligned(copy.vectors[:, :n_vectors], first), n_options, rule, seed)
        for copy in copies
    ]
    heights, names = np.stack([height for height, _ in signed]), signed[0][1]
    exact = exact_values(experience, heights[0], rule, gamma, mdp, seed)
    trained = [
        train(
            partial(values_learner, experience, height, gamma, network, training, exact),
            training,
            seed + k,
            progress and k == 0,
            lambda layers, reports: (layers, reports),
        )
        for k, height in enumerate(heights)
    ]
    networks = [layers for layers, _ in trained]
    q = np.stack([outputs_of(layers, experience.read(), training) for layers in networks])
    # Values of actions that the log never tries are unknown, so no option may take them.
    q = np.where(experience.tried[:, None, :], q, -np.inf)
    return LearnedOptions(
        networks,
        tuple(copies),
        experience,
        training,
        trained[0][1],
        names=names,
        q=q.mean(axis=0),
        tolerance=tolerance_of(q, heights, experience, gamma),
        mdp_fingerprint=None if mdp is None else mdp.fingerprint,
    )


def read_vectors(vectors: Any, n_vectors: int, experience: Experience) -> list[LearnedVectors]:
    """Return at least two copies of vectors, or raise `InputError`."""
    copies = list(vectors) if is_list(vectors) else [vectors, vectors]
    copies = copies * 2 if len(copies) == 1 else copies
    for copy in copies:
        n_rows, n_given = copy.vectors.shape
        if n_given < n_vectors or n_rows != experience.n_rows:
            raise InputError(
                f"vectors has {n_given} vectors of {n_rows} observations; {n_vectors} vectors of "
                f"{experience.n_rows} are needed"
            )
    return copies


def _signed(
    vectors: FloatArray, n_options: int, rule: str, seed: int
) -> tuple[FloatArray, list[str]]:
    """Return the vectors that options climb, (R, O), and the names of the options."""
    scaled = vectors / np.abs(vectors).max(axis=0)
    names = [f"v{k + 1}" for k in range(scaled.shape[1])]
    if rule == "both":
        heights = np.stack([scaled, -scaled], axis=2).reshape(len(scaled), -1)
        names = [f"{sign}{name}" for name in names for sign in "+-"]
        return heights[:, :n_options], names[:n_options]
    pattern = drawn_signs(n_options, rule, seed)
    if rule != "positive":
        names = [f"{sign}{name}" for sign, name in zip(pattern, names, strict=True)]
    return turned(scaled, pattern), names
