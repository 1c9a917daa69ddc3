"""Predictive maps (Figures 1 and S1).

**Question.** Are rows of the expected HSR more dispersed within rooms than those of the SR? Is its
NMF made of sparse, local parts, while singular vectors are global? Do the exact statements about
the hierarchical map hold?

**Runs.** A world is a sign for each of the eight eigenvectors of the four rooms, because start and
goal do not matter for maps. In each world: the measures (`hsr.paper.maps.measures`) of the SR of
the random walk (RW-SR), the expected SR and HSR over every goal (eSR, eHSR) and their NMF and SVD
features; the Bellman operator of the HSR on 50 pairs of random maps; and the HSR of one task,
learned by temporal differences. The first world is drawn.

**Statements.** `theory-contraction` and `theory-fixed-point` are exact. Learning uses a plan
without ties and a step size of 1, so that it ends in the fixed point up to rounding. `maps-options`
holds by construction. `maps-dispersion`, `maps-nmf-parts` and `maps-svd-global` compare maps and
features in each world. Where eHSR is compared with eSR, little difference is to be expected: both
count visits of optimal policies ("Why expected maps hardly differ" in docs/theory.md).

**Readings.** `hsr.paper.maps.sample.VARIANTS`. If stopping states are counted twice,
`theory-fixed-point` fails, because the learning rule of the paper counts them once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np

import hsr
from hsr._base.arrays import FloatArray
from hsr.agents import OptionSpec
from hsr.experiments import (
    Axes,
    Claim,
    Evidence,
    Experiment,
    Measure,
    Pair,
    ResultTable,
)
from hsr.experiments.contrast import OF_LOGS, OF_SHARES
from hsr.experiments.experiment import rows_of
from hsr.grids import MazeSpec
from hsr.paper.figures.predictive_maps import draw
from hsr.paper.maps import FeatureSetting, measures, sample
from hsr.paper.maps.making import features_of, map_of, options_for
from hsr.paper.maps.sample import MapCondition, MapSetting, in_world
from hsr.paper.maps.summary import MAPS, PICTURE_AXES, MapSummary, read_as, summary_of
from hsr.paper.maps.theory import operator_checks
from hsr.paper.worlds import FRESH, world_of

ROUNDING = 1e-9
FEATURES = {f"{name}-{kind.upper()}": (name, kind) for kind in ("nmf", "svd") for name in MAPS}
OF_MAPS = {  # in words, and the difference that counts as none; ratios are compared as logarithms
    "dispersion": ("log distance of rows within rooms over that between", OF_LOGS),
    "own_rooms": ("states nearest to the mean row of their own room", OF_SHARES),
}
OF_FEATURES = {
    "sparsity": ("sparsity of components", OF_SHARES),
    "overlap": ("overlap of components", OF_SHARES),
    "spread": ("log spread of components", OF_LOGS),
    "bottlenecks": ("log activation at bottlenecks over elsewhere", OF_LOGS),
    "reach": ("share of states that a component covers", OF_SHARES),
    "sign_change": ("smaller extreme of components over the larger", OF_SHARES),
}


def run(condition: MapCondition, number: int) -> dict[str, Any]:
    """Return the arrays of one world: what is drawn of it, or what is judged."""
    world, options, maps = in_world(condition, number)
    if condition.part == "pictures":
        return summary_of(world, options, maps).arrays()
    basis = {name: read_as(*of, maps, options) for name, of in FEATURES.items()}
    of_maps = [
        _of_map(world, options_for(basis[f"{name}-NMF"], options), basis[f"{name}-NMF"])
        for name in MAPS
    ]
    of_features = [_of_features(world, options_for(one, options), one) for one in basis.values()]
    return {
        **dict(zip(OF_MAPS, np.array(of_maps).T, strict=True)),
        **dict(zip(OF_FEATURES, np.array(of_features).T, strict=True)),
        **operator_checks(world, options, maps, number),
    }


@lru_cache(maxsize=512)
def _of_map(world: MazeSpec, options: OptionSpec, features: FeatureSetting) -> tuple[float, ...]:
    (layout, _), M = world_of(world), map_of(world, options, features)
    return measures.dispersion(M, layout.room_of), measures.own_room_fraction(M, layout.room_of)


@lru_cache(maxsize=512)
def _of_features(
    world: MazeSpec, options: OptionSpec, features: FeatureSetting
) -> tuple[float, ...]:
    layout, _ = world_of(world)
    W = features_of(world, options, features)
    distances = np.stack([layout.distances_from(s) for s in range(layout.n_states)])
    return (
        float(np.nanmean(hsr.basis.hoyer_sparsity(W))),
        measures.overlap(W),
        measures.spread(W, distances.astype(np.float64)),
        hsr.basis.bottleneck_ratio(W, layout.bottlenecks),
        measures.reach(W),
        measures.sign_change(W),
    )


@dataclass(frozen=True, eq=False)
class Numbers:
    """What is drawn, and what is judged: arrays (world, map), (world, features) or (world,)."""

    pictures: MapSummary
    measured: dict[str, FloatArray]
    discount: float


def analyse(table: ResultTable, setting: MapSetting, of_parts: Mapping[str, Any]) -> Numbers:
    """Return the numbers of the figure and the claims."""
    rows = rows_of(table, setting, of_parts)
    layout, _ = world_of(setting.world)
    names = (*OF_MAPS, *OF_FEATURES, "contraction", "td_error")
    return Numbers(
        pictures=MapSummary(layout, **next(iter(rows["pictures"])).arrays),
        measured={name: rows["measures"].array(name) for name in names},
        discount=setting.world.discount,
    )


def measure(which: str, numbers: Numbers, name: str) -> Measure:
    """Return a measure of a map or of its features; "elsewhere" is what ratios refer to."""
    words, bound = (OF_MAPS | OF_FEATURES)[which]
    values, names = numbers.measured[which], list(MAPS if which in OF_MAPS else FEATURES)
    found = np.ones(len(values)) if name == "elsewhere" else values[:, names.index(name)]
    return Measure(words, (np.log(found) if bound == OF_LOGS else found)[:, None], bound=bound)


def larger(which: str, first: str, second: str, statement: str, **more: Any) -> Pair:
    """Return the statement that the first has more of something."""
    return Pair(first, second, +1, partial(measure, which), statement=statement, **more)


def parts(which: str, words: str, quote: str, *, less: bool = False) -> list[Pair]:
    """Return statements about the NMF parts of eHSR and those of both SRs."""
    return [
        larger(
            which,
            *((f"{name}-NMF", "eHSR-NMF") if less else ("eHSR-NMF", f"{name}-NMF")),
            f"NMF parts of eHSR {words} those of {name}.",
            quote=quote,
        )
        for name in ("RW-SR", "eSR")
    ]


def exact(margin: float, what: str, statement: str, quote: str, **more: Any) -> list[Evidence]:
    """Return an exact check, which holds if the margin is not negative."""
    holds = margin >= 0.0
    return [Evidence("", what, 0, None, holds, margin, statement=statement, quote=quote, **more)]


def contracts(numbers: Numbers) -> list[Evidence]:
    """Return the check that the operator contracts by gamma at least, up to rounding."""
    worst, gamma = float(numbers.measured["contraction"].max()), numbers.discount
    return exact(
        gamma * (1.0 + ROUNDING) - worst,
        f"largest ratio {worst:.4f}, gamma {gamma:g}",
        "The operator shrinks the largest difference of two maps by gamma at least.",
        "For any discount factor ... T is a contraction mapping with respect to the max-norm",
    )


def converges(numbers: Numbers) -> list[Evidence]:
    """Return the check that learning ends in the closed form, up to rounding."""
    worst = float(numbers.measured["td_error"].max())
    return exact(
        ROUNDING - worst,
        f"largest error over largest entry {worst:.2g}",
        "Temporal differences end in the closed form of the HSR.",
        "the HSR Bellman operator defines an equivalent iterative update rule for learning the HSR "
        "online",
    )


def slows_down(numbers: Numbers) -> list[Evidence]:
    """Return the check that eigenvalues, the time scales of options, decrease."""
    values = numbers.pictures.eigenvalues
    return exact(
        float(-np.diff(values).max(initial=-np.inf)),
        f"{len(values)} eigenvalues from {values[0]:.2f} to {values[-1]:.2f}",
        "Eigenoptions have decreasing time scales.",
        "options are defined by the set of principal eigenvectors of the random-walk SR matrix, "
        "... with decreasing timescales of diffusion (with eigenvalues)",
        by_construction="The eigenvectors are sorted by their eigenvalues.",
    )


DISPERSED = (
    "HSR dynamics is piecewise-smooth, characterised by manifolds with effective "
    "intra-compartment dispersion, whilst preserving the inter-compartment differences"
)
OVERLAPPING = (
    'the feature collapse in standard SRs makes "parts-based" decomposition via NMF ill-posed, '
    "... leading to trivial and overlapping factorisations"
)
SPARSE = "Notably, we observe sparse HSR-NMF basis with over-representation of bottleneck states"
LOCAL = (
    "non-negative matrix factorisation (NMF) to extract the K-dimensional sparse, localised basis"
)
GLOBAL = "eigenvectors of the HSR ..., which indeed captures the globally supported smooth dynamics"
INDEFINITE = (
    "the resultant components are typically globally supported and sign-indefinite. We therefore "
    "employ non-negative matrix factorisation to obtain sparse, localised, and interpretable "
    "factors"
)
PERRON = (
    "Parts have no negative entries. A singular vector after the first is orthogonal to the first, "
    "whose entries are positive, and therefore has both signs."
)
COVER = "Singular vectors of {} cover more states than its NMF parts."
CLAIMS = (
    Claim(
        "theory-contraction", "The operator of the HSR contracts.", contracts, "Thm 3.1", "exact"
    ),
    Claim("theory-fixed-point", "The HSR can be learned.", converges, "Eq. 6-8", "exact"),
    Claim(
        "maps-dispersion",
        "Within a room, rows of the expected HSR lie farther apart than those of RW-SR and eSR, "
        "while rooms stay separate. (Expected maps hardly differ: the page on theory says why.)",
        [
            statement
            for name in ("RW-SR", "eSR")
            for statement in (
                larger(
                    "dispersion", "eHSR", name, f"Rows of eHSR are more dispersed than {name}'s."
                ),
                Pair(
                    "eHSR",
                    name,
                    0,
                    partial(measure, "own_rooms"),
                    statement=f"Rows of eHSR tell rooms apart as well as {name}'s.",
                ),
            )
        ],
        "1g",
        "direction",
        "sign",
        DISPERSED,
    ),
    Claim("maps-options", "Eigenoptions go from slow to fast.", slows_down, "1d, S1a", "picture"),
    Claim(
        "maps-nmf-parts",
        "NMF of the expected HSR gives sparse, local parts with over-represented bottlenecks; that "
        "of the SR gives overlapping ones. (Expected maps hardly differ: the page on theory says "
        "why.)",
        [
            *parts("sparsity", "are sparser than", SPARSE),
            *parts("overlap", "overlap less than", OVERLAPPING, less=True),
            *parts("spread", "are more local than", LOCAL, less=True),
            larger("bottlenecks", "eHSR-NMF", "elsewhere", "NMF parts of eHSR favour bottlenecks."),
            parts("bottlenecks", "favour bottlenecks more than", SPARSE)[0],
        ],
        "1h, 1j, S1b",
        "direction",
        "sign",
        SPARSE,
    ),
    Claim(
        "maps-svd-global",
        "Singular vectors are global and change sign, NMF parts are local.",
        [
            larger("reach", "eHSR-SVD", "eHSR-NMF", COVER.format("eHSR"), quote=GLOBAL),
            larger("reach", "eSR-SVD", "eSR-NMF", COVER.format("eSR")),
            larger(
                "sign_change",
                "eHSR-SVD",
                "eHSR-NMF",
                "Singular vectors of eHSR change sign, its NMF parts do not.",
                by_construction=PERRON,
            ),
        ],
        "1i, S1b",
        "direction",
        "sign",
        INDEFINITE,
    ),
)
CAPTION = """
**a** How the maps are made. **b** Goals of the tasks of expected maps: every state here, the others
are readings. **c** The SR of the random walk, states by room, colours logarithmic, without the
diagonal. **d** Its leading eigenvectors with their eigenvalues, and the policies of their options,
which stop at the discs. **e**, **f** The expected SR and HSR. **g** Rows of the three maps in the
plane, by t-SNE, coloured by room; stars are doors. **h** NMF parts of the expected HSR, **i**
singular vectors of the expected SR, **j** NMF parts of the SR of the random walk, the strongest
first, each over its largest magnitude. Below, Figure S1: S1a, all eigenoptions; S1b, the strongest
features of every map by SVD and NMF. All panels show one world of the reference reading.
"""
EXPERIMENT = Experiment.from_function(
    "predictive_maps",
    "maps, options and bases of the four rooms, and what is exact",
    run,
    figure="1, S1",
    setting=MapSetting(first_world=FRESH),
    smoke={"worlds": 4, "maps.n_components": 16},
    conditions=sample.conditions,
    plan=sample.plan,
    check=sample.check_rooms,
    analyse=analyse,
    axes=Axes(
        {
            **dict.fromkeys(OF_MAPS, ("map",)),
            **dict.fromkeys(OF_FEATURES, ("features",)),
            **dict.fromkeys(("contraction", "td_error"), ()),
            **PICTURE_AXES,
        },
        lambda setting, arrays: {"map": tuple(MAPS), "features": tuple(FEATURES)},
    ),
    claims=CLAIMS,
    draw=draw,
    caption=CAPTION,
    variants=sample.VARIANTS,
)
