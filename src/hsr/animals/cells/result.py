"""Results of `compare_cells`, for one animal and for several."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.errors import InputError, short_repr
from hsr._base.extras import needs
from hsr.animals.cells.models import SCALES
from hsr.animals.intervals import LEVEL, Difference, bootstrapped, over_animals

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped]

_SAMPLES = 1000  # of blocks, for intervals of probabilities


@dataclass(frozen=True)
class CellComparison:
    """Held-out scores of models of place fields, as `compare_cells` returns them.

    Attributes
    ----------
    models : tuple of str
        The models.
    units : tuple
        The cells. In the result of `join_cells`, pairs of an animal and a cell.
    scores : float array of shape (M, C)
        Held-out log likelihood relative to the mean rate, in bits per spike. nan for cells without
        spikes.
    chance : float array of shape (M, shuffles, C)
        The same for circularly shifted spikes.
    n_spikes : int array of shape (C,)
        Spikes of each cell in frames that count.
    blocks : int
        Number of blocks, each held out once.
    chosen : tuple of dict
        The fit of each model and cell to all blocks but one: the setting (such as "discount"),
        "field" (its number in the family), "peak_state", "peak_rate", "baseline", "weight" (the
        share of spikes due to the field), and "bits" by which the model predicts the held-out block
        better than the mean rate.
    parameters : tuple of dict
        The estimate of each quantity, model and cell with its interval, as in `estimates`.
    animals : tuple
        The animal of each cell. Empty if there is only one animal.

    Examples
    --------
    >>> scores = np.array([[0.5, 0.4, 0.6], [0.1, 0.1, 0.3]])
    >>> result = CellComparison(
    ...     ("sr", "gaussian"), (0, 1, 2), scores, np.empty((2, 0, 3)), np.full(3, 99), 5, ()
    ... )
    >>> print(result.differences()[0])
    sr minus gaussian: +0.333 bits (+0.300 to +0.400 over cells), better
    """

    models: tuple[str, ...]
    units: tuple[Hashable, ...]
    scores: FloatArray
    chance: FloatArray
    n_spikes: IntArray
    blocks: int
    chosen: tuple[dict[str, Any], ...]
    parameters: tuple[dict[str, Any], ...] = ()
    animals: tuple[Hashable, ...] = ()

    @property
    def p_values(self) -> FloatArray:
        """The p value of each score against shifted spikes, of shape (M, C).

        (1 + number of shifts with at least the score) / (1 + number of shifts). nan without shifts.
        """
        n_shifts = self.chance.shape[1]
        reached = (self.chance >= self.scores[:, None]).sum(axis=1)
        known = np.isfinite(self.scores) & (n_shifts > 0)
        return np.where(known, (1 + reached) / (1 + n_shifts), np.nan)

    def mean_scores(self) -> FloatArray:
        """Return the mean score of each model, of shape (M,): over cells, then over animals."""
        return np.array([self._interval(score)[0] for score in self.scores])

    def differences(self) -> tuple[Difference, ...]:
        """Return the difference between all pairs of models, paired by cell, the better one first.

        The interval is a bootstrap over cells. If there are several animals, it is Student's
        interval over the means of animals, because cells of one animal are not independent.
        """
        differences = []
        unit = "animal" if self.animals else "cell"
        for i, j in combinations(range(len(self.models)), 2):
            mean, low, high = self._interval(self.scores[i] - self.scores[j])
            first, second = self.models[i], self.models[j]
            if mean < 0.0:
                first, second, mean, low, high = second, first, -mean, -high, -low
            differences.append(Difference(first, second, mean, low, high, unit))
        return tuple(differences)

    def _share(self, chosen: BoolArray, known: BoolArray) -> tuple[float, float, float]:
        """Return the share of cells with its interval: Wilson's, or over animals."""
        if self.animals or not known.any():
            return self._interval(np.where(known, chosen, np.nan))
        share = stats.binomtest(int(chosen.sum()), int(known.sum()))
        interval = share.proportion_ci(LEVEL, method="wilson")
        return float(share.statistic), float(interval.low), float(interval.high)

    def _interval(self, values: FloatArray) -> tuple[float, float, float]:
        """Return mean, low and high of values of cells, of shape (C,)."""
        known = np.isfinite(values)
        if not known.any():
            return np.nan, -np.inf, np.inf
        if self.animals:
            return over_animals(
                values[known], [a for a, k in zip(self.animals, known, strict=True) if k]
            )
        return bootstrapped(values[known])

    def to_pandas(self) -> "pandas.DataFrame":
        """Return scores, p values and numbers of spikes, one row per model and cell.

        ``pandas.DataFrame(result.chosen)`` has the fits of each block.
        """
        needs("pandas", "CellComparison.to_pandas")
        import pandas

        p_values = self.p_values
        return pandas.DataFrame(
            {
                "model": model,
                "unit": unit,
                "bits_per_spike": float(self.scores[m, c]),
                "p_value": float(p_values[m, c]),
                "n_spikes": int(self.n_spikes[c]),
            }
            for m, model in enumerate(self.models)
            for c, unit in enumerate(self.units)
        )

    def weights(self) -> FloatArray:
        """Return the posterior probability of each model for each cell, of shape (M, C).

        The likelihood of held-out spikes under each model, divided by the sum over models: Bayes'
        rule if one of the models is true and all have the same prior probability.
        """
        return _probabilities(self.scores * self.n_spikes)

    def _weight_intervals(self) -> FloatArray:
        """Return 95 % intervals of `weights`, of shape (2, M, C), by resampling blocks of time."""
        bits = np.zeros((self.blocks, len(self.models), len(self.units)))
        number = {unit: c for c, unit in enumerate(self.units)}
        for fit in self.chosen:
            bits[fit["block"], self.models.index(fit["model"]), number[fit["unit"]]] = fit["bits"]
        share = np.full(self.blocks, 1.0 / self.blocks)
        drawn = np.random.default_rng(0).multinomial(self.blocks, share, size=_SAMPLES)
        resampled = _probabilities(np.einsum("nb,bmc->mnc", drawn, bits))
        tail = (1.0 - LEVEL) / 2.0
        return np.asarray(np.quantile(resampled, [tail, 1.0 - tail], axis=1))

    def estimates(self) -> "pandas.DataFrame":
        """Return discounts, widths, field centres and the generating map, with 95 % intervals.

        Rows with the level "cell" hold the estimates of each cell and model. Discounts, widths and
        centres are maximum-likelihood estimates from all spikes, with profile-likelihood intervals
        (twice the log likelihood ratio stays below the quantile of the chi-square distribution).
        These intervals assume Poisson spikes; with clustered spikes they are too narrow. An
        interval that ends at the smallest or largest value that was tried may be wider.
        "probability" is that of the model, from `weights`, with an interval over blocks of time.

        Rows with the level "population" hold the share of cells that a model describes best, and
        the mean discount (by horizon) or width of these cells. Intervals are over cells (Wilson's
        for shares), or over animals if there are several.

        Returns
        -------
        pandas.DataFrame
            With the columns level, unit, model, quantity, estimate, low and high.
        """
        needs("pandas", "CellComparison.estimates")
        import pandas

        weights, known = self.weights(), np.isfinite(self.scores[0])
        low, high = self._weight_intervals()
        best = weights.argmax(axis=0)
        rows = [{"level": "cell", **row} for row in self.parameters]
        number = {unit: c for c, unit in enumerate(self.units)}
        for m, model in enumerate(self.models):
            rows += [
                _row("cell", unit, model, "probability", (weights[m, c], low[m, c], high[m, c]))
                for c, unit in enumerate(self.units)
                if known[c]
            ]
            share = self._share(known & (best == m), known)
            rows.append(_row("population", "all", model, "share of cells", share))
            for quantity, (scale, back) in SCALES.items():
                values = np.full(len(self.units), np.nan)
                for row in self.parameters:
                    c = number[row["unit"]]
                    if (row["model"], row["quantity"]) == (model, quantity) and best[c] == m:
                        values[c] = scale(row["estimate"])
                if np.isfinite(values).any():
                    mean = back(np.array(self._interval(values)))
                    rows.append(_row("population", "all", model, quantity, mean))
        return pandas.DataFrame(rows)

    def __str__(self) -> str:
        n_known = int(np.isfinite(self.scores[0]).sum())
        n_shifts = self.chance.shape[1]
        of = f" of {len(set(self.animals))} animals" if self.animals else ""
        lines = [
            f"held-out bits per spike of {n_known} cells{of}, {self.blocks} blocks, "
            f"{n_shifts} shifts"
        ]
        p_values = self.p_values
        wide = max(map(len, self.models))
        for m in np.argsort(-self.mean_scores(), kind="stable"):
            mean, low, high = self._interval(self.scores[m])
            line = f"  {self.models[m]:<{wide}}  {mean:7.3f}  [{low:.3f}, {high:.3f}]"
            if n_shifts:
                n_better = int((p_values[m] <= 1.0 - LEVEL).sum())
                line += f"  better than chance: {n_better} of {n_known} cells (p <= 0.05)"
            lines.append(line)
        return "\n".join([*lines, *map(str, self.differences())])

    def __repr__(self) -> str:
        return f"CellComparison({len(self.models)} models, {len(self.units)} cells; print it)"


def _probabilities(bits: FloatArray) -> FloatArray:
    """Return probabilities of models, the first axis, from the bits by which each predicts."""
    relative = np.exp2(bits - bits.max(axis=0))
    probabilities: FloatArray = relative / relative.sum(axis=0)
    return probabilities


def _row(
    level: str, unit: Hashable, model: str, quantity: str, interval: Iterable[float]
) -> dict[str, Any]:
    numbers = dict(zip(("estimate", "low", "high"), map(float, interval), strict=True))
    return {"level": level, "unit": unit, "model": model, "quantity": quantity, **numbers}


def join_cells(results: Mapping[Hashable, CellComparison]) -> CellComparison:
    """Join the comparisons of several animals, with each animal as a unit.

    Parameters
    ----------
    results : mapping from animals to CellComparison
        With the same models in the same order, and as many blocks and shifts.

    Examples
    --------
    >>> result = CellComparison(
    ...     ("sr",), (0, 1), np.ones((1, 2)), np.empty((1, 0, 2)), np.full(2, 9), 5, ()
    ... )
    >>> join_cells({"A": result, "B": result}).units
    (('A', 0), ('A', 1), ('B', 0), ('B', 1))
    """
    if not isinstance(results, Mapping) or len(results) < 2:
        raise InputError(
            f"results is {short_repr(results)}; it must be a dictionary from at least two "
            "animals to results of compare_cells"
        )
    parts = list(results.values())
    forms = {(part.models, part.blocks, part.chance.shape[1]) for part in parts}
    if len(forms) > 1:
        raise InputError(
            "results differ in their models, blocks or shuffles; they must have the same"
        )

    def rows(name: str) -> tuple[dict[str, Any], ...]:
        return tuple(
            row | {"unit": (animal, row["unit"])}
            for animal, part in results.items()
            for row in getattr(part, name)
        )

    return CellComparison(
        models=parts[0].models,
        units=tuple((animal, unit) for animal, part in results.items() for unit in part.units),
        scores=np.concatenate([part.scores for part in parts], axis=1),
        chance=np.concatenate([part.chance for part in parts], axis=2),
        n_spikes=np.concatenate([part.n_spikes for part in parts]),
        blocks=parts[0].blocks,
        chosen=rows("chosen"),
        parameters=rows("parameters"),
        animals=tuple(animal for animal, part in results.items() for _ in part.units),
    )
