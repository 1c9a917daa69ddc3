"""Conditional logit models of choices whose destinations are known, fitted by Newton's method."""

from collections.abc import Callable, Sequence
from copy import copy
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr.animals.choices.models import Candidate, Grids, Model, candidates_of, histories
from hsr.animals.choices.recorded import Choices
from hsr.kernels.animals import logit_sums

_RIDGE = 1e-2  # of weights in units of the spread of their features: it keeps them finite
_ITERATIONS = 60
_EXACT = 1e-8

Feature = Callable[[frozenset[int]], FloatArray]


class Part(NamedTuple):
    """A term of the exponent: a value with its settings.

    Attributes
    ----------
    weight : str
        What its weight is called in results.
    settings : dict
        Its settings.
    feature : callable
        Takes the blocks that it must not learn from. Returns its values, of shape (R, K).
    learns : bool
        Whether it depends on these blocks.
    """

    weight: str
    settings: dict[str, Any]
    feature: Feature
    learns: bool


class Fit(NamedTuple):
    """Parts with their weights, and the log-likelihood of the training blocks."""

    parts: tuple[Part, ...]
    weights: FloatArray
    log_likelihood: float


def biases(choices: Choices) -> dict[str, FloatArray]:
    """Return the biases that every model has, each of shape (T, K), 1 or 0.

    - "forward": not back to the previous state.
    - "straight" and "left", in worlds whose states have cells: the direction of the last move, and
      the one to the left of it. The first move of a path has no bias.
    """
    ahead = choices.neighbours[choices.state]
    came = choices.back >= 0
    k = np.arange(ahead.shape[1])
    result = {"forward": (came[:, None] & (k != choices.back[:, None])).astype(np.float64)}
    if all(ground.cells is not None for ground in choices.grounds):
        cells = np.concatenate([ground.cells for ground in choices.grounds])
        moved = cells[ahead] - cells[choices.state][:, None]
        before = np.zeros((choices.state.size, 2), dtype=np.int64)
        from_there = np.take_along_axis(ahead, np.maximum(choices.back, 0)[:, None], 1)[:, 0]
        before[came] = (cells[choices.state] - cells[from_there])[came]
        # Rows grow downwards: to the left of (0, 1), to the east, is (-1, 0), to the north.
        left = np.stack([-before[:, 1], before[:, 0]], axis=1)
        for name, direction in (("straight", before), ("left", left)):
            same = (moved == direction[:, None]).all(axis=2) & came[:, None]
            result[name] = same.astype(np.float64)
    return {name: one for name, one in result.items() if one[choices.scored].any()}


class Logit:
    """Log-likelihoods of the scored choices of one animal, by blocks.

    p(k) = exp(w . x(k)) / sum_j exp(w . x(j)) over the alternatives of each choice.

    Parameters
    ----------
    choices : Choices
        The moves of the animal.
    block : int array of shape (paths,)
        The block of each path.
    """

    def __init__(self, choices: Choices, block: IntArray) -> None:
        self.choices, self.block, self.n_blocks = choices, block, int(block.max()) + 1
        self.rows = np.flatnonzero(choices.scored)
        self.block_of = block[choices.path[self.rows]]
        self.allowed = choices.allowed[self.rows]
        self.chosen = choices.chosen[self.rows]
        self.ahead = choices.neighbours[choices.state[self.rows]]
        self.biases = {name: one[self.rows] for name, one in biases(choices).items()}

    def with_chosen(self, chosen: IntArray) -> "Logit":
        """Return the same with other choices among the same alternatives."""
        other = copy(self)
        other.chosen = chosen
        return other

    def part(self, weight: str, candidate: Candidate) -> Part:
        """Return a candidate as a part, whose values are computed once for what they learn from."""
        learns = candidate.learns or candidate.history is not None

        @cache
        def feature(left_out: frozenset[int]) -> FloatArray:
            seen = ~np.isin(self.block, list(left_out))[self.choices.path]
            if candidate.along is not None:
                return candidate.along()[self.rows]
            if candidate.history is not None:
                return candidate.history(seen)[self.rows]
            value = candidate.value(seen)  # type: ignore[misc]
            goal = self.choices.heading[self.rows]  # type: ignore[index]
            return value[self.ahead, goal[:, None]]

        return Part(weight, candidate.settings, feature, learns)

    def values(self, part: Part, test: int) -> FloatArray:
        """Return the values of a part if one block is predicted by the others, of shape (R, K).

        A part that learns predicts each training block by the other training blocks.
        """
        if not part.learns:
            return part.feature(frozenset())
        result = part.feature(frozenset({test})).copy()
        for block in range(self.n_blocks):
            mine = self.block_of == block
            if block != test:
                result[mine] = part.feature(frozenset({test, block}))[mine]
        return result

    def features(self, parts: Sequence[Part], test: int) -> FloatArray:
        """Return the biases and the values of parts, of shape (R, K, F)."""
        values = [self.values(part, test) for part in parts]
        return np.stack([*self.biases.values(), *values], axis=2)

    def fit(self, parts: Sequence[Part], test: int, begin: FloatArray | None = None) -> Fit:
        """Return the weights that fit all blocks but one. Those of parts are not negative."""
        train = self.block_of != test
        X, allowed, chosen = (
            self.features(parts, test)[train],
            self.allowed[train],
            self.chosen[train],
        )
        free = np.ones(X.shape[2], dtype=bool)
        scale = _spread(X, allowed)
        w = np.zeros(X.shape[2]) if begin is None else begin * scale
        while True:
            used = np.ascontiguousarray(X[..., free] / scale[free])
            w[free], reached = _newton(used, allowed, chosen, w[free])
            below = np.flatnonzero(free & (w < 0.0) & (np.arange(w.size) >= len(self.biases)))
            if not below.size:
                return Fit(tuple(parts), w / scale, reached)
            worst = below[w[below].argmin()]
            w[worst], free[worst] = 0.0, False

    def log_probabilities(
        self, parts: Sequence[Part], weights: FloatArray, test: int
    ) -> FloatArray:
        """Return the log-probability of each alternative of a block, of shape (R', K)."""
        mine = self.block_of == test
        return _log_softmax(self.features(parts, test)[mine] @ weights, self.allowed[mine])

    def per_path(self, fits: Sequence[Fit]) -> FloatArray:
        """Return the log-likelihood of each path by the fit without its block."""
        result = np.zeros(self.choices.n_paths)
        for test, fit in enumerate(fits):
            mine = np.flatnonzero(self.block_of == test)
            log_p = self.log_probabilities(fit.parts, fit.weights, test)
            of_chosen = log_p[np.arange(mine.size), self.chosen[mine]]
            np.add.at(result, self.choices.path[self.rows[mine]], of_chosen)
        return result


def _log_softmax(logits: FloatArray, allowed: BoolArray) -> FloatArray:
    logits = np.where(allowed, logits, -np.inf)
    logits -= logits.max(axis=1, keepdims=True)
    result: FloatArray = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return result


def _spread(X: FloatArray, allowed: BoolArray) -> FloatArray:
    """Return the standard deviation of each feature among alternatives, 1 where it is constant."""
    n = allowed.sum()
    there = allowed[..., None]
    mean = (X * there).sum(axis=1, keepdims=True) / allowed.sum(axis=1)[:, None, None]
    spread = np.sqrt((((X - mean) * there) ** 2).sum(axis=(0, 1)) / n)
    result: FloatArray = np.where(spread > 0.0, spread, 1.0)
    return result


def _newton(
    X: FloatArray, allowed: BoolArray, chosen: IntArray, w: FloatArray
) -> tuple[FloatArray, float]:
    """Return the weights of largest penalised log-likelihood, and the log-likelihood itself.

    The penalised log-likelihood L(w) - ridge |w|^2 / 2 is concave. A step that does not increase it
    is halved.
    """
    reached, gradient, curvature = _sums(X, allowed, chosen, w)
    for _ in range(_ITERATIONS):
        step = np.linalg.solve(curvature, gradient)
        before = reached - 0.5 * _RIDGE * w @ w
        rise = gradient @ step
        for _ in range(_ITERATIONS):
            new = w + step
            reached, gradient, curvature = _sums(X, allowed, chosen, new)
            if reached - 0.5 * _RIDGE * new @ new >= before - 1e-12 * abs(before):
                break
            step *= 0.5
        w = new
        if rise < _EXACT:
            break
    return w, reached


def _sums(
    X: FloatArray, allowed: BoolArray, chosen: IntArray, w: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """Return the log-likelihood, and the derivatives of the penalised one."""
    gradient, curvature = np.empty(w.size), np.empty((w.size, w.size))
    reached = float(logit_sums(X, allowed, chosen, w, gradient, curvature))
    return reached, gradient - _RIDGE * w, curvature + _RIDGE * np.eye(w.size)


def parts_of(model: Model, logit: Logit, grids: Grids) -> list[list[Part]]:
    """Return the parts of a model, each with its settings to choose from."""
    maps = [one for one in model.maps if not (isinstance(one, str) and one == "forward")]
    names = [one if isinstance(one, str) else "map" for one in maps]
    parts = [
        [
            logit.part(
                "inverse_temperature" if len(maps) == 1 else f"inverse_temperature of {name}", one
            )
            for one in candidates_of(given, logit.choices, grids)
        ]
        for name, given in zip(names, maps, strict=True)
    ]
    if model.markov:
        of_moves = histories(model.markov, logit.choices)
        parts.insert(0, [logit.part("history", one) for one in of_moves])
    return parts


def chosen_settings(listed: list[list[Part]], logit: Logit, test: int) -> Fit:
    """Return the fit of the best settings on the training blocks.

    The settings of each part are chosen with those of the parts before it.
    """
    best = logit.fit([], test)
    for settings in listed:
        begin = np.append(best.weights, 0.0)
        fits = [logit.fit([*best.parts, part], test, begin) for part in settings]
        best = max(fits, key=lambda fit: fit.log_likelihood)
    return best


def fitted_settings(fit: Fit, logit: Logit) -> dict[str, Any]:
    """Return the settings and weights of a fit by name."""
    settings: dict[str, Any] = {}
    for part in fit.parts:
        several = part.weight.partition(" of ")[2]
        settings |= {
            (f"{name} of {several}" if several else name): value
            for name, value in part.settings.items()
        }
    names = [*logit.biases, *(part.weight for part in fit.parts)]
    return settings | dict(zip(names, fit.weights.tolist(), strict=True))
