"""Poisson rates of cells as a field plus a baseline, fitted and scored by cross-validation."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.threads import run_all
from hsr.kernels.animals import fit_weights, held_out

WEIGHTS = np.array([0.15, 0.5, 0.9])  # at these the likelihood of all candidates is computed
_INTERVALS = 3  # between coarse settings of a chain, or more
_CHAINED = ("discount", "width")  # settings along which fits are improved
_ROWS = 512  # rows of one job; fixed, so that results do not depend on the number of threads


def largest_weights(n_spikes: FloatArray) -> FloatArray:
    """Return the largest weights of fields: the baseline has at least half a spike.

    No spike is ever impossible then. A bound that does not depend on the number of spikes would
    bias the fields of cells without a baseline, because it would forbid their true rate.

    Parameters
    ----------
    n_spikes : float array of shape (R,)
        Spikes of each row.
    """
    return 1.0 - 0.5 / np.maximum(n_spikes, 1.0)


@dataclass(frozen=True)
class Candidates:
    """All candidate fields of a model, relative to their mean over the training time.

    A cell whose mean rate in training is r fires at r (1 + w d(s)) in state s, with d the relative
    field. The field has the share w of its spikes, and a constant baseline the rest. This is the
    rate a f(s) + b with a >= 0 and b > 0. At its maximum likelihood the mean rate is r for every
    field, so that only w is left to be fitted.

    Attributes
    ----------
    relative : float array of shape (K, S)
        d = f / mean(f) - 1, with the mean over the training time.
    settings : tuple of dict
        The setting behind each candidate.
    starts : int array of shape (G + 1,)
        Where the candidates of each setting begin, and K.
    chain : int array of shape (G,)
        The chain of each setting. In a chain only discount or width differ, in increasing order.
    """

    relative: FloatArray
    settings: tuple[dict[str, Any], ...]
    starts: IntArray
    chain: IntArray

    @classmethod
    def of(
        cls, families: Sequence[tuple[dict[str, Any], FloatArray]], time: FloatArray
    ) -> "Candidates":
        """Return the candidates of families of fields.

        Parameters
        ----------
        families : sequence of (setting, float array of shape (S, K))
            The fields of each setting.
        time : float array of shape (S,)
            Time spent in each state in training. A field that is zero there is as good as a
            constant rate.
        """
        fields = np.concatenate([fields.T for _, fields in families])
        mean = fields @ (time / time.sum())
        relative = np.zeros(fields.shape)
        seen = mean > 0.0
        relative[seen] = fields[seen] / mean[seen, None] - 1.0
        settings = [setting for setting, fields in families for _ in range(fields.shape[1])]
        fixed = [
            ([value for name, value in setting.items() if name not in _CHAINED], fields.shape)
            for setting, fields in families
        ]
        new = [0, *(int(first != second) for first, second in pairwise(fixed))]
        starts = np.cumsum([0, *(fields.shape[1] for _, fields in families)])
        return cls(relative, tuple(settings), starts, np.cumsum(new))

    @cached_property
    def _chains(self) -> tuple[IntArray, IntArray, IntArray]:
        """The first family, the last + 1, and the step between coarse ones, of each family."""
        first = np.searchsorted(self.chain, self.chain, side="left")
        last = np.searchsorted(self.chain, self.chain, side="right")
        coarse_steps = np.maximum((last - first - 1) / _INTERVALS, 1.0)
        return first, last, 2 ** np.floor(np.log2(coarse_steps)).astype(np.int64)

    @cached_property
    def coarse(self) -> IntArray:
        """The families whose candidates are all looked at."""
        first, _, step = self._chains
        return np.flatnonzero((np.arange(first.size) - first) % step == 0)

    @cached_property
    def logarithms(self) -> tuple[np.ndarray, ...]:
        """log(1 + w d) of the coarse families for a few weights, in single precision."""
        of = [np.arange(self.starts[g], self.starts[g + 1]) for g in self.coarse]
        d = self.relative[np.concatenate(of)].T.astype(np.float32)
        return tuple(np.log1p(np.float32(w) * d) for w in WEIGHTS)

    def fit(self, counts: np.ndarray) -> tuple[IntArray, FloatArray]:
        """Return the best candidate for each row of counts, and its weight.

        The likelihoods of all candidates at a few weights are products of matrices. For each
        setting the candidate with the largest one is then fitted exactly. The best two are
        improved along discounts or widths in between, of which only these fields are fitted.

        Parameters
        ----------
        counts : float32 array of shape (R, S)
            Spikes in each state.
        """
        # Most time goes into comparing all candidates; products of matrices do that in single
        # precision, and only the few that win are fitted exactly.
        chosen = np.zeros(counts.shape[0], dtype=np.int64)
        weight = np.zeros(counts.shape[0])
        size = self.logarithms[0].shape[1]
        values = np.empty((WEIGHTS.size, counts.shape[0], size), dtype=np.float32)
        for tried, logarithms in zip(values, self.logarithms, strict=True):
            np.matmul(counts, logarithms, out=tried)
        largest = largest_weights(counts.sum(axis=1, dtype=np.float64))
        where = self.coarse, self.starts, *self._chains
        fit_weights(counts, self.relative, values, WEIGHTS, largest, *where, chosen, weight)
        return chosen, weight


@dataclass(frozen=True)
class Fits:
    """What was fitted on the training blocks of one held-out block.

    Attributes
    ----------
    chosen : int array of shape (R,)
        The candidate of each row of counts.
    weight : float array of shape (R,)
        The share of its spikes that the field has.
    rate : float array of shape (R,)
        Mean rate in the training blocks.
    score : float array of shape (R,)
        Log likelihood of the held-out block, relative to the constant rate, in nats.
    """

    chosen: IntArray
    weight: FloatArray
    rate: FloatArray
    score: FloatArray


def score_block(
    candidates: Candidates,
    counts: np.ndarray,
    time: FloatArray,
    block: int,
    *,
    workers: int,
) -> Fits:
    """Return fits on all other blocks, and their scores on one block.

    Parameters
    ----------
    candidates : Candidates
        The fields, made from the training blocks.
    counts : float32 array of shape (R, B, S)
        Spikes in each block and state.
    time : float array of shape (B, S)
        Time spent in each block and state.
    block : int
        The block that is held out.
    workers : int
        Number of threads. It does not change results.
    """
    training = np.delete(time, block, axis=0).sum()
    excess = candidates.relative @ time[block]

    def job(first: int) -> tuple[IntArray, FloatArray, FloatArray, FloatArray]:
        rows = counts[first : first + _ROWS]
        test = np.ascontiguousarray(rows[:, block])
        train = rows.sum(axis=1) - test
        chosen, weight = candidates.fit(train)
        rate = train.sum(axis=1, dtype=np.float64) / training
        score = np.zeros(rows.shape[0])
        held_out(test, candidates.relative, excess, chosen, weight, rate, score)
        return chosen, weight, rate, score

    _ = candidates.logarithms  # before the threads begin
    parts = run_all(job, range(0, counts.shape[0], _ROWS), workers=workers)
    return Fits(*(np.concatenate(column) for column in zip(*parts, strict=True)))
