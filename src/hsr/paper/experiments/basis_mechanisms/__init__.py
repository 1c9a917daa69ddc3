"""What the bases are like (Figure 4).

**Question.** Are the non-negative parts of the expected HSR sparse along a walk, faithful to their
map, and able to represent values? Are they stronger at bottlenecks than those of the expected SR,
and than singular vectors?

**Runs.** A world is a sign for each eigenvector, because start and goal do not matter for maps. In
each world: SVD and NMF of the expected SR and HSR over every goal. Along a closed walk through the
rooms (`hsr.paper.maps.walk`): the activation of each component relative to its largest value
anywhere, which is kept in the first world, and Hoyer's sparsity of it, averaged over the walk. By
number of components: the squared error of the reconstructed map relative to its mean square, and R2
of the optimal values of goals that the world draws. At the four doors: mean activation over that
elsewhere.

**Settings.** `paper`: 200 worlds with 20 goals each, 50 worlds under each control, 104 components
on the walk and at the doors, 1 to 104 in the curves. `smoke`: 4 worlds with 4 goals, 16, and 1 to
8. `maps` says how maps and bases are made.

**Claims**, all over worlds. `mechanisms-sparse-trace` and `mechanisms-bottleneck`: HSR-NMF has the
largest number of the four. `mechanisms-reconstruction`: at every size below the number of states
its relative error is at most 1.1 times that of eSR-SVD. `mechanisms-value-r2`: the mean R2 over
goals at 32 components against both SVDs. They are equivalent if the interval of the effect contains
small values only. In a single world the test is the paired t over goals.

**Controls.** *stopping states counted twice*, which by itself strengthens the ends of options.
*options win ties*. *32 components* on the walk and at the doors (errors and fits are by size anyway
and stay as they are).
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, model_validator

import hsr
from hsr.agents import OptionSpec
from hsr.grids import WorldSpec
from hsr.mdp import goal_tasks, optimal_value
from hsr.paper.axes import Axes
from hsr.paper.experiment import Experiment, Work, scored_worlds
from hsr.paper.maps import BASIS_CHOICES, EXPECTED_MAP_CHOICES, FeatureSetting, MapReading
from hsr.paper.maps.making import basis_of, map_of, options_for
from hsr.paper.maps.sample import CONTROLS, MapSetting, check_maze, options_in
from hsr.paper.maps.walk import circular_walk
from hsr.paper.setting import Intercept, Setting
from hsr.paper.store import Record
from hsr.paper.worlds import world_of
from hsr.toolkit import FloatArray, IntArray

BASES = {
    "eSR-SVD": FeatureSetting(kind="svd", of="esr"),
    "eSR-NMF": FeatureSetting(kind="nmf", of="esr"),
    "HSR-SVD": FeatureSetting(kind="svd", of="ehsr"),
    "HSR-NMF": FeatureSetting(kind="nmf", of="ehsr"),
}


class BasisCondition(Setting):
    """One basis: the map, and the sizes.

    Parameters
    ----------
    part : {"numbers", "trace"}
        The numbers by which the basis is judged, or what the figure draws of it along the walk.
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

    part: Literal["numbers", "trace"]
    world: WorldSpec = WorldSpec()
    options: OptionSpec = OptionSpec(signs="random")
    features: FeatureSetting = FeatureSetting(kind="nmf")
    intercept: bool = False
    components: tuple[int, ...] = ()
    goals: int = 0
    goal_order: int = 0


class BasisMechanisms(MapSetting):
    """Settings of the experiment.

    Parameters
    ----------
    maps : MapReading
        How maps and bases are made. `maps.n_components` is the size on the walk and at the
        bottlenecks.
    intercept : bool
        Whether the fit of values has a constant.
    components : tuple of int
        Sizes of the bases in panels c and d.
    judged : int
        The size at which the fit of values is judged.
    goals : int
        Number of goals in each world, no two of them the same.
    goal_order : int
        Seed of the goals.
    """

    intercept: Intercept = False
    components: Annotated[
        tuple[Annotated[int, Field(ge=1)], ...],
        Field(min_length=1, description="sizes of the bases of errors and fits"),
    ] = (1, 2, 4, 8, 16, 32, 64, 104)
    judged: Annotated[
        int, Field(ge=1, description="size at which fits are judged, one of components")
    ] = 32
    goals: Annotated[int, Field(ge=2, description="number of goals in each world")] = 20
    goal_order: Annotated[int, Field(ge=0, description="seed of the goals")] = 0

    @model_validator(mode="after")
    def _check_sizes(self) -> Self:
        if self.judged not in self.components:
            raise ValueError(
                f"judged is {self.judged}; it must be one of components, {self.components}"
            )
        return self


def conditions(setting: BasisMechanisms) -> dict[str, BasisCondition]:
    """Return the conditions of each basis: its numbers, and its trace."""
    found = {}
    for name, basis in BASES.items():
        features = basis.read(setting.maps, setting.options)
        shared: dict[str, Any] = {
            "world": setting.world,
            "options": options_for(features, setting.options),
            "features": features,
        }
        found[name] = BasisCondition(
            part="numbers",
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
) -> Iterator[tuple[Setting, Sequence[int]]]:
    """Yield numbers with all worlds, and traces with the first one."""
    check_maze(setting, rooms=True)
    for condition in of_parts.values():
        yield condition, scored_worlds(setting)[: None if condition.part == "numbers" else 1]


def run(setting: dict[str, Any], worlds: Sequence[int], experiment: str) -> Iterator[Record]:
    """Yield one record per world.

    The numbers are sparsity along the walk, error, the mean squared error by size relative to the
    mean square of the map, bottleneck and bottleneck_by_size, and fit (goal, size), the R2 of the
    optimal values of goals (goal,). The error does not depend on how features are scaled. A trace
    is the activation along the walk relative to the largest value of each component.
    """
    condition = BasisCondition.model_validate(setting)
    for number in worlds:
        begin = time.perf_counter()
        options = options_in(condition.world, condition.options, number)
        what = condition.world, options, condition.features
        arrays = _trace(*what) if condition.part == "trace" else _numbers(condition, number, *what)
        yield Record(experiment, setting, number, arrays, time.perf_counter() - begin)


def goals_in(condition: BasisCondition, number: int) -> IntArray:
    """Return the goals that a world draws, all different."""
    _, mdp = world_of(condition.world)
    order = np.random.default_rng((condition.goal_order, number)).permutation(mdp.n_states)
    return order[: condition.goals]


def _numbers(
    condition: BasisCondition,
    number: int,
    world: WorldSpec,
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


def _trace(
    world: WorldSpec, options: OptionSpec, features: FeatureSetting
) -> dict[str, np.ndarray]:
    layout, mdp = world_of(world)
    walk = circular_walk(layout)
    own = _basis(world, options, features, features.n_components or mdp.n_states).features_
    return {"walk": walk, "trace": _normalised(own)[walk]}


@lru_cache(maxsize=1024)
def _at_size(
    world: WorldSpec, options: OptionSpec, features: FeatureSetting
) -> tuple[float, float]:
    """Return Hoyer's sparsity, averaged over the walk, and the activation at the doors."""
    layout, mdp = world_of(world)
    own = _basis(world, options, features, features.n_components or mdp.n_states).features_
    trace = _normalised(own)[circular_walk(layout)]
    sparsity = float(np.nanmean(hsr.hoyer_sparsity(trace, "states")))
    return sparsity, float(hsr.bottleneck_ratio(own, layout.bottlenecks))


@lru_cache(maxsize=1024)
def _by_size(
    world: WorldSpec,
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
    errors = [hsr.reconstruction_error(M, _basis(world, options, unscaled, k)) for k in sizes]
    return (
        np.array(errors) / np.square(M).mean(),
        np.array([hsr.bottleneck_ratio(one, layout.bottlenecks) for one in bases]),
        np.stack([hsr.value_fit_r2(one, v, intercept=intercept) for one in bases], axis=1),
    )


@lru_cache(maxsize=4)
def _values(world: WorldSpec) -> FloatArray:
    """Return the optimal values (goal, S) of every goal."""
    _, mdp = world_of(world)
    return np.stack([optimal_value(mdp, task) for task in goal_tasks(mdp)])


@lru_cache(maxsize=64)
def _basis(
    world: WorldSpec, options: OptionSpec, features: FeatureSetting, n_components: int
) -> Any:
    """Return a fitted basis; it is made once per process."""
    return basis_of(features, n_components, map_of(world, options, features))


def _normalised(features: FloatArray) -> FloatArray:
    """Return features relative to the largest magnitude of each component; zeros stay zeros."""
    largest = np.abs(features).max(axis=0)
    return features / np.where(largest > 0.0, largest, 1.0)


def _coordinates(setting: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    found = {"size": setting["components"], "goal": arrays.get("goals")}
    return {name: values for name, values in found.items() if values is not None}


AXES = Axes(
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
    work=Work(run, plan, AXES),
    conditions=conditions,
    presets={
        "smoke": BasisMechanisms(
            components=(1, 2, 4, 8), judged=8, maps=MapReading(n_components=16), worlds=4, goals=4
        ),
        "paper": BasisMechanisms(),
    },
    controls={**CONTROLS, "32 components": {"maps.n_components": 32, "as_control": True}},
    sensitive_to=(
        "signs",
        "first_vector",
        "policies",
        *EXPECTED_MAP_CHOICES,
        *BASIS_CHOICES,
        "intercept",
    ),
)
