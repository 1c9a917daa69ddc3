"""`recovery`: whether a recording could distinguish models of place fields, by simulation."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr._base.extras import needs
from hsr._base.seeds import Seed, generator_from
from hsr._base.validation import check_count, check_positive
from hsr.adapters.positions.tracked import TrackedMDP
from hsr.animals.cells.arena import Arena
from hsr.animals.cells.models import CellModel, between_values
from hsr.animals.cells.study import Study, read_protocol
from hsr.animals.cells.track import Track, recorded_track, repeated, simulated_track
from hsr.mdp.chain import check_policy

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped]

UNPREDICTED = "none"
_BASELINE = 0.02  # of the peak rate
_RELIABLE = 0.8
_SECONDS = 60.0


@dataclass(frozen=True)
class Recovery:
    """How often each model is recognised in simulated cells, as `recovery` returns it.

    Attributes
    ----------
    models : tuple of str
        The models.
    confusion : float array of shape (M, M + 1)
        Row m has the fractions of cells of model m that were recognised as each model. The last
        column counts cells that no model predicts better than their mean rate.
    mean_scores : float array of shape (M, M)
        Held-out bits per spike of each model (columns), averaged over the cells of model m.
    minutes, peak_rate : float
        Length of the recording, and the peak rate of cells in spikes per second.
    cells : int
        Number of cells of each model.

    Examples
    --------
    >>> import hsr
    >>> layout = hsr.load_layout("four_rooms")
    >>> models = ["sr", "gaussian"]
    >>> result = hsr.animals.recovery(layout, models, minutes=5, peak_rate=10, cells=4)
    >>> result.confusion.shape
    (2, 3)
    """

    models: tuple[str, ...]
    confusion: FloatArray
    mean_scores: FloatArray
    minutes: float
    peak_rate: float
    cells: int

    @property
    def recognised(self) -> FloatArray:
        """The fraction of the cells of each model that were recognised, of shape (M,)."""
        return np.diagonal(self.confusion).copy()

    @property
    def verdict(self) -> str:
        """A sentence that says whether such a recording could distinguish the models."""
        given = f"{self.minutes:g} minutes of cells that peak at {self.peak_rate:g} spikes/s"
        weak = [m for m in range(len(self.models)) if self.recognised[m] < _RELIABLE]
        if not weak:
            least = self.recognised.min()
            share = "all" if least == 1.0 else f"{least:.0%} or more"
            return f"{given} can tell these models apart: {share} are recognised"
        worst = min(weak, key=lambda m: self.recognised[m])
        others = self.confusion[worst].copy()
        others[worst] = -1.0
        taken = (*self.models, UNPREDICTED)[int(others.argmax())]
        best = self.mean_scores.argmax(axis=1) == np.arange(len(self.models))
        return (
            f"{given} cannot tell these models apart cell by cell: {self.models[worst]} is "
            f"recognised in {self.recognised[worst]:.0%} of its cells and taken for {taken} in "
            f"{others.max():.0%}; over {self.cells} cells the true model has the best mean score "
            f"for {best.sum()} of {best.size} models"
        )

    def to_pandas(self) -> "pandas.DataFrame":
        """Return the confusion matrix as a data frame: true models by recognised models."""
        needs("pandas", "Recovery.to_pandas")
        import pandas

        return pandas.DataFrame(
            self.confusion,
            index=pandas.Index(self.models, name="true model"),
            columns=pandas.Index((*self.models, UNPREDICTED), name="recognised as"),
        )

    def __str__(self) -> str:
        names = (*self.models, UNPREDICTED)
        wide = max(map(len, names)) + 2
        lines = ["true model (rows), recognised as (columns)"]
        lines.append(" " * wide + "".join(f"{name:>{wide}}" for name in names))
        for name, row in zip(self.models, self.confusion, strict=True):
            lines.append(f"{name:<{wide}}" + "".join(f"{part:>{wide}.2f}" for part in row))
        return "\n".join([*lines, self.verdict])


def recovery(
    maze: Any,
    models: Any = ("sr", "hsr", "gaussian", "geodesic"),
    minutes: float | None = None,
    peak_rate: float = 10.0,
    cells: int = 50,
    seed: Seed = 0,
    *,
    blocks: int = 5,
    policy: Any = None,
    step: float = 0.1,
    settings: Any = None,
    workers: int | None = None,
) -> Recovery:
    """Return how often each model is recognised in cells simulated from it.

    Run it before a comparison with real cells. If a model is not recognised in cells simulated from
    it, real cells cannot identify it either.

    Each simulated cell has a random field of its model, scaled to the peak rate, and a baseline of
    2 % of it. Its discount or width lies halfway between two of the values that are tried, because
    real cells do not follow such a grid. Its spikes are Poisson. They are compared as in
    `compare_cells`, without shifts, and a cell is recognised as the model with the highest held-out
    score.

    Parameters
    ----------
    maze : TrackedMDP, GridLayout or FiniteMDP
        A recording, a layout or an MDP. For a recording the recorded path is used: its beginning,
        or repeated if it is shorter than `minutes`. Otherwise the animal is simulated.
    models : sequence of str, or mapping of str to models
        As in `compare_cells`.
    minutes : float, optional
        Length of the recording. By default that of the recording itself, or 20. Times of a
        recording must be in seconds.
    peak_rate : float
        Largest rate of each cell, in spikes per second.
    cells : int
        Number of cells of each model.
    seed : int or numpy Generator
        Seed of the walk, the fields and the spikes.
    blocks : int
        Number of blocks, as in `compare_cells`.
    policy : array of shape (S, A), optional
        Policy of a simulated animal. Uniform by default. Not allowed with a recording.
    step : float
        Duration of a step of a simulated animal, in seconds.
    settings, workers
        As in `compare_cells`.

    Returns
    -------
    Recovery
        The confusion matrix and a verdict. Print it.

    Raises
    ------
    InputError
        If a model is unknown, or numbers are out of range.

    Examples
    --------
    >>> import hsr
    >>> layout = hsr.load_layout("four_rooms")
    >>> result = hsr.animals.recovery(layout, ("sr", "gaussian"), minutes=30, cells=20)
    >>> result.recognised
    array([1., 1.])
    """
    protocol = read_protocol(maze, models, blocks, settings, workers)
    chosen = protocol.models
    rate = check_positive(peak_rate, "peak_rate")
    n_cells = check_count(cells, "cells")
    rng = generator_from(seed)
    track = _track(maze, protocol.arena, minutes, policy, check_positive(step, "step"), rng)
    study = Study(protocol, track)
    spikes = [_spikes(study, model, n_cells, rate, rng) for model in chosen]
    scores, _ = study.score(np.concatenate(spikes))
    # A simulated cell that never fired has no score. It counts as predicted by no model.
    scores = np.where(np.isfinite(scores).all(axis=0), scores, 0.0)
    recognised = np.where(scores.max(axis=0) > 0.0, scores.argmax(axis=0), len(chosen))
    confusion = np.stack(
        [
            np.bincount(row, minlength=len(chosen) + 1) / n_cells
            for row in recognised.reshape(len(chosen), n_cells)
        ]
    )
    return Recovery(
        tuple(model.name for model in chosen),
        confusion,
        scores.reshape(len(chosen), len(chosen), n_cells).mean(axis=2).T,
        track.states.size * track.dt / _SECONDS,
        rate,
        n_cells,
    )


def _track(
    maze: Any,
    arena: Arena,
    minutes: float | None,
    policy: Any,
    step: float,
    rng: np.random.Generator,
) -> Track:
    """Return the recorded or simulated path."""
    length = None if minutes is None else check_positive(minutes, "minutes") * _SECONDS
    if isinstance(maze, TrackedMDP):
        if policy is not None:
            raise InputError("policy is given with a recording, whose own path is used; omit it")
        track = recorded_track(maze)
        return track if length is None else repeated(track, max(1, round(length / track.dt)))
    n_frames = max(1, round((20.0 * _SECONDS if length is None else length) / step))
    pi = check_policy(arena.mdp, policy)
    return simulated_track(arena.mdp, pi, n_frames, step, arena.possible(), rng)


def _spikes(
    study: Study, model: CellModel, n_cells: int, peak_rate: float, rng: np.random.Generator
) -> np.ndarray:
    """Return simulated spikes of cells of a model, a float32 array of shape (cells, B, S).

    Fields that are zero wherever the animal was are not drawn.
    """
    visited = study.time.sum(axis=0) > 0.0
    protocol = study.protocol
    between = Study(protocol._replace(values=between_values(protocol.values)), study.track)
    fields = np.concatenate([family.T for _, family in between.families(model, -1)])
    fields = fields[fields[:, visited].max(axis=1) > 0.0]
    if not fields.size:
        raise InputError(f"the model {model.name!r} has no field where the animal was")
    drawn = fields[rng.integers(fields.shape[0], size=n_cells)]
    shape = drawn / drawn[:, visited].max(axis=1, keepdims=True)
    rate = peak_rate * (_BASELINE + (1.0 - _BASELINE) * shape)
    return rng.poisson(rate[:, None] * study.time).astype(np.float32)
