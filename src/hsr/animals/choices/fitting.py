"""Cross-validation: parameters are chosen on training blocks and scored on the block left out."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr.animals.choices.likelihood import Readout, of_utilities, of_values
from hsr.animals.choices.models import Candidate
from hsr.animals.choices.recorded import Choices

GRIDS = {
    "inverse_temperature": (0.0, *(2.0 ** np.arange(-4.0, 20.5, 0.5)).tolist()),
    "forward": tuple(np.arange(-3.0, 5.5, 0.25).tolist()),
    "hazard": (0.0, 0.01, 0.03, 0.1, 0.2, 0.4),
}
_BEGIN = Readout(1.0, 1.0, 0.03)
_BEGINS = (1.0, 16.0)  # inverse temperatures from which the search begins
_GAIN = 1e-9  # smaller gains of log-likelihood end it


@dataclass
class Scorer:
    """Log-likelihoods of one candidate, remembered by the blocks it learned from.

    Attributes
    ----------
    candidate : Candidate
        A model with its settings.
    choices : Choices
        The moves of the animal.
    block : int array of shape (paths,)
        The block of each path.
    """

    candidate: Candidate
    choices: Choices
    block: IntArray
    _values: dict[frozenset[int], FloatArray] = field(default_factory=dict)
    _known: dict[tuple[int, frozenset[int], Readout], FloatArray] = field(default_factory=dict)

    def per_path(self, block: int, left_out: frozenset[int], readout: Readout) -> FloatArray:
        """Return the log-likelihood of each path of a block, learned without some blocks."""
        key = left_out if self.candidate.learns else frozenset()
        if (block, key, readout) not in self._known:
            if key not in self._values:
                seen = ~np.isin(self.block, list(key))[self.choices.path]
                self._values[key] = self.candidate.value(seen)
            moves, part = self._parts[block]
            value = self._values[key]
            scores = (
                of_utilities(part, value[moves], readout)
                if self.candidate.of_moves
                else of_values(part, value, readout)
            )
            self._known[block, key, readout] = part.per_path(scores)
        return self._known[block, key, readout]

    @cached_property
    def _parts(self) -> list[tuple[slice, Choices]]:
        """The moves of each block."""
        of_moves = self.block[self.choices.path]
        edges = np.searchsorted(of_moves, np.arange(int(self.block.max()) + 2))
        slices = [slice(int(a), int(b)) for a, b in pairwise(edges)]
        return [(moves, self.choices.part(moves)) for moves in slices]

    def training(self, test: int, readout: Readout) -> float:
        """Return the log-likelihood of all blocks but one.

        A model that learns is scored on each of these blocks by what it learned from the others.
        """
        return sum(
            float(self.per_path(block, frozenset({test, block}), readout).sum())
            for block in range(len(self._parts))
            if block != test
        )

    def fit(self, test: int) -> tuple[float, Readout]:
        """Return the best parameters for all blocks but one, and their log-likelihood.

        Parameters move on their grids, one at a time, until no step improves.
        """
        names = ["inverse_temperature", "forward", "hazard"]
        if self.candidate.of_moves or self.choices.heading is not None:
            names.remove("hazard")
        begins = _BEGINS if "hazard" in names else _BEGINS[:1]  # else there is only one summit
        fits = [self._climb(test, replace(_BEGIN, inverse_temperature=b), names) for b in begins]
        return max(fits, key=lambda fit: fit[0])

    def _climb(self, test: int, readout: Readout, names: list[str]) -> tuple[float, Readout]:
        """Return the best parameters that single steps on the grids lead to."""
        best, score = readout, self.training(test, readout)
        improved = True
        while improved:
            improved = False
            for name in names:
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
    candidates: list[Candidate], choices: Choices, block: IntArray
) -> tuple[FloatArray, list[dict[str, float]]]:
    """Return the held-out log-likelihood of each path, and what was fitted in each block.

    Parameters
    ----------
    candidates : list of Candidate
        One model with each of its settings, of which training blocks choose one.
    choices : Choices
        The moves of the animal.
    block : int array of shape (paths,)
        The block of each path.
    """
    scorers = [Scorer(candidate, choices, block) for candidate in candidates]
    result = np.zeros(choices.n_paths)
    fitted = []
    for test in range(int(block.max()) + 1):
        fits = [scorer.fit(test) for scorer in scorers]
        best = int(np.argmax([score for score, _ in fits]))
        readout = fits[best][1]
        result[block == test] = scorers[best].per_path(test, frozenset({test}), readout)
        used = {"inverse_temperature": readout.inverse_temperature, "forward": readout.forward}
        if not candidates[best].of_moves and choices.heading is None:
            used["hazard"] = readout.hazard
        fitted.append(candidates[best].settings | used)
    return result, fitted
