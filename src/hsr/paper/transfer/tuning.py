"""The control that every transfer result has: each kind of features at the step size that suits it.

The effective step of a linear learner is its learning rate times the squared length of the
features. This length differs more than tenfold between maps, so agents that are compared at one
rate are also compared in their step sizes. The control removes this difference. Each kind of
features learns at every rate. The rate with the fewest steps in one half of the worlds is scored in
the other half. Episodes after a run has diverged count with all steps of the horizon.

Where nothing is random, a rate of 1 is the best for one-hot features. The control is therefore
repeated in worlds that slip.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hsr import InputError
from hsr._base.arrays import FloatArray
from hsr.paper.experiment import scored_worlds
from hsr.paper.setting import changed
from hsr.paper.store import ResultTable
from hsr.paper.transfer.setting import (
    TransferCondition,
    TransferConditions,
    TransferSetting,
    optimal_of,
)
from hsr.paper.worlds import number_of_worlds, world_of

# Controls by the names that the ledger uses.
TUNED: Mapping[str, Mapping[str, Any]] = {"tuned step sizes": {"step_size": "tuned"}}
TUNED_IN_SLIP: Mapping[str, Mapping[str, Any]] = {
    f"tuned step sizes, slip {slip:g}": {"step_size": "tuned", "world.slip": slip}
    for slip in (0.1, 0.2)
}


def plan(
    setting: TransferSetting, conditions: TransferConditions
) -> Iterator[tuple[TransferCondition, Sequence[int]]]:
    """Yield the conditions to run, with their worlds; if step sizes are tuned, at every rate.

    Raises
    ------
    InputError
        If a condition asks for more worlds than there are, or for goals that they do not have.
    """
    given = setting.step_size == "given"
    worlds = scored_worlds(setting) if given else _tuning_worlds(setting)
    for condition in conditions.values():
        _check_worlds(condition, worlds[-1])
    for condition in conditions.values():
        if given:
            yield condition, worlds
            continue
        for rate in setting.rates:
            yield at_rate(condition, rate, setting), worlds


def fitted(setting: TransferSetting, conditions: TransferConditions) -> TransferSetting:
    """Return the setting with no more worlds than exist; with fixed signs there are few."""
    drawn = [one for one in conditions.values() if one.places == "drawn" and one.mazes == "one"]
    exist = [number_of_worlds(one.world, one.drawn_for, one.distances) for one in drawn]
    most = min(exist, default=setting.first_world + setting.worlds) - setting.first_world
    if most < 2:
        (name,) = {world_of(one.world)[0].name for one in drawn[:1]}
        raise InputError(
            f"{max(most, 0)} worlds qualify in {name!r}, and 2 are needed: a start with goals at "
            "these distances, and no goal on the end of an option. Move the goals, set distances, "
            "or set places=marked, where worlds differ in the signs of eigenvectors"
        )
    worlds = {"worlds": min(setting.worlds, most)}
    if most >= 4:  # with fewer, step sizes cannot be tuned
        worlds["tuning_worlds"] = min(setting.tuning_worlds, most)
    return changed(setting, worlds)


def tuned_rate(table: ResultTable, setting: TransferSetting, condition: TransferCondition) -> float:
    """Return the given rate of a condition, or the best of all rates in the worlds that choose."""
    if setting.step_size == "given":
        return setting.agent.learning_rate
    optimal, chooses = np.array(optimal_of(condition), dtype=float), tuned(setting)

    def mean_steps(rate: float) -> float:
        steps = rows_at(table, setting, condition, rate).array("steps")
        return float(log_steps(steps[chooses], optimal).mean())

    return min(setting.rates, key=mean_steps)


def rows_at(
    table: ResultTable, setting: TransferSetting, condition: TransferCondition, rate: float
) -> ResultTable:
    """Return the runs of a condition at a rate, in all its worlds."""
    if setting.step_size == "tuned":
        condition = at_rate(condition, rate, setting)
    return table.of(condition.data())


def scored_in(array: np.ndarray, setting: TransferSetting) -> np.ndarray:
    """Return the scored worlds of an array (world, ...): all, or those that choose no rate."""
    return array if setting.step_size == "given" else array[~tuned(setting)]


def log_steps(steps: np.ndarray, optimal: FloatArray) -> FloatArray:
    """Return the mean over episodes of the logarithm of steps over the fewest possible.

    Parameters
    ----------
    steps : array of shape (..., task, episode)
        Steps of each episode, 0 for episodes that were not needed.
    optimal : array of shape (task,)
        The fewest possible.

    Returns
    -------
    ndarray of shape (..., task)
    """
    ratio = np.log(np.maximum(steps, 1) / optimal[:, None])
    counts = steps > 0
    mean: FloatArray = np.where(counts, ratio, 0.0).sum(axis=-1) / counts.sum(axis=-1)
    return mean


def at_rate(
    condition: TransferCondition, rate: float, setting: TransferSetting
) -> TransferCondition:
    """Return a condition with another learning rate and the number of seeds for tuning."""
    agent = replace(condition.agent, learning_rate=rate)
    return condition.model_copy(update={"agent": agent, "seeds": setting.tuning_seeds})


def tuned(setting: TransferSetting) -> np.ndarray:
    """Return which of the worlds choose the rate; the others are scored."""
    return np.arange(setting.tuning_worlds) % 2 == 0


def _tuning_worlds(setting: TransferSetting) -> Sequence[int]:
    return range(setting.first_world, setting.first_world + setting.tuning_worlds)


def _check_worlds(condition: TransferCondition, last: int) -> None:
    """Refuse worlds that do not exist before any run starts; worlds up to `last` are needed."""
    n_goals = len(condition.world_number(last).goals)
    for goal in condition.goals:
        if not 1 <= goal <= n_goals:
            name = world_of(condition.world)[0].name
            raise InputError(
                f"goal {goal} is to be learned; worlds have the goals 1 to {n_goals}. Mark more "
                f"goals in {name!r}, or set world.goals or distances"
            )
