"""Successor representations learned by networks from off-policy transitions."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.validation import check_array, check_choice
from hsr.deep import against_exact
from hsr.deep.choices import Problem, read_problem
from hsr.deep.experience import Experience
from hsr.deep.learned_map import LearnedMap, ended, visits_from
from hsr.deep.networks import Layers, Network, layers_of, outputs, outputs_at
from hsr.deep.parameters import shares_parameters
from hsr.deep.training import Learner, Training, train
from hsr.mdp.finite import FiniteMDP
from hsr.mdp.task import Task

SMALLEST = 1e-35  # fewer visits are rounded up to this, so that logarithms stay finite


@shares_parameters
def learn_sr(
    steps: Any,
    policy: Any = None,
    *,
    observe: Any = None,
    features: Any = None,
    discount: float | None = None,
    mdp: FiniteMDP | None = None,
    task: Task | None = None,
    network: Network = Network(),
    training: Training = Training(),
    scale: str = "linear",
    seed: int | Sequence[int] = 0,
    progress: bool = False,
) -> Any:
    """Return the successor representation of a policy, learned by a network.

    The network has one output per action, Psi(s, a) = phi(s) + g E[sum_b pi(b | t) Psi(t, b)],
    with t the next state. It learns off-policy, from the transitions of any behaviour. The map is
    the mean of these outputs under the policy. With one output per state instead, the random
    actions of the log would add noise.

    Parameters
    ----------
    policy : array of shape (S, A), or callable, optional
        The policy whose map is learned, or a function that returns it for an array of observations.
        Uniform by default.
    task : GoalTask or RewardTask, optional
        The map then ends at its goal or terminal states.

    Returns
    -------
    LearnedMap
        A list of maps if `seed` is a sequence. Several seeds are trained in one computation.

    Raises
    ------
    InputError
        If transitions, observations and policy do not fit together, or training diverges.

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
    >>> M = hsr.deep.learn_sr(steps, mdp=mdp, **small)
    >>> M.curve[-1].error < 0.05
    True
    """
    problem = read_problem(steps, None, policy, observe, discount, mdp, task)
    return _learn(problem, features, network, training, scale, seed, progress)


@shares_parameters
def learn_hsr(
    steps: Any,
    options: Any,
    mu: Any = None,
    *,
    observe: Any = None,
    features: Any = None,
    discount: float | None = None,
    mdp: FiniteMDP | None = None,
    task: Task | None = None,
    network: Network = Network(),
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
    `hsr.hierarchical_sr` for every mu. Every step informs all choices that could have made it.

    Parameters
    ----------
    options : OptionSet, or callable
        The options, or a function that returns them for an array of observations.

    Returns
    -------
    LearnedMap
        A list of maps if `seed` is a sequence. Several seeds are trained in one computation.

    Raises
    ------
    InputError
        If transitions, observations, options and mu do not fit together, or training diverges.

    Warns
    -----
    HSRWarning
        If more than half of the units of a layer are dead, or all rows of the map are the same, or
        the log never tries the actions of an option.

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
    >>> M = hsr.deep.learn_hsr(steps, options, mdp=mdp, **small)
    >>> M.curve[-1].error < 0.05
    True
    """
    problem = read_problem(steps, options, mu, observe, discount, mdp, task)
    return _learn(problem, features, network, training, scale, seed, progress)


def _learn(
    problem: Problem,
    features: Any,
    network: Network,
    training: Training,
    scale: str,
    seed: Any,
    progress: bool,
) -> Any:
    experience, choices, gamma = problem.experience, problem.choices, problem.discount
    phi = _read_features(features, experience)
    exact = problem.exact_map() if phi is None else None
    log_scale = _log_scale(scale, phi, experience.n_rows, gamma)
    shape = choices.mu.shape[1], experience.n_rows if phi is None else phi.shape[1]
    whole = experience.n_rows <= 2 * training.batch_size

    def learner() -> Learner:
        data = {
            **problem.data(training.dtype),
            "phi": None if phi is None else jnp.asarray(phi, training.dtype),
            "log_scale": None if log_scale is None else jnp.asarray(log_scale, training.dtype),
        }

        def error(layers: Layers) -> float:
            of_choices = np.asarray(outputs(layers, data["inputs"]), dtype=np.float64)
            psi = visits_from(of_choices, log_scale)
            psi = ended(psi, np.arange(experience.n_rows), choices, phi)
            return against_exact.predictive_map(np.einsum("rc,rcd->rd", choices.mu, psi), exact)

        return Learner(
            lambda key: layers_of(network, experience, shape, training.dtype, key),
            lambda *arguments: td_loss(gamma, shape[1], whole, *arguments),
            data,
            len(experience.steps),
            None if exact is None else error,
            at_once=network.kind != "cnn",
        )

    def learned(layers: Layers, reports: Any) -> LearnedMap:
        return LearnedMap(layers, problem, training, reports, features=phi, log_scale=log_scale)

    return train(learner, training, seed, progress, learned)


def _log_scale(scale: str, phi: FloatArray | None, n_rows: int, gamma: float) -> FloatArray | None:
    """Return what is added to outputs that are logarithms, None if they are not.

    Initially the map predicts equally many visits to all rows.
    """
    if check_choice(scale, ("linear", "log"), "scale") == "linear":
        return None
    if phi is None:
        return np.full(n_rows, -np.log((1.0 - gamma) * n_rows))
    if phi.min() < 0.0:
        raise InputError(f"a feature is {phi.min():.6g}; with scale='log' none may be negative")
    return np.log(np.maximum(phi.mean(axis=0), SMALLEST) / (1.0 - gamma))


def _read_features(features: Any, experience: Experience) -> FloatArray | None:
    """Return the features of each row, or None for one-hot features of listed states."""
    if callable(features):
        features = features(experience.observed)
    if features is not None:
        return check_array(features, (experience.n_rows, None), "features")
    if not experience.listed:
        raise InputError(
            "the states are not listed, so visits to them cannot be counted; "
            "give features, or use hsr.deep.learn_measure"
        )
    return None


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
    """Return half the squared TD errors, summed over choices and averaged over a batch.

    After a step from s to t, the prediction psi of a choice moves towards

        phi(s) + g ((1 - stop) psi(t) + stop M(t)),

    with M the prediction of the policy over choices.

    If outputs are logarithms, the error is the logarithm of the prediction minus that of the
    target. It is unbiased only if transitions are deterministic.

    Parameters
    ----------
    gamma : float
        The discount.
    n_features : int
        The number D of features.
    whole : bool
        Whether the table is so small that the network is evaluated once at all of its rows.
    network, slow : Layers
        The network that learns, and its slow copy, which gives the targets.
    items : int array of shape (b,)
        The steps of the batch.
    key : jax.Array
        Not used.
    data : dict of arrays
        `Problem.data`, the features ``phi`` and the ``log_scale``.
    """
    s, _, t = data["steps"][items].T
    now = outputs_at(network, data["inputs"], s, whole)
    later = outputs_at(slow, data["inputs"], t, whole)
    phi, log_scale = data["phi"], data.get("log_scale")
    if log_scale is not None:
        # No sum of features can be larger. Without the bound, a single bad output explodes.
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
