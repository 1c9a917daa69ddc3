"""Tuned rivals: each kind of features at the step sizes that suit it.

The effective step of a linear learner is its learning rate times the squared length of the
features. This length differs more than tenfold between maps, so agents that are compared at one
rate are also compared in their step sizes. Maps that learn at one rate differ in how soon they are
of use.

1. Every agent learns at every one of `rates`, combined with every one of `map_rates` if it learns
   its map, in `tuning_worlds` worlds that are not scored.
2. The combination with the fewest steps in these worlds is scored in others.

The smallest of `map_rates` is a declared floor. Below it a map stays one-hot for a whole run, and
all features would be alike. A best value at the end of its list might be better still beyond it, so
that a comparison with it cannot tell, unless a value inside the list takes at most 1 % more steps.
A rate of 1 is the end of what is allowed, and no such case.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hsr import InputError
from hsr._base.arrays import FloatArray
from hsr._base.declaration import changed
from hsr.experiments import MAZES
from hsr.experiments import TUNED as RIVALS
from hsr.experiments.experiment import Look, scored_worlds
from hsr.experiments.store import ResultTable
from hsr.paper.chosen import Chosen, best_of, candidates, tuning_worlds
from hsr.paper.transfer.setting import (
    LEARNED,
    OTHER_MAZES,
    TransferCondition,
    TransferConditions,
    TransferSetting,
    optimal_of,
)
from hsr.paper.worlds import number_of_worlds, world_of

TUNED: Mapping[str, Mapping[str, Any]] = {
    "tuned step sizes": {"step_size": "tuned", "as_control": True}
}
# The columns of the ledger that all transfer experiments have in common.
VARIANTS = {MAZES: OTHER_MAZES, RIVALS: TUNED}
RATE, MAP_RATE = "learning_rate", "map_learning_rate"
_AS_GOOD = np.log(1.01)


def plan(
    setting: TransferSetting, conditions: TransferConditions
) -> Iterator[tuple[TransferCondition, Sequence[int]]]:
    """Yield the conditions to run, with their worlds; if step sizes are tuned, the candidates."""
    for condition in conditions.values():
        if setting.step_size == "given":
            yield condition, scored_worlds(setting)
        else:
            for one in _candidates(setting, condition):
                yield one.condition, tuning_worlds(setting)


def later(
    setting: TransferSetting, conditions: TransferConditions, look: Look
) -> Iterator[tuple[TransferCondition, Sequence[int]]]:
    """Yield each condition at its best once it is known."""
    for condition in conditions.values() if setting.step_size == "tuned" else ():
        best = chosen(setting, condition, look)
        if best is not None:
            yield best.condition, scored_worlds(setting)


def chosen(setting: TransferSetting, condition: TransferCondition, look: Look) -> Chosen | None:
    """Return a condition at its best among all candidates, or None if a run is missing."""
    if setting.step_size == "given":
        return Chosen(condition)
    optimal = optimal_of(condition)

    def loss(table: ResultTable) -> float:
        return float(log_steps(table.array("steps"), optimal, setting.training).mean())

    tried = _candidates(setting, condition)
    best = best_of(tried, tuning_worlds(setting), look, loss, margin=_AS_GOOD)
    if best is None:
        return None
    return replace(best, condition=replace(condition, agent=best.condition.agent))


def _candidates(setting: TransferSetting, condition: TransferCondition) -> list[Chosen]:
    """Return a condition at all rates, with all rates of the map that it learns."""
    lists = {RATE: setting.rates}
    if condition.features.kind in LEARNED:
        lists[MAP_RATE] = setting.map_rates
    plain = replace(condition, measure_maps=False, seeds=setting.tuning_seeds)
    return candidates(plain, lists)


def log_steps(steps: np.ndarray, optimal: Sequence[int], training: str) -> FloatArray:
    """Return how long a goal took, as the logarithm of steps over the fewest possible.

    If training ends with the criterion, these are all steps that were spent on the goal. A mean
    over episodes would then be unfair to fast learners, which have no easy episodes at the end. For
    a fixed number of episodes it is the mean over episodes.

    Parameters
    ----------
    steps : array of shape (..., task, episode)
        Steps of each episode, 0 for episodes that were not needed.
    optimal : sequence of int
        The fewest possible for each task.
    training : {"fixed", "criterion"}
        How long agents trained.

    Returns
    -------
    ndarray of shape (..., task)
    """
    best = np.array(optimal, dtype=float)
    if training == "criterion":
        return np.asarray(np.log(steps.sum(axis=-1, dtype=float) / best))
    return np.asarray(np.log(steps / best[:, None]).mean(axis=-1))


def fitted(setting: TransferSetting, conditions: TransferConditions) -> TransferSetting:
    """Return the setting with no more worlds than exist; with fixed signs there are few."""
    drawn = [one for one in conditions.values() if one.places == "drawn" and one.mazes == "one"]
    used = max(setting.worlds, setting.control_worlds) + setting.tuning_worlds
    enough = setting.first_world + 2 * used
    exist = [number_of_worlds(one.world, one.drawn_for, one.distances, enough) for one in drawn]
    most = min(exist, default=10**9) - setting.first_world
    if most < 2:
        (name,) = {world_of(one.world)[0].name for one in drawn[:1]}
        raise InputError(
            f"{max(most, 0)} worlds qualify in {name!r}, and 2 are needed: a start with goals at "
            "these distances, and no goal on the end of an option. Move the goals, set distances, "
            "or set places=marked, where worlds differ in the signs of eigenvectors"
        )
    if most < 4:  # too few to tune anything in worlds that are not scored
        return changed(setting, {"worlds": min(setting.worlds, most)})
    tuning = min(setting.tuning_worlds, most // 2)
    scored = most - tuning
    return changed(
        setting,
        {
            "worlds": min(setting.worlds, most if setting.step_size == "given" else scored),
            "tuning_worlds": tuning,
            "control_worlds": min(setting.control_worlds, scored),
        },
    )


def check_worlds(setting: TransferSetting, conditions: TransferConditions) -> None:
    """Refuse worlds that do not exist before any run starts.

    Raises
    ------
    InputError
        If a condition asks for more worlds than there are, or for goals that they do not have.
    """
    given = setting.step_size == "given"
    last = (scored_worlds(setting) if given else tuning_worlds(setting))[-1]
    for condition in conditions.values():
        n_goals = len(condition.world_number(last).goals)
        for goal in condition.goals:
            if not 1 <= goal <= n_goals:
                name = world_of(condition.world)[0].name
                raise InputError(
                    f"goal {goal} is to be learned; worlds have the goals 1 to {n_goals}. Mark "
                    f"more goals in {name!r}, or set world.goals or distances"
                )
