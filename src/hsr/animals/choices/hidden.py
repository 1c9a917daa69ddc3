"""Likelihoods of choices with hidden destinations, with parameters chosen by cross-validation."""

from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr.animals.choices.models import Candidate, Grids, Model, candidates_of, histories
from hsr.animals.choices.recorded import Choices
from hsr.kernels.animals import filtered_log_likelihood

GRIDS = {
    "inverse_temperature": (0.0, *(2.0 ** np.arange(-4.0, 20.5, 0.5)).tolist()),
    "forward": tuple(np.arange(-3.0, 5.5, 0.25).tolist()),
    "hazard": (0.0, 0.01, 0.03, 0.1, 0.2, 0.4),
    "history": (0.0, *(2.0 ** np.arange(-4.0, 4.5, 0.5)).tolist()),
}
_BEGINS = (1.0, 16.0)  # initial inverse temperatures of the search
_GAIN = 1e-9  # the search stops at smaller gains of log-likelihood


@dataclass(frozen=True)
class Readout:
    """Parameters of the soft-max that turns values into probabilities of moves.

    Attributes
    ----------
    inverse_temperature : float
        Factor of the values.
    forward : float
        Bias of every move other than the one back to the previous state.
    hazard : float
        Probability of a new destination after each move, if destinations are not known.
    history : float
        Factor of the log-probabilities of the statistics of moves.
    """

    inverse_temperature: float = 1.0
    forward: float = 1.0
    hazard: float = 0.03
    history: float = 1.0


def log_probabilities(
    choices: Choices, readout: Readout, value: FloatArray | None, history: FloatArray | None
) -> FloatArray:
    """Return the log-probability of each move, of shape (T,).

    With b the inverse temperature, u(k, g) the value of neighbour k for destination g, a the weight
    of the history h, and c the forward bias,

        p(k | g) = exp(b u(k, g) + a h(k) + c f(k)) / sum_j exp(b u(j, g) + a h(j) + c f(j)),

    where f(k) is 0 for the neighbour from which the animal came and 1 for all others. The first
    move of a path has no bias, because the previous state is not known.

    The destination is not known. Its probability given the past is computed with Bayes' rule, and
    the move is predicted by the mean over destinations. Later moves are not used.

    Parameters
    ----------
    choices : Choices
        The moves.
    readout : Readout
        The parameters.
    value : float array of shape (S, G), or None
        The value of each state for each destination.
    history : float array of shape (T, K), or None
        The log-probability of each neighbour given the last states.
    """
    ahead = np.arange(choices.allowed.shape[1]) != choices.back[:, None]
    logits = np.where(ahead & (choices.back >= 0)[:, None], readout.forward, 0.0)
    if history is not None:
        logits += readout.history * history
    logits[~choices.allowed] = -np.inf
    logits -= logits.max(axis=1, keepdims=True)
    if value is None:
        taken = logits[np.arange(logits.shape[0]), choices.chosen]
        known: FloatArray = taken - np.log(np.exp(logits).sum(axis=1))
        return known
    # Subtracting a constant in each state does not change the soft-max, and avoids overflow at
    # large inverse temperatures.
    values = readout.inverse_temperature * value[choices.neighbours]
    values[choices.neighbours < 0] = -np.inf
    largest = values.max(axis=1, keepdims=True)
    values -= np.where(np.isfinite(largest), largest, 0.0)
    place_of = np.full(value.shape[0], -1)
    place_of[choices.destinations] = np.arange(choices.destinations.size)
    result: FloatArray = filtered_log_likelihood(
        np.exp(values),
        np.exp(logits),
        choices.state,
        choices.chosen,
        choices.begins,
        readout.hazard,
        place_of,
    )
    return result


def of_uniform(choices: Choices) -> FloatArray:
    """Return the log-probability of each move if all neighbours are equally likely."""
    return -np.log(choices.allowed.sum(axis=1).astype(np.float64))


class Scorer:
    """Log-likelihoods of a candidate, cached by the blocks that it learned from.

    Parameters
    ----------
    candidate : Candidate
        A model with its settings.
    choices : Choices
        The moves of the animal.
    block : int array of shape (paths,)
        The block of each path.
    """

    def __init__(self, candidate: Candidate, choices: Choices, block: IntArray) -> None:
        self.candidate, self.choices, self.block = candidate, choices, block
        of_moves = block[choices.path]
        edges = np.searchsorted(of_moves, np.arange(int(block.max()) + 2))
        self.moves = [slice(int(first), int(end)) for first, end in pairwise(edges)]
        self._learned, self._scores = cache(self._learn), cache(self._score)

    def per_path(self, block: int, left_out: frozenset[int], readout: Readout) -> FloatArray:
        """Return the log-likelihood of each path of a block, learned without some blocks."""
        learns = self.candidate.learns or self.candidate.history is not None
        scores: FloatArray = self._scores(block, left_out if learns else frozenset(), readout)
        return scores

    def _score(self, block: int, left_out: frozenset[int], readout: Readout) -> FloatArray:
        value, history = self._learned(left_out)
        moves = self.moves[block]
        part = self.choices.part(moves)
        of_moves = None if history is None else history[moves]
        return part.per_path(log_probabilities(part, readout, value, of_moves))

    def _learn(self, left_out: frozenset[int]) -> tuple[FloatArray | None, FloatArray | None]:
        """Return values and histories, learned without some blocks."""
        seen = ~np.isin(self.block, list(left_out))[self.choices.path]
        value, history = self.candidate.value, self.candidate.history
        return (
            None if value is None else value(seen),
            None if history is None else history(seen),
        )

    @property
    def free(self) -> list[str]:
        """The parameters of the candidate that are fitted."""
        has_map = self.candidate.value is not None
        there = {
            "inverse_temperature": has_map,
            "history": self.candidate.history is not None,
            "forward": True,
            "hazard": has_map,
        }
        return [name for name, is_there in there.items() if is_there]

    def training(self, test: int, readout: Readout) -> float:
        """Return the log-likelihood of all blocks but one.

        A model that learns is scored on each of these blocks after learning from the others.
        """
        return sum(
            float(self.per_path(block, frozenset({test, block}), readout).sum())
            for block in range(len(self.moves))
            if block != test
        )

    def fit(self, test: int, begins: tuple[Readout, ...] = ()) -> tuple[float, Readout]:
        """Return the best parameters for all blocks but one, and their log-likelihood.

        Parameters move on their grids, one at a time, until no step improves.
        """
        if not begins:
            begins = tuple(Readout(inverse_temperature=b) for b in _BEGINS)
        if "hazard" not in self.free:
            begins = begins[:1]  # without a hazard there is a single maximum
        return max((self._climb(test, begin) for begin in begins), key=lambda fit: fit[0])

    def _climb(self, test: int, best: Readout) -> tuple[float, Readout]:
        """Return the best parameters that coordinate ascent on the grids reaches."""
        score = self.training(test, best)
        improved = True
        while improved:
            improved = False
            for name in self.free:
                grid = GRIDS[name]
                for step in (1, -1):
                    at = grid.index(getattr(best, name)) + step
                    while 0 <= at < len(grid):
                        tried = replace(best, **{name: grid[at]})
                        now = self.training(test, tried)
                        if now <= score + _GAIN:
                            break
                        best, score, improved = tried, now, True
                        at += step
        return score, best


def cross_validated(
    model: Model, choices: Choices, grids: Grids, block: IntArray
) -> tuple[FloatArray, list[dict[str, Any]]]:
    """Return the held-out log-likelihood of each path, and what was fitted in each block.

    All settings are chosen on the training blocks: pseudo-counts first, then those of the map, with
    all parameters fitted again. The search for a map that is added to the statistics of moves
    starts from the parameters of these statistics alone.

    Parameters
    ----------
    model : Model
        The model.
    choices : Choices
        The moves of the animal.
    grids : Grids
        Settings of maps to choose from.
    block : int array of shape (paths,)
        The block of each path.
    """
    before = histories(model.markov, choices) if model.markov else []
    maps = candidates_of(model.maps[0], choices, grids) if model.maps else []

    @cache
    def scorer(k: int, m: int) -> Scorer:
        candidate = maps[m] if m >= 0 else before[k]
        if k >= 0 and m >= 0:
            settings = before[k].settings | maps[m].settings
            candidate = replace(maps[m], history=before[k].history, settings=settings)
        return Scorer(candidate, choices, block)

    result, fitted = np.zeros(choices.n_paths), []
    for test in range(int(block.max()) + 1):
        k, begins = -1, tuple[Readout, ...]()
        fits = {(i, -1): scorer(i, -1).fit(test) for i in range(len(before))}
        if before:
            k = max(fits, key=lambda which: fits[which][0])[0]
            alone = fits[k, -1][1]
            begins = tuple(replace(alone, inverse_temperature=b) for b in (0.0, *_BEGINS))
        if maps:
            fits = {(k, m): scorer(k, m).fit(test, begins) for m in range(len(maps))}
        best = max(fits, key=lambda which: fits[which][0])
        readout, used = fits[best][1], scorer(*best)
        result[block == test] = used.per_path(test, frozenset({test}), readout)
        parameters = {name: getattr(readout, name) for name in used.free}
        fitted.append(used.candidate.settings | parameters)
    return result, fitted
