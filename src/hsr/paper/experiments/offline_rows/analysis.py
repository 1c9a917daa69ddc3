"""Numbers of Figure S2 and what its claim compares, from stored runs alone."""

from dataclasses import dataclass

from hsr.paper.contrast import Contrast, Measure
from hsr.paper.experiments.offline_rows import OfflineRows, conditions
from hsr.paper.store import ResultTable
from hsr.paper.transfer.curves import Learning, learning

BASELINE, COMPARED = "one-hot", ("eSR rows", "eHSR rows")


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows, by agent."""

    learned: Learning
    efficiency: dict[str, Measure]


def analyse(table: ResultTable, setting: OfflineRows) -> Numbers:
    """Return the numbers of the figure."""
    learned = learning(table, setting, conditions(setting))
    names = [name for name in learned.steps if name != BASELINE]
    return Numbers(learned, {name: learned.efficiency(name, BASELINE) for name in names})


def contrasts(numbers: Numbers) -> list[Contrast]:
    """Return what the claim of the figure compares."""
    first, second = (numbers.efficiency[name] for name in COMPARED)
    return [Contrast("offline-rows", COMPARED, +1, first, second)]
