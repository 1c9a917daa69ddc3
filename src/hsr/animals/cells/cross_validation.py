"""Held-out scores of models, block by block."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr.animals.cells.arena import Arena
from hsr.animals.cells.models import CellModel
from hsr.animals.cells.poisson import Candidates, Fits, score_block
from hsr.animals.cells.track import Track


@dataclass(frozen=True)
class Study:
    """A recording cut into blocks, and the models that are compared on it.

    Attributes
    ----------
    arena : Arena
        The world.
    track : Track
        Where the animal was.
    block : int array of shape (F,)
        The block of each frame.
    time : float array of shape (B, S)
        Time spent in each block and state.
    models : tuple of CellModel
        The models.
    values : mapping of str to sequences
        The values that are tried for each setting.
    workers : int
        Number of threads.
    """

    arena: Arena
    track: Track
    block: IntArray
    time: FloatArray
    models: tuple[CellModel, ...]
    values: Mapping[str, Sequence[Any]]
    workers: int

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return self.time.shape[0]

    def families(self, model: CellModel, block: int) -> list[tuple[dict[str, Any], FloatArray]]:
        """Return the fields of a model for each setting, made without a block (-1: of all)."""
        policy = self.track.behaviour_without(block, self.block)
        return list(model.families(self.arena, policy, self.values))

    def score(
        self, counts: np.ndarray, described: int, units: Sequence[Hashable] = ()
    ) -> tuple[FloatArray, list[dict[str, Any]]]:
        """Return the held-out score of every model and row of counts, and what was fitted.

        Parameters
        ----------
        counts : float32 array of shape (R, B, S)
            Spikes in each block and state.
        described : int
            For how many rows, from the first, the fits are described.
        units : sequence
            What these rows are called.

        Returns
        -------
        scores : float array of shape (M, R)
            In bits per spike. nan for rows without spikes.
        fits : list of dict
            What was fitted to each of the described rows in each block.
        """
        spikes = counts.sum(axis=(1, 2), dtype=np.float64)
        nats = np.zeros((len(self.models), counts.shape[0]))
        fits = []
        for m, model in enumerate(self.models):
            families = None if model.follows_behaviour else self.families(model, -1)
            for block in range(self.n_blocks):
                training = np.delete(self.time, block, axis=0).sum(axis=0)
                candidates = Candidates.of(
                    self.families(model, block) if families is None else families, training
                )
                found = score_block(candidates, counts, self.time, block, workers=self.workers)
                nats[m] += found.score
                for row, unit in zip(range(described), units, strict=True):
                    fits.append(
                        {"model": model.name, "unit": unit, "block": block}
                        | _described(candidates, found, row)
                    )
        with np.errstate(invalid="ignore", divide="ignore"):
            return nats / (np.log(2.0) * spikes), fits


def _described(candidates: Candidates, fits: Fits, row: int) -> dict[str, Any]:
    """Return what was fitted to a row: the field, its setting, and the rates."""
    k, w, r = int(fits.chosen[row]), float(fits.weight[row]), float(fits.rate[row])
    d, first = candidates.relative[k], candidates.starts[:-1]
    return {
        **candidates.settings[k],
        "field": k - int(first[first <= k][-1]),
        "peak_state": int(d.argmax()),
        "peak_rate": r * (1.0 + w * float(d.max())),
        "baseline": r * (1.0 - w),
        "weight": w,
    }
