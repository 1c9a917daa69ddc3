"""Spectra (Figure S5).

**Question.** Are the spectrum of the expected HSR and the norms of its NMF parts heavier-tailed
than those of the SR?

**Runs.** A world is a sign for each of the eight eigenvectors of the four rooms, because start and
goal do not matter for maps. In each world, for the SR of the random walk, the expected SR and the
expected HSR over every goal: the effective rank of the eigenvalues' magnitudes, and of the
Euclidean norms of the columns of W in M ~ W H. It is the exponential of the entropy of the values
over their sum, so that a heavier tail means a higher rank: the paper calls a light-tailed map
"numerically low-rank". Both distributions of the first world are drawn.

**Statements.** `spectrum-tail`: the expected HSR against both other maps, by eigenvalues and by
norms. eHSR and eSR hardly differ ("Why expected maps hardly differ" in docs/theory.md).

**Readings.** `hsr.paper.maps.sample.VARIANTS`. The norm of a column of W depends on how the
scale is divided between W and H; W is used as the factorisation returns it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.threads import one_thread
from hsr.agents import OptionSpec
from hsr.experiments import Axes, Claim, Experiment, Measure, Pair, ResultTable
from hsr.experiments.contrast import OF_LOGS
from hsr.experiments.experiment import rows_of
from hsr.grids import MazeSpec
from hsr.paper.figures.spectra import draw
from hsr.paper.maps import FeatureSetting, sample
from hsr.paper.maps.making import features_of, map_of, options_for
from hsr.paper.maps.measures import effective_rank
from hsr.paper.maps.sample import MapCondition, MapSetting, in_world
from hsr.paper.maps.summary import MAPS, read_as
from hsr.paper.worlds import FRESH

SPECTRA = ("eigenvalues", "norms")


def run(condition: MapCondition, number: int) -> dict[str, FloatArray]:
    """Return both spectra of every map, the largest value first, or their effective ranks."""
    world, options, maps = in_world(condition, number)
    read = [read_as(name, "nmf", maps, options) for name in MAPS]
    found = [_spectra(world, options_for(one, options), one) for one in read]
    by_kind = dict(zip(SPECTRA, zip(*found, strict=True), strict=True))
    if condition.part == "pictures":
        return {kind: np.stack(values) for kind, values in by_kind.items()}
    return {
        f"rank_of_{kind}": np.array([effective_rank(one) for one in values])
        for kind, values in by_kind.items()
    }


@lru_cache(maxsize=512)
def _spectra(
    world: MazeSpec, options: OptionSpec, features: FeatureSetting
) -> tuple[FloatArray, FloatArray]:
    with one_thread():
        eigenvalues = np.abs(np.linalg.eigvals(map_of(world, options, features)))
    norms = np.linalg.norm(features_of(world, options, features), axis=0)
    return np.sort(eigenvalues)[::-1], np.sort(norms)[::-1]


@dataclass(frozen=True, eq=False)
class Numbers:
    """Both spectra (map, n) of the first world, and their effective ranks (world, map)."""

    spectra: Mapping[str, FloatArray]
    ranks: dict[str, FloatArray]


def analyse(table: ResultTable, setting: MapSetting, of_parts: Mapping[str, Any]) -> Numbers:
    """Return the numbers of the figure and the claim."""
    rows = rows_of(table, setting, of_parts)
    return Numbers(
        next(iter(rows["pictures"])).arrays,
        {kind: rows["measures"].array(f"rank_of_{kind}") for kind in SPECTRA},
    )


def rank(kind: str, numbers: Numbers, name: str) -> Measure:
    """Return the logarithm of the effective rank of a spectrum."""
    values = numbers.ranks[kind][:, list(MAPS).index(name), None]
    return Measure(f"log effective rank of {kind}", np.log(values), bound=OF_LOGS)


HEAVIER = (
    'its orthogonal basis vectors inevitably "smear" the multi-scale structure of these '
    "manifolds across global components, leading to ... heavier-tailed spectral components"
)
HEAVY = "Low-dimensional basis of HSR is heavy-tailed distributed."
CLAIMS = (
    Claim(
        "spectrum-tail",
        "Eigenvalues and NMF norms of the expected HSR have heavier tails than those of RW-SR and "
        "eSR.",
        [
            Pair(
                "eHSR",
                name,
                +1,
                partial(rank, kind),
                statement=f"{words} of eHSR have a heavier tail than those of {name}.",
                quote=quote,
            )
            for kind, words, quote in (
                ("eigenvalues", "Eigenvalues", HEAVIER),
                ("norms", "Norms of the NMF parts", HEAVY),
            )
            for name in ("RW-SR", "eSR")
        ],
        "S5",
        "direction",
        "sign",
    ),
)
CAPTION = """
**a** Distribution of the magnitudes of the eigenvalues of the SR of the random walk (RW-SR), the
expected SR (eSR) and the expected HSR (eHSR), in one world. **b** The same for the norms of NMF
parts.
"""
EXPERIMENT = Experiment.from_function(
    "spectra",
    "eigenvalues of maps and norms of NMF parts",
    run,
    figure="S5",
    setting=MapSetting(first_world=FRESH),
    smoke={"worlds": 4, "maps.n_components": 16},
    conditions=sample.conditions,
    plan=sample.plan,
    check=sample.check_maze,
    analyse=analyse,
    axes=Axes(
        {
            **{f"rank_of_{kind}": ("map",) for kind in SPECTRA},
            "eigenvalues": ("map", "rank"),
            "norms": ("map", "component"),
        },
        lambda setting, arrays: {"map": tuple(MAPS)},
    ),
    claims=CLAIMS,
    draw=draw,
    caption=CAPTION,
    variants=sample.VARIANTS,
)
