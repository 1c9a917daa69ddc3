"""Maps and features of a world and its options; each is made once per process."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.declaration import declarations
from hsr.agents import OnlineOptions, OptionSpec, learn_plans
from hsr.basis import BasisDetails, BasisSpec
from hsr.grids import GridLayout, MazeSpec
from hsr.mdp import FiniteMDP, GoalTask, goal_tasks
from hsr.options import OptionSet, option_model, plan_over_options
from hsr.paper.maps.setting import MADE_BY_THE_AGENT, FeatureSetting, MapSettings
from hsr.paper.worlds import options_of, world_of
from hsr.representation import REPRESENTATIONS, MapDetails, MapSpec, PredictiveMap

NO_OPTIONS = OptionSpec("none")


def map_of(world: MazeSpec, options: OptionSpec, features: FeatureSetting) -> FloatArray:
    """Return the map (S, S) from which features are made; all bases of one map share it."""
    rows = _rows(features, options)
    return _map(world, options_for(rows, options), rows)


@lru_cache(maxsize=1024)
def _rows(features: FeatureSetting, options: OptionSpec) -> FeatureSetting:
    rows = FeatureSetting(kind="rows", of=features.of)
    return rows.with_settings(replace(features, scale="none"), options)


def options_for(features: FeatureSetting, options: OptionSpec) -> OptionSpec:
    """Return the options if features depend on them, else none, so that worlds share features."""
    return options if features.needs_options else NO_OPTIONS


@lru_cache(maxsize=128)
def _map(world: MazeSpec, options: OptionSpec, features: FeatureSetting) -> FloatArray:
    layout, mdp = world_of(world)
    tasks, kind = tasks_of(layout, mdp, features), REPRESENTATIONS[features.of]
    flat = kind.name == "esr" and features.flat_policy == "options"
    found = options_of(world, options) if kind.needs_options or flat else None
    assert not isinstance(found, OnlineOptions)
    policies = None
    if found is not None and "policies" in kind.settings:
        policies = plans_of(mdp, found, tasks, features.ties)
        policies = [flat_policy(mdp, found, mu) for mu in policies] if flat else policies
    spec = MapSpec(features.of, **_details(features, MapDetails, without=("ties",)))
    if features.map_discount is not None:
        mdp = mdp.with_discount(features.map_discount)
    M = spec.build(mdp, found, tasks=tasks, policies=policies)
    return M.toarray() if isinstance(M, PredictiveMap) else M


def tasks_of(layout: GridLayout, mdp: FiniteMDP, features: MapSettings) -> list[GoalTask]:
    """Return the tasks of expected maps. `features.seed` draws the goals of a number of them."""
    tasks = goal_tasks(mdp)
    if features.trained_on == "every":
        return tasks
    if features.trained_on == "per_room":
        return [tasks[int(room[len(room) // 2])] for room in layout.rooms]
    order = np.random.default_rng(features.seed).permutation(mdp.n_states)
    drawn = order[: int(features.trained_on)]
    return [tasks[goal] for goal in np.sort(drawn).tolist()]


def flat_policy(mdp: FiniteMDP, options: OptionSet, mu: FloatArray) -> FloatArray:
    """Return the probability (S, A) of the first action after a choice by the policy mu (S, C)."""
    n = mdp.n_actions
    of_options = options.policy
    if of_options.ndim == 2:
        of_options = np.eye(n)[of_options]
    return mu[:, :n] + np.einsum("so,osa->sa", mu[:, n:], of_options)


def features_of(world: MazeSpec, options: OptionSpec, features: FeatureSetting) -> Any:
    """Return features as `LinearQ` takes them: a word, or an array of shape (S, K)."""
    if features.kind in MADE_BY_THE_AGENT:
        return features.kind
    return _features(world, options_for(features, options), features)


@lru_cache(maxsize=128)
def _features(world: MazeSpec, options: OptionSpec, features: FeatureSetting) -> FloatArray:
    return basis_of(features, features.n_components, map_of(world, options, features)).features_


def basis_of(features: FeatureSetting, n_components: int | None, M: FloatArray) -> Any:
    """Return a fitted basis of a map; None stands for as many components as there are states."""
    details = _details(features, BasisDetails, without=("n_components",))
    return BasisSpec(features.kind, n_components=n_components, **details).build(M)


def _details(features: FeatureSetting, of: type, *, without: tuple[str, ...]) -> dict[str, Any]:
    """Return the settings that features share with a specification of the library."""
    return {name: getattr(features, name) for name in declarations(of) if name not in without}


def plans_of(
    mdp: FiniteMDP, options: OptionSet, tasks: list[GoalTask], ties: str
) -> list[FloatArray]:
    """Return the policy over primitives and options for each task, of shape (S, C)."""
    if ties == "learned":
        return learn_plans(mdp, options, tasks, workers=1)
    base = option_model(mdp, options)
    return [plan_over_options(base.for_task(task), task, ties=ties) for task in tasks]
