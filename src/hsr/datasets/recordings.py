"""Data sets of brains: fMRI adaptation on a graph, and units of a rat on a W-maze."""

from collections.abc import Iterator

import numpy as np

from hsr._base.arrays import FloatArray, read_only
from hsr._base.errors import InputError
from hsr.animals.paths import KEYS, Paths, graph_mdp
from hsr.datasets.dataset import Dataset
from hsr.datasets.fetching import fetch, source_of
from hsr.mdp.finite import FiniteMDP

# Neighbours of each object, counted from 1, as in generate_graph.m of the source.
GRAPH = (
    (2, 3, 8), (1, 3, 9), (1, 2, 4, 5, 8, 9), (3, 6, 8, 10, 12), (3, 7, 9, 11, 12), (4, 10, 12),
    (5, 11, 12), (1, 3, 4, 10), (2, 3, 5, 11), (4, 6, 8), (5, 7, 9), (4, 5, 6, 7),
)  # fmt: skip
CLOCK, END = 30_000.0, b"<End settings>\n"  # ticks per second, and the last line of the header
FRAME = [("t", "<u4"), ("x", "<u2"), ("y", "<u2"), ("x2", "<u2"), ("y2", "<u2")]


def garvert2017() -> Dataset:
    """Return fMRI adaptation of 23 people between objects on a graph of 12 nodes.

    The world "graph" has the 12 objects as states 0 to 11 [garvert2017]. In training, people saw a
    random walk on it. In the scanner they saw the objects 0 to 6 in random order. There are no
    paths, because only the number of each transition is known.

    ======================  =================  ====================================================
    array                   shape              meaning
    ======================  =================  ====================================================
    ``roi1`` to ``roi5``    (23, 3, 7, 7)      parameter estimates by subject, run, object before
                                               and object now, in five entorhinal regions; ``roi3``
                                               was defined independently of these data
    ``transition_count``    (23, 12, 12)       how often each transition was seen in training
    ``time``                (23, 7, 7)         mean number of objects between two, in training
    ``rt_train``            (23, 12)           response times in blocks of training
    ``cr_train``            (23, 12)           share of correct responses there
    ``rt_object``           (23, 3, 7)         response times in the scanner, by run and object
    ``cr_object``           (23, 3, 7)         share of correct responses there
    ``rt_trans``            (23, 7, 7)         response times by object before and object now
    ======================  =================  ====================================================

    Returns
    -------
    Dataset
        With `worlds` and `arrays`.

    Raises
    ------
    InputError
        If a file cannot be fetched. The message says where to put it.
    """
    from scipy.io import loadmat

    arrays = {
        name: read_only(array)
        for file in fetch("garvert2017").values()
        for name, array in loadmat(file).items()
        if not name.startswith("__")
    }
    graph = graph_mdp([[node - 1 for node in nodes] for nodes in GRAPH], 0.9)
    return Dataset(source_of("garvert2017"), _no_paths(graph=graph), arrays=arrays)


def wmaze() -> Dataset:
    """Return positions and spikes of one rat on a W-maze: run, rest, run, rest, in 73 minutes.

    `arrays` has ``t``, the time of each frame in seconds, and ``xy`` of shape (frames, 2), the
    position in pixels of a camera, with y downwards. `units` has the spike times of 25 units.
    Unit 19 fires at 106 spikes per second and is noise. One animal in one session can test an
    analysis but supports no claim.

    Returns
    -------
    Dataset
        With `arrays` and `units`.

    Raises
    ------
    InputError
        If a file cannot be fetched. The message says where to put it.

    See Also
    --------
    hsr.from_positions : makes a world of positions.
    """
    from scipy.io import loadmat

    found = fetch("wmaze")
    _, end, body = found["trajectory.videoPositionTracking"].read_bytes().partition(END)
    if not end:
        raise InputError("the trajectory of the W-maze has no header that ends with <End settings>")
    frames = np.frombuffer(body, dtype=FRAME)
    xy = np.stack([frames["x"], frames["y"]], axis=1).astype(np.float64)
    times = [t for t in _spike_times(loadmat(found["spikes.mat"])["spikes"]) if t.size]
    return Dataset(
        source_of("wmaze"),
        _no_paths(),
        arrays={"t": read_only(frames["t"] / CLOCK), "xy": read_only(xy)},
        units=dict(enumerate(map(read_only, times))),
    )


def _spike_times(cells: np.ndarray) -> Iterator[FloatArray]:
    """Yield the times of each unit of nested arrays of tetrodes and units."""
    if cells.dtype.names:
        yield from (np.ravel(times).astype(np.float64) for times in cells["time"].flat)
    elif cells.dtype == object:
        for cell in cells.flat:
            yield from _spike_times(cell)


def _no_paths(**worlds: FiniteMDP) -> Paths:
    import pandas  # type: ignore[import-untyped]

    return Paths(pandas.DataFrame(columns=[*KEYS, "success"]), (), dict(worlds))
