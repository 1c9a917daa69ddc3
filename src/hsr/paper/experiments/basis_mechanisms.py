"""What the bases are like (Figure 4).

**Question.** Are the non-negative parts of the expected HSR sparse along a walk, faithful to their
map, and able to represent values? Are they stronger at bottlenecks than those of the expected SR,
and than singular vectors?

**Runs.** A world is a maze with rooms and a sign for each of its eigenvectors, because start and
goal do not matter for maps. In each world: SVD and NMF of the expected SR and HSR over every goal.
Along a closed walk through the rooms (`hsr.paper.maps.walk`): the activation of each component
relative to its largest value anywhere, which is kept in the first world, and Hoyer's sparsity of
it, averaged over the walk. By number of components: the squared error of the reconstructed map
relative to its mean square, and R2 of the optimal values of goals that the world draws. At the four
doors: mean activation over that elsewhere.

**Settings.** `paper`: 100 worlds with 20 goals each, 60 worlds under each control, 104 components
on the walk and at the doors, 1 to 104 in the curves. `smoke`: 4 worlds with 4 goals, 16, and 1 to
8. `maps` says how maps and bases are made.

**Claims**, all over worlds. `mechanisms-sparse-trace` and `mechanisms-bottleneck`: HSR-NMF has the
largest number of the four. `mechanisms-reconstruction`: at every size below the number of states
its relative error is at most 1.1 times that of eSR-SVD. `mechanisms-value-r2`: the mean R2 over
goals, fitted with a constant, against both SVDs at every size below the number of states. They are
equivalent if the interval of the difference lies within 0.02. In a single world the test is the
paired t over goals.

**Controls.** *stopping states counted twice*, which by itself strengthens the ends of options.
*options win ties*. *32 components* on the walk and at the doors (errors and fits are by size anyway
and stay as they are).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.image import AxesImage

import hsr
from hsr._base.arrays import FloatArray, IntArray
from hsr._base.declaration import Spec, integer, nested, several, word
from hsr.agents import OptionSpec
from hsr.experiments.axes import Axes as ArrayAxes
from hsr.experiments.contrast import OF_RATIOS, OF_SHARES, Claim, Measure, Pair
from hsr.experiments.experiment import Experiment, Work, rows_of, scored_worlds
from hsr.experiments.panels import compared, draw_claims
from hsr.experiments.setting import intercept_flag
from hsr.experiments.store import ResultTable
from hsr.grids import GridLayout, MazeSpec
from hsr.mdp import goal_tasks, optimal_value
from hsr.paper.maps import FeatureSetting, MapSettings
from hsr.paper.maps.making import basis_of, map_of, options_for
from hsr.paper.maps.sample import CONTROLS, MapSetting, check_rooms, options_in, world_in
from hsr.paper.maps.walk import circular_walk
from hsr.paper.worlds import maze_sample, world_of
from hsr.plots import COLORS, draw_curves, draw_layout, draw_marks, new_figure, panel

BASES = {
    "eSR-SVD": FeatureSetting(kind="svd", of="esr"),
    "eSR-NMF": FeatureSetting(kind="nmf", of="esr"),
    "HSR-SVD": FeatureSetting(kind="svd", of="ehsr"),
    "HSR-NMF": FeatureSetting(kind="nmf", of="ehsr"),
}
BEST, REFERENCE = "HSR-NMF", "eSR-SVD"
SLACK = 1.1


@dataclass(frozen=True, kw_only=True)
class BasisCondition(Spec):
    """One basis: the map, and the sizes.

    Parameters
    ----------
    part : {"numbers", "trace"}
        The numbers by which the basis is judged, or what the figure draws of it along the walk.
    mazes : {"one", "families"}
        Whether worlds are in the maze of `world`, or each in a maze of its own.
    features : FeatureSetting
        The basis. On the walk and at the bottlenecks it has `features.n_components`.
    intercept : bool
        Whether the fit of values has a constant.
    components : tuple of int
        The sizes for errors and fits.
    goals : int
        Number of goals in each world.
    goal_order : int
        Seed of the goals, together with the number of the world.
    """

    part: str = word(
        {"numbers": "what the basis is judged by", "trace": "what the figure draws of the walk"},
        "what is computed",
    )
    mazes: str = maze_sample("one")
    world: MazeSpec = nested(MazeSpec())
    options: OptionSpec = nested(OptionSpec(signs="random"))
    features: FeatureSetting = nested(FeatureSetting(kind="nmf"))
    intercept: bool = intercept_flag(False)
    components: tuple[int, ...] = several(integer(1, "sizes of the bases of errors and fits"), ())
    goals: int = integer(0, "number of goals in each world", ge=0)
    goal_order: int = integer(0, "seed of the goals", ge=0)


@dataclass(frozen=True, kw_only=True)
class BasisMechanisms(MapSetting):
    """Settings of the experiment.

    Parameters
    ----------
    maps : MapSettings
        How maps and bases are made. `maps.n_components` is the size on the walk and at the
        bottlenecks.
    intercept : bool
        Whether the fit of values has a constant.
    components : tuple of int
        Sizes of the bases in panels c and d.
    goals : int
        Number of goals in each world, no two of them the same.
    goal_order : int
        Seed of the goals.
    """

    intercept: bool = intercept_flag(True)
    components: tuple[int, ...] = several(
        integer(1, "sizes of the bases of errors and fits"), (1, 2, 4, 8, 16, 32, 64, 104), least=1
    )
    goals: int = integer(20, "number of goals in each world", ge=2)
    goal_order: int = integer(0, "seed of the goals", ge=0)


def conditions(setting: BasisMechanisms) -> dict[str, BasisCondition]:
    """Return the conditions of each basis: its numbers, and its trace."""
    found = {}
    for name, basis in BASES.items():
        features = basis.with_settings(setting.maps, setting.options)
        shared: dict[str, Any] = {
            "world": setting.world,
            "options": options_for(features, setting.options),
            "features": features,
        }
        found[name] = BasisCondition(
            part="numbers",
            mazes=setting.mazes,
            intercept=setting.intercept,
            components=setting.components,
            goals=setting.goals,
            goal_order=setting.goal_order,
            **shared,
        )
        found[trace_of(name)] = BasisCondition(part="trace", **shared)
    return found


def trace_of(name: str) -> str:
    """Return the name of the condition that keeps the trace of a basis."""
    return f"{name} on the walk"


def plan(
    setting: BasisMechanisms, of_parts: Mapping[str, BasisCondition]
) -> Iterator[tuple[Spec, Sequence[int]]]:
    """Yield numbers with all worlds, and traces with the first one."""
    for condition in of_parts.values():
        yield condition, scored_worlds(setting)[: None if condition.part == "numbers" else 1]


def run(condition: BasisCondition, number: int) -> dict[str, np.ndarray]:
    """Return the arrays of one world.

    The numbers are sparsity along the walk, error, the mean squared error by size relative to the
    mean square of the map, bottleneck and bottleneck_by_size, and fit (goal, size), the R2 of the
    optimal values of goals (goal,). The error does not depend on how features are scaled. A trace
    is the activation along the walk relative to the largest value of each component.
    """
    world = world_in(condition.world, condition.mazes, number)
    options = options_in(world, condition.options, number)
    condition = replace(condition, world=world)
    what = world, options, condition.features
    return _trace(*what) if condition.part == "trace" else _numbers(condition, number, *what)


def goals_in(condition: BasisCondition, number: int) -> IntArray:
    """Return the goals that a world draws, all different."""
    _, mdp = world_of(condition.world)
    order = np.random.default_rng((condition.goal_order, number)).permutation(mdp.n_states)
    return order[: condition.goals]


def _numbers(
    condition: BasisCondition,
    number: int,
    world: MazeSpec,
    options: OptionSpec,
    features: FeatureSetting,
) -> dict[str, np.ndarray]:
    of_any_size = replace(features, n_components=None)
    by_size = _by_size(world, options, of_any_size, condition.components, condition.intercept)
    errors, ratios, fits = by_size
    goals = goals_in(condition, number)
    sparsity, bottleneck = _at_size(world, options, features)
    return {
        "sparsity": np.array(sparsity),
        "error": errors,
        "bottleneck": np.array(bottleneck),
        "bottleneck_by_size": ratios,
        "goals": goals,
        "fit": fits[goals],
    }


def _trace(world: MazeSpec, options: OptionSpec, features: FeatureSetting) -> dict[str, np.ndarray]:
    layout, mdp = world_of(world)
    walk = circular_walk(layout)
    own = _basis(world, options, features, features.n_components or mdp.n_states).features_
    return {"walk": walk, "trace": _normalised(own)[walk]}


@lru_cache(maxsize=1024)
def _at_size(world: MazeSpec, options: OptionSpec, features: FeatureSetting) -> tuple[float, float]:
    """Return Hoyer's sparsity, averaged over the walk, and the activation at the doors."""
    layout, mdp = world_of(world)
    own = _basis(world, options, features, features.n_components or mdp.n_states).features_
    trace = _normalised(own)[circular_walk(layout)]
    sparsity = float(np.nanmean(hsr.basis.hoyer_sparsity(trace, "states")))
    return sparsity, float(hsr.basis.bottleneck_ratio(own, layout.bottlenecks))


@lru_cache(maxsize=1024)
def _by_size(
    world: MazeSpec,
    options: OptionSpec,
    features: FeatureSetting,
    components: tuple[int, ...],
    intercept: bool,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return errors (size,), activation at doors (size,), and R2 of every goal (goal, size)."""
    layout, mdp = world_of(world)
    M, v = map_of(world, options, features), _values(world)
    unscaled = replace(features, scale="none")
    sizes = [min(k, mdp.n_states) for k in components]
    bases = [_basis(world, options, features, k) for k in sizes]
    errors = [hsr.basis.reconstruction_error(M, _basis(world, options, unscaled, k)) for k in sizes]
    return (
        np.array(errors) / np.square(M).mean(),
        np.array([hsr.basis.bottleneck_ratio(one, layout.bottlenecks) for one in bases]),
        np.stack([hsr.basis.value_fit_r2(one, v, intercept=intercept) for one in bases], axis=1),
    )


@lru_cache(maxsize=4)
def _values(world: MazeSpec) -> FloatArray:
    """Return the optimal values (goal, S) of every goal."""
    _, mdp = world_of(world)
    return np.stack([optimal_value(mdp, task) for task in goal_tasks(mdp)])


@lru_cache(maxsize=64)
def _basis(
    world: MazeSpec, options: OptionSpec, features: FeatureSetting, n_components: int
) -> Any:
    """Return a fitted basis; it is made once per process."""
    return basis_of(features, n_components, map_of(world, options, features))


def _normalised(features: FloatArray) -> FloatArray:
    """Return features relative to the largest magnitude of each component; zeros stay zeros."""
    largest = np.abs(features).max(axis=0)
    return features / np.where(largest > 0.0, largest, 1.0)


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows, by basis.

    Parameters
    ----------
    layout, walk
        The maze, and the states (step,) of the walk.
    components : array (size,)
        The sizes of bases.
    traces : dict of arrays (step, K)
        Of the first world.
    arrays : dict of dict of arrays
        By name and basis, what was stored of each world: ``sparsity`` and ``bottleneck`` (world,),
        ``error`` and ``bottleneck_by_size`` (world, size), ``fit`` (world, goal, size).
    """

    layout: GridLayout
    walk: IntArray
    components: IntArray
    traces: dict[str, FloatArray]
    arrays: dict[str, dict[str, FloatArray]]


def analyse(
    table: ResultTable, setting: BasisMechanisms, of_parts: Mapping[str, BasisCondition]
) -> Numbers:
    """Return the numbers of the figure."""
    layout, mdp = world_of(setting.world)
    rows = rows_of(table, setting, of_parts)
    first = {name: next(iter(rows[trace_of(name)])).arrays for name in BASES}
    names = ("sparsity", "error", "fit", "bottleneck", "bottleneck_by_size")
    return Numbers(
        layout=layout,
        walk=first[BEST]["walk"],
        components=np.minimum(setting.components, mdp.n_states),
        traces={name: one["trace"] for name, one in first.items()},
        arrays={name: {basis: rows[basis].array(name) for basis in BASES} for name in names},
    )


def per_world(what: str, array: str, numbers: Numbers, name: str) -> Measure:
    """Return a number that a basis has in each world."""
    bound = OF_SHARES if array == "sparsity" else OF_RATIOS
    return Measure(what, numbers.arrays[array][name][:, None], bound=bound)


def largest(what: str, array: str) -> list[Pair]:
    """Return the comparisons of HSR-NMF with each other basis, which should have less."""
    return [Pair(BEST, name, +1, partial(per_world, what, array)) for name in BASES if name != BEST]


def error(k: int, numbers: Numbers, name: str) -> Measure:
    """Return the error at the k-th size; a name may begin with a factor, as in "1.1 x NAME"."""
    *factor, basis = name.split(" x ")
    errors = numbers.arrays["error"][basis][:, k, None]
    return Measure("error of the map", float(factor[0]) * errors if factor else errors)


def errors(numbers: Numbers) -> list[Pair]:
    """Return the comparison of each size below the number of states.

    With all components the error of an SVD is only rounding.
    """
    return [
        Pair(f"{SLACK:g} x {REFERENCE}", BEST, +1, partial(error, k), f"K = {size}")
        for k, size in enumerate(numbers.components.tolist())
        if size < numbers.layout.n_states
    ]


def fit(k: int, numbers: Numbers, name: str) -> Measure:
    """Return the R2 of every goal at the k-th size."""
    return Measure("R2 of v*", numbers.arrays["fit"][name][:, :, k], bound=OF_SHARES)


def fits(numbers: Numbers) -> list[Pair]:
    """Return the comparisons of HSR-NMF with both SVDs, at each size below the number of states."""
    return [
        Pair(BEST, name, 0, partial(fit, k), f"K = {size}")
        for k, size in enumerate(numbers.components.tolist())
        for name in (REFERENCE, "HSR-SVD")
        if size < numbers.layout.n_states
    ]


CLAIMS = (
    Claim(
        "mechanisms-sparse-trace",
        "On a walk through the rooms few parts of the HSR are active at a time.",
        largest("sparsity along the walk", "sparsity"),
        "4a, b",
        "direction",
        "sign",
    ),
    Claim(
        "mechanisms-reconstruction",
        "NMF rebuilds the HSR as well as SVD rebuilds the SR.",
        errors,
        "4c",
        "direction",
        "sign",
    ),
    Claim(
        "mechanisms-value-r2",
        "For values of random goals, parts of the HSR fit as well as singular vectors at each "
        "basis size.",
        fits,
        "4d",
        "direction",
        "paired_t",
    ),
    Claim(
        "mechanisms-bottleneck",
        "Parts of the HSR are the most active at bottlenecks, relative to elsewhere.",
        largest("activation at doors over elsewhere", "bottleneck"),
        "4e",
        "direction",
        "sign",
    ),
)
CAPTION = """
**a** A closed walk through the four rooms, from the dot. **b** Activation of every component along
the walk, relative to its largest value anywhere, ordered by where it peaks. Dotted lines are doors.
Sparsity is Hoyer's, averaged over the walk and over worlds. **c** Squared error of the map by
number of components, relative to its mean square: the median world, with the middle half of worlds,
here and below. **d** R2 of the optimal values of random goals. **e** Mean activation at doors over
that elsewhere, and by the number of components. **f** What the claims compare, one point per world,
over the largest of any world, with the mean and its 95 % interval. **g** What single worlds say:
the sign of the difference, and for R2 the paired t-test over goals. **h** The means of f under the
controls.
"""


def draw_figure(numbers: Numbers, controls: Mapping[str, Numbers]) -> Figure:
    """Return the figure."""
    below = 0.46 * len(compared(EXPERIMENT, numbers)) + 1.3  # inches for the claims
    tall = 7.6 + below
    figure = new_figure(14.0, tall)
    grid = GridSpec(
        2, 20, figure, hspace=0.36, wspace=2.4, left=0.045, right=0.94,
        top=1.0 - 0.4 / tall, bottom=(below + 0.55) / tall,
    )  # fmt: skip
    _walk(panel(grid[0, :4], "a", "the walk; rooms by number"), numbers)
    for k, name in enumerate(BASES):
        title = f"{name}, sparsity {numbers.arrays['sparsity'][name].mean():.2f}"
        ax = panel(grid[0, 4 * k + 4 : 4 * k + 8], "b" if k == 0 else "", title)
        image = _trace_panel(ax, numbers.traces[name], numbers)
        if k == 0:
            ax.set_ylabel("component, in the order of peaks", fontsize=7, labelpad=1)
    box = grid[0, 0].get_position(figure)
    place = figure.add_axes((0.95, box.y0, 0.008, box.height))
    figure.colorbar(image, cax=place).ax.tick_params(labelsize=6)
    _curves(grid, numbers)
    row = GridSpec(
        1, 3, figure, wspace=0.08, left=0.15, right=0.985,
        top=(below - 0.35) / tall, bottom=0.85 / tall,
    )  # fmt: skip
    draw_claims((row[0], row[1], row[2]), "fgh", EXPERIMENT, numbers, controls, unit="largest")
    return figure


def _curves(grid: GridSpec, numbers: Numbers) -> None:
    sizes, arrays = numbers.components.astype(float), numbers.arrays
    ax = panel(grid[1, :5], "c", "relative squared error of the map")
    _draw_by_size(ax, sizes, arrays["error"])
    ax.set_yscale("log")
    ax.set_ylim(1e-3, 1.5)
    ax.legend(fontsize=7, frameon=False)
    n_goals = arrays["fit"][BEST].shape[1]
    ax = panel(grid[1, 5:10], "d", f"fit (R2) of v* of {n_goals} goals in a world")
    _draw_by_size(ax, sizes, {name: x.mean(axis=1) for name, x in arrays["fit"].items()})
    ax.set_ylim(top=1.02)
    title = f"activation at doors / elsewhere, K = {numbers.traces[BEST].shape[1]}"
    _bottlenecks(panel(grid[1, 10:15], "e", title), arrays["bottleneck"])
    ax = panel(grid[1, 15:], "", "the same by number of components")
    _draw_by_size(ax, sizes, arrays["bottleneck_by_size"])
    ax.axhline(1.0, color="#888888", linewidth=0.8, zorder=0)


def _walk(ax: Axes, numbers: Numbers) -> None:
    layout, cells = numbers.layout, numbers.layout.cells[numbers.walk]
    draw_layout(ax, layout)
    ax.plot(cells[:, 1], cells[:, 0], color="#0072b2", linewidth=1.6)
    ax.scatter(cells[:1, 1], cells[:1, 0], color="#d55e00", s=30, zorder=3)
    corners = [int(states[0]) for states in layout.rooms]
    names = [str(room + 1) for room in range(len(corners))]
    draw_marks(ax, layout, corners, names, color="#888888")


def _trace_panel(ax: Axes, trace: FloatArray, numbers: Numbers) -> AxesImage:
    order = np.argsort(np.abs(trace).argmax(axis=0), kind="stable")
    image = ax.imshow(
        trace[:, order].T, cmap="PuOr_r", vmin=-1.0, vmax=1.0, aspect="auto",
        interpolation="nearest",
    )  # fmt: skip
    rooms = numbers.layout.room_of[numbers.walk]  # -1 in doors
    cuts = np.flatnonzero(np.diff(rooms))
    for cut in cuts:
        ax.axvline(cut + 0.5, color="#888888", linestyle=":", linewidth=0.6)
    for stretch in np.split(np.arange(len(rooms)), cuts + 1):
        room = int(rooms[stretch[0]])
        if room >= 0:
            ax.text(
                float(stretch.mean()), -0.12, str(room + 1), transform=ax.get_xaxis_transform(),
                ha="center", fontsize=7, color="#888888",
            )  # fmt: skip
    ax.set_xlabel("step; below it the room", fontsize=7, labelpad=15)
    return image


def _draw_by_size(ax: Axes, sizes: FloatArray, curves: dict[str, FloatArray]) -> None:
    draw_curves(ax, sizes, curves, looks=range(1, len(curves) + 1), band="quartiles")
    ax.set_xscale("log", base=2)
    ax.set_xlabel("components", fontsize=7)


def _bottlenecks(ax: Axes, of_basis: dict[str, FloatArray]) -> None:
    rng = np.random.default_rng(0)
    for k, x in enumerate(of_basis.values()):
        places = k + rng.uniform(-0.22, 0.22, len(x))
        ax.scatter(places, x, s=7, color=COLORS[k + 1], alpha=0.4, linewidths=0)
        ax.hlines(x.mean(), k - 0.34, k + 0.34, color="black", linewidth=1.6)
        ax.annotate(
            f"{x.mean():.2f}", (k, x.max()), (0, 4), textcoords="offset points", ha="center",
            fontsize=7,
        )  # fmt: skip
    ax.axhline(1.0, color="#888888", linewidth=0.8, zorder=0)
    ax.set_xticks(range(len(of_basis)), list(of_basis))
    ax.margins(y=0.12)


def _coordinates(setting: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    found = {"size": setting["components"], "goal": arrays.get("goals")}
    return {name: values for name, values in found.items() if values is not None}


AXES = ArrayAxes(
    {
        "sparsity": (),
        "bottleneck": (),
        "error": ("size",),
        "bottleneck_by_size": ("size",),
        "fit": ("goal", "size"),
        "goals": ("goal",),
        "trace": ("position", "component"),
        "walk": ("position",),
    },
    _coordinates,
)
EXPERIMENT = Experiment(
    name="basis_mechanisms",
    figure="4",
    title="what the bases are made of",
    work=Work(BasisCondition, run, plan, AXES, analyse=analyse, check=check_rooms),
    conditions=conditions,
    presets={
        "smoke": BasisMechanisms(
            components=(1, 2, 4, 8), maps=MapSettings(n_components=16), worlds=4, goals=4
        ),
        "paper": BasisMechanisms(),
    },
    claims=CLAIMS,
    draw=draw_figure,
    caption=CAPTION,
    controls={**CONTROLS, "32 components": {"maps.n_components": 32, "as_control": True}},
)
