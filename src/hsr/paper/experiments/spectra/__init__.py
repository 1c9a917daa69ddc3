"""Spectra (Figure S5).

**Question.** Are the spectrum of the expected HSR and the norms of its non-negative parts
heavier-tailed than those of the SR?

**Runs.** A world is a sign for each eigenvector, because start and goal do not matter for maps. In
each world, for the SR of the random walk, the expected SR and the expected HSR over every goal of
the four rooms: the magnitudes of the eigenvalues, and the Euclidean norms of the columns of W in
the factorisation M ~ W H. The expected maps are not symmetric, so eigenvalues may be complex.

**Settings.** `paper`: 200 worlds, 50 of them under each control, and as many components as states.
`smoke`: 4 worlds and 16 components. `leading` is the number of values before the tail, by default
8, the number of options. `maps` says how maps and the NMF are made.

**Claim.** `spectrum-tail`. The tail is the fraction of the sum that comes after the leading values.
The claim compares the tail of the expected HSR with those of both other maps over worlds, for
eigenvalues and for norms.

**Controls.** *stopping states counted twice* and *options win ties*. Both change the expected HSR
only.

**Read with care.** The norm of a column of W depends on how the scale is divided between W and H. W
is used as the factorisation returns it.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from hsr.agents import OptionSpec
from hsr.grids import WorldSpec
from hsr.paper.axes import Axes
from hsr.paper.experiment import Experiment, Work, on_scored_worlds
from hsr.paper.maps import EXPECTED_MAP_CHOICES, NMF_CHOICES, FeatureSetting, MapReading
from hsr.paper.maps.making import features_of, map_of, options_for
from hsr.paper.maps.sample import CONTROLS, MapSetting, check_maze, options_in
from hsr.paper.setting import Setting
from hsr.paper.store import Record
from hsr.toolkit import FloatArray, one_thread

MAPS = {
    "RW-SR": FeatureSetting(kind="nmf", of="rw_sr"),
    "eSR": FeatureSetting(kind="nmf", of="esr"),
    "eHSR": FeatureSetting(kind="nmf", of="ehsr"),
}


class SpectrumCondition(Setting):
    """One map, and the NMF of it."""

    world: WorldSpec = WorldSpec()
    options: OptionSpec = OptionSpec(signs="random")
    features: FeatureSetting = FeatureSetting(kind="nmf")


class Spectra(MapSetting):
    """Settings of the experiment; leading: the number of values before the tail."""

    leading: Annotated[int, Field(ge=1, description="number of values before the tail")] = 8


def conditions(setting: Spectra) -> dict[str, SpectrumCondition]:
    """Return the condition of each map."""
    read = {name: one.read(setting.maps, setting.options) for name, one in MAPS.items()}
    return {
        name: SpectrumCondition(
            world=setting.world, options=options_for(features, setting.options), features=features
        )
        for name, features in read.items()
    }


def plan(
    setting: Spectra, of_maps: Mapping[str, SpectrumCondition]
) -> Iterator[tuple[Setting, Sequence[int]]]:
    """Yield every condition with all worlds."""
    check_maze(setting, rooms=False)
    yield from on_scored_worlds(setting, of_maps)


def run(setting: dict[str, Any], worlds: Sequence[int], experiment: str) -> Iterator[Record]:
    """Yield one record per world.

    The arrays are the magnitudes of the eigenvalues (S,) and the norms of the features (K,), the
    largest first.
    """
    condition = SpectrumCondition.model_validate(setting)
    for number in worlds:
        begin = time.perf_counter()
        options = options_in(condition.world, condition.options, number)
        eigenvalues, norms = _spectrum(condition.world, options, condition.features)
        arrays = {"eigenvalues": eigenvalues, "norms": norms}
        yield Record(experiment, setting, number, arrays, time.perf_counter() - begin)


@lru_cache(maxsize=1024)
def _spectrum(
    world: WorldSpec, options: OptionSpec, features: FeatureSetting
) -> tuple[FloatArray, FloatArray]:
    with one_thread():
        eigenvalues = np.abs(np.linalg.eigvals(map_of(world, options, features)))
    norms = np.linalg.norm(features_of(world, options, features), axis=0)
    return np.sort(eigenvalues)[::-1], np.sort(norms)[::-1]


EXPERIMENT = Experiment(
    name="spectra",
    figure="S5",
    title="eigenvalues of maps and norms of NMF parts",
    work=Work(run, plan, axes=Axes({"eigenvalues": ("rank",), "norms": ("component",)})),
    conditions=conditions,
    presets={"smoke": Spectra(maps=MapReading(n_components=16), worlds=4), "paper": Spectra()},
    controls=CONTROLS,
    sensitive_to=("signs", "first_vector", "policies", *EXPECTED_MAP_CHOICES, *NMF_CHOICES),
)
