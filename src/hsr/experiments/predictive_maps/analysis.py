"""From the record of Figures 1 and S1 to its numbers and to the evidence for its claims.

How the claims are measured. *Dispersion* of a map: the mean distance between rows of one room, over that between rows of
different rooms; rooms *stay apart* if at least nine tenths of the states lie nearest to their own room's mean row. *Local* and
*at bottlenecks*: `hoyer_sparsity` and `bottleneck_ratio` of NMF features. A vector is *global* if half of the states have at
least a tenth of its largest magnitude.
"""

from dataclasses import dataclass

import numpy as np

from hsr._base.arrays import FloatArray, IntArray
from hsr.basis import bottleneck_ratio, hoyer_sparsity
from hsr.experiments.ledger import Evidence
from hsr.experiments.predictive_maps.numbers import Figure1
from hsr.experiments.predictive_maps.settings import PredictiveMaps
from hsr.mdp import load_layout
from hsr.options import OptionSet
from hsr.results import ResultTable

MAPS, KINDS = ("RW-SR", "eSR", "eHSR"), ("map", "projection", "nmf", "svd")
APART, GLOBAL, SMALL_ERROR, ROUNDING = 0.9, 0.5, 0.05, 1e-12


@dataclass(frozen=True)
class Numbers(Figure1):
    """What Figure 1 shows, with the tests of the HSR's operator."""

    contraction: FloatArray  # max |T M - T M'| / max |M - M'| of random pairs
    td_error: float  # of the learned HSR, over the largest entry of the exact one
    discount: float


def analyse(table: ResultTable, setting: PredictiveMaps) -> Numbers:
    """Return the numbers of the figure, from the first seed."""
    first = next(iter(table)).arrays
    stop = first["termination"].astype(bool)
    by_map = {word: {key: first[f"{word}_{key.lower().replace('-', '_')}"] for key in MAPS} for word in KINDS}
    return Numbers(
        layout=load_layout(setting.layout),
        options=OptionSet(first["policy"], first["termination"], ~stop, names=[f"v{k + 1}" for k in range(len(stop))]),
        vectors=first["vectors"],
        eigenvalues=first["eigenvalues"],
        maps=by_map["map"],
        projections=by_map["projection"],
        nmf=by_map["nmf"],
        svd=by_map["svd"],
        contraction=table.array("contraction").ravel(),
        td_error=float(table.array("td_error").max()),
        discount=setting.discount,
    )


def evidence(numbers: Numbers) -> list[Evidence]:
    """Return what the numbers say about the claims of the figure."""
    layout = numbers.layout
    spread = {key: dispersion(M, layout.room_of) for key, M in numbers.maps.items()}
    apart = own_room_share(numbers.maps["eHSR"], layout.room_of)
    sparse = {key: float(np.mean(hoyer_sparsity(W))) for key, W in numbers.nmf.items()}
    doors = {key: float(bottleneck_ratio(W, layout.bottlenecks)) for key, W in numbers.nmf.items()}
    reach = [float(np.mean(np.abs(u) > 0.1 * np.abs(u).max())) for u in numbers.svd["eHSR"][:, :8].T]
    signed = all((u > 0).any() and (u < 0).any() for u in numbers.svd["eHSR"][:, 1:8].T)
    worst = float(numbers.contraction.max())
    return [
        _exact(
            "theory-contraction",
            f"largest of {numbers.contraction.size} ratios {worst:.4f}, gamma {numbers.discount:g}",
            worst <= numbers.discount * (1.0 + ROUNDING),
        ),
        _exact(
            "theory-fixed-point", f"largest error over largest entry {numbers.td_error:.3f}", numbers.td_error < SMALL_ERROR
        ),
        _exact(
            "maps-dispersion",
            f"dispersion {_listed(spread)}; {apart:.0%} of states nearest to their own room",
            spread["eHSR"] > max(spread["RW-SR"], spread["eSR"]) and apart >= APART,
        ),
        _exact(
            "maps-options",
            f"{len(numbers.options)} options, eigenvalues from {numbers.eigenvalues[0]:.2f} to {numbers.eigenvalues[-1]:.2f}",
            bool((np.diff(numbers.eigenvalues) < 0).all()),
        ),
        _exact(
            "maps-nmf-parts",
            f"sparsity {_listed(sparse)}; bottlenecks over elsewhere {_listed(doors)}",
            sparse["eHSR"] > sparse["RW-SR"] and doors["eHSR"] > max(1.0, doors["RW-SR"]),
        ),
        _exact(
            "maps-svd-global",
            f"each of the first eight vectors reaches {min(reach):.0%} of the states or more; all change sign: {signed}",
            min(reach) >= GLOBAL and signed,
        ),
    ]


def dispersion(M: FloatArray, room_of: IntArray) -> float:
    """Return the mean distance between rows of one room, over that between rows of different rooms; doors are left out."""
    rows, rooms = M[room_of >= 0], room_of[room_of >= 0]
    apart = np.linalg.norm(rows[:, None] - rows[None], axis=2)
    same = rooms[:, None] == rooms[None]
    within = same & ~np.eye(len(rooms), dtype=bool)
    return float(apart[within].mean() / apart[~same].mean())


def own_room_share(M: FloatArray, room_of: IntArray) -> float:
    """Return the share of states, doors left out, whose row lies nearest to the mean row of their own room."""
    means = np.stack([M[room_of == room].mean(axis=0) for room in range(room_of.max() + 1)])
    inside = room_of >= 0
    nearest = np.linalg.norm(M[inside][:, None] - means[None], axis=2).argmin(axis=1)
    return float((nearest == room_of[inside]).mean())


def _listed(by_map: dict[str, float]) -> str:
    return ", ".join(f"{key} {value:.3f}" for key, value in by_map.items())


def _exact(claim: str, what: str, holds: bool) -> Evidence:
    return Evidence(claim, what, 0, None, holds=bool(holds))
