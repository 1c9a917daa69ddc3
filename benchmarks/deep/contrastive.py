"""The SR as a classifier: which states follow a state and an action, and which do not?"""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr.deep import against_exact
from hsr.deep.choices import read_problem
from hsr.deep.experience import Experience, read_experience
from hsr.deep.learned_map import LearnedMap, visits_from
from hsr.deep.networks import Layers, Network, layers_of, outputs
from hsr.deep.training import Learner, Training, train
from hsr.mdp.finite import FiniteMDP
from hsr.representation.sr import successor_representation


def learn_contrastive_sr(
    steps: Any,
    *,
    observe: Any = None,
    discount: float | None = None,
    mdp: FiniteMDP | None = None,
    network: Network = Network(),
    training: Training = Training(),
    seed: int | Sequence[int] = 0,
    progress: bool = False,
) -> Any:
    """Return the successor representation of the log's behaviour, learned by a classifier.

    Positive examples are pairs of a step (s, a) and the state x in which the log is k steps later,
    with k drawn from the geometric distribution (1 - g) g^k. Negative examples are states drawn
    from all states of the log, with frequencies rho. The network has one output f(s, a, x) per
    action and state and minimises the sum of the mean of log(1 + exp(-f)) over positive examples
    and the mean of log(1 + exp(f)) over negative ones.

    Where it is smallest, f = log p(x | s, a) / rho(x), so that rho exp(f) / (1 - g) are the
    discounted visits. Errors of logarithms are relative errors: rare visits count as much as
    frequent ones. There is no bootstrapping, so that only visits that are in the log are learned.

    Parameters
    ----------
    steps : array of shape (n, 3)
        Steps (state, action, next state) of paths, one after another. A pair never crosses from
        one path to the next.
    observe : array of shape (S, ...), or callable, optional
        What is observed in each state. By default states are one-hot.
    discount : float in [0, 1), optional
        Discount per step. By default that of `mdp`.
    mdp : FiniteMDP, optional
        The MDP of the steps, if it is known. The learning curve then includes the distance from the
        exact SR of the uniform policy.
    network : Network
        Kind and size of the network.
    training : Training
        How it is trained. There are no targets, so that `target_rate` has no effect.
    seed : int or sequence of int
        Draws the first weights, batches and pairs.
    progress : bool
        Print the learning curve during training.

    Returns
    -------
    LearnedMap
        A list of them if `seed` is a sequence. Actions are averaged as often as the log takes them.
    """
    experience = read_experience(steps, observe, mdp)
    rho, mu = _frequencies(experience)
    problem = read_problem(steps, None, mu, observe, discount, mdp, None)
    log_scale = np.log(rho) - np.log1p(-problem.discount)
    exact = None if mdp is None else successor_representation(mdp).toarray()

    def learner() -> Learner:
        data = {
            "inputs": experience.inputs(training.dtype),
            "steps": jnp.asarray(experience.steps, jnp.int32),
            "last": jnp.asarray(last_of_paths(experience), jnp.int32),
            "rho": jnp.asarray(rho, training.dtype),
        }
        shape = experience.n_actions, experience.n_rows

        def error(layers: Layers) -> float:
            visits = visits_from(np.asarray(outputs(layers, data["inputs"]), np.float64), log_scale)
            return against_exact.predictive_map(np.einsum("rc,rcd->rd", mu, visits), exact)

        return Learner(
            lambda key: layers_of(network, experience, shape, training.dtype, key),
            lambda *arguments: contrastive_loss(problem.discount, *arguments),
            data,
            len(experience.steps),
            None if exact is None else error,
            at_once=network.kind != "cnn",
        )

    def learned(layers: Layers, reports: Any) -> LearnedMap:
        return LearnedMap(layers, problem, training, reports, log_scale=log_scale)

    return train(learner, training, seed, progress, learned)


def contrastive_loss(
    gamma: float, network: Layers, slow: Layers, items: jax.Array, key: jax.Array, data: Any
) -> jax.Array:
    """Return the loss of the classifier, averaged over a batch.

    Negative examples are not drawn: their mean is a sum over all states.

    Parameters
    ----------
    gamma : float
        The discount.
    network : Layers
        The network that learns.
    slow : Layers
        Not used.
    items : int array of shape (b,)
        The steps of the batch.
    key : jax.Array
        Draws how much later the positive examples are.
    data : dict of arrays
        Observations, steps, the last step of each path, and the frequencies of states.
    """
    s, a, _ = data["steps"][items].T
    u = jax.random.uniform(key, items.shape, minval=1e-7)
    later = items + jnp.floor(jnp.log(u) / jnp.log(gamma)).astype(jnp.int32)
    within = (later <= data["last"][items]).astype(data["rho"].dtype)
    x = data["steps"][jnp.minimum(later, len(data["steps"]) - 1), 0]
    rows = jnp.arange(items.size)
    f = network(data["inputs"][s])[rows, a]
    positive = jax.nn.softplus(-f[rows, x])
    negative = jax.nn.softplus(f) @ data["rho"]
    return jnp.sum(within * (positive + negative)) / jnp.maximum(within.sum(), 1.0)


def last_of_paths(experience: Experience) -> IntArray:
    """Return the last step of the path to which each step belongs, of shape (n,)."""
    n = len(experience.steps)
    ends = np.append(np.flatnonzero(~experience.follows), n - 1)
    return ends[np.searchsorted(ends, np.arange(n))]


def _frequencies(experience: Experience) -> tuple[FloatArray, FloatArray]:
    """Return how often the log is in each state, and how often it takes each action there.

    A state that the log never leaves counts as one step, and its actions as equally frequent.
    """
    counts = np.zeros((experience.n_rows, experience.n_actions))
    np.add.at(counts, tuple(experience.steps[:, :2].T), 1.0)
    counts[counts.sum(axis=1) == 0.0] = 1.0 / experience.n_actions
    visits = counts.sum(axis=1)
    return visits / visits.sum(), counts / visits[:, None]
