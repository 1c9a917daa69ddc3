"""Numbers of Figure 2i-l and what its claim compares, from stored runs alone."""

from dataclasses import dataclass

from hsr.agents import OptionSpec
from hsr.paper.contrast import Contrast, Measure
from hsr.paper.experiments.online_options import OnlineOptionsTransfer, conditions
from hsr.paper.store import ResultTable
from hsr.paper.transfer.curves import Learning, learning

BASELINE, LIVE = "one-hot", ("SR rows", "HSR rows")


@dataclass(frozen=True, eq=False)
class Numbers:
    """What the figure shows, by agent."""

    options: OptionSpec
    learned: Learning
    efficiency: dict[str, Measure]


def analyse(table: ResultTable, setting: OnlineOptionsTransfer) -> Numbers:
    """Return the numbers of the figure."""
    learned = learning(table, setting, conditions(setting))
    efficiency = {name: learned.efficiency(name, BASELINE) for name in LIVE}
    return Numbers(setting.options, learned, efficiency)


def contrasts(numbers: Numbers) -> list[Contrast]:
    """Return what the claim of the figure compares."""
    first, second = (numbers.efficiency[name] for name in LIVE)
    return [Contrast("online-options-efficiency", LIVE, +1, first, second)]
