"""Numbers of Figure S4 and what its claims compare, from stored runs alone."""

from dataclasses import dataclass

import numpy as np

from hsr.paper.contrast import Contrast, Measure
from hsr.paper.experiments.option_classes import (
    OptionClasses,
    by_budget,
    by_class,
    label_of,
)
from hsr.paper.store import ResultTable
from hsr.paper.transfer.curves import Learning, learning

BASELINE, HIERARCHICAL = "one-hot", "HSR rows"


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows.

    The efficiency is that of hierarchical rows relative to the one-hot agent with the same number
    of options in the same world.
    """

    classes: Learning  # with hierarchical rows, by class of options
    budgets: tuple[int, ...]  # sorted numbers of eigenoptions
    learned: dict[str, Learning]  # by agent, then by `label_of` the number of options
    efficiency: dict[str, Measure]  # by the same labels


def analyse(table: ResultTable, setting: OptionClasses) -> Numbers:
    """Return the numbers of the figure."""
    learned = {
        name: learning(table, setting, of_agent) for name, of_agent in by_budget(setting).items()
    }
    return Numbers(
        classes=learning(table, setting, by_class(setting)),
        budgets=tuple(sorted(set(setting.budgets))),
        learned=learned,
        efficiency={
            name: _efficiency(learned[HIERARCHICAL], learned[BASELINE], name)
            for name in learned[BASELINE].steps
        },
    )


def contrasts(numbers: Numbers) -> list[Contrast]:
    """Return what the claims of the figure compare."""
    classes, raw = numbers.classes, numbers.learned[BASELINE]
    few, some, most = (label_of(numbers.budgets[k]) for k in (0, 1, -1))
    found = [
        Contrast(
            "option-classes",
            (f"{name} options", "eigenoptions"),
            +1,
            classes.to_goal(name, 1),
            classes.to_goal("eigen", 1),
            where=HIERARCHICAL,
        )
        for name in ("random", "covering")
        if {name, "eigen"} <= set(classes.steps)
    ]
    found += [
        Contrast(
            "option-budget",
            (one, other),
            predicted,
            numbers.efficiency[one],
            numbers.efficiency[other],
            where=HIERARCHICAL,
        )
        for one, other, predicted in ((few, some, +1), (some, most, 0))
    ]
    found.append(
        Contrast(
            "option-budget",
            (most, some),
            +1,
            raw.to_goal(most, 1),
            raw.to_goal(some, 1),
            where=BASELINE,
        )
    )
    return found


def _efficiency(agent: Learning, raw: Learning, name: str) -> Measure:
    """Return the efficiency of one agent relative to another one with the same options."""
    both = Learning(
        **{
            **vars(agent),
            "episodes": {"agent": agent.episodes[name], "raw": raw.episodes[name]},
            "met": {"agent": agent.met[name]},
            "log_steps": {"agent": agent.log_steps[name] - _mean(raw, name)},
        }
    )
    return both.efficiency("agent", "raw")


def _mean(raw: Learning, name: str) -> np.ndarray:
    """Return the log steps (world, 1, task) of the baseline, which differs between budgets."""
    return raw.log_steps[name].mean(axis=1, keepdims=True)
