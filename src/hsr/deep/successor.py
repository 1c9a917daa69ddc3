"""Successor features of choices, learned from transitions of any behaviour."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.validation import check_array, check_discount, check_flag, check_seed, is_list
from hsr.deep.against_exact import relative_error
from hsr.deep.choices import Choices, options_at, read_choices
from hsr.deep.experience import Experience, read_experience
from hsr.deep.learned_map import LearnedMap
from hsr.deep.networks import Layers, Network
from hsr.deep.training import Learner, Report, Training, descend, numbers_of
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.task import GoalTask
from hsr.options.model import OptionModel, option_model
from hsr.options.option_set import OptionSet, no_options
from hsr.representation.hierarchical import hierarchical_sr


class Heads(NamedTuple):
    """What each output of a network predicts. Each entry is 0 or 1 per head.

    With phi the features, psi the prediction of the same head at the next state t, and M that of
    the policy over choices, a head learns from a step from s to t

        starts phi(s) + g ((1 - stop) psi(t) + stop (ends phi(t) + continues M(t))).
    """

    starts: FloatArray
    ends: FloatArray
    continues: FloatArray


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
    training: Training = Training(),
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
    discount : float in [0, 1), optional
        Discount per step. That of the world by default.
    world : FiniteMDP, optional
        The world, if it is known. The distance from the exact map is then recorded in the learning
        curve.
    task : GoalTask, optional
        The map then ends at its goal.
    network : Network
        Kind and size of the network.
    training : Training
        How it is trained.
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
    >>> mdp = hsr.grid_mdp("corridor", discount=0.8)
    >>> steps = hsr.deep.random_steps(mdp, 2000)
    >>> M = hsr.deep.learn_sr(steps, world=mdp, training=hsr.deep.Training(n_updates=1500))
    >>> M.curve[-1].error < 0.05
    True
    """
    how = _How(discount, world, task, network, training, seed, progress)
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
    training: Training = Training(),
    seed: int | Sequence[int] = 0,
    progress: bool = False,
) -> Any:
    """Return the hierarchical SR of a policy over choices, learned by a network.

    The network has one output per choice c, a primitive action or an option. After a step from s
    to t by an action that c could have taken, the output moves towards

        phi(s) + g ((1 - beta_c(t)) Psi_c(t) + beta_c(t) sum_d mu(d | t) Psi_d(t)).

    This is the rule of `hsr.learn_hsr_intra_option`, with the same fixed point: the closed form
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
    discount : float in [0, 1), optional
        Discount per step. That of the world by default.
    world : FiniteMDP, optional
        The world, if it is known. The distance from the exact map is then recorded in the learning
        curve.
    task : GoalTask, optional
        Options then also stop on entering its goal, and the map ends there.
    network : Network
        Kind and size of the network.
    training : Training
        How it is trained.
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
    >>> mdp = hsr.grid_mdp("corridor", discount=0.8)
    >>> options = hsr.point_options(mdp, targets=[0, 9])
    >>> steps = hsr.deep.random_steps(mdp, 2000)
    >>> training = hsr.deep.Training(n_updates=1500)
    >>> M = hsr.deep.learn_hsr(steps, options, world=mdp, training=training)
    >>> M.curve[-1].error < 0.05
    True
    """
    how = _How(discount, world, task, network, training, seed, progress)
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
    exact = None if features is not None else exact_map(experience, options, choices, how)
    n_choices = choices.mu.shape[1]
    heads = Heads(np.ones(n_choices), np.zeros(n_choices), np.ones(n_choices))
    made_for = None if how.world is None or features is not None else how.world.fingerprint

    def error_of(psi: FloatArray) -> float:
        if exact is None:
            return float("nan")
        return relative_error(np.einsum("rc,rcd->rd", choices.mu, psi), exact)

    trained = learn_heads(
        experience,
        choices,
        heads,
        phi,
        gamma,
        how.network,
        how.training,
        how.seed,
        how.progress,
        error_of,
    )
    maps = [
        LearnedMap(
            layers,
            experience,
            choices.mu,
            how.training,
            reports,
            made_for=made_for,
            discount=gamma,
            kind=kind,
            scope="" if how.task is None else f"goal {how.task.goal}",
        )
        for layers, reports in trained
    ]
    return maps if is_list(how.seed) else maps[0]


def learn_heads(
    experience: Experience,
    choices: Choices,
    heads: Heads,
    phi: FloatArray | None,
    gamma: float,
    network: Network,
    training: Training,
    seed: int | Sequence[int],
    progress: bool,
    error_of: Callable[[FloatArray], float],
) -> list[tuple[Layers, tuple[Report, ...]]]:
    """Return networks from observations to the predictions of heads, with their learning curves.

    Parameters
    ----------
    experience : Experience
        The transitions.
    choices : Choices
        What each head follows: the choices, repeated as often as there are heads for each.
    heads : Heads
        What each head predicts.
    phi : array of shape (R, D), or None
        The features that are added up. None for one-hot features.
    gamma : float
        The discount.
    network, training, seed, progress
        As in `learn_hsr`.
    error_of : callable
        Returns the error of all predictions, (R, H, D), or NaN if the exact ones are not known.
    """
    check_flag(progress, "progress")
    seeds = read_seeds(seed)
    n_heads, n_features = heads.starts.size, experience.n_rows if phi is None else phi.shape[1]
    with numbers_of(training):
        dtype = training.dtype
        data = {
            "inputs": experience.inputs(dtype),
            "steps": jnp.asarray(experience.steps, jnp.int32),
            "phi": None if phi is None else jnp.asarray(phi, dtype),
            "weight": jnp.asarray(choices.weight, dtype),
            "stop": jnp.asarray(choices.stop, dtype),
            "mu": jnp.asarray(choices.mu, dtype),
            "goal": jnp.asarray(choices.goal),
            "heads": Heads(*(jnp.asarray(flag, dtype) for flag in heads)),
        }
        whole = experience.n_rows <= 2 * training.batch_size

        def make(key: jax.Array) -> Layers:
            one_hot = experience.table is None
            return jax.tree.map(
                lambda array: array.astype(dtype),
                Layers(network, experience.shape, (n_heads, n_features), one_hot, key),
            )

        def error(layers: Layers) -> float:
            return error_of(np.asarray(layers(data["inputs"]), dtype=np.float64))

        learner = Learner(
            make,
            lambda *arguments: td_loss(gamma, n_features, whole, *arguments),
            data,
            len(experience.steps),
            error,
            at_once=network.kind != "cnn",
        )
        return descend(learner, training, seeds, print_report if progress else lambda report: None)


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
    """Return half the squared TD errors of all heads, added up, and averaged over a batch.

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
        What `learn_heads` puts there.
    """
    s, _, t = data["steps"][items].T
    if whole:
        now, later = network(data["inputs"])[s], slow(data["inputs"])[t]
    else:
        now, later = network(data["inputs"][s]), slow(data["inputs"][t])
    phi = data["phi"]
    at_s, at_t = (
        jax.nn.one_hot(rows, n_features, dtype=now.dtype) if phi is None else phi[rows]
        for rows in (s, t)
    )
    n_choices = data["mu"].shape[1]
    M = jnp.einsum("bc,bcd->bd", data["mu"][t], later[:, :n_choices])
    M = jnp.where(data["goal"][t][:, None], at_t, M)
    starts, ends, continues = (flag[None, :, None] for flag in data["heads"])
    stop = data["stop"][t][:, :, None]
    after = ends * at_t[:, None] + continues * M[:, None]
    target = starts * at_s[:, None] + gamma * ((1.0 - stop) * later + stop * after)
    errors = jnp.sum((now - jax.lax.stop_gradient(target)) ** 2, axis=2)
    return 0.5 * jnp.sum(data["weight"][items] * errors) / items.size


def read_discount(discount: float | None, world: FiniteMDP | None) -> float:
    """Return the discount that is given, or that of the world."""
    if discount is not None:
        return check_discount(discount)
    if world is None:
        raise InputError("discount is None; give a discount in [0, 1), or the world")
    return world.discount


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
    experience: Experience, options: OptionSet | None, choices: Choices, how: _How
) -> FloatArray | None:
    """Return the map that will be learned, if the world is known."""
    if how.world is None or not experience.listed:
        return None
    model: OptionModel = option_model(
        how.world,
        no_options(experience.n_rows) if options is None else options,
        primitives=choices.n_primitives > 0,
        task=how.task,
    )
    return hierarchical_sr(model, choices.mu).toarray()


def read_seeds(seed: Any) -> list[int]:
    """Return seeds, of which a single one may be given by itself."""
    seeds = [check_seed(one) for one in (seed if is_list(seed) else [seed])]
    if not seeds:
        raise InputError("seed is an empty list; give at least one")
    return seeds


def print_report(report: Report) -> None:
    """Print one line of a learning curve."""
    error = "" if np.isnan(report.error) else f"   distance from the exact map {report.error:.2e}"
    print(f"update {report.update:>7}   loss {report.loss:.3e}{error}", flush=True)  # noqa: T201
