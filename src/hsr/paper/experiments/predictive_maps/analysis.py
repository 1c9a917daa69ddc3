"""Numbers of Figures 1 and S1 and what their claims compare, from stored runs alone.

How the claims are measured. The *dispersion* of a map is the mean distance between rows of one
room, over that between rows of different rooms. Rooms *stay apart* if at least nine tenths of the
states are nearest to the mean row of their own room. *Local* and *at bottlenecks* are
`hoyer_sparsity` and `bottleneck_ratio` of NMF features. A vector is *global* if half of the states
have at least a tenth of its largest magnitude. How far it *changes sign* is the smaller of its two
extremes over the larger.

Each of these is one number per world, and a claim compares the numbers of two maps, or those of a
map with the threshold, over worlds. Of the first eight singular vectors the least global one
counts, and of the second to the eighth the one that changes sign least.
"""

from dataclasses import dataclass

import numpy as np

from hsr.agents import OptionSpec
from hsr.grids import GridLayout
from hsr.mdp import FiniteMDP
from hsr.options import OptionSet
from hsr.paper.contrast import Contrast, Measure
from hsr.paper.experiments.predictive_maps import (
    EXPERIMENT,
    MEASURES,
    SIGNS,
    PredictiveMaps,
    array_name,
)
from hsr.paper.ledger import Evidence
from hsr.paper.maps import MapReading
from hsr.paper.maps.making import tasks_of
from hsr.paper.maps.sample import constant
from hsr.paper.maps.summary import MAPS, MapSummary
from hsr.paper.store import ResultTable
from hsr.paper.worlds import world_of
from hsr.toolkit import FloatArray, IntArray, declarations

KINDS = ("map", "projection", "nmf", "svd")
APART, GLOBAL, SMALL_ERROR, ROUNDING = 0.9, 0.5, 0.05, 1e-12
REGIMES = declarations(MapReading)["trained_on"].allowed
WORDS = {
    "dispersion": "dispersion of rows",
    "own_rooms": "states nearest to their own room",
    "sparsity": "sparsity of parts",
    "bottlenecks": "parts at doors over elsewhere",
    "reach": "reach of singular vectors",
    "sign_change": "sign change of singular vectors",
}


@dataclass(frozen=True)
class Numbers(MapSummary):
    """What the figure shows, the measures of its claims, and the tests of the HSR's operator.

    The pictures are those of the first world.
    """

    shown: int  # number of the world that is drawn
    regimes: dict[str, IntArray]  # goals of the tasks of expected maps, by label
    measures: dict[str, dict[str, Measure]]  # by name, then by map; values (world, 1)
    contraction: FloatArray  # max |T M - T M'| / max |M - M'| of random pairs
    td_error: float  # of the learned HSR, over the largest entry of the exact one
    discount: float


def analyse(table: ResultTable, setting: PredictiveMaps) -> Numbers:
    """Return the numbers of the figure."""
    of_part = EXPERIMENT.rows(table, setting)
    (picture,) = of_part["pictures"]
    first = picture.arrays
    layout, mdp = world_of(setting.world)
    by_map = {kind: {name: first[array_name(kind, name)] for name in MAPS} for kind in KINDS}
    return Numbers(
        layout=layout,
        options=OptionSet(
            first["policy"],
            first["termination"],
            first["initiation"],
            names=_names(setting.options, first["signs"]),
        ),
        vectors=first["vectors"],
        eigenvalues=first["eigenvalues"],
        maps=by_map["map"],
        projections=by_map["projection"],
        nmf=by_map["nmf"],
        svd=by_map["svd"],
        shown=picture.seed,
        regimes={label: _goals(layout, mdp, word) for word, label in REGIMES.items()},
        measures={name: _by_map(name, of_part["measures"]) for name in MEASURES},
        contraction=of_part["theory"].array("contraction").ravel(),
        td_error=float(of_part["theory"].array("td_error").max()),
        discount=setting.world.discount,
    )


def contrasts(numbers: Numbers) -> list[Contrast | Evidence]:
    """Return what the claims of the figure compare."""
    return [*exact(numbers), *over_worlds(numbers)]


def over_worlds(numbers: Numbers) -> list[Contrast]:
    """Return what claims compare over worlds."""
    dispersion, parts, vectors = "maps-dispersion", "maps-nmf-parts", "maps-svd-global"
    return [
        _against_map(dispersion, numbers, "dispersion", "RW-SR"),
        _against_map(dispersion, numbers, "dispersion", "eSR"),
        _against(dispersion, numbers, "own_rooms", APART),
        _against_map(parts, numbers, "sparsity", "RW-SR"),
        _against_map(parts, numbers, "bottlenecks", "RW-SR"),
        _against(parts, numbers, "bottlenecks", 1.0),
        _against(vectors, numbers, "reach", GLOBAL),
        _against(vectors, numbers, "sign_change", 0.0),
    ]


def exact(numbers: Numbers) -> list[Evidence]:
    """Return the checks without a test."""
    worst, error, values = float(numbers.contraction.max()), numbers.td_error, numbers.eigenvalues
    most = numbers.discount * (1.0 + ROUNDING)
    drop = float(-np.diff(values, append=0.0).max())
    return [
        _check(
            "theory-contraction",
            f"largest of {numbers.contraction.size} ratios {worst:.4f}, gamma {numbers.discount:g}",
            most - worst,
            or_equal=True,
        ),
        _check(
            "theory-fixed-point",
            f"largest error over largest entry {error:.3f}",
            SMALL_ERROR - error,
        ),
        _check(
            "maps-options",
            f"{len(numbers.options)} options, eigenvalues from {values[0]:.2f} to {values[-1]:.2f}",
            drop,
        ),
    ]


def _by_map(name: str, rows: ResultTable) -> dict[str, Measure]:
    values = rows.array(name)
    return {of: Measure(WORDS[name], values[:, k, None]) for k, of in enumerate(MAPS)}


def _against_map(claim: str, numbers: Numbers, measure: str, other: str) -> Contrast:
    of_map = numbers.measures[measure]
    return Contrast(claim, ("eHSR", other), +1, of_map["eHSR"], of_map[other], test="sign")


def _against(claim: str, numbers: Numbers, measure: str, threshold: float) -> Contrast:
    own = numbers.measures[measure]["eHSR"]
    agents = ("eHSR", f"threshold {threshold:g}")
    return Contrast(claim, agents, +1, own, constant(own, threshold), test="sign")


def _goals(layout: GridLayout, mdp: FiniteMDP, trained_on: str) -> IntArray:
    """Return the goals of the tasks of expected maps."""
    tasks = tasks_of(layout, mdp, MapReading(trained_on=trained_on))
    return np.array([task.goal for task in tasks])


def _names(options: OptionSpec, signs: IntArray) -> list[str]:
    """Return the names of the options, as `hsr.eigenoptions` gives them."""
    if options.kind != "eigen":
        return [str(k + 1) for k in range(options.n_options)]
    words, first = {sign: word for word, sign in SIGNS.items()}, int(options.first != "counted")
    each = 2 if options.signs == "both" else 1
    return [f"{words.get(sign, '')}v{k // each + first}" for k, sign in enumerate(signs.tolist())]


def _check(claim: str, what: str, margin: float, *, or_equal: bool = False) -> Evidence:
    holds = margin > 0.0 or (or_equal and margin == 0.0)
    return Evidence(claim, what, 0, None, holds=bool(holds), margin=float(margin))
