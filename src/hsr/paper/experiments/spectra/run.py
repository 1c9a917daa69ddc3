"""The spectrum of one map; the seed changes nothing."""

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hsr.paper.experiments.spectra.settings import NAME, Spectrum
from hsr.paper.map_making import features_of, map_of
from hsr.paper.store import Record
from hsr.toolkit import one_thread


def run(setting: dict[str, Any], seeds: Sequence[int]) -> Iterator[Record]:
    """Yield one record per seed: magnitudes of the eigenvalues (S,) and norms of the features (K,),
    largest first.
    """
    cell = Spectrum.model_validate(setting)
    begin = time.perf_counter()
    with one_thread():
        eigenvalues = np.abs(np.linalg.eigvals(map_of(cell.world, cell.options, cell.features)))
    norms = np.linalg.norm(features_of(cell.world, cell.options, cell.features), axis=0)
    arrays = {"eigenvalues": np.sort(eigenvalues)[::-1], "norms": np.sort(norms)[::-1]}
    seconds = (time.perf_counter() - begin) / len(seeds)
    for seed in seeds:
        yield Record(experiment=NAME, setting=setting, seed=seed, arrays=arrays, seconds=seconds)
