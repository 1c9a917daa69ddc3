"""The protocol of `compare_cells` and `recovery`: models scored on held-out blocks of a track."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr._base.threads import check_workers
from hsr._base.validation import check_count
from hsr.animals.cells.arena import Arena, arena_of
from hsr.animals.cells.models import CellModel, read_models, read_settings
from hsr.animals.cells.scoring import Candidates, Fits, score_block
from hsr.animals.cells.track import Track


class Protocol(NamedTuple):
    """The arguments that `compare_cells` and `recovery` share.

    Attributes
    ----------
    arena : Arena
        The arena.
    models : tuple of CellModel
        The models.
    n_blocks : int
        Number of blocks of time.
    values : mapping of str to sequences
        The values that are tried for each setting.
    workers : int
        Number of threads.
    """

    arena: Arena
    models: tuple[CellModel, ...]
    n_blocks: int
    values: Mapping[str, Sequence[Any]]
    workers: int


def read_protocol(
    maze: Any, models: Any, blocks: int, settings: Any, workers: int | None
) -> Protocol:
    """Return the arguments of a comparison of models, or raise `InputError`."""
    arena = arena_of(maze)
    return Protocol(
        arena,
        read_models(models, arena),
        check_count(blocks, "blocks", least=2),
        read_settings(settings, arena),
        check_workers(workers),
    )


@dataclass(frozen=True)
class Study:
    """A protocol applied to the track of an animal.

    Attributes
    ----------
    protocol : Protocol
        The models and how they are compared.
    track : Track
        The path of the animal.
    """

    protocol: Protocol
    track: Track
    _families: dict[tuple[str, int], list[tuple[dict[str, Any], FloatArray]]] = field(
        default_factory=dict, init=False
    )

    @cached_property
    def block(self) -> IntArray:
        """The block of each frame, of shape (F,)."""
        return self.track.blocks(self.protocol.n_blocks)

    @cached_property
    def time(self) -> FloatArray:
        """Time spent in each block and state, of shape (B, S)."""
        return self.track.time_in(self.block)

    def families(self, model: CellModel, block: int) -> list[tuple[dict[str, Any], FloatArray]]:
        """Return the fields of a model for each setting, made without a block (-1: none)."""
        if not model.follows_behaviour:
            block = -1
        if (model.name, block) not in self._families:
            policy = self.track.behaviour_without(block, self.block)
            families = list(model.families(self.protocol.arena, policy, self.protocol.values))
            if block >= 0:
                return families  # used once, and large
            self._families[model.name, block] = families
        return self._families[model.name, block]

    def score(
        self, counts: np.ndarray, units: Sequence[Hashable] = ()
    ) -> tuple[FloatArray, list[dict[str, Any]]]:
        """Return the held-out score of every model and row of counts, and the fits of some rows.

        Parameters
        ----------
        counts : float32 array of shape (R, B, S)
            Spikes in each block and state.
        units : sequence
            Names of the first rows. Only their fits are returned.

        Returns
        -------
        scores : float array of shape (M, R)
            In bits per spike. nan for rows without spikes.
        fits : list of dict
            The fit of each named row in each block.
        """
        spikes = counts.sum(axis=(1, 2), dtype=np.float64)
        models = self.protocol.models
        nats = np.zeros((len(models), counts.shape[0]))
        fits = []
        for m, model in enumerate(models):
            for block in range(self.protocol.n_blocks):
                training = np.delete(self.time, block, axis=0).sum(axis=0)
                candidates = Candidates.of(self.families(model, block), training)
                workers = self.protocol.workers
                scored = score_block(candidates, counts, self.time, block, workers=workers)
                nats[m] += scored.score
                for row, unit in enumerate(units):
                    where = {"model": model.name, "unit": unit, "block": block}
                    fits.append(where | _described(candidates, scored, row))
        with np.errstate(invalid="ignore", divide="ignore"):
            return nats / (np.log(2.0) * spikes), fits


def _described(candidates: Candidates, fits: Fits, row: int) -> dict[str, Any]:
    """Return the fit of a row: the field, its setting, the rates and the held-out bits."""
    k, w, r = int(fits.chosen[row]), float(fits.weight[row]), float(fits.rate[row])
    d, first = candidates.relative[k], candidates.starts[:-1]
    return {
        **candidates.settings[k],
        "field": k - int(first[first <= k][-1]),
        "peak_state": int(d.argmax()),
        "peak_rate": r * (1.0 + w * float(d.max())),
        "baseline": r * (1.0 - w),
        "weight": w,
        "bits": float(fits.score[row]) / np.log(2.0),
    }
