"""Runs a condition of a transfer experiment, all seeds of a world in one call."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

import hsr
from hsr import HSRWarning
from hsr._base.arrays import FloatArray
from hsr._base.declaration import declarations
from hsr.agents import GPI, LinearQ, TrainingRun, train
from hsr.experiments.axes import Axes
from hsr.experiments.experiment import seeds_in
from hsr.experiments.stats import relative_change
from hsr.mdp import GoalTask, goal_tasks, optimal_value
from hsr.options import OptionSet
from hsr.paper.maps.making import features_of
from hsr.paper.transfer.learning import analyse, measures_of, tables
from hsr.paper.transfer.setting import TransferCondition
from hsr.paper.transfer.tuning import check_worlds, fitted, later, plan
from hsr.paper.worlds import options_of, world_of
from hsr.representation import MapSpec

EXACT = {kind: MapSpec(kind) for kind in ("esr", "ehsr")}
SIZES = (1, 2, 4, 8, 16, 32, 64, 104)  # numbers of singular vectors that fit values


def run(condition: TransferCondition, number: int) -> dict[str, Any]:
    """Return the arrays of one world, with the seed as their first axis.

    They are `steps` (seed, task, episode), 0 for episodes that were not needed, and `diverged_in`
    (seed, 2), the task and episode in which values grew without bound, or -1. If maps are measured,
    `change` and `change_over_way` (seed,), `exact_change` (1,) and `fits` (seed, task, size) are
    there too, and in world 0 the `maps` (task, S, S) of the first seed.
    """
    result = train_in(condition, number)
    steps = result.steps if condition.curve == "training" else result.greedy_curve
    assert steps is not None
    arrays: dict[str, Any] = {
        "steps": steps.astype(np.min_scalar_type(condition.horizon)),
        "diverged_in": result.diverged_in,
    }
    return arrays | (_measured(condition, number, result) if condition.measure_maps else {})


def train_in(condition: TransferCondition, number: int) -> TrainingRun:
    """Return the runs of all seeds of one world.

    Elsewhere a run whose values grow without bound ends with a warning. Here `diverged_in` keeps
    the episode.
    """
    _, mdp = world_of(condition.maze(number))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HSRWarning)
        return train(
            mdp,
            tasks_in(condition, number),
            agent_in(condition, number),
            options_in(condition, number),
            seeds=seeds_in(condition, number),
            episodes=condition.episodes,
            horizon=condition.horizon,
            workers=1,
            keep_maps=condition.measure_maps,
            keep_options=False,
            evaluate="episodes" if condition.curve == "greedy" else False,
            until=condition.until,
        )


def options_in(condition: TransferCondition, number: int) -> Any:
    """Return the options that the agent can choose in one world."""
    if not condition.uses_options:
        return None
    return options_of(condition.maze(number), condition.options_in(number))


def tasks_in(condition: TransferCondition, number: int) -> list[GoalTask]:
    """Return the tasks of a condition in one world."""
    world = condition.world_number(number)
    return [GoalTask(world.start, world.goals[goal - 1]) for goal in condition.goals]


def agent_in(condition: TransferCondition, number: int) -> LinearQ | GPI:
    """Return the agent of a condition in one world."""
    features = features_of(condition.maze(number), condition.options_in(number), condition.features)
    agent = replace(condition.agent, features=features)
    if condition.gpi == "none":
        return agent
    _, mdp = world_of(condition.maze(number))
    pool = goal_tasks(mdp)
    if condition.pool is not None:
        drawn = np.random.default_rng(number).permutation(len(pool))[: condition.pool]
        pool = [pool[goal] for goal in np.sort(drawn).tolist()]
    fields = {name: getattr(agent, name) for name in declarations(LinearQ)}
    return GPI(pretraining=pool, reward=condition.gpi, **fields)


def _measured(condition: TransferCondition, number: int, result: TrainingRun) -> dict[str, Any]:
    """Return what is measured of the learned maps (seed, task, S, S)."""
    assert result.maps is not None
    _, mdp = world_of(condition.maze(number))
    goals = [task.goal for task in tasks_in(condition, number)]
    v = np.stack([optimal_value(mdp, GoalTask(None, goal)) for goal in goals])
    first, last = result.maps[:, 0], result.maps[:, -1]
    start = np.eye(mdp.n_states) if condition.agent.initial_map == "identity" else 0.0
    way = np.square(first - start).sum(axis=(-2, -1)) / np.square(first).sum(axis=(-2, -1))
    change = np.asarray(relative_change(first, last))
    arrays: dict[str, Any] = {
        "change": change,
        # A map that has learned little changes little: its change over the way that it has come.
        "change_over_way": change / np.where(way > 0.0, way, 1.0),
        "exact_change": _exact_change(condition, number),
        "fits": np.stack([_fits(M[0], v) for M in result.maps]),
    }
    return arrays | ({"maps": result.maps[0]} if number == 0 else {})


def _exact_change(condition: TransferCondition, number: int) -> FloatArray:
    """Return the change (1,) from G1 to G2 in the limit: exact maps of the optimal plans."""
    _, mdp = world_of(condition.maze(number))
    options = options_in(condition, number)
    if not isinstance(options, OptionSet):
        return np.full(1, np.nan)
    spec = EXACT["ehsr" if condition.features.kind == "hsr" else "esr"]
    maps: list[Any] = [
        spec.build(mdp, options, tasks=[task]) for task in tasks_in(condition, number)
    ]
    return np.array([relative_change(maps[0].toarray(), maps[-1].toarray())])


def _fits(M: FloatArray, v: FloatArray) -> FloatArray:
    """Return R2 (task, size) of values fitted by a constant and leading singular vectors."""
    U, s, _ = np.linalg.svd(M)
    sizes = [min(k, len(M)) for k in SIZES]  # mazes of families have different numbers of states
    return np.stack(
        [hsr.basis.value_fit_r2(U[:, :k] * s[:k], v, intercept=True) for k in sizes], axis=1
    )


def _coordinates(setting: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    return {"size": SIZES, "part": ("task", "episode")}


AXES = Axes(
    {
        "steps": ("seed", "task", "episode"),
        "diverged_in": ("seed", "part"),
        "change": ("seed",),
        "change_over_way": ("seed",),
        "exact_change": ("limit",),
        "fits": ("seed", "task", "size"),
        "maps": ("task", "state", "future_state"),
    },
    _coordinates,
)
# What all transfer experiments give to `hsr.experiments.Experiment.from_function`.
TRANSFER: dict[str, Any] = {
    "run": run,
    "condition": TransferCondition,
    "plan": plan,
    "later": later,
    "check": check_worlds,
    "fit": fitted,
    "analyse": analyse,
    "measures": measures_of,
    "tables": tables,
    "axes": AXES,
}
