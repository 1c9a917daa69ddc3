"""The control that every transfer result has: each kind of features at the settings that suit it.

The effective step of a linear learner is its learning rate times the squared length of the
features. This length differs more than tenfold between maps, so agents that are compared at one
rate are also compared in their step sizes. Maps of one discount differ in how far they see, and
maps that learn at one rate in how soon they are of use. The control removes these differences.

1. Every agent learns at every one of `rates`, combined with every one of `map_rates` if it learns
   its map, in `tuning_worlds` worlds that are not scored. If there are `map_discounts`, the best
   rate of the map is combined with each of them and with every rate.
2. The combination with the fewest steps in these worlds is scored in others. Episodes after a run
   has diverged count with all steps of the horizon.

A best value at the end of its list might be better still beyond it, so that a comparison with it
cannot tell, unless a value inside the list takes at most 1 % more steps. A rate of 1 is the end of
what is allowed, and no such case. Nor is a discount of 0, at which a row of a map is one-hot, or a
map rate of 1e-5, at which a map stays for a whole run what it is at the start: also one-hot.

Where nothing is random, a rate of 1 is the best for one-hot features: it learns a step at once. The
control is therefore repeated in worlds that slip, with the value rate alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np

from hsr import InputError
from hsr._base.arrays import FloatArray
from hsr._base.declaration import changed
from hsr.agents import best_setting
from hsr.experiments.experiment import Look, scored_worlds, text_of
from hsr.experiments.store import ResultTable
from hsr.paper.transfer.setting import (
    TransferCondition,
    TransferConditions,
    TransferSetting,
    optimal_of,
)
from hsr.paper.worlds import number_of_worlds, world_of

_TUNED = {"step_size": "tuned", "as_control": True}
# Controls by the names that the ledger uses.
TUNED: Mapping[str, Mapping[str, Any]] = {"tuned step sizes": {**_TUNED, "map_discounts": ()}}
TUNED_DISCOUNTS: Mapping[str, Mapping[str, Any]] = {"tuned step sizes and discounts": _TUNED}
TUNED_IN_SLIP: Mapping[str, Mapping[str, Any]] = {
    f"tuned step sizes, slip {slip:g}": {
        **_TUNED,
        "map_rates": (),
        "map_discounts": (),
        "world.slip": slip,
    }
    for slip in (0.1, 0.2)
}
RATE, MAP_RATE, MAP_DISCOUNT = "rate", "map rate", "map discount"
NO_LEARNING = 1e-5  # at this rate a map stays what it is at the start
_ALLOWED = {RATE: {1.0}, MAP_RATE: {NO_LEARNING, 1.0}, MAP_DISCOUNT: {0.0}}  # no ends of lists
_AS_GOOD = np.log(1.01)


@dataclass(frozen=True)
class Chosen:
    """What was chosen for an agent in worlds that are not scored.

    Parameters
    ----------
    condition : TransferCondition
        The agent as it is scored.
    values : mapping of str to float
        What was chosen; empty if all is given.
    at_end : tuple of str
        Which of them lie at an end of their list.
    """

    condition: TransferCondition
    values: Mapping[str, float] = field(default_factory=dict)
    at_end: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the chosen values in words."""
        return ", ".join(f"{name} {value:g}" for name, value in self.values.items())


def plan(
    setting: TransferSetting, conditions: TransferConditions
) -> Iterator[tuple[TransferCondition, Sequence[int]]]:
    """Yield the conditions to run, with their worlds; if step sizes are tuned, the candidates."""
    given = setting.step_size == "given"
    worlds = scored_worlds(setting) if given else tuning_worlds(setting)
    for condition in conditions.values():
        for one in (Chosen(condition),) if given else _by_rate(setting, condition):
            yield one.condition, worlds


def later(
    setting: TransferSetting, conditions: TransferConditions, look: Look
) -> Iterator[tuple[TransferCondition, Sequence[int]]]:
    """Yield the candidates that others lead to, and each condition at its best once it is known."""
    if setting.step_size == "given":
        return
    for condition in conditions.values():
        for one in candidates(setting, condition, look):
            yield one.condition, tuning_worlds(setting)
        best = chosen(setting, condition, look)
        if best is not None:
            yield best.condition, scored_worlds(setting)


def chosen(setting: TransferSetting, condition: TransferCondition, look: Look) -> Chosen | None:
    """Return a condition at its best among all candidates, or None if a run is missing."""
    if setting.step_size == "given":
        return Chosen(condition)
    every = candidates(setting, condition, look)
    steps = _mean_steps(setting, condition, every, look)
    if steps is None:
        return None
    tried = [one.values for one in every]
    best, at_end = best_setting(tried, steps, limits=_ALLOWED, margin=_AS_GOOD)
    return Chosen(_with(condition, tried[best], condition.seeds), tried[best], at_end)


def candidates(setting: TransferSetting, condition: TransferCondition, look: Look) -> list[Chosen]:
    """Return what is tried for a condition, as far as finished runs have led."""
    first = _by_rate(setting, condition)
    if not setting.map_discounts or condition.features.kind == "onehot":
        return first
    usual = condition.world.discount
    first = [replace(one, values={**one.values, MAP_DISCOUNT: usual}) for one in first]
    steps = _mean_steps(setting, condition, first, look)
    if steps is None:
        return first
    best = first[best_setting([one.values for one in first], steps)[0]].values
    others = [
        {**best, RATE: rate, MAP_DISCOUNT: discount}
        for discount, rate in product(setting.map_discounts, setting.rates)
        if discount != usual
    ]
    return first + [_candidate(setting, condition, values) for values in others]


def _by_rate(setting: TransferSetting, condition: TransferCondition) -> list[Chosen]:
    """Return a condition at all rates, with all rates of the map that it learns."""
    lists = {RATE: setting.rates}
    if condition.features.kind in ("sr", "hsr") and setting.map_rates:
        lists[MAP_RATE] = setting.map_rates
    return [
        _candidate(setting, condition, dict(zip(lists, values, strict=True)))
        for values in product(*lists.values())
    ]


def _candidate(
    setting: TransferSetting, condition: TransferCondition, values: Mapping[str, float]
) -> Chosen:
    plain = replace(condition, measure_maps=False)
    return Chosen(_with(plain, values, setting.tuning_seeds), values)


def _with(
    condition: TransferCondition, values: Mapping[str, float], seeds: int
) -> TransferCondition:
    """Return a condition with other values of what is tuned, and a number of seeds."""
    agent, features = replace(condition.agent, learning_rate=values[RATE]), condition.features
    if MAP_RATE in values:
        agent = replace(agent, map_learning_rate=values[MAP_RATE])
    discount = values.get(MAP_DISCOUNT, condition.world.discount)
    if discount != condition.world.discount:
        if features.kind in ("sr", "hsr"):
            agent = replace(agent, map_discount=discount)
        else:
            features = replace(features, map_discount=discount)
    return replace(condition, agent=agent, features=features, seeds=seeds)


def _mean_steps(
    setting: TransferSetting, condition: TransferCondition, tried: Sequence[Chosen], look: Look
) -> list[float] | None:
    """Return the mean log steps of each candidate, or None if a run is missing."""
    optimal, found = np.array(optimal_of(condition), dtype=float), []
    for one in tried:
        table = look(one.condition, tuning_worlds(setting))
        if table is None:
            return None
        found.append(float(log_steps(table.array("steps"), optimal).mean()))
    return found


def runs_in(table: ResultTable, condition: TransferCondition, worlds: Sequence[int]) -> ResultTable:
    """Return the runs of a condition in some worlds; a condition may run in others as well."""
    return ResultTable(one for one in table.of_text(text_of(condition)) if one.seed in worlds)


def tuning_worlds(setting: TransferSetting) -> range:
    """Return the worlds in which values are chosen: those after the scored ones."""
    first = scored_worlds(setting)[-1] + 1
    return range(first, first + setting.tuning_worlds)


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
