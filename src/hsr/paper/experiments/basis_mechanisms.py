"""What the bases are like (Figure 4).

**Question.** Are NMF parts of the expected HSR sparse along a walk, faithful to their map, and able
to represent values? Are they stronger at bottlenecks than those of the expected SR, and than
singular vectors?

**Runs.** A world is a sign for each of the eight eigenvectors of the four rooms, because start and
goal do not matter for maps. In each world: SVD and NMF of the expected SR and HSR over every goal.
With as many components as states: sparsity and fluctuation of activations along a closed walk
through the rooms, where components peak, and mean activation at doors over that elsewhere. By basis
size: the squared error of the reconstructed map relative to its mean square, and R2 of the optimal
values of a goal, fitted with a constant and averaged over all goals. The first world is drawn.

**Statements.** `mechanisms-sparse-trace` and `mechanisms-bottleneck`: HSR-NMF against each of the
other three. `mechanisms-reconstruction` and `mechanisms-value-r2` predict no difference to SVD at
any size below the number of states. The text refers to panels c and d in the wrong order; the
panels here are those of the caption. HSR-NMF and eSR-NMF are parts of
maps that hardly differ ("Why expected maps hardly differ" in docs/theory.md).

**Readings.** `hsr.paper.maps.sample.VARIANTS`. The number of components concerns the walk and
the doors; errors and fits are by size anyway.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

import hsr
from hsr._base.arrays import FloatArray, IntArray
from hsr._base.declaration import integer, several
from hsr.agents import OptionSpec
from hsr.experiments import Axes, Claim, Experiment, Measure, Pair, ResultTable
from hsr.experiments.contrast import OF_LOGS, OF_SHARES
from hsr.experiments.experiment import rows_of
from hsr.grids import GridLayout, MazeSpec
from hsr.mdp import goal_tasks, optimal_value
from hsr.paper.figures.basis_mechanisms import draw
from hsr.paper.maps import FeatureSetting, sample
from hsr.paper.maps.making import basis_of, features_of, map_of, options_for
from hsr.paper.maps.measures import excursions, normalised, own_peaks
from hsr.paper.maps.sample import MapCondition, MapSetting, in_world
from hsr.paper.maps.walk import circular_walk
from hsr.paper.worlds import FRESH, world_of

BASES = {
    "eSR-SVD": FeatureSetting(kind="svd", of="esr"),
    "eSR-NMF": FeatureSetting(kind="nmf", of="esr"),
    "HSR-SVD": FeatureSetting(kind="svd", of="ehsr"),
    "HSR-NMF": FeatureSetting(kind="nmf", of="ehsr"),
}
BEST = "HSR-NMF"
MEASURES = {  # in words, and the difference that counts as none; ratios are compared as logarithms
    "sparsity": ("sparsity along the walk", OF_SHARES),
    "fluctuation": ("log excursions of a component along the walk", OF_LOGS),
    "peaks": ("states in which components peak, per component", OF_SHARES),
    "bottleneck": ("log activation at doors over elsewhere", OF_LOGS),
    "error": ("log relative error of the map", OF_LOGS),
    "fit": ("R2 of optimal values", OF_SHARES),
}
_SIZES = several(
    integer(1, "sizes of the bases of errors and fits"), (4, 8, 16, 32, 64, 104), least=1
)


@dataclass(frozen=True, kw_only=True)
class BasisCondition(MapCondition):
    """What is computed in a world; `components` are the sizes of bases for errors and fits."""

    components: tuple[int, ...] = _SIZES


@dataclass(frozen=True, kw_only=True)
class BasisMechanisms(MapSetting):
    """The setting; `components` are the sizes of bases for errors and fits."""

    components: tuple[int, ...] = _SIZES


def run(condition: BasisCondition, number: int) -> dict[str, np.ndarray]:
    """Return the arrays of one world, by basis: what is judged, or the trace along the walk."""
    world, options, maps = in_world(condition, number)
    found = [basis.with_settings(maps, options) for basis in BASES.values()]
    places = [(world, options_for(one, options), one) for one in found]
    if condition.part == "pictures":
        walk = circular_walk(world_of(world)[0])
        traces = [normalised(features_of(*place))[walk] for place in places]
        return {"walk": walk, "trace": np.stack(traces)}
    whole = np.array([_whole(*place) for place in places]).T
    by_size = np.array([_by_size(*place, condition.components) for place in places])
    names = ("sparsity", "fluctuation", "peaks", "bottleneck")
    return {
        **dict(zip(names, whole, strict=True)),
        "error": by_size[:, 0],
        "fit": by_size[:, 1],
    }


@lru_cache(maxsize=512)
def _whole(world: MazeSpec, options: OptionSpec, features: FeatureSetting) -> tuple[float, ...]:
    """Return the measures that a basis of the setting's own size has."""
    layout, _ = world_of(world)
    found = normalised(features_of(world, options, features))
    trace = found[circular_walk(layout)]
    return (
        float(np.nanmean(hsr.basis.hoyer_sparsity(trace, "states"))),
        excursions(trace),
        own_peaks(found),
        hsr.basis.bottleneck_ratio(features_of(world, options, features), layout.bottlenecks),
    )


@lru_cache(maxsize=512)
def _by_size(
    world: MazeSpec, options: OptionSpec, features: FeatureSetting, sizes: tuple[int, ...]
) -> tuple[list[float], list[float]]:
    """Return the relative error, and R2 averaged over goals, of a basis of each size."""
    _, mdp = world_of(world)
    M, v = map_of(world, options, features), _values(world)
    unscaled = replace(features, n_components=None, scale="none")  # scales cannot be undone
    bases = [basis_of(unscaled, min(k, mdp.n_states), M) for k in sizes]
    mean_square = float(np.square(M).mean())
    return (
        [hsr.basis.reconstruction_error(M, one) / mean_square for one in bases],
        [float(hsr.basis.value_fit_r2(one, v, intercept=True).mean()) for one in bases],
    )


@lru_cache(maxsize=4)
def _values(world: MazeSpec) -> FloatArray:
    """Return the optimal values (goal, S) of every goal."""
    _, mdp = world_of(world)
    return np.stack([optimal_value(mdp, task) for task in goal_tasks(mdp)])


@dataclass(frozen=True, eq=False)
class Numbers:
    """What is drawn, and what is judged.

    Parameters
    ----------
    layout, walk
        The maze, and the states (step,) of the walk.
    components : array (size,)
        The sizes of bases.
    traces : array (basis, step, K)
        Activations along the walk, in the first world.
    measured : dict of arrays (world, basis) or (world, basis, size)
        By the names of `MEASURES`.
    """

    layout: GridLayout
    walk: IntArray
    components: IntArray
    traces: FloatArray
    measured: dict[str, FloatArray]


def analyse(table: ResultTable, setting: BasisMechanisms, of_parts: Mapping[str, Any]) -> Numbers:
    """Return the numbers of the figure and the claims."""
    layout, mdp = world_of(setting.world)
    rows = rows_of(table, setting, of_parts)
    first = next(iter(rows["pictures"])).arrays
    return Numbers(
        layout=layout,
        walk=first["walk"],
        components=np.minimum(setting.components, mdp.n_states),
        traces=first["trace"],
        measured={name: rows["measures"].array(name) for name in MEASURES},
    )


def measure(which: str, numbers: Numbers, name: str, *, size: int | None = None) -> Measure:
    """Return a measure of a basis, those of curves at one size."""
    words, bound = MEASURES[which]
    values = numbers.measured[which][:, list(BASES).index(name)]
    values = np.log(values) if bound == OF_LOGS else values
    if size is not None:
        values = values[:, numbers.components.tolist().index(size)]
    return Measure(words, values[:, None], bound=bound)


def against_all(which: str, sign: int, words: str, quote: str) -> list[Pair]:
    """Return the comparisons of HSR-NMF with each other basis; the larger one comes first."""
    return [
        Pair(
            *((BEST, name) if sign > 0 else (name, BEST)),
            +1,
            partial(measure, which),
            statement=f"HSR-NMF {words} {name}.",
            quote=quote,
        )
        for name in BASES
        if name != BEST
    ]


def at_each_size(which: str, others: Sequence[str], words: str, quote: str) -> Any:
    """Return equality of HSR-NMF and others at each size; with all components an SVD is exact."""

    def compares(numbers: Numbers) -> list[Pair]:
        return [
            Pair(
                BEST,
                name,
                0,
                partial(measure, which, size=size),
                f"K = {size}",
                statement=f"With {size} components HSR-NMF {words} {name}.",
                quote=quote,
            )
            for size in numbers.components.tolist()
            for name in others
            if size < numbers.layout.n_states
        ]

    return compares


TRACE = (
    "while spectral decomposition and standard SR features exhibit entangled, noisy activations "
    "that fluctuate rapidly, HSR-NMF reveals a sparse code that uniformly tiles the state space"
)
MATCHES = "HSR-NMF matches the reconstruction efficiency of SR-SVD"
VALUES = (
    "The localised features support efficient approximation of arbitrary value function over the "
    "state space"
)
ELEVATED = (
    "The discovered latents additionally exhibit stronger interpretability, with elevated "
    "activations at bottleneck states"
)
CLAIMS = (
    Claim(
        "mechanisms-sparse-trace",
        "Along a walk through the rooms HSR-NMF is a sparse code that does not fluctuate and tiles "
        "the states.",
        [
            *against_all("sparsity", +1, "is sparser along the walk than", TRACE),
            *against_all("fluctuation", -1, "fluctuates less along the walk than", TRACE),
            *against_all("peaks", +1, "tiles the states more uniformly than", TRACE),
        ],
        "4a, b",
        "direction",
        "sign",
    ),
    Claim(
        "mechanisms-reconstruction",
        "NMF rebuilds the HSR as well as SVD rebuilds the SR.",
        at_each_size("error", ["eSR-SVD"], "rebuilds its map as well as", MATCHES),
        "4c",
        "direction",
        "sign",
    ),
    Claim(
        "mechanisms-value-r2",
        "HSR-NMF fits values of random goals as well as singular vectors do.",
        at_each_size("fit", ["eSR-SVD", "HSR-SVD"], "fits values of goals as well as", VALUES),
        "4d",
        "direction",
        "sign",
    ),
    Claim(
        "mechanisms-bottleneck",
        "HSR-NMF is the most active at bottlenecks, relative to elsewhere.",
        against_all(
            "bottleneck", +1, "is more active at bottlenecks, relative to elsewhere, than", ELEVATED
        ),
        "4e",
        "direction",
        "sign",
    ),
)
CAPTION = """
**a** A closed walk through the four rooms, from the dot. **b** Activation of every component along
the walk, relative to its largest value anywhere, ordered by where it peaks. Dotted lines are doors,
numbers are rooms. **c** Squared error of the map by number of components, relative to its mean
square (mean and standard error over worlds, here and in d). **d** R2 of the optimal values of a
goal, averaged over all goals. **e** Mean activation at doors over that elsewhere: the mean, and one
point per world.
"""
EXPERIMENT = Experiment.from_function(
    "basis_mechanisms",
    "what the bases are made of",
    run,
    figure="4",
    setting=BasisMechanisms(first_world=FRESH),
    smoke={"worlds": 4, "components": (2, 8), "maps.n_components": 16},
    conditions=partial(sample.conditions, kind=BasisCondition),
    plan=sample.plan,
    check=sample.check_rooms,
    analyse=analyse,
    axes=Axes(
        {
            **dict.fromkeys(("sparsity", "fluctuation", "peaks", "bottleneck"), ("basis",)),
            **dict.fromkeys(("error", "fit"), ("basis", "size")),
            "trace": ("basis", "position", "component"),
            "walk": ("position",),
        },
        lambda setting, arrays: {"basis": tuple(BASES), "size": setting["components"]},
    ),
    claims=CLAIMS,
    draw=draw,
    caption=CAPTION,
    variants=sample.VARIANTS,
)
