"""Spectra (Figure S5).

**Question.** Are the spectrum of the expected HSR and the norms of its non-negative parts
heavier-tailed than those of the SR?

**Runs.** For the SR of the random walk, the expected SR and the expected HSR over every goal of the
four rooms: the magnitudes of the eigenvalues, and the Euclidean norms of the columns of W in the
factorisation M ~ W H. The expected maps are not symmetric, so eigenvalues may be complex. Nothing
depends on a seed.

**Settings.** `paper`: as many components as states. `smoke`: 16. `leading` is the number of values
before the tail, by default 8, the number of options. `maps` says how maps and the NMF are made.

**Claim.** `spectrum-tail`. The tail is the fraction of the sum that comes after the leading values.
The claim holds if the tail of the expected HSR is larger than those of both other maps, for
eigenvalues and for norms. The comparison is exact: there is no test.

**Controls.** *stopping states counted twice* and *options win ties*. Both change the expected HSR
only.

**Read with care.** The norm of a column of W depends on how the scale is divided between W and H. W
is used as the factorisation returns it.
"""

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hsr.agents import OptionSpec
from hsr.grids import WorldSpec
from hsr.paper.experiment import Experiment, Work
from hsr.paper.maps import EXPECTED_MAP_CHOICES, FeatureSetting, MapReading
from hsr.paper.maps.making import features_of, map_of
from hsr.paper.setting import Setting
from hsr.paper.store import Record
from hsr.toolkit import one_thread

MAPS = {
    "RW-SR": FeatureSetting(kind="nmf", of="rw_sr"),
    "eSR": FeatureSetting(kind="nmf", of="esr"),
    "eHSR": FeatureSetting(kind="nmf", of="ehsr"),
}


class SpectrumCondition(Setting):
    """One map, and the NMF of it."""

    world: WorldSpec = WorldSpec()
    options: OptionSpec = OptionSpec()
    features: FeatureSetting = FeatureSetting(kind="nmf")


class Spectra(Setting):
    """Settings of the experiment; leading: the number of values before the tail."""

    world: WorldSpec = WorldSpec()
    options: OptionSpec = OptionSpec()
    maps: MapReading = MapReading()
    leading: int = 8


def conditions(setting: Spectra) -> dict[str, SpectrumCondition]:
    """Return the condition of each map."""
    return {
        name: SpectrumCondition(
            world=setting.world,
            options=setting.options,
            features=features.read(setting.maps, setting.options),
        )
        for name, features in MAPS.items()
    }


def run(setting: dict[str, Any], seeds: Sequence[int], experiment: str) -> Iterator[Record]:
    """Yield one record per seed.

    The arrays are the magnitudes of the eigenvalues (S,) and the norms of the features (K,), the
    largest first.
    """
    condition = SpectrumCondition.model_validate(setting)
    what = condition.world, condition.options, condition.features
    begin = time.perf_counter()
    with one_thread():
        eigenvalues = np.abs(np.linalg.eigvals(map_of(*what)))
    norms = np.linalg.norm(features_of(*what), axis=0)
    arrays = {"eigenvalues": np.sort(eigenvalues)[::-1], "norms": np.sort(norms)[::-1]}
    seconds = (time.perf_counter() - begin) / len(seeds)
    for seed in seeds:
        yield Record(experiment, setting, seed, arrays, seconds)


EXPERIMENT = Experiment(
    name="spectra",
    figure="S5",
    title="eigenvalues of maps and norms of NMF parts",
    work=Work(run),
    conditions=conditions,
    presets={"smoke": Spectra(maps=MapReading(n_components=16)), "paper": Spectra()},
    controls={
        "stopping states counted twice": {"maps.stopping_state": "counted_twice"},
        "options win ties": {"maps.ties": "options"},
    },
    sensitive_to=("signs", "policies", *EXPECTED_MAP_CHOICES, "nmf_start"),
)
