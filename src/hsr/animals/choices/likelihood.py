"""The probability of recorded choices under a soft-max."""

from dataclasses import dataclass

import numpy as np

from hsr._base.arrays import FloatArray
from hsr.animals.choices.recorded import Choices
from hsr.kernels.destinations import filtered_log_likelihood


@dataclass(frozen=True)
class Readout:
    """How values become probabilities of moves.

    Attributes
    ----------
    inverse_temperature : float
        By which values are multiplied before the soft-max.
    forward : float
        Added to every move other than the one back to the state before.
    hazard : float
        Probability of a new destination after each move, if destinations are not known.
    """

    inverse_temperature: float
    forward: float
    hazard: float


def of_utilities(choices: Choices, utility: FloatArray, readout: Readout) -> FloatArray:
    """Return the log-probability of each move, given a value of each neighbour.

    With b the inverse temperature, c the forward bias and u(k) the value of neighbour k,

        p(k) = exp(b u(k) + c f(k)) / sum_j exp(b u(j) + c f(j)),

    where f(k) is 0 for the neighbour from which the animal came and 1 for all others. Nothing is
    added to the first move of a path, for which that is not known.

    Parameters
    ----------
    choices : Choices
        The moves.
    utility : float array of shape (T, K)
        The value of each neighbour at each move. Entries without a neighbour are ignored.
    readout : Readout
        Its hazard is not used.
    """
    there = choices.neighbours[choices.state] >= 0
    ahead = np.arange(there.shape[1]) != choices.back[:, None]
    ahead &= (choices.back >= 0)[:, None]
    scaled = np.where(there, readout.inverse_temperature * utility, 0.0)
    logits = np.where(there, scaled + readout.forward * ahead, -np.inf)
    logits -= logits.max(axis=1, keepdims=True)
    taken = logits[np.arange(logits.shape[0]), choices.chosen]
    result: FloatArray = taken - np.log(np.exp(logits).sum(axis=1))
    return result


def of_values(choices: Choices, value: FloatArray, readout: Readout) -> FloatArray:
    """Return the log-probability of each move, given the value of each state for each destination.

    If destinations are known, the values of neighbours enter a soft-max. Otherwise the probability
    of each destination given the past is computed with Bayes' rule, and the move is predicted by
    the mean over destinations. Nothing that comes later is used.

    Parameters
    ----------
    choices : Choices
        The moves.
    value : float array of shape (S, G)
        The value of each state for each destination.
    readout : Readout
        The parameters.
    """
    if choices.heading is not None:
        utility = value[choices.neighbours[choices.state], choices.heading[:, None]]
        return of_utilities(choices, utility, readout)
    there = choices.neighbours >= 0
    logits = readout.inverse_temperature * value[choices.neighbours]
    logits[~there] = -np.inf
    largest = logits.max(axis=1, keepdims=True)
    logits -= np.where(np.isfinite(largest), largest, 0.0)
    place_of = np.full(value.shape[0], -1)
    place_of[choices.destinations] = np.arange(choices.destinations.size)
    result: FloatArray = filtered_log_likelihood(
        np.exp(logits),
        choices.state,
        choices.chosen,
        choices.back,
        choices.begins,
        float(np.exp(readout.forward)),
        readout.hazard,
        place_of,
    )
    return result


def of_uniform(choices: Choices) -> FloatArray:
    """Return the log-probability of each move if all neighbours are equally likely."""
    return -np.log((choices.neighbours >= 0).sum(axis=1)[choices.state].astype(np.float64))
