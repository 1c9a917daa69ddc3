"""Numbers of Figure S4 and the evidence for its claims, from stored runs alone."""

from dataclasses import dataclass

from hsr.paper.experiments.option_classes import (
    OptionClasses,
    by_budget,
    by_class,
    label_of,
)
from hsr.paper.ledger import Evidence
from hsr.paper.stats import transfer_efficiency, two_sample_t
from hsr.paper.store import ResultTable
from hsr.paper.transfer.curves import Intervals, Learning, learning, mean_intervals
from hsr.toolkit import FloatArray

BASELINE = "one-hot"


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows.

    The efficiency is that of hierarchical rows relative to the one-hot agent with the same number
    of options.
    """

    classes: Learning  # with hierarchical rows, by class of options
    budgets: tuple[int, ...]  # sorted numbers of eigenoptions
    learned: dict[str, Learning]  # by agent, then by `label_of` the number of options
    efficiency: dict[str, FloatArray]  # (seed,), by the same labels
    intervals: Intervals  # of the mean efficiency


def analyse(table: ResultTable, setting: OptionClasses) -> Numbers:
    """Return the numbers of the figure."""
    learned = {
        name: learning(table, setting, of_agent) for name, of_agent in by_budget(setting).items()
    }
    raw, hsr = learned[BASELINE].episodes, learned["HSR rows"].episodes
    efficiency = {name: transfer_efficiency(hsr[name], raw[name]) for name in hsr}
    return Numbers(
        classes=learning(table, setting, by_class(setting)),
        budgets=tuple(sorted(set(setting.budgets))),
        learned=learned,
        efficiency=efficiency,
        intervals=mean_intervals(efficiency),
    )


def evidence(numbers: Numbers) -> list[Evidence]:
    """Return what the numbers say about the claims of the figure."""
    n, efficiency, raw = (
        numbers.classes.episodes,
        numbers.efficiency,
        numbers.learned[BASELINE].episodes,
    )
    found = [
        Evidence(
            "option-classes",
            f"HSR rows: episodes to G2, {name} options minus eigenoptions",
            +1,
            two_sample_t(n[name][:, 1], n["eigen"][:, 1]),
        )
        for name in ("random", "covering")
    ]
    few, some, most = (label_of(numbers.budgets[k]) for k in (0, 1, -1))
    found += [
        Evidence(
            "option-budget",
            f"transfer efficiency of HSR rows (smaller is better), {one} minus {other}",
            predicted,
            two_sample_t(efficiency[one], efficiency[other]),
        )
        for one, other, predicted in ((few, some, +1), (some, most, 0))
    ]
    found.append(
        Evidence(
            "option-budget",
            f"one-hot: episodes to G2, {most} minus {some}",
            +1,
            two_sample_t(raw[most][:, 1], raw[some][:, 1]),
        )
    )
    return found
