"""Successor features of choices, learned from transitions of any behaviour."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.validation import check_array, check_choice, is_list
from hsr.deep import against_exact
from hsr.deep.choices import Choices, data_of, options_at, read_choices
from hsr.deep.experience import Experience, read_discount, read_experience
from hsr.deep.learned_map import LearnedMap, ended, visits_from
from hsr.deep.networks import Layers, Network, layers_of, outputs
from hsr.deep.training import Learner, Training, descend, numbers_of, read_seeds, trained_for
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.task import GoalTask
from hsr.options.model import OptionModel, option_model
from hsr.options.option_set import OptionSet, no_options
from hsr.representation.hierarchical import hierarchical_sr

SMALLEST = 1e-35  # fewer visits count as these, so that logarithms are finite in single precision


SCALES = {
    "linear": "the network predicts visits",
    "log": "the network predicts logarithms of visits",
}


def learn_sr(
    steps: Any,
    policy: Any = None,
    *,
    observe: Any = None,
    features: Any = None,
    discount: float | None = None,
    world: FiniteMDP | None = None,
    task: GoalTask | None = None,
    network: Network = Network(),
    updates: int | None = None,
    training: Training = Training(),
    scale: str = "linear",
    seed: int | Sequence[int] = 0,
    progress: bool = False,
) -> Any:
    """Return the successor representation of a policy, learned by a network.

    The network has one output per action, Psi(s, a) = phi(s) + g E[sum_b pi(b | t) Psi(t, b)],
    with t the next state. It learns from the transitions of any behaviour. The map is the mean of
    these outputs under the policy. One output per state instead would carry the noise of drawing
    actions.

    Parameters
    ----------
    steps : array of shape (n, 3), or Observed
        Steps (state, action, next state), as numbers or as labels of the world, such as
        `random_steps` returns and `hsr.from_transitions` takes. Or transitions between
        observations, if states cannot be listed.
    policy : array of shape (S, A), or callable, optional
        The policy whose map is learned, or what makes it of observations. Uniform by default.
    observe : array of shape (S, ...), or callable, optional
        What is observed in each state. A callable takes the numbers of the states, or the
        observations of the log. By default states are one-hot.
    features : array of shape (S, D), or callable, optional
        What is predicted: features of each state, or what makes them of observations. By default
        visits to each state, which needs states that are listed.
    discount : float in [0, 0.99999], optional
        Discount per step. That of the world by default.
    world : FiniteMDP, optional
        The world, if it is known. The distance from the exact map is then recorded in the learning
        curve.
    task : GoalTask, optional
        The map then ends at its goal.
    network : Network
        Kind and size of the network.
    updates : int, optional
        Number of gradient steps, instead of those of `training`.
    training : Training
        How it is trained.
    scale : {"linear", "log"}
        Whether the outputs of the network are visits or their logarithms. Squared errors of
        logarithms are relative: they also resolve states that are rarely visited. Features must
        not be negative. If steps are random, such a map is too small, because the mean of a
        logarithm lies below the logarithm of the mean.
    seed : int or sequence of int
        Draws the first weights and the batches.
    progress : bool
        Print the learning curve during training.

    Returns
    -------
    LearnedMap
        A list of them if `seed` is a sequence. Several seeds are trained in one computation.

    Raises
    ------
    InputError
        If transitions, observations and policy do not fit each other, or training diverges.

    Warns
    -----
    HSRWarning
        If more than half of the units of a layer are dead, or all rows of the map are the same.

    Notes
    -----
    The same seed gives the same bytes on the same machine with the same versions of JAX. Other
    versions and devices add in another order.

    Examples
    --------
    >>> import hsr, hsr.deep
    >>> from hsr.deep import Network, Training
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("......"), discount=0.8)
    >>> steps = hsr.deep.random_steps(mdp, 2000)
    >>> small = dict(network=Network(width=64), training=Training(n_updates=600))
    >>> M = hsr.deep.learn_sr(steps, world=mdp, **small)
    >>> M.curve[-1].error < 0.05
    True
    """
    how = _How(
        discount, world, task, network, trained_for(training, updates), scale, seed, progress
    )
    experience = read_experience(steps, observe, world)
    return _learn(experience, None, policy, features, how, "learned SR")


def learn_hsr(
    steps: Any,
    options: Any,
    mu: Any = None,
    *,
    observe: Any = None,
    features: Any = None,
    discount: float | None = None,
    world: FiniteMDP | None = None,
    task: GoalTask | None = None,
    network: Network = Network(),
    updates: int | None = None,
    training: Training = Training(),
    scale: str = "linear",
    seed: int | Sequence[int] = 0,
    progress: bool = False,
) -> Any:
    """Return the hierarchical SR of a policy over choices, learned by a network.

    The network has one output per choice c, a primitive action or an option. After a step from s
    to t by an action that c could have taken, the output moves towards

        phi(s) + g ((1 - beta_c(t)) Psi_c(t) + beta_c(t) sum_d mu(d | t) Psi_d(t)).

    This is the rule of `learn_hsr_intra_option`, with the same fixed point: the closed form
    `hsr.hierarchical_sr` for every mu. Steps of any behaviour serve all choices at once.

    Parameters
    ----------
    steps : array of shape (n, 3), or Observed
        Steps (state, action, next state), as numbers or as labels of the world, such as
        `random_steps` returns and `hsr.from_transitions` takes. Or transitions between
        observations, if states cannot be listed.
    options : OptionSet, or callable
        The options, or what makes them of an array of observations.
    mu : array of shape (S, C), or callable, optional
        The policy over choices, or what makes it of observations: primitive actions first, then
        options, or options alone. By default all available choices are equally probable.
    observe : array of shape (S, ...), or callable, optional
        What is observed in each state. A callable takes the numbers of the states, or the
        observations of the log. By default states are one-hot.
    features : array of shape (S, D), or callable, optional
        What is predicted: features of each state, or what makes them of observations. By default
        visits to each state, which needs states that are listed.
    discount : float in [0, 0.99999], optional
        Discount per step. That of the world by default.
    world : FiniteMDP, optional
        The world, if it is known. The distance from the exact map is then recorded in the learning
        curve.
    task : GoalTask, optional
        Options then also stop on entering its goal, and the map ends there.
    network : Network
        Kind and size of the network.
    updates : int, optional
        Number of gradient steps, instead of those of `training`.
    training : Training
        How it is trained.
    scale : {"linear", "log"}
        Whether the outputs of the network are visits or their logarithms. Squared errors of
        logarithms are relative: they also resolve states that are rarely visited. Features must
        not be negative. If steps are random, such a map is too small, because the mean of a
        logarithm lies below the logarithm of the mean.
    seed : int or sequence of int
        Draws the first weights and the batches.
    progress : bool
        Print the learning curve during training.

    Returns
    -------
    LearnedMap
        A list of them if `seed` is a sequence. Several seeds are trained in one computation.

    Raises
    ------
    InputError
        If transitions, observations, options and mu do not fit each other, or training diverges.

    Warns
    -----
    HSRWarning
        If more than half of the units of a layer are dead, or all rows of the map are the same, or
        the log never tries what an option does.

    Notes
    -----
    The same seed gives the same bytes on the same machine with the same versions of JAX. Other
    versions and devices add in another order.

    Examples
    --------
    >>> import hsr, hsr.deep
    >>> from hsr.deep import Network, Training
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("......"), discount=0.8)
    >>> options = hsr.point_options(mdp, targets=[0, 5])
    >>> steps = hsr.deep.random_steps(mdp, 2000)
    >>> small = dict(network=Network(width=64), training=Training(n_updates=600))
    >>> M = hsr.deep.learn_hsr(steps, options, world=mdp, **small)
    >>> M.curve[-1].error < 0.05
    True
    """
    how = _How(
        discount, world, task, network, trained_for(training, updates), scale, seed, progress
    )
    experience = read_experience(steps, observe, world)
    choices = options_at(experience, options, world)
    return _learn(experience, choices, mu, features, how, "learned HSR")


class _How(NamedTuple):
    """The settings that both learners share."""

    discount: float | None
    world: FiniteMDP | None
    task: GoalTask | None
    network: Network
    training: Training
    scale: str
    seed: int | Sequence[int]
    progress: bool


def _learn(
    experience: Experience,
    options: OptionSet | None,
    mu: Any,
    features: Any,
    how: _How,
    kind: str,
) -> Any:
    if callable(mu):
        mu = mu(experience.observed)
    choices = read_choices(experience, options, mu, how.world, how.task)
    gamma = read_discount(how.discount, how.world)
    phi = read_features(features, experience)
    exact = None
    if features is None:
        exact = exact_map(experience, options, choices, how.world, how.task)
    log_scale = _log_scale(how.scale, phi, experience.n_rows, gamma)
    mdp_fingerprint = None if how.world is None or features is not None else how.world.fingerprint
    at_goal = None
    if choices.goal.any():
        reached = np.eye(experience.n_rows) if phi is None else phi
        at_goal = np.where(choices.goal[:, None], reached, np.nan)

    def error(layers: Layers) -> float:
        found = outputs(layers, learner.data["inputs"])
        psi = visits_from(np.asarray(found, dtype=np.float64), log_scale)
        psi = psi if at_goal is None else ended(psi, at_goal)
        return against_exact.predictive_map(np.einsum("rc,rcd->rd", choices.mu, psi), exact)

    training = how.training
    with numbers_of(training):
        learner = _learner(experience, choices, phi, log_scale, gamma, how.network, training)
        learner = learner._replace(error_of=None if exact is None else error)
        trained = descend(learner, training, read_seeds(how.seed), how.progress)
    maps = [
        LearnedMap(
            layers,
            experience,
            choices.mu,
            training,
            reports,
            mdp_fingerprint=mdp_fingerprint,
            discount=gamma,
            kind=kind,
            scope="" if how.task is None else f"goal {how.task.goal}",
            of_states=features is None,
            at_goal=at_goal,
            log_scale=log_scale,
        )
        for layers, reports in trained
    ]
    return maps if is_list(how.seed) else maps[0]


def _learner(
    experience: Experience,
    choices: Choices,
    phi: FloatArray | None,
    log_scale: FloatArray | None,
    gamma: float,
    network: Network,
    training: Training,
) -> Learner:
    """Return what is trained: a network from observations to features of each choice, (C, D)."""
    dtype = training.dtype
    shape = choices.mu.shape[1], experience.n_rows if phi is None else phi.shape[1]
    data = {
        **data_of(experience, choices, dtype),
        "phi": None if phi is None else jnp.asarray(phi, dtype),
        "log_scale": None if log_scale is None else jnp.asarray(log_scale, dtype),
    }
    whole = experience.n_rows <= 2 * training.batch_size
    return Learner(
        lambda key: layers_of(network, experience, shape, dtype, key),
        lambda *arguments: td_loss(gamma, shape[1], whole, *arguments),
        data,
        len(experience.steps),
        at_once=network.kind != "cnn",
    )


def _log_scale(scale: str, phi: FloatArray | None, n_rows: int, gamma: float) -> FloatArray | None:
    """Return what is added to outputs that are logarithms, None if they are not.

    The map begins as that of an agent that visits all rows equally often.
    """
    if check_choice(scale, SCALES, "scale") == "linear":
        return None
    if phi is None:
        return np.full(n_rows, -np.log((1.0 - gamma) * n_rows))
    if phi.min() < 0.0:
        raise InputError(f"a feature is {phi.min():.6g}; with scale='log' none may be negative")
    return np.log(np.maximum(phi.mean(axis=0), SMALLEST) / (1.0 - gamma))


def read_features(features: Any, experience: Experience) -> FloatArray | None:
    """Return the features of each row, or None for one-hot features of listed states."""
    if callable(features):
        features = features(experience.observed)
    if features is None:
        if experience.listed:
            return None
        raise InputError(
            "the states are not listed, so that visits to them cannot be counted; "
            "give features, or use hsr.deep.learn_measure"
        )
    return check_array(features, (experience.n_rows, None), "features")


def exact_map(
    experience: Experience,
    options: OptionSet | None,
    choices: Choices,
    world: FiniteMDP | None,
    task: GoalTask | None,
) -> FloatArray | None:
    """Return the map that will be learned, if the world is known."""
    if world is None or not experience.listed:
        return None
    model: OptionModel = option_model(
        world,
        no_options(experience.n_rows) if options is None else options,
        primitives=choices.n_primitives > 0,
        task=task,
    )
    return hierarchical_sr(model, choices.mu).toarray()


def td_loss(
    gamma: float,
    n_features: int,
    whole: bool,
    network: Layers,
    slow: Layers,
    items: jax.Array,
    key: jax.Array,
    data: dict[str, Any],
) -> jax.Array:
    """Return half the squared TD errors of all choices, added up, and averaged over a batch.

    After a step from s to t, the prediction psi of a choice moves towards

        phi(s) + g ((1 - stop) psi(t) + stop M(t)),

    with M the prediction of the policy over choices.

    If outputs are logarithms, so are the errors: the logarithm of the target is subtracted from
    that of the prediction. Its mean is the logarithm of the mean only if steps have no randomness.

    Parameters
    ----------
    gamma : float
        The discount.
    n_features : int
        The number D of features.
    whole : bool
        Whether the table is so small that the network is evaluated at all of its rows once.
    network, slow : Layers
        The network that learns, and the copy that makes the targets.
    items : int array of shape (b,)
        The steps of the batch.
    key : jax.Array
        Not used.
    data : dict of arrays
        What `_learner` puts there.
    """
    s, _, t = data["steps"][items].T
    if whole:
        now, later = network(data["inputs"])[s], slow(data["inputs"])[t]
    else:
        now, later = network(data["inputs"][s]), slow(data["inputs"][t])
    phi, log_scale = data["phi"], data.get("log_scale")
    if log_scale is not None:
        # No sum of features can be larger. Without the bound, one bad output explodes.
        most = (1.0 if phi is None else phi.max()) / (1.0 - gamma)
        later = jnp.minimum(jnp.exp(later + log_scale), most)
    at_s, at_t = (
        jax.nn.one_hot(rows, n_features, dtype=now.dtype) if phi is None else phi[rows]
        for rows in (s, t)
    )
    M = jnp.einsum("bc,bcd->bd", data["mu"][t], later)
    M = jnp.where(data["goal"][t][:, None], at_t, M)
    stop = data["stop"][t][:, :, None]
    target = at_s[:, None] + gamma * ((1.0 - stop) * later + stop * M[:, None])
    if log_scale is not None:
        target = jnp.log(jnp.maximum(target, SMALLEST)) - log_scale
    errors = jnp.sum((now - jax.lax.stop_gradient(target)) ** 2, axis=2)
    return 0.5 * jnp.sum(data["weight"][items] * errors) / items.size
