"""The control that every transfer result has: each kind of features at the step size that suits it.

The effective step of a linear learner is its learning rate times the squared length of the
features. This length differs more than tenfold between maps, so agents that are compared at one
rate are also compared in their step sizes. The control removes this difference. Each kind of
features learns at every rate, on goals and with seeds that are not scored, and keeps the rate with
the fewest steps. Episodes after a run has diverged count with all steps of the horizon.

The goals for tuning are as far from the start as the scored ones, and no default eigenoption ends
there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from hsr import InputError
from hsr.paper.experiment import scored_seeds
from hsr.paper.store import ResultTable
from hsr.paper.transfer.setting import (
    TransferCondition,
    TransferConditions,
    TransferSetting,
    goals_of,
)

TUNED = {"tuned step sizes": {"step_size": "tuned"}}  # by the name that the ledger uses
FIRST_TUNING_SEED = 1000
TUNING_GOALS = {  # (row, column), for the first and the second goal
    "four_rooms": ((9, 3), (9, 11)),
    "four_rooms_barriers": ((10, 4), (9, 11)),
    "loop": ((12, 7), (12, 15)),
    "corridor": ((10, 8), (2, 20)),
    "paired_bottlenecks": ((10, 8), (10, 16)),
}


def plan(
    setting: TransferSetting, conditions: TransferConditions
) -> Iterator[tuple[TransferCondition, Sequence[int]]]:
    """Yield the conditions to run, with their seeds.

    If step sizes are tuned, every condition runs at every rate, also on the goals for tuning. A
    condition that is alone under its name has all scored seeds. Conditions that form one sample
    have one seed each.
    """
    seeds = scored_seeds(setting)
    tuning = range(FIRST_TUNING_SEED, FIRST_TUNING_SEED + setting.tuning_seeds)
    if setting.step_size == "tuned" and set(seeds) & set(tuning):
        raise InputError(
            f"seeds {min(seeds)} to {max(seeds)} are scored; "
            f"step sizes are tuned by {tuning[0]} to {tuning[-1]}"
        )
    for sample in conditions.values():
        for k, condition in enumerate(sample):
            own = seeds if len(sample) == 1 else (seeds[k],)
            if setting.step_size == "given":
                yield condition, own
                continue
            for rate in setting.rates:
                yield at_rate(condition, rate), own
                yield tuning_condition(at_rate(condition, rate)), tuning


def own_rates(
    table: ResultTable, setting: TransferSetting, conditions: TransferConditions
) -> dict[str, float]:
    """Return the rate of each name: that of the agent, or the best one on the goals for tuning."""
    if setting.step_size == "given":
        return dict.fromkeys(conditions, setting.agent.learning_rate)
    return {
        name: min(setting.rates, key=lambda rate: _mean_steps(table, sample, rate))
        for name, sample in conditions.items()
    }


def at_rates(
    conditions: TransferConditions, rates: dict[str, float]
) -> dict[str, list[TransferCondition]]:
    """Return the conditions, each at the rate of its name."""
    return {
        name: [at_rate(condition, rates[name]) for condition in sample]
        for name, sample in conditions.items()
    }


def at_rate(condition: TransferCondition, rate: float) -> TransferCondition:
    """Return a condition with another learning rate."""
    agent = replace(condition.agent, learning_rate=rate)
    return condition.model_copy(update={"agent": agent})


def tuning_condition(condition: TransferCondition) -> TransferCondition:
    """Return a condition with the goals for tuning in place of its own."""
    layout = condition.world.layout
    if layout not in TUNING_GOALS:
        raise InputError(
            f"there are no goals for tuning in {layout!r}; there are in {', '.join(TUNING_GOALS)}"
        )
    cells = TUNING_GOALS[layout]
    goal_cells = tuple(cells[goal - 1] for goal in condition.goals)
    found = condition.model_copy(update={"goal_cells": goal_cells, "keep_maps": False})
    if set(goals_of(found)) & set(goals_of(condition)):
        raise InputError(
            f"goal_cells are {condition.goal_cells}; step sizes are tuned by {cells}, "
            "which cannot be scored too"
        )
    return found


def _mean_steps(table: ResultTable, sample: Sequence[TransferCondition], rate: float) -> float:
    steps = [
        table.of(tuning_condition(at_rate(condition, rate)).data()).array("steps")
        for condition in sample
    ]
    return float(sum(x.mean() for x in steps) / len(steps))
