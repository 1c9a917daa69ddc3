"""Numbers of Figures 1 and S1 and the evidence for their claims, from stored runs alone.

How the claims are measured. The *dispersion* of a map is the mean distance between rows of one
room, over that between rows of different rooms. Rooms *stay apart* if at least nine tenths of the
states are nearest to the mean row of their own room. *Local* and *at bottlenecks* are
`hoyer_sparsity` and `bottleneck_ratio` of NMF features. A vector is *global* if half of the states
have at least a tenth of its largest magnitude. How far it *changes sign* is the smaller of its two
extremes over the larger.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hsr.agents import OptionSpec
from hsr.basis import bottleneck_ratio, hoyer_sparsity
from hsr.grids import GridLayout
from hsr.mdp import FiniteMDP
from hsr.options import OptionSet
from hsr.paper.experiments.predictive_maps import PredictiveMaps, array_name
from hsr.paper.ledger import Evidence
from hsr.paper.maps import MapReading
from hsr.paper.maps.making import tasks_of
from hsr.paper.maps.summary import MAPS, MapSummary
from hsr.paper.store import ResultTable
from hsr.paper.worlds import world_of
from hsr.toolkit import FloatArray, IntArray, declarations

KINDS = ("map", "projection", "nmf", "svd")
APART, GLOBAL, SMALL_ERROR, ROUNDING = 0.9, 0.5, 0.05, 1e-12
REGIMES = declarations(MapReading)["trained_on"].allowed


@dataclass(frozen=True)
class Numbers(MapSummary):
    """What the figure shows, the measures of its claims, and the tests of the HSR's operator."""

    regimes: dict[str, IntArray]  # goals of the tasks of expected maps, by label
    dispersion: dict[str, float]
    own_rooms: float  # fraction of states nearest to the mean row of their room, in the eHSR
    sparsity: dict[str, float]
    bottlenecks: dict[str, float]
    reach: FloatArray  # of the first eight singular vectors of the eHSR
    sign_change: FloatArray  # of the second to the eighth
    contraction: FloatArray  # max |T M - T M'| / max |M - M'| of random pairs
    td_error: float  # of the learned HSR, over the largest entry of the exact one
    discount: float


def analyse(table: ResultTable, setting: PredictiveMaps) -> Numbers:
    """Return the numbers of the figure, from the first seed."""
    first = next(iter(table)).arrays
    layout, mdp = world_of(setting.world)
    by_map = {kind: {name: first[array_name(kind, name)] for name in MAPS} for kind in KINDS}
    maps, nmf, U = by_map["map"], by_map["nmf"], by_map["svd"]["eHSR"][:, :8]
    largest = np.abs(U).max(axis=0)
    return Numbers(
        layout=layout,
        options=OptionSet(
            first["policy"],
            first["termination"],
            first["initiation"],
            names=_names(setting.options),
        ),
        vectors=first["vectors"],
        eigenvalues=first["eigenvalues"],
        maps=maps,
        projections=by_map["projection"],
        nmf=nmf,
        svd=by_map["svd"],
        regimes={label: _goals(layout, mdp, word) for word, label in REGIMES.items()},
        dispersion={key: dispersion(M, layout.room_of) for key, M in maps.items()},
        own_rooms=own_room_fraction(maps["eHSR"], layout.room_of),
        sparsity={key: float(np.mean(hoyer_sparsity(W))) for key, W in nmf.items()},
        bottlenecks={key: float(bottleneck_ratio(W, layout.bottlenecks)) for key, W in nmf.items()},
        reach=np.mean(np.abs(U) > 0.1 * largest, axis=0),
        sign_change=(np.minimum(U.max(axis=0), -U.min(axis=0)) / largest)[1:],
        contraction=table.array("contraction").ravel(),
        td_error=float(table.array("td_error").max()),
        discount=setting.world.discount,
    )


def evidence(numbers: Numbers) -> list[Evidence]:
    """Return what the numbers say about the claims of the figure.

    The margin of a check with several conditions is the smallest of theirs.
    """
    spread, sparse, doors = numbers.dispersion, numbers.sparsity, numbers.bottlenecks
    worst, error, values = float(numbers.contraction.max()), numbers.td_error, numbers.eigenvalues
    most = numbers.discount * (1.0 + ROUNDING)
    farther = spread["eHSR"] - max(spread["RW-SR"], spread["eSR"])
    drop = float(-np.diff(values, append=0.0).max())
    sparser, at_doors = sparse["eHSR"] - sparse["RW-SR"], doors["eHSR"] - max(1.0, doors["RW-SR"])
    reach, change = float(numbers.reach.min()), float(numbers.sign_change.min())
    return [
        _exact(
            "theory-contraction",
            f"largest of {numbers.contraction.size} ratios {worst:.4f}, gamma {numbers.discount:g}",
            worst <= most,
            most - worst,
        ),
        _exact(
            "theory-fixed-point",
            f"largest error over largest entry {error:.3f}",
            error < SMALL_ERROR,
            SMALL_ERROR - error,
        ),
        _exact(
            "maps-dispersion",
            f"dispersion {_listed(spread)}; "
            f"{numbers.own_rooms:.0%} of states nearest to their own room",
            farther > 0.0 and numbers.own_rooms >= APART,
            min(farther, numbers.own_rooms - APART),
        ),
        _exact(
            "maps-options",
            f"{len(numbers.options)} options, eigenvalues from {values[0]:.2f} to {values[-1]:.2f}",
            drop > 0.0,
            drop,
        ),
        _exact(
            "maps-nmf-parts",
            f"sparsity {_listed(sparse)}; bottlenecks over elsewhere {_listed(doors)}",
            sparser > 0.0 and at_doors > 0.0,
            min(sparser, at_doors),
        ),
        _exact(
            "maps-svd-global",
            f"each of the first eight vectors reaches {reach:.0%} of the states or more; "
            f"all change sign: {change > 0.0}",
            reach >= GLOBAL and change > 0.0,
            min(reach - GLOBAL, change),
        ),
    ]


def dispersion(M: FloatArray, room_of: IntArray) -> float:
    """Return the mean distance of rows within rooms over that between rooms, without doors."""
    rows, rooms = M[room_of >= 0], room_of[room_of >= 0]
    apart = np.linalg.norm(rows[:, None] - rows[None], axis=2)
    same = rooms[:, None] == rooms[None]
    within = same & ~np.eye(len(rooms), dtype=bool)
    return float(apart[within].mean() / apart[~same].mean())


def own_room_fraction(M: FloatArray, room_of: IntArray) -> float:
    """Return the fraction of states nearest to the mean row of their own room, without doors."""
    means = np.stack([M[room_of == room].mean(axis=0) for room in range(room_of.max() + 1)])
    inside = room_of >= 0
    nearest = np.linalg.norm(M[inside][:, None] - means[None], axis=2).argmin(axis=1)
    return float((nearest == room_of[inside]).mean())


def _goals(layout: GridLayout, mdp: FiniteMDP, trained_on: str) -> IntArray:
    """Return the goals of the tasks of expected maps."""
    tasks = tasks_of(layout, mdp, MapReading(trained_on=trained_on))
    return np.array([task.goal for task in tasks])


def _names(options: OptionSpec) -> list[str]:
    """Return the names of the options in the figure."""
    if options.kind != "eigen":
        return [str(k + 1) for k in range(options.n_options)]
    first = 0 if options.first == "counted" else 1
    if options.signs == "both":
        return [f"{'+-'[k % 2]}v{k // 2 + first}" for k in range(options.n_options)]
    return [f"v{k + first}" for k in range(options.n_options)]


def _listed(by_map: Mapping[str, float]) -> str:
    return ", ".join(f"{key} {value:.3f}" for key, value in by_map.items())


def _exact(claim: str, what: str, holds: bool, margin: float) -> Evidence:
    return Evidence(claim, what, 0, None, holds=bool(holds), margin=float(margin))
