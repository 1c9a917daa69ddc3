"""`compare_cells`: compare models of place fields by their prediction of held-out spikes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from hsr._base.arrays import IntArray
from hsr._base.errors import InputError
from hsr._base.seeds import Seed, generator_from
from hsr._base.validation import check_count, check_not_negative
from hsr.adapters.positions.tracked import TrackedMDP
from hsr.adapters.positions.values import check_tracked
from hsr.animals.cells.estimates import estimated
from hsr.animals.cells.result import CellComparison
from hsr.animals.cells.study import Study, read_protocol
from hsr.animals.cells.track import recorded_track
from hsr.animals.rates import count_spikes
from hsr.kernels.animals import count_shifted

USUAL_MODELS = ("sr", "hsr", "expected_sr", "nmf", "gaussian", "geodesic")
_MOST_BYTES = 2**28  # counts of a group of cells


def compare_cells(
    spikes: Any,
    mdp: TrackedMDP,
    models: Any = USUAL_MODELS,
    blocks: int = 5,
    shuffles: int = 200,
    seed: Seed = 0,
    *,
    min_shift: float = 20.0,
    settings: Any = None,
    workers: int | None = None,
) -> CellComparison:
    """Compare models of place fields by how well they predict the spikes of each cell.

    A model is a family of candidate fields f. The rate of a cell in state s is a f(s) + b with a
    and b not negative, and spikes are Poisson. (The baseline b has at least half a spike of the
    recording, so that no spike is impossible.) The recording is divided into contiguous blocks of
    time. For each block, the field, its setting (such as the discount), a and b are fitted by
    maximum likelihood on all *other* blocks. The score is the log likelihood of the spikes in the
    block, relative to the cell's mean rate in the other blocks, summed over blocks and divided by
    the number of spikes: bits per spike. It is negative if a model predicts worse than the mean
    rate.

    Maps of the behaviour are computed from the other blocks as well, so the held-out block has no
    influence on its prediction. All candidates have the same two free parameters, so the training
    likelihood can choose between them, and a model with more candidates has no advantage on
    held-out time.

    The chance level is the score of spikes that are shifted in time against the track, circularly
    over the frames that count. Shifts keep the temporal structure of spikes and of behaviour, and
    destroy their relation.

    Parameters
    ----------
    spikes : mapping or sequence of arrays, or TsGroup of pynapple
        Spike times of each cell, in units of the recording's t.
    mdp : TrackedMDP
        The recording, as `from_positions` returns it, with times.
    models : sequence of str, or mapping of str to models
        Words of `CELL_MODELS`. Or a mapping from names to words, to arrays of candidate fields of
        shape (S, K), to maps (columns are fields), or to functions of (mdp, policy) that return
        such arrays. A function is called once per block with the behaviour outside of it.
    blocks : int
        Number of blocks, at least 2.
    shuffles : int
        Number of circular shifts. 0 for none; p values are then nan.
    seed : int or numpy Generator
        Seed of the shifts.
    min_shift : float
        The smallest shift in either direction, in units of t.
    settings : mapping of str to lists, optional
        Values to try instead of the defaults for "discount", "n_options", "option_share" (which
        share of the choices of the HSR are options, between 0 and 1), "n_parts" and "width" (in
        units of xy). A setting with one value is given, not fitted: ``{"option_share": [0.2]}``.
    workers : int, optional
        Number of threads, by default one per core. It does not change results.

    Returns
    -------
    CellComparison
        Scores, p values, fits and estimates. Print it.

    Raises
    ------
    InputError
        If a model is unknown, no spike lies in the recording, or the recording is too short for the
        blocks or shifts.

    Warns
    -----
    HSRWarning
        If cells have no spikes in the recording. Their scores are nan.

    Examples
    --------
    A cell that fires in one corner of a square:

    >>> import numpy as np, hsr
    >>> rng = np.random.default_rng(0)
    >>> xy = np.abs((np.cumsum(rng.normal(0, 0.05, (6000, 2)), axis=0) + 1) % 4 - 2)
    >>> t = np.arange(6000) / 10
    >>> mdp = hsr.from_positions(xy, t, n_bins=6)
    >>> rate = 2 * np.exp(-((xy - 0.5) ** 2).sum(axis=1) / 0.2)
    >>> spikes = {"cell": t[rng.random(6000) < rate / 10]}
    >>> result = hsr.animals.compare_cells(spikes, mdp, ("sr", "gaussian"), shuffles=19)
    >>> result.scores.shape, bool((result.p_values == 0.05).all())
    ((2, 1), True)
    """
    n_shuffles = check_count(shuffles, "shuffles", least=0)
    least = check_not_negative(min_shift, "min_shift")
    protocol = read_protocol(check_tracked(mdp), models, blocks, settings, workers)
    units, every_frame = count_spikes(spikes, mdp)
    compared, track = protocol.models, recorded_track(mdp)
    study = Study(protocol, track)
    shifts = _shifts(track.states.size, track.dt, n_shuffles, least, seed)
    key = study.block * mdp.n_states + track.states
    trains = every_frame[:, np.flatnonzero(mdp.frames >= 0)]
    scores = np.empty((len(compared), 1 + n_shuffles, len(units)))
    fits: list[dict[str, Any]] = []
    for cells in _groups(len(units), (1 + n_shuffles) * study.time.size):
        counts = shifted_counts(trains[cells], key, shifts, study.time.shape)
        of_group, described = study.score(counts, [units[c] for c in cells])
        scores[:, :, cells] = of_group.reshape(len(compared), -1, cells.size)
        fits += described
    whole = shifted_counts(trains, key, shifts[:1], study.time.shape).sum(axis=1)
    return CellComparison(
        models=tuple(model.name for model in compared),
        units=units,
        scores=scores[:, 0],
        chance=scores[:, 1:],
        n_spikes=trains.sum(axis=1).astype(np.int64),
        blocks=protocol.n_blocks,
        chosen=tuple(fits),
        parameters=tuple(estimated(study, whole, units, mdp.coordinates)),
    )


def _shifts(n_frames: int, dt: float, n_shuffles: int, least: float, seed: Seed) -> IntArray:
    """Return 0 and the circular shifts, in frames, each at least `least` away from no shift."""
    rng = generator_from(seed)
    nearest = max(1, int(np.ceil(least / dt)))
    possible = n_frames - 2 * nearest + 1
    if n_shuffles and possible < n_shuffles:
        raise InputError(
            f"the recording has {n_frames} frames that count, {n_frames * dt:.6g} in units of t; "
            f"{n_shuffles} different shifts of at least {least:.6g} need "
            f"{(n_shuffles + 2 * nearest - 1) * dt:.6g}; ask for fewer shuffles or a smaller "
            "min_shift"
        )
    # Different shifts, because a repeated one would count twice in p values.
    drawn = rng.choice(possible, n_shuffles, replace=False) if n_shuffles else np.empty(0, int)
    return np.concatenate([[0], drawn + nearest])


def shifted_counts(
    trains: sparse.csr_array, key: IntArray, shifts: IntArray, shape: tuple[int, int]
) -> np.ndarray:
    """Return spikes in each block and state, for each shift and cell.

    Parameters
    ----------
    trains : sparse array of shape (C, F)
        Spikes of each cell in each frame that counts.
    key : int array of shape (F,)
        Block times S plus state of each frame.
    shifts : int array of shape (n,)
        By how many frames to shift the spikes.
    shape : (B, S)
        Numbers of blocks and states.

    Returns
    -------
    float32 array of shape (n * C, B, S)
        All cells with the first shift come first.
    """
    entries = sparse.coo_array(trains)
    cell, frame = (axis.astype(np.int64) for axis in entries.coords)
    n_cells = trains.shape[0]
    counts = np.zeros((shifts.size, n_cells, shape[0] * shape[1]), dtype=np.float32)
    count_shifted(cell, frame, entries.data, key, shifts, counts)
    return counts.reshape(shifts.size * n_cells, *shape)


def _groups(n_cells: int, numbers_per_cell: int) -> Iterator[IntArray]:
    """Yield groups of cells whose counts fit into a fixed amount of memory."""
    size = max(1, _MOST_BYTES // (4 * numbers_per_cell))
    for first in range(0, n_cells, size):
        yield np.arange(first, min(first + size, n_cells))
