"""Maps and features of a world and its options; each is made once per process."""

from functools import lru_cache
from typing import Any

import numpy as np

from hsr.agents import learn_plans
from hsr.basis import NMFBasis, RowBasis, SVDBasis
from hsr.grids import GridLayout
from hsr.mdp import FiniteMDP, GoalTask, goal_tasks
from hsr.options import OptionSet, option_model, plan_over_options
from hsr.paper.maps.setting import FeatureSetting, MapReading
from hsr.paper.worlds import OptionSetting, WorldSetting, options_of, world_of
from hsr.representation import expected_hsr, expected_sr, successor_representation
from hsr.toolkit import FloatArray

_DRAWS_GOALS = 0


def map_of(world: WorldSetting, options: OptionSetting, features: FeatureSetting) -> FloatArray:
    """Return the map (S, S) from which features are made; all bases of one map share it."""
    plain = features.model_copy(update={"scale": "none"})
    return _map(world, options, FeatureSetting(kind="rows", of=features.of).read(plain, options))


@lru_cache(maxsize=16)
def _map(world: WorldSetting, options: OptionSetting, features: FeatureSetting) -> FloatArray:
    layout, mdp = world_of(world)
    if features.of == "rw_sr":
        return successor_representation(mdp).toarray()
    tasks = tasks_of(layout, mdp, features)
    if features.of == "esr" and features.flat_policy == "primitive":
        return expected_sr(mdp, tasks).toarray()
    found = options_of(world, options)
    assert isinstance(found, OptionSet)
    if features.of == "esr":
        policies = [
            flat_policy(mdp, found, mu) for mu in plans_of(mdp, found, tasks, features.ties)
        ]
        return expected_sr(mdp, tasks, policies=policies).toarray()
    plans = plans_of(mdp, found, tasks, features.ties)
    return expected_hsr(
        mdp, found, tasks, policies=plans, stopping_state=features.stopping_state
    ).toarray()


def tasks_of(layout: GridLayout, mdp: FiniteMDP, features: MapReading) -> list[GoalTask]:
    """Return the tasks of expected maps."""
    tasks = goal_tasks(mdp)
    if features.trained_on == "every":
        return tasks
    if features.trained_on == "per_room":
        return [tasks[int(room[len(room) // 2])] for room in layout.rooms]
    drawn = np.random.default_rng(_DRAWS_GOALS).permutation(mdp.n_states)[
        : int(features.trained_on)
    ]
    return [tasks[goal] for goal in np.sort(drawn).tolist()]


def flat_policy(mdp: FiniteMDP, options: OptionSet, mu: FloatArray) -> FloatArray:
    """Return the probability (S, A) of the first action after a choice by the policy mu (S, C)."""
    n = mdp.n_actions
    of_options = options.policy
    if of_options.ndim == 2:
        of_options = np.eye(n)[of_options]
    return mu[:, :n] + np.einsum("so,osa->sa", mu[:, n:], of_options)


@lru_cache(maxsize=16)
def features_of(world: WorldSetting, options: OptionSetting, features: FeatureSetting) -> Any:
    """Return features as `LinearQ` takes them: a word, or an array of shape (S, K)."""
    if features.kind in ("onehot", "sr", "hsr"):
        return features.kind
    M = map_of(world, options, features)
    if features.kind == "rows":
        return RowBasis(scale=features.scale).fit(M).features_
    return basis_of(features, features.n_components or len(M), M).features_


def basis_of(features: FeatureSetting, n_components: int, M: FloatArray) -> NMFBasis | SVDBasis:
    """Return a fitted basis of a map; there are at most as many singular vectors as states."""
    if features.kind == "svd":
        return SVDBasis(min(n_components, len(M)), scale=features.scale).fit(M)
    return NMFBasis(n_components, scale=features.scale, init=features.start).fit(M)


def plans_of(
    mdp: FiniteMDP, options: OptionSet, tasks: list[GoalTask], ties: str
) -> list[FloatArray]:
    """Return the policy over primitives and options for each task, of shape (S, C)."""
    if ties == "learned":
        return learn_plans(mdp, options, tasks, workers=1)
    base = option_model(mdp, options)
    return [plan_over_options(base.for_task(task), task, ties=ties) for task in tasks]
