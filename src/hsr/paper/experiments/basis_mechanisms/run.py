"""One basis of one map, for some seeds; a seed stands for a random goal."""

import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from hsr.basis import (
    NMFBasis,
    SVDBasis,
    bottleneck_ratio,
    hoyer_sparsity,
    reconstruction_error,
    value_fit_r2,
)
from hsr.mdp import goal_tasks, optimal_value
from hsr.paper.experiments.basis_mechanisms.settings import NAME, Part
from hsr.paper.experiments.basis_mechanisms.walk import circular_walk
from hsr.paper.map_making import basis_of, map_of
from hsr.paper.maps import Features
from hsr.paper.store import Record
from hsr.paper.worlds import Options, World, world_of
from hsr.toolkit import FloatArray


def run(setting: dict[str, Any], seeds: Sequence[int]) -> Iterator[Record]:
    """Yield one record per seed: the goal and how well its values are fitted by size, and what does
    not depend on the seed.

    trace is the activation along the walk relative to each component's largest anywhere; sparsity
    is Hoyer's at each step; error is the mean squared error by size, relative to the mean square of
    the map; how features are scaled does not enter it.
    """
    part = Part.model_validate(setting)
    layout, mdp = world_of(part.world)
    begin = time.perf_counter()
    of_any_size = part.features.model_copy(update={"n_components": None})
    M = map_of(part.world, part.options, of_any_size)
    sizes = [min(k, len(M)) for k in part.components]
    bases = [_basis(part.world, part.options, of_any_size, k) for k in sizes]
    as_made = of_any_size.model_copy(update={"scale": "none"})
    errors = [reconstruction_error(M, _basis(part.world, part.options, as_made, k)) for k in sizes]
    features = _basis(
        part.world, part.options, of_any_size, part.features.n_components or len(M)
    ).features_
    shown, walk = _normalised(features), circular_walk(layout)
    order = np.random.default_rng(part.goal_order).permutation(mdp.n_states)
    tasks = goal_tasks(mdp)
    fixed = {
        "walk": walk,
        "trace": shown[walk],
        "sparsity": hoyer_sparsity(shown[walk], "states"),
        "error": np.array(errors) / np.square(M).mean(),
        "bottleneck": np.array([bottleneck_ratio(features, layout.bottlenecks)]),
        "bottleneck_by_size": np.array(
            [bottleneck_ratio(basis, layout.bottlenecks) for basis in bases]
        ),
    }
    seconds = (time.perf_counter() - begin) / len(seeds)
    for seed in seeds:
        goal = int(order[seed % mdp.n_states])
        v = optimal_value(mdp, tasks[goal])
        own = {
            "goal": np.array([goal]),
            "fit": np.array([value_fit_r2(basis, v, intercept=part.intercept) for basis in bases]),
        }
        yield Record(
            experiment=NAME, setting=setting, seed=seed, arrays=fixed | own, seconds=seconds
        )


@lru_cache(maxsize=64)
def _basis(
    world: World, options: Options, features: Features, n_components: int
) -> NMFBasis | SVDBasis:
    """Return a fitted basis; made once per process."""
    return basis_of(features, n_components, map_of(world, options, features))


def _normalised(features: FloatArray) -> FloatArray:
    """Return features relative to the largest magnitude of each component; a component of zeros
    stays one.
    """
    largest = np.abs(features).max(axis=0)
    return features / np.where(largest > 0.0, largest, 1.0)
