"""Eigenoptions from learned eigenvectors, which stop where their estimated error says so."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, IntArray, read_only
from hsr._base.errors import InputError
from hsr._base.validation import check_count, check_seed, is_list
from hsr.deep import against_exact
from hsr.deep.eigenvectors import LearnedVectors, learn_eigenvectors
from hsr.deep.experience import Experience, read_discount, read_experience
from hsr.deep.learned_map import outputs_of
from hsr.deep.networks import Layers, Network, layers_of, outputs
from hsr.deep.training import Learner, Report, Training, descend, numbers_of, trained_for
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.solvers import best_action_values
from hsr.options.eigen import eigenoptions, vectors_needed
from hsr.options.option_set import OptionSet
from hsr.options.signs import SOLVERS, check_signs, drawn_signs, turned


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
    mdp_fingerprint : str, optional
        ``mdp.fingerprint`` of the world, if it is known.

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

    def _options(self, q: FloatArray, mdp_fingerprint: str | None) -> OptionSet:
        stop = (q.max(axis=2) <= self.tolerance).T
        return OptionSet(
            q.argmax(axis=2).T, stop.astype(float), ~stop, self._names, mdp_fingerprint
        )


_UNTRIED = -1e9  # the value of an action that the log never tries in a state


def learn_eigenoptions(
    steps: Any,
    n_options: int = 8,
    *,
    signs: str | Sequence[int] = "positive",
    vectors: Any = None,
    observe: Any = None,
    discount: float | None = None,
    world: FiniteMDP | None = None,
    network: Network = Network(),
    updates: int | None = None,
    training: Training = Training(batch_size=512),
    seed: int = 0,
    progress: bool = False,
) -> LearnedOptions:
    r"""Return the options of learned eigenvectors, learned by a network.

    As in `hsr.eigenoptions`, the pseudo-reward of a step from s to t is v(t) - v(s), and an option
    may stop at any time. Its action values are learned by Q-learning from the steps of any
    behaviour,

        q(s, a) = E[v(t) - v(s) + g max(0, max_b q(t, b))].

    An option takes the best action, and stops on arrival where no action is worth more than its
    tolerance. Exact options have a tolerance of 1e-10. Learned values are never that exact, so the
    tolerance is estimated: everything is trained twice, from independent first weights and batches.
    Values are the mean of the two copies. Their tolerance has two parts:

    - sqrt(2 log S) standard errors of the mean of max_a q, which follow from the difference of the
      copies. The largest of S normal errors is expected to be as large.
    - The root mean square of what one step of value iteration would still change, divided by 1 - g.
      So far are values from their limit if all changes point the same way, as at the start of the
      training. Both copies have this error in common.

    Chance in the log is not part of it.

    Parameters
    ----------
    steps : array of shape (n, 3), or Observed
        Steps (state, action, next state), as numbers or as labels of the world. Or transitions
        between observations, if states cannot be listed, in the order of time.
    n_options : int
        Number of options. With ``signs="both"`` they come from half as many vectors.
    signs : {"positive", "both", "random"}, or a pattern
        The sign of each vector, as in `hsr.eigenoptions`. The sign of "positive" follows from the
        entry of largest magnitude. Where two entries of opposite sign are almost the largest, it is
        as good as random.
    vectors : LearnedVectors, or a sequence of them, optional
        Eigenvectors of the same log, such as ``learn_eigenvectors(..., seed=[0, 1])`` returns. Each
        of a sequence makes one copy of the options. A single one is climbed by both copies, and the
        tolerance then leaves out the error of the vectors. By default two are learned.
    observe : array of shape (S, ...), or callable, optional
        What is observed in each state. A callable takes the numbers of the states, or the
        observations of the log. By default states are one-hot.
    discount : float in [0, 0.99999], optional
        Discount of the pseudo-reward, and of `learn_eigenvectors`. That of the world by default.
    world : FiniteMDP, optional
        The world, if it is known. The distance of the values max(0, max_a q) from the exact ones is
        then recorded in the learning curve.
    network : Network
        Kind and size of the networks.
    updates : int, optional
        Number of gradient steps, instead of those of `training`.
    training : Training
        How they are trained. If there are at most two states per item of a batch, every update
        takes all steps instead of a sample.
    seed : int
        Draws everything.
    progress : bool
        Print the learning curves during training.

    Returns
    -------
    LearnedOptions
        Its ``options`` are an `hsr.OptionSet` over the listed states. It is itself a function from
        observations to an `hsr.OptionSet`, as `learn_hsr` takes it.

    Raises
    ------
    InputError
        As `learn_eigenvectors`, or if the vectors do not fit the log.

    Examples
    --------
    A room with a corridor to the right, whose end is farthest from everything:

    >>> import hsr, hsr.deep
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("....\n..##"), discount=0.8)
    >>> steps = hsr.deep.random_steps(mdp, 500)
    >>> how = {"network": hsr.deep.Network(width=32), "training": hsr.deep.Training(n_updates=1500)}
    >>> learned = hsr.deep.learn_eigenoptions(steps, 1, world=mdp, **how)
    >>> learned
    LearnedOptions(1 option of 6 states)
    >>> learned.options.termination.nonzero()[1], learned([0, 3]).termination
    (array([3]), array([[0., 1.]]))
    >>> hsr.deep.against_exact.option_ends(learned.options, hsr.eigenoptions(mdp, 1)).same
    array([ True])
    """
    n_options = check_count(n_options, "n_options")
    training, seed = trained_for(training, updates), check_seed(seed)
    rule = check_signs(signs)
    if rule in SOLVERS:
        raise InputError(
            f"signs is {rule!r}, which is for exact eigenvectors; it must be 'positive', 'both', "
            "'random' or a pattern such as '+-+-'"
        )
    n_vectors = vectors_needed(n_options, rule)
    check_signs(rule, n_vectors)
    experience = read_experience(steps, observe, world)
    gamma = read_discount(discount, world)
    if vectors is None:
        vectors = learn_eigenvectors(
            steps,
            n_vectors,
            observe=observe,
            discount=gamma,
            world=world,
            network=network,
            training=training,
            seed=[seed, seed + 1],
            progress=progress,
        )
    copies = read_vectors(vectors, n_vectors, experience)
    heights = [_heights(copy, copies[0], n_options, rule, seed) for copy in copies]
    exact = _exact_values(experience, heights[0], rule, gamma, world, seed)
    with numbers_of(training):
        trained = [
            _climb(
                experience,
                height,
                gamma,
                network,
                training,
                seed + k,
                exact,
                progress and k == 0,
            )
            for k, height in enumerate(heights)
        ]
    networks = [layers for layers, _ in trained]
    tried = tried_actions(experience)
    q = np.stack([outputs_of(layers, experience.read(), training) for layers in networks])
    # Nothing is known of actions that the log never tries, so that no option may rely on them.
    q = np.where(tried[:, None, :], q, -np.inf)
    return LearnedOptions(
        networks,
        tuple(copies),
        experience,
        training,
        tuple(report for report in trained[0][1]),
        names=_names(n_options, rule, seed),
        q=q.mean(axis=0),
        tolerance=tolerance_of(q, np.stack(heights), experience, gamma),
        mdp_fingerprint=None if world is None else world.fingerprint,
    )


def q_loss(
    gamma: float,
    whole: bool,
    network: Layers,
    slow: Layers,
    items: jax.Array,
    key: jax.Array,
    data: dict[str, Any],
) -> jax.Array:
    """Return half the squared TD errors of the values of actions, averaged over steps.

    Parameters
    ----------
    gamma : float
        The discount.
    whole : bool
        Whether all steps are taken instead of a batch.
    network, slow : Layers
        The network that learns, and the copy that makes the targets. Outputs have shape (O, A).
    items : int array of shape (b,)
        The steps of the batch.
    key : jax.Array
        Not used.
    data : dict of arrays
        ``steps`` and the ``weight`` of each, the ``heights`` to climb (R, O) and the ``tried``
        actions (R, A).
    """
    if whole:
        (s, a, t), weight = data["steps"].T, data["weight"]
        now, later = network(data["inputs"])[s], slow(data["inputs"])[t]
    else:
        (s, a, t), weight = data["steps"][items].T, data["weight"][items]
        now, later = network(data["inputs"][s]), slow(data["inputs"][t])
    best = jnp.max(jnp.where(data["tried"][t][:, None, :], later, _UNTRIED), axis=2)
    reward = data["heights"][t] - data["heights"][s]
    target = jax.lax.stop_gradient(reward + gamma * jnp.maximum(best, 0.0))
    own = jnp.take_along_axis(now, a[:, None, None], axis=2)[:, :, 0]
    errors = jnp.sum((own - target) ** 2, axis=1)
    return 0.5 * jnp.sum(weight * errors) / jnp.sum(weight)


def tolerance_of(
    q: FloatArray, heights: FloatArray, experience: Experience, gamma: float
) -> FloatArray:
    """Return below which value an action of an option may be worth nothing, (O,).

    Parameters
    ----------
    q : array of shape (copies, R, O, A)
        The values of actions in independently trained copies, minus infinity where an action was
        not tried.
    heights : array of shape (copies, R, O)
        What the options of each copy climb.
    experience : Experience
        The transitions.
    gamma : float
        The discount.
    """
    best = q.max(axis=3)
    spread = best[:, np.isfinite(best[0]).all(axis=1)]
    standard_error = np.sqrt(spread.var(axis=0, ddof=1).mean(axis=0) / len(q))
    # The largest of n normal errors is about so many standard deviations.
    largest = np.sqrt(2.0 * np.log(max(2, spread.shape[1])))
    log = _weighted_steps(experience)
    s, a, t = log.steps.T
    after = heights[:, t] - heights[:, s] + gamma * np.maximum(best, 0.0)[:, t]
    change = np.mean(after - q[:, s, :, a].swapaxes(0, 1), axis=0)
    # The mean change of each action in each state, over what may follow it.
    pair = np.unique(s * experience.n_actions + a, return_inverse=True)[1]
    means = np.zeros((pair.max() + 1, change.shape[1]))
    np.add.at(means, pair, log.weight[:, None] * change)
    return largest * standard_error + np.sqrt(np.mean(means**2, axis=0)) / (1.0 - gamma)


def tried_actions(experience: Experience) -> BoolArray:
    """Return which actions the log tries in each row, (R, A). All if states are not listed."""
    shape = experience.n_rows, experience.n_actions
    if not experience.listed:
        return np.ones(shape, dtype=bool)
    tried = np.zeros(shape, dtype=bool)
    tried[experience.steps[:, 0], experience.steps[:, 1]] = True
    return tried


def _climb(
    experience: Experience,
    heights: FloatArray,
    gamma: float,
    network: Network,
    training: Training,
    seed: int,
    exact: FloatArray | None,
    progress: bool,
) -> tuple[Layers, tuple[Report, ...]]:
    """Return a network from observations to the values of actions, with its learning curve."""
    whole = experience.listed and experience.n_rows <= 2 * training.batch_size
    log, dtype = _weighted_steps(experience), training.dtype
    tried = tried_actions(experience)
    data = {
        "inputs": experience.inputs(dtype),
        "steps": jnp.asarray(log.steps, jnp.int32),
        "weight": jnp.asarray(log.weight, dtype),
        "heights": jnp.asarray(heights, dtype),
        "tried": jnp.asarray(tried),
    }
    out = heights.shape[1], experience.n_actions

    def error_of(layers: Layers) -> float:
        q = np.where(tried[:, None, :], outputs(layers, data["inputs"]), _UNTRIED)
        return against_exact.predictive_map(np.maximum(q.max(axis=2), 0.0), exact)

    learner = Learner(
        lambda key: layers_of(network, experience, out, dtype, key),
        lambda *arguments: q_loss(gamma, whole, *arguments),
        data,
        len(log.steps),
        None if exact is None else error_of,
    )
    return descend(learner, training, [seed], progress)[0]


class _Weighted(NamedTuple):
    """Steps, and how much each counts."""

    steps: IntArray
    weight: FloatArray


def _weighted_steps(experience: Experience) -> _Weighted:
    """Return each different step once, with its share of the steps by the same action.

    All actions in all states then count the same. Where states are not listed, all steps do.
    """
    if not experience.listed:
        return _Weighted(experience.steps, np.ones(len(experience.steps)))
    steps, count = np.unique(experience.steps, axis=0, return_counts=True)
    pair = steps[:, 0] * experience.n_actions + steps[:, 1]
    return _Weighted(steps, count / np.bincount(pair, weights=count)[pair])


def read_vectors(vectors: Any, n_vectors: int, experience: Experience) -> list[LearnedVectors]:
    """Return two copies of vectors or more."""
    copies = list(vectors) if is_list(vectors) else [vectors, vectors]
    copies = copies * 2 if len(copies) == 1 else copies
    for copy in copies:
        n_rows, n_found = copy.vectors.shape
        if n_found < n_vectors or n_rows != experience.n_rows:
            raise InputError(
                f"vectors has {n_found} vectors of {n_rows} observations; {n_vectors} vectors of "
                f"{experience.n_rows} are needed"
            )
    return copies


def _heights(
    copy: LearnedVectors, leading: LearnedVectors, n_options: int, rule: str, seed: int
) -> FloatArray:
    """Return what options climb, (R, O): vectors turned as those of the leading copy."""
    n_vectors = vectors_needed(n_options, rule)
    ours, first = copy.vectors[:, :n_vectors], leading.vectors[:, :n_vectors]
    scaled = ours * np.where(np.sum(ours * first, axis=0) < 0.0, -1.0, 1.0)
    scaled = scaled / np.abs(scaled).max(axis=0)
    if rule == "both":
        return np.stack([scaled, -scaled], axis=2).reshape(len(scaled), -1)[:, :n_options]
    return turned(scaled, drawn_signs(n_vectors, rule, seed))


def _names(n_options: int, rule: str, seed: int) -> list[str]:
    if rule == "positive":
        return [f"v{k + 1}" for k in range(n_options)]
    if rule == "both":
        return [f"{'+-'[k % 2]}v{k // 2 + 1}" for k in range(n_options)]
    return [f"{sign}v{k + 1}" for k, sign in enumerate(drawn_signs(n_options, rule, seed))]


def _exact_values(
    experience: Experience,
    heights: FloatArray,
    rule: str,
    gamma: float,
    world: FiniteMDP | None,
    seed: int,
) -> FloatArray | None:
    """Return max(0, max_a q) of the exact eigenvectors, turned as the learned ones, (S, O)."""
    if world is None or not experience.listed:
        return None
    _, exact = eigenoptions(
        world, heights.shape[1], signs=rule, seed=seed, discount=gamma, return_vectors=True
    )
    exact = exact * np.where(np.sum(exact * heights, axis=0) < 0.0, -1.0, 1.0)
    matrices = [world.transition_of(action) for action in range(world.n_actions)]
    best = [
        best_action_values(
            matrices, np.stack([P @ v - v for P in matrices], axis=1), gamma, may_stop=True
        ).max(axis=1)
        for v in exact.T
    ]
    return np.maximum(np.stack(best, axis=1), 0.0)
