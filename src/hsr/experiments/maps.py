"""From a world and its options to a map and to features: what all offline experiments share; made once per process."""

from functools import lru_cache
from typing import Any, Literal

import numpy as np

from hsr._base.arrays import FloatArray
from hsr._base.errors import InputError
from hsr.agents import learn_plans
from hsr.basis import NMFBasis, RowBasis, SVDBasis
from hsr.experiments.setting import Setting
from hsr.experiments.worlds import Options, World, options_of, world_of
from hsr.mdp import FiniteMDP, GoalTask, GridLayout, every_goal
from hsr.options import OptionSet, option_model, plan_over_options
from hsr.representation import expected_hsr, expected_sr, successor_representation

_DRAWS_GOALS = 0
BASIS_CHOICES = {"components": "maps.n_components", "scale": "maps.scale", "nmf_start": "maps.start"}
EXPECTED_MAP_CHOICES = {
    "trained_on": "maps.trained_on",
    "ties": "maps.ties",
    "stopping_state": "maps.stopping_state",
    "flat_policy": "maps.flat_policy",
}


class MapReading(Setting):
    """How maps and bases are made where the paper leaves a choice.

    n_components: of SVD and NMF; None is as many as there are states. scale: of features. start: of the NMF.
    trained_on: the goals of expected maps: every state, one state per room, or so many drawn at random.
    ties: among plans over options that are equally good, or "learned" for plans by Q-learning. stopping_state: how often the
    HSR counts it. flat_policy: the policy of the expected SR, the best over primitives or that of the options, step by step.
    """

    n_components: int | None = None
    scale: Literal["none", "max", "unit_columns", "unit_rows"] = "none"
    start: Literal["nndsvda", "random"] = "nndsvda"
    trained_on: Literal["every", "per_room", "8", "16", "32"] = "every"
    ties: Literal["uniform", "options", "primitives", "random", "learned"] = "uniform"
    stopping_state: Literal["counted_once", "counted_twice"] = "counted_once"
    flat_policy: Literal["primitive", "options"] = "primitive"


class Features(MapReading):
    """What a state looks like to the agent: one-hot; rows of a map learned online; or a basis of the map `of`."""

    kind: Literal["onehot", "sr", "hsr", "rows", "svd", "nmf"] = "onehot"
    of: Literal["rw_sr", "esr", "ehsr"] = "ehsr"

    def read(self, maps: MapReading, options: Options) -> "Features":
        """Return these features under a reading of maps, of which only what matters for them is taken.

        Raises
        ------
        InputError
            If the map is one of options, and there are none before learning.
        """
        matters: set[str] = set()
        if self.kind in ("rows", "svd", "nmf"):
            matters |= {"scale"}
            matters |= {"n_components"} if self.kind != "rows" else set()
            matters |= {"start"} if self.kind == "nmf" else set()
            matters |= {"trained_on"} if self.of != "rw_sr" else set()
            matters |= {"flat_policy"} if self.of == "esr" else set()
            if self.of == "ehsr" or (self.of == "esr" and maps.flat_policy == "options"):
                if options.kind in ("none", "online"):
                    raise InputError(
                        f"options.kind is {options.kind!r}; an expected map needs options that are there before learning"
                    )
                matters |= {"ties"}
            matters |= {"stopping_state"} if self.of == "ehsr" else set()
        return self.model_copy(update={name: getattr(maps, name) for name in matters})


def map_of(world: World, options: Options, features: Features) -> FloatArray:
    """Return the map from which features are made, of shape (S, S); bases of one map share it."""
    plain = features.model_copy(update={"scale": "none"})
    return _map(world, options, Features(kind="rows", of=features.of).read(plain, options))


@lru_cache(maxsize=16)
def _map(world: World, options: Options, features: Features) -> FloatArray:
    layout, mdp = world_of(world)
    if features.of == "rw_sr":
        return successor_representation(mdp).toarray()
    tasks = tasks_of(layout, mdp, features)
    if features.of == "esr" and features.flat_policy == "primitive":
        return expected_sr(mdp, tasks).toarray()
    found = options_of(world, options)
    assert isinstance(found, OptionSet)
    if features.of == "esr":
        policies = [flat_policy(mdp, found, mu) for mu in plans_of(mdp, found, tasks, features.ties)]
        return expected_sr(mdp, tasks, policies=policies).toarray()
    plans = plans_of(mdp, found, tasks, features.ties)
    return expected_hsr(mdp, found, tasks, policies=plans, stopping_state=features.stopping_state).toarray()


def tasks_of(layout: GridLayout, mdp: FiniteMDP, features: MapReading) -> list[GoalTask]:
    """Return the tasks of expected maps."""
    tasks = every_goal(mdp)
    if features.trained_on == "every":
        return tasks
    if features.trained_on == "per_room":
        return [tasks[int(room[len(room) // 2])] for room in layout.rooms]
    drawn = np.random.default_rng(_DRAWS_GOALS).permutation(mdp.n_states)[: int(features.trained_on)]
    return [tasks[goal] for goal in np.sort(drawn).tolist()]


def flat_policy(mdp: FiniteMDP, options: OptionSet, mu: FloatArray) -> FloatArray:
    """Return the chance (S, A) of each action where a policy over primitives and options (S, C) makes a choice."""
    n = mdp.n_actions
    of_options = options.policy
    if of_options.ndim == 2:
        of_options = np.eye(n)[of_options]
    return mu[:, :n] + np.einsum("so,osa->sa", mu[:, n:], of_options)


@lru_cache(maxsize=16)
def features_of(world: World, options: Options, features: Features) -> Any:
    """Return features as `LinearQ` takes them: a word, or an array of shape (S, K)."""
    if features.kind in ("onehot", "sr", "hsr"):
        return features.kind
    M = map_of(world, options, features)
    if features.kind == "rows":
        return RowBasis(scale=features.scale).fit(M).features_
    return basis_of(features, features.n_components or len(M), M).features_


def basis_of(features: Features, n_components: int, M: FloatArray) -> NMFBasis | SVDBasis:
    """Return a fitted basis of a map with so many components; of singular vectors there are at most as many as states."""
    if features.kind == "svd":
        return SVDBasis(min(n_components, len(M)), scale=features.scale).fit(M)
    return NMFBasis(n_components, scale=features.scale, init=features.start).fit(M)


def plans_of(mdp: FiniteMDP, options: OptionSet, tasks: list[GoalTask], ties: str) -> list[FloatArray]:
    """Return the policy over primitives and options for each task, of shape (S, C)."""
    if ties == "learned":
        return learn_plans(mdp, options, tasks, workers=1)
    base = option_model(mdp, options)
    return [plan_over_options(base.for_task(task), task, ties=ties) for task in tasks]
