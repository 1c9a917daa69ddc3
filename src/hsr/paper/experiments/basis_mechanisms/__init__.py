"""What the bases are like (Figure 4).

**Question.** Are the non-negative parts of the expected HSR sparse along a walk, faithful to their
map, and able to represent values? Are they stronger at bottlenecks than those of the expected SR,
and than singular vectors?

**Runs.** SVD and NMF of the expected SR and HSR over every goal. Along a closed walk through the
rooms (`hsr.paper.maps.walk`): the activation of each component relative to its largest value
anywhere, and Hoyer's sparsity of it at each step. By number of components: the squared error of the
reconstructed map relative to its mean square, and R2 of the optimal values of random goals, one
goal per seed and none twice. At the four doors: mean activation over that elsewhere.

**Settings.** `paper`: 104 components on the walk and at the doors, 1 to 104 in the curves, 20
goals. `smoke`: 16, 1 to 8, and 4. Only the goals are random. `maps` says how maps and bases are
made.

**Claims.** `mechanisms-sparse-trace` and `mechanisms-bottleneck`: HSR-NMF has the largest number of
the four. `mechanisms-reconstruction`: at every size below the number of states its relative error
is at most 1.1 times that of eSR-SVD. `mechanisms-value-r2`: paired t-test over goals at 32
components against both SVDs. They are equivalent if the interval of the effect contains small
values only.

**Controls.** *stopping states counted twice*, which by itself strengthens the ends of options.
*options win ties*. *32 components* on the walk and at the doors (errors and fits are by size anyway
and stay as they are).
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Self

import numpy as np
from pydantic import model_validator

import hsr
from hsr.agents import OptionSpec
from hsr.grids import WorldSpec
from hsr.mdp import goal_tasks, optimal_value
from hsr.paper.experiment import Experiment, Work
from hsr.paper.maps import EXPECTED_MAP_CHOICES, FeatureSetting, MapReading
from hsr.paper.maps.making import basis_of, map_of
from hsr.paper.maps.walk import circular_walk
from hsr.paper.setting import Setting
from hsr.paper.store import Record
from hsr.paper.worlds import world_of
from hsr.toolkit import FloatArray

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
    features : FeatureSetting
        The basis. On the walk and at the bottlenecks it has `features.n_components`.
    intercept : bool
        Whether the fit of values has a constant.
    components : tuple of int
        The sizes for errors and fits.
    goal_order : int
        Seed of the order in which goals are drawn. The run of seed i takes the i-th goal.
    """

    world: WorldSpec = WorldSpec()
    options: OptionSpec = OptionSpec()
    features: FeatureSetting = FeatureSetting(kind="nmf")
    intercept: bool = False
    components: tuple[int, ...] = (1, 2, 4, 8, 16, 32, 64, 104)
    goal_order: int = 0


class BasisMechanisms(Setting):
    """Settings of the experiment; only the goals are random, and seed i draws the i-th one.

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
    """

    world: WorldSpec = WorldSpec()
    options: OptionSpec = OptionSpec()
    maps: MapReading = MapReading()
    intercept: bool = False
    components: tuple[int, ...] = (1, 2, 4, 8, 16, 32, 64, 104)
    judged: int = 32
    goal_order: int = 0
    seeds: int = 20
    first_seed: int = 0

    @model_validator(mode="after")
    def _check_sizes(self) -> Self:
        if self.judged not in self.components:
            raise ValueError(
                f"judged is {self.judged}; it must be one of components, {self.components}"
            )
        return self


def conditions(setting: BasisMechanisms) -> dict[str, BasisCondition]:
    """Return the condition of each basis."""
    return {
        name: BasisCondition(
            world=setting.world,
            options=setting.options,
            features=features.read(setting.maps, setting.options),
            intercept=setting.intercept,
            components=setting.components,
            goal_order=setting.goal_order,
        )
        for name, features in BASES.items()
    }


def run(setting: dict[str, Any], seeds: Sequence[int], experiment: str) -> Iterator[Record]:
    """Yield one record per seed.

    goal and fit, the R2 of its optimal values by size, depend on the seed. The other arrays do not:
    trace is the activation along the walk relative to the largest value of each component, sparsity
    is Hoyer's at each step, error is the mean squared error by size relative to the mean square of
    the map. The error does not depend on how features are scaled.
    """
    condition = BasisCondition.model_validate(setting)
    begin = time.perf_counter()
    fixed, bases = _properties(condition)
    seconds = (time.perf_counter() - begin) / len(seeds)
    _, mdp = world_of(condition.world)
    order = np.random.default_rng(condition.goal_order).permutation(mdp.n_states)
    tasks = goal_tasks(mdp)
    for seed in seeds:
        goal = int(order[seed % mdp.n_states])
        v = optimal_value(mdp, tasks[goal])
        fit = [hsr.value_fit_r2(basis, v, intercept=condition.intercept) for basis in bases]
        own = {"goal": np.array([goal]), "fit": np.array(fit)}
        yield Record(experiment, setting, seed, fixed | own, seconds)


def _properties(condition: BasisCondition) -> tuple[dict[str, np.ndarray], list[Any]]:
    """Return the arrays that do not depend on the seed, and the bases by size."""
    layout, _ = world_of(condition.world)
    of_any_size = replace(condition.features, n_components=None)
    unscaled = replace(of_any_size, scale="none")
    M = map_of(condition.world, condition.options, of_any_size)

    def basis(features: FeatureSetting, size: int) -> Any:
        return _basis(condition.world, condition.options, features, size)

    sizes = [min(k, len(M)) for k in condition.components]
    bases = [basis(of_any_size, k) for k in sizes]
    errors = [hsr.reconstruction_error(M, basis(unscaled, k)) for k in sizes]
    features = basis(of_any_size, condition.features.n_components or len(M)).features_
    doors, walk = layout.bottlenecks, circular_walk(layout)
    trace = _normalised(features)[walk]
    return {
        "walk": walk,
        "trace": trace,
        "sparsity": hsr.hoyer_sparsity(trace, "states"),
        "error": np.array(errors) / np.square(M).mean(),
        "bottleneck": np.array([hsr.bottleneck_ratio(features, doors)]),
        "bottleneck_by_size": np.array([hsr.bottleneck_ratio(one, doors) for one in bases]),
    }, bases


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


EXPERIMENT = Experiment(
    name="basis_mechanisms",
    figure="4",
    title="what the bases are made of",
    work=Work(run),
    conditions=conditions,
    presets={
        "smoke": BasisMechanisms(
            components=(1, 2, 4, 8), judged=8, maps=MapReading(n_components=16), seeds=4
        ),
        "paper": BasisMechanisms(),
    },
    controls={
        "stopping states counted twice": {"maps.stopping_state": "counted_twice"},
        "options win ties": {"maps.ties": "options"},
        "32 components": {"maps.n_components": 32},
    },
    sensitive_to=(
        "signs",
        "policies",
        *EXPECTED_MAP_CHOICES,
        "nmf_start",
        "scale",
        "components",
        "intercept",
    ),
)
