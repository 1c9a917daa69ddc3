"""Results of `compare_cells`, for one animal and for several."""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from hsr._base.arrays import BoolArray, FloatArray, IntArray
from hsr._base.extras import needs
from hsr.animals.cells.estimates import ONLY
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
        The cells. In the result of `join_cells`, pairs of a key of its argument and a cell.
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
        The estimate of each quantity, model and cell with its interval and a note, as in
        `estimates`.
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
            mean, low, high = self._interval(np.where(known, chosen, np.nan))
            return mean, max(0.0, low), min(1.0, high)
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
        the mean of each setting over these cells: on the scale of horizons 1 / (1 - discount), of
        odds of shares, and of logarithms of widths. Intervals are over cells (Wilson's for shares),
        or over animals if there are several.

        The note warns of numbers that are not what they seem. An estimate may be the smallest or
        largest value that was tried, and the truth lies beyond; try more values by `settings`. An
        interval may end there, or have no width because all animals or cells agree.

        Returns
        -------
        pandas.DataFrame
            With the columns level, unit, model, quantity, estimate, low, high and note.
        """
        needs("pandas", "CellComparison.estimates")
        import pandas

        weights, known = self.weights(), np.isfinite(self.scores[0])
        low, high = self._weight_intervals()
        rows = [{"level": "cell", **row} for row in self.parameters]
        rows += [
            _row("cell", unit, model, "probability", (weights[m, c], low[m, c], high[m, c]))
            for m, model in enumerate(self.models)
            for c, unit in enumerate(self.units)
            if known[c]
        ]
        return pandas.DataFrame([*rows, *self._population()])

    def _population(self) -> Iterator[dict[str, Any]]:
        """Yield the share of cells of each model, and the mean settings of these cells."""
        known = np.isfinite(self.scores[0])
        best = self.weights().argmax(axis=0)
        number = {unit: c for c, unit in enumerate(self.units)}
        of_best: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for row in self.parameters:
            if self.models[best[number[row["unit"]]]] == row["model"]:
                of_best.setdefault((row["model"], row["quantity"]), []).append(row)
        for m, model in enumerate(self.models):
            share = self._share(known & (best == m), known)
            yield _row("population", "all", model, "share of cells", share, self._doubt(share))
            for quantity, (scale, back) in SCALES.items():
                rows = of_best.get((model, quantity), [])
                if not rows:
                    continue
                values = np.full(len(self.units), np.nan)
                for row in rows:
                    values[number[row["unit"]]] = scale(row["estimate"])
                mean = back(np.array(self._interval(values)))
                mean[1:] = np.nan if len(rows) == 1 else mean[1:]
                ends = sum(row["note"].startswith(("smallest", "largest")) for row in rows)
                note = f"{ends} of {len(rows)} cells at an end of the values tried" if ends else ""
                if all(row["note"] == ONLY for row in rows):
                    note = ONLY
                note = note or ("of one cell" if len(rows) == 1 else self._doubt(mean))
                yield _row("population", "all", model, quantity, mean, note)

    def _doubt(self, interval: Iterable[float]) -> str:
        """Return a note on an interval without width."""
        _, low, high = interval
        unit = "animals" if self.animals else "cells"
        return f"no spread between {unit}, so no interval" if low == high else ""

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
            doubt = self._doubt((mean, low, high))
            line += f"  ({doubt})" if doubt else ""
            if n_shifts:
                n_better = int((p_values[m] <= 1.0 - LEVEL).sum())
                line += f"  better than chance: {n_better} of {n_known} cells (p <= 0.05)"
            lines.append(line)
        return "\n".join([*lines, *map(str, self.differences()), *self._described()])

    def _described(self) -> Iterator[str]:
        """Yield a line with the mean settings of each model over the cells that it fits best."""
        for model, rows in groupby(self._population(), key=lambda row: str(row["model"])):
            share, *settings = rows
            said = []
            for row in settings:
                said.append(f"{row['quantity']} {row['estimate']:.3f}")
                if row["note"] != ONLY and row["low"] < row["high"]:
                    said[-1] += f" [{row['low']:.3f}, {row['high']:.3f}]"
                if row["note"]:
                    said[-1] += f" ({row['note']})"
            if said or share["note"]:
                noted = f"; {share['note']}" if share["note"] else ""
                yield f"cells of {model} ({share['estimate']:.0%}{noted}): {', '.join(said)}"

    def __repr__(self) -> str:
        return f"CellComparison({len(self.models)} models, {len(self.units)} cells; print it)"


def _probabilities(bits: FloatArray) -> FloatArray:
    """Return probabilities of models, the first axis, from the bits by which each predicts."""
    relative = np.exp2(bits - bits.max(axis=0))
    probabilities: FloatArray = relative / relative.sum(axis=0)
    return probabilities


def _row(
    level: str,
    unit: Hashable,
    model: str,
    quantity: str,
    interval: Iterable[float],
    note: str = "",
) -> dict[str, Any]:
    numbers = dict(zip(("estimate", "low", "high"), map(float, interval), strict=True))
    where = {"level": level, "unit": unit, "model": model, "quantity": quantity}
    return {**where, **numbers, "note": note}
