"""Where options spend their time and where they end, learned by a network."""

from typing import Any, NamedTuple

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr.deep import against_exact
from hsr.deep.choices import Choices, options_at, read_choices
from hsr.deep.experience import read_discount, read_experience
from hsr.deep.heads import Heads, learn_heads
from hsr.deep.learned_map import outputs_of
from hsr.deep.networks import Network
from hsr.deep.training import Report, Training
from hsr.mdp.finite import FiniteMDP
from hsr.options.model import option_model


class LearnedOptionModel(NamedTuple):
    """What primitive actions and options lead to, as a network has learned it.

    Parameters
    ----------
    occupancy : array of shape (C, S, S)
        Expected discounted visits while each choice runs: `hsr.OptionModel.occupancy`.
    stopping : array of shape (C, S, S)
        Discounted probability of ending in each state: `hsr.OptionModel.stopping`.
    curve : tuple of Report
        The learning curve.
    """

    occupancy: FloatArray
    stopping: FloatArray
    curve: tuple[Report, ...]


def learn_option_model(
    steps: Any,
    options: Any,
    *,
    observe: Any = None,
    discount: float | None = None,
    world: FiniteMDP | None = None,
    network: Network = Network(),
    training: Training = Training(),
    seed: int = 0,
    progress: bool = False,
) -> LearnedOptionModel:
    """Return the model of primitive actions and options, learned by a network.

    Two outputs per choice c learn from every step from s to t by an action that c could have taken:

        N_c(s) = phi(s) + g (1 - beta_c(t)) N_c(t),
        F_c(s) = g ((1 - beta_c(t)) F_c(t) + beta_c(t) phi(t)).

    Parameters
    ----------
    steps : array of shape (n, 3)
        Steps (state, action, next state), as numbers or as labels of the world.
    options : OptionSet, or callable
        The options, or what makes them of an array of observations.
    observe : array of shape (S, ...), or callable, optional
        What is observed in each state. By default states are one-hot.
    discount : float in [0, 1), optional
        Discount per step. That of the world by default.
    world : FiniteMDP, optional
        The world, if it is known. The distance from the exact model is then recorded.
    network : Network
        Kind and size of the network.
    training : Training
        How it is trained.
    seed : int
        Draws the first weights and the batches.
    progress : bool
        Print the learning curve during training.

    Returns
    -------
    LearnedOptionModel

    Examples
    --------
    >>> import hsr, hsr.deep
    >>> from hsr.deep import Network, Training
    >>> mdp = hsr.grid_mdp(hsr.GridLayout.from_text("......"), discount=0.8)
    >>> options = hsr.point_options(mdp, targets=[0, 5])
    >>> small = dict(network=Network(width=64), training=Training(n_updates=600))
    >>> steps = hsr.deep.random_steps(mdp, 2000)
    >>> model = hsr.deep.learn_option_model(steps, options, world=mdp, **small)
    >>> model.curve[-1].error < 0.05
    True
    """
    experience = read_experience(steps, observe, world)
    if not experience.listed:
        raise InputError("the states are not listed, so that visits to them cannot be counted")
    at_rows = options_at(experience, options, world)
    once = read_choices(experience, at_rows, None, world, None)
    n_choices = once.mu.shape[1]
    twice = Choices(
        np.tile(once.weight, 2), np.tile(once.stop, 2), once.mu, once.goal, once.n_primitives
    )
    first = np.repeat([1.0, 0.0], n_choices)
    heads = Heads(starts=first, ends=1.0 - first, continues=np.zeros(2 * n_choices))
    exact = None if world is None else option_model(world, at_rows)

    def error_of(heads: FloatArray) -> float:
        if exact is None:
            return float("nan")
        return max(against_exact.option_model(*_split(heads), exact))

    ((layers, curve),) = learn_heads(
        experience, twice, heads, None, read_discount(discount, world), network, training,
        seed, progress, error_of,
    )  # fmt: skip
    return LearnedOptionModel(*_split(outputs_of(layers, experience.read(), training)), curve)


def _split(heads: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return occupancy and stopping, each (C, S, S), of predictions of shape (S, 2 C, S)."""
    occupancy, stopping = np.split(np.moveaxis(heads, 1, 0), 2)
    return occupancy, stopping
